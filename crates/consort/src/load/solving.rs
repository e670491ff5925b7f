//! What components and the experiment say about solvers, on its way to the loader.

use super::LoadedPart;
use consort_core::{Diagnostic, ModelDescription, Report, Span};
use consort_models::{Asked, SolverRequest};
use consort_system::{Component, SolverDefaults, Spanned};

/// What is asked of the solver of a component.
pub(super) fn request(component: &Component, defaults: &SolverDefaults) -> SolverRequest {
    fn asked<T: Copy>(written: Option<&Spanned<T>>) -> Option<Asked<T>> {
        written.map(|written| Asked { value: written.value, span: written.span })
    }
    let solving = &component.solving;
    SolverRequest {
        interface: asked(solving.interface.as_ref()),
        solver: asked(solving.solver.as_ref()),
        tolerance: asked(solving.tolerance.as_ref()),
        step: asked(solving.step.as_ref()),
        default_solver: defaults.solver.as_ref().map(|solver| solver.value),
        default_step: defaults.step.as_ref().map(|step| step.value),
    }
}

/// A solver for all is of no use where none is integrated by us.
pub(super) fn check_defaults(
    defaults: &SolverDefaults,
    models: &[Option<LoadedPart>],
    report: &mut Report,
) {
    let is_whole = |part: &Option<LoadedPart>| {
        let model = part.as_ref().map(LoadedPart::description);
        // One in a process of its own has its solver there with it.
        let has_solver = |model: &ModelDescription| model.facts.iter().any(|it| it.0 == "solver");
        model.is_some_and(|model| !has_solver(model))
    };
    // A model that was not loaded might have been one.
    if !models.iter().all(is_whole) {
        return;
    }
    let mut refuse = |name: &str, span: Option<Span>| {
        let message = format!("`{name}` has no effect: no component is integrated by our solvers");
        report.push(
            Diagnostic::error("system::no-solver", message).maybe_at(span, "asked for here").help(
                "remove it; an FMU that has its own solver and Model Exchange is integrated by ours if it \
                       says `interface = \"model-exchange\"`",
            ),
        );
    };
    if let Some(solver) = &defaults.solver {
        refuse("solver", solver.span);
    }
    if let Some(step) = &defaults.step {
        refuse("solver-step", step.span);
    }
}
