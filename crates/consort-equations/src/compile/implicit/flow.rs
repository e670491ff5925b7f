//! Following a flow to its equilibrium: implicit Euler with steps that grow, unrolled in the graph.
//!
//! A step of length 1/w solves (w - df/dz) d = f. It is taken if that is nearly the solution of the implicit
//! equation f(z + d) = w d, and the next one is longer; otherwise it is tried again shorter. Near the
//! equilibrium w vanishes, so that the last steps are Newton's (pseudo-transient continuation).

use super::FOUND;
use super::newton::{System, all_numbers, correction, total};
use crate::graph::{Graph, NodeId};
use crate::lower::Relation;
use crate::op::Op;

/// Steps, with those that are tried again.
const STEPS: usize = 48;
/// How much of the rates a step may leave beside what it says.
const LEFT: f64 = 0.5;
/// By how much a step is shorter when it is tried again, and longer after one that was taken.
const SHORTER: f64 = 64.0;
const LONGER: f64 = 8.0;
/// Steps are shorter than what grows needs, by this.
const CAUTION: f64 = 2.0;
/// How far from a state, beside it and beside its typical size, its solution is reached without following the flow.
const NEAR: f64 = 1e-2;

/// Where the flow is.
struct Place {
    values: Vec<NodeId>,
    residuals: Vec<NodeId>,
    /// One divided by the length of the next step.
    damping: NodeId,
}

impl System {
    /// Where the flow leads from `from`; rules hold all the way.
    pub(super) fn follow(&self, graph: &mut Graph, from: &[NodeId]) -> Vec<NodeId> {
        let residuals = self.residuals_at(graph, from);
        let slopes = self.slopes_at(graph, from).concat();
        let one = graph.constant(1.0);
        let [slope, rate, size] =
            [&slopes[..], &residuals, from].map(|values| total(graph, values));
        let size = graph.sum(size, one);
        let change = graph.ratio(rate, size);
        let damping = graph.sum(slope, change);
        let mut place = Place { values: from.to_vec(), residuals, damping };
        for _ in 0..STEPS {
            place = self.flow_on(graph, &place);
        }
        place.values
    }

    /// One step, or none and a shorter one to try.
    fn flow_on(&self, graph: &mut Graph, place: &Place) -> Place {
        let mut slopes = self.slopes_at(graph, &place.values);
        let least = self.growth(graph, &slopes);
        let damping = graph.binary(Op::Max, place.damping, least);
        let flows = (0..slopes.len()).filter(|row| self.is_flow[*row]);
        for row in flows.clone() {
            slopes[row][row] = graph.difference(slopes[row][row], damping);
        }
        let step = correction(graph, &slopes, &place.residuals);
        let moved = sums(graph, &place.values, &step);
        let after = self.residuals_at(graph, &moved);
        let mut left = after.clone();
        for row in flows {
            let expected = graph.product(damping, step[row]);
            left[row] = graph.difference(left[row], expected);
        }
        let is_taken = is_accurate(graph, &moved, [&left, &place.residuals]);
        let [shorter, longer] = [SHORTER, 1.0 / LONGER].map(|value| graph.constant(value));
        let [shorter, longer] = [shorter, longer].map(|factor| graph.product(damping, factor));
        Place {
            values: selects(graph, is_taken, [&moved, &place.values]),
            residuals: selects(graph, is_taken, [&after, &place.residuals]),
            damping: graph.select(is_taken, longer, shorter),
        }
    }

    /// What damping must exceed: where the flow leaves a place an undamped step would lead back to it.
    fn growth(&self, graph: &mut Graph, slopes: &[Vec<NodeId>]) -> NodeId {
        let zero = graph.constant(0.0);
        let mut bound = zero;
        for (row, entries) in slopes.iter().enumerate() {
            let others: Vec<NodeId> = (0..entries.len())
                .filter(|column| *column != row)
                .map(|column| entries[column])
                .collect();
            let others = total(graph, &others);
            let reach = graph.sum(entries[row], others);
            bound = graph.binary(Op::Max, bound, reach);
        }
        let caution = graph.constant(CAUTION);
        let bound = graph.product(caution, bound);
        let margin = self.margin(graph, slopes);
        let is_left = graph.binary(Op::Less, margin, zero);
        graph.select(is_left, bound, zero)
    }

    /// The solution looked for from the states, which is no number if there is none.
    pub(super) fn anew(&self, graph: &mut Graph) -> Vec<NodeId> {
        let solution = self.search(graph, &self.leaves);
        if !self.is_flow.contains(&true) {
            return solution.values;
        }
        let found = self.found(graph, &solution, super::LOST);
        let found = super::all(graph, &found);
        let nothing = vec![graph.constant(f64::NAN); self.leaves.len()];
        selects(graph, found, [&solution.values, &nothing])
    }

    /// That each flow's solution is near its state: Newton's method may lead further, but not along the flow.
    pub(super) fn near(
        &self,
        graph: &mut Graph,
        values: &[NodeId],
        scales: &[Option<f64>],
    ) -> Vec<Relation> {
        let mut relations = Vec::new();
        for row in (0..values.len()).filter(|row| self.is_flow[*row]) {
            let Some(scale) = scales[row] else { continue };
            let [share, least] = [NEAR, NEAR * scale].map(|value| graph.constant(value));
            let distance = graph.difference(values[row], self.leaves[row]);
            let size = graph.unary(Op::Abs, values[row]);
            let share = graph.product(share, size);
            let sides = [graph.unary(Op::Abs, distance), graph.sum(share, least)];
            let node = graph.binary(Op::LessEqual, sides[0], sides[1]);
            relations.push(Relation { node, sides, op: Op::LessEqual, span: None });
        }
        relations
    }

    /// That the flow does not leave these values: neither a bit above nor a bit below them, where they
    /// are known no better than that.
    pub(super) fn stable(&self, graph: &mut Graph, values: &[NodeId]) -> Relation {
        let margins = [FOUND[0], -FOUND[0]].map(|share| {
            let factor = graph.constant(1.0 + share);
            let beside: Vec<NodeId> =
                values.iter().map(|value| graph.product(*value, factor)).collect();
            let slopes = self.slopes_at(graph, &beside);
            self.margin(graph, &slopes)
        });
        let sides = [graph.constant(0.0), graph.binary(Op::Max, margins[0], margins[1])];
        let node = graph.binary(Op::LessEqual, sides[0], sides[1]);
        Relation { node, sides, op: Op::LessEqual, span: None }
    }
}

/// Whether a step led to numbers and left little of what there was.
fn is_accurate(graph: &mut Graph, moved: &[NodeId], [left, before]: [&[NodeId]; 2]) -> NodeId {
    let is_number = all_numbers(graph, moved);
    let [left, before] = [left, before].map(|values| total(graph, values));
    let share = graph.constant(LEFT);
    let share = graph.product(share, before);
    let is_little = graph.binary(Op::LessEqual, left, share);
    graph.binary(Op::And, is_number, is_little)
}

fn sums(graph: &mut Graph, values: &[NodeId], steps: &[NodeId]) -> Vec<NodeId> {
    values.iter().zip(steps).map(|(value, step)| graph.sum(*value, *step)).collect()
}

fn selects(graph: &mut Graph, is_first: NodeId, [first, second]: [&[NodeId]; 2]) -> Vec<NodeId> {
    let pairs = first.iter().zip(second);
    pairs.map(|(first, second)| graph.select(is_first, *first, *second)).collect()
}
