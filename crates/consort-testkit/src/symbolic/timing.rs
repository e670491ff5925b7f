//! What a plan decides about time: which inputs are reactive, and where loops are cut.

use super::facts::{Facts, Feeder};
use consort_core::VariableId;
use consort_system::{Operation, Order, Plan, Stage};

/// What a plan decides about the definition: which inputs are reactive where the order leaves that
/// open, and at which connections loops are cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Timing {
    /// By component and variable.
    pub(super) reactive: Vec<Vec<bool>>,
    /// Whether each connection is cut.
    pub(super) cut: Vec<bool>,
    /// Everything is read right after steps.
    pub(super) jacobi: bool,
}

impl Timing {
    pub(super) fn of(facts: &Facts<'_>, plan: &Plan) -> Self {
        let mut cut = vec![false; facts.system.connections.len()];
        cuts(&plan.present, &mut cut);
        cuts(&plan.advance, &mut cut);
        let jacobi = facts.system.coupling.order == Order::Jacobi;
        let mut positions = vec![None; facts.parts.len()];
        step_positions(&plan.advance, false, &mut 0, &mut positions);
        let reactive = (0..facts.parts.len()).map(|component| {
            let ids = (0..facts.models[component].variables.len()).map(VariableId::from_index);
            ids.map(|id| is_reactive(facts, &positions, component, id)).collect()
        });
        Timing { reactive: reactive.collect(), cut, jacobi }
    }
}

fn cuts(stages: &[Stage], cut: &mut [bool]) {
    for stage in stages {
        match stage {
            Stage::Iterate(it) => {
                it.unknowns.iter().for_each(|id| cut[id.index()] = true);
                cuts(&it.stages, cut);
            }
            Stage::Attempt { stages, .. } => cuts(stages, cut),
            Stage::Integrate(it) => cuts(&it.stages, cut),
            Stage::Exchange(_) | Stage::Work(_) => {}
        }
    }
}

/// In which stage each component steps first. Those that step in one loop step at once, wherever it
/// is cut.
fn step_positions(
    stages: &[Stage],
    in_loop: bool,
    next: &mut usize,
    positions: &mut [Option<usize>],
) {
    for stage in stages {
        *next += usize::from(!in_loop && !matches!(stage, Stage::Integrate(_)));
        match stage {
            Stage::Integrate(it) => {
                for component in &it.components {
                    positions[component.index()].get_or_insert(*next);
                }
            }
            Stage::Exchange(_) => {}
            Stage::Work(tasks) => {
                for task in tasks.iter().filter(|it| it.operations.contains(&Operation::Step)) {
                    positions[task.component.index()].get_or_insert(*next);
                }
            }
            Stage::Iterate(it) => step_positions(&it.stages, true, next, positions),
            Stage::Attempt { stages, .. } => step_positions(stages, in_loop, next, positions),
        }
    }
}

fn is_reactive(
    facts: &Facts<'_>,
    positions: &[Option<usize>],
    component: usize,
    id: VariableId,
) -> bool {
    let part = &facts.parts[component];
    let listed = facts.system.components[component].reactive.contains(&id);
    let steps_before = |other: usize| match (positions[other], positions[component]) {
        (Some(other), Some(own)) => other < own,
        _ => false,
    };
    let is_known_before = |source: usize| {
        let first = facts.first_slot(source);
        let mut others = (0..facts.parts.len()).filter(|it| facts.steps[first] >> it & 1 == 1);
        others.all(steps_before)
    };
    let is_wished = |feeder: Feeder| match (feeder, facts.system.coupling.order) {
        (_, Order::Jacobi) => false,
        (Feeder::Wire(_, source), Order::GaussSeidel) => listed || is_known_before(source as usize),
        (Feeder::Wire(..), Order::Derived) => listed,
        // An element that is not fed does not change, so it is as it will be.
        (Feeder::None | Feeder::Outside, _) => true,
    };
    part.fed.contains(&id)
        && !facts.late[part.elements(id).start]
        && part.elements(id).all(|slot| is_wished(facts.feeders[slot]))
}
