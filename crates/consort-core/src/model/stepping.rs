//! Calls into one instance that take more than one call: a step with early returns and events, an
//! event iteration.

use super::{
    CallError, CallResult, CallStatus, EventUpdate, Instance, Step, StepOutcome, StepReason,
};
use crate::time::{Resolution, Tag, Time};

/// How often an instance may return early without moving on.
const STALLED_TRIES_MAX: u32 = 100;
/// How often an instance may stop in a row within one step, each time after less than this part of it: one that
/// announces an event for every tick would never come to its end.
const CRAWLING_TRIES_MAX: u32 = 100_000;
const CRAWLING: f64 = 1e-7;
/// In how many parts an instance that refuses to continue may take a step.
const REFUSALS_MAX: u32 = 1000;
/// How often discrete states may be updated at one point in time.
const EVENT_UPDATES_MAX: u32 = 1000;

/// What a component needs to know while it steps.
#[derive(Clone, Copy, Debug)]
pub struct StepContext {
    /// The resolution of its times.
    pub resolution: Resolution,
    /// Its events are handled in event mode.
    pub event_mode: bool,
    /// When the instance announced its next event.
    pub next_event: Option<Time>,
}

/// Where a component is after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The time it came to.
    pub reached: Time,
    /// An event waits to be handled here.
    pub event: bool,
    /// The instance asked for the end of the run.
    pub terminate: bool,
    /// When its next event is due, if the instance reported it.
    pub next_event: Option<Time>,
}

/// What stopped a component.
#[derive(Debug)]
pub enum Stopped {
    /// A call failed.
    Call(Box<CallError>),
    /// The instance refused to go further.
    Discarded {
        /// The time that was reached.
        reached: Time,
        /// The reason that the instance gave.
        error: Option<Box<CallError>>,
    },
    /// It returned early again and again without moving on.
    NoProgress {
        /// The time at which it is stuck.
        at: Time,
        /// The number of tries.
        tries: u32,
    },
}

impl From<Box<CallError>> for Stopped {
    fn from(error: Box<CallError>) -> Self {
        Stopped::Call(error)
    }
}

impl From<Stopped> for Box<CallError> {
    /// The failed call as an error.
    fn from(stopped: Stopped) -> Self {
        let failed = |status| CallError::new("step", status);
        match stopped {
            Stopped::Call(error) => error,
            Stopped::Discarded { error, .. } => {
                error.unwrap_or_else(|| failed(CallStatus::Discard))
            }
            Stopped::NoProgress { .. } => {
                failed(CallStatus::Refused("it does not advance in time".to_owned()))
            }
        }
    }
}

/// Takes one communication step. Events strictly inside of it are the component's own affair: they
/// are handled where they happen, and others see their effect at the end of the step. An event at its end
/// is left to the caller. `taken` sees every call and what came of it.
///
/// # Errors
/// What kept the instance from the end of the step.
pub fn take_step(
    instance: &mut dyn Instance,
    step: &Step,
    context: &StepContext,
    mut taken: impl FnMut(&Step, &StepOutcome),
) -> Result<Arrival, Stopped> {
    let mut part = first_part(step, context);
    let mut next_event = context.next_event;
    let (mut stalled, mut crawling, mut refusals) = (0, 0, 0);
    loop {
        let outcome = instance.step(&part)?;
        taken(&part, &outcome);
        let announced = context.event_mode && next_event == Some(step.to);
        next_event = outcome.next_event.or(next_event.filter(|&time| outcome.reached < time));
        let arrival =
            |event, terminate| Arrival { reached: outcome.reached, event, terminate, next_event };
        match outcome.reason {
            StepReason::Terminate => return Ok(arrival(false, true)),
            StepReason::Discard => {
                let error = instance.take_discarded();
                refusals += 1;
                if !has_moved(&part, &outcome, context.resolution) || REFUSALS_MAX < refusals {
                    return Err(Stopped::Discarded { reached: outcome.reached, error });
                }
                let place = Place::of(&outcome, context.resolution);
                part = rest_of(step, place, next_event, context.resolution);
                continue;
            }
            _ if is_whole(step, &outcome, context.resolution) => {
                return Ok(arrival(outcome.reason == StepReason::Event || announced, false));
            }
            _ => {}
        }
        let place = Place::of(&outcome, context.resolution);
        stalled = if part.start < place.seconds { 0 } else { stalled + 1 };
        crawling =
            if CRAWLING * step.length < place.seconds - part.start { 0 } else { crawling + 1 };
        if STALLED_TRIES_MAX <= stalled || CRAWLING_TRIES_MAX <= crawling {
            return Err(Stopped::NoProgress { at: outcome.reached, tries: crawling });
        }
        if context.event_mode {
            let update = handle_event(instance)?;
            if update.terminate {
                return Ok(Arrival {
                    reached: outcome.reached,
                    event: false,
                    terminate: true,
                    next_event,
                });
            }
            next_event = update.next_event;
        }
        part = rest_of(step, place, next_event, context.resolution);
    }
}

/// The step as asked, or the part of it up to an announced event.
fn first_part(step: &Step, context: &StepContext) -> Step {
    match context.next_event {
        Some(event) if context.event_mode && step.from.time < event && event < step.to => {
            let place = Place { time: step.from.time, seconds: step.start, is_tick: true };
            rest_of(step, place, Some(event), context.resolution)
        }
        _ => *step,
    }
}

/// Where an instance is within a step.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The nearest tick.
    time: Time,
    /// The exact time in seconds.
    seconds: f64,
    /// It lies on the tick.
    is_tick: bool,
}

impl Place {
    /// The place at which a call ended.
    pub fn of(outcome: &StepOutcome, resolution: Resolution) -> Self {
        let time = outcome.reached;
        let seconds = outcome.stopped_at.unwrap_or_else(|| resolution.to_f64(time));
        Place { time, seconds, is_tick: outcome.stopped_at.is_none() }
    }
}

/// Whether an instance that refused to go to the end of a step came at least further than its start, and
/// not beyond its end: it can continue from there.
pub fn has_moved(step: &Step, outcome: &StepOutcome, resolution: Resolution) -> bool {
    let seconds = Place::of(outcome, resolution).seconds;
    step.start < seconds && seconds < resolution.to_f64(step.to) && outcome.reached <= step.to
}

/// Whether a step came to its end, or so close that it makes no difference: what is left is less
/// than half a tick, and less than a nanosecond where ticks are longer.
pub fn is_whole(step: &Step, outcome: &StepOutcome, resolution: Resolution) -> bool {
    const NEGLIGIBLE: f64 = 1e-9;
    let is_near = |at: f64| resolution.to_f64(step.to) - at < NEGLIGIBLE;
    step.to <= outcome.reached && outcome.stopped_at.is_none_or(is_near)
}

/// The part of a step from a place on, up to an announced event or its end.
pub fn rest_of(
    step: &Step,
    place: Place,
    next_event: Option<Time>,
    resolution: Resolution,
) -> Step {
    let from = place.time;
    let to = next_event.filter(|&event| from < event && event < step.to).unwrap_or(step.to);
    let length = match place.is_tick {
        true => resolution.to_f64(to - from),
        false => resolution.to_f64(to) - place.seconds,
    };
    Step { from: Tag::at(from), to, start: place.seconds, length }
}

/// Enters event mode, iterates, and returns to step mode.
///
/// # Errors
/// If one of these calls fails, or there is no end of updates.
pub fn handle_event(instance: &mut dyn Instance) -> CallResult<EventUpdate> {
    instance.enter_event_mode()?;
    let update = update_until_settled(instance)?;
    instance.enter_step_mode()?;
    Ok(update)
}

/// Updates discrete states until no more update is needed.
///
/// # Errors
/// If that fails, or there is no end of it.
pub fn update_until_settled(instance: &mut dyn Instance) -> CallResult<EventUpdate> {
    for _ in 0..EVENT_UPDATES_MAX {
        let update = instance.update_discrete_states()?;
        if !update.again || update.terminate {
            return Ok(update);
        }
    }
    let refused = format!("discrete states still change after {EVENT_UPDATES_MAX} updates");
    let status = CallStatus::Refused(refused);
    Err(CallError::new("update discrete states", status))
}
