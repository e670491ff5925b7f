//! Checks the numbers that are given for solvers.

use super::context::Context;
use crate::system::Spanned;
use consort_core::solving::is_tolerance;
use consort_core::{Diagnostic, Seconds};

/// Checks tolerances and steps of solvers; whether there is a solver to use them, the loader checks.
pub(super) fn check(context: &mut Context<'_, '_>) {
    let system = context.system;
    check_tolerance(context, system.experiment.tolerance.as_ref());
    check_step(context, system.experiment.solver.step.as_ref());
    for component in &system.components {
        check_tolerance(context, component.solving.tolerance.as_ref());
        check_step(context, component.solving.step.as_ref());
    }
}

fn check_tolerance(context: &mut Context<'_, '_>, tolerance: Option<&Spanned<f64>>) {
    let Some(tolerance) = tolerance.filter(|it| !is_tolerance(it.value)) else { return };
    let message = format!("a tolerance of {} is not between zero and one", tolerance.value);
    context.report.push(
        Diagnostic::error("system::bad-tolerance", message)
            .maybe_at(tolerance.span, "the part of a value that may be wrong")
            .help("such as `tolerance = 1e-6`"),
    );
}

fn check_step(context: &mut Context<'_, '_>, step: Option<&Spanned<Seconds>>) {
    let Some(step) = step.filter(|step| step.value <= Seconds::ZERO) else { return };
    let message = format!("a solver cannot take steps of {} s", step.value);
    context.report.push(
        Diagnostic::error("system::bad-solver-step", message)
            .maybe_at(step.span, "must be more than zero")
            .help("such as `solver-step = 0.001`"),
    );
}
