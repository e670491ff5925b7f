//! What a run guarantees, one file per kind of behavior.

mod allocation;
mod behavior;
mod equations;
mod events;
mod failures;
mod interventions;
mod loops;
mod repeatability;
mod rollback;
mod snapshots;
mod staged;
mod support;
mod together;
mod variable;
