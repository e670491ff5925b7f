//! One solver for all methods of fixed step.

mod bytes;

use crate::method::Method;
use consort_core::clone_by_field;

/// Steps x' = f(x, u, t) on by one [`Method`]. The states are the caller's; the solver keeps the
/// derivatives of earlier steps that a multistep method needs.
///
/// - The first steps are taken as the method's [`Start`](crate::Start) says. A step of another
///   length than the one before, compared to the bit, starts anew; so must the caller, with
///   [`FixedStep::restart`], after states jumped.
/// - Two solvers are equal if they continue alike to the bit.
#[derive(Debug)]
pub struct FixedStep {
    method: Method,
    states: usize,
    /// The length of the steps in the history; zero if there are none.
    length: f64,
    /// How many derivatives of the history are there.
    filled: usize,
    /// The derivatives of earlier steps, the last step's first.
    history: Vec<f64>,
    /// Room within a step; means nothing between steps.
    work: Vec<f64>,
}

clone_by_field!(FixedStep { method, states, length, filled, history, work });

impl FixedStep {
    /// The most states of one solver; bytes with more are refused.
    pub const STATES_MAX: usize = 1 << 24;

    /// A solver without history for so many states.
    ///
    /// # Panics
    ///
    /// If there are more than [`FixedStep::STATES_MAX`] states.
    pub fn new(method: Method, states: usize) -> Self {
        assert!(states <= Self::STATES_MAX, "{states} states are too many for one solver");
        let lists = if method.steps_by_stages(0) { 3 } else { 1 };
        FixedStep {
            method,
            states,
            length: 0.0,
            filled: 0,
            history: vec![0.0; method.history() * states],
            work: vec![0.0; lists * states],
        }
    }

    /// The method of the solver.
    pub fn method(&self) -> Method {
        self.method
    }

    /// For how many states it was made.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Forgets earlier steps: the next one is a first one.
    pub fn restart(&mut self) {
        (self.length, self.filled) = (0.0, 0);
    }

    /// Takes over the state of a solver of the same method and size, without a new allocation.
    ///
    /// # Panics
    ///
    /// If the other is of another method or size.
    pub fn copy_from(&mut self, other: &FixedStep) {
        assert!(self.is_like(other), "solvers of different kinds");
        self.clone_from(other);
    }

    /// Whether both have the same method and size, so that one can take over the other's state.
    pub fn is_like(&self, other: &FixedStep) -> bool {
        self.method == other.method && self.states == other.states
    }

    /// Moves `x` from `t` to `t + h`. `f(t, x, dx)` puts the derivative into every element of `dx`,
    /// with the input held over the step. A step of length zero changes nothing.
    ///
    /// # Panics
    ///
    /// If `x` is not as long as the solver was made for, or `h` is not finite.
    pub fn step(
        &mut self,
        x: &mut [f64],
        mut f: impl FnMut(f64, &[f64], &mut [f64]),
        t: f64,
        h: f64,
    ) {
        assert_eq!(x.len(), self.states, "the solver was made for another number of states");
        assert!(h.is_finite(), "a step of {h} s");
        if h == 0.0 {
            return;
        }
        if self.length.to_bits() != h.to_bits() {
            self.restart();
        }
        f(t, x, &mut self.work[..self.states]);
        if self.method.steps_by_stages(self.filled) {
            self.remember(h);
            self.add_stages(x, &mut f, t, h);
        } else {
            self.add_history(x, h);
            self.remember(h);
        }
    }

    /// Euler and Adams-Bashforth, as far as the history reaches.
    fn add_history(&self, x: &mut [f64], h: f64) {
        let (now, past) = (&self.work, &self.history);
        for (i, x) in x.iter_mut().enumerate() {
            let slope = match self.filled {
                0 => now[i],
                1 => 3.0 / 2.0 * now[i] - 1.0 / 2.0 * past[i],
                _ => {
                    let newer = 23.0 / 12.0 * now[i] - 4.0 / 3.0 * past[i];
                    newer + 5.0 / 12.0 * past[self.states + i]
                }
            };
            *x += h * slope;
        }
    }

    /// The rest of a Runge-Kutta step, whose first derivative was just computed.
    fn add_stages(
        &mut self,
        x: &mut [f64],
        f: &mut impl FnMut(f64, &[f64], &mut [f64]),
        t: f64,
        h: f64,
    ) {
        let (slope, rest) = self.work.split_at_mut(self.states);
        let (stage, sum) = rest.split_at_mut(self.states);
        sum.copy_from_slice(slope);
        for (part, weight) in [(h / 2.0, 2.0), (h / 2.0, 2.0), (h, 1.0)] {
            for ((stage, x), slope) in stage.iter_mut().zip(x.iter()).zip(slope.iter()) {
                *stage = x + part * slope;
            }
            f(t + part, stage, slope);
            sum.iter_mut().zip(slope.iter()).for_each(|(sum, slope)| *sum += weight * slope);
        }
        x.iter_mut().zip(sum.iter()).for_each(|(x, sum)| *x += h / 6.0 * sum);
    }

    /// Puts the derivative at the start of this step before those of earlier ones.
    fn remember(&mut self, h: f64) {
        let (rows, states) = (self.method.history(), self.states);
        if rows == 0 {
            return;
        }
        self.history.copy_within(..(rows - 1) * states, states);
        self.history[..states].copy_from_slice(&self.work[..states]);
        (self.length, self.filled) = (h, rows.min(self.filled + 1));
    }

    /// How many bytes the history takes.
    pub(crate) fn history_bytes(&self) -> usize {
        size_of_val(&self.history[..])
    }

    /// The derivatives that count.
    fn live(&self) -> &[f64] {
        &self.history[..self.filled * self.states]
    }
}

impl PartialEq for FixedStep {
    fn eq(&self, other: &Self) -> bool {
        let pace = |solver: &FixedStep| (solver.length.to_bits(), solver.filled);
        let bits = |slope: &f64| slope.to_bits();
        let is_alike = self.is_like(other) && pace(self) == pace(other);
        is_alike && self.live().iter().map(bits).eq(other.live().iter().map(bits))
    }
}
