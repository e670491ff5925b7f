//! Carries out a run and leaves its record.

pub mod manifest;
mod unwritten;

use crate::driver::{Driver, DriverSettings, End, RunOutcome};
use crate::error::{Error, plain_words};
use crate::files::diagnostics;
use crate::files::folder::{self, RunFolder};
use crate::files::log::{CallLog, Log};
use crate::files::manifest as manifest_file;
use crate::files::recorder::{JournalFile, Recorder, TraceFiles, Written};
use crate::monitor::{Context, Listener, ProgressReporter};
use crate::paths;
use crate::prepared::Prepared;
use crate::resume::Resumed;
use crate::saving::{self, Saving};
use crate::settings::RecordSettings;
use consort_core::{Diagnostic, Report, Resolution, Severity, Time};
use consort_engine::{CallSink, ChunkSink, Part, RowContent, RunError};
use consort_view::numbers::plural;
use manifest::{ManifestContent, RunHeader};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A run that is to be carried out.
pub struct RunTask<'a> {
    /// The system to run.
    pub prepared: &'a Prepared,
    /// How it is carried out, and what it leaves.
    pub settings: &'a RecordSettings,
    /// The options of the run, as its manifest and its snapshots keep them.
    pub options: Value,
    /// The name in progress reports.
    pub name: String,
    /// Where it ends, if that is before the experiment's stop.
    pub until: Option<Time>,
    /// The snapshot it is resumed from, if it is.
    pub resumed: Option<&'a Resumed>,
    /// The saves it has to make, and those it has made.
    pub saving: Saving,
    /// Which part of the system it is, if it is not the whole.
    pub part: Option<Part>,
    /// Receives the progress, instead of the monitor.
    pub listener: Option<Listener>,
    /// Where log lines go, if others write there, too.
    pub log: Option<Arc<Log>>,
    /// The journal of a node whose starter makes the record: rows, each with a progress mark.
    pub journal: Option<PathBuf>,
}

impl<'a> RunTask<'a> {
    /// From the start to the stop, without saving.
    pub fn new(prepared: &'a Prepared, settings: &'a RecordSettings, options: Value) -> Self {
        let saving = saving::repeat(&options, prepared, &[], Vec::new());
        RunTask {
            prepared,
            settings,
            options,
            name: prepared.resolved().name.clone(),
            until: None,
            resumed: None,
            saving,
            part: None,
            listener: None,
            log: None,
            journal: None,
        }
    }

    /// What its rows hold; nothing if there are none.
    fn rows(&self) -> Option<RowContent> {
        match (&self.journal, self.settings.no_record) {
            (None, true) => None,
            (None, false) => Some(RowContent::Values),
            (Some(_), true) => Some(RowContent::Marks),
            (Some(_), false) => Some(RowContent::ValuesAndMarks),
        }
    }

    /// Shows how far it is.
    fn progress(&mut self, driver: &Driver<'_>, context: &Context) -> ProgressReporter {
        let experiment = &self.prepared.resolved().experiment;
        let seconds = |time| experiment.resolution.to_f64(time);
        let (from, to) = (seconds(driver.now()), seconds(experiment.stop));
        let mut progress = ProgressReporter::new(context, &self.name, from, to);
        progress.set_listener(self.listener.take());
        progress
    }
}

/// The result of a run that left a record, and what could not be written of that.
pub struct RecordOutcome {
    /// The outcome of the run.
    pub outcome: RunOutcome,
    /// How many warnings and errors models logged.
    pub logged: (u64, u64),
    /// What did not go as it should; errors are about what could not be written.
    pub problems: Vec<Diagnostic>,
}

impl RecordOutcome {
    /// Whether something could not be written.
    pub fn is_incomplete(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// Seconds since 1970, UTC: when a run begins. It reaches no trace.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Carries out a run and leaves its record in `folder`; nothing is written if it cannot start.
///
/// # Errors
/// If the run cannot start, or the folder cannot be written.
pub fn record(
    mut task: RunTask<'_>,
    folder: &RunFolder,
    context: &Context,
) -> Result<RecordOutcome, Error> {
    let (began, prepared) = (now(), task.prepared);
    let log = task.log.take().unwrap_or_else(|| Log::held(&context.monitor));
    let (recorder, sink) = task.rows().map(Recorder::of).unzip();
    let mut options = std::mem::take(&mut task.options);
    if let Some(part) = &task.part {
        options["node"] = json!(part.projection.placement.name(part.node));
    }
    log_report(&log, prepared);
    let calls = task.settings.log_calls;
    let settings = DriverSettings {
        verify: !task.settings.no_verify,
        real_time: task.settings.real_time,
        calls: calls.then(|| Box::new(CallLog::new(&log)) as Box<dyn CallSink>),
        sink,
        ..driver_settings(&mut task, &log, context)
    };
    let driver = start(prepared, settings, context)?;
    paths::return_to_working_folder();
    let resumed_from = task.resumed.map(|resumed| resumed.to_json(prepared));
    let resumed_from = resumed_from.as_ref();
    let origin = RunHeader { prepared, options: &options, began, resumed_from, nodes: None };
    let about = ManifestContent::begun(origin.clone(), driver.saving());
    let files = Files { folder, log: &log, recorder: recorder.as_ref() };
    let remark = files.open(&task, &about)?;
    let mut progress = task.progress(&driver, context);
    let mut outcome = driver.drive(recorder.as_ref(), &mut progress, &context.cancel);
    paths::return_to_working_folder();
    let waiting = context.monitor.waiting("writing the record");
    let columns = recorder.as_ref().map(Recorder::columns).unwrap_or_default();
    let written = recorder.map(Recorder::close).unwrap_or_default();
    let closed =
        Closed::close(TraceResult { columns, written }, &log, &mut outcome, prepared, folder);
    let mut problems: Vec<Diagnostic> = remark.into_iter().chain(closed.problems.clone()).collect();
    closed.write_manifest(origin, &outcome, folder, &mut problems);
    drop(waiting);
    Ok(RecordOutcome { outcome, logged: log.counts(), problems })
}

/// Carries out a run that leaves its rows to `sink`, if there is one, and its hashes. With a recorder, it waits for
/// rows to be written where it must.
///
/// # Errors
/// If it cannot start.
pub fn run_unrecorded(
    mut task: RunTask<'_>,
    sink: Option<Box<dyn ChunkSink>>,
    recorder: Option<&Recorder>,
    context: &Context,
) -> Result<RunOutcome, Error> {
    let log = task.log.take().unwrap_or_else(|| Log::nowhere(&context.monitor));
    let settings = DriverSettings { sink, ..driver_settings(&mut task, &log, context) };
    let driver = start(task.prepared, settings, context)?;
    let mut progress = task.progress(&driver, context);
    Ok(driver.drive(recorder, &mut progress, &context.cancel))
}

fn driver_settings<'a>(
    task: &mut RunTask<'a>,
    log: &Arc<Log>,
    context: &Context,
) -> DriverSettings<'a> {
    let none = saving::repeat(&Value::Null, task.prepared, &[], Vec::new());
    DriverSettings {
        workers: task.settings.worker_count(),
        verbose: context.monitor.is_verbose(),
        until: task.until,
        snapshot: task.resumed.map(Resumed::state),
        saving: std::mem::replace(&mut task.saving, none),
        verify: false,
        real_time: None,
        log: Arc::clone(log),
        sink: None,
        calls: None,
        part: task.part.take(),
    }
}

/// Diagnostics of the system belong to the log of the run.
fn log_report(log: &Log, prepared: &Prepared) {
    let report = &prepared.report;
    report.diagnostics().iter().for_each(|diagnostic| log_diagnostic(log, diagnostic, report));
}

fn log_diagnostic(log: &Log, diagnostic: &Diagnostic, report: &Report) {
    let mut event = diagnostics::to_json(diagnostic, report);
    event["event"] = json!("diagnostic");
    log.event(&event);
}

/// Makes and initializes the instances.
fn start<'p>(
    prepared: &'p Prepared,
    settings: DriverSettings<'_>,
    context: &Context,
) -> Result<Driver<'p>, Error> {
    let resolution = prepared.resolved().experiment.resolution;
    let components = plural(prepared.resolved().components.len() as u64, "component");
    let _waiting = context.monitor.waiting(&match settings.part {
        // It begins when they are there.
        Some(_) => "meeting the other nodes".to_owned(),
        None => format!("initializing {components}"),
    });
    Driver::start(prepared, settings).map_err(|error| match error {
        RunError::Diverged(_) => Error::invalid(error.diagnostic(resolution)),
        _ => Error::failed(error.diagnostic(resolution)),
    })
}

/// The files of a run that begins.
struct Files<'a> {
    folder: &'a RunFolder,
    log: &'a Log,
    recorder: Option<&'a Recorder>,
}

impl Files<'_> {
    /// Makes the files; returns what the user should know of the run that was there before. A journal says what is
    /// run, and so does a manifest in the making, which keeps room on the disk for the real one.
    fn open(&self, task: &RunTask<'_>, about: &Value) -> Result<Option<Diagnostic>, Error> {
        let begun = self.folder.prepare()?;
        let remark = begun.remark();
        let path = self.folder.file(folder::LOG);
        self.log.open(begun.log).map_err(|error| Error::unwritable(&path, &error))?;
        let Some(recorder) = self.recorder else { return Ok(remark) };
        if let Some(journal) = &task.journal {
            recorder.open(TraceFiles::only_journal(journal.clone(), String::new()));
            return Ok(remark);
        }
        let mut files = TraceFiles::of(task.settings, self.folder);
        if !task.settings.no_journal {
            let about = about.to_string();
            manifest_file::keep_room(self.folder, &about, recorder.columns().len());
            let path = paths::whole(&self.folder.file(folder::JOURNAL));
            files.journal = Some(JournalFile { path, about });
        }
        recorder.open(files);
        Ok(remark)
    }
}

/// What was recorded of a run that is over.
#[derive(Default)]
pub struct TraceResult {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// What was written to the disk, and what was not.
    pub written: Written,
}

/// What came to the disk, and what did not.
#[derive(Clone)]
pub struct Closed {
    /// The names of the recorded columns.
    pub columns: Vec<String>,
    /// The number of recorded rows.
    pub rows: u64,
    /// The check sum of the trace, if that is whole.
    pub check_sum: Option<String>,
    /// There was no room for the trace.
    pub is_torn: bool,
    /// From the last step on.
    pub time: Duration,
    /// What did not go as it should.
    pub problems: Vec<Diagnostic>,
}

impl Closed {
    /// Closes the log. A run whose trace is not complete has failed.
    pub fn close(
        trace: TraceResult,
        log: &Log,
        outcome: &mut RunOutcome,
        prepared: &Prepared,
        folder: &RunFolder,
    ) -> Self {
        let TraceResult { columns, written } = trace;
        let time = outcome.ended.elapsed();
        let resolution = prepared.resolved().experiment.resolution;
        let mut problems: Vec<Diagnostic> =
            outcome.summary.problems.iter().map(|problem| ending(problem, resolution)).collect();
        problems.extend(paths::was_working_folder_left().then(left_working_folder));
        problems.extend(outcome.saving.take_problems());
        let is_torn = written.failure.is_some() || written.journal_failure.is_some();
        if is_torn {
            // Without room for a trace there is no room for a snapshot: one error is enough.
            problems.retain(|problem| problem.code != "run::not-saved");
        }
        problems.extend(unwritten::remark(&written, folder));
        if is_torn && matches!(outcome.end, End::Finished | End::Terminated { .. }) {
            outcome.end = End::RecordingFailed;
        }
        log_end(log, outcome, &problems);
        match log.close() {
            // Without room for a trace there is no room for a log: one error is enough.
            Err(error) if !is_torn => problems.push(log_incomplete(&error, folder)),
            _ => {}
        }
        let (rows, check_sum) = (written.rows, written.check_sum);
        Closed { columns, rows, check_sum, is_torn, time, problems }
    }

    /// Writes the manifest; what goes wrong is a problem, too. The record is whole then, and its journal is removed.
    pub fn write_manifest(
        self,
        origin: RunHeader<'_>,
        outcome: &RunOutcome,
        folder: &RunFolder,
        problems: &mut Vec<Diagnostic>,
    ) {
        let is_whole = self.check_sum.is_some() && origin.nodes.is_none();
        let content = ManifestContent {
            prepared: origin.prepared,
            options: origin.options.clone(),
            end: &outcome.end,
            summary: &outcome.summary,
            timing: outcome.timing,
            columns: self.columns,
            rows: self.rows,
            check_sum: self.check_sum,
            problems: problems.iter().map(|problem| problem.message.clone()).collect(),
            time_to_write: self.time,
            began: origin.began,
            resumed_from: origin.resumed_from.cloned(),
            saving: &outcome.saving,
            nodes: origin.nodes,
        };
        match manifest_file::write(&folder.file(folder::MANIFEST), &content.to_json()) {
            Ok(()) if is_whole => folder.remove_journal(),
            Ok(()) => {}
            // Without room for a trace there is no room for a manifest: one error is enough.
            Err(_) if self.is_torn => {}
            Err(error) => problems.extend(error.into_diagnostics()),
        }
    }
}

/// What an FMU does to the whole process is not noticed in a process of its own.
fn left_working_folder() -> Diagnostic {
    let message = "an FMU changed the working folder of this process; it was put back";
    let diagnostic = Diagnostic::warning("run::working-folder", message);
    diagnostic.help("`--isolate` gives every FMU a process and a folder of its own")
}

/// An instance that fails when all is over does not make the run fail.
fn ending(problem: &RunError, resolution: Resolution) -> Diagnostic {
    let diagnostic = problem.diagnostic(resolution);
    match diagnostic.severity {
        Severity::Error => Diagnostic { severity: Severity::Warning, ..diagnostic },
        Severity::Warning | Severity::Note => diagnostic,
    }
}

fn log_incomplete(error: &dyn std::error::Error, folder: &RunFolder) -> Diagnostic {
    let message = format!("the log in `{}` is not complete", folder.path().display());
    Diagnostic::error("run::log-not-written", message)
        .with_note(plain_words(error))
        .help("make room on the disk, or choose another folder with `--out DIR`")
}

/// The last lines of the log: what the workers did, and how it ended.
fn log_end(log: &Log, outcome: &RunOutcome, problems: &[Diagnostic]) {
    let statistics = &outcome.summary.statistics;
    log.event(&json!({
        "event": "workers",
        "workers": statistics.workers,
        "busy_max": statistics.busy_max,
        "lanes": statistics.lanes,
        "tags": statistics.tags,
        "seconds": outcome.timing.run.as_secs_f64(),
    }));
    // What happens in a run is written nowhere: there is no text to point into.
    let nowhere = Report::default();
    problems.iter().for_each(|problem| log_diagnostic(log, problem, &nowhere));
    let mut end = json!({"event": "end", "state": outcome.end.name()});
    match &outcome.end {
        End::Failed { error } => end["error"] = json!(error.to_string()),
        End::Terminated { component } => end["component"] = json!(component),
        End::Lost { failure } => end["error"] = json!(failure.message),
        End::Finished | End::Interrupted | End::RecordingFailed => {}
    }
    log.event(&end);
}
