//! Methods of variable order and step over many steps: BDF for stiff problems, Adams-Moulton for others, and an
//! automatic choice between them (see `automatic`).
//!
//! The algorithms are those published by Byrne and Hindmarsh (1975), Brown, Byrne and Hindmarsh (VODE,
//! 1989) and Hindmarsh et al. (SUNDIALS, 2005): fixed-leading-coefficient formulas in Nordsieck's form,
//! modified Newton iteration, and their heuristics for order, step and reuse of matrices, with the
//! constants of CVODE. The code is our own but follows CVODE so closely that BDF takes the same steps;
//! its notice is in `LICENSE-SUNDIALS`. We differ on purpose in these points:
//!
//! - The last two steps to a limit are equal. Where limits come often, as between communication points, that
//!   saves most of the matrices that a short last step costs.
//! - When an Adams method lowers its order, the coefficients of the integrated polynomial come from those of
//!   the polynomial itself; CVODE 7.1 overwrites them while they are still needed.
//! - An order is raised also if the longest step allowed does not let the step grow.
//! - An error test may fail twenty times in a step, not seven.
//! - A step may not end where f has no value; see `domain`.
//! - A restart may try the step of before; see `first_step`.

mod automatic;
mod bytes;
mod coefficients;
mod control;
mod corrector;
mod domain;
mod first_step;
mod nordsieck;
mod norm;

use crate::linear::{Differences, Linear};
use crate::problem::{
    Advanced, JacobianMut, Keep, Options, Problem, Reason, SolverFailure, SolverStatistics,
    same_bits,
};
use automatic::Automatic;
use coefficients::{Coefficients, ROWS_MAX};
use consort_core::{Room, Shared, clone_by_field};
use control::Tries;
use corrector::Outcome;
use domain::Domain;
use nordsieck::Nordsieck;

/// Which formulas a [`Multistep`] uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Backward differentiation, orders 1 to 5, solved by Newton's method: for stiff problems.
    Bdf,
    /// Adams-Moulton, orders 1 to 12, solved by functional iteration: for problems that are not stiff.
    Adams,
    /// Adams-Moulton, orders 1 to 12, solved by Newton's method: for problems that are a little stiff.
    AdamsNewton,
}

impl Family {
    /// The highest order.
    fn order_max(self) -> usize {
        if self == Family::Bdf { 5 } else { 12 }
    }

    /// The highest order that the options allow.
    fn order_max_of(self, options: &Options) -> usize {
        options.order_max.map_or(usize::MAX, usize::from).min(self.order_max())
    }
}

/// Integrates x' = f(t, x) with steps and orders that keep the error of each step within tolerances.
///
/// - One plain value: a clone, or what [`Multistep::from_bytes`] makes of [`Multistep::to_bytes`],
///   continues to the same bits. Copies share their matrices until one of them computes new ones.
/// - Nothing is allocated but in [`Multistep::new`], by the first step of a copy, and where a matrix is
///   computed while a copy still has the one before.
/// - The problem is not part of it and must answer alike when asked alike.
/// - A [`SparsityPattern`](crate::SparsityPattern) is factorized without exchange of rows; pivots that are
///   but rounding make the step shorter.
///
/// # Determinism
///
/// Every sum has one order and no function of the host is called but square roots.
///
/// ```
/// use consort_solve::{Family, Multistep, Options, Problem, Tolerances};
///
/// struct Decay;
///
/// impl Problem for Decay {
///     type Error = std::convert::Infallible;
///
///     fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error> {
///         dx[0] = -1000.0 * x[0];
///         Ok(())
///     }
/// }
///
/// let options = Options::new(Tolerances::uniform(1e-6, 1e-9, 1));
/// let mut solver = Multistep::new(Family::Bdf, 1, &options);
/// solver.start(0.0, &[1.0]);
/// while solver.step(&mut Decay, 0.01)?.to < 0.01 {}
/// assert!((solver.state().1[0] - (-10.0_f64).exp()).abs() < 1e-8);
/// # Ok::<(), consort_solve::SolverFailure<std::convert::Infallible>>(())
/// ```
#[derive(Debug)]
pub struct Multistep {
    family: Family,
    options: Shared<Options>,
    len: usize,
    order_max: usize,
    t: f64,
    /// No step was taken since the last start.
    is_fresh: bool,
    /// Steps since the last start.
    taken: u64,
    /// A first step that is better than what could be found.
    hint: Option<f64>,
    domain: Domain,
    pace: Pace,
    history: Nordsieck,
    /// What chooses the family, if that is not given.
    automatic: Option<Automatic>,
    /// Boxed, so that a step can hold it beside the rest at the price of a pointer.
    newton: Option<Box<Newton>>,
    statistics: SolverStatistics,
    work: Room<Work>,
}

clone_by_field!(Multistep {
    family,
    options,
    len,
    order_max,
    t,
    is_fresh,
    taken,
    hint,
    domain,
    pace,
    history,
    automatic,
    newton,
    statistics,
    work,
});

/// How fast it goes.
#[derive(Clone, Debug)]
struct Pace {
    /// The step that is tried or was taken last, and that of the history's scale.
    h: f64,
    h_scale: f64,
    /// What the next step is to be.
    h_next: f64,
    order: usize,
    order_next: usize,
    /// Steps until another order is considered.
    wait: usize,
    /// The most by which the next step may be longer.
    ratio_max: f64,
    /// The lengths of the last steps, the last one at place 1.
    past: [f64; ROWS_MAX],
    /// [`Coefficients::scale`] of the step whose correction is kept for a raise of the order.
    scale_kept: f64,
}

/// What Newton's method carries from step to step.
#[derive(Debug)]
struct Newton {
    differences: Shared<Differences>,
    linear: Linear,
    jacobian: Shared<[f64]>,
    /// The factor of the Jacobian in the matrix that was factorized.
    gamma: f64,
    /// How much of the error an iteration leaves, as seen last.
    rate: f64,
    /// After how many steps the matrix was factorized, and the Jacobian computed.
    factorized_at: u64,
    jacobian_at: u64,
}

clone_by_field!(Newton { differences, linear, jacobian, gamma, rate, factorized_at, jacobian_at });

/// What a step works with; means nothing between steps.
#[derive(Debug, Default)]
struct Work {
    coefficients: Coefficients,
    weights: Vec<f64>,
    correction: Vec<f64>,
    x: Vec<f64>,
    slope: Vec<f64>,
    residual: Vec<f64>,
    pair: Vec<f64>,
}

impl Multistep {
    /// The most states of one solver; bytes with more are refused.
    pub const STATES_MAX: usize = 1 << 24;

    /// A solver for `len` states, to be started.
    ///
    /// # Panics
    ///
    /// If [`Options::mistake`] finds one, or there are more than [`Multistep::STATES_MAX`] states.
    pub fn new(family: Family, len: usize, options: &Options) -> Self {
        assert!(len <= Self::STATES_MAX, "{len} states are too many for one solver");
        assert_eq!(options.mistake(len), None, "options that no solver can be made with");
        let order_max = family.order_max_of(options);
        Multistep {
            family,
            options: Shared::new(options.clone()),
            len,
            order_max,
            t: 0.0,
            is_fresh: true,
            taken: 0,
            hint: None,
            domain: Domain::default(),
            pace: Pace::new(),
            history: Nordsieck::new(len, order_max),
            automatic: None,
            newton: (family != Family::Adams).then(|| Box::new(Newton::new(len, options))),
            statistics: SolverStatistics::default(),
            work: Room(Work::new(len)),
        }
    }

    /// One that begins by Adams formulas and goes over to BDF, and back, where that is faster; see
    /// [`Multistep::family`] for what it uses now.
    ///
    /// # Panics
    ///
    /// As [`Multistep::new`].
    pub fn automatic(len: usize, options: &Options) -> Self {
        let automatic = Some(Automatic::new());
        Multistep { automatic, ..Multistep::new(Family::Adams, len, options) }
    }

    /// Begins at `t` with states `x`, forgetting everything but the statistics.
    ///
    /// # Panics
    ///
    /// If `x` is not as long as the solver was made for, or `t` is not finite.
    pub fn start(&mut self, t: f64, x: &[f64]) {
        assert_eq!(x.len(), self.len, "the solver was made for another number of states");
        assert!(t.is_finite(), "a start at {t} s");
        (self.t, self.is_fresh, self.taken, self.hint) = (t, true, 0, None);
        (self.pace, self.domain) = (Pace::new(), Domain::around(x));
        self.history.values.fill(0.0);
        self.history.row_mut(0).copy_from_slice(x);
        if let Some(newton) = &mut self.newton {
            newton.forget();
        }
        if let Some(automatic) = &mut self.automatic {
            *automatic = Automatic::new();
            self.use_family(Family::Adams);
        }
    }

    /// Begins anew after an event, keeping what the event left alone, and the formulas in use. An event within the last step
    /// is found with [`Multistep::interpolate`]; `t` and `x` are then those after the event.
    ///
    /// # Panics
    ///
    /// As [`Multistep::start`].
    pub fn restart(&mut self, t: f64, x: &[f64], keep: Keep) {
        let is_same = t.to_bits() == self.t.to_bits() && same_bits(x, self.state().1);
        match keep {
            Keep::Everything if is_same => {}
            Keep::Nothing => self.start(t, x),
            Keep::Everything | Keep::StepSize => {
                let hint = self.first_order_step();
                let (automatic, domain) = (self.automatic.take(), self.domain);
                self.start(t, x);
                (self.hint, self.automatic, self.domain) = (hint, automatic, domain);
            }
        }
    }

    /// The step that order one would take where the history ends, at most as long as the last ones.
    fn first_order_step(&mut self) -> Option<f64> {
        if self.is_fresh {
            return self.hint;
        }
        let (pace, order) = (&self.pace, self.pace.order);
        let longest = pace.past[1..=order].iter().fold(pace.h_next, |most, h| most.max(*h));
        if order < 2 {
            return Some(longest);
        }
        self.weigh();
        let bend = norm::norm(self.history.row(2), &self.work.weights);
        Some((0.5 * self.pace.h_scale / bend.sqrt()).min(longest))
    }

    /// Takes over everything from a solver that was made alike, without a new allocation.
    ///
    /// # Panics
    ///
    /// If the other was made with another family, number of states or options.
    pub fn copy_from(&mut self, other: &Multistep) {
        let families = [self, other].map(|it| it.automatic.is_none().then_some(it.family));
        let is_alike = families[0] == families[1] && self.options == other.options;
        assert!(is_alike, "solvers of different kinds");
        self.clone_from(other);
    }

    /// Takes one step, at most up to `limit`. If `limit` is where it already is, nothing is done.
    ///
    /// # Errors
    ///
    /// If no step can be taken; the solver is then where it was.
    ///
    /// # Panics
    ///
    /// If `limit` is before the solver's time or not finite.
    pub fn step<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<Advanced, SolverFailure<P::Error>> {
        let from = self.t;
        assert!(from <= limit && limit.is_finite(), "a step from {from} s to {limit} s");
        if limit <= from {
            return Ok(Advanced { from, to: from });
        }
        self.weigh();
        if 1.0 < f64::EPSILON * norm::norm(self.history.row(0), &self.work.weights) {
            return Err(self.failure(Reason::TooMuchAccuracy, None));
        }
        if self.is_fresh {
            self.begin(problem, limit)?;
        }
        self.set_out(limit - from);
        let (error, to) = self.attempt(problem, limit).inspect_err(|_| {
            self.is_fresh |= self.taken == 0;
        })?;
        self.t = to;
        self.complete();
        self.choose_next(error);
        self.consider_switch(error);
        Ok(Advanced { from, to })
    }

    /// The states `x` at a time within the last step, by the polynomial that the step was made with.
    ///
    /// # Panics
    ///
    /// If `x` is not as long as the solver was made for.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        if self.is_fresh || t.to_bits() == self.t.to_bits() {
            x.copy_from_slice(self.history.row(0));
            return;
        }
        let at = (t - self.t) / self.pace.h_scale;
        self.history.interpolate(self.pace.order, at, x);
    }

    /// Time and states after the last step, or where it was started.
    pub fn state(&self) -> (f64, &[f64]) {
        (self.t, self.history.row(0))
    }

    /// What it did since it was made.
    pub fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    /// The order of the last step; zero if none was taken since the last start.
    pub fn order(&self) -> usize {
        if self.is_fresh { 0 } else { self.pace.order }
    }

    /// Whether it chooses its formulas.
    pub fn is_automatic(&self) -> bool {
        self.automatic.is_some()
    }

    /// Which formulas it uses now.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The options it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many bytes it takes that no copy has.
    pub(crate) fn unshared_bytes(&self) -> usize {
        let newton = self.newton.as_ref().map_or(0, |newton| {
            let Linear { values, pivots, .. } = &newton.linear;
            let factors = values.unshared_bytes() + pivots.unshared_bytes();
            size_of::<Newton>() + newton.jacobian.unshared_bytes() + factors
        });
        size_of::<Self>() + size_of_val(&self.history.values[..]) + newton
    }

    /// Weights from the states that were reached.
    fn weigh(&mut self) {
        self.work.fit(self.len);
        let tolerances = &self.options.tolerances;
        let (x, weights) = (self.history.row(0), &mut self.work.weights);
        norm::set_weights(weights, x, tolerances.relative, &tolerances.absolute);
    }

    fn failure<E>(&self, reason: Reason<E>, worst: Option<usize>) -> SolverFailure<E> {
        SolverFailure { t: self.t, step: self.pace.h, worst, reason }
    }

    /// Tries steps until one passes; returns its error and where it ends.
    fn attempt<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<(f64, f64), SolverFailure<P::Error>> {
        let (mut tries, wanted) = (Tries::default(), self.pace.h);
        loop {
            let h = self.pace.h;
            // The last step's length is what is left, but for rounding.
            let to = if limit - self.t <= h { limit } else { (self.t + h).min(limit) };
            if to <= self.t && self.takes_turns(wanted, &mut tries) {
                continue;
            }
            if to <= self.t {
                return Err(self.failure(tries.last.reason(), self.worst()));
            }
            self.history.predict(self.pace.order);
            self.work.coefficients.set(self.family, &self.pace);
            let corrected = self.correct(problem, to, tries.last);
            let outcome = corrected.and_then(|outcome| self.confirm(problem, to, outcome));
            let outcome = outcome.map_err(|error| {
                self.history.retreat(self.pace.order);
                self.failure(Reason::Model(error), None)
            })?;
            let error = match outcome {
                Outcome::Solved { size } => size * self.work.coefficients.error,
                Outcome::Unsolved | Outcome::NotFinite => f64::INFINITY,
            };
            if error <= 1.0 {
                return Ok((error, to));
            }
            self.history.retreat(self.pace.order);
            match self.shorten_for(problem, outcome, error, &mut tries) {
                Err(Reason::Model(error)) => {
                    return Err(self.failure(Reason::Model(error), self.worst()));
                }
                Err(reason) if !self.takes_turns(wanted, &mut tries) => {
                    return Err(self.failure(reason, self.worst()));
                }
                Ok(()) | Err(_) => {}
            }
        }
    }

    /// The state that the last attempt was worst in.
    fn worst(&self) -> Option<usize> {
        let (work, is_number) = (&self.work, |value: &f64| value.is_finite());
        match work.slope.iter().position(|value| !is_number(value)) {
            Some(state) => Some(state),
            None => norm::worst(&work.correction, &work.weights),
        }
    }
}

impl Pace {
    fn new() -> Self {
        Pace {
            h: 0.0,
            h_scale: 0.0,
            h_next: 0.0,
            order: 1,
            order_next: 1,
            wait: 2,
            ratio_max: control::RATIO_MAX_FIRST,
            past: [0.0; ROWS_MAX],
            scale_kept: 0.0,
        }
    }
}

impl Newton {
    fn new(len: usize, options: &Options) -> Self {
        let structure = &options.structure;
        Newton {
            differences: Shared::new(Differences::new(len, structure)),
            linear: Linear::new(len, structure),
            jacobian: Shared::filled(0.0, JacobianMut::values_len(len, structure)),
            gamma: 0.0,
            rate: 1.0,
            factorized_at: 0,
            jacobian_at: 0,
        }
    }

    /// As it was made, so that a start does not depend on what was before.
    fn forget(&mut self) {
        self.jacobian.fill(0.0);
        self.linear.clear();
        (self.gamma, self.rate, self.factorized_at, self.jacobian_at) = (0.0, 1.0, 0, 0);
    }
}

impl Work {
    fn new(len: usize) -> Self {
        Work {
            coefficients: Coefficients::default(),
            weights: vec![0.0; len],
            correction: vec![0.0; len],
            x: vec![0.0; len],
            slope: vec![0.0; len],
            residual: vec![0.0; len],
            pair: vec![0.0; 2 * len],
        }
    }

    /// Makes it that of so many states.
    #[inline]
    fn fit(&mut self, len: usize) {
        if self.weights.len() != len {
            *self = Work::new(len);
        }
    }
}
