//! What holds for every plan.

use crate::support::{Follows, Sketch, These, Unsaid};
use consort_core::{ComponentId, ConnectionId, Refresh, VariableId};
use consort_system::{Operation, Order, Plan, Stage};
use proptest::prelude::{
    Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};

/// What a random component is: which outputs follow which inputs, how it refreshes, its period.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// For each of two outputs: nothing, the first input, all, or nothing said.
    follows: [u8; 2],
    by_step: bool,
    pub(crate) period: i64,
    reactive: bool,
}

pub(crate) fn part() -> impl Strategy<Value = Part> {
    let period = prop_oneof![Just(1), Just(1), Just(2), Just(3)];
    ([0u8..4, 0u8..4], any::<bool>(), period, prop::bool::weighted(0.2)).prop_map(
        |(follows, by_step, period, reactive)| Part { follows, by_step, period, reactive },
    )
}

/// A wire between two of the parts: source, output, target, delayed. Each input has at most one.
pub(crate) type Wire = (usize, usize, usize, bool);

pub(crate) fn sketch(parts: &[Part], wires: &[Wire], order: Order) -> Sketch {
    let mut sketch = Sketch::new();
    for (index, part) in parts.iter().enumerate() {
        let follows = |kind: u8| -> Follows<'static> {
            match kind {
                0 => These(&[]),
                1 => These(&["u"]),
                2 => These(&["u", "v"]),
                _ => Unsaid,
            }
        };
        let outputs = [("y", follows(part.follows[0])), ("z", follows(part.follows[1]))];
        sketch = sketch.part(&format!("c{index}"), &["u", "v"], &outputs).every(part.period);
        if part.by_step {
            sketch.last().capabilities.refresh = Refresh::ByStep;
        }
    }
    let mut taken = Vec::new();
    for &(from, output, to, delay) in wires {
        let (from, input) = (from % parts.len(), to % (2 * parts.len()));
        if !taken.contains(&input) {
            taken.push(input);
            let from = format!("c{from}.{}", ["y", "z"][output % 2]);
            let to = format!("c{}.{}", input / 2, ["u", "v"][input % 2]);
            sketch = if delay { sketch.delayed_wire(&from, &to) } else { sketch.wire(&from, &to) };
        }
    }
    for (index, _) in parts.iter().enumerate().filter(|(_, part)| part.reactive) {
        sketch = sketch.reactive(&format!("c{index}.u"));
    }
    sketch.order(order).iterated()
}

/// Every stage that is no loop, in order, loops unfolded once.
fn flat<'a>(stages: &'a [Stage], into: &mut Vec<&'a Stage>) {
    for stage in stages {
        match stage {
            Stage::Iterate(it) => flat(&it.stages, into),
            Stage::Attempt { stages, .. } => flat(stages, into),
            Stage::Integrate(it) => flat(&it.stages, into),
            Stage::Exchange(_) | Stage::Work(_) => into.push(stage),
        }
    }
}

fn exchanged(stages: &[Stage]) -> Vec<ConnectionId> {
    let mut list = Vec::new();
    flat(stages, &mut list);
    let exchanges = list.into_iter().filter_map(|stage| match stage {
        Stage::Exchange(wires) => Some(wires.clone()),
        _ => None,
    });
    let mut all: Vec<ConnectionId> = exchanges.flatten().collect();
    all.sort_unstable();
    all
}

fn operations(stages: &[Stage]) -> Vec<(ComponentId, Operation)> {
    let mut list = Vec::new();
    flat(stages, &mut list);
    let tasks = list.into_iter().filter_map(|stage| match stage {
        Stage::Work(tasks) => Some(tasks),
        _ => None,
    });
    let each = tasks.flatten().flat_map(|task| {
        task.operations.iter().map(|operation| (task.component, operation.clone()))
    });
    each.collect()
}

/// How often each component steps.
fn steps(plan: &Plan) -> Vec<ComponentId> {
    let steps = operations(&plan.advance).into_iter();
    let steps = steps.filter(|(_, operation)| *operation == Operation::Step);
    let mut steps: Vec<ComponentId> = steps.map(|(component, _)| component).collect();
    steps.sort_unstable();
    steps
}

/// Variables of one kind of operation, sorted.
fn named(
    list: &[(ComponentId, Operation)],
    pick: fn(&Operation) -> Option<&Vec<VariableId>>,
) -> Vec<(ComponentId, VariableId)> {
    let picked = list.iter().filter_map(|(component, it)| Some((*component, pick(it)?)));
    let mut all: Vec<_> =
        picked.flat_map(|(component, list)| list.iter().map(move |&id| (component, id))).collect();
    all.sort_unstable();
    all
}

fn sets(operation: &Operation) -> Option<&Vec<VariableId>> {
    if let Operation::Set(list) = operation { Some(list) } else { None }
}

fn gets(operation: &Operation) -> Option<&Vec<VariableId>> {
    if let Operation::Get(list) = operation { Some(list) } else { None }
}

/// The operations before each component's step.
fn before_steps(list: &[(ComponentId, Operation)]) -> Vec<(ComponentId, Operation)> {
    let kept = list
        .iter()
        .enumerate()
        .filter(|(index, (component, _))| !list[..*index].contains(&(*component, Operation::Step)));
    kept.map(|(_, entry)| entry.clone()).collect()
}

proptest! {
    #[test]
    fn every_plan_moves_sets_reads_and_steps_everything(
        parts in prop::collection::vec(part(), 1..8),
        wires in prop::collection::vec((0usize..8, 0usize..2, 0usize..16, any::<bool>()), 0..16),
        order in prop_oneof![Just(Order::Derived), Just(Order::GaussSeidel), Just(Order::Jacobi)],
    ) {
        let sketch = sketch(&parts, &wires, order);
        let (plan, report) = sketch.plan();
        prop_assert!(plan.is_some(), "{:?}", report.diagnostics());
        let plan = plan.expect("just looked at");
        let all: Vec<ConnectionId> =
            (0..sketch.system.connections.len()).map(ConnectionId::from_index).collect();
        prop_assert_eq!(exchanged(&plan.present), all, "each connection once");
        let components: Vec<ComponentId> = (0..parts.len()).map(ComponentId::from_index).collect();
        prop_assert_eq!(&steps(&plan), &components, "each component once");

        let (present, advance) = (operations(&plan.present), operations(&plan.advance));
        let mut given = named(&present, sets);
        given.extend(named(&before_steps(&advance), sets));
        given.sort_unstable();
        let mut fed: Vec<(ComponentId, VariableId)> =
            sketch.system.connections.iter().map(|it| (it.to.component, it.to.variable)).collect();
        fed.sort_unstable();
        prop_assert_eq!(given, fed, "each input that is fed is given once before its step");

        let mut read = named(&present, gets);
        read.extend(named(&advance, gets));
        read.sort_unstable();
        let count = read.len();
        read.dedup();
        prop_assert_eq!((count, read.len()), (2 * parts.len(), 2 * parts.len()), "each output once");
        for component in components.iter().filter(|it| parts[it.index()].by_step) {
            let touched = present.iter().any(|(other, _)| other == component);
            prop_assert!(!touched, "by-step components rest at the tag");
        }
        // Explaining never fails, and what it says is consistent.
        let explanation = sketch.explain();
        prop_assert_eq!(explanation.step_order.concat().len(), parts.len());
    }
}
