//! What components and the experiment say about processes, on its way to the loader.

use consort_models::fidelity::Conditions;
use consort_models::{Asked, ModelRequest};
use consort_system::{Component, Experiment, Spanned};
use std::path::Path;

/// The request for a component's model, as far as it is about its process.
pub(super) fn request<'a>(
    component: &Component,
    experiment: &Experiment,
    model: &'a str,
    base: &'a Path,
) -> ModelRequest<'a> {
    fn asked<T: Copy>(written: Option<&Spanned<T>>) -> Option<Asked<T>> {
        written.map(|written| Asked { value: written.value, span: written.span })
    }
    ModelRequest {
        isolate: asked(component.isolation.isolate.as_ref()),
        isolate_all: experiment.isolate,
        setup: component.setup,
        state: asked(component.isolation.state.as_ref()),
        conditions: conditions(component, experiment),
        ..ModelRequest::new(model, base)
    }
}

/// What the run does that the states of a component may depend on.
fn conditions(component: &Component, experiment: &Experiment) -> Conditions {
    let step = component.step.as_ref().or(experiment.step.as_ref());
    Conditions {
        start: Some(experiment.start.value),
        step: step.map(|step| step.value),
        tolerance: experiment.tolerance.as_ref().map(|tolerance| tolerance.value),
        event_mode: component.event_mode,
    }
}
