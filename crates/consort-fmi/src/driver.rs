//! One instance, whatever the version: its life, its log, its errors. Co-Simulation is driven by
//! [`FmuInstance`] itself, Model Exchange by what [`exchange`] puts around it.
//!
//! The driver knows what is allowed when and what a status means; [`calls`] hides the version.
//! `get`, `set` and `step` neither allocate nor lock as long as the FMU answers "OK".
//!
//! An FMU that prints does so on the process's standard output; a program that uses that for data points
//! file descriptor 1 elsewhere before loading FMUs.

mod calls;
mod exchange;
mod fmi2;
mod fmi3;
mod instance;
mod loaded;
mod phase;
mod scratch;
mod state;

pub(crate) use calls::Request;
pub(crate) use loaded::Loaded;

use crate::binding::context::Context;
use crate::binding::float_mode::{FloatMode, computes_as_usual};
use crate::binding::registry::{Number, note_call};
use crate::binding::{Status, Table};
use calls::{Asked, Calls, Progress, RawState, refused};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, ContinuousDescription, ContinuousEvent, ContinuousInstance, Instance,
    LogLevel, Reference, Resolution, SavedState, Step, StepOutcome, StepReason, Time, ValueType,
    Values, ValuesRef,
};
use exchange::ModelExchangeInstance;
use fmi2::Fmi2Calls;
use fmi3::Fmi3Calls;
use phase::Phase;
use state::{FmuState, Owner};
use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// Makes a live instance; the version is settled here, once.
///
/// # Errors
/// If the FMU refuses.
pub(crate) fn instantiate(
    table: &Table,
    request: Request,
    loaded: Arc<Loaded>,
) -> CallResult<Box<dyn Instance>> {
    match table {
        Table::V2(table) => {
            let made = |request| Fmi2Calls::instantiate(Arc::clone(table), request);
            Ok(Box::new(FmuInstance::make(request, loaded, made)?))
        }
        Table::V3(table) => {
            let made = |request| Fmi3Calls::instantiate(Arc::clone(table), request);
            Ok(Box::new(FmuInstance::make(request, loaded, made)?))
        }
    }
}

/// Makes a live instance whose equations a solver integrates.
///
/// # Errors
/// If the FMU refuses.
pub(crate) fn instantiate_exchange(
    table: &Table,
    request: Request,
    loaded: Arc<Loaded>,
    continuous: &ContinuousDescription,
) -> CallResult<Box<dyn ContinuousInstance>> {
    match table {
        Table::V2(table) => {
            let made = |request| Fmi2Calls::instantiate(Arc::clone(table), request);
            Ok(Box::new(ModelExchangeInstance::make(request, loaded, continuous, made)?))
        }
        Table::V3(table) => {
            let made = |request| Fmi3Calls::instantiate(Arc::clone(table), request);
            Ok(Box::new(ModelExchangeInstance::make(request, loaded, continuous, made)?))
        }
    }
}

/// A live FMU. What every step reads comes first, side by side: with thousands of instances, fetching
/// another line of memory costs more than the rest of this driver.
#[repr(C)]
struct FmuInstance<C: Calls> {
    phase: Phase,
    is_set_up: bool,
    uses_event_mode: bool,
    /// A state was saved or brought in: the FMU must keep what it needs to go back.
    may_go_back: bool,
    /// The floating-point mode to go back to: that of the thread that made the instance.
    float_mode: FloatMode,
    /// Collects what the FMU logs.
    number: Number,
    /// Never dropped after "fatal": the FMU was not freed and may still use what is in it.
    calls: ManuallyDrop<C>,
    /// Why the last step was discarded.
    discarded: Option<Box<CallError>>,
    /// Known from initialization on.
    resolution: Option<Resolution>,
    /// Where the last step ended; known unless a state was restored since.
    now: Option<Time>,
    states: Arc<Owner>,
    context: Arc<Context>,
    /// What was warned about once already.
    warned: Vec<&'static str>,
    /// Last, so that the library outlives everything above.
    loaded: Arc<Loaded>,
}

impl<C: Calls> FmuInstance<C> {
    /// Has an instance made and drives it.
    fn make(
        request: Request,
        loaded: Arc<Loaded>,
        instantiate: impl FnOnce(Request) -> CallResult<C>,
    ) -> CallResult<Self> {
        let (uses_event_mode, verbose) = (request.event_mode, request.verbose);
        let context = Arc::clone(&request.context);
        let number = context.number();
        note_call(number);
        let (made, mode_changed) = FloatMode::around(|| instantiate(request));
        let calls = made.map_err(|mut error| {
            error.log = context.recent();
            error
        })?;
        let mut instance = FmuInstance {
            phase: Phase::Instantiated,
            is_set_up: false,
            uses_event_mode,
            may_go_back: false,
            float_mode: FloatMode::keep(),
            number,
            calls: ManuallyDrop::new(calls),
            discarded: None,
            resolution: None,
            now: None,
            states: Arc::default(),
            context,
            warned: Vec::new(),
            loaded,
        };
        if mode_changed {
            instance.warn_about_float_mode();
        }
        if verbose {
            instance.make_verbose();
        }
        Ok(instance)
    }

    /// Asks the FMU to log all it can; one that cannot is left as it is.
    fn make_verbose(&mut self) {
        let asked = self.calls.set_debug_logging();
        self.check_float_mode();
        if let Ok(reply) = asked
            && !reply.status.is_success()
            && let Err(error) = self.judge(reply.call, reply.status, String::new())
        {
            // Logging is no reason to end the instance, unless it reports a fatal error.
            if self.phase != Phase::Dead {
                self.phase = Phase::Instantiated;
            }
            self.context.log(LogLevel::Warning, "consort", &error.to_string());
        }
    }

    /// The call came too early or too late unless the phase is in the range. From here on this thread is in
    /// a call of this instance.
    #[inline]
    fn require(&self, call: &'static str, from: Phase, to: Phase) -> CallResult<()> {
        if from <= self.phase && self.phase <= to {
            note_call(self.number);
            return Ok(());
        }
        Err(CallError::new(call, CallStatus::WrongState(self.phase.name())))
    }

    /// An error about several values names those that cannot be got one by one either. Unless it was fatal,
    /// the standard lets values be got after an error, to find out why.
    #[cold]
    fn blame(
        &mut self,
        mut error: Box<CallError>,
        references: &[Reference],
        value_type: ValueType,
        count: usize,
    ) -> Box<CallError> {
        // Of arrays it is not known here how many values each has.
        let is_scalar = count == references.len();
        if self.phase == Phase::Dead || references.len() < 2 || !is_scalar {
            return error;
        }
        let mut place = Values::zeros(value_type, 1);
        let mut refused = Vec::new();
        for &reference in references {
            let reply = self.calls.get(&[reference], place.slice_mut(0, 1));
            match reply.map(|reply| reply.status) {
                Ok(status) if status.is_success() => {}
                Ok(Status::FATAL) => {
                    self.phase = Phase::Dead;
                    return error;
                }
                _ => refused.push(reference),
            }
        }
        if !refused.is_empty() {
            error.arguments = self.describe(&refused, value_type, None);
        }
        error
    }

    /// What a reply means; `arguments` are written only when they are needed.
    #[inline]
    fn finish(&mut self, asked: Asked, arguments: impl FnOnce(&Self) -> String) -> CallResult<()> {
        let reply = asked?;
        if reply.status == Status::OK {
            return Ok(());
        }
        let arguments = arguments(self);
        self.judge(reply.call, reply.status, arguments)
    }

    /// Remembers where a step ended, for those who announce events. Others are not written to: with
    /// thousands of instances that costs more than the call.
    #[inline]
    fn note_end(&mut self, step: &Step) {
        if self.uses_event_mode {
            self.now = Some(step.to);
        }
    }

    /// The fields of the reply one by one: they stay in registers on the fast path.
    #[cold]
    fn judge(&mut self, call: &'static str, status: Status, arguments: String) -> CallResult<()> {
        if status.is_success() {
            self.warn_once(call, &format!("{call}({arguments}) returned a warning"));
            return Ok(());
        }
        self.phase = match status {
            Status::DISCARD => self.phase,
            Status::FATAL => Phase::Dead,
            _ => Phase::Failed,
        };
        let status = status.to_call_status();
        Err(Box::new(CallError { call, arguments, status, log: self.context.recent() }))
    }

    #[cold]
    fn warn_once(&mut self, topic: &'static str, message: &str) {
        if !self.warned.contains(&topic) {
            self.warned.push(topic);
            self.context.log(LogLevel::Warning, "consort", message);
        }
    }

    /// Puts the thread's floating-point mode back if the FMU changed it.
    #[inline]
    fn check_float_mode(&mut self) {
        if !computes_as_usual() {
            self.repair_float_mode();
        }
    }

    /// Numbers do not come out as usual after a step: unless it was so before, the FMU did it.
    #[cold]
    fn repair_float_mode(&mut self) {
        if self.float_mode.put_back() {
            self.warn_about_float_mode();
        }
    }

    #[cold]
    fn warn_about_float_mode(&mut self) {
        self.warn_once(
            "float mode",
            "the FMU changed the floating-point mode of the thread; it was put back",
        );
    }

    /// Makes a call that moves to another phase; the floating-point mode is kept.
    fn transition(
        &mut self,
        next: Phase,
        action: impl FnOnce(&mut C) -> Asked,
        arguments: impl FnOnce(&Self) -> String,
    ) -> CallResult<()> {
        let (asked, changed) = FloatMode::around(|| action(&mut self.calls));
        if changed {
            self.warn_about_float_mode();
        }
        self.finish(asked, arguments)?;
        self.phase = next;
        Ok(())
    }

    /// The outcome of a step that was more, or less, than plain.
    #[cold]
    fn judge_step(
        &mut self,
        step: &Step,
        status: Status,
        progress: &Progress,
    ) -> CallResult<StepOutcome> {
        let discarded = status == Status::DISCARD;
        if status != Status::OK {
            let arguments = format!("t = {}, h = {}", step.start, step.length);
            match self.judge(C::STEP, status, arguments) {
                Err(error) if discarded => self.discarded = Some(error),
                judged => judged?,
            }
        }
        let reason = match progress {
            Progress { terminate: true, .. } => StepReason::Terminate,
            _ if discarded => StepReason::Discard,
            Progress { event: true, .. } => StepReason::Event,
            Progress { early: true, .. } => StepReason::EarlyReturn,
            _ => StepReason::Complete,
        };
        let whole = !discarded && !progress.early && !progress.terminate;
        let reached = if whole { step.to } else { self.reached(step, progress)? };
        self.now = Some(reached);
        let is_inside = step.start <= progress.reached
            && self.resolution.is_some_and(|it| progress.reached < it.to_f64(step.to));
        let stopped_at = (!whole && is_inside).then_some(progress.reached);
        Ok(StepOutcome { reached, stopped_at, reason, next_event: None })
    }

    /// The time an FMU reports to have reached, kept within its step.
    fn reached(&self, step: &Step, progress: &Progress) -> CallResult<Time> {
        let time = self.time(progress.reached);
        let time = time.ok_or_else(|| {
            refused(C::STEP, format!("the last successful time {} is no time", progress.reached))
        })?;
        Ok(time.clamp(step.from.time, step.to))
    }

    fn time(&self, seconds: f64) -> Option<Time> {
        self.resolution.and_then(|resolution| resolution.from_f64(seconds).ok())
    }

    /// Warns of an event that is announced for a time that is not to come, after the last update at `now`.
    /// Some tools write infinity if there is none.
    fn check_announced(&mut self, event: &ContinuousEvent, now: f64) {
        let is_last = !event.again && !event.terminate;
        let time = event.next_event.filter(|time| is_last && (time.is_nan() || *time <= now));
        if let Some(time) = time {
            let message = format!(
                "the FMU announced its next event for t = {time}, which is not after t = {now}; it is passed over"
            );
            self.warn_once("announced event", &message);
        }
    }

    /// When an event that an FMU announced is due.
    fn event_time(&self, seconds: f64) -> Option<Time> {
        self.resolution.and_then(|resolution| first_tick_not_before(resolution, seconds))
    }

    /// Frees the states that were dropped since.
    fn free_dropped_states(&mut self) {
        while self.phase <= Phase::Terminated
            && let Some(state) = self.states.take_dropped()
        {
            let freed = self.calls.free_state(state);
            self.check_float_mode();
            if let Ok(reply) = freed
                && !reply.status.is_success()
                && let Err(error) = self.judge(reply.call, reply.status, String::new())
            {
                self.context.log(LogLevel::Error, "consort", &error.to_string());
            }
        }
    }

    /// Takes over a state that the FMU has just made; null is none, whatever the status.
    fn adopt(&mut self, asked: Asked, state: RawState, phase: Phase) -> CallResult<SavedState> {
        self.check_float_mode();
        let call = asked.as_ref().map_or("save its state", |reply| reply.call);
        self.finish(asked, instance::nothing)?;
        if state.is_null() {
            return Err(refused(call, "it answered `OK` without a state".to_owned()));
        }
        Ok(SavedState(Box::new(self.states.adopt(state, phase))))
    }

    /// What a saved state of this instance holds.
    fn own<'s>(&self, call: &'static str, state: &'s SavedState) -> CallResult<&'s FmuState> {
        let state = state.0.downcast_ref::<FmuState>();
        let own = state.filter(|state| self.states.open(state).is_some());
        own.ok_or_else(|| refused(call, "the state belongs to another instance".to_owned()))
    }

    fn check_can(&self, can: bool, what: &'static str) -> CallResult<()> {
        self.require(what, Phase::Instantiated, Phase::Terminated)?;
        if can { Ok(()) } else { Err(CallError::unsupported(what)) }
    }

    /// The variables of a call for a person, with their values where each has one.
    fn describe(
        &self,
        references: &[Reference],
        value_type: ValueType,
        values: Option<ValuesRef<'_>>,
    ) -> String {
        let values = values.filter(|values| values.len() == references.len());
        let mut text = String::new();
        for (index, &reference) in references.iter().take(SHOWN_MAX).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let variables = &self.loaded.description.variables;
            let variable = variables.iter().find(|variable| {
                variable.reference == reference && variable.value_type == value_type
            });
            let written = match variable {
                Some(variable) => write!(text, "{comma}{}", variable.name),
                None => write!(text, "{comma}#{}", reference.0),
            };
            let value = values.map(|values| values.element(index));
            let written = written.and(value.map_or(Ok(()), |value| write!(text, " = {value}")));
            written.expect("writing to a string succeeds");
        }
        if SHOWN_MAX < references.len() {
            text.push_str(&format!(", and {} more", references.len() - SHOWN_MAX));
        }
        text
    }
}

/// The first tick that, in seconds, is not before a time: an FMU that handles its event a
/// fraction of a tick too early would not find it, and the event would be lost.
fn first_tick_not_before(resolution: Resolution, seconds: f64) -> Option<Time> {
    let nearest = resolution.from_f64(seconds).ok()?;
    if resolution.to_f64(nearest) < seconds {
        return nearest.checked_add(Time::from_ticks(1));
    }
    Some(nearest)
}

/// How many variables an error names.
const SHOWN_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announced_event_is_never_handled_before_its_time() {
        let nano = Resolution::NANOSECOND;
        let ticks = |seconds| first_tick_not_before(nano, seconds).map(Time::ticks);
        // 0.1 as a double is the tick of 0.1 s, although it is a little more than a tenth.
        assert_eq!(ticks(0.1), Some(100_000_000));
        assert_eq!(ticks(1.0 / 3.0), Some(333_333_334));
        assert_eq!(ticks(2.0 / 3.0), Some(666_666_667));
        assert_eq!(ticks(-1.0 / 3.0), Some(-333_333_333));
        assert_eq!(ticks(f64::INFINITY), None);
    }
}
