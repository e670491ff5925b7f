//! Strategies over worlds in closed form, against running every scenario from the start.

mod again;
mod determinism;
mod search;
mod sequential;
mod shrink;
mod support;
mod visits;
