//! `consort replay DIR`: runs a recorded run again and says whether every bit is the same.

use super::explore::repeat;
use super::run::resuming::Resumed;
use super::run::{self, Recorded, Way, saving};
use crate::cli::{Global, ReplayArgs, RunArgs, SpreadArgs, VerifyArgs};
use crate::execute::{End, Outcome, Settings};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::folder::RunFolder;
use crate::output::log::Log;
use crate::output::manifest::{self, Manifest};
use crate::output::printer::{Printer, one_line};
use crate::output::progress::Progress;
use crate::output::recorder::Recorder;
use crate::output::{hashes, host};
use crate::pipeline::{self, Prepared};
use crate::spread::{self, Desk};
use crate::{execute::Live, options, traces};
use consort_core::{Diagnostic, Report};
use consort_engine::ChunkSink;
use consort_view::numbers::duration;
use std::path::Path;

/// Runs it again and compares.
pub(crate) fn execute(args: &ReplayArgs, global: &Global, printer: &Printer) -> CommandResult {
    if repeat::is_counter_example(&args.run) {
        return repeat::execute(args, global, printer);
    }
    let recorded = Manifest::read(&args.run)?;
    check_whole(&recorded, &args.run)?;
    recorded.path.parent().map_or(Ok(()), traces::verify)?;
    let mut experiment =
        options::experiment_from_json(recorded.options(), |path| recorded.resolve(path));
    let resumed = recorded.resumed_from();
    let resumed = resumed.map(|(path, sha256)| Resumed::read_again(&path, sha256)).transpose()?;
    experiment.save_to_files(resumed.is_some() || recorded.has_saved());
    experiment.limit_providers(global);
    let prepared = pipeline::prepare(&recorded.system_path(), &experiment, global, printer)?;
    let changes = changes(&recorded, &prepared);
    for change in &changes {
        printer.insist(change);
    }
    let workers = recorded.options()["workers"].as_u64().and_then(|n| usize::try_from(n).ok());
    let again = RunArgs {
        system: Some(recorded.system_path()),
        out: args.out.clone(),
        workers: args.workers.or(workers),
        real_time: None,
        csv: recorded.options()["csv"] == true,
        mcap: recorded.options()["mcap"] == true,
        no_record: recorded.options()["no_record"] == true,
        no_journal: false,
        log_calls: recorded.options()["log_calls"] == true,
        save_at: Vec::new(),
        save: Vec::new(),
        save_every: None,
        resume: None,
        checks: VerifyArgs::default(),
        spread: nodes(resumed.as_ref())?,
        experiment,
    };
    let points = resumed.as_ref().map_or(&[][..], Resumed::save_points);
    let saving = saving::repeat(&again, &prepared, points, recorded.save_points());
    let until = recorded.cut_short_at();
    let resumed = resumed.as_ref();
    let way = Way { until, resumed, saving, part: None, listener: None, log: None, journal: None };
    let Some(out) = &args.out else {
        let desk = Desk { name: &prepared.resolved.name, global, printer };
        let outcome = match way.resumed.is_some_and(Resumed::is_spread) {
            true => spread::resume_spread(&again, &prepared, way, desk)?,
            false => run_without_files(&again, &prepared, way, (desk.name, printer))?,
        };
        return answer(&recorded, &prepared, &outcome, printer);
    };
    let second = record(&again, &prepared, way, (out, &recorded), (global, printer))?;
    let answer = answer(&recorded, &prepared, &second.outcome, printer)?;
    let is_incomplete = second.is_incomplete();
    let mut report = Report::default();
    second.problems.into_iter().for_each(|problem| report.push(problem));
    printer.report(&report, "");
    Ok(if is_incomplete { Exit::Failed } else { answer })
}

/// A node alone cannot be run again: what it received is not recorded.
fn check_whole(recorded: &Manifest, run: &Path) -> Result<(), CommandError> {
    let Some(node) = recorded.options()["node"].as_str() else { return Ok(()) };
    let message = format!("`{}` is the record of node `{node}` alone", run.display());
    let diagnostic = Diagnostic::error("replay::part", message);
    let help = "run the system with `consort run` and compare the hash with the one that the \
                nodes printed";
    Err(CommandError::failed(diagnostic.help(help)))
}

/// A run in one piece gives the trace of one that was spread; what was saved in parts goes on in parts.
fn nodes(resumed: Option<&Resumed>) -> Result<SpreadArgs, CommandError> {
    match resumed.filter(|resumed| resumed.is_spread()) {
        Some(resumed) => resumed.saved_spread(),
        None => Ok(SpreadArgs { local: true, ..SpreadArgs::default() }),
    }
}

/// What is not as it was, the machine first.
fn changes(recorded: &Manifest, prepared: &Prepared) -> Vec<String> {
    let mut changes = host::differences(recorded.host(), &host::describe());
    let version = env!("CARGO_PKG_VERSION");
    if recorded.version() != version {
        changes.push(format!("consort: {}, now {version}", recorded.version()));
    }
    changes.extend(manifest::changed_files(&recorded.inputs(), &prepared.inputs));
    if recorded.plan_hash() != prepared.plan_hash {
        changes.push("the plan has changed".to_owned());
    }
    changes
}

fn record(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    (out, recorded): (&Path, &Manifest),
    (global, printer): (&Global, &Printer),
) -> Result<Recorded, CommandError> {
    let original = recorded.path.parent().and_then(|folder| folder.canonicalize().ok());
    if original.is_some() && original == out.canonicalize().ok() {
        let message = "the second run would replace the first";
        let diagnostic = Diagnostic::error("cli::same-folder", message);
        let help = "choose another folder with `--out DIR`";
        return Err(CommandError::failed(diagnostic.help(help)));
    }
    let folder = RunFolder::plan(out)?;
    let desk = Desk { name: &prepared.resolved.name, global, printer };
    match spread::wanted(&args.spread, prepared)? {
        Some(spread) => {
            let (recorded, _) = spread::record_spread(args, prepared, way, &spread, &folder, desk)?;
            Ok(recorded)
        }
        None => run::record(args, prepared, way, &folder, printer),
    }
}

/// A run that leaves nothing behind but its hashes. Progress calls it `name`.
///
/// # Errors
/// If it cannot start.
pub(crate) fn run_without_files(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    told: (&str, &Printer),
) -> Result<Outcome, CommandError> {
    run_into(None, args, prepared, way, told)
}

/// A run that leaves its rows to `sink`, if there is one, and its hashes. Progress calls it `name`.
///
/// # Errors
/// If it cannot start.
pub(crate) fn run_into(
    sink: Option<Box<dyn ChunkSink>>,
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    told: (&str, &Printer),
) -> Result<Outcome, CommandError> {
    run_recorded((sink, None), args, prepared, way, told)
}

/// The same with the recorder behind the sink.
///
/// # Errors
/// If it cannot start.
pub(crate) fn run_recorded(
    (sink, recorder): (Option<Box<dyn ChunkSink>>, Option<&Recorder>),
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    (name, printer): (&str, &Printer),
) -> Result<Outcome, CommandError> {
    let interrupt = Interrupt::listen();
    let settings = Settings {
        workers: args.workers.unwrap_or_else(run::available_workers),
        verbose: printer.is_verbose(),
        until: way.until,
        snapshot: way.resumed.map(Resumed::state),
        saving: way.saving,
        verify: false,
        real_time: None,
        log: way.log.unwrap_or_else(|| Log::nowhere(printer)),
        sink,
        calls: None,
        part: way.part,
    };
    let live: Live<'_> = run::start(prepared, settings, printer)?;
    let experiment = &prepared.resolved.experiment;
    let seconds = |time| experiment.resolution.to_f64(time);
    let (start, stop) = (seconds(live.now()), seconds(experiment.stop));
    let mut progress = Progress::new(printer.progress(), name, start, stop);
    progress.tell(way.listener);
    Ok(live.drive(recorder, &mut progress, &interrupt))
}

fn answer(
    recorded: &Manifest,
    prepared: &Prepared,
    outcome: &Outcome,
    printer: &Printer,
) -> CommandResult {
    let resolution = prepared.resolved.experiment.resolution;
    if outcome.end == End::Interrupted {
        printer.insist("interrupted: nothing was compared");
        return Ok(Exit::Failed);
    }
    let now = outcome.summary.trace_hash.to_string();
    // A run that was cut short was repeated as far as it came.
    let is_cut_short = recorded.cut_short_at().is_some() && outcome.end == End::Finished;
    let ended_alike = is_cut_short || recorded.state() == manifest::state(&outcome.end);
    if now == recorded.trace_hash() && ended_alike {
        let took = duration(outcome.timing.run.as_secs_f64());
        printer.data(format!("identical: trace {now}\n"))?;
        printer.say(&format!("{}: run again in {took}", one_line(recorded.name())));
        return Ok(Exit::Done);
    }
    let mut text = format!("different: trace {}, now {now}\n", recorded.trace_hash());
    if recorded.end_tick() != outcome.summary.tag.time.ticks() || !ended_alike {
        let time = resolution.to_f64(outcome.summary.tag.time);
        let (before, state) = (recorded.state(), manifest::state(&outcome.end));
        text.push_str(&format!("  it was {before} and is {state} now, at {time} s\n"));
    }
    for line in hashes::differences(&recorded.hashes(), &hashes::to_json(&outcome.summary)) {
        text.push_str(&format!("  {line}\n"));
    }
    printer.data(text)?;
    if let End::Failed { error } = &outcome.end {
        let mut report = Report::default();
        report.push(error.diagnostic(resolution));
        printer.report(&report, "");
    }
    Ok(Exit::No)
}
