//! One live model with its solver: from communication point to communication point.

use super::Plan;
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, CancelFlag, ContinuousInstance, CoupledEvents, Instance, LiveModel,
    Reference, Resolution, SavedState, Seconds, Setup, SolvedBy, SolverWork, Step, StepOutcome,
    ValuesMut, ValuesRef,
};
use consort_solve::Keep;
use consort_solve::integrate::{Integration, Integrator, iterate_events};
use std::sync::Arc;

/// A live model and its solver.
pub(super) struct SolvedInstance {
    inner: Box<dyn ContinuousInstance>,
    plan: Arc<Plan>,
    resolution: Resolution,
    /// Where the run starts, in seconds.
    start: f64,
    integrator: Integrator,
    /// Whether the model is integrated elsewhere.
    is_joined: bool,
    /// From the end of initialization on.
    run: Option<Progress>,
}

/// How far the instance is; a plain value, so that saving it is copying it.
pub(super) enum Progress {
    /// It is integrated here.
    Alone(Box<Integration>),
    /// It is integrated elsewhere, together with others.
    Joined(CoupledEvents),
}

impl Clone for Progress {
    fn clone(&self) -> Self {
        match self {
            Progress::Alone(run) => Progress::Alone(run.clone()),
            Progress::Joined(joint) => Progress::Joined(*joint),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (self, source) {
            (Progress::Alone(to), Progress::Alone(from)) => to.clone_from(from),
            (to, from) => *to = from.clone(),
        }
    }
}

/// The saved state of an instance with its solver.
struct SolvedState {
    inner: SavedState,
    run: Option<Progress>,
}

impl SolvedInstance {
    pub(super) fn new(inner: Box<dyn ContinuousInstance>, plan: Arc<Plan>) -> Self {
        let SolvedBy { settings, tolerance } = plan.solved_by;
        let mut integrator = Integrator::new(settings.kind, tolerance, Arc::clone(&plan.pattern));
        integrator.set_step(settings.step.map(Seconds::to_f64));
        let resolution = Resolution::NANOSECOND;
        SolvedInstance {
            inner,
            plan,
            resolution,
            start: 0.0,
            integrator,
            is_joined: false,
            run: None,
        }
    }

    /// Sets what may change at events only. A value that changes nothing costs the solver nothing.
    fn set_at_event(
        &mut self,
        run: &mut Progress,
        references: &[Reference],
        values: ValuesRef<'_>,
    ) -> CallResult<()> {
        self.inner.enter_event_mode()?;
        self.inner.set(references, values)?;
        match run {
            // Compared with where the last step ended: inputs set since then count as well.
            Progress::Alone(run) => self.integrator.settle(&mut *self.inner, run, Keep::Everything),
            Progress::Joined(joint) => {
                // What is due is due to all that are integrated together, and so is not asked here.
                joint.note(iterate_events(&mut *self.inner, f64::NEG_INFINITY)?);
                joint.had_event = true;
                Ok(())
            }
        }
    }

    /// Integrates to the end of a step, or to where the model asks for the end.
    fn integrate(&mut self, run: &mut Progress, step: &Step) -> CallResult<StepOutcome> {
        let Progress::Alone(run) = run else { return Err(CallError::unsupported("step alone")) };
        let target = self.resolution.to_f64(step.to);
        self.integrator.integrate(&mut *self.inner, run, target)?;
        Ok(match run.has_ended() {
            true => StepOutcome::ended(step, run.time(), self.resolution),
            false => StepOutcome::complete(step),
        })
    }

    /// The experiment with the tolerance that the solver has.
    fn inner_setup(&self, setup: &Setup) -> Setup {
        Setup { tolerance: Some(self.plan.solved_by.relative(setup.tolerance)), ..*setup }
    }

    /// Whether values of these may change in continuous time.
    fn is_direct(&self, references: &[Reference], values: &ValuesRef<'_>) -> bool {
        let direct = &self.plan.direct;
        let knows = |it: &Reference| direct.binary_search_by_key(&it.0, |known| known.0).is_ok();
        matches!(values, ValuesRef::Float64(_) | ValuesRef::Float32(_))
            && references.iter().all(knows)
    }

    /// Does something with the run, which is put back whatever comes out.
    fn with_run<T>(
        &mut self,
        call: &'static str,
        action: impl FnOnce(&mut Self, &mut Progress) -> CallResult<T>,
    ) -> CallResult<T> {
        let Some(mut run) = self.run.take() else {
            let state = CallStatus::WrongState("the time before the end of initialization");
            return Err(CallError::new(call, state));
        };
        let result = action(self, &mut run);
        self.run = Some(run);
        result
    }
}

impl Progress {
    /// Whether anything may be set as it is: in event mode.
    fn takes_anything(&self) -> bool {
        match self {
            Progress::Alone(run) => run.has_ended(),
            Progress::Joined(joint) => joint.in_event_mode || joint.event.terminate,
        }
    }

    /// Notes that inputs were set.
    fn disturb(&mut self) {
        match self {
            Progress::Alone(run) => run.disturb(),
            Progress::Joined(joint) => joint.is_disturbed = true,
        }
    }
}

impl LiveModel for SolvedInstance {
    fn set_up(&mut self, setup: &Setup) -> CallResult<()> {
        let setup = self.inner_setup(setup);
        self.inner.set_up(&setup)
    }

    fn enter_configuration(&mut self) -> CallResult<()> {
        self.inner.enter_configuration()
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        self.inner.exit_configuration()
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.resolution = setup.resolution;
        self.start = setup.resolution.to_f64(setup.start);
        self.integrator.set_relative(self.plan.solved_by.relative(setup.tolerance));
        let setup = self.inner_setup(setup);
        self.inner.enter_initialization(&setup)?;
        self.run = None;
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.inner.exit_initialization()?;
        let event = iterate_events(&mut *self.inner, self.start)?;
        self.run = Some(if self.is_joined {
            Progress::Joined(CoupledEvents { event, ..CoupledEvents::default() })
        } else {
            let run = self.integrator.begin(&mut *self.inner, self.start, event)?;
            Progress::Alone(Box::new(run))
        });
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        let is_direct = self.is_direct(references, &values);
        let Some(run) = &mut self.run else { return self.inner.set(references, values) };
        if is_direct || run.takes_anything() {
            run.disturb();
            return self.inner.set(references, values);
        }
        self.with_run("set values", |it, run| it.set_at_event(run, references, values))
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.inner.get(references, values)
    }

    fn read_back(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.inner.read_back(references, values)
    }

    fn save(&mut self) -> CallResult<SavedState> {
        let inner = self.inner.save()?;
        Ok(SavedState(Box::new(SolvedState { inner, run: self.run.clone() })))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        let state = own("restore a state", state)?;
        self.inner.restore(&state.inner)?;
        self.run.clone_from(&state.run);
        if let Some(Progress::Alone(run)) = &self.run {
            self.integrator.fit(run);
        }
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let state = own("serialize a state", state)?;
        Ok(super::bytes::write(&self.inner.serialize(&state.inner)?, state.run.as_ref()))
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let Ok((inner, run)) = super::bytes::read(bytes) else {
            let reason = "the bytes are no saved state".to_owned();
            return Err(CallError::new("deserialize a state", CallStatus::Refused(reason)));
        };
        let inner = self.inner.deserialize(inner)?;
        Ok(SavedState(Box::new(SolvedState { inner, run })))
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        let Some(saved) = state.0.downcast_ref::<SolvedState>() else { return 0 };
        let run = match &saved.run {
            Some(Progress::Alone(run)) => run.unshared_bytes(),
            Some(Progress::Joined(_)) | None => 0,
        };
        self.inner.unshared_bytes(&saved.inner) + run
    }

    fn terminate(&mut self) -> CallResult<()> {
        self.inner.terminate()
    }
}

impl Instance for SolvedInstance {
    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.with_run("step", |it, run| it.integrate(run, step))
    }

    fn solver_work(&self) -> Option<SolverWork> {
        match &self.run {
            Some(Progress::Alone(run)) => Some(run.work()),
            Some(Progress::Joined(_)) | None => None,
        }
    }

    fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        self.integrator.set_cancel_flag(flag);
    }

    fn join(&mut self) -> bool {
        self.is_joined = true;
        true
    }

    fn joined(&mut self) -> Option<(&mut dyn ContinuousInstance, &mut CoupledEvents)> {
        match &mut self.run {
            Some(Progress::Joined(joint)) => Some((&mut *self.inner, joint)),
            _ => None,
        }
    }
}

fn own<'s>(call: &'static str, state: &'s SavedState) -> CallResult<&'s SolvedState> {
    state.0.downcast_ref().ok_or_else(|| {
        let reason = "the state was saved from another kind of instance".to_owned();
        CallError::new(call, CallStatus::Refused(reason))
    })
}
