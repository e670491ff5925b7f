//! Derivatives that are pushed back to where they switch, from both sides: no solver gets past.
//!
//! In `der(x) = if x > 0 then -1 else 1` the solver creeps up to zero and stays there with tiny steps, without
//! an event. It is known by this: a comparison in the equations stays near its switch over very many steps
//! that go back and forth and hardly move time.

use consort_equations::{Equations, Indicator};

/// What is remembered of one comparison that switches equations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Chatter {
    /// The farthest it has been from its switch.
    pub(super) largest: f64,
    /// How far it was after the last step.
    pub(super) last: f64,
    pub(super) is_rising: bool,
    /// How often it went back while it was near its switch, and since when.
    pub(super) reversals: u64,
    pub(super) since: f64,
}

/// Nearer to its switch than this part of the farthest it has been.
const NEAR: f64 = 1e-6;
/// So many reversals within this part of the time since the start make no progress.
const REVERSALS_MAX: u64 = 10_000;
const REVERSALS_FRACTION: f64 = 1e-3;

impl Chatter {
    fn new() -> Self {
        let (largest, last, since) = (0.0, 0.0, f64::NEG_INFINITY);
        Chatter { largest, last, is_rising: false, reversals: 0, since }
    }

    /// One for each comparison that is watched.
    pub(super) fn all(equations: &Equations) -> Vec<Self> {
        watched(equations).map(|_| Chatter::new()).collect()
    }

    /// Looks at the value after a step; whether it goes back and forth without end.
    pub(super) fn is_endless(&mut self, value: f64, start: f64, time: f64) -> bool {
        self.largest = self.largest.max(value.abs());
        if NEAR * self.largest < value.abs() {
            (self.reversals, self.since) = (0, time);
        }
        let is_rising = self.last < value;
        self.reversals += u64::from(is_rising != self.is_rising);
        (self.last, self.is_rising) = (value, is_rising);
        REVERSALS_MAX < self.reversals && time - self.since < REVERSALS_FRACTION * (time - start)
    }
}

/// The numbers of comparisons that switch equations by more than time.
pub(super) fn watched(equations: &Equations) -> impl Iterator<Item = usize> {
    let is_watched = |indicator: &Indicator| indicator.in_equations && indicator.instant.is_none();
    let all = equations.indicators.iter().enumerate();
    all.filter(move |(_, indicator)| is_watched(indicator)).map(|(at, _)| at)
}
