//! One live instance in a trial.

use super::course::Course;
use super::deadline::Deadline;
use super::given::Given;
use super::signals::{Change, Path, Signals};
use super::verdict::Failure;
use super::watch::{Observed, Watch};
use consort_core::model::CallResult;
use consort_core::model::stepping::{self, StepContext};
use consort_core::{
    CallError, CallStatus, Instance, Instantiation, Model, Prng, SavedState, Setup, Step,
    StepOutcome, StepReason, Tag, Time,
};
use std::time::Instant;

/// The most steps in one call.
const STRIDE_MAX: usize = 1024;
/// A call that takes less may have more steps, in seconds.
const SHORT: f64 = 0.1;

/// What all trial runs of a model share.
pub(super) struct TrialSetup {
    pub(super) course: Course,
    pub(super) watch: Watch,
    pub(super) signals: Signals,
    pub(super) given: Given,
    /// Event mode is used.
    pub(super) has_events: bool,
    pub(super) deadline: Deadline,
}

/// A live instance, where it is, and whether it asked to end.
pub(super) struct TrialInstance<'c> {
    instance: Box<dyn Instance>,
    trial_setup: &'c TrialSetup,
    now: Time,
    is_over: bool,
    /// When it has its next event, if it said so.
    next_event: Option<Time>,
    /// How many steps go into one call.
    stride: usize,
}

/// A state, and where the instance was.
pub(super) struct Point {
    state: SavedState,
    /// What it holds alone, where that is known.
    pub(super) bytes: Option<u64>,
    now: Time,
    is_over: bool,
    next_event: Option<Time>,
}

impl<'c> TrialInstance<'c> {
    /// A fresh instance at the start of its course.
    pub(super) fn start(model: &dyn Model, trial_setup: &'c TrialSetup) -> Result<Self, Failure> {
        Self::begin(model, trial_setup, false)
    }

    /// The same in a process whose memory lies elsewhere.
    pub(super) fn start_elsewhere(
        model: &dyn Model,
        trial_setup: &'c TrialSetup,
    ) -> Result<Self, Failure> {
        Self::begin(model, trial_setup, true)
    }

    fn begin(
        model: &dyn Model,
        trial_setup: &'c TrialSetup,
        elsewhere: bool,
    ) -> Result<Self, Failure> {
        let course = &trial_setup.course;
        let failed = |error: Box<CallError>| {
            let failure = Failure::new(&error, course.seconds(course.start));
            Failure { is_of_saving: true, ..failure }
        };
        let instance = instantiate(model, trial_setup, elsewhere).map_err(failed)?;
        let (now, next_event) = (course.start, None);
        let mut trial_instance =
            TrialInstance { instance, trial_setup, now, is_over: false, next_event, stride: 1 };
        if trial_setup.has_events {
            trial_instance.leave_event_mode().map_err(failed)?;
        }
        Ok(trial_instance)
    }

    /// Returns to step mode.
    fn leave_event_mode(&mut self) -> CallResult<()> {
        let update = stepping::update_until_settled(&mut *self.instance)?;
        self.instance.enter_step_mode()?;
        (self.next_event, self.is_over) = (update.next_event, self.is_over || update.terminate);
        Ok(())
    }

    /// Gives inputs and parameters their values, those that change at events in event mode.
    fn apply(&mut self, changes: &[Change]) -> CallResult<()> {
        let has_events = self.trial_setup.has_events;
        let (at_events, now): (Vec<_>, Vec<_>) =
            changes.iter().partition(|change| change.at_event && has_events);
        for change in now {
            self.instance.set(&[change.reference], change.values.view())?;
        }
        if at_events.is_empty() {
            return Ok(());
        }
        self.instance.enter_event_mode()?;
        for change in at_events {
            self.instance.set(&[change.reference], change.values.view())?;
        }
        self.leave_event_mode()
    }

    /// Moves on to `until`; how long that took, in seconds.
    pub(super) fn sim(&mut self, until: Time, path: Path) -> Result<f64, Failure> {
        let course = self.trial_setup.course;
        let mut seconds = 0.0;
        while self.now < until && !self.is_over {
            let index = (self.now - course.start).ticks().div_euclid(course.tau.ticks());
            let changes = self.trial_setup.signals.changes(path, index);
            self.apply(&changes).map_err(|error| self.failure(&error))?;
            let next = course.start + course.tau.checked_mul(index + 1).unwrap_or(until);
            seconds += self.steps(until.min(next))?;
        }
        Ok(seconds)
    }

    /// Steps with inputs as they are: whole runs of them in one call; how long they took, in seconds.
    fn steps(&mut self, until: Time) -> Result<f64, Failure> {
        let mut seconds = 0.0;
        while self.now < until && !self.is_over {
            self.trial_setup.deadline.check(self.trial_setup.course.seconds(self.now))?;
            let moved = match self.trial_setup.has_events {
                true => self.step_with_events(until),
                false => self.stride(until),
            };
            seconds += moved.map_err(|error| self.failure(&error))?;
        }
        Ok(seconds)
    }

    /// Some steps in one call.
    fn stride(&mut self, until: Time) -> CallResult<f64> {
        let steps = self.grid(until);
        let run = |trial_instance: &mut Self| {
            trial_instance.instance.run_steps((&[], &[]), &steps, (&[], &mut []))
        };
        let (ran, taken) = self.timed(run);
        let (done, outcome) = ran?;
        // A call that takes long would be taken for a hang.
        let is_short = taken < SHORT;
        self.stride = if is_short { STRIDE_MAX.min(2 * self.stride) } else { 1 };
        if let Some(last) = done.checked_sub(1) {
            self.now = steps[last].to;
        }
        if let Some(outcome) = outcome {
            self.end(&outcome)?;
        }
        Ok(taken)
    }

    /// One step, and the events in it.
    fn step_with_events(&mut self, until: Time) -> CallResult<f64> {
        let (step, resolution) = (self.grid(until)[0], self.trial_setup.course.resolution);
        let context = StepContext { resolution, event_mode: true, next_event: self.next_event };
        let began = Instant::now();
        let arrival = stepping::take_step(&mut *self.instance, &step, &context, |_, _| ())?;
        (self.now, self.is_over, self.next_event) =
            (arrival.reached, arrival.terminate, arrival.next_event);
        if arrival.event {
            self.instance.enter_event_mode()?;
            self.leave_event_mode()?;
        }
        Ok(began.elapsed().as_secs_f64())
    }

    /// The next steps, as many as go into one call.
    fn grid(&self, until: Time) -> Vec<Step> {
        let course = &self.trial_setup.course;
        let mut now = self.now;
        let next = || {
            let (from, to) = (now, until.min(now + course.step));
            now = to;
            let length = course.seconds(to - from);
            let step = Step { from: Tag::at(from), to, start: course.seconds(from), length };
            (from < to).then_some(step)
        };
        std::iter::from_fn(next).take(self.stride).collect()
    }

    /// A step that did not plainly come to its end.
    fn end(&mut self, outcome: &StepOutcome) -> CallResult<()> {
        if outcome.reason == StepReason::Discard {
            let unsaid = || CallError::new("step", CallStatus::Discard);
            return Err(self.instance.take_discarded().unwrap_or_else(unsaid));
        }
        self.is_over = outcome.reason == StepReason::Terminate;
        if outcome.reached <= self.now && !self.is_over {
            let status = CallStatus::Refused("it does not move on in time".to_owned());
            return Err(CallError::new("step", status));
        }
        self.now = outcome.reached;
        Ok(())
    }

    /// The values of all variables.
    pub(super) fn observe(&mut self) -> Result<Observed, Failure> {
        let read = self.trial_setup.watch.read(&mut *self.instance);
        read.map_err(|error| Failure { is_of_reading: true, ..self.failure(&error) })
    }

    /// The names of the variables that it refuses to read.
    pub(super) fn unreadable(&mut self) -> Vec<String> {
        self.trial_setup.watch.unreadable(&mut *self.instance)
    }

    /// How much memory its process has, where it has one.
    pub(super) fn resident_bytes(&self) -> Option<u64> {
        self.instance.resident_bytes()
    }

    /// Saves the state; how long that took, in seconds.
    pub(super) fn save(&mut self) -> Result<(Point, f64), Failure> {
        let (saved, seconds) = self.timed(|trial_instance| trial_instance.instance.save());
        let state = saved.map_err(|error| self.not_saved(&error))?;
        let bytes = Some(self.instance.unshared_bytes(&state)).filter(|bytes| *bytes != 0);
        let (now, is_over, next_event) = (self.now, self.is_over, self.next_event);
        Ok((Point { state, bytes, now, is_over, next_event }, seconds))
    }

    /// Goes back; how long that took, in seconds.
    pub(super) fn restore(&mut self, point: &Point) -> Result<f64, Failure> {
        let (restored, seconds) =
            self.timed(|trial_instance| trial_instance.instance.restore(&point.state));
        restored.map_err(|error| self.not_saved(&error))?;
        (self.now, self.is_over, self.next_event) = (point.now, point.is_over, point.next_event);
        Ok(seconds)
    }

    /// A saved state as bytes.
    pub(super) fn serialize(&mut self, point: &Point) -> Result<Vec<u8>, Failure> {
        let bytes = self.instance.serialize(&point.state);
        bytes.map_err(|error| self.not_saved(&error))
    }

    /// Goes to where another instance was, by the bytes of its state.
    pub(super) fn revive(
        &mut self,
        bytes: &[u8],
        other: &TrialInstance<'_>,
    ) -> Result<(), Failure> {
        let state = self.instance.deserialize(bytes).map_err(|error| self.not_saved(&error))?;
        let TrialInstance { now, is_over, next_event, .. } = *other;
        self.restore(&Point { state, bytes: None, now, is_over, next_event }).map(drop)
    }

    /// What one call gives, and how long it took, in seconds: where the instance lives, if it says so.
    fn timed<T>(&mut self, call: impl FnOnce(&mut Self) -> T) -> (T, f64) {
        let began = Instant::now();
        let given = call(self);
        let elapsed = began.elapsed();
        (given, self.instance.time_of_last_call().unwrap_or(elapsed).as_secs_f64())
    }

    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// What it does that some providers do not save.
    pub(super) fn hazards(&mut self) -> Vec<String> {
        self.instance.saving_hazards()
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    fn not_saved(&self, error: &CallError) -> Failure {
        Failure { is_of_saving: true, ..self.failure(error) }
    }

    fn failure(&self, error: &CallError) -> Failure {
        Failure::new(error, self.trial_setup.course.seconds(self.now))
    }
}

impl Drop for TrialInstance<'_> {
    /// The result of `terminate` no longer matters.
    fn drop(&mut self) {
        let _ = self.instance.terminate();
    }
}

fn instantiate(
    model: &dyn Model,
    trial_setup: &TrialSetup,
    elsewhere: bool,
) -> CallResult<Box<dyn Instance>> {
    let course = &trial_setup.course;
    let prng = Prng::new(course.seed).split("checked");
    let can = &model.description().capabilities;
    let instantiation = Instantiation {
        event_mode: trial_setup.has_events,
        early_return: trial_setup.has_events && can.early_return,
        elsewhere,
        ..Instantiation::quiet("checked", prng)
    };
    let mut instance = model.instantiate(&instantiation)?;
    // Excursions may pass the stop, so the model gets none.
    let (resolution, start, tolerance) = (course.resolution, course.start, course.tolerance);
    let setup = Setup { resolution, start, stop: None, tolerance };
    trial_setup.given.preparation(model.description()).enter(&mut *instance, &setup)?;
    instance.exit_initialization()?;
    Ok(instance)
}
