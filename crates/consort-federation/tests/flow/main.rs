//! The machine of flows, its scheduler and the checks of topologies.

mod allocation;
mod asking;
mod checks;
mod credits;
mod events;
mod refusals;
mod rules;
mod saving;
mod scheduling;
mod support;
mod traffic;
mod traps;
mod worlds;
