//! One live instance on its course.

use super::course::Course;
use super::given::Given;
use super::signals::{Path, Signals};
use super::verdict::Failure;
use super::watch::{Observed, Watch};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, Instance, Instantiation, Model, Prng, SavedState, Setup, Step,
    StepOutcome, StepReason, Tag, Time,
};
use std::time::Instant;

/// The most steps in one call.
const STRIDE_MAX: usize = 1024;
/// A call that takes less may have more steps, in seconds.
const SHORT: f64 = 0.1;

/// What every run of a model has in common.
pub(super) struct Circumstances {
    pub(super) course: Course,
    pub(super) watch: Watch,
    pub(super) signals: Signals,
    pub(super) given: Given,
}

/// A live instance, where it is, and whether it asked to end.
pub(super) struct Rig<'c> {
    instance: Box<dyn Instance>,
    around: &'c Circumstances,
    now: Time,
    is_over: bool,
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
}

impl<'c> Rig<'c> {
    /// A fresh instance at the start of its course.
    pub(super) fn start(model: &dyn Model, around: &'c Circumstances) -> Result<Self, Failure> {
        let course = &around.course;
        let failed = |error: Box<CallError>| {
            let failure = Failure::new(&error, course.seconds(course.start));
            Failure { is_of_saving: true, ..failure }
        };
        let instance = instantiate(model, around).map_err(failed)?;
        Ok(Rig { instance, around, now: course.start, is_over: false, stride: 1 })
    }

    /// Moves on to `until`; how long that took, in seconds.
    pub(super) fn sim(&mut self, until: Time, path: Path) -> Result<f64, Failure> {
        let course = self.around.course;
        let mut seconds = 0.0;
        while self.now < until && !self.is_over {
            let index = (self.now - course.start).ticks().div_euclid(course.tau.ticks());
            let applied = self.around.signals.apply(&mut *self.instance, path, index);
            applied.map_err(|error| self.failure(&error))?;
            let next = course.start + course.tau.checked_mul(index + 1).unwrap_or(until);
            let moved = self.steps(until.min(next));
            seconds += moved.map_err(|error| self.failure(&error))?;
        }
        Ok(seconds)
    }

    /// Steps with inputs as they are: whole runs of them in one call; how long they took, in seconds.
    fn steps(&mut self, until: Time) -> CallResult<f64> {
        let mut seconds = 0.0;
        while self.now < until && !self.is_over {
            let steps = self.grid(until);
            let run = |rig: &mut Self| rig.instance.run_steps((&[], &[]), &steps, (&[], &mut []));
            let (ran, taken) = self.timed(run);
            let (done, outcome) = ran?;
            seconds += taken;
            // A call that takes long would be taken for a hang.
            let is_short = taken < SHORT;
            self.stride = if is_short { STRIDE_MAX.min(2 * self.stride) } else { 1 };
            if let Some(last) = done.checked_sub(1) {
                self.now = steps[last].to;
            }
            if let Some(outcome) = outcome {
                self.end(&outcome)?;
            }
        }
        Ok(seconds)
    }

    /// The next steps, as many as go into one call.
    fn grid(&self, until: Time) -> Vec<Step> {
        let course = &self.around.course;
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
        let read = self.around.watch.read(&mut *self.instance);
        read.map_err(|error| self.failure(&error))
    }

    /// Saves the state; how long that took, in seconds.
    pub(super) fn save(&mut self) -> Result<(Point, f64), Failure> {
        let (saved, seconds) = self.timed(|rig| rig.instance.save());
        let state = saved.map_err(|error| self.not_saved(&error))?;
        let bytes = Some(self.instance.unshared_bytes(&state)).filter(|bytes| *bytes != 0);
        Ok((Point { state, bytes, now: self.now, is_over: self.is_over }, seconds))
    }

    /// Goes back; how long that took, in seconds.
    pub(super) fn restore(&mut self, point: &Point) -> Result<f64, Failure> {
        let (restored, seconds) = self.timed(|rig| rig.instance.restore(&point.state));
        restored.map_err(|error| self.not_saved(&error))?;
        (self.now, self.is_over) = (point.now, point.is_over);
        Ok(seconds)
    }

    /// A saved state as bytes.
    pub(super) fn serialize(&mut self, point: &Point) -> Result<Vec<u8>, Failure> {
        let bytes = self.instance.serialize(&point.state);
        bytes.map_err(|error| self.not_saved(&error))
    }

    /// Goes to where another instance was, by the bytes of its state.
    pub(super) fn revive(&mut self, bytes: &[u8], now: Time) -> Result<(), Failure> {
        let state = self.instance.deserialize(bytes).map_err(|error| self.not_saved(&error))?;
        self.restore(&Point { state, bytes: None, now, is_over: false }).map(drop)
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
        Failure::new(error, self.around.course.seconds(self.now))
    }
}

impl Drop for Rig<'_> {
    /// Nobody is interested any more in how it ends.
    fn drop(&mut self) {
        let _ = self.instance.terminate();
    }
}

fn instantiate(model: &dyn Model, around: &Circumstances) -> CallResult<Box<dyn Instance>> {
    let course = &around.course;
    let instantiation = Instantiation::quiet("checked", Prng::new(course.seed).split("checked"));
    let mut instance = model.instantiate(&instantiation)?;
    // Excursions may pass the stop, so nobody is told of one.
    let (resolution, start, tolerance) = (course.resolution, course.start, course.tolerance);
    let setup = Setup { resolution, start, stop: None, tolerance };
    around.given.preparation(model.description()).enter(&mut *instance, &setup)?;
    instance.exit_initialization()?;
    Ok(instance)
}
