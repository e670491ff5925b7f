//! The automatic choice between Adams formulas with functional iteration and BDF with Newton's method, over one
//! history, as in LSODA (Petzold 1983), but with a trial before BDF is kept.
//!
//! Adams formulas are limited by their error and by stability: their step times the Lipschitz constant of f must
//! not exceed a number for each order. The constant is seen in how functional iteration converges. At that limit the
//! error of a step is noise and says nothing about what BDF could do. So where the limit was near for some steps, or
//! many of them failed, BDF is tried for a few, and kept if it then goes farther with an evaluation of f than Adams
//! formulas did. In a trial order and step change freely, as they do after a start: where the gain of each change is
//! small they would stay for good what they were for Adams formulas. While BDF is in use, norms of the Jacobian bound the constant, and Adams formulas come back where stability would not
//! limit them. What proved to be wrong is tried again after twice as many steps. A step that one of them cannot take
//! is tried by the other before it is a failure.
//!
//! Nothing but the numbers of the run is looked at, and all of it is a part of the solver's state.

use super::control::{ADDED, BIAS, Tries, root};
use super::{Family, Multistep, Newton};
use crate::problem::{SolverStatistics, Structure};

/// Step times Lipschitz constant, at most, for Adams formulas of orders 1 to 12 (Petzold 1983).
const STABLE: [f64; 12] = [0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025];
/// Below this part of it, stability does not limit a step.
const NEAR: f64 = 0.1;
/// BDF is tried when these parts, summed up over steps in a row, come to so many steps at the limit, and half a step
/// more for each evaluation that a Jacobian takes...
const NEAR_MAX: f64 = 10.0;
const NEAR_BY_COST: f64 = 0.5;
/// ...or when so many tries failed lately...
const FAILING_MAX: f64 = 4.0;
/// ...or when functional iteration fails so far beyond the limit, and as far again for each evaluation of a Jacobian.
const FAR: f64 = 4.0;
/// What a step leaves of what was before it, where "lately" is asked.
const KEPT: f64 = 0.95;
/// So many steps are a trial of BDF; it is kept if it is faster by this factor.
const TRIAL: u64 = 10;
const GAIN: f64 = 1.6;
/// For how many steps a Jacobian serves, in the mean.
const JACOBIAN_STEPS: f64 = 20.0;
/// Adams formulas come back where stability would allow steps that are longer by this factor.
const MARGIN: f64 = 3.0;
/// Steps after a switch before the next one is considered: at first, and at most.
const REST: u64 = 20;
const REST_MAX: u64 = 5120;
/// A switch to Adams formulas did not pay off if it took no more steps than these.
const SHORT: u64 = 100;

/// What the choice is made from.
#[derive(Clone, Debug)]
pub(super) struct Automatic {
    /// The Lipschitz constant of f, as seen last; zero if it was not.
    pub(super) lipschitz: f64,
    /// How near to the limit of stability steps were, summed up since it began to be near.
    pub(super) near: f64,
    /// How many tries of Adams formulas failed lately.
    pub(super) failing: f64,
    /// How far they came lately, and by how many evaluations.
    pub(super) gone: f64,
    pub(super) spent: f64,
    /// What was done before their last step, or before the trial.
    pub(super) before: SolverStatistics,
    /// How far Adams formulas go with an evaluation: what BDF has to beat.
    pub(super) reach: f64,
    /// Steps of the trial that are left.
    pub(super) trial: u64,
    /// Steps since the last switch.
    pub(super) spell: u64,
    /// After how many steps BDF may be tried, and Adams formulas may come back.
    pub(super) rest_adams: u64,
    pub(super) rest_bdf: u64,
}

impl Automatic {
    pub(super) fn new() -> Self {
        Automatic {
            lipschitz: 0.0,
            near: 0.0,
            failing: 0.0,
            gone: 0.0,
            spent: 0.0,
            before: SolverStatistics::default(),
            reach: 0.0,
            trial: 0,
            // A start is no switch: stiffness may be seen at once.
            spell: REST,
            rest_adams: REST,
            rest_bdf: REST,
        }
    }

    /// After a step of Adams formulas: counts what it took.
    fn look_back(&mut self, h: f64, done: SolverStatistics) {
        let failures = |it: SolverStatistics| it.error_test_failures + it.convergence_failures;
        let failed = failures(done) - failures(self.before);
        self.failing = KEPT * self.failing + failed as f64;
        self.gone = KEPT * self.gone + h;
        self.spent = KEPT * self.spent + (done.evaluations - self.before.evaluations) as f64;
        self.before = done;
    }
}

impl Multistep {
    /// Remembers by which part of itself functional iteration shrinks, if that was seen.
    pub(super) fn note_rate(&mut self, rate: f64) {
        let gamma = self.pace.h / self.work.coefficients.l[1];
        if let Some(automatic) = &mut self.automatic
            && 0.0 < rate
            && rate.is_finite()
        {
            automatic.lipschitz = rate / gamma;
        }
    }

    /// Remembers how large the Jacobian is.
    pub(super) fn note_jacobian(&mut self, newton: &Newton) {
        if let Some(automatic) = &mut self.automatic {
            let (work, structure) = (&mut *self.work, &self.options.structure);
            let rows = &mut work.pair[..self.len];
            automatic.lipschitz = size(structure, &newton.jacobian, &work.weights, rows);
        }
    }

    /// After a step with this error: takes other formulas for the next one if they are likely to be faster.
    pub(super) fn consider_switch(&mut self, error: f64) {
        let Some(automatic) = &mut self.automatic else { return };
        automatic.spell += 1;
        match self.family {
            Family::Adams => self.consider_bdf(),
            _ if 0 < automatic.trial => self.judge_trial(),
            _ => self.consider_adams(error),
        }
    }

    /// Tries BDF if the limit of stability was near for some steps, or many failed.
    fn consider_bdf(&mut self) {
        let (done, near_max) = (self.statistics, NEAR_MAX + NEAR_BY_COST * self.jacobian_cost());
        let (order, h) = (self.pace.order, self.pace.h);
        let Some(automatic) = &mut self.automatic else { return };
        automatic.look_back(h, done);
        let near = automatic.lipschitz * h / STABLE[order - 1];
        automatic.near = if near < NEAR { 0.0 } else { automatic.near + near.min(1.0) };
        let is_limited = near_max < automatic.near || FAILING_MAX < automatic.failing;
        if is_limited && automatic.rest_adams <= automatic.spell {
            let reach = automatic.gone / automatic.spent;
            self.try_bdf(reach);
        }
    }

    /// How many evaluations a Jacobian takes; of a sparse one about, and not less.
    fn jacobian_cost(&self) -> f64 {
        self.options.structure.entries(self.len) as f64 / self.len as f64
    }

    /// After functional iteration did not converge: whether the same step is now tried by BDF.
    pub(super) fn tries_bdf_at_once(&mut self) -> bool {
        let Some(automatic) = &self.automatic else { return false };
        let stable = STABLE[self.pace.order - 1] / automatic.lipschitz;
        let far = FAR * (1.0 + self.jacobian_cost());
        let is_far = self.family == Family::Adams && far * stable <= self.pace.h;
        if is_far {
            self.try_bdf(stable / 2.0);
        }
        is_far
    }

    fn try_bdf(&mut self, reach: f64) {
        self.switch_to(Family::Bdf);
        if let Some(automatic) = &mut self.automatic {
            (automatic.trial, automatic.reach) = (TRIAL, reach);
        }
    }

    /// Keeps BDF at the end of its trial, if it is faster than Adams formulas were.
    fn judge_trial(&mut self) {
        let (h, iterations) = (self.pace.h_next, self.statistics.iterations);
        let groups = self.newton.as_ref().map_or(0, |newton| newton.differences.count());
        let Some(automatic) = &mut self.automatic else { return };
        automatic.trial -= 1;
        let is_over = automatic.trial == 0;
        let by_step = (iterations - automatic.before.iterations) as f64 / TRIAL as f64;
        let cost = by_step + groups as f64 / JACOBIAN_STEPS;
        if (is_over && h < GAIN * cost * automatic.reach) || h < automatic.reach {
            if is_over {
                automatic.rest_adams = (2 * automatic.rest_adams).min(REST_MAX);
            }
            self.switch_to(Family::Adams);
        } else if is_over {
            automatic.rest_adams = REST;
        }
    }

    /// Whether BDF is tried.
    pub(super) fn is_tried(&self) -> bool {
        self.automatic.as_ref().is_some_and(|automatic| 0 < automatic.trial)
    }

    /// Goes back to Adams formulas where stability would not limit their steps.
    fn consider_adams(&mut self, error: f64) {
        let Some(automatic) = &self.automatic else { return };
        let order = self.pace.order;
        let stable = STABLE[order - 1] / (automatic.lipschitz * self.pace.h);
        if automatic.spell < automatic.rest_bdf || stable < MARGIN {
            return;
        }
        let wanted = 1.0 / (root(BIAS * error, order + 1) + ADDED);
        if MARGIN * wanted <= stable {
            self.switch_to(Family::Adams);
        }
    }

    /// After a step that could not be taken: whether it is now tried by the other formulas, once.
    pub(super) fn takes_turns(&mut self, h: f64, tries: &mut Tries) -> bool {
        if self.automatic.is_none() || tries.has_turned {
            return false;
        }
        *tries = Tries::by_other_formulas();
        while 1 < self.pace.order {
            self.lower_order();
            self.pace.order -= 1;
        }
        let is_adams = self.family == Family::Adams;
        self.switch_to(if is_adams { Family::Bdf } else { Family::Adams });
        self.rescale(h);
        true
    }

    /// Continues by other formulas, with the history there is.
    fn switch_to(&mut self, family: Family) {
        self.use_family(family);
        if self.order_max < self.pace.order || self.pace.order_next != self.pace.order {
            // What was chosen for the next step was for another order.
            self.pace.h_next = self.pace.h;
        }
        while self.order_max < self.pace.order {
            self.lower_order();
            self.pace.order -= 1;
        }
        let order = self.pace.order;
        (self.pace.order_next, self.pace.wait, self.pace.scale_kept) = (order, order + 1, 0.0);
        self.statistics.switches += 1;
        let Some(automatic) = &mut self.automatic else { return };
        if family == Family::Bdf {
            let is_short = automatic.spell <= SHORT;
            let longer = (2 * automatic.rest_bdf).min(REST_MAX);
            automatic.rest_bdf = if is_short { longer } else { REST };
        }
        (automatic.spell, automatic.near, automatic.trial) = (0, 0.0, 0);
        (automatic.failing, automatic.gone, automatic.spent) = (0.0, 0.0, 0.0);
        automatic.before = self.statistics;
    }

    /// Makes it one of these formulas, without a matrix.
    pub(super) fn use_family(&mut self, family: Family) {
        (self.family, self.order_max) = (family, family.order_max_of(&self.options));
        match &mut self.newton {
            Some(newton) => newton.forget(),
            None if family == Family::Bdf => {
                self.newton = Some(Box::new(Newton::new(self.len, &self.options)));
            }
            None => {}
        }
    }
}

/// The lesser of two norms of a matrix in units of the weights, neither of which is below its largest eigenvalue.
fn size(structure: &Structure, values: &[f64], weights: &[f64], rows: &mut [f64]) -> f64 {
    let len = weights.len();
    rows.fill(0.0);
    let mut most = 0.0_f64;
    for column in 0..len {
        let mut sum = 0.0_f64;
        structure.for_column(len, column, |row, place| {
            let entry = (values[place] * weights[row] / weights[column]).abs();
            rows[row] += entry;
            sum += entry;
        });
        most = most.max(sum);
    }
    most.min(rows.iter().fold(0.0, |most, row| most.max(*row)))
}
