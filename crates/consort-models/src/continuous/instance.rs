//! One live model with its solver: from communication point to communication point.

use super::Plan;
use super::jacobian::Columns;
use super::solver::{Equations, Solver, move_to};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, ContinuousEvent, ContinuousInstance, Instance, Reference, Resolution,
    SavedState, Setup, Step, StepOutcome, StepReason, ValuesMut, ValuesRef,
};
use consort_solve::{Keep, Options, Roots, Tolerances};
use std::sync::Arc;

/// A live model and its solver.
pub(super) struct SolvedInstance {
    inner: Box<dyn ContinuousInstance>,
    plan: Arc<Plan>,
    resolution: Resolution,
    /// Where the run starts, in seconds.
    start: f64,
    /// The relative tolerance of the run.
    relative: f64,
    /// From the end of initialization on.
    run: Option<Run>,
    /// Room for what is compared or collected; means nothing between calls.
    work: Work,
}

#[derive(Default)]
struct Work {
    slope: Vec<f64>,
    z: Vec<f64>,
    columns: Columns,
}

impl Work {
    fn fit(&mut self, run: &Run) {
        self.slope.resize(run.x.len(), 0.0);
        self.z.resize(run.z.len(), 0.0);
        self.columns.fit(run.x.len());
    }
}

/// Where the integration is; a plain value, so that saving it is copying it.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) solver: Solver,
    pub(super) roots: Roots,
    pub(super) t: f64,
    pub(super) x: Vec<f64>,
    /// Derivatives and indicators at `t`, before inputs were set there.
    pub(super) slope: Vec<f64>,
    pub(super) z: Vec<f64>,
    /// When the next time event is due.
    pub(super) next_event: Option<f64>,
    /// The model has asked for the end; it is in event mode.
    pub(super) terminate: bool,
    /// Inputs were set since the last step.
    pub(super) is_disturbed: bool,
}

/// What is saved.
struct Saved {
    inner: SavedState,
    run: Option<Run>,
}

/// A model whose events bring about each other without end is told to have failed.
const ITERATIONS_MAX: u32 = 1000;

impl SolvedInstance {
    pub(super) fn new(inner: Box<dyn ContinuousInstance>, plan: Arc<Plan>) -> Self {
        let relative = plan.tolerance;
        let resolution = Resolution::NANOSECOND;
        SolvedInstance {
            inner,
            plan,
            resolution,
            start: 0.0,
            relative,
            run: None,
            work: Work::default(),
        }
    }

    /// Event iteration to its end; what it brought about altogether.
    fn iterate(&mut self, t: f64) -> CallResult<ContinuousEvent> {
        let mut all = ContinuousEvent::default();
        for _ in 0..ITERATIONS_MAX {
            let event = self.inner.update_discrete_states()?;
            all.states_changed |= event.states_changed;
            all.nominals_changed |= event.nominals_changed;
            all.sizes_changed |= event.sizes_changed;
            // An event that is due already would be handled for ever.
            all.next_event = event.next_event.filter(|next| t < *next);
            all.terminate = event.terminate;
            if event.terminate {
                return Ok(all);
            }
            if !event.again {
                self.inner.enter_continuous_mode()?;
                return Ok(all);
            }
        }
        let reason = format!("events bring about each other without end at t = {t}");
        Err(CallError::new("update discrete states", CallStatus::Refused(reason)))
    }

    /// Begins to integrate, with everything as the model has it now.
    fn begin(&mut self, t: f64, event: ContinuousEvent) -> CallResult<Run> {
        let sizes = self.inner.sizes();
        let mut run = Run {
            solver: Solver::Bare(t),
            roots: Roots::new(sizes.indicators),
            t,
            x: vec![0.0; sizes.states],
            slope: vec![0.0; sizes.states],
            z: vec![0.0; sizes.indicators],
            next_event: event.next_event,
            terminate: event.terminate,
            is_disturbed: false,
        };
        self.inner.states(&mut run.x)?;
        self.work.fit(&run);
        run.solver = self.fresh_solver(t, &run.x)?;
        self.look(&mut run)?;
        run.roots.start(t, &run.z);
        Ok(run)
    }

    /// A solver with tolerances from the nominals as they are now.
    fn fresh_solver(&mut self, t: f64, x: &[f64]) -> CallResult<Solver> {
        let mut nominals = vec![1.0; x.len()];
        self.inner.nominals(&mut nominals)?;
        for nominal in &mut nominals {
            if !(nominal.is_finite() && 0.0 < nominal.abs()) {
                *nominal = 1.0;
            }
        }
        let tolerances = Tolerances::from_nominals(self.relative, &nominals);
        let structure = self.plan.pattern.structure(x.len());
        let options = Options { structure, ..Options::new(tolerances) };
        Ok(Solver::new(self.plan.kind, &options, t, x))
    }

    /// Keeps what the model says where it is.
    fn look(&mut self, run: &mut Run) -> CallResult<()> {
        self.inner.derivatives(&mut run.slope)?;
        self.inner.indicators(&mut run.z)
    }

    /// Handles events at the current time.
    fn handle_event(&mut self, run: &mut Run) -> CallResult<()> {
        self.inner.enter_event_mode()?;
        self.settle(run, Keep::StepSize)
    }

    /// Sets what may change at events only. A value that changes nothing costs the solver nothing.
    fn set_at_event(
        &mut self,
        run: &mut Run,
        references: &[Reference],
        values: ValuesRef<'_>,
    ) -> CallResult<()> {
        self.inner.enter_event_mode()?;
        self.inner.set(references, values)?;
        // Compared with where the last step ended: inputs set since then count as well.
        self.settle(run, Keep::Everything)
    }

    /// From event mode back to where time goes on. `most` is what the solver may keep if derivatives are
    /// what they were.
    fn settle(&mut self, run: &mut Run, most: Keep) -> CallResult<()> {
        let event = self.iterate(run.t)?;
        if event.sizes_changed {
            *run = self.begin(run.t, event)?;
            return Ok(());
        }
        (run.next_event, run.terminate) = (event.next_event, event.terminate);
        if event.states_changed {
            self.inner.states(&mut run.x)?;
        }
        std::mem::swap(&mut run.slope, &mut self.work.slope);
        self.look(run)?;
        if event.nominals_changed {
            run.solver = self.fresh_solver(run.t, &run.x)?;
        } else {
            let is_same = !event.states_changed && same_bits(&run.slope, &self.work.slope);
            let keep = if is_same { most } else { Keep::StepSize };
            run.solver.restart(run.t, &run.x, keep);
        }
        run.roots.restart(run.t, &run.z);
        Ok(())
    }

    /// Takes over inputs that were set since the last step: they hold from here on.
    fn take_inputs(&mut self, run: &mut Run) -> CallResult<()> {
        if !std::mem::take(&mut run.is_disturbed) {
            return Ok(());
        }
        std::mem::swap(&mut run.slope, &mut self.work.slope);
        std::mem::swap(&mut run.z, &mut self.work.z);
        self.look(run)?;
        let (slope, z) = (&self.work.slope, &self.work.z);
        let has_crossed = z.iter().zip(&run.z).any(|(a, b)| (0.0 < *a) != (0.0 < *b));
        if has_crossed {
            return self.handle_event(run);
        }
        if !same_bits(slope, &run.slope) {
            run.solver.restart(run.t, &run.x, Keep::StepSize);
        }
        if !same_bits(z, &run.z) {
            run.roots.restart(run.t, &run.z);
        }
        Ok(())
    }

    /// One step of the solver to `target` at most, and the event at its end, if there is one.
    fn advance(&mut self, run: &mut Run, target: f64) -> CallResult<()> {
        let limit = run.next_event.map_or(target, |next| next.min(target));
        let instance = &mut *self.inner;
        let columns = &mut self.work.columns;
        let mut equations = Equations { instance, pattern: &self.plan.pattern, columns };
        let to = run.solver.step(&mut equations, limit)?;
        let Run { solver, roots, x, .. } = run;
        let found = roots.search(to, |t, z| {
            solver.interpolate(t, x);
            move_to(&mut *self.inner, t, x)?;
            self.inner.indicators(z)
        })?;
        match found {
            Some(t) => run.solver.interpolate(t, &mut run.x),
            None => run.x.copy_from_slice(run.solver.states()),
        }
        run.t = found.unwrap_or(to);
        move_to(&mut *self.inner, run.t, &run.x)?;
        let completed = self.inner.completed_step()?;
        let is_due = run.next_event.is_some_and(|next| next <= run.t);
        run.terminate |= completed.terminate;
        if !run.terminate && (found.is_some() || completed.enter_event_mode || is_due) {
            self.handle_event(run)?;
        }
        Ok(())
    }

    /// Integrates to the end of a step, or to where the model asks for the end.
    fn integrate(&mut self, run: &mut Run, step: &Step) -> CallResult<StepOutcome> {
        let target = self.resolution.to_f64(step.to);
        if !run.terminate {
            self.take_inputs(run)?;
        }
        while !run.terminate && run.t < target {
            self.advance(run, target)?;
        }
        if run.terminate {
            return Ok(self.ended(run.t, step));
        }
        self.look(run)?;
        Ok(StepOutcome::complete(step))
    }

    fn ended(&self, t: f64, step: &Step) -> StepOutcome {
        let reached = self.resolution.from_f64(t).unwrap_or(step.to);
        let reached = reached.clamp(step.from.time, step.to);
        let is_inside = t < self.resolution.to_f64(step.to);
        let stopped_at = is_inside.then_some(t);
        StepOutcome { reached, stopped_at, reason: StepReason::Terminate, next_event: None }
    }

    /// Whether values of these may change while time goes on.
    fn is_direct(&self, references: &[Reference], values: &ValuesRef<'_>) -> bool {
        let direct = &self.plan.direct;
        let knows = |it: &Reference| direct.binary_search_by_key(&it.0, |known| known.0).is_ok();
        matches!(values, ValuesRef::Float64(_)) && references.iter().all(knows)
    }

    /// Does something with the run, which is put back whatever comes out.
    fn with_run<T>(
        &mut self,
        call: &'static str,
        action: impl FnOnce(&mut Self, &mut Run) -> CallResult<T>,
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

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().map(|value| value.to_bits()).eq(b.iter().map(|value| value.to_bits()))
}

impl Instance for SolvedInstance {
    fn enter_configuration(&mut self) -> CallResult<()> {
        self.inner.enter_configuration()
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        self.inner.exit_configuration()
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.resolution = setup.resolution;
        self.start = setup.resolution.to_f64(setup.start);
        self.relative = setup.tolerance.unwrap_or(self.plan.tolerance);
        let tolerance = Some(self.relative);
        self.inner.enter_initialization(&Setup { tolerance, ..*setup })?;
        self.run = None;
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.inner.exit_initialization()?;
        let event = self.iterate(self.start)?;
        self.run = Some(self.begin(self.start, event)?);
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        if references.is_empty() {
            return Ok(());
        }
        let is_direct = self.is_direct(references, &values);
        let Some(run) = &mut self.run else { return self.inner.set(references, values) };
        if is_direct || run.terminate {
            run.is_disturbed = true;
            return self.inner.set(references, values);
        }
        self.with_run("set values", |it, run| it.set_at_event(run, references, values))
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.inner.get(references, values)
    }

    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.with_run("step", |it, run| it.integrate(run, step))
    }

    fn save(&mut self) -> CallResult<SavedState> {
        let inner = self.inner.save()?;
        Ok(SavedState(Box::new(Saved { inner, run: self.run.clone() })))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        let state = own("restore a state", state)?;
        self.inner.restore(&state.inner)?;
        self.run.clone_from(&state.run);
        if let Some(run) = &self.run {
            self.work.fit(run);
        }
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let state = own("serialize a state", state)?;
        Ok(super::bytes::write(&self.inner.serialize(&state.inner)?, state.run.as_ref()))
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let Some((inner, run)) = super::bytes::read(bytes) else {
            let reason = "the bytes are no saved state".to_owned();
            return Err(CallError::new("deserialize a state", CallStatus::Refused(reason)));
        };
        let inner = self.inner.deserialize(inner)?;
        Ok(SavedState(Box::new(Saved { inner, run })))
    }

    fn terminate(&mut self) -> CallResult<()> {
        self.inner.terminate()
    }
}

fn own<'s>(call: &'static str, state: &'s SavedState) -> CallResult<&'s Saved> {
    state.0.downcast_ref().ok_or_else(|| {
        let reason = "the state was saved from another kind of instance".to_owned();
        CallError::new(call, CallStatus::Refused(reason))
    })
}
