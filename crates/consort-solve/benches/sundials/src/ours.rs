//! Our solvers as contenders.

use crate::contest::{Contender, Count};
use crate::cvode::Family as Rival;
use crate::problems::{Equations, Plain, Setup};
use consort_solve::{Dense, Family, Multistep, Options, Pair, RungeKutta, SolverStatistics};

/// Our methods.
#[derive(Clone, Copy)]
pub(crate) enum Ours {
    Adams,
    Bdf,
    BogackiShampine,
    DormandPrince,
    Dop853,
}

impl Ours {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ours::Adams => "Adams",
            Ours::Bdf => "BDF",
            Ours::BogackiShampine => "Bogacki-Shampine 3(2)",
            Ours::DormandPrince => "Dormand-Prince 5(4)",
            Ours::Dop853 => "Dormand-Prince 8(5,3)",
        }
    }

    pub(crate) fn is_explicit(self) -> bool {
        !matches!(self, Ours::Adams | Ours::Bdf)
    }

    /// Whom it is measured against.
    pub(crate) fn rival(self) -> Rival {
        if matches!(self, Ours::Bdf) { Rival::Bdf } else { Rival::Adams }
    }
}

/// One of our solvers, set up for a problem.
struct Set<S, E> {
    solver: S,
    problem: Plain<E>,
    x0: Vec<f64>,
    t_end: f64,
    /// What the solver had done before the last integration.
    before: SolverStatistics,
}

pub(crate) fn contender<E: Equations>(
    ours: Ours,
    equations: E,
    setup: &Setup,
) -> Box<dyn Contender> {
    let options =
        Options { structure: setup.structure.clone(), ..Options::new(setup.tolerances.clone()) };
    let len = setup.x0.len();
    let explicit = |pair| {
        let mut solver = RungeKutta::new(pair, len, &options);
        // CVODE does not compute more than the end of a step either.
        solver.set_dense(Dense::OnDemand);
        set(solver, equations, setup)
    };
    match ours {
        Ours::Adams => set(Multistep::new(Family::Adams, len, &options), equations, setup),
        Ours::Bdf => set(Multistep::new(Family::Bdf, len, &options), equations, setup),
        Ours::BogackiShampine => explicit(Pair::BogackiShampine32),
        Ours::DormandPrince => explicit(Pair::DormandPrince54),
        Ours::Dop853 => explicit(Pair::DormandPrince853),
    }
}

fn set<S: Solver + 'static, E: Equations>(
    solver: S,
    equations: E,
    setup: &Setup,
) -> Box<dyn Contender> {
    let (problem, before) = (Plain(equations), SolverStatistics::default());
    Box::new(Set { solver, problem, x0: setup.x0.clone(), t_end: setup.t_end, before })
}

impl<S: Solver, E: Equations> Contender for Set<S, E> {
    fn integrate(&mut self) {
        self.before = self.solver.statistics();
        self.solver.integrate(&mut self.problem, &self.x0, self.t_end);
    }

    fn states(&self) -> Vec<f64> {
        self.solver.states().to_vec()
    }

    fn count(&self) -> Count {
        let (now, before) = (self.solver.statistics(), self.before);
        Count { steps: now.steps - before.steps, evaluations: now.evaluations - before.evaluations }
    }
}

/// What our solvers have in common here.
trait Solver {
    fn integrate<E: Equations>(&mut self, problem: &mut Plain<E>, x0: &[f64], t_end: f64);
    fn states(&self) -> &[f64];
    fn statistics(&self) -> SolverStatistics;
}

macro_rules! solver {
    ($name:ty) => {
        impl Solver for $name {
            fn integrate<E: Equations>(&mut self, problem: &mut Plain<E>, x0: &[f64], t_end: f64) {
                self.start(0.0, x0);
                while self.state().0 < t_end {
                    if let Err(failure) = self.step(problem, t_end) {
                        panic!("{failure}");
                    }
                }
            }

            fn states(&self) -> &[f64] {
                self.state().1
            }

            fn statistics(&self) -> SolverStatistics {
                self.statistics()
            }
        }
    };
}

solver!(Multistep);
solver!(RungeKutta);
