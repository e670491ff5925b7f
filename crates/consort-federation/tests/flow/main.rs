//! The machine of flows, its scheduler and the checks of topologies.

mod allocation;
mod checks;
mod credits;
mod events;
mod refusals;
mod rules;
mod saving;
mod scheduling;
mod support;
mod traps;
mod worlds;
