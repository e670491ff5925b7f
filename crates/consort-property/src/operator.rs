//! What temporal operators have in common: how far they look, and what they receive in a round.

use crate::fold::Piece;
use crate::interval::Interval;

/// What a round is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// More will come: only what is certain is answered.
    More,
    /// More may come; everything is answered as well as is known now.
    Preview,
    /// Nothing more will come.
    End,
}

/// How far an operator looks, in positions; without an end, to the end of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reach {
    pub(crate) from: i64,
    pub(crate) to: Option<i64>,
}

/// An operator of `hold` until, or since, `goal`; `goal` alone is eventually, or once.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) reach: Reach,
    pub(crate) is_turned: bool,
    pub(crate) hold: Option<usize>,
    pub(crate) goal: usize,
}

/// What one operator has to know.
pub(crate) struct Inputs {
    pub(crate) known: i64,
    pub(crate) mode: Mode,
    pub(crate) is_dense: bool,
    /// `until` and `since`, of which something must hold on the way.
    pub(crate) is_binary: bool,
    /// `always` is: not eventually not.
    pub(crate) is_turned: bool,
}

impl Inputs {
    pub(crate) fn turned(&self, value: Interval) -> Interval {
        if self.is_turned { value.not() } else { value }
    }
}

/// Adds a piece, or makes the last one longer.
pub(crate) fn emit(out: &mut Vec<Piece>, piece: Piece) {
    match out.last_mut() {
        Some(last) if last.end == piece.start && last.value == piece.value => last.end = piece.end,
        _ => out.push(piece),
    }
}
