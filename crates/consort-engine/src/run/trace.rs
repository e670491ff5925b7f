//! Processing of published values: hashes, rows, observers, and warnings.

mod divergence;
mod observe;
mod ranges;
mod schema;
mod sightings;

use super::{CallSink, RunOptions};
use crate::error::RunError;
use crate::executable::Executable;
use crate::interpreter::Interpreter;
use crate::program::{Program, Source};
use crate::record::{Hashes, Recorder};
use crate::statistics::Statistics;
use crate::store::{Bank, Slot};
use consort_core::{Observer, ObserverDecision, Tag};
use consort_trace::VariableHash;

pub use observe::Observation;

use divergence::DivergenceWatch;
use observe::ActiveObservation;
use ranges::RangeWatch;

/// Everything that looks at the values of a run and leaves them as they are.
pub(crate) struct TraceState {
    hashes: Hashes,
    divergence: DivergenceWatch,
    ranges: RangeWatch,
    sinks: Sinks,
    observation: Option<ActiveObservation>,
}

/// Where rows and steps are written.
#[derive(Default)]
pub(crate) struct Sinks {
    pub(super) recorder: Option<Recorder>,
    pub(super) calls: Option<Box<dyn CallSink>>,
}

impl TraceState {
    /// At the start of a run that is written as the options say; they are left without their sinks.
    pub(super) fn new(source: &Source<'_>, program: &Program, options: &mut RunOptions) -> Self {
        let hashes = schema::hashes(source, program);
        let recorder = options.recorder.take().map(|sink| {
            let (schema, slots) = schema::schema(source, program, sink.content(), &hashes);
            Recorder::new(schema, slots, sink)
        });
        TraceState {
            hashes,
            divergence: DivergenceWatch::of(source, program),
            ranges: RangeWatch::of(source, program),
            sinks: Sinks { recorder, calls: options.call_log.take() },
            observation: None,
        }
    }

    /// Whether every step is written down.
    pub(super) fn logs_calls(&self) -> bool {
        self.sinks.calls.is_some()
    }

    /// Nothing is written until the sinks are put back.
    pub(super) fn take_sinks(&mut self) -> Sinks {
        std::mem::take(&mut self.sinks)
    }

    /// From now on rows and steps are written there.
    pub(super) fn set_sinks(&mut self, sinks: Sinks) {
        self.sinks = sinks;
    }

    /// From now on rows are written there.
    pub(super) fn set_recorder(&mut self, recorder: Option<Recorder>) {
        self.sinks.recorder = recorder;
    }

    /// The rolling hashes.
    pub(crate) fn hashes(&self) -> &Hashes {
        &self.hashes
    }

    /// Goes back to hashes that were saved.
    pub(crate) fn set_hashes(&mut self, states: &[VariableHash]) {
        self.hashes.set_states(states);
    }

    /// The observer of the run, if there is one.
    pub(crate) fn observer(&self) -> Option<&dyn Observer> {
        self.observation.as_ref().map(|it| &*it.observer)
    }

    /// The same, to change it.
    pub(crate) fn observer_mut(&mut self) -> Option<&mut Box<dyn Observer>> {
        self.observation.as_mut().map(|it| &mut it.observer)
    }

    /// Hashes the values of what is due.
    pub(super) fn absorb_due(&mut self, run: &Interpreter) {
        for rate in run.clock.due_rates(false) {
            self.hashes.absorb_rate(rate, run.clock.tag(), &run.program.shared);
        }
    }

    /// Hashes the values of some components, at a microstep.
    pub(super) fn absorb_components(&mut self, components: &[usize], tag: Tag, bank: &Bank) {
        self.hashes.absorb_components(components, tag, bank);
    }

    /// Records a row and shows it to the observer.
    pub(super) fn record(&mut self, tag: Tag, run: &Interpreter) -> ObserverDecision {
        let shared = &run.program.shared;
        if let Some(recorder) = &mut self.sinks.recorder {
            recorder.record(tag, shared, &self.hashes, &run.statistics);
        }
        self.observation.as_mut().map_or(ObserverDecision::Continue, |it| it.show(tag, shared))
    }

    /// Looks for values that are out of range or diverged: in what is due, or in everything.
    ///
    /// # Errors
    /// If a value diverged and that is to end the run.
    pub(super) fn inspect(
        &mut self,
        tag: Tag,
        run: &Interpreter,
        everything: bool,
    ) -> Result<(), RunError> {
        let rates = || run.clock.due_rates(everything);
        rates().for_each(|rate| self.ranges.look(rate, tag, &run.program.shared));
        self.divergence.inspect(tag, run, rates())
    }

    /// What was noticed and did not end the run.
    pub(super) fn problems(&self, executable: &Executable) -> impl Iterator<Item = RunError> {
        let out_of_range = self.ranges.problem(executable);
        out_of_range.into_iter().chain(self.divergence.warning(executable))
    }

    /// Hands over the rows so far; everything up to the last one is done.
    pub(super) fn hand_over_done(&mut self, statistics: &Statistics) {
        if let Some(recorder) = &mut self.sinks.recorder {
            recorder.hand_over_done(&self.hashes, statistics);
        }
    }

    /// Hands over the last rows.
    pub(super) fn hand_over(&mut self) {
        if let Some(recorder) = &mut self.sinks.recorder {
            recorder.hand_over();
        }
    }

    /// The run goes back to a tag; recording ends if rows cannot be taken back.
    pub(crate) fn rewind(&mut self, tag: Tag) {
        self.sinks.recorder.take_if(|recorder| !recorder.rewind(tag));
    }

    /// Writes down the steps that instances took, in id order.
    pub(super) fn log_steps(&mut self, run: &Interpreter) {
        let Some(sink) = &mut self.sinks.calls else { return };
        let mut taken = Vec::new();
        for index in 0..run.pool.len() {
            taken.append(&mut run.pool.lane(index).taken);
        }
        taken.sort_by_key(|taken| taken.component);
        for call in &taken {
            sink.step(run.executable.name(call.component.index()), &call.step, &call.outcome);
        }
    }
}

/// The elements of a number.
fn elements(bank: &Bank, slot: Slot) -> impl Iterator<Item = f64> + '_ {
    let values = bank.get(slot);
    (0..slot.count()).map(move |element| values.as_f64(element).expect("these are numbers"))
}
