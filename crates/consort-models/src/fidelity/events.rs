//! Steps of an instance that uses event mode (FMI 3): up to announced events, with every event handled where it is.

use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, EventUpdate, Instance, Resolution, Step, StepOutcome, StepReason, Tag,
    Time,
};

/// The most updates of discrete states at one time.
const UPDATES_MAX: u32 = 1000;
/// The most parts of one step.
const PARTS_MAX: u32 = 100_000;
/// What is left of a step that is at its end, in seconds.
const REST: f64 = 1e-9;

/// How a step ended.
pub(super) struct Taken {
    pub(super) reached: Time,
    pub(super) is_over: bool,
    /// When the next event is due, if known.
    pub(super) next_event: Option<Time>,
}

/// Takes a step, in parts if there are events in it.
pub(super) fn take(
    instance: &mut dyn Instance,
    step: &Step,
    mut next_event: Option<Time>,
    resolution: Resolution,
) -> CallResult<Taken> {
    let mut part = *step;
    for _ in 0..PARTS_MAX {
        part = up_to(&part, next_event, resolution);
        let outcome = instance.step(&part)?;
        let reached = outcome.reached;
        let is_announced = next_event == Some(reached);
        next_event = outcome.next_event.or(next_event.filter(|&event| reached < event));
        if outcome.reason == StepReason::Discard {
            let unsaid = || CallError::new("step", CallStatus::Discard);
            return Err(instance.take_discarded().unwrap_or_else(unsaid));
        }
        let mut is_over = outcome.reason == StepReason::Terminate;
        let is_whole = is_whole(step, &outcome, resolution);
        if !is_over && (outcome.reason == StepReason::Event || is_announced || !is_whole) {
            instance.enter_event_mode()?;
            let update = leave(instance)?;
            (is_over, next_event) = (update.terminate, update.next_event);
        }
        if is_over || is_whole {
            return Ok(Taken { reached, is_over, next_event });
        }
        part = rest(step, &outcome, resolution);
    }
    let status = CallStatus::Refused("it does not move on in time".to_owned());
    Err(CallError::new("step", status))
}

/// Updates discrete states until nothing changes any more, and leaves event mode.
pub(super) fn leave(instance: &mut dyn Instance) -> CallResult<EventUpdate> {
    for _ in 0..UPDATES_MAX {
        let update = instance.update_discrete_states()?;
        if !update.again || update.terminate {
            instance.enter_step_mode()?;
            return Ok(update);
        }
    }
    let reason = format!("discrete states still change after {UPDATES_MAX} updates");
    Err(CallError::new("update discrete states", CallStatus::Refused(reason)))
}

fn is_whole(step: &Step, outcome: &StepOutcome, resolution: Resolution) -> bool {
    let is_near = |at: f64| resolution.to_f64(step.to) - at < REST;
    step.to <= outcome.reached && outcome.stopped_at.is_none_or(is_near)
}

/// The step, or its part up to an event.
fn up_to(step: &Step, event: Option<Time>, resolution: Resolution) -> Step {
    let from = step.from.time;
    let Some(to) = event.filter(|&event| from < event && event < step.to) else { return *step };
    let is_tick = step.start.to_bits() == resolution.to_f64(from).to_bits();
    let length = match is_tick {
        true => resolution.to_f64(to - from),
        false => resolution.to_f64(to) - step.start,
    };
    Step { to, length, ..*step }
}

/// What is left of a step that stopped before its end.
fn rest(step: &Step, outcome: &StepOutcome, resolution: Resolution) -> Step {
    let from = outcome.reached;
    let start = outcome.stopped_at.unwrap_or_else(|| resolution.to_f64(from));
    let length = match outcome.stopped_at {
        None => resolution.to_f64(step.to - from),
        Some(start) => resolution.to_f64(step.to) - start,
    };
    Step { from: Tag::at(from), to: step.to, start, length }
}
