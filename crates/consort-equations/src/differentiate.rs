//! Symbolic derivatives on the graph, one column of a Jacobian at a time.
//!
//! Steps (`floor`, `quotient`, `sign`, conditions) have the derivative zero, branches that of the branch
//! taken, what is remembered of the past none; `factorial` counts as a step too.

use crate::graph::{Graph, Node, NodeId};
use crate::lower::power;
use crate::op::Op;

/// A partial derivative that is not always zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) node: NodeId,
}

/// The derivatives of `rows` by the registers `columns`, column by column, rows rising.
pub(crate) fn jacobian(graph: &mut Graph, rows: &[NodeId], columns: &[u32]) -> Vec<Entry> {
    if rows.is_empty() || columns.is_empty() {
        return Vec::new();
    }
    let needed = graph.reachable(rows);
    let count = graph.len();
    let used = needed
        .iter()
        .flat_map(|user| graph.operands(*user).map(|operand| (operand.index(), *user)));
    let users = Lists::new(count, used);
    let row_of = Lists::new(count, rows.iter().enumerate().map(|(row, node)| (node.index(), row)));
    let mut column = Column { slopes: vec![None; count], seen: vec![false; count] };
    let mut entries = Vec::new();
    for (index, register) in columns.iter().enumerate() {
        let leaf = graph.leaf(*register);
        if count <= leaf.index() {
            continue; // nothing speaks of it
        }
        let affected = column.differentiate(graph, &users, leaf);
        let start = entries.len();
        for id in affected {
            let slope = column.slopes[id.index()].take();
            let Some(node) = slope.filter(|slope| !graph.is(*slope, 0.0)) else { continue };
            let found = row_of.get(id.index()).iter();
            entries.extend(found.map(|row| Entry { row: *row, column: index, node }));
        }
        entries[start..].sort_unstable_by_key(|entry| entry.row);
    }
    entries
}

/// A list for each of many, one behind the other.
struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    fn new(count: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (list, _) in pairs.clone() {
            starts[list + 1] += 1;
        }
        for list in 0..count {
            starts[list + 1] += starts[list];
        }
        let mut items: Vec<T> = pairs.clone().map(|(_, item)| item).collect();
        let mut next = starts.clone();
        for (list, item) in pairs {
            items[next[list]] = item;
            next[list] += 1;
        }
        Lists { starts, items }
    }

    fn get(&self, list: usize) -> &[T] {
        &self.items[self.starts[list]..self.starts[list + 1]]
    }
}

struct Column {
    /// Of the nodes that depend on the column's leaf.
    slopes: Vec<Option<NodeId>>,
    seen: Vec<bool>,
}

impl Column {
    /// Fills the slopes of all nodes that depend on a leaf, and lists these nodes.
    fn differentiate(
        &mut self,
        graph: &mut Graph,
        users: &Lists<NodeId>,
        leaf: NodeId,
    ) -> Vec<NodeId> {
        let mut affected = vec![leaf];
        self.seen[leaf.index()] = true;
        let mut next = 0;
        while let Some(id) = affected.get(next) {
            for user in users.get(id.index()) {
                if !std::mem::replace(&mut self.seen[user.index()], true) {
                    affected.push(*user);
                }
            }
            next += 1;
        }
        affected.sort_unstable();
        self.slopes[leaf.index()] = Some(graph.constant(1.0));
        for id in &affected[1..] {
            self.slopes[id.index()] = Some(self.slope(graph, *id));
        }
        for id in &affected {
            self.seen[id.index()] = false;
        }
        affected
    }

    fn slope(&self, graph: &mut Graph, id: NodeId) -> NodeId {
        let Node::Apply(op, [a, b, c]) = graph.node(id) else {
            return graph.constant(0.0);
        };
        let zero = graph.constant(0.0);
        let of = |node: NodeId| self.slopes.get(node.index()).copied().flatten().unwrap_or(zero);
        let da = of(a);
        let db = if 2 <= op.operands() { of(b) } else { zero };
        match op {
            Op::Select => {
                let dc = of(c);
                graph.select(a, db, dc)
            }
            _ if op.operands() == 1 => {
                let outer = if graph.is(da, 0.0) { zero } else { unary(graph, op, a, id) };
                graph.product(outer, da)
            }
            _ => binary(graph, op, [a, b, id], [da, db]),
        }
    }
}

/// `id` is `op(a, b)`; `da` and `db` are the slopes of its operands.
fn binary(graph: &mut Graph, op: Op, [a, b, id]: [NodeId; 3], [da, db]: [NodeId; 2]) -> NodeId {
    match op {
        Op::Add => graph.sum(da, db),
        Op::Sub => graph.difference(da, db),
        Op::Mul => {
            let (left, right) = (graph.product(da, b), graph.product(a, db));
            graph.sum(left, right)
        }
        Op::Div => {
            let part = graph.product(id, db);
            let over = graph.difference(da, part);
            graph.ratio(over, b)
        }
        Op::Pow => power_slope(graph, [a, b, id], [da, db]),
        Op::Min => {
            let second = graph.binary(Op::Less, b, a);
            graph.select(second, db, da)
        }
        Op::Max => {
            let second = graph.binary(Op::Less, a, b);
            graph.select(second, db, da)
        }
        Op::Rem => {
            let whole = graph.binary(Op::Quotient, a, b);
            let part = graph.product(whole, db);
            graph.difference(da, part)
        }
        Op::Atan2 => {
            let (left, right) = (graph.product(b, da), graph.product(a, db));
            let over = graph.difference(left, right);
            let (aa, bb) = (graph.binary(Op::Mul, a, a), graph.binary(Op::Mul, b, b));
            let under = graph.binary(Op::Add, aa, bb);
            graph.ratio(over, under)
        }
        _ => graph.constant(0.0),
    }
}

fn power_slope(graph: &mut Graph, [a, b, id]: [NodeId; 3], [da, db]: [NodeId; 2]) -> NodeId {
    let mut slope = graph.constant(0.0);
    if !graph.is(da, 0.0) {
        let one = graph.constant(1.0);
        let less = graph.binary(Op::Sub, b, one);
        let lower = power(graph, a, less);
        let scaled = graph.product(b, lower);
        slope = graph.product(scaled, da);
    }
    if !graph.is(db, 0.0) {
        let log = graph.unary(Op::Ln, a);
        let scaled = graph.product(id, log);
        let part = graph.product(scaled, db);
        slope = graph.sum(slope, part);
    }
    slope
}

/// The derivative of `id`, which is `op(a)`, by `a`.
fn unary(graph: &mut Graph, op: Op, a: NodeId, id: NodeId) -> NodeId {
    let one = graph.constant(1.0);
    match op {
        Op::Neg => graph.constant(-1.0),
        Op::Exp => id,
        Op::Ln => graph.ratio(one, a),
        Op::Log10 => {
            let scale = graph.constant(std::f64::consts::LN_10);
            let under = graph.product(a, scale);
            graph.ratio(one, under)
        }
        Op::Sqrt => {
            let half = graph.constant(0.5);
            graph.ratio(half, id)
        }
        Op::Cbrt => {
            let three = graph.constant(3.0);
            let square = graph.binary(Op::Mul, id, id);
            let under = graph.product(three, square);
            graph.ratio(one, under)
        }
        Op::Abs => graph.unary(Op::Sign, a),
        Op::Sin => graph.unary(Op::Cos, a),
        Op::Cos => {
            let sine = graph.unary(Op::Sin, a);
            graph.negative(sine)
        }
        Op::Sinh => graph.unary(Op::Cosh, a),
        Op::Cosh => graph.unary(Op::Sinh, a),
        Op::Tan => {
            let square = graph.binary(Op::Mul, id, id);
            graph.sum(one, square)
        }
        Op::Tanh => {
            let square = graph.binary(Op::Mul, id, id);
            graph.difference(one, square)
        }
        _ => inverse(graph, op, a),
    }
}

/// The derivatives of inverse functions; zero for steps.
fn inverse(graph: &mut Graph, op: Op, a: NodeId) -> NodeId {
    let one = graph.constant(1.0);
    let square = graph.binary(Op::Mul, a, a);
    let under = match op {
        Op::Atan | Op::Asinh => graph.sum(one, square),
        Op::Acosh => graph.difference(square, one),
        Op::Asin | Op::Acos | Op::Atanh => graph.difference(one, square),
        _ => return graph.constant(0.0),
    };
    let under = match op {
        Op::Atan | Op::Atanh => under,
        _ => graph.unary(Op::Sqrt, under),
    };
    let slope = graph.ratio(one, under);
    if op == Op::Acos { graph.negative(slope) } else { slope }
}
