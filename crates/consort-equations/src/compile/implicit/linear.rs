//! Linear equations whose entries are nodes of the graph.

use crate::graph::{Graph, NodeId};
use crate::op::Op;

/// Solves linear equations by elimination; of each column the greatest entry leads.
///
/// `None` if a column is zero whatever the values.
pub(super) fn solve(
    graph: &mut Graph,
    rows: &[Vec<NodeId>],
    right: &[NodeId],
) -> Option<Vec<NodeId>> {
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
