//! One round: the values of a time are known, and every operator is evaluated as far as possible.

use crate::fold::{Element, Piece};
use crate::future::Future;
use crate::interval::Interval;
use crate::operator::{Held, Inputs, Mode, emit};
use crate::past::Past;
use crate::plan::{Rule, Source};
use crate::zip::Zip;

/// The values of a time.
pub(crate) struct Sample<'a> {
    pub(crate) start: i64,
    /// One past the last position at which they hold.
    pub(crate) end: i64,
    pub(crate) values: &'a [f64],
    /// Signals that changed at some tag of the time.
    pub(crate) changed: &'a [bool],
    /// Signals that were not zero at some tag of the time.
    pub(crate) ticked: &'a [bool],
}

/// What all operators of a round share.
pub(crate) struct Round<'a> {
    /// Nothing is new in a preview.
    pub(crate) sample: Option<Sample<'a>>,
    /// Every position before this one was seen.
    pub(crate) known: i64,
    pub(crate) mode: Mode,
    pub(crate) is_dense: bool,
}

/// An operator or an atom, and what it said in this round.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) memory: Memory,
    /// What it said in this round.
    pub(crate) out: Vec<Piece>,
    /// It has spoken about every position before this one.
    pub(crate) known: i64,
}

/// What an operator remembers from round to round.
#[derive(Clone, Debug)]
pub(crate) enum Memory {
    Nothing,
    Join(Zip),
    /// The value just before.
    Rise(Interval),
    Future(Zip, Box<Future>),
    Past(Zip, Box<Past>),
}

impl Memory {
    pub(crate) fn new(rule: &Rule) -> Self {
        match rule {
            Rule::Source(_) | Rule::Not(_) => Memory::Nothing,
            Rule::Join(..) => Memory::Join(Zip::default()),
            Rule::Rise(_) => Memory::Rise(Interval::FALSE),
            Rule::Future(held) => {
                let future = Future::new(held.reach, held.hold.is_some());
                Memory::Future(Zip::default(), Box::new(future))
            }
            Rule::Past(held) => {
                let past = Past::new(held.reach, held.hold.is_some());
                Memory::Past(Zip::default(), Box::new(past))
            }
        }
    }
}

impl Held {
    fn inputs(&self, round: &Round, nodes: &[Node]) -> Inputs {
        Inputs {
            known: self.known(nodes),
            mode: round.mode,
            is_dense: round.is_dense,
            is_binary: self.hold.is_some(),
            is_turned: self.is_turned,
        }
    }

    /// Every position before this one is known of both operands.
    pub(crate) fn known(&self, nodes: &[Node]) -> i64 {
        let goal = nodes[self.goal].known;
        self.hold.map_or(goal, |hold| goal.min(nodes[hold].known))
    }

    /// Calls with what is new.
    pub(crate) fn each(&self, nodes: &[Node], zip: &mut Zip, mut take: impl FnMut(Element)) {
        let turned = |value: Interval| if self.is_turned { value.not() } else { value };
        let Some(hold) = self.hold else {
            for piece in &nodes[self.goal].out {
                let Piece { start, end, value } = *piece;
                take(Element { start, end, hold: Interval::TRUE, goal: turned(value) });
            }
            return;
        };
        zip.feed(&nodes[hold].out, &nodes[self.goal].out);
        while let Some((Piece { start, end, value }, goal)) = zip.next() {
            take(Element { start, end, hold: value, goal: turned(goal) });
        }
    }
}

impl Node {
    pub(crate) fn new(rule: &Rule) -> Self {
        Node { memory: Memory::new(rule), out: Vec::new(), known: 0 }
    }

    /// Continues as far as possible; `nodes` are those before it, which have done so.
    pub(crate) fn advance(&mut self, rule: &Rule, nodes: &[Node], round: &Round) {
        self.out.clear();
        let out = &mut self.out;
        self.known = match (rule, &mut self.memory) {
            (Rule::Source(source), _) => {
                source.speak(round, out);
                round.known
            }
            (Rule::Not(of), _) => {
                let turned = |piece: &Piece| Piece { value: piece.value.not(), ..*piece };
                out.extend(nodes[*of].out.iter().map(turned));
                nodes[*of].known
            }
            (Rule::Join(joint, a, b), Memory::Join(zip)) => {
                zip.feed(&nodes[*a].out, &nodes[*b].out);
                while let Some((piece, right)) = zip.next() {
                    let value = Interval::join(*joint, piece.value, right);
                    emit(out, Piece { value, ..piece });
                }
                nodes[*a].known.min(nodes[*b].known)
            }
            (Rule::Rise(of), Memory::Rise(before)) => {
                rise(&nodes[*of].out, before, out);
                nodes[*of].known
            }
            (Rule::Future(held), Memory::Future(zip, future)) => {
                held.each(nodes, zip, |element| future.take(element, round.is_dense));
                future.answer(&held.inputs(round, nodes), out)
            }
            (Rule::Past(held), Memory::Past(zip, past)) => {
                held.each(nodes, zip, |element| past.take(element));
                past.answer(&held.inputs(round, nodes), out)
            }
            _ => unreachable!("each rule has the memory that was made for it"),
        };
    }
}

impl Source {
    fn speak(&self, round: &Round, out: &mut Vec<Piece>) {
        let Some(sample) = &round.sample else { return };
        let Sample { start, end, values, .. } = *sample;
        let value = match self {
            Source::Constant(truth) => Interval::of(*truth),
            Source::Compare { comparison, left, right, scale } => {
                Interval::compare(*comparison, left.value(values), right.value(values), *scale)
            }
            Source::Signal(place) if values[*place].is_nan() => Interval::UNKNOWN,
            Source::Signal(place) => Interval::of(values[*place] < 0.0 || 0.0 < values[*place]),
            Source::Event(place) => Interval::of(sample.changed[*place]),
            Source::Tick(place) => Interval::of(sample.ticked[*place]),
        };
        let is_instant = matches!(self, Source::Event(_) | Source::Tick(_));
        if is_instant && start + 1 < end {
            out.push(Piece { start, end: start + 1, value });
            emit(out, Piece { start: start + 1, end, value: Interval::FALSE });
        } else {
            out.push(Piece { start, end, value });
        }
    }
}

/// True where it holds and did not just before; inside of an open interval, just before is the same.
fn rise(pieces: &[Piece], before: &mut Interval, out: &mut Vec<Piece>) {
    for &Piece { start, end, value } in pieces {
        let inside = value.and(value.not());
        if start & 1 == 0 {
            let value = value.and(before.not());
            emit(out, Piece { start, end: start + 1, value });
        }
        let rest = start + (start & 1 ^ 1);
        if rest < end {
            emit(out, Piece { start: rest, end, value: inside });
        }
        *before = value;
    }
}
