//! The first step, and how the size of steps follows the error.

use super::tableau::Control;
use super::{Known, RungeKutta, StepControl};
use crate::problem::{Problem, Reason, SolverFailure};

/// The logarithm of the smallest error that the controller remembers, 1e-4.
pub(super) const ERROR_LOG_MIN: f64 = -9.210_340_371_976_182;

/// Steps aim at a little less than the error allowed.
const SAFETY: f64 = 0.9;

/// A step of which something is not finite is repeated so much shorter.
const NOT_FINITE: f64 = 0.1;

impl StepControl {
    /// The control before the first step.
    pub(super) const NEW: StepControl =
        StepControl { next: 0.0, error_log: ERROR_LOG_MIN, stiff_looks: 0, calm_looks: 0 };
}

impl Control {
    /// The size of the step after one of size `h`, from the logarithms of its error and of that of the
    /// step before.
    pub(super) fn next(&self, h: f64, error_log: f64, before_log: f64) -> f64 {
        let power = 1.0 / self.order - 0.75 * self.beta;
        let factor = libm::exp(power * error_log - self.beta * before_log) / SAFETY;
        h / factor.clamp(1.0 / self.grow_max, self.shrink_max)
    }

    /// The size with which a step of size `h` is repeated.
    pub(super) fn again(&self, h: f64, error: f64) -> f64 {
        if !error.is_finite() {
            return h * NOT_FINITE;
        }
        let power = 1.0 / self.order - 0.75 * self.beta;
        h / (libm::pow(error, power) / SAFETY).min(self.shrink_max)
    }
}

impl RungeKutta {
    /// Sees to the first slope and the size of the step.
    pub(super) fn begin<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<(), SolverFailure<P::Error>> {
        let len = self.x.len();
        match self.known {
            Known::First => {}
            Known::Last => {
                let last = self.pair.tableau().last() * len;
                self.slopes.copy_within(last..last + len, 0);
            }
            Known::None => {
                self.first_slope(problem)?;
                let reach = self.options.tolerances.reach(&self.x, &self.slopes[..len]);
                self.pace.next = self.pace.next.min(reach);
            }
        }
        self.known = Known::First;
        if self.pace.next == 0.0 {
            self.pace.next = match self.options.first_step {
                Some(step) => step,
                None => self.first_step(problem, limit)?,
            };
        }
        Ok(())
    }

    fn first_slope<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
    ) -> Result<(), SolverFailure<P::Error>> {
        let slope = &mut self.slopes[..self.x.len()];
        self.statistics.evaluations += 1;
        let evaluated = problem.derivatives(self.t, &self.x, slope);
        evaluated.map_err(|error| self.fail(self.pace.next, None, Reason::Model(error)))?;
        match self.slopes[..self.x.len()].iter().position(|slope| !slope.is_finite()) {
            None => Ok(()),
            bad => Err(self.fail(self.pace.next, bad, Reason::NotFinite)),
        }
    }

    /// A first step for which an Euler step would be fair (Hairer, Norsett and Wanner, section II.4).
    fn first_step<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<f64, SolverFailure<P::Error>> {
        let len = self.x.len();
        let longest = self.options.step_max.unwrap_or(f64::INFINITY);
        let (size, pace) = (self.weighted(&self.x), self.weighted(&self.slopes[..len]));
        let is_tiny = size <= 1e-5 || pace <= 1e-5;
        let trial = if is_tiny { 1e-6 } else { 0.01 * (size / pace) };
        let trial = trial.min(longest).min(limit - self.t);
        for i in 0..len {
            self.work[i] = self.x[i] + trial * self.slopes[i];
        }
        let room = &mut self.slopes[len..2 * len];
        self.statistics.evaluations += 1;
        let evaluated = problem.derivatives(self.t + trial, &self.work, room);
        evaluated.map_err(|error| self.fail(trial, None, Reason::Model(error)))?;
        for i in 0..len {
            self.work[i] = self.slopes[len + i] - self.slopes[i];
        }
        let steepest = pace.max(self.weighted(&self.work) / trial);
        let fair = match () {
            () if !steepest.is_finite() => trial,
            () if steepest <= 1e-15 => (trial * 1e-3).max(1e-6),
            () => libm::pow(0.01 / steepest, 1.0 / self.pair.tableau().control.order),
        };
        Ok(fair.min(100.0 * trial).min(longest))
    }

    /// The root of the mean square of values measured by the tolerances at the current states.
    fn weighted(&self, values: &[f64]) -> f64 {
        let (relative, absolute) =
            (self.options.tolerances.relative, &self.options.tolerances.absolute);
        let mut sum = 0.0;
        for ((value, x), absolute) in values.iter().zip(&self.x).zip(absolute) {
            let measured = value / (absolute + relative * x.abs());
            sum += measured * measured;
        }
        (sum / values.len().max(1) as f64).sqrt()
    }
}
