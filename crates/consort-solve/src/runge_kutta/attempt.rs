//! One step: stages, error test, acceptance, and a look at stability.

use super::control::ERROR_LOG_MIN;
use super::tableau::{Stage, Weights, advance, sums};
use super::{Known, RungeKutta};
use crate::problem::{Problem, Reason, SolverFailure};

/// Stability is looked at with every so many steps, and with each after a look that found its limit.
const LOOK_EVERY: u64 = 64;

/// So many looks in favor make a hint, so many against it forget them.
pub(super) const LOOKS_FOR: u8 = 15;
pub(super) const LOOKS_AGAINST: u8 = 6;

impl RungeKutta {
    /// Tries steps until one passes. The first slope is known.
    pub(super) fn attempt<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<(), SolverFailure<P::Error>> {
        let control = &self.pair.tableau().control;
        let mut is_first = true;
        loop {
            let wanted = self.pace.next.min(self.options.step_max.unwrap_or(f64::INFINITY));
            let to = self.target(wanted, limit);
            let h = to - self.t;
            let error = self.stages(problem, to)?;
            if error <= 1.0 {
                let error_log = libm::log(error);
                let next = control.next(h, error_log, self.pace.error_log);
                let is_cut = h < wanted;
                self.pace.next = if is_first { next } else { next.min(h) };
                if is_cut {
                    self.pace.next = self.pace.next.max(wanted);
                } else {
                    self.pace.error_log = error_log.max(ERROR_LOG_MIN);
                }
                self.accept(to);
                return Ok(());
            }
            self.statistics.error_test_failures += 1;
            is_first = false;
            self.pace.next = control.again(h, error);
            self.check_size(h, error)?;
        }
    }

    /// Where a step of the size that is wanted ends: at the limit, if that is nearly reached.
    fn target(&self, wanted: f64, limit: f64) -> f64 {
        if limit - self.t <= 1.01 * wanted { limit } else { self.t + wanted }
    }

    /// Whether the step may be repeated with the size that was found after one of size `h`.
    fn check_size<E>(&self, h: f64, error: f64) -> Result<(), SolverFailure<E>> {
        let is_long_enough =
            self.options.step_min <= self.pace.next && self.t < self.t + 0.1 * self.pace.next;
        if is_long_enough {
            return Ok(());
        }
        let reason = if error.is_finite() { Reason::StepTooSmall } else { Reason::NotFinite };
        Err(self.fail(h, self.worst(h), reason))
    }

    /// Computes the states at `to` into `work`, and returns how large the error is; infinite if
    /// something is not finite.
    fn stages<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        to: f64,
    ) -> Result<f64, SolverFailure<P::Error>> {
        let tableau = self.pair.tableau();
        let h = to - self.t;
        let (end, inner) = tableau.stages.split_last().expect("a method has stages");
        for (row, stage) in inner.iter().enumerate() {
            advance(&mut self.work, &self.x, h, stage.weights, &self.slopes);
            self.slope(problem, self.t + stage.time * h, h, row + 1)?;
        }
        advance(&mut self.work, &self.x, h, end.weights, &self.slopes);
        let is_finite = self.work.iter().all(|x| x.is_finite());
        if tableau.error_uses_last && is_finite {
            self.slope(problem, to, h, tableau.last())?;
        }
        let error = if is_finite { self.error(h) } else { f64::INFINITY };
        if !tableau.error_uses_last && error <= 1.0 {
            self.slope(problem, to, h, tableau.last())?;
            let last = &self.slopes[tableau.last() * self.x.len()..][..self.x.len()];
            let is_finite = last.iter().all(|slope| slope.is_finite());
            return Ok(if is_finite { error } else { f64::INFINITY });
        }
        Ok(if error.is_finite() { error } else { f64::INFINITY })
    }

    /// Evaluates f at `t` and the states in `work` into a row of the slopes.
    #[inline]
    fn slope<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        t: f64,
        h: f64,
        row: usize,
    ) -> Result<(), SolverFailure<P::Error>> {
        let len = self.x.len();
        self.statistics.evaluations += 1;
        let evaluated =
            problem.derivatives(t, &self.work, &mut self.slopes[row * len..(row + 1) * len]);
        evaluated.map_err(|error| self.fail(h, None, Reason::Model(error)))
    }

    /// The error of a step of size `h` to the states in `work`; at most one is good enough.
    fn error(&mut self, h: f64) -> f64 {
        let count = self.x.len().max(1) as f64;
        match self.pair.tableau().errors {
            [only] => h * (self.squares(only) / count).sqrt(),
            [high, low, ..] => {
                // The estimate of order 5, made smaller where that of order 3 is much larger
                // (Hairer, Norsett and Wanner, section II.10).
                let (high, low) = (self.squares(high), self.squares(low));
                let both = high + 0.01 * low;
                if both == 0.0 { 0.0 } else { h * high / (both * count).sqrt() }
            }
            [] => 0.0,
        }
    }

    /// The sum of squares of an error's sums, each measured by its state's tolerance: four sums side by
    /// side, then those, then the rest.
    fn squares(&mut self, weights: Weights) -> f64 {
        let len = self.x.len();
        let (errors, tolerances) = (&mut self.errors[..len], &self.options.tolerances);
        sums(weights, &self.slopes, len, |i, sum| errors[i] = sum);
        let states = self.x.iter().zip(self.work.iter()).zip(&tolerances.absolute);
        for (error, ((x, new), absolute)) in errors.iter_mut().zip(states) {
            *error /= absolute + tolerances.relative * x.abs().max(new.abs());
        }
        let (fours, rest) = errors.as_chunks::<4>();
        let mut squares = [0.0; 4];
        for four in fours {
            squares.iter_mut().zip(four).for_each(|(square, error)| *square += error * error);
        }
        let sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
        rest.iter().fold(sum, |sum, error| sum + error * error)
    }

    /// The state whose error is largest, or whose error is no number.
    fn worst(&self, h: f64) -> Option<usize> {
        let (relative, absolute) =
            (self.options.tolerances.relative, &self.options.tolerances.absolute);
        let weights = self.pair.tableau().errors.first()?;
        let mut worst = (0.0, None);
        sums(weights, &self.slopes, self.x.len(), |i, sum| {
            let allowed = absolute[i] + relative * self.x[i].abs().max(self.work[i].abs());
            let measured = (h * sum / allowed).abs();
            let measured = if measured.is_nan() { f64::INFINITY } else { measured };
            if worst.0 < measured {
                worst = (measured, Some(i));
            }
        });
        worst.1
    }

    /// Makes the states in `work` those of the solver.
    fn accept(&mut self, to: f64) {
        self.statistics.steps += 1;
        if self.statistics.steps.is_multiple_of(LOOK_EVERY) || 0 < self.pace.stiff_looks {
            self.look_at_stability();
        }
        std::mem::swap(&mut self.x_from, &mut self.x);
        std::mem::swap(&mut self.x, &mut self.work);
        (self.from, self.t, self.known) = (self.t, to, Known::Last);
    }

    /// Compares the slopes of two points of the same time: if they differ as much as is stable, steps
    /// are short for stability's sake (Hairer and Wanner: Solving ODEs II, section IV.2).
    fn look_at_stability(&mut self) {
        let tableau = self.pair.tableau();
        let Some((row, distance, stable)) = tableau.stiffness else { return };
        let (len, last) = (self.x.len(), tableau.last());
        let (mut slopes, mut points) = (0.0, 0.0);
        let (one, other) = (&self.slopes[row * len..][..len], &self.slopes[last * len..][..len]);
        sums(distance, &self.slopes, len, |i, sum| {
            slopes += (other[i] - one[i]) * (other[i] - one[i]);
            points += sum * sum;
        });
        // `points` lacks a factor of the step size squared.
        if stable * stable * points < slopes {
            (self.pace.stiff_looks, self.pace.calm_looks) = (self.pace.stiff_looks + 1, 0);
        } else {
            self.pace.calm_looks = (self.pace.calm_looks + 1).min(LOOKS_AGAINST);
            if self.pace.calm_looks == LOOKS_AGAINST {
                self.pace.stiff_looks = 0;
            }
        }
        if self.pace.stiff_looks == LOOKS_FOR {
            self.statistics.stiffness_hints += 1;
            self.pace.stiff_looks = 0;
        }
    }

    /// Evaluates one more stage of the last step, whose states are `x_from`.
    pub(super) fn dense_stage<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        stage: &Stage,
        row: usize,
    ) -> Result<(), SolverFailure<P::Error>> {
        let h = self.t - self.from;
        advance(&mut self.work, &self.x_from, h, stage.weights, &self.slopes);
        self.slope(problem, self.from + stage.time * h, h, row)
    }
}
