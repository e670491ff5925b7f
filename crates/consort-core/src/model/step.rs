//! What goes into a step and what comes out of it.

use crate::time::{Resolution, Tag, Time};

/// One communication step.
///
/// Doubles are computed once per tag by the caller, not per instance: `start` is the correctly
/// rounded time of `from`, `length` the correctly rounded tick difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Where the step starts.
    pub from: Tag,
    /// Where it shall end.
    pub to: Time,
    /// The value of `from` in seconds.
    pub start: f64,
    /// The length of the step in seconds.
    pub length: f64,
}

/// How far a step came, and why it stopped there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepOutcome {
    /// The time that was reached, to the nearest tick.
    pub reached: Time,
    /// Where exactly it stopped before its end, in seconds, if that is between two ticks: the instance continues
    /// from there, and a tick may be too coarse for the time of an event.
    pub stopped_at: Option<f64>,
    /// Why the step ended.
    pub reason: StepReason,
    /// When the instance expects its next event, if it knows.
    pub next_event: Option<Time>,
}

impl StepOutcome {
    /// The step went to its end and nothing happened.
    #[inline]
    pub fn complete(step: &Step) -> Self {
        let (reached, reason) = (step.to, StepReason::Complete);
        StepOutcome { reached, stopped_at: None, reason, next_event: None }
    }

    /// The instance asked for the end of the run at `t` seconds, which need not lie on a tick.
    pub fn ended(step: &Step, t: f64, resolution: Resolution) -> Self {
        let reached = resolution.from_f64(t).unwrap_or(step.to);
        let reached = reached.clamp(step.from.time, step.to);
        let stopped_at = (t < resolution.to_f64(step.to)).then_some(t);
        StepOutcome { reached, stopped_at, reason: StepReason::Terminate, next_event: None }
    }

    /// Whether the step went to its end and there is nothing else to report.
    #[inline]
    pub fn is_plain(&self, step: &Step) -> bool {
        self.reason == StepReason::Complete && self.reached == step.to && self.next_event.is_none()
    }
}

/// Why a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepReason {
    /// The step was completed.
    Complete,
    /// It stopped before its end and can continue from there.
    EarlyReturn,
    /// An event waits to be handled at the time reached.
    Event,
    /// The instance refused to go further; a shorter step from the last state may succeed.
    Discard,
    /// The instance asks for the run to end.
    Terminate,
}

/// What updating discrete states brought about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventUpdate {
    /// Another update is needed at the same time.
    pub again: bool,
    /// The instance asks for the run to end.
    pub terminate: bool,
    /// When the next event is due, if known.
    pub next_event: Option<Time>,
}
