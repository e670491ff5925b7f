//! A run: advance, look, interfere, save, branch.

use crate::error::Error;
use crate::load::Prepared;
use consort_core::{Diagnostic, LogSink, Model, Stop, Time, Values};
use consort_engine::{Advance, Recorded, RunOptions, RunSnapshot, Summary};
use consort_system::{Plan, ResolvedSystem};
use consort_trace::Trace;
use std::sync::Arc;

/// How a run is carried out; nothing here changes what it computes.
#[derive(Clone)]
pub struct RunSettings {
    /// How many threads compute.
    pub workers: usize,
    /// Where log lines of models go.
    pub log: LogSink,
    /// Rows are kept in memory.
    pub is_recorded: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        RunSettings { workers: 1, log: Arc::new(|_| {}), is_recorded: true }
    }
}

/// A system being executed. Dropping it ends its models.
pub struct Run {
    engine: consort_engine::Run,
    recorded: Option<Recorded>,
    origin: Arc<Origin>,
}

/// What a run was started from, for its branches.
struct Origin {
    resolved: ResolvedSystem,
    plan: Plan,
    models: Vec<Arc<dyn Model>>,
    settings: RunSettings,
}

/// The whole state of a run at a moment.
pub struct Snapshot(RunSnapshot);

/// What a run came to.
pub struct Outcome {
    /// Hash, statistics, and what did not go as it should.
    pub summary: Summary,
    /// The recorded rows; none if they were not kept.
    pub trace: Option<Trace>,
}

impl Prepared {
    /// Makes and initializes the models, and does the first tag.
    ///
    /// # Errors
    /// If a model cannot be made or initialized.
    pub fn start(&self) -> Result<Run, Error> {
        self.start_with(RunSettings::default())
    }

    /// The same with settings.
    ///
    /// # Errors
    /// As [`Prepared::start`].
    pub fn start_with(&self, settings: RunSettings) -> Result<Run, Error> {
        let (resolved, plan) = (self.resolved.clone(), self.plan.clone());
        Run::start(Arc::new(Origin { resolved, plan, models: self.models.clone(), settings }), None)
    }
}

impl Run {
    fn start(origin: Arc<Origin>, state: Option<&[u8]>) -> Result<Run, Error> {
        let Origin { resolved, plan, models, settings } = &*origin;
        let recorded = settings.is_recorded.then(Recorded::default);
        let options = RunOptions {
            log: settings.log.clone(),
            recorder: recorded.clone().map(|it| Box::new(it) as _),
            ..RunOptions::quiet(settings.workers)
        };
        let (resolved, models) = (resolved.clone(), models.clone());
        let engine = match state {
            None => consort_engine::Run::start(resolved, plan, models, options),
            Some(state) => consort_engine::Run::resume(resolved, plan, models, options, state),
        };
        Ok(Run { engine: engine?, recorded, origin })
    }

    /// Where it is, in seconds.
    pub fn time(&self) -> f64 {
        self.seconds(self.engine.tag().time)
    }

    /// Where the experiment ends, in seconds.
    pub fn stop_time(&self) -> f64 {
        self.seconds(self.engine.system().experiment.stop)
    }

    fn seconds(&self, time: Time) -> f64 {
        self.engine.system().experiment.resolution.to_f64(time)
    }

    /// Goes on to a time in seconds, or to the end if that comes first.
    ///
    /// # Errors
    /// If a model fails; or if that is no time.
    pub fn advance(&mut self, seconds: f64) -> Result<Advance, Error> {
        let until = self.engine.system().experiment.resolution.from_f64(seconds);
        let until = until.map_err(|error| {
            let diagnostic = Diagnostic::error("run::bad-time", error.to_string());
            Error::invalid(diagnostic.help("give a number of seconds"))
        })?;
        Ok(self.engine.advance(until)?)
    }

    /// Goes on to the end.
    ///
    /// # Errors
    /// If a model fails.
    pub fn advance_to_end(&mut self) -> Result<Advance, Error> {
        let stop = self.engine.system().experiment.stop;
        Ok(self.engine.advance(stop)?)
    }

    /// The value of `component.variable` at the present time; none if nobody looks at it.
    pub fn get(&self, path: &str) -> Option<Values> {
        self.engine.get(path)
    }

    /// The number that `component.variable` is at the present time.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.get(path).and_then(|values| values.view().as_f64(0))
    }

    /// Gives an input or tunable parameter a value, from the next step on.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or its model refuses.
    pub fn set(&mut self, path: &str, values: &Values) -> Result<(), Error> {
        Ok(self.engine.set(path, values)?)
    }

    /// Ends what takes long when somebody asks `stop` for it, from any thread.
    pub fn cancel_by(&mut self, stop: &Stop) {
        self.engine.heed(stop);
    }

    /// Saves the whole state, complete or not at all.
    ///
    /// # Errors
    /// If a model cannot be saved. The run can go on.
    pub fn save(&mut self) -> Result<Snapshot, Error> {
        Ok(Snapshot(self.engine.snapshot()?))
    }

    /// Goes back to a snapshot of this run, as often as one likes. Rows that were recorded stay; recording ends where
    /// a run goes back.
    ///
    /// # Errors
    /// If a model cannot be restored, or the snapshot is another run's.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        Ok(self.engine.restore(&snapshot.0)?)
    }

    /// A second run, with models of its own, that goes on from the present state of this one.
    ///
    /// # Errors
    /// If a model cannot be saved, or brought to another instance.
    pub fn branch(&mut self) -> Result<Run, Error> {
        let snapshot = self.engine.snapshot()?;
        let state = self.engine.serialize(&snapshot)?;
        Run::start(self.origin.clone(), Some(&state))
    }

    /// Ends the models, and tells what the run came to.
    pub fn finish(mut self) -> Outcome {
        self.engine.hand_over_rows();
        let summary = self.engine.finish();
        Outcome { summary, trace: self.recorded.map(|recorded| recorded.trace()) }
    }
}
