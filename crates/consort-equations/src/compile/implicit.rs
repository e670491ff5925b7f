//! States that equations determine: Newton's method, unrolled in the graph.
//!
//! Everything is lowered with the state's own register in the place of the solution. Then a few steps
//! from there, the solution to the last digits, are put in its place wherever it is used, so that neither
//! the drift of a solver nor a jump at an event stays. The state itself follows the solution by the
//! implicit function's derivative, -(dg/dz)^-1 (dg/dt + dg/dx dx/dt), and where a jump leads so far
//! away that the few steps do not arrive, an event of its own looks for the solution with many, damped ones.
//! Where there is none the derivative is no number, at which a solver stops.

use super::{Lowered, LoweredEvent};
use crate::differentiate::jacobian;
use crate::findings::Findings;
use crate::graph::{Graph, NodeId};
use crate::lower::Relation;
use crate::op::Op;
use crate::scope::{Scope, Symbol};
use crate::tree::{Event, Expression};
use std::collections::BTreeMap;

/// Steps wherever the solution is used: each doubles the digits that are right.
const STEPS: usize = 3;
/// Steps where it is looked for from afar.
const STEPS_FAR: usize = 24;
/// By how much a step from afar may be shortened; the first that makes residuals less is taken.
const LENGTHS: [f64; 5] = [1.0, 0.25, 0.0625, 0.00390625, 0.0000152587890625];
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
    findings: &mut Findings<'_>,
) {
    let layout = scope.layout();
    let register = |state: &usize| {
        u32::try_from(layout.first_state() + state).expect("the text's length limits registers")
    };
    let registers: Vec<u32> = scope.implicit.iter().map(register).collect();
    let graph = &mut lowered.graph;
    let systems = [running, first].map(|residuals| System::new(graph, &registers, residuals));
    let [Some(running), Some(first)] = systems else { return undetermined(scope, findings) };
    if NODES_MAX < running.nodes(graph).max(first.nodes(graph)) {
        return too_large(findings);
    }
    let solution = running.polish(graph);
    let columns: Vec<u32> = (0..layout.states).map(|state| register(&state)).collect();
    let rates = running.rates(graph, &columns, &lowered.derivatives);
    let [relations, kept] = [FOUND, LOST].map(|bounds| running.found(graph, &solution, bounds));
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
    let help = "every one of them must change with what it is to determine";
    findings.error("equations::undetermined", message, (span, "not determined"), help);
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

/// Looks for the solution anew when the few steps from the state do not lead to it.
fn add_event(lowered: &mut Lowered, scope: &Scope<'_>, system: &System, relations: Vec<Relation>) {
    let graph = &mut lowered.graph;
    let found = all(graph, &relations);
    let condition = graph.unary(Op::Not, found);
    let first = graph.constant(f64::INFINITY);
    let assignments = system.search(graph, &system.leaves).values;
    let targets = scope.implicit.iter().map(|state| Symbol::State(*state)).collect();
    lowered.relations.extend(relations);
    let priority = Some(first);
    lowered.events.push(LoweredEvent { condition, delay: None, priority, assignments, targets });
    let mut event = Event::new(Expression::boolean(false), Vec::new());
    event.name = "equations solved anew".into();
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

/// Residuals and their slopes, as nodes that use the registers of the states.
struct System {
    leaves: Vec<NodeId>,
    residuals: Vec<NodeId>,
    /// By rows.
    slopes: Vec<Vec<NodeId>>,
}

/// Where steps led, and the last one, which may be no number.
struct Solution {
    values: Vec<NodeId>,
    last: Vec<NodeId>,
}

impl System {
    /// `None` if the residuals cannot determine the states, whatever the values.
    fn new(graph: &mut Graph, registers: &[u32], residuals: &[NodeId]) -> Option<Self> {
        if residuals.len() != registers.len() {
            return None;
        }
        let zero = graph.constant(0.0);
        let leaves: Vec<NodeId> = registers.iter().map(|register| graph.leaf(*register)).collect();
        let mut slopes = vec![vec![zero; leaves.len()]; residuals.len()];
        for entry in jacobian(graph, residuals, registers) {
            slopes[entry.row][entry.column] = entry.node;
        }
        let system = System { leaves, residuals: residuals.to_vec(), slopes };
        solve(graph, &system.slopes, &system.residuals).map(|_| system)
    }

    /// How many operations it has.
    fn nodes(&self, graph: &Graph) -> usize {
        graph.reachable(&[&self.residuals[..], &self.slopes.concat()].concat()).len()
    }

    /// What stands for each state where it has these values.
    fn at(&self, values: &[NodeId]) -> BTreeMap<NodeId, NodeId> {
        self.leaves.iter().copied().zip(values.iter().copied()).collect()
    }

    /// Newton's correction at `values`.
    fn step(&self, graph: &mut Graph, values: &[NodeId]) -> Vec<NodeId> {
        let at = self.at(values);
        let residuals = graph.substitute(&self.residuals, &at);
        let slopes: Vec<Vec<NodeId>> =
            self.slopes.iter().map(|row| graph.substitute(row, &at)).collect();
        let negative: Vec<NodeId> =
            residuals.iter().map(|residual| graph.negative(*residual)).collect();
        let nothing = graph.constant(f64::NAN);
        solve(graph, &slopes, &negative).unwrap_or_else(|| vec![nothing; values.len()])
    }

    /// A few steps from the states; one that is no number is left out.
    fn polish(&self, graph: &mut Graph) -> Solution {
        let (mut values, mut last) = (self.leaves.clone(), Vec::new());
        let zero = graph.constant(0.0);
        for _ in 0..STEPS {
            last = self.step(graph, &values);
            let is_number = all_numbers(graph, &last);
            for (value, step) in values.iter_mut().zip(&last) {
                let step = graph.select(is_number, *step, zero);
                *value = graph.sum(*value, step);
            }
        }
        Solution { values, last }
    }

    /// Many steps from anywhere.
    fn search(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
        let mut values = from.to_vec();
        for _ in 0..STEPS_FAR {
            values = self.damped(graph, &values);
        }
        let last = self.step(graph, &values);
        Solution { values, last }
    }

    /// One step, as long as it makes the residuals less; where slopes are zero it leads a bit away, in a
    /// direction that treats no two states alike.
    fn damped(&self, graph: &mut Graph, values: &[NodeId]) -> Vec<NodeId> {
        let mut step = self.step(graph, values);
        let is_number = all_numbers(graph, &step);
        let one = graph.constant(1.0);
        let mut direction = one;
        for (step, value) in step.iter_mut().zip(values) {
            let size = graph.unary(Op::Abs, *value);
            let away = graph.sum(direction, size);
            direction = graph.sum(direction, one);
            *step = graph.select(is_number, *step, away);
        }
        let before = self.size(graph, values);
        let mut chosen: Option<Vec<NodeId>> = None;
        for length in LENGTHS.into_iter().rev() {
            let length = graph.constant(length);
            let moved: Vec<NodeId> = values
                .iter()
                .zip(&step)
                .map(|(value, step)| {
                    let part = graph.product(length, *step);
                    graph.sum(*value, part)
                })
                .collect();
            chosen = Some(match chosen {
                None => moved,
                Some(shorter) => {
                    let after = self.size(graph, &moved);
                    let better = graph.binary(Op::LessEqual, after, before);
                    let pairs = moved.iter().zip(shorter);
                    pairs.map(|(long, short)| graph.select(better, *long, short)).collect()
                }
            });
        }
        chosen.unwrap_or_default()
    }

    /// The sum of all residuals' absolute values.
    fn size(&self, graph: &mut Graph, values: &[NodeId]) -> NodeId {
        let residuals = graph.substitute(&self.residuals, &self.at(values));
        let zero = graph.constant(0.0);
        residuals.iter().fold(zero, |sum, residual| {
            let size = graph.unary(Op::Abs, *residual);
            graph.sum(sum, size)
        })
    }

    /// For each state, that the last step was small beside it.
    fn found(
        &self,
        graph: &mut Graph,
        solution: &Solution,
        [relative, absolute]: [f64; 2],
    ) -> Vec<Relation> {
        let (relative, absolute) = (graph.constant(relative), graph.constant(absolute));
        let mut relations = Vec::with_capacity(self.leaves.len());
        for (value, last) in solution.values.iter().zip(&solution.last) {
            let (size, step) = (graph.unary(Op::Abs, *value), graph.unary(Op::Abs, *last));
            let share = graph.product(relative, size);
            let sides = [step, graph.sum(share, absolute)];
            let node = graph.binary(Op::LessEqual, sides[0], sides[1]);
            relations.push(Relation { node, sides, op: Op::LessEqual, span: None });
        }
        relations
    }

    /// How fast the solution changes where the other states change as they do.
    fn rates(&self, graph: &mut Graph, columns: &[u32], velocities: &[NodeId]) -> Vec<NodeId> {
        let one = graph.constant(1.0);
        let mut change = vec![graph.constant(0.0); self.residuals.len()];
        let columns: Vec<u32> = [0].into_iter().chain(columns.iter().copied()).collect();
        for entry in jacobian(graph, &self.residuals, &columns) {
            if self.leaves.contains(&graph.leaf(columns[entry.column])) {
                continue;
            }
            let velocity = if entry.column == 0 { one } else { velocities[entry.column - 1] };
            let part = graph.product(entry.node, velocity);
            change[entry.row] = graph.sum(change[entry.row], part);
        }
        let negative: Vec<NodeId> = change.iter().map(|part| graph.negative(*part)).collect();
        solve(graph, &self.slopes, &negative).expect("was solved before")
    }
}

fn all_numbers(graph: &mut Graph, values: &[NodeId]) -> NodeId {
    let greatest = graph.constant(f64::MAX);
    let one = graph.constant(1.0);
    values.iter().fold(one, |all, value| {
        let size = graph.unary(Op::Abs, *value);
        let is_number = graph.binary(Op::LessEqual, size, greatest);
        if graph.is(all, 1.0) { is_number } else { graph.binary(Op::And, all, is_number) }
    })
}

/// Solves linear equations by elimination; of each column the greatest entry leads.
///
/// `None` if a column is zero whatever the values.
fn solve(graph: &mut Graph, rows: &[Vec<NodeId>], right: &[NodeId]) -> Option<Vec<NodeId>> {
    let count = right.len();
    let with_right = |(row, right): (&Vec<NodeId>, &NodeId)| [&row[..], &[*right]].concat();
    let mut rows: Vec<Vec<NodeId>> = rows.iter().zip(right).map(with_right).collect();
    for lead in 0..count {
        for below in lead + 1..count {
            swap(graph, &mut rows, lead, below);
        }
        if graph.is(rows[lead][lead], 0.0) {
            return None;
        }
        let (above, under) = rows.split_at_mut(lead + 1);
        under.iter_mut().for_each(|row| eliminate(graph, &above[lead], row, lead));
    }
    let mut solution = vec![graph.constant(0.0); count];
    for row in (0..count).rev() {
        let mut sum = rows[row][count];
        for column in row + 1..count {
            let part = graph.product(rows[row][column], solution[column]);
            sum = graph.difference(sum, part);
        }
        solution[row] = graph.ratio(sum, rows[row][row]);
    }
    Some(solution)
}

/// Takes as much of the leading row off another that its entry in the leading column is zero.
fn eliminate(graph: &mut Graph, leading: &[NodeId], row: &mut [NodeId], lead: usize) {
    let factor = graph.ratio(row[lead], leading[lead]);
    for (entry, above) in row.iter_mut().zip(leading).skip(lead + 1) {
        let part = graph.product(factor, *above);
        *entry = graph.difference(*entry, part);
    }
}

/// Swaps two rows where the lower one has the greater entry in the leading column.
fn swap(graph: &mut Graph, rows: &mut [Vec<NodeId>], lead: usize, below: usize) {
    if graph.is(rows[below][lead], 0.0) {
        return;
    }
    if graph.is(rows[lead][lead], 0.0) {
        rows.swap(lead, below);
        return;
    }
    let sizes = [lead, below].map(|row| graph.unary(Op::Abs, rows[row][lead]));
    let is_less = graph.binary(Op::Less, sizes[0], sizes[1]);
    for column in lead..rows[lead].len() {
        let (above, under) = (rows[lead][column], rows[below][column]);
        rows[lead][column] = graph.select(is_less, under, above);
        rows[below][column] = graph.select(is_less, above, under);
    }
}
