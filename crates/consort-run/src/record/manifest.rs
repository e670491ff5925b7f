//! The content of `manifest.json`.

use crate::driver::{End, RunTiming};
use crate::files::manifest::{FORMAT, recorded};
use crate::files::{hashes, machine};
use crate::prepared::{InputHash, Prepared, PreparedComponent};
use crate::saving::Saving;
use consort_core::{Provider, SolverSettings, SolverWork, Tag};
use consort_engine::{RunError, Statistics, Summary};
use consort_system::{LoopPolicy, ResolvedVariableStep};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Everything that goes into the manifest of a run.
pub struct ManifestContent<'a> {
    /// The system that was run.
    pub prepared: &'a Prepared,
    /// The options of the run.
    pub options: Value,
    /// How the run ended.
    pub end: &'a End,
    /// The summary of the run.
    pub summary: &'a Summary,
    /// Wall-clock times.
    pub timing: RunTiming,
    /// The names of the recorded columns.
    pub columns: Vec<String>,
    /// The number of recorded rows.
    pub rows: u64,
    /// The check sum of `trace.parquet`, if that is whole.
    pub check_sum: Option<String>,
    /// What did not go as it should, though the run came to its end.
    pub problems: Vec<String>,
    /// From the last step until the trace was closed.
    pub time_to_write: Duration,
    /// When it began: seconds since 1970, UTC.
    pub began: u64,
    /// What it was resumed from, if it was.
    pub resumed_from: Option<Value>,
    /// The saves of the run.
    pub saving: &'a Saving,
    /// The nodes of a distributed run.
    pub nodes: Option<Value>,
}

/// What is known of a run when it begins.
#[derive(Clone)]
pub struct RunHeader<'a> {
    /// The system to run.
    pub prepared: &'a Prepared,
    /// The options of the run.
    pub options: &'a Value,
    /// When it began: seconds since 1970, UTC.
    pub began: u64,
    /// What it was resumed from, if it was.
    pub resumed_from: Option<&'a Value>,
    /// The nodes of a distributed run.
    pub nodes: Option<Value>,
}

impl ManifestContent<'_> {
    /// What is known of a run that has begun: all but its end. Saves are those that are planned.
    pub fn begun(origin: RunHeader<'_>, saving: &Saving) -> Value {
        let prepared = origin.prepared;
        let start = Tag::at(prepared.resolved().experiment.start);
        let components = prepared.resolved().components.len();
        let statistics = Statistics { components, ..Statistics::default() };
        let hash_mode = prepared.resolved().experiment.hash;
        let account = ManifestContent {
            prepared,
            options: origin.options.clone(),
            end: &End::Interrupted,
            summary: &Summary::new(start, hash_mode, Vec::new(), statistics, Vec::new()),
            timing: RunTiming::default(),
            columns: Vec::new(),
            rows: 0,
            check_sum: None,
            problems: Vec::new(),
            time_to_write: Duration::ZERO,
            began: origin.began,
            resumed_from: origin.resumed_from.cloned(),
            saving,
            nodes: origin.nodes,
        };
        let mut about = account.to_json();
        about["saved"] = saving.planned_to_json();
        about
    }

    /// The content of the manifest as JSON.
    pub fn to_json(&self) -> Value {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut manifest = json!({
            "format": FORMAT,
            "version": env!("CARGO_PKG_VERSION"),
            "system": {
                "name": &self.prepared.resolved().name,
                "path": self.prepared.source.path,
                "folder": folder,
                "text": self.prepared.source.text,
            },
            "options": self.options,
            "experiment": self.experiment(),
            "solvers": self.solvers(),
            "experiment_hash": self.saving.experiment_hash(self.prepared),
            "plan_hash": self.prepared.hashes.plan,
            "trace_hash": self.summary.trace_hash.to_string(),
            "exit": self.exit(),
            "inputs": inputs(&self.prepared.source.inputs),
            "host": machine::describe(),
            "statistics": self.statistics(),
            "recorded": recorded(self.rows, &self.columns, self.check_sum.as_deref()),
            "hashes": hashes::to_json(self.summary),
            "timing": self.timing(),
        });
        if let Some(resumed_from) = &self.resumed_from {
            manifest["resumed_from"] = resumed_from.clone();
        }
        if let Some(nodes) = &self.nodes {
            manifest["nodes"] = nodes.clone();
        }
        let lost = lost_parameters(self.summary);
        if !lost.is_empty() {
            manifest["lost_parameters"] = lost.into();
        }
        let signals = self.prepared.signals();
        if !signals.is_empty() {
            manifest["signals"] = signals.to_json();
        }
        let saved_by = saved_by(self.prepared);
        if !saved_by.is_empty() {
            manifest["states"] = saved_by.into();
        }
        let saved = self.saving.to_json();
        if saved.as_array().is_some_and(|saved| !saved.is_empty()) {
            manifest["saved"] = saved;
        }
        let checked = self.saving.checks_to_json();
        if !checked.is_null() {
            manifest["checked"] = checked;
        }
        manifest
    }

    fn experiment(&self) -> Value {
        let experiment = &self.prepared.resolved().experiment;
        let seconds = |time| experiment.resolution.seconds(time).map(|seconds| seconds.to_string());
        let coupling = &self.prepared.resolved().coupling;
        let sizes = |step: &ResolvedVariableStep| {
            json!({
                "initial": seconds(step.initial),
                "min": seconds(step.min),
                "max": seconds(step.max),
                "relative": step.tolerances.map(|it| it.relative),
                "absolute": step.tolerances.map(|it| it.absolute),
            })
        };
        json!({
            "start": seconds(experiment.start),
            "stop": seconds(experiment.stop),
            "step": seconds(experiment.step),
            "resolution": experiment.resolution.to_string(),
            "seed": experiment.seed,
            "tolerance": experiment.tolerance,
            "order": coupling.order.name(),
            "continuous": coupling.continuous.name(),
            "loops": policy(&coupling.loops),
            "variable_step": coupling.variable_step.as_ref().map(sizes),
            "hash": experiment.hash.name(),
            "plot": self.prepared.source.plot,
        })
    }

    /// By component, of those that one of our solvers integrates.
    fn solvers(&self) -> Value {
        let tolerance = self.prepared.resolved().experiment.tolerance;
        let solver = |component: PreparedComponent<'_>| {
            let solved_by = component.model.description().capabilities.solved_by?;
            let SolverSettings { kind, step, .. } = solved_by.settings;
            let is_variable = !kind.has_fixed_step();
            let solver = json!({
                "solver": kind.name(),
                "tolerance": is_variable.then(|| solved_by.relative(tolerance)),
                "step": step.map(|step| step.to_string()),
            });
            Some((component.resolved.name.clone(), solver))
        };
        self.prepared.components().filter_map(solver).collect::<Map<String, Value>>().into()
    }

    /// What our solvers did, by component; the same for every number of workers, and after a resume.
    fn solver_work(&self) -> Map<String, Value> {
        let counted = |work: &SolverWork| -> Map<String, Value> {
            let numbers = work.named().map(|(name, count)| (name.to_owned(), json!(count)));
            let in_use = work.in_use.map(|kind| ("in-use".to_owned(), json!(kind.name())));
            numbers.into_iter().chain(in_use).collect()
        };
        let solvers = self.summary.solvers.iter();
        solvers.map(|(name, work)| (name.clone(), counted(work).into())).collect()
    }

    fn exit(&self) -> Value {
        let experiment = &self.prepared.resolved().experiment;
        let tag = self.summary.tag;
        let mut exit = json!({
            "state": self.end.name(),
            "time": experiment.resolution.to_f64(tag.time),
            "tick": tag.time.ticks(),
            "microstep": tag.microstep,
        });
        match self.end {
            End::Terminated { component } => exit["component"] = json!(component),
            End::Failed { error } => exit["error"] = json!(error.to_string()),
            End::Lost { failure } => {
                exit["error"] = json!(failure.message);
                exit["is_cut_short"] = json!(true);
            }
            End::Finished | End::Interrupted | End::RecordingFailed => {}
        }
        if !self.problems.is_empty() {
            exit["problems"] = json!(self.problems);
        }
        exit
    }

    /// What was done; the same for every number of workers.
    fn statistics(&self) -> Value {
        let statistics = &self.summary.statistics;
        let mut counts = json!({
            "components": statistics.components,
            "lanes": statistics.lanes,
            "tags": statistics.tags,
        });
        let solvers = self.solver_work();
        if !solvers.is_empty() {
            counts["solvers"] = solvers.into();
        }
        counts
    }

    fn timing(&self) -> Value {
        let statistics = &self.summary.statistics;
        let timing = &self.timing;
        json!({
            "began": self.began,
            "seconds_to_start": timing.start.as_secs_f64(),
            "seconds": timing.run.as_secs_f64(),
            "seconds_to_write": self.time_to_write.as_secs_f64(),
            "memory_peak_bytes": machine::memory_peak_bytes(),
            "workers": statistics.workers,
            "busy_max": statistics.busy_max,
            "late_steps": timing.late,
            "late_max_seconds": timing.late_max.as_secs_f64(),
        })
    }
}

/// By component, of those of which it was measured: who saves its states, how faithfully, and why not a better one.
fn saved_by(prepared: &Prepared) -> Map<String, Value> {
    let entry = |component: PreparedComponent<'_>| {
        let chosen = component.saved_by?;
        let entry = json!({
            "provider": chosen.provider.map(Provider::name),
            "fidelity": chosen.fidelity.name(),
            "reason": chosen.reason(),
        });
        Some((component.resolved.name.clone(), entry))
    };
    prepared.components().filter_map(entry).collect()
}

/// What becomes of loops that no rule names; the rules are in the system's text.
fn policy(policy: &LoopPolicy) -> Value {
    match policy {
        LoopPolicy::Error => json!("error"),
        LoopPolicy::Delay => json!("delay"),
        LoopPolicy::Iterate(iteration) => json!({
            "method": iteration.method.name(),
            "tolerance": iteration.tolerance,
            "limit": iteration.limit,
            "relaxation": iteration.relaxation,
            "accept_after": iteration.accept_after,
        }),
    }
}

/// Parameters that models did not keep, with both values.
fn lost_parameters(summary: &Summary) -> Vec<Value> {
    let entry = |problem: &RunError| match problem {
        RunError::ParameterLost(lost) => Some(json!({
            "variable": format!("{}.{}", lost.component, lost.variable),
            "given": lost.given.view().to_string(),
            "found": lost.found.view().to_string(),
        })),
        _ => None,
    };
    summary.problems.iter().filter_map(entry).collect()
}

fn inputs(inputs: &[InputHash]) -> Value {
    let entry = |input: &InputHash| json!({ "path": input.path, "role": input.role, "sha256": input.sha256 });
    inputs.iter().map(entry).collect()
}
