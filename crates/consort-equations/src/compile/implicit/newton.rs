//! Newton's method, unrolled in the graph.

use super::linear::solve;
use crate::differentiate::jacobian;
use crate::graph::{Graph, NodeId};
use crate::lower::Relation;
use crate::op::Op;
use std::collections::BTreeMap;

/// Steps wherever the solution is used: each doubles the digits that are right.
const STEPS: usize = 3;
/// Steps where it is looked for from afar.
const STEPS_FAR: usize = 24;
/// By how much a step from afar may be shortened; the first that makes residuals less is taken.
const LENGTHS: [f64; 5] = [1.0, 0.25, 0.0625, 0.00390625, 0.0000152587890625];

/// Residuals and their slopes, as nodes that use the registers of the states.
pub(super) struct System {
    pub(super) leaves: Vec<NodeId>,
    residuals: Vec<NodeId>,
    /// By rows.
    slopes: Vec<Vec<NodeId>>,
}

/// Where steps led, and the last one, which may be no number.
pub(super) struct Solution {
    pub(super) values: Vec<NodeId>,
    last: Vec<NodeId>,
}

impl System {
    /// `None` if the residuals cannot determine the states, whatever the values.
    pub(super) fn new(graph: &mut Graph, registers: &[u32], residuals: &[NodeId]) -> Option<Self> {
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
    pub(super) fn nodes(&self, graph: &Graph) -> usize {
        graph.reachable(&[&self.residuals[..], &self.slopes.concat()].concat()).len()
    }

    /// What stands for each state where it has these values.
    pub(super) fn at(&self, values: &[NodeId]) -> BTreeMap<NodeId, NodeId> {
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
    pub(super) fn polish(&self, graph: &mut Graph) -> Solution {
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
    pub(super) fn search(&self, graph: &mut Graph, from: &[NodeId]) -> Solution {
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
