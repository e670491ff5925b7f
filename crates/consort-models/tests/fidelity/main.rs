//! How faithfully states are saved: Algorithm 1 over models that are right and models that lie.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod in_process;
