//! `consort repeat SYSTEM`: runs a system again and again, and says whether every bit is the same.
//!
//! - `variety`: what changes from run to run; `placements`: who is computed where; `load`: a busy machine.
//! - `answer`: what is said at the end.

mod answer;
mod load;
mod placements;
mod variety;

use super::replay;
use super::run::Way;
use crate::cli::{Global, RepeatArgs, RunArgs, SpreadArgs, VerifyArgs};
use crate::execute::{End, Outcome};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::diagnostics::plural;
use crate::output::folder::{self, RunFolder};
use crate::output::hashes;
use crate::output::printer::Printer;
use crate::output::recorder::{Recorder, TraceFiles};
use crate::pipeline::{self, Prepared};
use crate::spread::scratch::{Scratch, random_id};
use crate::spread::{self, Desk, Spread, Suffered};
use answer::{Odd, Tally};
use consort_core::{Diagnostic, Resolution};
use load::Load;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use variety::{Setting, Variety};

/// Runs it many times and compares.
pub(crate) fn execute(args: &RepeatArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
    printer.report(&prepared.report, "");
    let variety = Variety::new(args, &prepared)?;
    let _ = Interrupt::listen();
    let scratch = Scratch::new(&pipeline::cache_dir(global), random_id()?)?;
    let mut first: Option<(Seen, PathBuf)> = None;
    let mut tally = Tally::default();
    for index in 0..args.runs {
        if 0 < index {
            // Libraries are loaded anew, or static data of an FMU would remember the run before.
            drop(prepared);
            prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
        }
        let setting = variety.setting(index);
        let name = progress_name(&prepared.resolved.name, (index + 1, args.runs), &setting);
        let desk = Desk { name: &name, global, printer };
        let place = scratch.file(if index == 0 { "first" } else { "again" });
        let Ran { outcome, trace, suffered } = run(args, &prepared, &setting, &place, desk)?;
        match &outcome.end {
            End::Interrupted => {
                printer.insist(&format!("interrupted after {}", plural(index.into(), "run")));
                return Ok(Exit::Failed);
            }
            End::Lost { failure } => return Err(CommandError::failed((**failure).clone())),
            _ => {}
        }
        let seen = Seen::of(&outcome);
        let run = index + 1;
        if let Some((before, path)) = first.as_ref().filter(|(first, _)| first.differs(&seen)) {
            let traces = [path.as_path(), trace.as_path()];
            let odd = Odd { run, setting: &setting, suffered: &suffered, seen: &seen, traces };
            return answer::different(before, &odd, &prepared, printer);
        }
        tally.add(&setting, outcome.timing.run, &suffered);
        let told = setting.describe(&suffered);
        printer.detail(&format!("run {run}: {told}, {}", seen.hash));
        first.get_or_insert((seen, trace));
    }
    let (seen, _) = first.expect("there is one run at least");
    answer::identical(args.runs, &seen, &tally, &prepared, printer)
}

/// `tank, run 3 of 20 (8 workers)`: what progress calls a run.
fn progress_name(system: &str, (run, runs): (u32, u32), setting: &Setting) -> String {
    let workers = plural(setting.workers as u64, "worker");
    let link = setting.spread.as_ref().map(|spread| format!("{}, ", spread.link.name()));
    format!("{system}, run {run} of {runs} ({}{workers})", link.unwrap_or_default())
}

/// One run that is over.
struct Ran {
    outcome: Outcome,
    /// Where its trace is.
    trace: PathBuf,
    suffered: Suffered,
}

/// One run.
fn run(
    args: &RepeatArgs,
    prepared: &Prepared,
    setting: &Setting,
    place: &Path,
    desk: Desk<'_>,
) -> Result<Ran, CommandError> {
    let _load = Load::start(setting.load);
    let run_args = run_args(args, setting.workers);
    match &setting.spread {
        Some(spread) => run_spread(&run_args, prepared, spread, place, desk),
        None => run_here(&run_args, prepared, place, desk),
    }
}

fn run_here(
    args: &RunArgs,
    prepared: &Prepared,
    place: &Path,
    desk: Desk<'_>,
) -> Result<Ran, CommandError> {
    let (recorder, sink) = Recorder::start();
    let trace = place.with_extension("parquet");
    recorder.open(TraceFiles { parquet: Some(trace.clone()), ..TraceFiles::default() });
    let way = Way::plain(args, prepared, None);
    let told = (desk.name, desk.printer);
    let outcome = replay::run_into(Some(sink), args, prepared, way, told)?;
    if let Some(error) = recorder.close().failure {
        let message = format!("the trace could not be kept: {error}");
        let diagnostic = Diagnostic::error("repeat::no-trace", message);
        let help = "make room, or choose another folder with `--cache-dir`";
        return Err(CommandError::failed(diagnostic.help(help)));
    }
    Ok(Ran { outcome, trace, suffered: Suffered::default() })
}

fn run_spread(
    args: &RunArgs,
    prepared: &Prepared,
    spread: &Spread,
    place: &Path,
    desk: Desk<'_>,
) -> Result<Ran, CommandError> {
    let folder = RunFolder::plan(place)?;
    let way = Way::plain(args, prepared, None);
    let (recorded, suffered) = spread::record_spread(args, prepared, way, spread, &folder, desk)?;
    Ok(Ran { outcome: recorded.outcome, trace: folder.file(folder::TRACE), suffered })
}

/// What a run did, as far as it can be compared.
struct Seen {
    hash: String,
    hashes: Map<String, Value>,
    end: End,
    tick: i64,
}

impl Seen {
    fn of(outcome: &Outcome) -> Self {
        Seen {
            hash: outcome.summary.trace_hash.to_string(),
            hashes: hashes::to_json(&outcome.summary),
            end: outcome.end.clone(),
            tick: outcome.summary.tag.time.ticks(),
        }
    }

    fn differs(&self, other: &Seen) -> bool {
        self.hash != other.hash || self.ended_otherwise(other)
    }

    fn ended_otherwise(&self, other: &Seen) -> bool {
        self.end != other.end || self.tick != other.tick
    }

    /// Why all runs ended early, if they did.
    fn failure(&self, resolution: Resolution) -> Option<Diagnostic> {
        match &self.end {
            End::Failed { error } => Some(error.diagnostic(resolution)),
            _ => None,
        }
    }
}

fn run_args(args: &RepeatArgs, workers: usize) -> RunArgs {
    RunArgs {
        system: Some(args.system.clone()),
        out: None,
        workers: Some(workers),
        real_time: None,
        csv: false,
        mcap: false,
        no_record: false,
        no_journal: false,
        log_calls: false,
        save_at: Vec::new(),
        save: Vec::new(),
        save_every: None,
        resume: None,
        checks: VerifyArgs::default(),
        spread: spread_args(args),
        experiment: args.experiment.clone(),
    }
}

/// What `run` would have been told about nodes, but for where they are.
fn spread_args(args: &RepeatArgs) -> SpreadArgs {
    SpreadArgs { tls: args.varied.tls.clone(), ..SpreadArgs::default() }
}
