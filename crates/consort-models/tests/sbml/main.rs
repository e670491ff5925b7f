//! SBML: a suite of small models and larger networks, each in every level and version that has what it
//! uses, run with a solver and compared with closed forms and with libRoadRunner.

mod cases;
mod closed;
mod constructs;
#[path = "../../../consort-equations/tests/sbml/mathml.rs"]
mod mathml;
mod model;
mod networks;
mod order;
mod peer;
mod run;
mod table;
