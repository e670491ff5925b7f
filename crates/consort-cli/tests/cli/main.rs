//! The `consort` program as a user meets it: what is typed, what comes out, what is left behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod bench;
mod check;
mod diff;
mod explain;
mod fmu;
mod forms;
mod help;
mod inspect;
mod man;
mod manners;
mod model;
mod picture;
mod plan;
mod property;
mod records;
mod repeat;
mod replay;
mod run;
mod solver;
