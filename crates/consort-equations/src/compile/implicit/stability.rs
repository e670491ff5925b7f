//! Whether a flow comes back to its equilibrium: Routh's criterion, unrolled in the graph.

use super::linear::solve;
use super::newton::System;
use crate::graph::{Graph, NodeId};
use crate::op::Op;
use consort_core::graph::strong_components;

/// In the place of a zero that Routh's scheme would divide by.
const TINY: f64 = 1e-200;

/// Which of many belong together.
pub(super) struct Blocks;

impl Blocks {
    /// Those that reach each other.
    pub(super) fn of(count: usize, touches: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let number = |at: usize| u32::try_from(at).expect("the number of residuals is limited");
        let next =
            |row: usize| (0..count).filter(|column| touches(row, *column)).map(number).collect();
        let next: Vec<Vec<u32>> = (0..count).map(next).collect();
        let found = strong_components(count, 0..number(count), |row| &next[row as usize]);
        found.into_iter().map(|part| part.into_iter().map(|at| at as usize).collect()).collect()
    }
}

impl System {
    /// At least zero where every disturbance of the flow fades, less where one grows.
    pub(super) fn margin(&self, graph: &mut Graph, slopes: &[Vec<NodeId>]) -> NodeId {
        let touches = |row: usize, column: usize| !graph.is(self.slopes[row][column], 0.0);
        let blocks = Blocks::of(self.leaves.len(), touches);
        let mut least = graph.constant(f64::INFINITY);
        for block in blocks {
            let matrix = self.reduced(graph, slopes, &block);
            let polynomial = characteristic(graph, &matrix);
            for entry in routh(graph, &polynomial) {
                least = graph.binary(Op::Min, entry, least);
            }
        }
        least
    }

    /// The slopes of a block's flows by their own states, while its rules hold.
    fn reduced(
        &self,
        graph: &mut Graph,
        slopes: &[Vec<NodeId>],
        block: &[usize],
    ) -> Vec<Vec<NodeId>> {
        let (flows, rules): (Vec<usize>, Vec<usize>) =
            block.iter().partition(|row| self.is_flow[**row]);
        let pick = |row: &usize, columns: &[usize]| -> Vec<NodeId> {
            columns.iter().map(|column| slopes[*row][*column]).collect()
        };
        let mut matrix: Vec<Vec<NodeId>> = flows.iter().map(|row| pick(row, &flows)).collect();
        if rules.is_empty() {
            return matrix;
        }
        let inner: Vec<Vec<NodeId>> = rules.iter().map(|row| pick(row, &rules)).collect();
        let nothing = vec![graph.constant(f64::NAN); rules.len()];
        for (column, flow) in flows.iter().enumerate() {
            let right: Vec<NodeId> = rules.iter().map(|row| slopes[*row][*flow]).collect();
            let follow = solve(graph, &inner, &right).unwrap_or_else(|| nothing.clone());
            for (row, of) in flows.iter().enumerate() {
                let through = dot(graph, &pick(of, &rules), &follow);
                matrix[row][column] = graph.difference(matrix[row][column], through);
            }
        }
        matrix
    }
}

/// The coefficients of the characteristic polynomial, highest power first (Faddeev and `LeVerrier`).
fn characteristic(graph: &mut Graph, matrix: &[Vec<NodeId>]) -> Vec<NodeId> {
    let (zero, one) = (graph.constant(0.0), graph.constant(1.0));
    let count = matrix.len();
    let unit =
        |row: usize| (0..count).map(|column| if row == column { one } else { zero }).collect();
    let mut power: Vec<Vec<NodeId>> = (0..count).map(unit).collect();
    let mut coefficients = vec![one];
    for degree in 1..=count {
        power = product(graph, matrix, &power);
        let trace = (0..count).fold(zero, |sum, row| graph.sum(sum, power[row][row]));
        let share = graph.constant(-1.0 / degree as f64);
        let coefficient = graph.product(trace, share);
        for (row, entries) in power.iter_mut().enumerate() {
            entries[row] = graph.sum(entries[row], coefficient);
        }
        coefficients.push(coefficient);
    }
    coefficients
}

/// The first column of Routh's scheme behind the leading coefficient.
fn routh(graph: &mut Graph, polynomial: &[NodeId]) -> Vec<NodeId> {
    let pick = |first: usize| polynomial.iter().skip(first).step_by(2).copied().collect();
    let (mut above, mut row): (Vec<NodeId>, Vec<NodeId>) = (pick(0), pick(1));
    let (zero, tiny) = (graph.constant(0.0), graph.constant(TINY));
    let mut column = Vec::new();
    while let Some(lead) = row.first().copied() {
        column.push(lead);
        let is_zero = graph.binary(Op::Equal, lead, zero);
        let lead = graph.select(is_zero, tiny, lead);
        let factor = graph.ratio(above[0], lead);
        let mut next = Vec::new();
        for (at, entry) in above.iter().enumerate().skip(1) {
            let part = row.get(at).map_or(zero, |beside| graph.product(factor, *beside));
            next.push(graph.difference(*entry, part));
        }
        above = std::mem::replace(&mut row, next);
    }
    column
}

fn product(graph: &mut Graph, left: &[Vec<NodeId>], right: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let column = |at: usize| right.iter().map(|row| row[at]).collect();
    let columns: Vec<Vec<NodeId>> = (0..right.len()).map(column).collect();
    let row = |row: &Vec<NodeId>| columns.iter().map(|column| dot(graph, row, column)).collect();
    left.iter().map(row).collect()
}

fn dot(graph: &mut Graph, left: &[NodeId], right: &[NodeId]) -> NodeId {
    let zero = graph.constant(0.0);
    left.iter().zip(right).fold(zero, |sum, (left, right)| {
        let part = graph.product(*left, *right);
        graph.sum(sum, part)
    })
}
