//! The first step: as long as the solution's bend allows at order one (Hindmarsh 1980).
//!
//! A restart tries the step that was right before, which is but a guess: whatever changed may be faster by any
//! factor. A guess that fails badly is forgotten and the first step found as at a start, so that what is
//! solved from a start on is solved from a restart on too.

use super::Multistep;
use super::control::RATIO_MAX_FIRST;
use super::norm::norm_of_difference;
use crate::problem::{Problem, Reason, SolverFailure};

/// The shortest first step, in units of the last digit of time.
const LOWER: f64 = 100.0;
/// The longest: this part of the way to the limit, and of each state's size and tolerance.
const UPPER: f64 = 0.1;
/// What is found is taken with this safety.
const SAFETY: f64 = 0.5;
const ITERATIONS_MAX: u32 = 4;
/// A trial step where f has no value is made shorter by this part, so often.
const NOT_FINITE_PART: f64 = 0.2;
const NOT_FINITE_MAX: u32 = 20;

impl Multistep {
    /// Finds the first step and makes the history of order one.
    pub(super) fn begin<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<(), SolverFailure<P::Error>> {
        self.pace.h = 1.0;
        let model = |solver: &Self, error| solver.failure(Reason::Model(error), None);
        self.load_slope(problem).map_err(|error| model(self, error))?;
        let slopes = self.history.row(1);
        if let Some(worst) = slopes.iter().position(|slope| !slope.is_finite()) {
            return Err(self.failure(Reason::NotFinite, Some(worst)));
        }
        let reach = || self.options.tolerances.reach(self.history.row(0), slopes);
        let wanted = match (self.options.first_step, self.hint) {
            (Some(h), _) => h,
            (None, Some(h)) => h.min(reach()),
            (None, None) => self.find_first(problem, limit).map_err(|error| model(self, error))?,
        };
        let h = self.options.step_max.map_or(wanted, |most| wanted.min(most));
        let h = h.max(self.options.step_min);
        (self.pace.h, self.pace.h_scale, self.pace.h_next) = (1.0, 1.0, h);
        self.is_fresh = false;
        Ok(())
    }

    /// Whether the step that is tried is a first one of a length that was given and not found.
    pub(super) fn is_guess(&self) -> bool {
        self.taken == 0 && (self.hint.is_some() || self.options.first_step.is_some())
    }

    /// After a guess that was far too long: finds the first step, within what was tried.
    pub(super) fn find_shorter<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
    ) -> Result<(), P::Error> {
        let tried = self.pace.h;
        self.pace.h = 1.0;
        self.load_slope(problem)?;
        (self.pace.h_scale, self.pace.ratio_max) = (1.0, RATIO_MAX_FIRST);
        let h = self.find_first(problem, self.t + tried)?;
        self.rescale(h.max(self.options.step_min).min(tried));
        Ok(())
    }

    fn find_first<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<f64, P::Error> {
        let lower = LOWER * f64::EPSILON * self.t.abs().max(limit.abs());
        let upper = self.first_upper(limit - self.t);
        if upper < lower {
            // What is too short to move time is no step.
            return Ok((lower * upper).sqrt().max(LOWER * f64::EPSILON * self.t.abs()));
        }
        let mut h = (lower * upper).sqrt();
        let mut found = h;
        for iteration in 1..=ITERATIONS_MAX {
            let bend;
            (h, bend) = self.bend(problem, h)?;
            let is_bent = 2.0 < bend * upper * upper;
            found = if is_bent { (2.0 / bend).sqrt() } else { (h * upper).sqrt() };
            let change = found / h;
            if 0.5 < change && change < 2.0 {
                break;
            }
            if 1 < iteration && 2.0 < change {
                found = h;
                break;
            }
            h = if iteration < ITERATIONS_MAX { found } else { h };
        }
        Ok((SAFETY * found).max(lower).min(upper))
    }

    fn first_upper(&self, distance: f64) -> f64 {
        let (states, slopes) = (self.history.row(0), self.history.row(1));
        let mut inverse = 0.0_f64;
        for ((x, slope), weight) in states.iter().zip(slopes).zip(&self.work.weights) {
            inverse = inverse.max(slope.abs() / (UPPER * x.abs() + 1.0 / weight));
        }
        let upper = UPPER * distance;
        if 1.0 < upper * inverse { 1.0 / inverse } else { upper }
    }

    /// The size of the second derivative, by a difference over `h`, which is shortened if need be.
    fn bend<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        mut h: f64,
    ) -> Result<(f64, f64), P::Error> {
        for _ in 0..NOT_FINITE_MAX {
            let (states, slopes) = (self.history.row(0), self.history.row(1));
            let work = &mut *self.work;
            for ((x, state), slope) in work.x.iter_mut().zip(states).zip(slopes) {
                *x = state + h * slope;
            }
            self.statistics.evaluations += 1;
            problem.derivatives(self.t + h, &work.x, &mut work.slope)?;
            let size = norm_of_difference(&work.slope, 1.0, slopes, &work.weights) / h;
            if size.is_finite() {
                return Ok((h, size));
            }
            h *= NOT_FINITE_PART;
        }
        Ok((h, f64::MAX))
    }
}
