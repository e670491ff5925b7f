//! Two streams of pieces, brought to the same positions.

use crate::fold::Piece;
use crate::interval::Interval;
use std::collections::VecDeque;

/// Keeps of two streams what the other has not reached yet.
#[derive(Clone, Default, Debug)]
pub(crate) struct Zip {
    pub(crate) left: VecDeque<Piece>,
    pub(crate) right: VecDeque<Piece>,
}

impl Zip {
    pub(crate) fn feed(&mut self, left: &[Piece], right: &[Piece]) {
        self.left.extend(left);
        self.right.extend(right);
    }

    /// The next positions at which both are known, and the two values.
    pub(crate) fn next(&mut self) -> Option<(Piece, Interval)> {
        let (left, right) = (self.left.front_mut()?, self.right.front_mut()?);
        let end = left.end.min(right.end);
        let both = (Piece { end, ..*left }, right.value);
        (left.start, right.start) = (end, end);
        self.left.pop_front_if(|piece| piece.end <= end);
        self.right.pop_front_if(|piece| piece.end <= end);
        Some(both)
    }
}
