//! Built-in operations and functions in terms of instructions.

use super::{Lowering, Relation, Type, Value};
use crate::builtin::Builtin;
use crate::graph::{Graph, Node, NodeId};
use crate::op::Op;
use crate::tree::{Expression, ExpressionKind};
use consort_core::{Diagnostic, Span};
use std::collections::BTreeSet;

impl<'m> Lowering<'m, '_, '_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &'m [Expression],
        span: Option<Span>,
    ) -> Value {
        if !self.check_arity(builtin.name(), builtin.arity(), arguments.len(), span) {
            return self.unknown();
        }
        match builtin {
            Builtin::Add => self.sum(arguments),
            Builtin::And | Builtin::Or | Builtin::Xor | Builtin::Not | Builtin::Implies => {
                self.logic(builtin, arguments)
            }
            Builtin::Equal
            | Builtin::NotEqual
            | Builtin::Less
            | Builtin::LessEqual
            | Builtin::Greater
            | Builtin::GreaterEqual => self.comparison(builtin, arguments, span),
            _ => {
                let values: Vec<NodeId> =
                    arguments.iter().map(|argument| self.number(argument)).collect();
                let node = numeric(&mut self.graph, builtin, &values);
                Value { node, of: Type::Number }
            }
        }
    }

    /// From the left; a negated term is subtracted, which is the same to the bit.
    fn sum(&mut self, terms: &'m [Expression]) -> Value {
        let mut total = None;
        for term in terms {
            let (op, part) = match &term.kind {
                ExpressionKind::Builtin(Builtin::Negate, inner) if total.is_some() => {
                    match inner.as_slice() {
                        [inner] => (Op::Sub, inner),
                        _ => (Op::Add, term),
                    }
                }
                _ => (Op::Add, term),
            };
            let value = self.number(part);
            total = Some(match total {
                None => value,
                Some(total) => self.graph.binary(op, total, value),
            });
        }
        let node = total.unwrap_or_else(|| self.graph.constant(0.0));
        Value { node, of: Type::Number }
    }

    fn logic(&mut self, builtin: Builtin, arguments: &'m [Expression]) -> Value {
        let values: Vec<NodeId> =
            arguments.iter().map(|argument| self.condition(argument)).collect();
        let graph = &mut self.graph;
        let node = match builtin {
            Builtin::And => fold(graph, Op::And, &values, 1.0),
            Builtin::Or => fold(graph, Op::Or, &values, 0.0),
            Builtin::Xor => fold(graph, Op::Xor, &values, 0.0),
            Builtin::Not => graph.unary(Op::Not, values[0]),
            _ => {
                let not = graph.unary(Op::Not, values[0]);
                graph.binary(Op::Or, not, values[1])
            }
        };
        Value { node, of: Type::Condition }
    }

    fn comparison(
        &mut self,
        builtin: Builtin,
        arguments: &'m [Expression],
        span: Option<Span>,
    ) -> Value {
        let values: Vec<Value> = arguments.iter().map(|argument| self.lower(argument)).collect();
        let compares_truth = matches!(builtin, Builtin::Equal | Builtin::NotEqual)
            && values.iter().all(|value| value.of == Type::Condition);
        let wanted = if compares_truth { Type::Condition } else { Type::Number };
        let values = values.into_iter().zip(arguments);
        let values: Vec<NodeId> =
            values.map(|(value, argument)| self.demand(value, wanted, argument.span)).collect();
        let mut all = Vec::with_capacity(values.len());
        for pair in values.windows(2) {
            all.push(self.compare(builtin, pair[0], pair[1], span));
        }
        let node = fold(&mut self.graph, Op::And, &all, 1.0);
        Value { node, of: Type::Condition }
    }

    pub(super) fn compare(
        &mut self,
        builtin: Builtin,
        a: NodeId,
        b: NodeId,
        span: Option<Span>,
    ) -> NodeId {
        let (op, a, b) = match builtin {
            Builtin::Equal => (Op::Equal, a, b),
            Builtin::NotEqual => (Op::NotEqual, a, b),
            Builtin::Less => (Op::Less, a, b),
            Builtin::LessEqual => (Op::LessEqual, a, b),
            Builtin::Greater => (Op::Less, b, a),
            _ => (Op::LessEqual, b, a),
        };
        let node = match [self.is_time_and_fixed(a, b), self.is_time_and_fixed(b, a)] {
            [true, _] => {
                let (order, zero) = (self.order_of_time(a, b), self.graph.constant(0.0));
                self.graph.binary(op, order, zero)
            }
            [_, true] => {
                let (order, zero) = (self.order_of_time(b, a), self.graph.constant(0.0));
                self.graph.binary(op, zero, order)
            }
            _ => self.graph.binary(op, a, b),
        };
        self.relations.push(Relation { node, sides: [a, b], op, span });
        let is_instant = self.is_time_and_fixed(a, b) || self.is_time_and_fixed(b, a);
        if op == Op::Equal && !is_instant && [a, b].iter().any(|side| self.flows(*side)) {
            self.warn_of_equality(span);
        }
        node
    }

    /// Whether a value changes continuously with time or states, not in jumps.
    fn flows(&self, node: NodeId) -> bool {
        let layout = self.scope.layout();
        let states = layout.first_state()..layout.first_discrete();
        let mut flowing = BTreeSet::new();
        // In the order of their numbers: operands first.
        for id in self.graph.reachable_one(node) {
            let flows = match self.graph.node(id) {
                Node::Constant(_) => false,
                Node::Leaf(register) => register == 0 || states.contains(&(register as usize)),
                Node::Apply(Op::Delay, _) => true,
                Node::Apply(op, _) if op.is_stepped() => false,
                Node::Apply(Op::Select, [_, then, otherwise]) => {
                    flowing.contains(&then) || flowing.contains(&otherwise)
                }
                Node::Apply(..) => self.graph.operands(id).any(|it| flowing.contains(&it)),
            };
            if flows {
                flowing.insert(id);
            }
        }
        flowing.contains(&node)
    }

    fn warn_of_equality(&mut self, span: Option<Span>) {
        let message = "`==` of what changes continuously is true for an instant at most";
        let help = "a solver does not find that instant: write `>=` or `<=` for where it gets there; only `time` \
                    may be compared so with what changes at events";
        let diagnostic = Diagnostic::warning("equations::equality", message);
        self.findings.push(diagnostic.maybe_at(span, "compared here").help(help));
    }

    /// Whether these are time and what changes at events only: their comparison is a time event.
    fn is_time_and_fixed(&self, time: NodeId, instant: NodeId) -> bool {
        self.graph.node(time) == Node::Leaf(0) && !self.moves(instant)
    }

    /// Whether a value may change between events.
    pub(crate) fn moves(&self, node: NodeId) -> bool {
        let layout = self.scope.layout();
        let moves = |register: usize| {
            register < layout.first_parameter()
                || (layout.first_input()..layout.first_discrete()).contains(&register)
                || register == layout.side()
        };
        self.graph.reachable_one(node).into_iter().any(|id| match self.graph.node(id) {
            Node::Leaf(register) => moves(register as usize),
            Node::Apply(op, _) => op == Op::Delay,
            Node::Constant(_) => false,
        })
    }

    /// Less than, equal to or more than zero as time is to an instant; on which side of it time is if they
    /// are the same number, that is for the runner to say.
    fn order_of_time(&mut self, time: NodeId, instant: NodeId) -> NodeId {
        let side = u32::try_from(self.scope.layout().side()).expect("limited by the text's length");
        let graph = &mut self.graph;
        let (is_now, side) = (graph.binary(Op::Equal, time, instant), graph.leaf(side));
        let difference = graph.binary(Op::Sub, time, instant);
        graph.select(is_now, side, difference)
    }
}

fn fold(graph: &mut Graph, op: Op, values: &[NodeId], empty: f64) -> NodeId {
    let mut values = values.iter().copied();
    let Some(first) = values.next() else { return graph.constant(empty) };
    values.fold(first, |folded, value| graph.binary(op, folded, value))
}

/// A function of numbers; the number of arguments was checked.
fn numeric(graph: &mut Graph, builtin: Builtin, values: &[NodeId]) -> NodeId {
    let first = values.first().copied();
    let a = first.unwrap_or_else(|| graph.constant(1.0));
    let b = values.get(1).copied().unwrap_or(a);
    if let Some(op) = unary(builtin) {
        return graph.unary(op, a);
    }
    if let Some(inner) = reciprocal_after(builtin) {
        let value = graph.unary(inner, a);
        return reciprocal(graph, value);
    }
    if let Some(outer) = reciprocal_before(builtin) {
        let value = reciprocal(graph, a);
        return graph.unary(outer, value);
    }
    match builtin {
        Builtin::Multiply => fold(graph, Op::Mul, values, 1.0),
        Builtin::Min => fold(graph, Op::Min, values, 0.0),
        Builtin::Max => fold(graph, Op::Max, values, 0.0),
        Builtin::Subtract => graph.binary(Op::Sub, a, b),
        Builtin::Divide => graph.binary(Op::Div, a, b),
        Builtin::Power | Builtin::Pow => power(graph, a, b),
        Builtin::Log if graph.is(a, 10.0) => graph.unary(Op::Log10, b),
        Builtin::Log => {
            let (base, value) = (graph.unary(Op::Ln, a), graph.unary(Op::Ln, b));
            graph.binary(Op::Div, value, base)
        }
        Builtin::Root if graph.is(a, 2.0) => graph.unary(Op::Sqrt, b),
        Builtin::Root if graph.is(a, 3.0) => graph.unary(Op::Cbrt, b),
        Builtin::Root => {
            let exponent = reciprocal(graph, a);
            graph.binary(Op::Pow, b, exponent)
        }
        Builtin::Quotient => graph.binary(Op::Quotient, a, b),
        Builtin::Rem => graph.binary(Op::Rem, a, b),
        Builtin::Atan2 => graph.binary(Op::Atan2, a, b),
        _ => unreachable!("every other function was dealt with above"),
    }
}

fn reciprocal(graph: &mut Graph, value: NodeId) -> NodeId {
    let one = graph.constant(1.0);
    graph.binary(Op::Div, one, value)
}

/// Small whole powers are products, as a person would write them in C.
pub(crate) fn power(graph: &mut Graph, base: NodeId, exponent: NodeId) -> NodeId {
    if graph.is(exponent, 0.0) {
        return graph.constant(1.0);
    }
    if graph.is(exponent, 1.0) {
        return base;
    }
    if graph.is(exponent, -1.0) {
        return reciprocal(graph, base);
    }
    let is_small = [2.0, 3.0, 4.0].iter().any(|small| graph.is(exponent, *small));
    if !is_small {
        return graph.binary(Op::Pow, base, exponent);
    }
    let square = graph.binary(Op::Mul, base, base);
    if graph.is(exponent, 2.0) {
        square
    } else if graph.is(exponent, 3.0) {
        graph.binary(Op::Mul, square, base)
    } else {
        graph.binary(Op::Mul, square, square)
    }
}

fn unary(builtin: Builtin) -> Option<Op> {
    Some(match builtin {
        Builtin::Negate => Op::Neg,
        Builtin::Exp => Op::Exp,
        Builtin::Ln => Op::Ln,
        Builtin::Log10 => Op::Log10,
        Builtin::Sqrt => Op::Sqrt,
        Builtin::Abs => Op::Abs,
        Builtin::Sign => Op::Sign,
        Builtin::Floor => Op::Floor,
        Builtin::Ceil => Op::Ceil,
        Builtin::Factorial => Op::Factorial,
        Builtin::Sin => Op::Sin,
        Builtin::Cos => Op::Cos,
        Builtin::Tan => Op::Tan,
        Builtin::Asin => Op::Asin,
        Builtin::Acos => Op::Acos,
        Builtin::Atan => Op::Atan,
        Builtin::Sinh => Op::Sinh,
        Builtin::Cosh => Op::Cosh,
        Builtin::Tanh => Op::Tanh,
        Builtin::Asinh => Op::Asinh,
        Builtin::Acosh => Op::Acosh,
        Builtin::Atanh => Op::Atanh,
        _ => return None,
    })
}

/// `sec(x)` is `1/cos(x)`, and so on.
fn reciprocal_after(builtin: Builtin) -> Option<Op> {
    Some(match builtin {
        Builtin::Sec => Op::Cos,
        Builtin::Csc => Op::Sin,
        Builtin::Cot => Op::Tan,
        Builtin::Sech => Op::Cosh,
        Builtin::Csch => Op::Sinh,
        Builtin::Coth => Op::Tanh,
        _ => return None,
    })
}

/// `asec(x)` is `acos(1/x)`, and so on.
fn reciprocal_before(builtin: Builtin) -> Option<Op> {
    Some(match builtin {
        Builtin::Asec => Op::Acos,
        Builtin::Acsc => Op::Asin,
        Builtin::Acot => Op::Atan,
        Builtin::Asech => Op::Acosh,
        Builtin::Acsch => Op::Asinh,
        Builtin::Acoth => Op::Atanh,
        _ => return None,
    })
}
