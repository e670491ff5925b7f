//! A system that is run again and again in different settings, to see whether every bit is the same.
//!
//! - `variety`: what changes from run to run; `placements`: which nodes compute what; `load`: a busy machine.

mod load;
mod placements;
mod variety;

use crate::models::ModelOptions;
use crate::recording::{Execution, launcher, prepare};
use crate::request::{Changes, RunRequest};
use consort_core::{Diagnostic, Report, Resolution};
use consort_distributed::scratch::{Scratch, random_id};
use consort_distributed::{Disturbed, NodeLauncher};
use consort_node::{LinkKind, TlsFiles};
use consort_run::driver::{End, RunOutcome};
use consort_run::files::hashes;
use consort_run::files::recorder::{Recorder, TraceFiles};
use consort_run::{Context, Error, Prepared, RecordSettings, RunFolder, RunTask};
use consort_view::numbers::plural;
use load::Load;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use variety::Variety;

pub use variety::RunVariant;

/// Which system is run how often, and what is varied.
#[derive(Clone, PartialEq, Debug)]
pub struct RepeatRequest {
    /// The path of the system.
    pub system: PathBuf,
    /// The changes to the system.
    pub changes: Changes,
    /// The number of runs.
    pub runs: u32,
    /// Numbers of workers to go through, in turn.
    pub workers: Vec<usize>,
    /// How many threads keep the machine busy meanwhile; two per core if it is not given.
    pub load: Option<usize>,
    /// Kinds of links to go through, in turn. Runs are distributed if this or `placements` is given, or if the system
    /// has `[nodes]`.
    pub links: Vec<LinkKind>,
    /// How many placements are drawn, beside that of the system.
    pub placements: Option<u32>,
    /// The longest delay of a message in half of the runs, in seconds.
    pub link_delay: Option<f64>,
    /// How often a node is suspended in each run of processes.
    pub stops: u32,
    /// The longest of these stops.
    pub stop_max: Option<Duration>,
    /// About how often links break in each run.
    pub cuts: u32,
    /// Decides what is drawn: one number, one sequence of settings.
    pub vary: u64,
    /// Everything is computed in this process, whatever the system's `[nodes]` say.
    pub local: bool,
    /// What nodes show to others; made for each run if it is not given.
    pub tls: Option<TlsFiles>,
}

impl RepeatRequest {
    /// Ten runs with 1, 2 and 8 workers in turn.
    pub fn new(system: impl Into<PathBuf>) -> Self {
        RepeatRequest {
            system: system.into(),
            changes: Changes::default(),
            runs: 10,
            workers: vec![1, 2, 8],
            load: None,
            links: Vec::new(),
            placements: None,
            link_delay: None,
            stops: 0,
            stop_max: None,
            cuts: 0,
            vary: 1,
            local: false,
            tls: None,
        }
    }
}

/// What a run did, as far as it can be compared.
pub struct RunResult {
    /// The trace hash.
    pub hash: String,
    /// The hash of every variable, by path.
    pub hashes: Map<String, Value>,
    /// How the run ended.
    pub end: End,
    tick: i64,
}

impl RunResult {
    fn of(outcome: &RunOutcome) -> Self {
        RunResult {
            hash: outcome.summary.trace_hash.to_string(),
            hashes: hashes::to_json(&outcome.summary),
            end: outcome.end.clone(),
            tick: outcome.summary.tag.time.ticks(),
        }
    }

    /// Whether the two are not the same run.
    pub fn differs(&self, other: &RunResult) -> bool {
        self.hash != other.hash || self.ended_otherwise(other)
    }

    /// Whether they ended in different ways, or at different times.
    pub fn ended_otherwise(&self, other: &RunResult) -> bool {
        self.end != other.end || self.tick != other.tick
    }

    /// Why all runs ended early, if they did.
    pub fn failure(&self, resolution: Resolution) -> Option<Diagnostic> {
        match &self.end {
            End::Failed { error } => Some(error.diagnostic(resolution)),
            _ => None,
        }
    }
}

/// One run that is over.
pub struct RepeatedRun {
    /// Its number, from 1.
    pub number: u32,
    /// The setting of the run.
    pub setting: RunVariant,
    /// The disturbances of its nodes.
    pub disturbed: Disturbed,
    /// The wall-clock time.
    pub took: Duration,
    /// Its hashes and how it ended.
    pub result: RunResult,
    /// The file of its trace.
    pub trace: PathBuf,
}

/// The result of the comparison of all runs.
pub enum RepeatAnswer {
    /// Every bit was the same; the first run.
    Identical(Box<RepeatedRun>),
    /// The first run, and the first that was another one. Their traces are there until the [`Repeat`] is dropped.
    Different(Box<[RepeatedRun; 2]>),
    /// It was cancelled after so many runs.
    Cancelled(u32),
}

/// A system that is to be run again and again.
pub struct Repeat {
    request: RepeatRequest,
    models: ModelOptions,
    launcher: NodeLauncher,
    scratch: Scratch,
    /// The prepared system.
    pub prepared: Prepared,
}

impl Repeat {
    /// Loads and plans the system; `report` holds what is known to be wrong already.
    ///
    /// # Errors
    /// Everything that is wrong with the system and the request.
    pub fn prepare(
        request: RepeatRequest,
        models: ModelOptions,
        report: Report,
        context: &Context,
    ) -> Result<Self, Error> {
        let run = run_request(&request);
        let prepared = prepare(&run, &models, report, context)?;
        let scratch = Scratch::new(&models.loader.cache, random_id()?)?;
        let launcher = launcher(&run.changes, &models);
        Ok(Repeat { request, models, launcher, scratch, prepared })
    }

    /// Runs it as often as was asked for, or until a run is another one. `on_run` is called after each.
    ///
    /// # Errors
    /// If nodes cannot be linked as asked for, or a run cannot start.
    pub fn run(
        &mut self,
        context: &Context,
        on_run: &mut dyn FnMut(&RepeatedRun),
    ) -> Result<RepeatAnswer, Error> {
        let request = self.request.clone();
        let variety = Variety::new(&request, &self.prepared)?;
        let mut first: Option<RepeatedRun> = None;
        for index in 0..request.runs {
            if 0 < index {
                self.reload()?;
            }
            let done = self.run_once(index, variety.setting(index), context)?;
            match &done.result.end {
                End::Interrupted => return Ok(RepeatAnswer::Cancelled(index)),
                End::Lost { failure } => return Err(Error::failed((**failure).clone())),
                _ => on_run(&done),
            }
            match first {
                Some(first) if first.result.differs(&done.result) => {
                    return Ok(RepeatAnswer::Different(Box::new([first, done])));
                }
                Some(_) => {}
                None => first = Some(done),
            }
        }
        first.map(|first| RepeatAnswer::Identical(Box::new(first))).ok_or_else(no_runs)
    }

    /// Libraries are loaded anew, or static data of an FMU would remember the run before.
    fn reload(&mut self) -> Result<(), Error> {
        let system = self.prepared.to_data();
        let mut loader = self.models.loader_for(&self.request.changes);
        // A library that is still there would not be loaded anew.
        self.prepared = system.clone().load(|_| false, &mut loader)?;
        self.prepared = system.load(|_| true, &mut loader)?;
        Ok(())
    }

    fn run_once(
        &self,
        index: u32,
        setting: RunVariant,
        context: &Context,
    ) -> Result<RepeatedRun, Error> {
        let _load = Load::start(setting.load);
        let request = run_request(&self.request);
        let settings =
            RecordSettings { workers: Some(setting.workers), ..request.settings.clone() };
        let number = index + 1;
        let task = RunTask {
            name: self.run_name(number, &setting),
            ..RunTask::new(&self.prepared, &settings, request.options())
        };
        let deployment = setting.deployment.as_ref();
        let execution = Execution { deployment, launcher: &self.launcher, context };
        let place = self.scratch.file(if index == 0 { "first" } else { "again" });
        let (outcome, trace, disturbed) = match deployment {
            Some(_) => record_distributed(&execution, task, &place)?,
            None => record_local(&execution, task, &place)?,
        };
        let (took, result) = (outcome.timing.run, RunResult::of(&outcome));
        Ok(RepeatedRun { number, setting, disturbed, took, result, trace })
    }

    /// `tank, run 3 of 20 (8 workers)`: what progress calls a run.
    fn run_name(&self, number: u32, setting: &RunVariant) -> String {
        let (system, runs) = (&self.prepared.resolved().name, self.request.runs);
        let workers = plural(setting.workers as u64, "worker");
        let link = setting.deployment.as_ref().map(|nodes| format!("{}, ", nodes.link.name()));
        format!("{system}, run {number} of {runs} ({}{workers})", link.unwrap_or_default())
    }
}

fn run_request(request: &RepeatRequest) -> RunRequest {
    RunRequest { changes: request.changes.clone(), ..RunRequest::new(&request.system) }
}

type RunTrace = (RunOutcome, PathBuf, Disturbed);

fn record_local(
    execution: &Execution<'_>,
    task: RunTask<'_>,
    place: &Path,
) -> Result<RunTrace, Error> {
    let (recorder, sink) = Recorder::start();
    let trace = place.with_extension("parquet");
    recorder.open(TraceFiles { parquet: Some(trace.clone()), ..TraceFiles::default() });
    let outcome = execution.run(task, Some(sink))?;
    if let Some(error) = recorder.close().failure {
        let message = format!("the trace could not be written: {error}");
        let diagnostic = Diagnostic::error("repeat::no-trace", message);
        let help = "make room, or choose another folder with `--cache-dir`";
        return Err(Error::failed(diagnostic.help(help)));
    }
    Ok((outcome, trace, Disturbed::default()))
}

fn record_distributed(
    execution: &Execution<'_>,
    task: RunTask<'_>,
    place: &Path,
) -> Result<RunTrace, Error> {
    let folder = RunFolder::plan(place)?;
    let (recorded, disturbed) = execution.record(task, &folder)?;
    Ok((recorded.outcome, folder.file(consort_run::files::folder::TRACE), disturbed))
}

fn no_runs() -> Error {
    let diagnostic = Diagnostic::error("repeat::no-runs", "the system is to be run zero times");
    Error::invalid(diagnostic.help("run it twice at least"))
}
