//! `consort repeat SYSTEM`: runs a system again and again, and says whether every bit is the same.

use super::replay;
use super::run::{self, Way};
use crate::cli::{Global, RepeatArgs, RunArgs};
use crate::execute::{End, Outcome};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::diagnostics::plural;
use crate::output::hashes;
use crate::output::numbers::duration;
use crate::output::printer::Printer;
use crate::pipeline::{self, Prepared};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Runs it many times and compares.
pub(crate) fn execute(args: &RepeatArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
    printer.report(&prepared.report, "");
    let _ = Interrupt::listen();
    let load = Load::start(load_threads(args));
    let mut seen: Option<Seen> = None;
    let mut times: BTreeMap<usize, Vec<Duration>> = BTreeMap::new();
    for index in 0..args.runs {
        if 0 < index {
            // Libraries are loaded anew, or static data of an FMU would remember the run before.
            drop(prepared);
            prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
        }
        let workers = args.workers.0[index as usize % args.workers.0.len()];
        let name = progress_name(&prepared.resolved.name, (index + 1, args.runs), workers);
        let run_args = run_args(args, workers);
        let way = Way::plain(&run_args, &prepared, None);
        let outcome = replay::run_without_files(&run_args, &prepared, way, (&name, printer))?;
        if outcome.end == End::Interrupted {
            printer.insist(&format!("interrupted after {}", plural(index.into(), "run")));
            return Ok(Exit::Failed);
        }
        let now = Seen::of(&outcome);
        if let Some(first) = seen.as_ref().filter(|first| first.differs(&now)) {
            return different(first, &now, (index, workers), printer);
        }
        times.entry(workers).or_default().push(outcome.timing.run);
        printer.detail(&format!("run {}: {workers} workers, {}", index + 1, now.hash));
        seen.get_or_insert(now);
    }
    identical(args, &prepared, seen.as_ref(), (&times, load.threads), printer)
}

/// `tank, run 3 of 20 (8 workers)`: what progress calls a run.
fn progress_name(system: &str, (run, runs): (u32, u32), workers: usize) -> String {
    format!("{system}, run {run} of {runs} ({})", plural(workers as u64, "worker"))
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
        self.hash != other.hash || self.end != other.end || self.tick != other.tick
    }
}

fn identical(
    args: &RepeatArgs,
    prepared: &Prepared,
    seen: Option<&Seen>,
    (times, load): (&BTreeMap<usize, Vec<Duration>>, usize),
    printer: &Printer,
) -> CommandResult {
    let Some(seen) = seen else { return Ok(Exit::Done) };
    let mut text = String::new();
    for (workers, times) in times {
        let mean = times.iter().sum::<Duration>().as_secs_f64() / times.len() as f64;
        text.push_str(&format!(
            "{}: {}, {} of load, {} each\n",
            plural(*workers as u64, "worker"),
            plural(times.len() as u64, "run"),
            plural(load as u64, "thread"),
            duration(mean)
        ));
    }
    let runs = plural(args.runs.into(), "run");
    text.push_str(&format!("identical: {runs}, trace {}\n", seen.hash));
    printer.data(text)?;
    if let End::Failed { error } = &seen.end {
        let resolution = prepared.resolved.experiment.resolution;
        return Err(CommandError::failed(error.diagnostic(resolution)));
    }
    Ok(Exit::Done)
}

fn different(
    first: &Seen,
    now: &Seen,
    (index, workers): (u32, usize),
    printer: &Printer,
) -> CommandResult {
    let run = index + 1;
    let workers = plural(workers as u64, "worker");
    let mut text = format!(
        "different: run 1 and run {run} ({workers})\n  trace {}\n  trace {}\n",
        first.hash, now.hash
    );
    if first.tick != now.tick || first.end != now.end {
        text.push_str("  they ended differently\n");
    }
    for line in hashes::differences(&first.hashes, &now.hashes) {
        text.push_str(&format!("  {line}\n"));
    }
    printer.data(text)?;
    Ok(Exit::No)
}

fn run_args(args: &RepeatArgs, workers: usize) -> RunArgs {
    RunArgs {
        system: Some(args.system.clone()),
        out: None,
        workers: Some(workers),
        real_time: None,
        csv: false,
        no_record: true,
        log_calls: false,
        save_at: Vec::new(),
        save: Vec::new(),
        resume: None,
        experiment: args.experiment.clone(),
    }
}

fn load_threads(args: &RepeatArgs) -> usize {
    match args.load {
        _ if args.no_load => 0,
        Some(Some(threads)) => threads,
        Some(None) | None => 2 * run::available_workers(),
    }
}

/// Threads that keep the machine busy, so that the scheduler has to choose.
struct Load {
    threads: usize,
    over: Arc<AtomicBool>,
    handles: Vec<std::thread::JoinHandle<()>>,
}

impl Load {
    fn start(threads: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = || {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let handles = (0..threads).map(|_| busy()).collect();
        Load { threads, over, handles }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for handle in self.handles.drain(..) {
            // A thread that only spins cannot have panicked.
            let _ = handle.join();
        }
    }
}
