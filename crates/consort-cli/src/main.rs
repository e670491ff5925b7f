//! The `consort` command line.
fn main() {}
