//! Solvers.

use super::{float, line, quoted, seconds};
use consort_system::{SolverDefaults, Solving};

/// The keys of a component.
pub(super) fn component(out: &mut String, solving: &Solving) {
    if let Some(interface) = &solving.interface {
        line(out, "interface", &quoted(interface.value.name()));
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
        line(out, "solver", &quoted(solver.value.name()));
    }
    if let Some(step) = &defaults.step {
        line(out, "solver-step", &seconds(step.value));
    }
}
