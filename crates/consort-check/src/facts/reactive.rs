//! Which inputs are reactive.

use super::{Depends, Facts};
use consort_core::graph::Lists;
use consort_core::{ComponentId, VariableId};
use consort_system::{Operation, Order, Plan, Port, ResolvedConnection, Stage};

/// By number of a variable: a step needs its value at the end of the step.
///
/// The user says so, or in Gauss-Seidel order the plan itself: an input is reactive if all the steps
/// that its value waits for stand in earlier stages. Either way its value at the end of the step must
/// be attainable before the step: from components of the same period, over connections without delay.
/// Between components that are integrated as one nothing is: values there are continuous.
pub(super) fn inputs(facts: &Facts<'_>, plan: &Plan, order: Order) -> Vec<bool> {
    let mut marks = vec![false; facts.is_fed.len()];
    let is_said = facts.system.components.iter().any(|component| !component.reactive.is_empty());
    if order == Order::Jacobi || !(is_said || order == Order::GaussSeidel) {
        return marks;
    }
    let (targets, followers) = (targets(facts), Followers::of(facts));
    let positions = step_positions(facts, plan);
    let ready = match order {
        Order::GaussSeidel => ready_positions(facts, &targets, &followers, &positions),
        _ => Vec::new(),
    };
    let unattainable = unattainable(facts, &targets, &followers);
    for (component, resolved) in facts.system.components.iter().enumerate() {
        for &variable in facts.fed.of(component) {
            let number = facts.number(component, VariableId(variable));
            let mut sources = facts.wires.of(number).iter().map(|&it| wire_of(facts, it).from);
            let is_ready = |source: Port| {
                ready.get(facts.at(source)).is_some_and(|&ready| ready < positions[component])
            };
            let wanted =
                resolved.reactive.contains(&VariableId(variable)) || sources.clone().all(is_ready);
            marks[number] = wanted
                && is_attainable(facts, number, component)
                && sources.all(|source| !unattainable[facts.at(source)]);
        }
    }
    marks
}

fn wire_of<'a>(facts: &Facts<'a>, index: u32) -> &'a ResolvedConnection {
    &facts.system.connections[index as usize]
}

/// Whether all that feeds an input may hand on values of the next tag within `advance`.
fn is_attainable(facts: &Facts<'_>, number: usize, component: usize) -> bool {
    let wires = facts.wires.of(number);
    let same_rate = |&wire: &u32| {
        let wire = wire_of(facts, wire);
        let group = |id: ComponentId| facts.group[id.index()];
        let is_inner =
            group(wire.to.component) != 0 && group(wire.from.component) == group(wire.to.component);
        !wire.delay && !is_inner && facts.rate[wire.from.component.index()] == facts.rate[component]
    };
    !facts.has_table[number] && !wires.is_empty() && wires.iter().all(same_rate)
}

/// Variables whose value at the end of a step is not known before `present` of that tag, because
/// they follow at once what only that tag brings: tables, other rates, delayed connections.
fn unattainable(facts: &Facts<'_>, targets: &Lists, followers: &Followers) -> Vec<bool> {
    let mut asked = vec![false; facts.models.len()];
    let mut marks = vec![false; facts.is_fed.len()];
    let mut waiting: Vec<(usize, VariableId)> = Vec::new();
    for component in (0..facts.models.len()).filter(|&it| facts.at_once[it]) {
        let inputs = facts.fed.of(component).iter().map(|&variable| VariableId(variable));
        waiting.extend(inputs.map(|it| (component, it)).filter(|&(component, it)| {
            !is_attainable(facts, facts.number(component, it), component)
        }));
    }
    while let Some((component, input)) = waiting.pop() {
        for output in followers.take(facts, component, input, &mut asked) {
            let number = facts.number(component, output);
            if !std::mem::replace(&mut marks[number], true) {
                waiting.extend(fed_by(facts, targets, number));
            }
        }
    }
    marks
}

/// The used variables that follow the inputs of their component.
struct Followers {
    /// By number of an input: what follows it, among what does not follow all.
    by_input: Lists,
    /// By component: what follows all of its inputs.
    of_all: Lists,
}

impl Followers {
    fn of(facts: &Facts<'_>) -> Self {
        let (mut by_input, mut of_all) = (Vec::new(), Vec::new());
        for component in (0..facts.models.len()).filter(|&it| facts.at_once[it]) {
            let inputs = facts.models[component].variables.len();
            for &output in facts.used.of(component) {
                match facts.depends(component, VariableId(output)) {
                    Depends::All => of_all.push((super::id(component), output)),
                    Depends::These(list) => {
                        let known = list.iter().filter(|(input, _)| input.index() < inputs);
                        let number = |input| super::id(facts.number(component, input));
                        by_input.extend(known.map(|&(input, _)| (number(input), output)));
                    }
                }
            }
        }
        let by_input = Lists::new(facts.is_fed.len(), by_input);
        Followers { by_input, of_all: Lists::new(facts.models.len(), of_all) }
    }

    /// What follows an input; what follows all inputs only when its component is asked first, so
    /// that many inputs and many outputs do not make a product.
    fn take(
        &self,
        facts: &Facts<'_>,
        component: usize,
        input: VariableId,
        asked: &mut [bool],
    ) -> impl Iterator<Item = VariableId> {
        let is_first = !std::mem::replace(&mut asked[component], true);
        let all = if is_first { self.of_all.of(component) } else { &[] };
        let its_own = self.by_input.of(facts.number(component, input));
        its_own.iter().chain(all).map(|&output| VariableId(output))
    }
}

/// The inputs of components that answer at once which a variable feeds at the same tag.
fn fed_by(
    facts: &Facts<'_>,
    targets: &Lists,
    number: usize,
) -> impl Iterator<Item = (usize, VariableId)> {
    let wires = targets.of(number).iter().map(|&wire| wire_of(facts, wire));
    let wires = wires.filter(|wire| !wire.delay && facts.at_once[wire.to.component.index()]);
    wires.map(|wire| (wire.to.component.index(), wire.to.variable))
}

/// By number of a variable: the place of the last step that its value at the end of a step waits
/// for. Steps are looked at from the last one on, so that each variable is found by its own.
fn ready_positions(
    facts: &Facts<'_>,
    targets: &Lists,
    followers: &Followers,
    positions: &[u32],
) -> Vec<u32> {
    let mut asked = vec![false; facts.models.len()];
    let mut ready = vec![0; facts.is_fed.len()];
    let mut is_found = vec![false; facts.is_fed.len()];
    let mut components: Vec<usize> = (0..positions.len()).collect();
    components.sort_by_key(|&component| std::cmp::Reverse(positions[component]));
    for component in components {
        let used = facts.used.of(component).iter().map(|&it| VariableId(it));
        let mut waiting: Vec<(usize, VariableId)> = used.map(|it| (component, it)).collect();
        while let Some((at, variable)) = waiting.pop() {
            let number = facts.number(at, variable);
            if std::mem::replace(&mut is_found[number], true) {
                continue;
            }
            ready[number] = positions[component];
            for (to, input) in fed_by(facts, targets, number) {
                let outputs = followers.take(facts, to, input, &mut asked);
                waiting.extend(outputs.map(|output| (to, output)));
            }
        }
    }
    ready
}

/// Connections by the number of the variable they come from.
fn targets(facts: &Facts<'_>) -> Lists {
    let pairs = facts.system.connections.iter().enumerate();
    let pairs = pairs.map(|(index, wire)| (super::id(facts.at(wire.from)), super::id(index)));
    Lists::new(facts.is_fed.len(), pairs.collect())
}

/// The place of each component's step among the stages of `advance`. Those that step in one loop have
/// the same: where a loop is cut says nothing about who comes first. So has what is integrated as one and
/// what steps right before it: nothing moves between the two.
fn step_positions(facts: &Facts<'_>, plan: &Plan) -> Vec<u32> {
    let mut positions = vec![u32::MAX; facts.models.len()];
    let mut place = |id: &ComponentId, next: u32| {
        if let Some(position) = positions.get_mut(id.index()) {
            *position = (*position).min(next);
        }
    };
    let mut next = 0;
    // A list of what is still to be looked at, so that deep nesting costs no stack.
    let mut waiting: Vec<(&Stage, bool)> = Vec::new();
    waiting.extend(plan.advance.iter().rev().map(|stage| (stage, false)));
    while let Some((stage, in_loop)) = waiting.pop() {
        next += u32::from(!in_loop && !matches!(stage, Stage::Integrate(_)));
        match stage {
            Stage::Exchange(_) => {}
            Stage::Iterate(it) => waiting.extend(it.stages.iter().rev().map(|it| (it, true))),
            Stage::Attempt { stages, .. } => {
                waiting.extend(stages.iter().rev().map(|stage| (stage, in_loop)));
            }
            Stage::Work(tasks) => {
                let steps = tasks.iter().filter(|task| task.operations.contains(&Operation::Step));
                steps.for_each(|task| place(&task.component, next));
            }
            Stage::Integrate(it) => it.components.iter().for_each(|id| place(id, next)),
        }
    }
    positions
}

/// By component: which `integrate` of `advance` it is part of, counted from 1; 0 for none.
pub(super) fn groups(components: usize, plan: &Plan) -> Vec<u32> {
    let mut groups = vec![0; components];
    let mut found = 0;
    let mut waiting: Vec<&Stage> = plan.advance.iter().collect();
    while let Some(stage) = waiting.pop() {
        match stage {
            Stage::Exchange(_) | Stage::Work(_) => {}
            Stage::Iterate(it) => waiting.extend(&it.stages),
            Stage::Attempt { stages, .. } => waiting.extend(stages),
            Stage::Integrate(it) => {
                found += 1;
                for id in &it.components {
                    if let Some(group) = groups.get_mut(id.index()) {
                        *group = found;
                    }
                }
            }
        }
    }
    groups
}
