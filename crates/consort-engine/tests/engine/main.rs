//! What a run guarantees, one file per kind of behavior.

mod allocation;
mod behavior;
mod divergence;
mod equations;
mod events;
mod failures;
mod interventions;
mod loops;
mod parts;
// Couriers between threads, which the random systems of the testkit use as well.
#[path = "../../../consort-testkit/tests/parts/post.rs"]
mod post;
mod repeatability;
mod rollback;
mod snapshots;
mod staged;
mod step_max;
mod support;
mod together;
mod trails;
mod variable;
