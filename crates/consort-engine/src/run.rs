//! A run: a value its caller drives.

mod access;
mod build;
mod ending;
mod events;
mod finish;
mod initialize;
mod publish;
mod trace;

use crate::courier::Part;
use crate::error::RunError;
use crate::executable::Executable;
use crate::interpreter::{Halt, Interpreter};
use crate::record::ChunkSink;
use consort_core::{CancelFlag, ComponentId, LogSink, Step, StepOutcome, Tag, Time};
use consort_system::ResolvedSystem;
use std::sync::Arc;

pub use access::VariableHandle;
pub(crate) use ending::SavedEnding;
pub(crate) use events::PendingDiscreteInput;
pub use finish::Summary;
pub use trace::Observation;

use ending::Ending;
use events::Events;
use initialize::ParameterCheck;
use trace::TraceState;

/// How the engine carries out a run, and where rows, calls and log lines go; nothing here changes what it computes.
pub struct RunOptions {
    /// How many threads work on lanes, the caller's among them.
    pub workers: usize,
    /// Where instances' log lines and the engine's remarks go.
    pub log: LogSink,
    /// Instances shall log all they can.
    pub verbose: bool,
    /// Writes the trace; `None` if it is not written.
    pub recorder: Option<Box<dyn ChunkSink>>,
    /// Receives every step; `None` if steps are not logged.
    pub call_log: Option<Box<dyn CallSink>>,
    /// Observes the run while it goes, and may end it; `None` if it is not observed.
    pub observer: Option<Observation>,
    /// Which part of a run that is spread over nodes this is; `None` for the whole system.
    pub part: Option<Part>,
}

impl RunOptions {
    /// For a run of a whole system without recorder, call log, observer and log.
    pub fn quiet(workers: usize) -> Self {
        RunOptions {
            workers,
            log: Arc::new(|_| {}),
            verbose: false,
            recorder: None,
            call_log: None,
            observer: None,
            part: None,
        }
    }
}

/// Receives every step that every instance took, in id order per tag.
pub trait CallSink: Send {
    /// A step was taken.
    fn step(&mut self, component: &str, step: &Step, outcome: &StepOutcome);
}

/// How far a run came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The time asked for; there is more to come.
    Reached,
    /// The end of the experiment.
    Finished,
    /// A component asked for the run to end.
    Terminated {
        /// The component that asked for the end.
        component: String,
    },
    /// The observer wants to see nothing more.
    Decided,
}

/// A system being executed.
///
/// Dropping a run ends its instances; [`Run::finish`] does so and reports what happened.
pub struct Run {
    pub(crate) interpreter: Interpreter,
    pub(crate) events: Events,
    pub(crate) trace: TraceState,
    pub(crate) ending: Ending,
    parameters: ParameterCheck,
    /// Whether the instances were terminated.
    is_closed: bool,
}

impl Run {
    /// The present tag: everything up to it was computed, hashed and recorded.
    pub fn tag(&self) -> Tag {
        self.interpreter.clock.tag()
    }

    /// What the run was made of.
    pub fn executable(&self) -> Executable {
        self.interpreter.executable.clone()
    }

    /// The system being run.
    pub fn system(&self) -> &ResolvedSystem {
        &self.interpreter.executable.system
    }

    /// Installs the flag that cancels within a step, where an instance can interrupt one: see
    /// [`RunError::is_cancelled`].
    pub fn set_cancel_flag(&mut self, flag: &CancelFlag) {
        self.interpreter.set_cancel_flag(flag);
    }

    /// Moves on until every tag up to and including `until` is done, or the run is over.
    ///
    /// Where steps may be rejected, the next tag is known only once its step was taken: a step that
    /// is planned to end after `until` is not begun.
    ///
    /// # Errors
    /// If an instance fails or a loop has no solution. The run cannot continue then; [`Run::finish`]
    /// still works.
    pub fn advance(&mut self, until: Time) -> Result<Advance, RunError> {
        loop {
            if let Some(over) = self.ending.over() {
                return Ok(over.clone());
            }
            if self.system().experiment.stop <= self.tag().time {
                self.ending.conclude(Advance::Finished);
            } else if until < self.interpreter.planned_next()? {
                return Ok(Advance::Reached);
            } else {
                self.tick()?;
            }
        }
    }

    /// From one tag to the next.
    fn tick(&mut self) -> Result<(), RunError> {
        self.interpreter.statistics.tags += 1;
        let stepped = self.interpreter.run_advance();
        self.trace.log_steps(&self.interpreter);
        if self.interpreter.take_event_or_end() {
            self.collect_requests();
        }
        stepped.map_err(Halt::into_error)?;
        let next = self.interpreter.clock.next_end();
        if self.ends_by(next - Time::from_ticks(1)) {
            return Ok(()); // values at `next` would be those of a component that stopped before
        }
        self.interpreter.clock.move_to(next);
        self.interpreter.gather();
        self.publish()?;
        self.ends_by(self.tag().time);
        self.interpreter.reached();
        Ok(())
    }

    /// Requests of components to end the run.
    fn collect_requests(&mut self) {
        for index in 0..self.interpreter.pool.len() {
            self.ending.ask(self.interpreter.pool.lane(index).asked_to_end());
        }
    }

    /// Whether a component asked for the end at `time` or earlier; the run is over then.
    fn ends_by(&mut self, time: Time) -> bool {
        let Some((time, component)) = self.ending.asked_by(time) else { return false };
        self.end_at(Tag { time, microstep: u32::MAX }, component);
        true
    }

    /// The run is over since a component asked for it.
    fn end_at(&mut self, tag: Tag, component: ComponentId) {
        let name = self.interpreter.executable.name(component.index());
        self.ending.end_at(tag, component, name);
    }
}
