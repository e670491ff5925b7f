//! `consort run SYSTEM`: runs a system and leaves a record.

mod closing;
mod programs;
mod remarks;
pub(crate) mod resuming;
pub(crate) mod saving;
mod torn;
mod verifying;

pub(crate) use closing::{keep, say};

use crate::cli::{Global, RunArgs};
use crate::execute::{End, Live, Outcome, Settings};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit, said};
use crate::output::diagnostics::{self, plural};
use crate::output::folder::{self, RunFolder};
use crate::output::log::{CallLog, Log};
use crate::output::manifest::{self, Account};
use crate::output::printer::Printer;
use crate::output::progress::{Listener, Progress};
use crate::output::recorder::{JournalFile, Recorder, TraceFiles, Written};
use crate::paths;
use crate::pipeline::{self, Prepared};
use crate::spread::{self, Desk};
use crate::{options, pipeline::system_file};
use consort_core::{Diagnostic, Report, Resolution, Severity, Time};
use consort_engine::{CallSink, Part, RowContent, RunError};
use resuming::Resumed;
use saving::Saving;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs it and says what was seen.
pub(crate) fn execute(args: &RunArgs, global: &Global, printer: &Printer) -> CommandResult {
    let resumed = args.resume.as_deref().map(Resumed::read_whole).transpose()?;
    let typed = args;
    let mut args = match &resumed {
        Some(resumed) => resumed.complete(typed)?,
        None => typed.clone(),
    };
    args.experiment.save_to_files(resumed.is_some() || !args.save.is_empty());
    args.experiment.limit_providers(global);
    let mut prepared = pipeline::prepare(args.system(), &args.experiment, global, printer)?;
    resumed.as_ref().map_or(Ok(()), |resumed| resumed.check(&prepared))?;
    let points = resumed.as_ref().map_or(&[][..], Resumed::save_points);
    let saving = saving::plan(&args, &prepared, points)?;
    let out = args.out.clone().unwrap_or_else(|| default_out(&prepared.resolved.name));
    let folder = RunFolder::plan(&out)?;
    printer.report(&prepared.report, "");
    remarks::say(&mut prepared, printer);
    let spread = spread::wanted(&args.spread, &prepared)?;
    spread.as_ref().map_or(Ok(()), |spread| programs::check(&args, &prepared, spread))?;
    let resumed = resumed.as_ref();
    let way =
        Way { until: None, resumed, saving, part: None, listener: None, log: None, journal: None };
    let desk = Desk { name: &prepared.resolved.name, global, printer };
    let recorded = match &spread {
        Some(spread) => spread::record_spread(&args, &prepared, way, spread, &folder, desk)?.0,
        None => record(&args, &prepared, way, &folder, printer)?,
    };
    let exit = closing::say(&prepared, &recorded, &folder, printer);
    if let (true, Some(resumed)) = (args.checks.verify, resumed) {
        verifying::verify(&args, &prepared, resumed, &recorded, printer)?;
    }
    let system = typed.system.as_deref().map(system_file_or_folder);
    let line = options::command_line(system.as_deref(), typed);
    let line = format!("repeat with: {line}");
    match exit {
        Exit::Failed => printer.insist(&line),
        Exit::Done | Exit::No => printer.detail(&line),
    }
    Ok(exit)
}

/// A name may hold anything; a folder's may not lead elsewhere, nor steer a terminal.
pub(crate) fn default_out(name: &str) -> PathBuf {
    let is_odd = |letter: char| letter.is_control() || letter == '/' || letter == '\\';
    let plain = name.replace(is_odd, "-");
    match plain.trim_start_matches('.') {
        "" => Path::new("out").join("system"),
        plain => Path::new("out").join(plain),
    }
}

/// As it was typed.
fn system_file_or_folder(system: &Path) -> PathBuf {
    if system.is_dir() { system.to_owned() } else { system_file(system) }
}

/// Where a run begins and ends, and where it is saved.
pub(crate) struct Way<'a> {
    /// Where it ends, if that is before the experiment's stop.
    pub(crate) until: Option<Time>,
    /// What it goes on from, if not from its start.
    pub(crate) resumed: Option<&'a Resumed>,
    /// Its saves.
    pub(crate) saving: Saving,
    /// Which part of the system it is, if it is not the whole.
    pub(crate) part: Option<Part>,
    /// Who is told how far it is, instead of the user.
    pub(crate) listener: Option<Listener>,
    /// Where log lines go, if somebody else writes there, too.
    pub(crate) log: Option<Arc<Log>>,
    /// The journal of a node whose starter makes the record: rows, and where the run stands at each.
    pub(crate) journal: Option<PathBuf>,
}

impl Way<'_> {
    /// What its rows hold; nothing if there are none.
    fn rows(&self, args: &RunArgs) -> Option<RowContent> {
        match (&self.journal, args.no_record) {
            (None, true) => None,
            (None, false) => Some(RowContent::Values),
            (Some(_), true) => Some(RowContent::Standing),
            (Some(_), false) => Some(RowContent::ValuesAndStanding),
        }
    }

    /// From the start, as far as `until`, without saving.
    pub(crate) fn plain(args: &RunArgs, prepared: &Prepared, until: Option<Time>) -> Self {
        let saving = saving::repeat(args, prepared, &[], Vec::new());
        Way { until, resumed: None, saving, part: None, listener: None, log: None, journal: None }
    }
}

/// A run and its record.
pub(crate) struct Recorded {
    /// What the run came to.
    pub(crate) outcome: Outcome,
    /// How many warnings and errors models logged.
    pub(crate) logged: (u64, u64),
    /// What did not go as it should; errors are about what could not be written.
    pub(crate) problems: Vec<Diagnostic>,
}

impl Recorded {
    /// Whether something could not be written.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// Runs a system and leaves its record in `folder`; nothing is written if it cannot start.
///
/// # Errors
/// If the run cannot start, or the folder cannot be written.
pub(crate) fn record(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    folder: &RunFolder,
    printer: &Printer,
) -> Result<Recorded, CommandError> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let interrupt = Interrupt::listen();
    let log = way.log.clone().unwrap_or_else(|| Log::held(printer));
    let (recorder, sink) = way.rows(args).map(Recorder::of).unzip();
    let mut options = options::to_json(args);
    if let Some(part) = &way.part {
        options["node"] = json!(part.projection.placement.name(part.node));
    }
    let settings = Settings {
        workers: args.workers.unwrap_or_else(available_workers),
        verbose: printer.is_verbose(),
        until: way.until,
        snapshot: way.resumed.map(Resumed::state),
        saving: way.saving,
        verify: !args.checks.no_verify,
        real_time: args.real_time,
        log: Arc::clone(&log),
        sink,
        calls: args.log_calls.then(|| Box::new(CallLog::new(&log)) as Box<dyn CallSink>),
        part: way.part,
    };
    log_report(&log, prepared);
    let live = start(prepared, settings, printer)?;
    paths::return_to_working_folder();
    let resumed_from = way.resumed.map(|resumed| resumed.to_json(prepared));
    let origin = (began, resumed_from.as_ref());
    let about = Account::begun(prepared, &options, live.saving(), origin, None);
    let remark = open_files(args, (folder, way.journal), &log, (recorder.as_ref(), &about))?;
    let experiment = &prepared.resolved.experiment;
    let seconds = |time| experiment.resolution.to_f64(time);
    let (from, to) = (seconds(live.now()), seconds(experiment.stop));
    let mut progress = Progress::new(printer.progress(), &prepared.resolved.name, from, to);
    progress.tell(way.listener);
    let mut outcome = live.drive(recorder.as_ref(), &mut progress, &interrupt);
    paths::return_to_working_folder();
    let waiting = printer.waiting("writing the record");
    let closed = Closed::close(recorder, &log, &mut outcome, (prepared, folder));
    let mut problems: Vec<Diagnostic> = remark.into_iter().chain(closed.problems).collect();
    let account = Account {
        prepared,
        options,
        end: &outcome.end,
        summary: &outcome.summary,
        timing: outcome.timing,
        columns: closed.columns,
        rows: closed.rows,
        check_sum: closed.check_sum,
        problems: problems.iter().map(|problem| problem.message.clone()).collect(),
        time_to_write: closed.time,
        began,
        resumed_from,
        saving: &outcome.saving,
        spread: None,
    };
    match manifest::write(&folder.file(folder::MANIFEST), &account.to_json()) {
        Ok(()) if account.check_sum.is_some() => folder.remove_journal(),
        Ok(()) => {}
        // Where there is no room for a trace there is none for a manifest: that was said.
        Err(_) if closed.is_torn => {}
        Err(error) => closing::keep(error, &mut problems),
    }
    drop(waiting);
    Ok(Recorded { outcome, logged: log.counts(), problems })
}

/// What was said before the run belongs to its record.
fn log_report(log: &Log, prepared: &Prepared) {
    let report = &prepared.report;
    report.diagnostics().iter().for_each(|diagnostic| log_diagnostic(log, diagnostic, report));
}

fn log_diagnostic(log: &Log, diagnostic: &Diagnostic, report: &Report) {
    let mut event = diagnostics::to_json(diagnostic, report);
    event["event"] = json!("diagnostic");
    log.event(&event);
}

/// As many as the machine can run at once.
pub(crate) fn available_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes and initializes the instances.
///
/// # Errors
/// If one fails.
pub(crate) fn start<'p>(
    prepared: &'p Prepared,
    settings: Settings<'_>,
    printer: &Printer,
) -> Result<Live<'p>, CommandError> {
    let resolution = prepared.resolved.experiment.resolution;
    let components = plural(prepared.resolved.components.len() as u64, "component");
    let _waiting = printer.waiting(&match settings.part {
        // It begins when they are there.
        Some(_) => "meeting the other nodes".to_owned(),
        None => format!("initializing {components}"),
    });
    Live::start(prepared, settings).map_err(|error| match error {
        RunError::Diverged(_) => {
            let mut report = Report::default();
            report.push(error.diagnostic(resolution));
            CommandError::Invalid { report }
        }
        _ => CommandError::failed(error.diagnostic(resolution)),
    })
}

/// Makes the files; returns what the user should know of the run that was there before. A journal says what is
/// run, and so does a manifest in the making, which keeps room on the disk for the real one.
fn open_files(
    args: &RunArgs,
    (folder, journal): (&RunFolder, Option<PathBuf>),
    log: &Log,
    (recorder, about): (Option<&Recorder>, &Value),
) -> Result<Option<Diagnostic>, CommandError> {
    let begun = folder.prepare()?;
    let remark = begun.remark();
    let path = folder.file(folder::LOG);
    log.open(begun.log).map_err(|error| CommandError::unwritable(&path, &error))?;
    let Some(recorder) = recorder else { return Ok(remark) };
    if let Some(journal) = journal {
        recorder.open(TraceFiles::only_journal(journal, String::new()));
        return Ok(remark);
    }
    let mut files = TraceFiles::of(args, folder);
    if !args.no_journal {
        let about = about.to_string();
        manifest::keep_room(folder, &about, recorder.columns().len());
        let path = paths::whole(&folder.file(folder::JOURNAL));
        files.journal = Some(JournalFile { path, about });
    }
    recorder.open(files);
    Ok(remark)
}

/// What came to the disk, and what did not.
pub(crate) struct Closed {
    /// What was recorded.
    pub(crate) columns: Vec<String>,
    /// How many rows.
    pub(crate) rows: u64,
    /// The check sum of the trace, if that is whole.
    pub(crate) check_sum: Option<String>,
    /// There was no room for the trace.
    pub(crate) is_torn: bool,
    /// From the last step on.
    pub(crate) time: Duration,
    /// What did not go as it should.
    pub(crate) problems: Vec<Diagnostic>,
}

impl Closed {
    /// Waits for the writer and closes the log. A run whose trace is not complete has failed.
    fn close(
        recorder: Option<Recorder>,
        log: &Log,
        outcome: &mut Outcome,
        (prepared, folder): (&Prepared, &RunFolder),
    ) -> Self {
        let columns = recorder.as_ref().map(Recorder::columns).unwrap_or_default();
        let written = recorder.map(Recorder::close).unwrap_or_default();
        Self::of(columns, written, log, outcome, (prepared, folder))
    }

    /// The same of a trace that was written already.
    pub(crate) fn of(
        columns: Vec<String>,
        written: Written,
        log: &Log,
        outcome: &mut Outcome,
        (prepared, folder): (&Prepared, &RunFolder),
    ) -> Self {
        let time = outcome.ended.elapsed();
        let resolution = prepared.resolved.experiment.resolution;
        let mut problems: Vec<Diagnostic> =
            outcome.summary.problems.iter().map(|problem| ending(problem, resolution)).collect();
        problems.extend(paths::was_working_folder_left().then(left_working_folder));
        problems.extend(outcome.saving.take_problems());
        let is_torn = written.failure.is_some() || written.journal_failure.is_some();
        if is_torn {
            // Where there is no room for a trace there is none for a snapshot: one error is enough.
            problems.retain(|problem| problem.code != "run::not-saved");
        }
        problems.extend(torn::remark(&written, folder));
        if is_torn && matches!(outcome.end, End::Finished | End::Terminated { .. }) {
            outcome.end = End::RecordingFailed;
        }
        log_end(log, outcome, &problems);
        match log.close() {
            // Where there is no room for a trace there is none for a log: that was said.
            Err(error) if !is_torn => problems.push(log_incomplete(&error, folder)),
            _ => {}
        }
        Closed {
            columns,
            rows: written.rows,
            check_sum: written.check_sum,
            is_torn,
            time,
            problems,
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
        .with_note(said(error))
        .help("make room on the disk, or choose another folder with `--out DIR`")
}

/// The last lines of the log: what the workers did, and how it ended.
fn log_end(log: &Log, outcome: &Outcome, problems: &[Diagnostic]) {
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
    let mut end = json!({"event": "end", "state": manifest::state(&outcome.end)});
    match &outcome.end {
        End::Failed { error } => end["error"] = json!(error.to_string()),
        End::Terminated { component } => end["component"] = json!(component),
        End::Lost { failure } => end["error"] = json!(failure.message),
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
            ("a\n\u{1b}[31mb", "out/a--[31mb"),
            ("..", "out/system"),
            ("", "out/system"),
        ] {
            assert_eq!(default_out(name), Path::new(folder), "{name}");
        }
    }
}
