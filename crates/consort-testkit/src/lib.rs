//! What the tests of all crates share: models to run and oracles to compare with. Dev-only.
//!
//! - [`fmus`] builds our own C models (in `fmus/`, one folder per model with its equations) into FMUs
//!   of either version: as a folder or an archive, with a binary or as a source FMU.
//! - [`python`] keeps a virtual environment with FMPy and the FMU builders of PyPI; its scripts (in
//!   `python/`) validate FMUs and drive them call by call, as an oracle that shares no code with us.
//! - [`water_tanks`] builds FMUs that are careless as those of two well-known generators.
//! - [`random_system`] makes systems from seeds and spoils their plans; [`symbolic`] runs a plan on
//!   symbols and compares it with what the system defines.
//! - [`network`] joins two network namespaces by a network that delays, reorders and drops real packets.
//! - [`liar`] draws misbehaviors of one of the models from seeds.
//! - [`amnesiac`] draws models whose saved states lack something, and knows the truth about each.
//! - [`fuzz`] drives fuzz targets over their corpora with a seeded mutator.
//! - [`render`] writes what a report says as text for snapshots.
//!
//! Everything is made once and kept under `target/testkit`, keyed by content; several test processes
//! may ask for the same thing at the same time.
//!
//! ```no_run
//! use consort_testkit::fmus::{self, BuildOptions, Fmi};
//!
//! let archive = fmus::build("gain", Fmi::V3, &BuildOptions::archive());
//! let problems = consort_testkit::python::validate(&archive);
//! assert!(problems.is_empty(), "{problems:?}");
//! ```
//!
//! A test kit that cannot do its work has nothing useful to return, so every function here panics with
//! the output of the tool that failed.

pub mod amnesiac;
pub mod fmus;
pub mod fuzz;
pub mod liar;
pub mod network;
pub mod python;
pub mod random_system;
pub mod render;
pub mod symbolic;
pub mod water_tanks;

mod archive;
mod cache;
mod process;
mod variants;
