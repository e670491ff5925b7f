//! Newton's method, unrolled in the graph.

use super::linear::solve;
use super::stability::Blocks;
use crate::differentiate::jacobian;
use crate::graph::{Graph, Node, NodeId};
use crate::lower::Relation;
use crate::op::Op;
use std::collections::BTreeMap;

/// Steps wherever the solution is used: each doubles the digits that are right.
const STEPS: usize = 3;
/// Steps where it is looked for from afar.
const STEPS_FAR: usize = 24;
/// By how much a step from afar may be shortened; the first that makes residuals less is taken.
const LENGTHS: [f64; 5] = [1.0, 0.25, 0.0625, 0.00390625, 0.0000152587890625];

/// Taken off the slope of a flow by its own state: nothing beside a slope, and where there is none what is at
/// rest stays where it is.
const HELD: f64 = 1e-200;
/// Rates beyond are those of a flow that is held: it does not follow what changes, it jumps later.
const RATE_MAX: f64 = 1e100;

/// Residuals and their slopes, as nodes that use the registers of the states.
pub(super) struct System {
    pub(super) leaves: Vec<NodeId>,
    pub(super) residuals: Vec<NodeId>,
    /// The Jacobian, row by row.
    pub(super) slopes: Vec<Vec<NodeId>>,
    /// Which residuals are rates at which their states flow until these are zero.
    pub(super) is_flow: Vec<bool>,
}

/// Where steps led, and the last one, which may be no number.
pub(super) struct Solution {
    pub(super) values: Vec<NodeId>,
    last: Vec<NodeId>,
}

impl System {
    /// The last `flows` residuals are flows. `None` if the residuals cannot determine the states,
    /// whatever the values.
    pub(super) fn new(
        graph: &mut Graph,
        registers: &[u32],
        residuals: &[NodeId],
        flows: usize,
    ) -> Option<Self> {
        if residuals.len() != registers.len() {
            return None;
        }
        let zero = graph.constant(0.0);
        let leaves: Vec<NodeId> = registers.iter().map(|register| graph.leaf(*register)).collect();
        let mut slopes = vec![vec![zero; leaves.len()]; residuals.len()];
        for entry in jacobian(graph, residuals, registers) {
            slopes[entry.row][entry.column] = entry.node;
        }
        let first_flow = residuals.len() - flows;
        for row in first_flow..residuals.len() {
            let is_steady = slopes[row].iter().all(|slope| graph.is(*slope, 0.0));
            if is_steady && !is_zero(graph, residuals[row]) {
                return None;
            }
            let held = graph.constant(HELD);
            slopes[row][row] = graph.difference(slopes[row][row], held);
        }
        let is_flow = (0..residuals.len()).map(|row| first_flow <= row).collect();
        let system = System { leaves, residuals: residuals.to_vec(), slopes, is_flow };
        solve(graph, &system.slopes, &system.residuals).map(|_| system)
    }

    /// The states `members` alone.
    fn part(&self, members: &[usize]) -> System {
        let pick = |nodes: &[NodeId]| members.iter().map(|member| nodes[*member]).collect();
        System {
            leaves: pick(&self.leaves),
            residuals: pick(&self.residuals),
            slopes: members.iter().map(|row| pick(&self.slopes[*row])).collect(),
            is_flow: members.iter().map(|member| self.is_flow[*member]).collect(),
        }
    }

    /// How many operations it has.
    pub(super) fn nodes(&self, graph: &Graph) -> usize {
        graph.reachable(&[&self.residuals[..], &self.slopes.concat()].concat()).len()
    }

    /// What stands for each state where it has these values.
    pub(super) fn at(&self, values: &[NodeId]) -> BTreeMap<NodeId, NodeId> {
        self.leaves.iter().copied().zip(values.iter().copied()).collect()
    }

    /// Residuals at `values`.
    pub(super) fn residuals_at(&self, graph: &mut Graph, values: &[NodeId]) -> Vec<NodeId> {
        graph.substitute(&self.residuals, &self.at(values))
    }

    /// The Jacobian at `values`.
    pub(super) fn slopes_at(&self, graph: &mut Graph, values: &[NodeId]) -> Vec<Vec<NodeId>> {
        let at = self.at(values);
        self.slopes.iter().map(|row| graph.substitute(row, &at)).collect()
    }

    /// Newton's correction at `values`.
    fn step(&self, graph: &mut Graph, values: &[NodeId]) -> Vec<NodeId> {
        let residuals = self.residuals_at(graph, values);
        let slopes = self.slopes_at(graph, values);
        correction(graph, &slopes, &residuals)
    }

    /// A few steps from anywhere near; one that is no number is left out.
    pub(super) fn polish(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
        let (mut values, mut last) = (from.to_vec(), Vec::new());
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

    /// Many steps from anywhere: along the flow, if there is one.
    pub(super) fn search(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
        if !self.is_flow.contains(&true) {
            return self.search_still(graph, from);
        }
        let mut solution = Solution { values: from.to_vec(), last: from.to_vec() };
        for members in self.components(graph) {
            let from: Vec<NodeId> = members.iter().map(|member| from[*member]).collect();
            let part = self.part(&members);
            let found = if part.is_flow.contains(&true) {
                part.search_flow(graph, &from)
            } else {
                part.search_still(graph, &from)
            };
            for (at, member) in members.into_iter().enumerate() {
                solution.values[member] = found.values[at];
                solution.last[member] = found.last[at];
            }
        }
        solution
    }

    /// The equilibrium to which the flow leads, and the step of Newton's method where it ended, which is
    /// no number if the flow would leave it.
    fn search_flow(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
        let rules: Vec<usize> = (0..from.len()).filter(|row| !self.is_flow[*row]).collect();
        let mut start = from.to_vec();
        if !rules.is_empty() {
            let guesses: Vec<NodeId> = rules.iter().map(|rule| from[*rule]).collect();
            let found = self.part(&rules).search_still(graph, &guesses);
            for (rule, value) in rules.iter().zip(found.values) {
                start[*rule] = value;
            }
        }
        let end = self.follow(graph, &start);
        let values = self.polish(graph, &end).values;
        let is_stable = self.stable(graph, &values).node;
        let nothing = graph.constant(f64::NAN);
        let last = self.step(graph, &end);
        let last = last.into_iter().map(|step| graph.select(is_stable, step, nothing)).collect();
        Solution { values, last }
    }

    /// States that need each other, together.
    pub(super) fn components(&self, graph: &Graph) -> Vec<Vec<usize>> {
        let touches = |row: usize, column: usize| {
            let entries = [self.slopes[row][column], self.slopes[column][row]];
            entries.iter().any(|slope| !graph.is(*slope, 0.0))
        };
        Blocks::of(self.leaves.len(), touches)
    }

    /// The solution after many damped steps.
    fn search_still(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
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
        let residuals = self.residuals_at(graph, values);
        total(graph, &residuals)
    }

    /// For each state, that the last step was small beside it.
    pub(super) fn found(
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
    pub(super) fn rates(
        &self,
        graph: &mut Graph,
        columns: &[u32],
        velocities: &[NodeId],
    ) -> Vec<NodeId> {
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
        let mut rates = solve(graph, &self.slopes, &negative).expect("was solved before");
        let [greatest, rest] = [RATE_MAX, 0.0].map(|value| graph.constant(value));
        for (rate, _) in rates.iter_mut().zip(&self.is_flow).filter(|(_, is_flow)| **is_flow) {
            let size = graph.unary(Op::Abs, *rate);
            let follows = graph.binary(Op::LessEqual, size, greatest);
            *rate = graph.select(follows, *rate, rest);
        }
        rates
    }
}

/// Whether a residual is zero whatever the values, by a factor.
fn is_zero(graph: &Graph, residual: NodeId) -> bool {
    let is_product = matches!(graph.node(residual), Node::Apply(Op::Mul, _));
    graph.is(residual, 0.0)
        || is_product && graph.operands(residual).any(|factor| is_zero(graph, factor))
}

/// The step to where residuals with these slopes are zero.
pub(super) fn correction(
    graph: &mut Graph,
    slopes: &[Vec<NodeId>],
    residuals: &[NodeId],
) -> Vec<NodeId> {
    let negative: Vec<NodeId> = residuals.iter().map(|part| graph.negative(*part)).collect();
    let nothing = graph.constant(f64::NAN);
    solve(graph, slopes, &negative).unwrap_or_else(|| vec![nothing; residuals.len()])
}

/// The sum of absolute values.
pub(super) fn total(graph: &mut Graph, values: &[NodeId]) -> NodeId {
    let zero = graph.constant(0.0);
    values.iter().fold(zero, |sum, value| {
        let size = graph.unary(Op::Abs, *value);
        graph.sum(sum, size)
    })
}

pub(super) fn all_numbers(graph: &mut Graph, values: &[NodeId]) -> NodeId {
    let greatest = graph.constant(f64::MAX);
    let one = graph.constant(1.0);
    values.iter().fold(one, |all, value| {
        let size = graph.unary(Op::Abs, *value);
        let is_number = graph.binary(Op::LessEqual, size, greatest);
        if graph.is(all, 1.0) { is_number } else { graph.binary(Op::And, all, is_number) }
    })
}
