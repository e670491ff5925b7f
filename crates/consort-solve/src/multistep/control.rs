//! Which step and order come next, after success and after failure.

use super::coefficients::{lowered, raised};
use super::corrector::Outcome;
use super::norm::{norm, norm_of_difference};
use super::{Family, Multistep};
use crate::problem::{Problem, Reason};

/// The most by which a step may be longer than the one before: the first, later ones.
pub(super) const RATIO_MAX_FIRST: f64 = 1e4;
const RATIO_MAX: f64 = 10.0;
/// A longer step is not worth its cost below this ratio.
const RATIO_WORTH: f64 = 1.5;
/// The same while BDF is tried.
const RATIO_WORTH_TRIED: f64 = 1.1;
/// The most by which a step becomes shorter at once.
const RATIO_MIN: f64 = 0.1;
/// After an error test has failed twice, steps are at most this part.
const RATIO_AFTER_ERRORS: f64 = 0.2;
/// After the nonlinear system was not solved, steps are this part.
const RATIO_UNSOLVED: f64 = 0.25;
/// Safety of the estimates for the order below, this one, and the one above.
const BIAS_BELOW: f64 = 6.0;
pub(super) const BIAS: f64 = 6.0;
const BIAS_ABOVE: f64 = 10.0;
/// Keeps ratios finite.
pub(super) const ADDED: f64 = 1e-6;
/// How often an error test may fail in one step; after the third time the order is lowered. CVODE gives up
/// after seven, too early for a step that was right in a calm hour and meets a switch of milliseconds.
const ERRORS_MAX: u32 = 20;
const ERRORS_AT_ORDER: u32 = 3;
/// How often a nonlinear system may be unsolved in one step.
const UNSOLVED_MAX: u32 = 10;
/// Steps until the order may change after it fell to one by failures.
const WAIT_LONG: usize = 10;
/// "Shorter than the shortest" with room for rounding.
const MARGIN: f64 = 1.000_001;

/// What has failed in the step that is being tried.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Tries {
    errors: u32,
    unsolved: u32,
    pub(super) last: Trouble,
    /// The first step was found after a guess had failed.
    is_found: bool,
    /// It failed by other formulas, which were the choice.
    pub(super) has_turned: bool,
}

impl Tries {
    /// None yet, but for all of those by formulas that were the choice.
    pub(super) fn by_other_formulas() -> Self {
        Tries { has_turned: true, ..Tries::default() }
    }
}

/// Why the last try failed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Trouble {
    /// It did not: this is the first.
    #[default]
    Nothing,
    /// The error was too large.
    Error,
    /// The nonlinear system was not solved.
    Unsolved,
    /// f had no value.
    NotFinite,
}

impl Trouble {
    /// What to say when no shorter step can be tried.
    pub(super) fn reason<E>(self) -> Reason<E> {
        match self {
            Trouble::NotFinite => Reason::NotFinite,
            Trouble::Nothing | Trouble::Error | Trouble::Unsolved => Reason::StepTooSmall,
        }
    }
}

impl Multistep {
    /// Makes order and length of the step what was chosen for it, and what is left allows.
    pub(super) fn set_out(&mut self, left: f64) {
        let pace = &mut self.pace;
        // A rest too short for a step of its own joins this one; two steps to the limit are equal.
        let (wanted, rounding) = (pace.h_next, 100.0 * f64::EPSILON * (self.t.abs() + pace.h_next));
        let h = if left <= wanted + rounding {
            left
        } else if left < 2.0 * wanted {
            left / 2.0
        } else {
            wanted
        };
        if pace.order_next != pace.order {
            self.change_order();
        }
        self.rescale(h);
    }

    /// Makes the history that of steps of another length.
    pub(super) fn rescale(&mut self, h: f64) {
        if h.to_bits() != self.pace.h_scale.to_bits() {
            self.history.rescale(self.pace.order, h / self.pace.h_scale);
        }
        (self.pace.h, self.pace.h_scale, self.pace.h_next) = (h, h, h);
    }

    fn change_order(&mut self) {
        let (order, next) = (self.pace.order, self.pace.order_next);
        if next < order {
            self.lower_order();
        } else if self.family == Family::Bdf {
            let (part, parts) = raised(&self.pace);
            self.history.set_row(next, part, self.order_max);
            self.history.mix(next, &parts, 1.0);
        } else {
            self.history.row_mut(next).fill(0.0);
        }
        (self.pace.order, self.pace.wait) = (next, next + 1);
    }

    pub(super) fn lower_order(&mut self) {
        if 2 < self.pace.order {
            let parts = lowered(self.family, &self.pace);
            self.history.mix(self.pace.order, &parts, -1.0);
        }
    }

    /// Takes the corrected step into the history.
    pub(super) fn complete(&mut self) {
        let order = self.pace.order;
        let pace = &mut self.pace;
        self.taken += 1;
        self.statistics.steps += 1;
        pace.past.copy_within(1..order, 2);
        if order == 1 && 1 < self.taken {
            pace.past[2] = pace.past[1];
        }
        pace.past[1] = pace.h;
        self.history.correct(order, &self.work.coefficients.l, &self.work.correction);
        pace.wait -= 1;
        if pace.wait == 1 && order != self.order_max {
            self.keep_correction();
            self.pace.scale_kept = self.work.coefficients.scale;
        }
    }

    /// The history's last row is free below the highest order.
    fn keep_correction(&mut self) {
        self.history.row_mut(self.order_max).copy_from_slice(&self.work.correction);
    }

    /// Chooses the next step and, when it is time, the next order.
    pub(super) fn choose_next(&mut self, error: f64) {
        let ratio_max = self.pace.ratio_max;
        self.pace.ratio_max = RATIO_MAX;
        let order = self.pace.order;
        (self.pace.order_next, self.pace.h_next) = (order, self.pace.h);
        if ratio_max <= 1.0 {
            self.pace.wait = self.pace.wait.max(2);
            return;
        }
        let mut best = self.ratio(BIAS * error, order + 1);
        if self.pace.wait == 0 {
            self.pace.wait = 2;
            let (below, above) = (self.ratio_below(), self.ratio_above());
            if best < below && above <= below {
                (best, self.pace.order_next) = (below, order - 1);
            } else if best < above {
                (best, self.pace.order_next) = (above, order + 1);
                if self.family == Family::Bdf {
                    self.keep_correction();
                }
            }
        }
        if best < self.ratio_worth() {
            return;
        }
        let h_max = self.options.step_max.unwrap_or(f64::INFINITY);
        self.pace.h_next = (self.pace.h * best.min(ratio_max)).min(h_max);
    }

    /// By how much a step may be longer that has this error, of an order one less than `degree`; zero if
    /// that is not worth it.
    fn ratio(&self, error: f64, degree: usize) -> f64 {
        let worth = 1.0 / self.ratio_worth() - ADDED;
        if power(worth, degree) < error {
            return 0.0;
        }
        1.0 / (root(error, degree) + ADDED)
    }

    /// What a longer step has to gain.
    fn ratio_worth(&self) -> f64 {
        if self.is_tried() { RATIO_WORTH_TRIED } else { RATIO_WORTH }
    }

    fn ratio_below(&self) -> f64 {
        let order = self.pace.order;
        if order == 1 {
            return 0.0;
        }
        let size = norm(self.history.row(order), &self.work.weights);
        self.ratio(BIAS_BELOW * size * self.work.coefficients.error_below, order)
    }

    fn ratio_above(&self) -> f64 {
        let (pace, coefficients, order) = (&self.pace, &self.work.coefficients, self.pace.order);
        if order == self.order_max || pace.scale_kept == 0.0 {
            return 0.0;
        }
        let growth = pace.h / pace.past[2];
        let factor = coefficients.scale / pace.scale_kept * power(growth, order + 1);
        let kept = self.history.row(self.order_max);
        let size = norm_of_difference(&self.work.correction, factor, kept, &self.work.weights);
        self.ratio(BIAS_ABOVE * size * coefficients.error_above, order + 2)
    }

    /// Makes the step shorter after a try that failed.
    pub(super) fn shorten_for<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        outcome: Outcome,
        error: f64,
        tries: &mut Tries,
    ) -> Result<(), Reason<P::Error>> {
        if outcome == Outcome::Unsolved && self.tries_bdf_at_once() {
            self.statistics.convergence_failures += 1;
            return Ok(());
        }
        let is_hopeless = RATIO_MIN * root(BIAS * error, self.pace.order + 1) > 1.0;
        if self.is_guess() && is_hopeless && !tries.is_found {
            let statistics = &mut self.statistics;
            match outcome {
                Outcome::Solved { .. } => statistics.error_test_failures += 1,
                Outcome::Unsolved | Outcome::NotFinite => statistics.convergence_failures += 1,
            }
            tries.is_found = true;
            return self.find_shorter(problem).map_err(Reason::Model);
        }
        match outcome {
            Outcome::Solved { .. } => self.shorten_for_error(problem, error, tries),
            Outcome::Unsolved => self.shorten_for_convergence(tries, Trouble::Unsolved),
            Outcome::NotFinite => self.shorten_for_convergence(tries, Trouble::NotFinite),
        }
    }

    /// Makes the step shorter after its error was too large; also the order lower if that continues.
    fn shorten_for_error<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        error: f64,
        tries: &mut Tries,
    ) -> Result<(), Reason<P::Error>> {
        self.statistics.error_test_failures += 1;
        (tries.errors, tries.last) = (tries.errors + 1, Trouble::Error);
        if ERRORS_MAX <= tries.errors {
            return Err(Reason::ErrorTestFails);
        }
        self.pace.ratio_max = 1.0;
        if tries.errors <= ERRORS_AT_ORDER {
            let ratio = 1.0 / (root(BIAS * error, self.pace.order + 1) + ADDED);
            let most = if tries.errors < 2 { 1.0 } else { RATIO_AFTER_ERRORS };
            return self.shorten(ratio.max(RATIO_MIN).min(most), Trouble::Error);
        }
        if 1 < self.pace.order {
            self.lower_order();
            self.pace.wait = self.pace.order;
            self.pace.order -= 1;
            return self.shorten(RATIO_MIN, Trouble::Error);
        }
        self.pace.wait = WAIT_LONG;
        self.shorten(RATIO_MIN, Trouble::Error)?;
        self.load_slope(problem).map_err(Reason::Model)
    }

    /// Makes the history's second row anew.
    pub(super) fn load_slope<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
    ) -> Result<(), P::Error> {
        self.statistics.evaluations += 1;
        problem.derivatives(self.t, self.history.row(0), &mut self.work.slope)?;
        let (h, slope) = (self.pace.h, &self.work.slope);
        let row = self.history.row_mut(1);
        row.iter_mut().zip(slope).for_each(|(value, slope)| *value = h * slope);
        Ok(())
    }

    /// Makes the step shorter after its system could not be solved.
    fn shorten_for_convergence<E>(
        &mut self,
        tries: &mut Tries,
        trouble: Trouble,
    ) -> Result<(), Reason<E>> {
        self.statistics.convergence_failures += 1;
        (tries.unsolved, tries.last) = (tries.unsolved + 1, trouble);
        if UNSOLVED_MAX <= tries.unsolved {
            let is_finite = trouble != Trouble::NotFinite;
            return Err(if is_finite { Reason::DoesNotConverge } else { Reason::NotFinite });
        }
        self.pace.ratio_max = 1.0;
        self.shorten(RATIO_UNSOLVED, trouble)
    }

    fn shorten<E>(&mut self, ratio: f64, trouble: Trouble) -> Result<(), Reason<E>> {
        let step_min = self.options.step_min;
        if self.pace.h <= step_min * MARGIN {
            return Err(trouble.reason());
        }
        self.rescale((self.pace.h * ratio).max(step_min));
        Ok(())
    }
}

/// x to a small whole power, by multiplication.
fn power(x: f64, degree: usize) -> f64 {
    (1..degree).fold(x, |product, _| product * x)
}

/// The `degree`-th root.
pub(super) fn root(x: f64, degree: usize) -> f64 {
    match degree {
        1 => x,
        2 => x.sqrt(),
        3 => libm::cbrt(x),
        4 => x.sqrt().sqrt(),
        6 => libm::cbrt(x.sqrt()),
        _ => libm::pow(x, 1.0 / degree as f64),
    }
}
