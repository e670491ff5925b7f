//! Expressions as a graph in which equal ones are one node, with constants folded.

use crate::op::Op;
use crate::places::Places;
use std::collections::{BTreeMap, BTreeSet};

/// A node: a value that is computed once, however often it is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Node {
    /// A number, by its bits.
    Constant(u64),
    /// A register that is filled before the program runs.
    Leaf(u32),
    /// An operation; operands that it does not have are zero.
    Apply(Op, [NodeId; 3]),
}

impl Node {
    /// Always the same, on every machine.
    fn hash(self) -> u64 {
        let [a, b] = match self {
            Node::Constant(bits) => [0, bits],
            Node::Leaf(register) => [1, u64::from(register)],
            Node::Apply(op, [a, b, c]) => {
                [2 + (op as u64) + (u64::from(c.0) << 8), u64::from(a.0) << 32 | u64::from(b.0)]
            }
        };
        let mixed = (a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ mixed >> 29).wrapping_mul(0x94D0_49BB_1331_11EB) >> 16
    }
}

/// Nodes, each after its operands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    places: Places,
}

const NONE: NodeId = NodeId(0);

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, id: NodeId) -> impl Iterator<Item = NodeId> + Clone + use<> {
        let (operands, count) = match self.node(id) {
            Node::Apply(op, operands) => (operands, op.operands()),
            _ => ([NONE; 3], 0),
        };
        operands.into_iter().take(count)
    }

    fn add(&mut self, node: Node) -> NodeId {
        let known = self.places.find(node.hash(), |number| self.nodes[number] == node);
        let number = known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.places.add_last(self.nodes.len(), |number| self.nodes[number].hash());
            self.nodes.len() - 1
        });
        NodeId(u32::try_from(number).expect("the text's length limits nodes"))
    }

    pub(crate) fn constant(&mut self, value: f64) -> NodeId {
        self.add(Node::Constant(value.to_bits()))
    }

    pub(crate) fn leaf(&mut self, register: u32) -> NodeId {
        self.add(Node::Leaf(register))
    }

    /// The value of a node that is a number.
    pub(crate) fn value(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(crate) fn is(&self, id: NodeId, value: f64) -> bool {
        self.value(id).is_some_and(|found| found.to_bits() == value.to_bits())
    }

    pub(crate) fn unary(&mut self, op: Op, a: NodeId) -> NodeId {
        self.apply(op, [a, NONE, NONE])
    }

    pub(crate) fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = if op.commutes() && b < a { (b, a) } else { (a, b) };
        self.apply(op, [a, b, NONE])
    }

    pub(crate) fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        match self.value(condition) {
            Some(0.0) => otherwise,
            Some(_) => then,
            None if then == otherwise => then,
            None => self.apply(Op::Select, [condition, then, otherwise]),
        }
    }

    fn apply(&mut self, op: Op, operands: [NodeId; 3]) -> NodeId {
        let mut values = [0.0; 3];
        let mut known = true;
        for (value, operand) in values.iter_mut().zip(operands).take(op.operands()) {
            match self.value(operand) {
                Some(constant) => *value = constant,
                None => known = false,
            }
        }
        match op.apply(values).filter(|_| known) {
            Some(folded) => self.constant(folded),
            None => self.add(Node::Apply(op, operands)),
        }
    }

    /// The nodes that `roots` need, each after its operands, without doubles.
    pub(crate) fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut needed = vec![false; self.nodes.len()];
        let mut open: Vec<NodeId> = roots.to_vec();
        while let Some(id) = open.pop() {
            if !needed[id.index()] {
                needed[id.index()] = true;
                open.extend(self.operands(id));
            }
        }
        let ids = (0u32..).zip(needed).filter(|(_, needed)| *needed);
        ids.map(|(index, _)| NodeId(index)).collect()
    }
}

impl Graph {
    /// The nodes that one needs, in no order: for many small questions to a big graph.
    pub(crate) fn reachable_one(&self, root: NodeId) -> BTreeSet<NodeId> {
        let mut needed = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            open.extend(self.operands(id).filter(|operand| needed.insert(*operand)));
        }
        needed
    }
}

/// Answers many small questions to a big graph.
pub(crate) struct Reach<'g> {
    graph: &'g Graph,
    /// The last question in which each node was met.
    met: Vec<u32>,
    question: u32,
}

impl<'g> Reach<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Reach { graph, met: vec![0; graph.len()], question: 0 }
    }

    /// The nodes that one needs, in no order.
    pub(crate) fn of(&mut self, root: NodeId) -> Vec<NodeId> {
        self.question += 1;
        self.met[root.index()] = self.question;
        let (mut found, mut next) = (vec![root], 0);
        while let Some(id) = found.get(next) {
            for operand in self.graph.operands(*id) {
                if std::mem::replace(&mut self.met[operand.index()], self.question) != self.question
                {
                    found.push(operand);
                }
            }
            next += 1;
        }
        found
    }
}

impl Graph {
    /// The same values with some nodes replaced by others.
    pub(crate) fn substitute(
        &mut self,
        roots: &[NodeId],
        replaced: &BTreeMap<NodeId, NodeId>,
    ) -> Vec<NodeId> {
        let needed = self.reachable(roots);
        let mut new: Vec<NodeId> = (0u32..).take(self.len()).map(NodeId).collect();
        for id in needed {
            let Node::Apply(op, operands) = self.node(id) else {
                new[id.index()] = replaced.get(&id).copied().unwrap_or(id);
                continue;
            };
            let changed = operands.map(|operand| new[operand.index()]);
            if let Some(node) = replaced.get(&id) {
                new[id.index()] = *node;
            } else if changed != operands {
                new[id.index()] = self.again(op, changed);
            }
        }
        roots.iter().map(|root| new[root.index()]).collect()
    }

    fn again(&mut self, op: Op, [a, b, c]: [NodeId; 3]) -> NodeId {
        match (op, op.operands()) {
            (Op::Select, _) => self.select(a, b, c),
            (_, 1) => self.unary(op, a),
            (_, 2) => self.binary(op, a, b),
            _ => self.apply(op, [a, b, c]),
        }
    }
}

/// Arithmetic that leaves out what has no effect: for derivatives, which are full of zeros and ones.
impl Graph {
    pub(crate) fn sum(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.is(a, 0.0), self.is(b, 0.0)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.binary(Op::Add, a, b),
        }
    }

    pub(crate) fn difference(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.is(a, 0.0), self.is(b, 0.0)) {
            (_, true) => a,
            (true, _) => self.negative(b),
            _ => self.binary(Op::Sub, a, b),
        }
    }

    pub(crate) fn negative(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::Apply(Op::Neg, [inner, ..]) => inner,
            _ if self.is(a, 0.0) => a,
            _ => self.unary(Op::Neg, a),
        }
    }

    pub(crate) fn product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0.0) || self.is(b, 1.0) {
            return a;
        }
        if self.is(b, 0.0) || self.is(a, 1.0) {
            return b;
        }
        if self.is(a, -1.0) {
            return self.negative(b);
        }
        if self.is(b, -1.0) {
            return self.negative(a);
        }
        self.binary(Op::Mul, a, b)
    }

    pub(crate) fn ratio(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is(a, 0.0) || self.is(b, 1.0) {
            return a;
        }
        self.binary(Op::Div, a, b)
    }
}
