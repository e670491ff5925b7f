//! From one communication point to the next: one driver for everything that is given by its equations.
//!
//! An [`Integrator`] moves a live [`ContinuousInstance`] on in time. It integrates with inputs held, finds
//! state events, and handles time and step events where they happen. Where it is, the solver and all
//! it remembers, is an [`Integration`]: a plain value beside the instance, saved and restored with it.

mod bytes;
mod jacobian;
mod solver;

use crate::problem::{Keep, Options, SolverStatistics, Tolerances, same_bits};
use crate::roots::{Leaving, Roots};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, CancelFlag, ContinuousEvent, ContinuousInstance, Sizes, SolverWork,
    clone_by_field,
};
use jacobian::JacobianColumns;
use solver::{Equations, Solver, move_to};
use std::sync::Arc;

pub use consort_core::SolverKind;
pub use jacobian::JacobianPattern;

/// An instance whose events bring about each other without end is reported as failed.
const ITERATIONS_MAX: u32 = 1000;

/// So many steps of the solver from one communication point to the next get nowhere, beside those that a
/// longest step or time events ask for.
const STEPS_MAX: f64 = 1e6;

/// So many events in a row get nowhere, each sooner after the one before than this part of the way from one
/// communication point to the next: they switch something back and forth, or announce the next one at once.
const EVENTS_MAX: u32 = 10_000;
const SOON: f64 = 1e-9;

/// Where an integration is; a plain value, so that saving it is copying it. Copies share matrices until
/// one of them computes new ones; `clone_from` into a live one allocates nothing.
#[derive(Debug)]
pub struct Integration {
    solver: Solver,
    roots: Roots,
    t: f64,
    x: Vec<f64>,
    /// Derivatives and indicators at `t`, before inputs were set there.
    slope: Vec<f64>,
    z: Vec<f64>,
    /// When the next time event is due.
    next_event: Option<f64>,
    /// The instance has asked for the end; it is in event mode.
    terminate: bool,
    /// Inputs were set since the last step.
    is_disturbed: bool,
    /// Events that were handled, and what solvers did that were replaced.
    events: u64,
    before: SolverStatistics,
}

clone_by_field!(Integration {
    solver,
    roots,
    t,
    x,
    slope,
    z,
    next_event,
    terminate,
    is_disturbed,
    events,
    before,
});

impl Integration {
    /// The present time in seconds.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Whether the instance has asked for the end: it goes no further.
    pub fn has_ended(&self) -> bool {
        self.terminate
    }

    /// What was done since it began.
    pub fn work(&self) -> SolverWork {
        let mut all = self.before;
        all.add(&self.solver.statistics());
        SolverWork {
            steps: all.steps,
            rejected: all.error_test_failures + all.convergence_failures,
            evaluations: all.evaluations,
            jacobians: all.jacobians,
            factorizations: all.factorizations,
            events: self.events,
            order: self.solver.order(),
            switches: all.switches,
            in_use: self.solver.in_use(),
        }
    }

    /// Another solver takes over; what the one before did still counts.
    fn replace_solver(&mut self, solver: Solver) {
        self.before.add(&self.solver.statistics());
        self.solver = solver;
    }

    /// Forgets all that the solver remembers of earlier steps: it begins anew where it is, as after a
    /// restore that brings back a model and not its solver. What that costs can be measured so.
    pub fn forget(&mut self) {
        self.solver.restart(self.t, &self.x, Keep::Nothing);
    }

    /// How many bytes it takes that no copy has: matrices that are shared do not count.
    pub fn unshared_bytes(&self) -> u64 {
        let lists = [&self.x, &self.slope, &self.z].map(|list| size_of_val(&list[..]));
        let lists = lists.iter().sum::<usize>() + self.roots.list_bytes();
        (size_of::<Self>() + lists + self.solver.unshared_bytes()) as u64
    }

    /// How many states and indicators it has.
    pub fn sizes(&self) -> Sizes {
        Sizes { states: self.x.len(), indicators: self.z.len() }
    }

    /// Must be called when inputs were set since the last call: they hold from here on.
    pub fn disturb(&mut self) {
        self.is_disturbed = true;
    }
}

/// How equations are integrated, and room for what is compared or collected on the way.
#[derive(Debug)]
pub struct Integrator {
    kind: SolverKind,
    relative: f64,
    /// How long a fixed step is, and the longest of a variable one.
    step: Option<f64>,
    pattern: Arc<JacobianPattern>,
    cancel: CancelFlag,
    work: IntegrationWork,
}

/// Means nothing between calls.
#[derive(Debug, Default)]
struct IntegrationWork {
    slope: Vec<f64>,
    z: Vec<f64>,
    columns: JacobianColumns,
}

impl Integrator {
    /// By a solver of this kind, with this relative tolerance.
    pub fn new(kind: SolverKind, relative: f64, pattern: Arc<JacobianPattern>) -> Self {
        let (cancel, work) = (CancelFlag::default(), IntegrationWork::default());
        Integrator { kind, relative, step: None, pattern, cancel, work }
    }

    /// Installs the flag that cancels between two steps of the solver.
    pub fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        self.cancel = flag.clone();
    }

    /// Another relative tolerance, for integrations that begin from now on.
    pub fn set_relative(&mut self, relative: f64) {
        self.relative = relative;
    }

    /// How long a fixed step is, and the longest of a variable one, in seconds, for integrations that
    /// begin from now on; without it a fixed step goes from one communication point to the next.
    ///
    /// # Panics
    /// If it is not positive and finite.
    pub fn set_step(&mut self, step: Option<f64>) {
        assert!(step.is_none_or(|it| 0.0 < it && it.is_finite()), "a step of {step:?} s");
        self.step = step;
    }

    /// Makes room for an integration that was begun by another integrator, or came from bytes.
    pub fn fit(&mut self, integration: &Integration) {
        self.work.slope.resize(integration.x.len(), 0.0);
        self.work.z.resize(integration.z.len(), 0.0);
        self.work.columns.fit(integration.x.len());
    }

    /// Begins to integrate at `t`, with everything as the instance has it now, after events that
    /// brought about what `event` says.
    ///
    /// # Errors
    /// If the instance failed.
    pub fn begin(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        t: f64,
        event: ContinuousEvent,
    ) -> CallResult<Integration> {
        let sizes = instance.sizes();
        let mut integration = Integration {
            solver: Solver::NoStates(t),
            roots: roots(sizes.indicators),
            t,
            x: vec![0.0; sizes.states],
            slope: vec![0.0; sizes.states],
            z: vec![0.0; sizes.indicators],
            next_event: event.next_event,
            terminate: event.terminate,
            is_disturbed: false,
            events: 0,
            before: SolverStatistics::default(),
        };
        instance.states(&mut integration.x)?;
        self.fit(&integration);
        integration.solver = self.fresh_solver(instance, t, &integration.x)?;
        look(instance, &mut integration)?;
        integration.roots.start(t, &integration.z);
        Ok(integration)
    }

    /// A solver with tolerances from the nominals as they are now.
    fn fresh_solver(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        t: f64,
        x: &[f64],
    ) -> CallResult<Solver> {
        let mut nominals = vec![1.0; x.len()];
        instance.nominals(&mut nominals)?;
        for nominal in &mut nominals {
            if !(nominal.is_finite() && 0.0 < nominal.abs()) {
                *nominal = 1.0;
            }
        }
        let tolerances = Tolerances::from_nominals(self.relative, &nominals);
        let columns = &mut self.work.columns;
        let structure = self.pattern.structure(instance, columns, x.len())?;
        let step_max = instance.step_max().filter(|step| step.is_finite() && 0.0 < *step);
        let step_max = step_max.into_iter().chain(self.step).reduce(f64::min);
        let options = Options { structure, step_max, ..Options::new(tolerances) };
        Ok(Solver::new(self.kind, &options, t, x))
    }

    /// Handles events at the current time.
    fn handle_event(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
    ) -> CallResult<()> {
        instance.enter_event_mode()?;
        integration.events += 1;
        self.settle(instance, integration, Keep::StepSize)
    }

    /// From event mode back to continuous-time mode. `most` is what the solver may keep if derivatives
    /// are what they were at the end of the last step.
    ///
    /// # Errors
    /// If the instance failed, or its events have no end.
    pub fn settle(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
        most: Keep,
    ) -> CallResult<()> {
        self.settle_after(instance, integration, ContinuousEvent::default(), most)
    }

    /// The same after other events at the current time, which brought about `before`.
    ///
    /// # Errors
    /// As [`Integrator::settle`].
    pub fn settle_after(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
        before: ContinuousEvent,
        most: Keep,
    ) -> CallResult<()> {
        let mut event = iterate_events(instance, integration.t)?;
        event.add_changes(&before);
        if event.sizes_changed {
            let mut begun = self.begin(instance, integration.t, event)?;
            (begun.before, begun.events) = (integration.before, integration.events);
            begun.before.add(&integration.solver.statistics());
            *integration = begun;
            return Ok(());
        }
        (integration.next_event, integration.terminate) = (event.next_event, event.terminate);
        if event.states_changed {
            instance.states(&mut integration.x)?;
        }
        std::mem::swap(&mut integration.slope, &mut self.work.slope);
        look(instance, integration)?;
        if event.nominals_changed {
            let solver = self.fresh_solver(instance, integration.t, &integration.x)?;
            integration.replace_solver(solver);
        } else {
            let is_same = !event.states_changed && same_bits(&integration.slope, &self.work.slope);
            let keep = if is_same { most } else { Keep::StepSize };
            integration.solver.restart(integration.t, &integration.x, keep);
        }
        integration.roots.restart(integration.t, &integration.z);
        Ok(())
    }

    /// Takes over inputs that were set since the last step: they hold from here on.
    fn take_inputs(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
    ) -> CallResult<()> {
        if !std::mem::take(&mut integration.is_disturbed) {
            return Ok(());
        }
        std::mem::swap(&mut integration.slope, &mut self.work.slope);
        std::mem::swap(&mut integration.z, &mut self.work.z);
        look(instance, integration)?;
        let (slope, z) = (&self.work.slope, &self.work.z);
        let has_crossed = z.iter().zip(&integration.z).any(|(a, b)| (0.0 < *a) != (0.0 < *b));
        if has_crossed {
            return self.handle_event(instance, integration);
        }
        if !same_bits(slope, &integration.slope) {
            integration.solver.restart(integration.t, &integration.x, Keep::StepSize);
        }
        if !same_bits(z, &integration.z) {
            integration.roots.restart(integration.t, &integration.z);
        }
        Ok(())
    }

    /// One step of the solver to `target` at most, and the event at its end, if there is one; which indicator
    /// has changed there.
    fn advance(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
        target: f64,
    ) -> CallResult<Option<usize>> {
        let limit = integration.next_event.map_or(target, |next| next.min(target));
        let columns = &mut self.work.columns;
        let mut equations = Equations { instance: &mut *instance, pattern: &self.pattern, columns };
        let to = integration.solver.step(&mut equations, limit)?;
        let Integration { solver, roots, x, .. } = integration;
        if roots.is_suspicious() {
            let sizes = x.iter().map(|x| x.abs());
            roots.set_scale(sizes.fold(to.abs(), f64::max));
        }
        let found = roots.search(to, |t, z| {
            solver.interpolate(t, x);
            move_to(instance, t, x)?;
            instance.indicators(z)
        })?;
        match found {
            Some(t) => integration.solver.interpolate(t, &mut integration.x),
            None => integration.x.copy_from_slice(integration.solver.states()),
        }
        let crossed = integration.roots.crossings().iter().position(Option::is_some);
        integration.t = found.unwrap_or(to);
        move_to(instance, integration.t, &integration.x)?;
        let completed = instance.completed_step()?;
        let is_due = integration.next_event.is_some_and(|next| next <= integration.t);
        integration.terminate |= completed.terminate;
        let is_event = found.is_some() || completed.enter_event_mode || is_due;
        if !integration.terminate && is_event {
            self.handle_event(instance, integration)?;
        }
        Ok(crossed)
    }

    /// Integrates to `target`, or to where the instance asks for the end.
    ///
    /// # Errors
    /// If the instance or the solver failed: where, at which step size, and by which state; if a million
    /// steps do not reach the target; if ten thousand events in a row hardly move time; and if it is cancelled.
    pub fn integrate(
        &mut self,
        instance: &mut dyn ContinuousInstance,
        integration: &mut Integration,
        target: f64,
    ) -> CallResult<()> {
        if integration.terminate {
            return Ok(());
        }
        self.take_inputs(instance, integration)?;
        let asked = self.step.map_or(0.0, |step| (target - integration.t) / step);
        let mut steps_left = STEPS_MAX + asked;
        let (soon, mut row) = (SOON * (target - integration.t), 0);
        while !integration.terminate && integration.t < target {
            if self.cancel.is_cancelled() {
                return Err(CallError::new("integrate", CallStatus::Cancelled));
            }
            if steps_left <= 0.0 {
                return Err(too_many(integration.t, target));
            }
            let (due, from) = (integration.next_event, integration.t);
            let crossed = self.advance(instance, integration, target)?;
            let is_due = due.is_some_and(|due| due <= integration.t);
            let is_event = crossed.is_some() || is_due;
            row = if is_event && integration.t - from <= soon { row + 1 } else { 0 };
            if EVENTS_MAX <= row {
                let name = crossed.map(|indicator| instance.indicator_name(indicator));
                return Err(endless(integration.t, name.as_deref()));
            }
            if !is_due {
                steps_left -= 1.0;
            }
        }
        if integration.terminate { Ok(()) } else { look(instance, integration) }
    }
}

/// Event iteration to its end and back to continuous-time mode, unless the instance asks for the end;
/// what it brought about altogether.
///
/// # Errors
/// If the instance failed, or its events have no end.
pub fn iterate_events(
    instance: &mut dyn ContinuousInstance,
    t: f64,
) -> CallResult<ContinuousEvent> {
    let mut all = ContinuousEvent::default();
    for _ in 0..ITERATIONS_MAX {
        let event = instance.update_discrete_states()?;
        all.add_changes(&event);
        // An event that is due already would be handled for ever.
        all.next_event = event.next_event.filter(|next| t < *next);
        all.terminate = event.terminate;
        if event.terminate {
            return Ok(all);
        }
        if !event.again {
            instance.enter_continuous_mode()?;
            return Ok(all);
        }
    }
    let reason = format!("events bring about each other without end at t = {t}");
    Err(CallError::new("update discrete states", CallStatus::Refused(reason)))
}

#[cold]
fn too_many(t: f64, target: f64) -> Box<CallError> {
    let reason = format!(
        "{STEPS_MAX} steps of the solver do not reach the communication point at t = {target}; an `if` may switch \
         back and forth: give it a hysteresis; if the model is that fast, take shorter communication steps"
    );
    let arguments = format!("t = {t}");
    let status = CallStatus::Refused(reason);
    Box::new(CallError { call: "integrate", arguments, status, log: Vec::new() })
}

#[cold]
fn endless(t: f64, name: Option<&str>) -> Box<CallError> {
    let reason = match name {
        Some(name) => format!(
            "events follow each other without end: {name} changes back and forth, {EVENTS_MAX} times in a row \
             after hardly any time; give it a hysteresis, or a state of its own"
        ),
        None => format!(
            "events follow each other without end: {EVENTS_MAX} time events in a row, each announced for hardly any \
             time later; let the model announce its next event later"
        ),
    };
    let arguments = format!("t = {t}");
    let status = CallStatus::Refused(reason);
    Box::new(CallError { call: "integrate", arguments, status, log: Vec::new() })
}

/// Models learn of every change of an indicator between above zero and not: they decide by them at
/// events only.
fn roots(count: usize) -> Roots {
    let mut roots = Roots::new(count);
    roots.set_leaving(Leaving::Reported);
    roots
}

/// Keeps what the instance says where it is.
fn look(instance: &mut dyn ContinuousInstance, integration: &mut Integration) -> CallResult<()> {
    instance.derivatives(&mut integration.slope)?;
    instance.indicators(&mut integration.z)
}
