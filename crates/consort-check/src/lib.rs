//! Judges whether a plan is right for a system.
//!
//! [`check_plan`] executes a [`Plan`] abstractly. No value is computed: each place only remembers of
//! which tag its value is, and every get, set, step and exchange is held against the contract:
//!
//! ```text
//! get   what the output follows at once was set with the values of the component's own time;
//!       a component that answers by step was given no input since its step
//! set   the place of the input holds its source's value of the right time
//! step  delayed inputs were set as of the start of the step, reactive ones as of its end
//! ```
//!
//! The judge derives dependencies from the descriptions by itself and shares no code with the
//! synthesis of plans, so that a mistake in one is found by the other. It stops at the first
//! [`Violation`] in the order of execution.
//!
//! [`check_scenario`] does the same for the algorithm of a scenario, by the rules of the
//! Scenario-Verifier.

mod execute;
mod facts;
mod scenario;
mod state;
mod violation;

use consort_core::ModelDescription;
use consort_system::{Plan, ResolvedSystem};

pub use scenario::{ScenarioViolation, check_scenario};
pub use violation::{
    At, CheckedProgram, Fault, Missed, NESTING_MAX, Of, PlanAction, Rule, Violation,
};

/// Whether a plan computes what the system means.
///
/// `models` has one description per component. Takes time linear in the size of the plan and of
/// the system, times the number of distinct periods.
///
/// # Errors
/// With the first violation in the order of execution: everything before it is right, so it ends
/// the shortest prefix of the execution that is wrong.
///
/// # Panics
/// If `models` has not one description per component.
pub fn check_plan(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    plan: &Plan,
) -> Result<(), Violation> {
    let facts = facts::Facts::new(system, models, plan);
    execute::Execution::new(&facts).run(plan)
}
