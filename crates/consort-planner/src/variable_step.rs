//! Steps of changing size: all components are tried together, and all go back together.

use consort_core::{ComponentId, Diagnostic, ModelDescription, Report};
use consort_system::{ResolvedSystem, Stage};

/// `advance` as it is, or as an attempt if steps change their size.
pub(crate) fn wrap(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    advance: Vec<Stage>,
    report: &mut Report,
) -> Vec<Stage> {
    if system.coupling.variable_step.is_none() || system.components.is_empty() {
        return advance;
    }
    check_rates(system, report);
    check_rollback(system, models, report);
    let components = (0..system.components.len()).map(ComponentId::from_index).collect();
    vec![Stage::Attempt { components, stages: advance }]
}

fn check_rates(system: &ResolvedSystem, report: &mut Report) {
    let first = &system.components[0];
    let Some(other) = system.components.iter().find(|other| other.period != first.period) else {
        return;
    };
    report.push(
        Diagnostic::error(
            "plan::variable-step-rates",
            format!(
                "steps of changing size need one step for all, but `{}` and `{}` have their own",
                first.name, other.name
            ),
        )
        .help("take `step` from the components, or `[experiment.variable-step]` from the system"),
    );
}

fn check_rollback(system: &ResolvedSystem, models: &[&ModelDescription], report: &mut Report) {
    let named = system.components.iter().zip(models);
    let stuck = named.filter(|(_, model)| !model.capabilities.save_state);
    let stuck: Vec<String> = stuck.map(|(component, _)| format!("`{}`", component.name)).collect();
    if !stuck.is_empty() {
        report.push(
            Diagnostic::error(
                "plan::cannot-roll-back",
                format!("steps cannot be taken back: {} cannot save its state", stuck.join(", ")),
            )
            .with_note("a step that is too coarse for one component is taken back by all")
            .help("take `[experiment.variable-step]` from the system, or replace the component"),
        );
    }
}
