//! Acceptance: the whole product against what it promises, with independent oracles.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]

mod bad_inputs;
mod examples;
mod fmpy;
mod misbehave;
mod oracle;
mod others;
mod places;
mod record;
mod repeatability;
mod time;
mod world;
