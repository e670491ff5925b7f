//! Steps of changing size: who can save its state is tried together and goes back together; the others wait
//! until those agree, and step once.

use consort_core::{ComponentId, Diagnostic, ModelDescription, Report};
use consort_system::{Operation, Order, ResolvedSystem, Stage, Task};

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
    let ids = (0..system.components.len()).map(ComponentId::from_index);
    let (saved, waiting): (Vec<ComponentId>, Vec<ComponentId>) =
        ids.partition(|id| models[id.index()].capabilities.save_state);
    let stuck = waiting.iter().filter_map(|&id| Some((id, obstacle(system, &advance, id)?)));
    let stuck: Vec<(ComponentId, &str)> = stuck.collect();
    if let Some((_, why)) = stuck.first() {
        report.push(no_way_back(system, &stuck, why));
    }
    let (stages, after) = split(advance, &waiting);
    let mut advance = vec![Stage::Attempt { components: saved, stages }];
    advance.extend(after);
    advance
}

/// Takes the tasks of some components out; they follow in the order they had.
fn split(advance: Vec<Stage>, waiting: &[ComponentId]) -> (Vec<Stage>, Vec<Stage>) {
    let (mut stages, mut after) = (Vec::new(), Vec::new());
    for stage in advance {
        let Stage::Work(tasks) = stage else {
            stages.push(stage);
            continue;
        };
        let is_waiting = |task: &Task| waiting.contains(&task.component);
        let (late, early): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(is_waiting);
        stages.extend((!early.is_empty()).then_some(Stage::Work(early)));
        after.extend((!late.is_empty()).then_some(Stage::Work(late)));
    }
    (stages, after)
}

/// Why a component that cannot save its state cannot wait for the others.
fn obstacle(
    system: &ResolvedSystem,
    advance: &[Stage],
    component: ComponentId,
) -> Option<&'static str> {
    let coupling = &system.coupling;
    if coupling.variable_step.is_some_and(|step| step.tolerances.is_some()) {
        return Some("to know its error, each step is taken a second time in two halves");
    }
    if coupling.order == Order::GaussSeidel {
        return Some("in the order `gauss-seidel` who steps last is given values of the next tag");
    }
    if coupling.constrained().any(|port| port.component == component) {
        return Some("a constraint depends on it, so its step may have to be shorter");
    }
    if advance.iter().any(|stage| is_needed(system, stage, component)) {
        return Some("others wait for the end of its step");
    }
    let is_late = coupling.constrained().any(|it| !is_read(advance, it.component, it.variable));
    is_late.then_some("a constraint depends on what follows inputs at once")
}

/// Whether a stage needs what a component computes in it, or repeats it.
fn is_needed(system: &ResolvedSystem, stage: &Stage, component: ComponentId) -> bool {
    match stage {
        Stage::Exchange(wires) => {
            wires.iter().any(|wire| system.connections[wire.index()].from.component == component)
        }
        Stage::Work(_) => false,
        Stage::Iterate(it) => {
            it.rollback.contains(&component)
                || it.stages.iter().any(|stage| works(stage, component))
        }
        Stage::Attempt { stages, .. } => stages.iter().any(|it| is_needed(system, it, component)),
        Stage::Integrate(it) => it.components.contains(&component),
    }
}

fn works(stage: &Stage, component: ComponentId) -> bool {
    match stage {
        Stage::Work(tasks) => tasks.iter().any(|task| task.component == component),
        _ => true,
    }
}

/// Whether a variable is read on the way to the next tag.
fn is_read(stages: &[Stage], component: ComponentId, variable: consort_core::VariableId) -> bool {
    let reads = |operation: &Operation| matches!(operation, Operation::Get(list) if list.contains(&variable));
    stages.iter().any(|stage| match stage {
        Stage::Work(tasks) => {
            tasks.iter().any(|it| it.component == component && it.operations.iter().any(reads))
        }
        Stage::Iterate(it) => is_read(&it.stages, component, variable),
        Stage::Attempt { stages, .. } => is_read(stages, component, variable),
        Stage::Exchange(_) | Stage::Integrate(_) => false,
    })
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

fn no_way_back(system: &ResolvedSystem, stuck: &[(ComponentId, &str)], why: &str) -> Diagnostic {
    let name = |(id, _): &(ComponentId, &str)| format!("`{}`", system.components[id.index()].name);
    let names: Vec<String> = stuck.iter().map(name).collect();
    Diagnostic::error(
        "plan::cannot-roll-back",
        format!("steps cannot be taken back: {} cannot save its state", names.join(", ")),
    )
    .with_note(why)
    .help(
        "write `error-control = false` in `[experiment.variable-step]` and `order = \"derived\"`, take \
         variable steps from the system, or replace the component",
    )
}
