//! Steps of fixed length, cut at given times.

mod bytes;

use crate::fixed_step::FixedStep;
use crate::method::Method;
use crate::problem::{Advanced, Keep, Problem, Reason, SolverFailure, SolverStatistics, same_bits};
use consort_core::clone_by_field;

/// Solves x' = f(t, x) by a [`Method`] of fixed step, between limits that need not lie on the grid of its
/// steps.
///
/// - Steps have the length it was made with, counted from the last limit or restart and never added up;
///   the last one before a limit is cut. Made without a length, it takes one step to each limit.
/// - A step of another length and a restart forget the history of a multistep method, which then
///   starts anew.
/// - Between the ends of a step it interpolates by the cubic that has their states and slopes.
/// - It is one plain value: a clone of it, or its bytes, continue exactly as it would have. Two
///   solvers are equal if they continue alike to the bit.
/// - It allocates when it is made and never in a step.
///
/// ```
/// use consort_solve::{Method, FixedStepSolver, Problem};
///
/// struct Decay;
/// impl Problem for Decay {
///     type Error = std::convert::Infallible;
///     fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error> {
///         dx[0] = -x[0];
///         Ok(())
///     }
/// }
///
/// let mut solver = FixedStepSolver::new(Method::RungeKutta4, 1, Some(0.01));
/// solver.start(0.0, &[1.0]);
/// while solver.state().0 < 2.0 {
///     solver.step(&mut Decay, 2.0).expect("a harmless problem");
/// }
/// assert_eq!(solver.statistics().steps, 200);
/// assert!((solver.state().1[0] - (-2.0_f64).exp()).abs() < 1e-9);
/// ```
#[derive(Debug)]
pub struct FixedStepSolver {
    fixed: FixedStep,
    length: Option<f64>,
    /// The length of the last whole step, without a length; zero if there is none.
    pace: f64,
    /// Where steps are counted from, and how many there were since.
    base: f64,
    count: u64,
    /// Where the last step began; equal to `t` if there is none.
    from: f64,
    t: f64,
    x: Vec<f64>,
    x_from: Vec<f64>,
    /// f(`t`, `x`), if it is known, and f at the start of the last step.
    slope: Vec<f64>,
    slope_from: Vec<f64>,
    is_known: bool,
    statistics: SolverStatistics,
}

clone_by_field!(FixedStepSolver {
    fixed,
    length,
    pace,
    base,
    count,
    from,
    t,
    x,
    x_from,
    slope,
    slope_from,
    is_known,
    statistics,
});

/// How far from its nominal length a step may be, as a part of it, because times are rounded.
const SLACK: f64 = 1e-9;

impl FixedStepSolver {
    /// A solver for `len` states with steps of this length, or of the length from limit to limit; it
    /// is at time zero with all states zero until it is started.
    ///
    /// # Panics
    ///
    /// If the length is not positive and finite, or there are more than [`FixedStep::STATES_MAX`] states.
    pub fn new(method: Method, len: usize, length: Option<f64>) -> Self {
        assert!(length.is_none_or(is_length), "a step of {length:?} s");
        Self::at_rest(FixedStep::new(method, len), len, length)
    }

    /// One that was not started, for `len` states.
    fn at_rest(fixed: FixedStep, len: usize, length: Option<f64>) -> Self {
        let list = || vec![0.0; len];
        FixedStepSolver {
            fixed,
            length,
            pace: 0.0,
            base: 0.0,
            count: 0,
            from: 0.0,
            t: 0.0,
            x: list(),
            x_from: list(),
            slope: list(),
            slope_from: list(),
            is_known: false,
            statistics: SolverStatistics::default(),
        }
    }

    /// Begins at `t` with the states `x`, as a new solver would.
    ///
    /// # Panics
    ///
    /// If there are not as many states as the solver was made for.
    pub fn start(&mut self, t: f64, x: &[f64]) {
        self.restart(t, x, Keep::Nothing);
    }

    /// Continues from `t` and `x` after something changed, with what may be kept.
    ///
    /// # Panics
    ///
    /// As [`FixedStepSolver::start`].
    pub fn restart(&mut self, t: f64, x: &[f64], keep: Keep) {
        let is_own = self.t.to_bits() == t.to_bits() && same_bits(&self.x, x);
        if keep == Keep::Everything && is_own {
            return;
        }
        self.x.copy_from_slice(x);
        (self.t, self.from, self.base, self.count) = (t, t, t, 0);
        self.is_known = false;
        self.fixed.restart();
        if keep == Keep::Nothing {
            self.pace = 0.0;
        }
    }

    /// Where it is: time and states.
    pub fn state(&self) -> (f64, &[f64]) {
        (self.t, &self.x)
    }

    /// What it did since it was made.
    pub fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    /// The order of its method.
    pub(crate) fn order(&self) -> u64 {
        match self.fixed.method() {
            Method::Euler => 1,
            Method::AdamsBashforth2(_) => 2,
            Method::AdamsBashforth3(_) => 3,
            Method::RungeKutta4 => 4,
        }
    }

    /// How many bytes it takes that no copy has.
    pub(crate) fn unshared_bytes(&self) -> usize {
        let lists = [&self.x, &self.x_from, &self.slope, &self.slope_from];
        let lists = lists.map(|list| size_of_val(&list[..])).iter().sum::<usize>();
        size_of::<Self>() + lists + self.fixed.history_bytes()
    }

    /// One step, at most to `limit`.
    ///
    /// # Errors
    /// If the model failed, or states or slopes are not finite: then it is where it was before the step.
    pub fn step<P: Problem>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<Advanced, SolverFailure<P::Error>> {
        let from = self.t;
        let (length, to) = self.next(limit);
        let fail = |worst, reason| SolverFailure { t: from, step: length, worst, reason };
        if to <= from {
            return Err(fail(None, Reason::StepTooSmall));
        }
        self.look(problem).map_err(|error| fail(None, Reason::Model(error)))?;
        self.x_from.copy_from_slice(&self.x);
        self.slope_from.copy_from_slice(&self.slope);
        let moved = self.move_on(problem, length, to);
        let bad = |list: &[f64]| list.iter().position(|value| !value.is_finite());
        let worst = bad(&self.x).or_else(|| bad(&self.slope));
        let reason = match moved {
            Err(error) => Reason::Model(error),
            Ok(()) if worst.is_some() => Reason::NotFinite,
            Ok(()) => {
                self.arrive(limit, to);
                return Ok(Advanced { from, to });
            }
        };
        let x_from = std::mem::take(&mut self.x_from);
        self.restart(from, &x_from, Keep::StepSize);
        self.x_from = x_from;
        Err(fail(worst, reason))
    }

    /// The length of the next step, and where it ends.
    fn next(&mut self, limit: f64) -> (f64, f64) {
        let rest = limit - self.t;
        let near = |a: f64, b: f64| (a - b).abs() <= SLACK * b + 4.0 * f64::EPSILON * limit.abs();
        let Some(length) = self.length else {
            if !near(rest, self.pace) {
                self.pace = rest;
            }
            return (self.pace, limit);
        };
        let to = self.base + (self.count + 1) as f64 * length;
        match near(rest, length) {
            true => (length, limit),
            false if limit <= to => (rest, limit),
            false => (length, to),
        }
    }

    /// Finds out f where it is, unless it knows.
    fn look<P: Problem>(&mut self, problem: &mut P) -> Result<(), P::Error> {
        if self.is_known {
            return Ok(());
        }
        self.statistics.evaluations += 1;
        problem.derivatives(self.t, &self.x, &mut self.slope)?;
        self.is_known = true;
        Ok(())
    }

    /// The step itself, and the slope at its end.
    fn move_on<P: Problem>(
        &mut self,
        problem: &mut P,
        length: f64,
        to: f64,
    ) -> Result<(), P::Error> {
        let (slope, evaluations) = (&self.slope_from, &mut self.statistics.evaluations);
        let (mut failed, mut is_first) = (Ok(()), true);
        let derivatives = |t: f64, x: &[f64], dx: &mut [f64]| {
            if std::mem::take(&mut is_first) {
                dx.copy_from_slice(slope);
            } else if failed.is_ok() {
                *evaluations += 1;
                failed = problem.derivatives(t, x, dx);
            }
        };
        self.fixed.step(&mut self.x, derivatives, self.t, length);
        failed?;
        self.statistics.evaluations += 1;
        problem.derivatives(to, &self.x, &mut self.slope)
    }

    fn arrive(&mut self, limit: f64, to: f64) {
        (self.from, self.t) = (self.t, to);
        self.statistics.steps += 1;
        if limit <= to {
            (self.base, self.count) = (to, 0);
        } else {
            self.count += 1;
        }
    }

    /// The states at a time within the last step: a cubic through both ends.
    ///
    /// # Panics
    ///
    /// If `x` is not as long as the solver was made for.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        let length = self.t - self.from;
        if length <= 0.0 {
            x.copy_from_slice(&self.x);
            return;
        }
        let part = (t - self.from) / length;
        let rest = 1.0 - part;
        for (i, x) in x.iter_mut().enumerate() {
            let line = rest * self.x_from[i] + part * self.x[i];
            let rise = self.x[i] - self.x_from[i];
            let bend = rest * (length * self.slope_from[i] - rise)
                + part * (rise - length * self.slope[i]);
            *x = line + part * rest * bend;
        }
    }
}

fn is_length(length: f64) -> bool {
    0.0 < length && length.is_finite()
}
