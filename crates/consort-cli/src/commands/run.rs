//! `consort run SYSTEM`: runs a system and leaves a record.

mod closing;

use crate::cli::{Global, RunArgs};
use crate::execute::{End, Live, Outcome, Settings};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::folder::{self, RunFolder};
use crate::output::log::{CallLog, Log};
use crate::output::manifest::{self, Account};
use crate::output::printer::Printer;
use crate::output::progress::Progress;
use crate::output::recorder::{Recorder, TraceFiles};
use crate::pipeline::{self, Prepared};
use crate::{options, pipeline::system_file};
use consort_core::{Diagnostic, Time};
use consort_engine::CallSink;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs it and says what was seen.
pub(crate) fn execute(args: &RunArgs, global: &Global, printer: &Printer) -> CommandResult {
    let prepared = pipeline::prepare(&args.system, &args.experiment, global)?;
    let out = args.out.clone().unwrap_or_else(|| default_out(&prepared.resolved.name));
    let folder = RunFolder::plan(&out)?;
    printer.report(&prepared.report, "");
    let outcome = record(args, &prepared, None, &folder, printer)?;
    closing::say(&prepared, &outcome, &folder, printer);
    let exit = closing::exit(&outcome.outcome.end);
    if exit == Exit::Failed {
        let line = options::command_line(&system_file_or_folder(args), args);
        printer.insist(&format!("repeat with: {line}"));
    }
    Ok(exit)
}

/// A name may hold anything; a folder's may not lead elsewhere.
fn default_out(name: &str) -> PathBuf {
    let plain = name.replace(['/', '\\', '\0'], "-");
    match plain.trim_start_matches('.') {
        "" => Path::new("out").join("system"),
        plain => Path::new("out").join(plain),
    }
}

/// As it was typed.
fn system_file_or_folder(args: &RunArgs) -> PathBuf {
    if args.system.is_dir() { args.system.clone() } else { system_file(&args.system) }
}

/// A run and its record.
pub(crate) struct Recorded {
    /// What the run came to.
    pub(crate) outcome: Outcome,
    /// How many warnings and errors models logged.
    pub(crate) logged: (u64, u64),
    /// What could not be written.
    pub(crate) problems: Vec<Diagnostic>,
}

/// Runs a system, to its end or as far as `until`, and leaves its record in `folder`; nothing is written if it cannot start.
///
/// # Errors
/// If the run cannot start, or the folder cannot be written.
pub(crate) fn record(
    args: &RunArgs,
    prepared: &Prepared,
    until: Option<Time>,
    folder: &RunFolder,
    printer: &Printer,
) -> Result<Recorded, CommandError> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let interrupt = Interrupt::listen();
    let log = Log::held(printer.is_verbose());
    let (recorder, sink) = match args.no_record {
        true => (None, None),
        false => {
            let (recorder, sink) = Recorder::start();
            (Some(recorder), Some(sink))
        }
    };
    let settings = Settings {
        workers: args.workers.unwrap_or_else(available_workers),
        verbose: printer.is_verbose(),
        until,
        real_time: args.real_time,
        log: Arc::clone(&log),
        sink,
        calls: args.log_calls.then(|| Box::new(CallLog::new(&log)) as Box<dyn CallSink>),
    };
    log_report(&log, prepared);
    let live = start(prepared, settings)?;
    open_files(args, folder, &log, recorder.as_ref())?;
    let experiment = &prepared.resolved.experiment;
    let seconds = |time| experiment.resolution.to_f64(time);
    let (from, to) = (seconds(experiment.start), seconds(experiment.stop));
    let mut progress = Progress::new(printer.progress(), &prepared.resolved.name, from, to);
    let outcome = live.drive(recorder.as_ref(), &mut progress, &interrupt);
    let written = Written::close(recorder, &log, &outcome, folder);
    let account = Account {
        prepared,
        options: options::to_json(args),
        outcome: &outcome,
        columns: written.columns,
        rows: written.rows,
        began,
    };
    manifest::write(&folder.file(folder::MANIFEST), &account.to_json())?;
    Ok(Recorded { outcome, logged: log.counts(), problems: written.problems })
}

/// What was said before the run belongs to its record.
fn log_report(log: &Log, prepared: &Prepared) {
    for diagnostic in prepared.report.diagnostics() {
        log.event(&json!({
            "event": "diagnostic",
            "severity": diagnostic.severity.to_string(),
            "code": diagnostic.code,
            "message": diagnostic.message,
        }));
    }
}

/// As many as the machine can run at once.
pub(crate) fn available_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes and initializes the instances.
///
/// # Errors
/// If one fails.
pub(crate) fn start(prepared: &Prepared, settings: Settings) -> Result<Live, CommandError> {
    let resolution = prepared.resolved.experiment.resolution;
    Live::start(prepared, settings)
        .map_err(|error| CommandError::failed(error.diagnostic(resolution)))
}

fn open_files(
    args: &RunArgs,
    folder: &RunFolder,
    log: &Log,
    recorder: Option<&Recorder>,
) -> Result<(), CommandError> {
    folder.prepare()?;
    let path = folder.file(folder::LOG);
    log.open(&path).map_err(|error| CommandError::unwritable(&path, &error))?;
    if let Some(recorder) = recorder {
        recorder.open(TraceFiles {
            parquet: Some(folder.file(folder::TRACE)),
            csv: args.csv.then(|| folder.file(folder::TRACE_CSV)),
        });
    }
    Ok(())
}

/// What came to the disk.
struct Written {
    columns: Vec<String>,
    rows: u64,
    problems: Vec<Diagnostic>,
}

impl Written {
    /// Waits for the writer and closes the log.
    fn close(recorder: Option<Recorder>, log: &Log, outcome: &Outcome, folder: &RunFolder) -> Self {
        let mut written = Written { columns: Vec::new(), rows: 0, problems: Vec::new() };
        if let Some(recorder) = recorder {
            written.columns = recorder.columns();
            match recorder.close() {
                Ok(rows) => written.rows = rows,
                Err(error) => written.problem("run::trace-not-written", "trace", &error, folder),
            }
        }
        log_end(log, outcome);
        if let Err(error) = log.close() {
            written.problem("run::log-not-written", "log", &error, folder);
        }
        written
    }

    fn problem(
        &mut self,
        code: &'static str,
        what: &str,
        error: &dyn std::error::Error,
        folder: &RunFolder,
    ) {
        let message = format!("the {what} in `{}` is not complete", folder.path().display());
        self.problems.push(Diagnostic::error(code, message).with_note(error.to_string()));
    }
}

/// The last lines of the log: what the workers did, and how it ended.
fn log_end(log: &Log, outcome: &Outcome) {
    let statistics = &outcome.summary.statistics;
    log.event(&json!({
        "event": "workers",
        "workers": statistics.workers,
        "busy_max": statistics.busy_max,
        "lanes": statistics.lanes,
        "tags": statistics.tags,
        "seconds": outcome.timing.run.as_secs_f64(),
    }));
    for problem in &outcome.summary.problems {
        log.event(&json!({"event": "note", "message": problem.to_string()}));
    }
    let mut end = json!({"event": "end", "state": manifest::state(&outcome.end)});
    match &outcome.end {
        End::Failed { error } => end["error"] = json!(error.to_string()),
        End::Terminated { component } => end["component"] = json!(component),
        End::Finished | End::Interrupted | End::RecordingFailed => {}
    }
    log.event(&end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_lead_out_of_the_folder() {
        for (name, folder) in [
            ("tank", "out/tank"),
            ("../../etc", "out/-..-etc"),
            ("a/b", "out/a-b"),
            ("..", "out/system"),
            ("", "out/system"),
        ] {
            assert_eq!(default_out(name), Path::new(folder), "{name}");
        }
    }
}
