//! From a graph to a program: levels, runs, registers.

use super::{Layout, Operand, OperationRun, Program, Stretch};
use crate::graph::{Graph, Node, NodeId};
use crate::op::Op;
use std::ops::Range;

/// Rows shorter than this are not worth a run of their own.
const ROW_MIN: usize = 16;
/// Nor are shorter ones of which only a part of the operands stand side by side.
const PART_MIN: usize = 48;

/// A run costs as much as reading this many listed places.
const RUN_COST: usize = 8;
/// Results are copied in stretches if they have this length on average.
const STRETCH_MIN: usize = 8;

/// An instruction before it has a register.
#[derive(Clone, Copy)]
struct Pending {
    node: NodeId,
    op: Op,
    operands: [NodeId; 3],
}

/// The program that computes `results`.
pub(crate) fn assemble(graph: &Graph, layout: Layout, results: &[NodeId]) -> Program {
    if results.is_empty() {
        return Program::empty(layout);
    }
    let needed = graph.reachable(results);
    let pending = fuse(graph, &needed, results);
    let mut program = Program::empty(layout);
    let mut registers = vec![0; graph.len()];
    place_leaves(graph, &needed, &mut program, &mut registers);
    let mut next = register(program.register_count());
    for level in levels(graph, &pending) {
        emit(level, &mut program, &mut registers, &mut next);
    }
    program.results = results.iter().map(|id| registers[id.index()]).collect();
    program.stretches = stretches(&program.results);
    program
}

/// The results from the first on that stand side by side, as long as that is worth it.
fn stretches(results: &[u32]) -> Vec<Stretch> {
    let parts: Vec<&[u32]> = results.chunk_by(|a, b| a + 1 == *b).collect();
    if results.len() < STRETCH_MIN * parts.len() {
        return Vec::new();
    }
    let stretch = |part: &&[u32]| Stretch { first: part[0], len: register(part.len()) };
    parts.iter().map(stretch).collect()
}

fn register(index: usize) -> u32 {
    u32::try_from(index).expect("the text's length limits registers")
}

fn place_leaves(graph: &Graph, needed: &[NodeId], program: &mut Program, registers: &mut [u32]) {
    for id in needed {
        registers[id.index()] = match graph.node(*id) {
            Node::Leaf(at) => at,
            Node::Constant(bits) => {
                program.constants.push(f64::from_bits(bits));
                register(program.layout.len() + program.constants.len() - 1)
            }
            Node::Apply(..) => 0,
        };
    }
}

/// The instructions, with products that only one sum uses, and sums that only one product uses, taken
/// into it.
fn fuse(graph: &Graph, needed: &[NodeId], results: &[NodeId]) -> Vec<Pending> {
    let mut uses = vec![0_u32; graph.len()];
    for id in needed.iter().flat_map(|id| graph.operands(*id)).chain(results.iter().copied()) {
        uses[id.index()] += 1;
    }
    let mut taken = vec![false; graph.len()];
    let mut pending = Vec::new();
    for id in needed.iter().rev() {
        let Node::Apply(op, operands) = graph.node(*id) else { continue };
        if taken[id.index()] {
            continue;
        }
        let found = fused(graph, op, operands, &uses, &mut taken);
        let (op, operands) = found.unwrap_or((op, operands));
        pending.push(Pending { node: *id, op, operands });
    }
    pending.reverse();
    pending
}

fn fused(
    graph: &Graph,
    op: Op,
    [a, b, _]: [NodeId; 3],
    uses: &[u32],
    taken: &mut [bool],
) -> Option<(Op, [NodeId; 3])> {
    let once = |id: NodeId, wanted: Op| match graph.node(id) {
        Node::Apply(op, [x, y, _]) if op == wanted && uses[id.index()] == 1 => Some((id, x, y)),
        _ => None,
    };
    let product = |id: NodeId| once(id, Op::Mul);
    let (whole, (inner, x, y), other) = match op {
        Op::Add if let Some(found) = product(a) => (Op::MulAdd, found, b),
        Op::Add => (Op::MulAdd, product(b)?, a),
        Op::Sub if let Some(found) = product(a) => (Op::MulSub, found, b),
        Op::Sub => (Op::SubMul, product(b)?, a),
        Op::Mul if let Some(found) = once(a, Op::Add) => (Op::AddMul, found, b),
        Op::Mul => (Op::AddMul, once(b, Op::Add)?, a),
        _ => return None,
    };
    taken[inner.index()] = true;
    Some((whole, [x, y, other]))
}

/// Instructions that wait for nothing, for those, and so on.
fn levels(graph: &Graph, pending: &[Pending]) -> Vec<Vec<Pending>> {
    let mut level_of = vec![0_usize; graph.len()];
    let mut levels: Vec<Vec<Pending>> = Vec::new();
    for instruction in pending {
        let operands = &instruction.operands[..instruction.op.operands()];
        let level = operands.iter().map(|id| level_of[id.index()]).max().unwrap_or(0);
        level_of[instruction.node.index()] = level + 1;
        if levels.len() == level {
            levels.push(Vec::new());
        }
        levels[level].push(*instruction);
    }
    levels
}

/// An instruction whose operands have registers.
type Placed = (Op, [u32; 3], NodeId);

/// Orders the instructions of a level by operation and cuts them into runs.
fn emit(level: Vec<Pending>, program: &mut Program, registers: &mut [u32], next: &mut u32) {
    let mut placed: Vec<Placed> = Vec::with_capacity(level.len());
    for instruction in level {
        let mut operands = [0; 3];
        let count = instruction.op.operands();
        for (place, id) in operands.iter_mut().zip(instruction.operands).take(count) {
            *place = registers[id.index()];
        }
        placed.push((instruction.op, operands, instruction.node));
    }
    placed.sort_unstable();
    for group in placed.chunk_by_mut(|a, b| a.0 == b.0) {
        sort_best(group);
        let operands: Vec<[u32; 3]> = group.iter().map(|(_, operands, _)| *operands).collect();
        cut(group[0].0, &operands, *next, program);
        for (_, _, node) in group {
            registers[node.index()] = *next;
            *next += 1;
        }
    }
}

/// Puts instructions with one operation into the order that costs least: by one of the operands, or as
/// they were written.
fn sort_best(group: &mut [Placed]) {
    let sort = |group: &mut [Placed], order: usize| match order {
        3 => group.sort_unstable_by_key(|(_, _, node)| *node),
        k => group.sort_unstable_by_key(|(_, operands, node)| (operands[k], *operands, *node)),
    };
    if group.len() < 2 {
        return;
    }
    // By an operand that all lack is by the first.
    let orders = (0..group[0].0.operands()).chain([3]);
    let mut operands = Vec::with_capacity(group.len());
    let cost_of = |order: &usize| {
        sort(group, *order);
        cost(group, &mut operands)
    };
    let best = orders.min_by_key(cost_of).expect("there is the order of writing");
    if best != 3 {
        sort(group, best);
    }
}

/// What runs in this order would cost: each is a decision, each listed place is read.
fn cost(group: &[Placed], operands: &mut Vec<[u32; 3]>) -> usize {
    let mut trial = Program::empty(Layout::default());
    operands.clear();
    operands.extend(group.iter().map(|(_, operands, _)| *operands));
    cut(group[0].0, operands, 0, &mut trial);
    trial.places.len() + RUN_COST * trial.runs.len()
}

/// One operation's instructions as runs: where all operands stand side by side, where some do, others.
fn cut(op: Op, operands: &[[u32; 3]], out: u32, program: &mut Program) {
    let shortest: LengthFunction = |streaks| streaks.iter().copied().min().unwrap_or(1);
    let longest: LengthFunction = |streaks| streaks.iter().copied().max().unwrap_or(1);
    if operands.len() < ROW_MIN {
        return run(op, operands, out, program);
    }
    split(op, operands, &SplitRule { length_min: ROW_MIN, length_of: shortest }, |part, is_row| {
        let at = part.start;
        if is_row {
            return run(op, &operands[part], out + register(at), program);
        }
        let rest = &operands[part];
        if rest.len() < PART_MIN {
            return run(op, rest, out + register(at), program);
        }
        split(op, rest, &SplitRule { length_min: PART_MIN, length_of: longest }, |part, _| {
            run(op, &rest[part.clone()], out + register(at + part.start), program);
        });
    });
}

/// The length of a run, given for how many instructions each operand is regular.
type LengthFunction = fn(&[usize]) -> usize;

/// Which stretches of operands are taken together.
struct SplitRule {
    length_min: usize,
    length_of: LengthFunction,
}

/// Calls `found` for stretches whose length, made of the streaks of the operands, is at least the
/// least one, and for what is between them.
fn split(
    op: Op,
    operands: &[[u32; 3]],
    rule: &SplitRule,
    mut found: impl FnMut(Range<usize>, bool),
) {
    let (mut start, mut open) = (0, 0);
    let count = op.operands();
    let streaks: Vec<Vec<usize>> = (0..count).map(|k| streaks(operands, k)).collect();
    let mut here = [1; 3];
    while start < operands.len() {
        for (length, streaks) in here.iter_mut().zip(&streaks) {
            *length = streaks[start];
        }
        let length = (rule.length_of)(&here[..count]);
        if rule.length_min <= length {
            found(open..start, false);
            found(start..start + length, true);
            open = start + length;
        }
        start += length;
    }
    found(open..operands.len(), false);
}

/// From each instruction on, how many have an operand `k` that stays, or that advances by one register.
fn streaks(operands: &[[u32; 3]], k: usize) -> Vec<usize> {
    let step = |at: usize| operands[at + 1][k].wrapping_sub(operands[at][k]);
    let mut streaks = vec![1; operands.len()];
    for at in (0..operands.len().saturating_sub(1)).rev() {
        let goes_on = at + 2 < operands.len() && step(at) == step(at + 1);
        streaks[at] = match step(at) {
            0 | 1 if goes_on => streaks[at + 1] + 1,
            0 | 1 => 2,
            _ => 1,
        };
    }
    streaks
}

/// Operand `k` of all, if it stays or advances by one register each time.
fn neighbors(operands: &[[u32; 3]], k: usize) -> Option<Operand> {
    let first = operands[0][k];
    if operands.iter().all(|operands| operands[k] == first) {
        return Some(Operand::Same(first));
    }
    let is_row = operands.iter().zip(first..).all(|(operands, place)| operands[k] == place);
    is_row.then_some(Operand::Row(first))
}

fn run(op: Op, operands: &[[u32; 3]], out: u32, program: &mut Program) {
    if operands.is_empty() {
        return;
    }
    let mut found = [Operand::Same(0); 3];
    for (k, place) in found.iter_mut().enumerate().take(op.operands()) {
        *place = neighbors(operands, k).unwrap_or_else(|| {
            program.places.extend(operands.iter().map(|operands| operands[k]));
            Operand::Listed(register(program.places.len() - operands.len()))
        });
    }
    program.runs.push(OperationRun { op, out, len: register(operands.len()), operands: found });
}
