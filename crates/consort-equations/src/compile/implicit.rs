//! States that equations determine: Newton's method, unrolled in the graph.
//!
//! Everything is lowered with the state's own register in the place of the solution. Then a few steps
//! from there, the solution to the last digits, are put in its place wherever it is used, so that neither
//! the drift of a solver nor a jump at an event stays. The state itself follows the solution by the
//! implicit function's derivative, -(dg/dz)^-1 (dg/dt + dg/dx dx/dt), and where a jump leads so far
//! away that the few steps do not arrive, an event of its own looks for the solution with many, damped ones.
//! Where there is none the derivative is no number, at which a solver stops.
//!
//! Residuals that are rates of their states ([`Implicit::flows`](crate::tree::Implicit)) may have several
//! solutions, of which the one counts to which the states would flow: far away it is looked for along the flow,
//! and one that the flow would leave is none.

mod flow;
mod linear;
mod newton;
mod stability;

use super::{Lowered, LoweredEvent};
use crate::equations::SOLVED_ANEW;
use crate::findings::Findings;
use crate::graph::{Graph, NodeId};
use crate::lower::Relation;
use crate::op::Op;
use crate::scope::{Scope, Symbol};
use crate::tree::{Event, Expression};
use newton::System;
use std::collections::BTreeMap;

/// How many states are determined together, at most.
const TOGETHER_MAX: usize = 6;
/// How many operations residuals and their slopes may have, as each step has them all.
const NODES_MAX: usize = 5_000;
/// The last correction, relative and absolute, of a solution that was found.
const FOUND: [f64; 2] = [1e-6, 1e-12];
/// The last correction beyond which there is no solution.
const LOST: [f64; 2] = [1e-2, 1e-9];

/// Puts solutions where the states of `scope.implicit` are used; residuals are given for a running
/// model and for its start.
pub(super) fn resolve(
    lowered: &mut Lowered,
    scope: &Scope<'_>,
    [running, first]: [&[NodeId]; 2],
    flows: usize,
    findings: &mut Findings<'_>,
) {
    let layout = scope.layout();
    let register = |state: &usize| {
        u32::try_from(layout.first_state() + state).expect("the text's length limits registers")
    };
    let registers: Vec<u32> = scope.implicit.iter().map(register).collect();
    let graph = &mut lowered.graph;
    let systems =
        [running, first].map(|residuals| System::new(graph, &registers, residuals, flows));
    let [Some(running), Some(first)] = systems else { return undetermined(scope, findings) };
    let together = running.components(graph).into_iter().find(|part| TOGETHER_MAX < part.len());
    if let Some(together) = together {
        return too_many(scope, &together, findings);
    }
    if NODES_MAX < running.nodes(graph).max(first.nodes(graph)) {
        return too_large(findings);
    }
    let solution = running.polish(graph, &running.leaves);
    let columns: Vec<u32> = (0..layout.states).map(|state| register(&state)).collect();
    let scales = scales(lowered, scope);
    let graph = &mut lowered.graph;
    let rates = running.rates(graph, &columns, &lowered.derivatives);
    let [mut relations, kept] = [FOUND, LOST].map(|bounds| running.found(graph, &solution, bounds));
    if 0 < flows {
        relations.push(running.stable(graph, &solution.values));
        relations.extend(running.near(graph, &solution.values, &scales));
    }
    for (state, rate) in scope.implicit.iter().zip(rates) {
        lowered.derivatives[*state] = rate;
    }
    replace(lowered, &running.at(&solution.values));
    let graph = &mut lowered.graph;
    let kept = all(graph, &kept);
    for state in &scope.implicit {
        let rate = lowered.derivatives[*state];
        let nothing = graph.constant(f64::NAN);
        lowered.derivatives[*state] = graph.select(kept, rate, nothing);
    }
    if 0 < flows {
        settle(lowered, scope, &solution.values);
    }
    add_event(lowered, scope, &running, relations);
    start(lowered, scope, &first);
}

fn undetermined(scope: &Scope<'_>, findings: &mut Findings<'_>) {
    let names: Vec<String> = scope
        .implicit
        .iter()
        .map(|state| format!("`{}`", scope.states[*state].name.text))
        .collect();
    let message = format!("the equations do not determine {}", names.join(", "));
    let span = scope.implicit.first().and_then(|state| scope.states[*state].name.span);
    let help = "one equation per variable is needed, and it must depend on that variable";
    findings.error("equations::undetermined", message, (span, "not determined"), help);
}

fn too_many(scope: &Scope<'_>, together: &[usize], findings: &mut Findings<'_>) {
    let count = together.len();
    let message = format!("{count} equations are to be solved together, which is not supported");
    let span = scope.states[scope.implicit[together[TOGETHER_MAX]]].name.span;
    let help =
        format!("at most {TOGETHER_MAX} that need each other are; solve some of them by hand");
    findings.error("equations::too-many", message, (span, "one more"), help);
}

fn too_large(findings: &mut Findings<'_>) {
    let message = format!("equations to be solved together have more than {NODES_MAX} operations");
    let help = "solve some of them by hand";
    findings.error("equations::too-large", message, (None, "too many"), help);
}

/// Puts nodes in the place of others in everything that is computed while a model runs.
fn replace(lowered: &mut Lowered, replaced: &BTreeMap<NodeId, NodeId>) {
    let mut places: Vec<&mut NodeId> = Vec::new();
    places.extend(lowered.derivatives.iter_mut().chain(&mut lowered.assigned));
    for event in &mut lowered.events {
        places.push(&mut event.condition);
        places.extend(event.delay.iter_mut().chain(&mut event.priority));
        places.extend(&mut event.assignments);
    }
    for Relation { node, sides: [left, right], .. } in &mut lowered.relations {
        places.extend([node, left, right]);
    }
    for (value, duration) in &mut lowered.remembered {
        places.extend([value, duration]);
    }
    let old: Vec<NodeId> = places.iter().map(|place| **place).collect();
    let new = lowered.graph.substitute(&old, replaced);
    for (place, node) in places.into_iter().zip(new) {
        *place = node;
    }
}

/// How large each of the states typically is, where that is known beforehand.
fn scales(lowered: &Lowered, scope: &Scope<'_>) -> Vec<Option<f64>> {
    let scale = |state: &usize| {
        let known = lowered.scales.iter().find(|(scaled, _)| scaled == state);
        known.and_then(|(_, node)| lowered.graph.value(*node)).filter(|scale| 0.0 < *scale)
    };
    scope.implicit.iter().map(scale).collect()
}

/// Lets events that happen at once keep what was moved until then: from there it flows on.
fn settle(lowered: &mut Lowered, scope: &Scope<'_>, solution: &[NodeId]) {
    for event in lowered.events.iter_mut().filter(|event| event.delay.is_none()) {
        event.targets.extend(scope.implicit.iter().map(|state| Symbol::State(*state)));
        event.assignments.extend(solution);
    }
}

/// Looks for the solution anew when the few steps from the state do not lead to it.
fn add_event(lowered: &mut Lowered, scope: &Scope<'_>, system: &System, relations: Vec<Relation>) {
    let graph = &mut lowered.graph;
    let found = all(graph, &relations);
    let condition = graph.unary(Op::Not, found);
    let first = graph.constant(f64::INFINITY);
    let assignments = system.anew(graph);
    let targets = scope.implicit.iter().map(|state| Symbol::State(*state)).collect();
    lowered.relations.extend(relations);
    let priority = Some(first);
    lowered.events.push(LoweredEvent { condition, delay: None, priority, assignments, targets });
    let mut event = Event::new(Expression::boolean(false), Vec::new());
    event.name = SOLVED_ANEW.into();
    lowered.added.push(event);
}

/// Looks for the first solution, and puts it in the place of the states in all first values.
fn start(lowered: &mut Lowered, scope: &Scope<'_>, system: &System) {
    let graph = &mut lowered.graph;
    let guesses: Vec<NodeId> = scope.implicit.iter().map(|state| lowered.initial[*state]).collect();
    let one = graph.constant(1.0);
    // A guess that needs what is looked for is as good with any number.
    let guesses = graph.substitute(&guesses, &system.at(&vec![one; guesses.len()]));
    let solution = system.search(graph, &guesses);
    let kept = system.found(graph, &solution, LOST);
    let kept = all(graph, &kept);
    let nothing = graph.constant(f64::NAN);
    let solved = system.at(&solution.values);
    lowered.initial = graph.substitute(&lowered.initial, &solved);
    for (_, scale) in &mut lowered.scales {
        *scale = graph.substitute(&[*scale], &solved)[0];
    }
    for (state, value) in scope.implicit.iter().zip(&solution.values) {
        lowered.initial[*state] = graph.select(kept, *value, nothing);
    }
}

fn all(graph: &mut Graph, relations: &[Relation]) -> NodeId {
    let one = graph.constant(1.0);
    relations.iter().fold(one, |all, relation| {
        if graph.is(all, 1.0) { relation.node } else { graph.binary(Op::And, all, relation.node) }
    })
}
