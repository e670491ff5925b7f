//! Solvers.

use super::{float, line, seconds, text};
use consort_system::{SolverDefaults, Solving};

/// The keys of a component.
pub(super) fn component(out: &mut String, solving: &Solving) {
    if let Some(interface) = &solving.interface {
        line(out, "interface", &text(interface.value.name()));
    }
    let Solving { solver, step, .. } = solving.clone();
    defaults(out, &SolverDefaults { solver, step });
    if let Some(tolerance) = &solving.tolerance {
        line(out, "tolerance", &float(tolerance.value));
    }
}

/// Those of the experiment.
pub(super) fn defaults(out: &mut String, defaults: &SolverDefaults) {
    if let Some(solver) = &defaults.solver {
        line(out, "solver", &text(solver.value.name()));
    }
    if let Some(step) = &defaults.step {
        line(out, "solver-step", &seconds(step.value));
    }
}
