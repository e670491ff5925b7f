//! `manifest.json`: what was run, with which files and options, on which machine, and its hashes.
//!
//! Everything in it but `timing` is the same for the same run; keys keep their order.

use super::folder::RunFolder;
use super::host;
use super::torn::Torn;
use crate::commands::run::saving::Saving;
use crate::execute::{End, Timing};
use crate::options;
use crate::outcome::CommandError;
use crate::pipeline::{InputHash, Prepared};
use consort_core::{
    Diagnostic, Model, Provider, Resolution, SolverSettings, SolverWork, Tag, Time,
};
use consort_engine::{RunError, Statistics, Summary};
use consort_models::fidelity::Chosen;
use consort_system::{LoopPolicy, ResolvedComponent, ResolvedVariableStep};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Says which form of manifest this is.
const FORMAT: &str = "consort-run 1";

/// How many bytes the end of a manifest takes, at least and per column.
const ROOM: usize = 1 << 16;
const ROOM_PER_COLUMN: usize = 256;

/// Everything that goes into the manifest of a run.
pub(crate) struct Account<'a> {
    /// What was run.
    pub(crate) prepared: &'a Prepared,
    /// The options, as [`crate::options::to_json`] gives them.
    pub(crate) options: Value,
    /// How it ended.
    pub(crate) end: &'a End,
    /// What it came to.
    pub(crate) summary: &'a Summary,
    /// What the clock says.
    pub(crate) timing: Timing,
    /// What was recorded.
    pub(crate) columns: Vec<String>,
    /// How many rows.
    pub(crate) rows: u64,
    /// The check sum of `trace.parquet`, if that is whole.
    pub(crate) check_sum: Option<String>,
    /// What did not go as it should, though the run came to its end.
    pub(crate) problems: Vec<String>,
    /// From the last step until the trace was closed.
    pub(crate) time_to_write: Duration,
    /// When it began: seconds since 1970, UTC.
    pub(crate) began: u64,
    /// What it was resumed from, if it was.
    pub(crate) resumed_from: Option<Value>,
    /// What was saved of it.
    pub(crate) saving: &'a Saving,
    /// Which nodes it was spread over, if it was.
    pub(crate) spread: Option<Value>,
}

impl Account<'_> {
    /// What is known of a run that has begun: all but its end. Saves are those that are planned.
    pub(crate) fn begun(
        prepared: &Prepared,
        options: &Value,
        saving: &Saving,
        (began, resumed_from): (u64, Option<&Value>),
        spread: Option<Value>,
    ) -> Value {
        let start = Tag::at(prepared.resolved.experiment.start);
        let components = prepared.resolved.components.len();
        let statistics = Statistics { components, ..Statistics::default() };
        let account = Account {
            prepared,
            options: options.clone(),
            end: &End::Interrupted,
            summary: &Summary::new(start, Vec::new(), statistics, Vec::new()),
            timing: Timing::default(),
            columns: Vec::new(),
            rows: 0,
            check_sum: None,
            problems: Vec::new(),
            time_to_write: Duration::ZERO,
            began,
            resumed_from: resumed_from.cloned(),
            saving,
            spread,
        };
        let mut about = account.to_json();
        about["saved"] = saving.planned_to_json();
        about
    }

    /// The manifest.
    pub(crate) fn to_json(&self) -> Value {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut manifest = json!({
            "format": FORMAT,
            "version": env!("CARGO_PKG_VERSION"),
            "system": {
                "name": self.prepared.resolved.name,
                "path": self.prepared.path,
                "folder": folder,
                "text": self.prepared.text,
            },
            "options": self.options,
            "experiment": self.experiment(),
            "solvers": self.solvers(),
            "experiment_hash": self.saving.experiment_hash(self.prepared),
            "plan_hash": self.prepared.plan_hash,
            "trace_hash": self.summary.trace_hash.to_string(),
            "exit": self.exit(),
            "inputs": inputs(&self.prepared.inputs),
            "host": host::describe(),
            "statistics": self.statistics(),
            "recorded": recorded(self.rows, &self.columns, self.check_sum.as_deref()),
            "hashes": super::hashes::to_json(self.summary),
            "timing": self.timing(),
        });
        if let Some(resumed_from) = &self.resumed_from {
            manifest["resumed_from"] = resumed_from.clone();
        }
        if let Some(spread) = &self.spread {
            manifest["nodes"] = spread.clone();
        }
        let lost = lost_parameters(self.summary);
        if !lost.is_empty() {
            manifest["lost_parameters"] = lost.into();
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
        let experiment = &self.prepared.resolved.experiment;
        let seconds = |time| experiment.resolution.seconds(time).map(|seconds| seconds.to_string());
        let coupling = &self.prepared.resolved.coupling;
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
            "plot": self.prepared.plot,
        })
    }

    /// By component, of those that one of our solvers integrates.
    fn solvers(&self) -> Value {
        let tolerance = self.prepared.resolved.experiment.tolerance;
        let components = self.prepared.resolved.components.iter().zip(&self.prepared.models);
        let solver = |(component, model): (&ResolvedComponent, &Arc<dyn Model>)| {
            let solved_by = model.description().capabilities.solved_by?;
            let SolverSettings { kind, step, .. } = solved_by.settings;
            let is_variable = !kind.has_fixed_step();
            let solver = json!({
                "solver": kind.name(),
                "tolerance": is_variable.then(|| solved_by.relative(tolerance)),
                "step": step.map(|step| step.to_string()),
            });
            Some((component.name.clone(), solver))
        };
        components.filter_map(solver).collect::<Map<String, Value>>().into()
    }

    /// What our solvers did, by component; the same for every number of workers, and after a resume.
    fn solver_work(&self) -> Map<String, Value> {
        let told = |work: &SolverWork| -> Map<String, Value> {
            let numbers = work.named().map(|(name, count)| (name.to_owned(), json!(count)));
            let in_use = work.in_use.map(|kind| ("in-use".to_owned(), json!(kind.name())));
            numbers.into_iter().chain(in_use).collect()
        };
        let solvers = self.summary.solvers.iter();
        solvers.map(|(name, work)| (name.clone(), told(work).into())).collect()
    }

    fn exit(&self) -> Value {
        let experiment = &self.prepared.resolved.experiment;
        let tag = self.summary.tag;
        let mut exit = json!({
            "state": state(self.end),
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
            "memory_peak_bytes": host::memory_peak_bytes(),
            "workers": statistics.workers,
            "busy_max": statistics.busy_max,
            "late_steps": timing.late,
            "late_max_seconds": timing.late_max.as_secs_f64(),
        })
    }
}

/// By component, of those of which it was measured: who saves its states, how faithfully, and why not a better one.
fn saved_by(prepared: &Prepared) -> Map<String, Value> {
    let components = prepared.resolved.components.iter().zip(&prepared.saved_by);
    let entry = |(component, chosen): (&ResolvedComponent, &Option<Chosen>)| {
        let chosen = chosen.as_ref()?;
        let entry = json!({
            "provider": chosen.provider.map(Provider::name),
            "fidelity": chosen.fidelity.name(),
            "reason": chosen.reason(),
        });
        Some((component.name.clone(), entry))
    };
    components.filter_map(entry).collect()
}

/// How a run ended, in one word.
pub(crate) fn state(end: &End) -> &'static str {
    match end {
        End::Finished => "finished",
        End::Terminated { .. } => "terminated",
        End::Interrupted => "interrupted",
        End::Failed { .. } | End::RecordingFailed | End::Lost { .. } => "failed",
    }
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

/// The end of a run that was killed: a manifest of its beginning becomes one of what is left.
pub(crate) fn cut(
    about: &mut Value,
    (cut, summary): (Tag, &Summary),
    resolution: Resolution,
    recorded: Value,
) {
    about["trace_hash"] = json!(summary.trace_hash.to_string());
    about["hashes"] = super::hashes::to_json(summary).into();
    about["recorded"] = recorded;
    about["exit"] = json!({
        "state": "failed",
        "time": resolution.to_f64(summary.tag.time),
        "tick": summary.tag.time.ticks(),
        "microstep": summary.tag.microstep,
        "error": "the run was killed, or there was no room for its trace",
        "is_cut_short": true,
    });
    about["statistics"]["tags"] = json!(summary.statistics.tags);
    let is_done = |save: &Value| save["tick"].as_i64().is_some_and(|tick| tick <= cut.time.ticks());
    if let Some(saved) = about["saved"].as_array_mut() {
        saved.retain(is_done);
    }
}

/// What came to the disk. A check sum says that `trace.parquet` is whole.
pub(crate) fn recorded(rows: u64, columns: &[String], check_sum: Option<&str>) -> Value {
    json!({ "rows": rows, "columns": columns, "check_sum": check_sum })
}

/// A manifest that was read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Manifest {
    /// The file.
    pub(crate) path: PathBuf,
    value: Value,
}

impl Manifest {
    /// Reads the manifest of a run's folder, or the file itself.
    ///
    /// # Errors
    /// If there is none, or it is not one.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let file = if path.is_dir() { path.join(super::folder::MANIFEST) } else { path.to_owned() };
        let text = std::fs::read_to_string(&file).map_err(|error| no_manifest(path, &error))?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if value["format"] != FORMAT {
            let message = format!("`{}` is not the manifest of a run", file.display());
            let diagnostic = Diagnostic::error("cli::bad-manifest", message);
            return Err(CommandError::failed(
                diagnostic
                    .help(format!("a manifest of this version has `\"format\": \"{FORMAT}\"`")),
            ));
        }
        Ok(Manifest { path: file, value })
    }

    /// Where the system is, as it was typed and where it was typed.
    pub(crate) fn system_path(&self) -> PathBuf {
        options::found_system(self.text(&["system", "folder"]), self.text(&["system", "path"]))
    }

    /// A path that was typed where the run was started: found there, or else from here.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        options::found(self.text(&["system", "folder"]), path)
    }

    /// The name of the system.
    pub(crate) fn name(&self) -> &str {
        self.text(&["system", "name"])
    }

    /// The options of the run.
    pub(crate) fn options(&self) -> &Value {
        &self.value["options"]
    }

    /// The machine.
    pub(crate) fn host(&self) -> &Value {
        &self.value["host"]
    }

    /// The version of Consort.
    pub(crate) fn version(&self) -> &str {
        self.text(&["version"])
    }

    /// The hash of the plan.
    pub(crate) fn plan_hash(&self) -> &str {
        self.text(&["plan_hash"])
    }

    /// The check sum of `trace.parquet`, if that is whole.
    pub(crate) fn check_sum(&self) -> Option<&str> {
        self.value["recorded"]["check_sum"].as_str()
    }

    /// What to go on from, if the run was saved: the last file that was to be written.
    pub(crate) fn last_save(&self) -> Option<PathBuf> {
        let files = self.options()["save"].as_array()?.iter().filter_map(Value::as_str);
        files.map(|file| self.resolve(file)).rfind(|file| file.exists())
    }

    /// Whether everything that was to be recorded is in the record.
    pub(crate) fn is_whole(&self) -> bool {
        self.check_sum().is_some() || self.options()["no_record"] == true
    }

    /// The hash of the whole trace.
    pub(crate) fn trace_hash(&self) -> &str {
        self.text(&["trace_hash"])
    }

    /// Path and hash of the file it was resumed from, if it was.
    pub(crate) fn resumed_from(&self) -> Option<(PathBuf, &str)> {
        let from = self.value.get("resumed_from")?;
        let path = self.resolve(from["path"].as_str().unwrap_or_default());
        Some((path, from["sha256"].as_str().unwrap_or_default()))
    }

    /// Whether it was to be saved.
    pub(crate) fn has_saved(&self) -> bool {
        self.options()["save"].as_array().is_some_and(|files| !files.is_empty())
    }

    /// Where it was saved: ticks.
    pub(crate) fn save_points(&self) -> Vec<Time> {
        let saved = self.value["saved"].as_array().into_iter().flatten();
        saved.filter_map(|saved| saved["tick"].as_i64()).map(Time::from_ticks).collect()
    }

    /// How the run ended.
    pub(crate) fn state(&self) -> &str {
        self.text(&["exit", "state"])
    }

    /// The tick at which it ended.
    pub(crate) fn end_tick(&self) -> i64 {
        self.value["exit"]["tick"].as_i64().unwrap_or(i64::MAX)
    }

    /// Where the run ended, if the user, a full disk or the loss of a node ended it and not the run itself.
    pub(crate) fn cut_short_at(&self) -> Option<Time> {
        let exit = &self.value["exit"];
        let is_cut_short = match self.state() {
            "interrupted" => true,
            "failed" => exit["error"].is_null() || exit["is_cut_short"] == true,
            _ => false,
        };
        exit["tick"].as_i64().filter(|_| is_cut_short).map(Time::from_ticks)
    }

    /// What the experiment wants drawn.
    pub(crate) fn plot(&self) -> Vec<String> {
        let patterns = self.value["experiment"]["plot"].as_array();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        patterns.into_iter().flatten().filter_map(text).collect()
    }

    /// Type and hash of every variable, by path.
    pub(crate) fn hashes(&self) -> Map<String, Value> {
        self.value["hashes"].as_object().cloned().unwrap_or_default()
    }

    /// The files that went into the run.
    pub(crate) fn inputs(&self) -> Vec<InputHash> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let input = |value: &Value| InputHash {
            path: text(&value["path"]),
            role: text(&value["role"]),
            sha256: text(&value["sha256"]),
        };
        self.value["inputs"].as_array().into_iter().flatten().map(input).collect()
    }

    fn text(&self, keys: &[&str]) -> &str {
        let value = keys.iter().fold(&self.value, |value, key| &value[*key]);
        value.as_str().unwrap_or_default()
    }
}

fn no_manifest(path: &Path, error: &std::io::Error) -> CommandError {
    if Torn::of(&RunFolder::at(path)).is_some() {
        let message = format!("`{}` is what is left of a run that was killed", path.display());
        let diagnostic = Diagnostic::error("cli::killed-run", message);
        let help = format!("make a record of it: `consort recover {}`", path.display());
        return CommandError::failed(diagnostic.help(help));
    }
    let message = format!("`{}` is not a run: {}", path.display(), crate::outcome::said(error));
    let diagnostic = Diagnostic::error("cli::no-manifest", message);
    CommandError::failed(diagnostic.help(
        "name a folder that `consort run` made, its `manifest.json`, \
         or a counter-example of `explore`",
    ))
}

/// Writes a manifest so that there is the whole of it or none.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(path: &Path, manifest: &Value) -> Result<(), CommandError> {
    let mut text = serde_json::to_string_pretty(manifest).expect("a JSON value is JSON");
    text.push('\n');
    let partial = path.with_file_name(super::folder::MANIFEST_PARTIAL);
    let written = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        CommandError::unwritable(path, &error)
    })
}

/// Writes what is known of a run that begins where its manifest will be written, with as much room as that
/// will need: it is written also if the disk is full by then.
pub(crate) fn keep_room(folder: &RunFolder, about: &str, columns: usize) {
    let path = folder.file(super::folder::MANIFEST_PARTIAL);
    let mut text = about.as_bytes().to_vec();
    text.resize(2 * text.len() + columns * ROOM_PER_COLUMN + ROOM, b' ');
    // Where there is no such room now, the trace will tell.
    let _ = std::fs::write(&path, text);
}

/// What differs between two lists of files: changed, gone, new; by path.
pub(crate) fn changed_files(before: &[InputHash], now: &[InputHash]) -> Vec<String> {
    let same = |a: &InputHash, b: &InputHash| a.path == b.path && a.role == b.role;
    let mut changes = Vec::new();
    for old in before {
        match now.iter().find(|new| same(old, new)) {
            None => changes.push(format!("{} `{}` is gone", old.role, old.path)),
            Some(new) if new.sha256 != old.sha256 => {
                changes.push(format!("{} `{}` has changed", old.role, old.path));
            }
            Some(_) => {}
        }
    }
    let is_new = |new: &&InputHash| !before.iter().any(|old| same(old, new));
    changes
        .extend(now.iter().filter(is_new).map(|new| format!("{} `{}` is new", new.role, new.path)));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, sha256: &str) -> InputHash {
        InputHash { path: path.to_owned(), role: "fmu".to_owned(), sha256: sha256.to_owned() }
    }

    #[test]
    fn changed_files_are_named() {
        let before = [file("a.fmu", "1"), file("b.fmu", "2"), file("c.fmu", "3")];
        let now = [file("a.fmu", "1"), file("b.fmu", "9"), file("d.fmu", "4")];
        assert_eq!(
            changed_files(&before, &now),
            ["fmu `b.fmu` has changed", "fmu `c.fmu` is gone", "fmu `d.fmu` is new"]
        );
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        assert!(Manifest::read(temp.path()).is_err());
        let path = temp.path().join("manifest.json");
        for text in ["", "{}", "[1]", "{\"format\": 7}"] {
            std::fs::write(&path, text).unwrap();
            assert!(Manifest::read(&path).is_err(), "{text}");
        }
    }
}
