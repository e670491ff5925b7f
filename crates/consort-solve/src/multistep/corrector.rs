//! The nonlinear system of a step: Newton's method with matrices kept over steps, or functional iteration.

use super::control::Trouble;
use super::norm::norm;
use super::{Family, Multistep, Newton};
use crate::linear::Point;
use crate::problem::{JacobianMut, Problem};

/// The most iterations with one matrix.
const ITERATIONS_MAX: u32 = 3;
/// An iteration that leaves more than this times the error before diverges.
const DIVERGENCE: f64 = 2.0;
/// The rate of convergence is forgotten by this part in each iteration.
const RATE_KEPT: f64 = 0.3;
/// A matrix is kept for so many steps, and while gamma changes by at most this part.
const MATRIX_STEPS_MAX: u64 = 20;
const GAMMA_CHANGE_MAX: f64 = 0.3;
/// A Jacobian is kept for so many steps; a failure is its fault if gamma changed by less than this.
const JACOBIAN_STEPS_MAX: u64 = 51;
const GAMMA_CHANGE_BLAMED: f64 = 0.2;

/// The result of solving the system of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Outcome {
    /// The correction has this size.
    Solved { size: f64 },
    /// Not with a step so long.
    Unsolved,
    /// f has no value where it was asked for.
    NotFinite,
}

/// Whether iterations may continue.
struct Convergence {
    rate: f64,
    /// The size of the last change.
    before: f64,
    iterations: u32,
    /// The largest part of a change that the next one was; zero if there was one change only.
    seen: f64,
}

impl Convergence {
    /// How solving ended with this change of the correction, if it did; `size` computes that of the
    /// correction as it is now.
    #[inline]
    fn judge(&mut self, change: f64, enough: f64, size: impl FnOnce() -> f64) -> Option<Outcome> {
        if 0 < self.iterations {
            let part = change / self.before;
            (self.rate, self.seen) = ((RATE_KEPT * self.rate).max(part), self.seen.max(part));
        }
        if change * self.rate.min(1.0) <= enough {
            // The first change is the correction.
            let size = if self.iterations == 0 { change } else { size() };
            return Some(Outcome::Solved { size });
        }
        if !change.is_finite() {
            return Some(Outcome::NotFinite);
        }
        self.iterations += 1;
        let diverges = 2 <= self.iterations && DIVERGENCE * self.before < change;
        if ITERATIONS_MAX <= self.iterations || diverges {
            return Some(Outcome::Unsolved);
        }
        self.before = change;
        None
    }
}

/// Which matrix of a Newton iteration to factorize.
struct IterationMatrix {
    t: f64,
    gamma: f64,
    /// The Jacobian is computed anew at `t`.
    refresh: bool,
}

impl Multistep {
    /// Finds the correction of the predicted history, so that it satisfies the equations at `t`.
    pub(super) fn correct<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        t: f64,
        trouble: Trouble,
    ) -> Result<Outcome, P::Error> {
        if self.family == Family::Adams {
            return self.correct_by_function(problem, t);
        }
        let mut newton = self.newton.take().expect("every family but Adams has one");
        let outcome = self.correct_by_newton(problem, &mut newton, t, trouble);
        self.newton = Some(newton);
        outcome
    }

    fn correct_by_function<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        t: f64,
    ) -> Result<Outcome, P::Error> {
        let (h, work) = (self.pace.h, &mut *self.work);
        let inverse = 1.0 / work.coefficients.l[1];
        let enough = work.coefficients.convergence;
        let (predicted, slopes) = (self.history.row(0), self.history.row(1));
        let mut convergence = Convergence { rate: 1.0, before: 0.0, iterations: 0, seen: 0.0 };
        work.x.copy_from_slice(predicted);
        work.correction.fill(0.0);
        loop {
            self.statistics.evaluations += 1;
            self.statistics.iterations += 1;
            problem.derivatives(t, &work.x, &mut work.slope)?;
            let change = work.residual.iter_mut().zip(&mut work.correction).zip(&mut work.x);
            for (((change, c), x), ((slope, first), p)) in
                change.zip(work.slope.iter().zip(slopes).zip(predicted))
            {
                let correction = inverse * (h * slope - first);
                *change = correction - *c;
                *c = correction;
                *x = p + correction;
            }
            let change = norm(&work.residual, &work.weights);
            let size = || norm(&work.correction, &work.weights);
            if let Some(outcome) = convergence.judge(change, enough, size) {
                self.note_rate(convergence.seen);
                return Ok(outcome);
            }
        }
    }

    fn correct_by_newton<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        newton: &mut Newton,
        t: f64,
        trouble: Trouble,
    ) -> Result<Outcome, P::Error> {
        let gamma = self.pace.h / self.work.coefficients.l[1];
        let is_first = self.taken == 0 || newton.gamma == 0.0;
        let change = (gamma / newton.gamma - 1.0).abs();
        let is_old = newton.factorized_at + MATRIX_STEPS_MAX <= self.taken;
        let mut factorize =
            is_first || is_old || trouble != Trouble::Nothing || GAMMA_CHANGE_MAX < change;
        let jacobian_is_old = newton.jacobian_at + JACOBIAN_STEPS_MAX <= self.taken;
        let was_unsolved = matches!(trouble, Trouble::Unsolved | Trouble::NotFinite);
        let mut refresh = is_first || was_unsolved || jacobian_is_old;
        loop {
            let predicted = self.history.row(0);
            let work = &mut *self.work;
            work.x.copy_from_slice(predicted);
            work.correction.fill(0.0);
            self.statistics.evaluations += 1;
            problem.derivatives(t, &work.x, &mut work.slope)?;
            if factorize && !self.set_up(problem, newton, &IterationMatrix { t, gamma, refresh })? {
                let is_finite = self.work.slope.iter().all(|slope| slope.is_finite());
                return Ok(if is_finite { Outcome::Unsolved } else { Outcome::NotFinite });
            }
            let outcome = self.iterate(problem, newton, t, gamma)?;
            let is_current = factorize && refresh;
            if matches!(outcome, Outcome::Solved { .. }) || is_current {
                return Ok(outcome);
            }
            let is_blamed = factorize || change < GAMMA_CHANGE_BLAMED;
            (factorize, refresh) = (true, is_blamed);
        }
    }

    /// Computes the Jacobian if that is requested, and the matrix's factors; false if there are none.
    fn set_up<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        newton: &mut Newton,
        matrix: &IterationMatrix,
    ) -> Result<bool, P::Error> {
        if matrix.refresh {
            self.fill_jacobian(problem, newton, matrix.t)?;
            self.note_jacobian(newton);
            newton.jacobian_at = self.taken;
        }
        self.statistics.factorizations += 1;
        (newton.gamma, newton.rate, newton.factorized_at) = (matrix.gamma, 1.0, self.taken);
        Ok(newton.linear.factorize(&newton.jacobian, matrix.gamma))
    }

    fn fill_jacobian<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        newton: &mut Newton,
        t: f64,
    ) -> Result<(), P::Error> {
        let (work, structure) = (&mut *self.work, &self.options.structure);
        self.statistics.jacobians += 1;
        let mut matrix = JacobianMut::new(self.len, structure, newton.jacobian.fill(0.0));
        let is_filled = problem.jacobian(t, &work.x, &work.slope, &mut matrix)?;
        // The root of a level has no slope at zero, but differences: an empty tank is nothing special.
        if is_filled && newton.jacobian.iter().all(|entry| entry.is_finite()) {
            return Ok(());
        }
        let size = norm(&work.slope, &work.weights);
        let least = 1000.0 * self.pace.h * f64::EPSILON * self.len as f64 * size;
        let mut point = Point {
            t,
            x: &mut work.x,
            dx: &work.slope,
            weights: &work.weights,
            least: if 0.0 < least { least } else { 1.0 },
        };
        let (pair, values) = (&mut work.pair, newton.jacobian.slice_mut());
        let taken = newton.differences.fill(problem, &mut point, structure, pair, values)?;
        self.statistics.evaluations += taken;
        Ok(())
    }

    /// Newton's iterations with the matrix there is.
    fn iterate<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        newton: &mut Newton,
        t: f64,
        gamma: f64,
    ) -> Result<Outcome, P::Error> {
        let work = &mut *self.work;
        let (predicted, slopes) = (self.history.row(0), self.history.row(1));
        let (inverse, enough) = (1.0 / work.coefficients.l[1], work.coefficients.convergence);
        // What the matrix has of another gamma is made good in the mean.
        let drift =
            if self.family == Family::Bdf { 2.0 / (1.0 + gamma / newton.gamma) } else { 1.0 };
        let mut convergence =
            Convergence { rate: newton.rate, before: 0.0, iterations: 0, seen: 0.0 };
        loop {
            self.statistics.iterations += 1;
            let values = work.slope.iter().zip(slopes).zip(&work.correction);
            for (residual, ((slope, first), c)) in work.residual.iter_mut().zip(values) {
                *residual = gamma * slope - (inverse * first + c);
            }
            newton.linear.solve(&mut work.residual);
            let values = work.residual.iter_mut().zip(&mut work.correction).zip(&mut work.x);
            for (((change, c), x), p) in values.zip(predicted) {
                *change *= drift;
                *c += *change;
                *x = p + *c;
            }
            let change = norm(&work.residual, &work.weights);
            let size = || norm(&work.correction, &work.weights);
            let outcome = convergence.judge(change, enough, size);
            newton.rate = convergence.rate;
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
            self.statistics.evaluations += 1;
            problem.derivatives(t, &work.x, &mut work.slope)?;
        }
    }
}
