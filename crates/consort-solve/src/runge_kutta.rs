//! Explicit Runge-Kutta methods of variable step.

mod attempt;
mod bogacki_shampine;
mod bytes;
mod control;
mod dense;
mod dop853;
mod dormand_prince;
#[cfg(test)]
mod order_conditions;
mod tableau;

use crate::problem::{
    Advanced, Keep, Options, Problem, Reason, SolverFailure, SolverStatistics, same_bits,
};
use consort_core::{Room, Shared, clone_by_field};
use tableau::Tableau;

/// The pairs of methods a [`RungeKutta`] solver can use: the second of each pair estimates the error of the
/// first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pair {
    /// Bogacki-Shampine 3(2), three slopes a step, dense output of order 3: for coarse tolerances and
    /// frequent events. It gives no hints of stiffness.
    BogackiShampine32,
    /// Dormand-Prince 5(4), six slopes a step, dense output of order 4: the usual choice.
    DormandPrince54,
    /// Dormand-Prince 8(5,3), twelve slopes a step and three for dense output of order 7: for fine
    /// tolerances.
    DormandPrince853,
}

/// When the additional slopes for [`RungeKutta::interpolate`] are computed; only
/// [`Pair::DormandPrince853`] needs any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dense {
    /// Computed after every step.
    Always,
    /// When [`RungeKutta::prepare_dense`] is called: for those who interpolate rarely.
    OnDemand,
}

/// Solves x' = f(t, x) for problems that are not stiff, by one [`Pair`], with steps as long as the
/// tolerances allow.
///
/// - A step is measured by the root of the mean square of error / (absolute + relative |x|) over all
///   states, and passes if that is at most one. The next step's size follows it by a PI controller
///   (Gustafsson; Hairer, Norsett and Wanner, section IV.2).
/// - A step that the limit cuts short does not shorten the steps after it.
/// - It is one plain value: a clone of it, or its bytes, continue exactly as it would have. Two
///   solvers are equal if they continue alike to the bit.
/// - It allocates when it is made and never in a step, but for the first one of a copy.
///
/// ```
/// use consort_solve::{Options, Pair, Problem, RungeKutta, Tolerances};
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
/// let options = Options::new(Tolerances::uniform(1e-8, 1e-10, 1));
/// let mut solver = RungeKutta::new(Pair::DormandPrince54, 1, &options);
/// solver.start(0.0, &[1.0]);
/// while solver.state().0 < 2.0 {
///     solver.step(&mut Decay, 2.0).expect("a harmless problem");
/// }
/// assert!((solver.state().1[0] - (-2.0_f64).exp()).abs() < 1e-8);
/// ```
#[derive(Debug)]
pub struct RungeKutta {
    pair: Pair,
    when_dense: Dense,
    options: Shared<Options>,
    /// Where the last step began; equal to `t` if there is none.
    from: f64,
    t: f64,
    x: Vec<f64>,
    /// The states at `from`.
    x_from: Vec<f64>,
    /// All slopes of the last step, row by row.
    slopes: Vec<f64>,
    /// Which row is f(t, x).
    known: Known,
    /// Whether the slopes for dense output are those of the last step.
    is_dense: bool,
    pace: StepControl,
    statistics: SolverStatistics,
    work: Room<Vec<f64>>,
    errors: Room<Vec<f64>>,
}

clone_by_field!(RungeKutta {
    pair,
    when_dense,
    options,
    from,
    t,
    x,
    x_from,
    slopes,
    known,
    is_dense,
    pace,
    statistics,
    work,
    errors,
});

/// What the size of steps is chosen by.
#[derive(Clone, Copy, Debug)]
struct StepControl {
    /// The size of the next step; zero if it is to be found.
    next: f64,
    /// The logarithm of the error of the last step that had one, as the controller remembers it.
    error_log: f64,
    /// How many of the last looks found the step at the limit of stability, and not so.
    stiff_looks: u8,
    calm_looks: u8,
}

/// Which row of the slopes is that at the current time and states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    None,
    First,
    Last,
}

impl Pair {
    /// The order of the method.
    pub fn order(self) -> u8 {
        match self {
            Pair::BogackiShampine32 => 3,
            Pair::DormandPrince54 => 5,
            Pair::DormandPrince853 => 8,
        }
    }

    fn tableau(self) -> &'static Tableau {
        match self {
            Pair::BogackiShampine32 => &bogacki_shampine::BOGACKI_SHAMPINE,
            Pair::DormandPrince54 => &dormand_prince::DORMAND_PRINCE,
            Pair::DormandPrince853 => &dop853::DOP853,
        }
    }
}

impl RungeKutta {
    /// The most states of one solver; bytes with more are refused.
    pub const STATES_MAX: usize = 1 << 24;

    /// A solver for `len` states, which is at time zero with all states zero until it is started.
    ///
    /// # Panics
    ///
    /// If the options are none for so many states, or there are more than
    /// [`RungeKutta::STATES_MAX`].
    pub fn new(pair: Pair, len: usize, options: &Options) -> Self {
        assert!(len <= Self::STATES_MAX, "{len} states are too many for one solver");
        if let Some(what) = options.mistake(len) {
            panic!("no solver of {len} states has such a {what}");
        }
        RungeKutta {
            pair,
            when_dense: Dense::Always,
            options: Shared::new(options.clone()),
            from: 0.0,
            t: 0.0,
            x: vec![0.0; len],
            x_from: vec![0.0; len],
            slopes: vec![0.0; pair.tableau().rows() * len],
            known: Known::None,
            is_dense: false,
            pace: StepControl::NEW,
            statistics: SolverStatistics::default(),
            work: Room(vec![0.0; len]),
            errors: Room(vec![0.0; len]),
        }
    }

    /// Decides when dense output is prepared; [`Dense::Always`] if nothing is said.
    pub fn set_dense(&mut self, when: Dense) {
        self.when_dense = when;
    }

    /// Puts the solver to a time and states, with nothing remembered but its statistics.
    ///
    /// # Panics
    ///
    /// If time is not finite or the number of states is another.
    pub fn start(&mut self, t: f64, x: &[f64]) {
        self.restart(t, x, Keep::Nothing);
    }

    /// Continues from a time and states after an event, often within the last step.
    ///
    /// # Panics
    ///
    /// If time is not finite or the number of states is another.
    pub fn restart(&mut self, t: f64, x: &[f64], keep: Keep) {
        assert!(t.is_finite(), "a start at {t} s");
        assert_eq!(x.len(), self.x.len(), "the solver was made for another number of states");
        let is_same = t.to_bits() == self.t.to_bits() && same_bits(x, &self.x);
        if keep == Keep::Everything && is_same {
            return;
        }
        (self.from, self.t, self.known, self.is_dense) = (t, t, Known::None, false);
        self.x.copy_from_slice(x);
        // The old step is but a guess: see `begin`.
        let next = if keep == Keep::Nothing { 0.0 } else { self.pace.next };
        self.pace = StepControl { next, ..StepControl::NEW };
    }

    /// Takes over the state of a solver of the same pair, size and options, without a new allocation.
    ///
    /// # Panics
    ///
    /// If the other is of another pair, size or options.
    pub fn copy_from(&mut self, other: &RungeKutta) {
        let is_like = self.pair == other.pair && self.options == other.options;
        assert!(is_like, "solvers of different kinds");
        self.clone_from(other);
    }

    /// Takes one step, to `limit` at most.
    ///
    /// # Errors
    ///
    /// If the model failed, or no step is short enough. Time and states are then those before.
    ///
    /// # Panics
    ///
    /// If the limit is before the solver's time or is no number.
    pub fn step<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<Advanced, SolverFailure<P::Error>> {
        assert!(self.t <= limit, "a step from {} s to {limit} s", self.t);
        if self.t < limit {
            self.make_room();
            let pace = self.pace;
            (self.from, self.is_dense) = (self.t, false);
            let stepped = self.step_densely(problem, limit);
            stepped.inspect_err(|_| self.pace = pace)?;
        }
        Ok(Advanced { from: self.from, to: self.t })
    }

    fn step_densely<P: Problem + ?Sized>(
        &mut self,
        problem: &mut P,
        limit: f64,
    ) -> Result<(), SolverFailure<P::Error>> {
        self.begin(problem, limit)?;
        self.attempt(problem, limit)?;
        if self.when_dense == Dense::OnDemand {
            return Ok(());
        }
        self.prepare_dense(problem).map_err(|failure| {
            self.undo();
            SolverFailure { t: self.t, ..failure }
        })
    }

    /// The time and the states there.
    pub fn state(&self) -> (f64, &[f64]) {
        (self.t, &self.x)
    }

    /// The pair of methods of the solver.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// How it was asked to solve.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The size of the step it will try next; zero if that is still to be found.
    pub fn step_next(&self) -> f64 {
        self.pace.next
    }

    /// What it did since it was made.
    pub fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    /// How many bytes it takes that no copy has.
    pub(crate) fn unshared_bytes(&self) -> usize {
        let lists = [&self.x, &self.x_from, &self.slopes];
        size_of::<Self>() + lists.map(|list| size_of_val(&list[..])).iter().sum::<usize>()
    }

    /// A copy has no room of its own at first.
    fn make_room(&mut self) {
        self.work.resize(self.x.len(), 0.0);
        self.errors.resize(self.x.len(), 0.0);
    }

    /// Back to before the last step, whose first slope is still there.
    fn undo(&mut self) {
        std::mem::swap(&mut self.x, &mut self.x_from);
        (self.t, self.known, self.is_dense) = (self.from, Known::First, false);
        self.statistics.steps -= 1;
    }

    /// A failure at the current time.
    fn fail<E>(&self, step: f64, worst: Option<usize>, reason: Reason<E>) -> SolverFailure<E> {
        SolverFailure { t: self.t, step, worst, reason }
    }
}
