//! One type for all solvers, and the model as the problem they solve.

use super::jacobian::{JacobianColumns, JacobianPattern};
use crate::fixed_step_solver::FixedStepSolver;
use crate::method::{Method, Start};
use crate::multistep::{Family, Multistep};
use crate::problem::{
    JacobianMut, Keep, Options, Problem, Reason, SolverFailure, SolverStatistics,
};
use crate::runge_kutta::{Pair, RungeKutta};
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, ContinuousInstance, SolverKind};

/// A solver of any kind; a plain value.
#[derive(Debug)]
pub(super) enum Solver {
    /// For models without states: only time advances.
    NoStates(f64),
    Multistep(Box<Multistep>),
    RungeKutta(Box<RungeKutta>),
    FixedStep(Box<FixedStepSolver>),
}

impl Clone for Solver {
    fn clone(&self) -> Self {
        match self {
            Solver::NoStates(t) => Solver::NoStates(*t),
            Solver::Multistep(solver) => Solver::Multistep(solver.clone()),
            Solver::RungeKutta(solver) => Solver::RungeKutta(solver.clone()),
            Solver::FixedStep(solver) => Solver::FixedStep(solver.clone()),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (self, source) {
            (Solver::Multistep(to), Solver::Multistep(from)) => to.clone_from(from),
            (Solver::RungeKutta(to), Solver::RungeKutta(from)) => to.clone_from(from),
            (Solver::FixedStep(to), Solver::FixedStep(from)) => to.clone_from(from),
            (to, from) => *to = from.clone(),
        }
    }
}

impl Solver {
    /// A solver that begins at `t` with `x`; the longest step of the options is the length of a fixed one.
    pub(super) fn new(kind: SolverKind, options: &Options, t: f64, x: &[f64]) -> Self {
        if x.is_empty() {
            return Solver::NoStates(t);
        }
        let multistep =
            |family| Solver::Multistep(Box::new(Multistep::new(family, x.len(), options)));
        let pair = |pair| Solver::RungeKutta(Box::new(RungeKutta::new(pair, x.len(), options)));
        let fixed_step = |method| {
            Solver::FixedStep(Box::new(FixedStepSolver::new(method, x.len(), options.step_max)))
        };
        let mut solver = match kind {
            SolverKind::Auto => Solver::Multistep(Box::new(Multistep::automatic(x.len(), options))),
            SolverKind::Bdf => multistep(Family::Bdf),
            SolverKind::Adams => multistep(Family::Adams),
            SolverKind::BogackiShampine => pair(Pair::BogackiShampine32),
            SolverKind::DormandPrince5 => pair(Pair::DormandPrince54),
            SolverKind::DormandPrince8 => pair(Pair::DormandPrince853),
            SolverKind::Euler => fixed_step(Method::Euler),
            SolverKind::AdamsBashforth2 => fixed_step(Method::AdamsBashforth2(Start::RungeKutta4)),
            SolverKind::AdamsBashforth3 => fixed_step(Method::AdamsBashforth3(Start::RungeKutta4)),
            SolverKind::RungeKutta4 => fixed_step(Method::RungeKutta4),
        };
        solver.restart(t, x, Keep::Nothing);
        solver
    }

    /// Continues from `t` and `x` after something changed.
    pub(super) fn restart(&mut self, t: f64, x: &[f64], keep: Keep) {
        match self {
            Solver::NoStates(time) => *time = t,
            Solver::Multistep(solver) => solver.restart(t, x, keep),
            Solver::RungeKutta(solver) => solver.restart(t, x, keep),
            Solver::FixedStep(solver) => solver.restart(t, x, keep),
        }
    }

    /// One step, at most to `limit`; where it ended.
    pub(super) fn step(&mut self, equations: &mut Equations<'_>, limit: f64) -> CallResult<f64> {
        let stepped = match self {
            Solver::NoStates(time) => {
                *time = limit;
                return Ok(limit);
            }
            Solver::Multistep(solver) => solver.step(equations, limit),
            Solver::RungeKutta(solver) => solver.step(equations, limit),
            Solver::FixedStep(solver) => solver.step(equations, limit),
        };
        stepped.map(|advanced| advanced.to).map_err(|failure| equations.to_call_error(failure))
    }

    /// The states at a time within the last step.
    pub(super) fn interpolate(&self, t: f64, x: &mut [f64]) {
        match self {
            Solver::NoStates(_) => {}
            Solver::Multistep(solver) => solver.interpolate(t, x),
            Solver::RungeKutta(solver) => solver.interpolate(t, x),
            Solver::FixedStep(solver) => solver.interpolate(t, x),
        }
    }

    /// How many bytes it takes that no copy has.
    pub(super) fn unshared_bytes(&self) -> usize {
        match self {
            Solver::NoStates(_) => 0,
            Solver::Multistep(solver) => solver.unshared_bytes(),
            Solver::RungeKutta(solver) => solver.unshared_bytes(),
            Solver::FixedStep(solver) => solver.unshared_bytes(),
        }
    }

    /// What it did since it was made.
    pub(super) fn statistics(&self) -> SolverStatistics {
        match self {
            Solver::NoStates(_) => SolverStatistics::default(),
            Solver::Multistep(solver) => solver.statistics(),
            Solver::RungeKutta(solver) => solver.statistics(),
            Solver::FixedStep(solver) => solver.statistics(),
        }
    }

    /// The order of the last step; zero where there was none since it began anew.
    pub(super) fn order(&self) -> u64 {
        match self {
            Solver::NoStates(_) => 0,
            Solver::Multistep(solver) => solver.order() as u64,
            Solver::RungeKutta(solver) => u64::from(solver.pair().order()),
            Solver::FixedStep(solver) => solver.order(),
        }
    }

    /// What an automatic choice uses now.
    pub(super) fn in_use(&self) -> Option<SolverKind> {
        let Solver::Multistep(solver) = self else { return None };
        let kind = if solver.family() == Family::Bdf { SolverKind::Bdf } else { SolverKind::Adams };
        solver.is_automatic().then_some(kind)
    }

    /// The states after the last step.
    pub(super) fn states(&self) -> &[f64] {
        match self {
            Solver::NoStates(_) => &[],
            Solver::Multistep(solver) => solver.state().1,
            Solver::RungeKutta(solver) => solver.state().1,
            Solver::FixedStep(solver) => solver.state().1,
        }
    }
}

/// A live model as the problem of a solver.
pub(super) struct Equations<'a> {
    pub(super) instance: &'a mut dyn ContinuousInstance,
    pub(super) pattern: &'a JacobianPattern,
    pub(super) columns: &'a mut JacobianColumns,
}

impl Equations<'_> {
    /// A model's own failure as it is; else where the solver was, and what stopped it.
    fn to_call_error(&self, failure: SolverFailure<Box<CallError>>) -> Box<CallError> {
        let worst = failure.worst.and_then(|index| self.pattern.name(self.columns, index));
        let worst = worst.map(|name| format!(", worst = `{name}`")).unwrap_or_default();
        let arguments = format!("t = {}, h = {}{worst}", failure.t, failure.step);
        match failure.reason {
            Reason::Model(error) => error,
            reason => Box::new(CallError {
                call: "integrate",
                arguments,
                status: CallStatus::Refused(reason.to_string()),
                log: Vec::new(),
            }),
        }
    }
}

impl Problem for Equations<'_> {
    type Error = Box<CallError>;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> CallResult<()> {
        let computed = move_to(self.instance, t, x).and_then(|()| self.instance.derivatives(dx));
        match computed {
            // The model has no value there: the solver tries a shorter step.
            Err(error) if error.status == CallStatus::Discard => {
                dx.fill(f64::NAN);
                Ok(())
            }
            computed => computed,
        }
    }

    fn jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        _dx: &[f64],
        matrix: &mut JacobianMut<'_>,
    ) -> CallResult<bool> {
        move_to(self.instance, t, x)?;
        self.pattern.fill(self.instance, self.columns, matrix)
    }
}

/// Puts the model to a time and states.
pub(super) fn move_to(instance: &mut dyn ContinuousInstance, t: f64, x: &[f64]) -> CallResult<()> {
    instance.set_time(t)?;
    if x.is_empty() { Ok(()) } else { instance.set_states(x) }
}
