//! The judge of plans: what it accepts and what it says of the rest.

#[path = "judge/contract.rs"]
mod contract;
#[path = "judge/found.rs"]
mod found;
#[path = "judge/steps.rs"]
mod steps;
#[path = "judge/support.rs"]
mod support;
#[path = "judge/together.rs"]
mod together;
