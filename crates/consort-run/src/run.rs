//! A run that its caller drives: advance, look, interfere, save, restore, branch.

use crate::cancel::CancelToken;
use crate::driver::next_slice;
use crate::error::Error;
use crate::history::{History, SavedRows};
use crate::observers::Observers;
use crate::prepared::{FileTemplate, Prepared};
use crate::resume::Resumed;
use crate::saving;
use consort_core::{Diagnostic, LogSink, Resolution, Tag, Time, Values};
use consort_engine::{
    Advance, Executable, RunError, RunOptions, RunSnapshot, Summary, VariableHandle,
};
use consort_formats::snapshot::SnapshotFile;
use consort_trace::{Trace, TraceHash};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// How a run is carried out that its caller drives; nothing here changes what it computes.
#[derive(Clone)]
pub struct RunSettings {
    /// The number of threads that compute.
    pub workers: usize,
    /// Where log lines of models go.
    pub log: LogSink,
    /// Rows are kept in memory.
    pub is_recorded: bool,
    /// Ends what takes long, from any thread.
    pub cancel: Arc<CancelToken>,
}

impl Default for RunSettings {
    fn default() -> Self {
        let cancel = Arc::default();
        RunSettings { workers: 1, log: Arc::new(|_| {}), is_recorded: true, cancel }
    }
}

/// A system being executed. Dropping it ends its models.
pub struct Run {
    engine: consort_engine::Run,
    parts: RunParts,
    settings: RunSettings,
    history: Option<History>,
    observers: Observers,
}

/// The whole state of a run at one time, and the rows that led to it.
pub struct Snapshot {
    state: RunSnapshot,
    rows: SavedRows,
}

/// The result of a run that its caller drove.
pub struct FinishedRun {
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
        let history = settings.is_recorded.then(History::default);
        Run::begin(RunParts::of(self), settings, history, None)
    }

    /// A run that continues from a file of [`Run::save_to_file`], or of a recorded run of this system. Its rows begin
    /// there.
    ///
    /// # Errors
    /// If the file is not a snapshot of this system in one piece, or a model cannot be restored.
    pub fn resume(&self, path: impl AsRef<Path>) -> Result<Run, Error> {
        self.resume_with(path, RunSettings::default())
    }

    /// The same with settings.
    ///
    /// # Errors
    /// As [`Prepared::resume`].
    pub fn resume_with(&self, path: impl AsRef<Path>, settings: RunSettings) -> Result<Run, Error> {
        let resumed = Resumed::read_whole(path.as_ref())?;
        if resumed.is_distributed() {
            return Err(saved_on_nodes());
        }
        resumed.check(self)?;
        let history = settings.is_recorded.then(History::default);
        let parts = RunParts { save_points: resumed.save_points().to_vec(), ..RunParts::of(self) };
        Run::begin(parts, settings, history, Some(resumed.state()))
    }
}

/// What a run keeps of the system that was prepared.
#[derive(Clone)]
struct RunParts {
    executable: Executable,
    /// What a slice of the run is a multiple of: the shortest communication step.
    grid: Option<Time>,
    /// What it is saved to.
    file: Arc<FileTemplate>,
    /// Where the run was saved to a file, in order.
    save_points: Vec<Tag>,
}

impl RunParts {
    fn of(prepared: &Prepared) -> Self {
        RunParts {
            executable: prepared.executable().clone(),
            grid: prepared.shortest_period(),
            file: saving::snapshot_file(prepared),
            save_points: Vec::new(),
        }
    }
}

impl Run {
    fn begin(
        parts: RunParts,
        settings: RunSettings,
        history: Option<History>,
        state: Option<&[u8]>,
    ) -> Result<Run, Error> {
        let observers = Observers::default();
        let resolution = parts.executable.system().experiment.resolution;
        let observation = || observers.observation(resolution, &[]);
        let options = RunOptions {
            log: settings.log.clone(),
            recorder: history.clone().map(|it| Box::new(it) as _),
            observer: state.is_none().then(observation),
            ..RunOptions::quiet(settings.workers)
        };
        let engine = match state {
            None => consort_engine::Run::start(&parts.executable, options),
            // Not every saved run was observed; this one can be, from here on.
            Some(state) => consort_engine::Run::resume(&parts.executable, options, state)
                .and_then(|mut engine| engine.watch(observation()).map(|()| engine)),
        };
        let mut engine = engine.map_err(|error| Error::run(error, resolution))?;
        engine.set_cancel_flag(settings.cancel.flag());
        Ok(Run { engine, parts, settings, history, observers })
    }

    /// What ends it from now on: after a cancellation, a run continues with another token.
    pub fn set_cancel(&mut self, cancel: Arc<CancelToken>) {
        self.engine.set_cancel_flag(cancel.flag());
        self.settings.cancel = cancel;
    }

    #[cold]
    fn failed(&self, error: RunError) -> Error {
        Error::run(error, self.resolution())
    }

    /// The present time in seconds.
    pub fn time(&self) -> f64 {
        self.resolution().to_f64(self.engine.tag().time)
    }

    /// Where the experiment ends, in seconds.
    pub fn stop_time(&self) -> f64 {
        self.resolution().to_f64(self.stop())
    }

    /// Whether it is over: at the stop time, or where a model or an observer ended it.
    pub fn is_over(&self) -> bool {
        self.engine.is_over()
    }

    /// The hash of what happened so far.
    pub fn trace_hash(&self) -> TraceHash {
        self.engine.trace_hash()
    }

    fn resolution(&self) -> Resolution {
        self.parts.executable.system().experiment.resolution
    }

    fn stop(&self) -> Time {
        self.parts.executable.system().experiment.stop
    }

    /// Runs to a time in seconds, or to the end if that comes first.
    ///
    /// # Errors
    /// If a model fails or the run is cancelled; or if that is no time.
    pub fn advance(&mut self, seconds: f64) -> Result<Advance, Error> {
        let until = self.resolution().from_f64(seconds).map_err(|error| {
            let diagnostic = Diagnostic::error("run::bad-time", error.to_string());
            Error::invalid(diagnostic.help("give a number of seconds"))
        })?;
        self.advance_until(until)
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// If a model fails or the run is cancelled.
    pub fn advance_to_end(&mut self) -> Result<Advance, Error> {
        self.advance_until(self.stop())
    }

    /// Runs to the next communication point.
    ///
    /// # Errors
    /// If a model fails or the run is cancelled.
    pub fn step(&mut self) -> Result<Advance, Error> {
        let next = self.engine.next_time().map_err(|error| self.failed(error))?;
        self.advance_until(next)
    }

    /// In slices that take a short while each, so that it can be cancelled between them.
    fn advance_until(&mut self, until: Time) -> Result<Advance, Error> {
        let mut slice = 1;
        loop {
            if self.settings.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let called = Instant::now();
            let now = self.engine.tag().time;
            let length = self.parts.grid.and_then(|grid| grid.checked_mul(slice));
            let next = length.and_then(|length| now.checked_add(length));
            let next = next.map_or(until, |next| next.min(until));
            match self.engine.advance(next) {
                Ok(Advance::Reached) if next < until => {}
                Err(error) if error.is_cancelled() => return Err(Error::Cancelled),
                ended => return ended.map_err(|error| self.failed(error)),
            }
            slice = next_slice(slice, called.elapsed(), false);
        }
    }

    /// Looks `component.variable` up once, for fast access.
    ///
    /// # Errors
    /// If there is no such variable.
    pub fn handle(&self, path: &str) -> Result<VariableHandle, Error> {
        self.engine.handle(path).map_err(|error| self.failed(error))
    }

    /// The value of `component.variable` at the present time.
    ///
    /// # Errors
    /// If there is no such variable, or its model cannot be read.
    pub fn get(&self, path: &str) -> Result<Values, Error> {
        self.value(self.handle(path)?)
    }

    /// The value of a variable at the present time.
    ///
    /// # Errors
    /// If its model cannot be read.
    pub fn value(&self, handle: VariableHandle) -> Result<Values, Error> {
        self.engine.value(handle).map_err(|error| self.failed(error))
    }

    /// The number (or Boolean, as 0 and 1) that `component.variable` is at the present time; the first element of an array.
    ///
    /// # Errors
    /// If there is no such variable, it is text, or its model cannot be read.
    pub fn number(&self, path: &str) -> Result<f64, Error> {
        let values = self.get(path)?;
        let number = (!values.is_empty()).then(|| values.view().as_f64(0)).flatten();
        number.ok_or_else(|| {
            let message = format!("`{path}` is no number");
            Error::invalid(Diagnostic::error("run::no-number", message).help("read it with `get`"))
        })
    }

    /// Gives an input or tunable parameter a value, from the next step on.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or its model refuses.
    pub fn set(&mut self, path: &str, values: impl Into<Values>) -> Result<(), Error> {
        self.set_value(self.handle(path)?, values)
    }

    /// The same, of a variable that was looked up.
    ///
    /// # Errors
    /// If it cannot be set now, or its model refuses.
    pub fn set_value(
        &mut self,
        handle: VariableHandle,
        values: impl Into<Values>,
    ) -> Result<(), Error> {
        self.engine.set_value(handle, &values.into()).map_err(|error| self.failed(error))
    }

    /// Reads numbers and Booleans (as 0 and 1) into a slice: all elements of one variable after the other.
    ///
    /// # Errors
    /// If one is text, or its model cannot be read.
    ///
    /// # Panics
    /// If there is not one place for each element.
    pub fn read(&self, handles: &[VariableHandle], into: &mut [f64]) -> Result<(), Error> {
        self.engine.read(handles, into).map_err(|error| self.failed(error))
    }

    /// Gives inputs and tunable parameters numbers or Booleans (0 and 1) from a slice, from the next step on.
    ///
    /// # Errors
    /// If one cannot be set now or cannot have its number, or its model refuses.
    ///
    /// # Panics
    /// If there is not one number for each element.
    pub fn write(&mut self, handles: &[VariableHandle], from: &[f64]) -> Result<(), Error> {
        self.engine.write(handles, from).map_err(|error| self.failed(error))
    }

    /// Calls a function with the values of some numbers or Booleans at every later tag that is recorded. It ends the
    /// run by [`ControlFlow::Break`]: [`Advance::Decided`].
    ///
    /// # Errors
    /// If there is no such variable, or it is neither connected, recorded nor fed.
    pub fn observe(
        &mut self,
        paths: &[&str],
        function: impl FnMut(f64, &[f64]) -> ControlFlow<()> + Send + 'static,
    ) -> Result<(), Error> {
        let observation = self.observers.observation(self.resolution(), paths);
        self.engine.watch(observation).map_err(|error| self.failed(error))?;
        self.observers.add(paths, Box::new(function));
        Ok(())
    }

    /// Saves the whole state, complete or not at all.
    ///
    /// # Errors
    /// If a model cannot be saved. The run can continue.
    pub fn save(&mut self) -> Result<Snapshot, Error> {
        let state = self.engine.snapshot().map_err(|error| self.failed(error))?;
        self.engine.hand_over_rows();
        let rows = self.history.as_ref().map(History::save).unwrap_or_default();
        Ok(Snapshot { state, rows })
    }

    /// Goes to a snapshot of this run, as often as one likes. Rows are those that led to the snapshot.
    ///
    /// # Errors
    /// If a model cannot be restored, or the snapshot is another run's. The run cannot continue then until it is
    /// restored.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.engine.restore(&snapshot.state).map_err(|error| self.failed(error))?;
        let tag = snapshot.state.tag();
        self.parts.save_points.retain(|point| *point <= tag);
        if let Some(history) = &self.history {
            history.restore(&snapshot.rows);
        }
        Ok(())
    }

    /// A second run, with models of its own, that starts from the present state of this one. What observes this one
    /// does not observe it.
    ///
    /// # Errors
    /// If a model cannot be saved, or brought to another instance.
    pub fn branch(&mut self) -> Result<Run, Error> {
        let Snapshot { state, rows } = self.save()?;
        let bytes = self.engine.serialize(&state).map_err(|error| self.failed(error))?;
        let history = self.history.is_some().then(|| History::continuing(&rows));
        Run::begin(self.parts.clone(), self.settings.clone(), history, Some(&bytes))
    }

    /// Saves the whole state to a file, complete or not at all. [`Prepared::resume`] and `consort run --resume` continue
    /// from it, in any process. Rows are not in it.
    ///
    /// # Errors
    /// If a model cannot be saved, or the file cannot be written. The run can continue.
    pub fn save_to_file(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let parts = Arc::clone(&self.parts.file);
        let template = match &*parts {
            Ok(template) => template.clone(),
            Err(report) => return Err(Error::Invalid { report: report.clone() }),
        };
        let snapshot = self.engine.snapshot().map_err(|error| self.failed(error))?;
        let state = self.engine.serialize(&snapshot).map_err(|error| self.failed(error))?;
        let (tag, mut save_points) = (snapshot.tag(), self.parts.save_points.clone());
        save_points.push(tag);
        let file = SnapshotFile { tag, state, save_points, ..template };
        saving::write_file(path.as_ref(), &file).map_err(|problem| Error::failed(*problem))?;
        self.parts.save_points = file.save_points;
        Ok(())
    }

    /// The rows so far; none if they are not kept.
    pub fn trace(&mut self) -> Option<Trace> {
        self.engine.hand_over_rows();
        self.history.as_ref().and_then(History::trace)
    }

    /// Ends the models. Returns what the run came to.
    pub fn finish(mut self) -> FinishedRun {
        let trace = self.trace();
        FinishedRun { summary: self.engine.finish(), trace }
    }
}

fn saved_on_nodes() -> Error {
    let diagnostic = Diagnostic::error("snapshot::placement", "the run was saved on nodes");
    Error::invalid(
        diagnostic.help("resume it with `consort run --resume`, or save it in one piece"),
    )
}
