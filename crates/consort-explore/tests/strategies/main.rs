//! Strategies over worlds in closed form, against running every scenario from the start.

#![expect(clippy::print_stdout, reason = "what was measured is there to be read")]

mod again;
mod determinism;
mod search;
mod sequential;
mod shrink;
mod support;
mod visits;
