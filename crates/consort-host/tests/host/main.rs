//! Instances in processes of their own: the same values, and nothing they do ends us.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails, in its helpers too")]

mod calls;
mod counters;
mod entry;
mod fixture;
mod misbehavior;
mod providers;
mod states;
mod step_max;
mod surroundings;
