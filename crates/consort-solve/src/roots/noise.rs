//! Rounding that crosses zero: an indicator that hardly leaves zero changes its sign by the last digits of
//! what it is computed from, and each such change would be an event, millions of them to a second.
//!
//! It is known by this: event follows event soon after the beginning of a step, between two of them the
//! indicator was never farther from zero than a few times what it jumps by, and that is nothing beside the
//! numbers it is computed from. Then it must leave zero by more than it jumps by before it has another event.

/// So many events in a row are noise.
const ROW_MAX: u64 = 64;
/// They follow each other within this part of the step that the solver takes: such a step has no end.
const SOON: f64 = 1e-2;
/// Between two events of a row it is no farther from zero than so many times the largest jump.
const FAR: f64 = 16.0;
/// From so many times the largest jump on, an event of what is known as noise counts again.
const ZONE: f64 = 8.0;
/// Noise is smaller than this part of the numbers that indicators are computed from, which is half of their
/// digits: where they are multiplied, so is their rounding.
const SMALL: f64 = 1.0 / (1_u64 << 26) as f64;

/// What is remembered of one indicator to distinguish noise from events.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Noise {
    /// How many events in a row may be noise.
    pub(super) row: u64,
    /// The largest value next to one of them.
    pub(super) jump: f64,
    /// How far from zero it has been since the last of them.
    pub(super) far: f64,
}

impl Noise {
    /// The same, if it can have come about.
    pub(super) fn checked(self) -> Option<Self> {
        (self.row <= ROW_MAX && 0.0 <= self.jump && 0.0 <= self.far).then_some(self)
    }

    /// Values no farther from zero than this are no event, if it is computed from numbers as large as `scale`.
    pub(super) fn zone(&self, scale: f64) -> f64 {
        let is_noise = self.is_suspect() && self.jump <= SMALL * scale;
        if is_noise { ZONE * self.jump } else { 0.0 }
    }

    /// Whether its events may be noise.
    pub(super) fn is_suspect(&self) -> bool {
        ROW_MAX <= self.row
    }

    /// An event was found between two values, after it had been as far as `far` from zero, in this part of
    /// the step.
    pub(super) fn count(&mut self, [low, high]: [f64; 2], far: f64, part: f64) {
        let jump = low.abs().max(high.abs());
        let is_near = far.max(jump) <= FAR * self.jump;
        if SOON < part || !is_near {
            (self.row, self.jump) = (1, jump);
        } else if self.row < ROW_MAX {
            (self.row, self.jump) = (self.row + 1, self.jump.max(jump));
        }
        self.far = 0.0;
    }

    /// No event was found, and it has been as far as this from zero since the last.
    pub(super) fn pass(&mut self, far: f64) {
        self.far = far;
        if FAR * self.jump < far {
            (self.row, self.jump) = (0, 0.0);
        }
    }
}
