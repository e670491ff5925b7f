//! Going on from a run that was saved.

mod part;

use crate::cli::{LinkKind, RunArgs, SpreadArgs};
use crate::options;
use crate::outcome::CommandError;
use crate::pipeline::{Prepared, sha256};
use crate::spread::parts;
use consort_core::{Diagnostic, Report, Tag};
use consort_formats::read_snapshot;
use consort_formats::snapshot::SnapshotFile;
use consort_view::numbers::short;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A run that was saved, to be gone on with.
pub(crate) struct Resumed {
    path: PathBuf,
    sha256: String,
    file: SnapshotFile,
}

impl Resumed {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no such file, or it is no snapshot.
    pub(crate) fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = std::fs::read(path).map_err(|error| CommandError::unreadable(path, &error))?;
        let mut report = Report::default();
        match read_snapshot(&path.to_string_lossy(), &bytes, &mut report) {
            Some(file) => Ok(Resumed { path: path.to_owned(), sha256: sha256(&bytes), file }),
            None => Err(CommandError::Invalid { report }),
        }
    }

    /// The same, if it still is what it was.
    ///
    /// # Errors
    /// As [`Resumed::read`], and if it is another file by now.
    pub(crate) fn read_again(path: &Path, sha256: &str) -> Result<Self, CommandError> {
        let resumed = Self::read(path)?;
        if resumed.sha256 == sha256 {
            return Ok(resumed);
        }
        let message = format!("`{}` is not the snapshot the run went on from", path.display());
        let diagnostic = Diagnostic::error("snapshot::another", message);
        Err(CommandError::failed(diagnostic.help("bring back the file, or run it from its start")))
    }

    /// What was typed, completed by the options of the run that was saved.
    ///
    /// # Errors
    /// If what was typed contradicts them.
    pub(crate) fn complete(&self, typed: &RunArgs) -> Result<RunArgs, CommandError> {
        let saved = self.saved();
        let contradictions = options::contradictions(&saved, &options::to_json(typed));
        if !contradictions.is_empty() {
            let message = "the run was saved with other options";
            let diagnostic = Diagnostic::error("snapshot::options", message);
            let diagnostic = contradictions.into_iter().fold(diagnostic, Diagnostic::with_note);
            let help = "leave them out: all but `--stop` and `--isolate` is as it was";
            return Err(CommandError::invalid(diagnostic.help(help)));
        }
        let folder = &self.file.folder;
        let mut experiment =
            options::experiment_from_json(&saved, |path| options::found(folder, path));
        let given = &typed.experiment;
        experiment.stop = given.stop.clone().or(experiment.stop);
        // Where a model lives decides nothing but what it can harm.
        experiment.isolate |= given.isolate;
        experiment.python_library = given.python_library.clone().or(experiment.python_library);
        let spread = self.spread(&typed.spread, &saved)?;
        let system = typed.system.clone();
        let system = system.unwrap_or_else(|| options::found_system(folder, &self.file.path));
        Ok(RunArgs { system: Some(system), experiment, spread, ..typed.clone() })
    }

    /// The options of the run that was saved, and what was noted beside them.
    fn saved(&self) -> Value {
        serde_json::from_str(&self.file.options).unwrap_or_default()
    }

    /// The nodes that the run was spread over are the same: each goes on with its own part.
    fn spread(&self, typed: &SpreadArgs, saved: &Value) -> Result<SpreadArgs, CommandError> {
        let pairs = placed(&saved["placement"]);
        let is_other = match pairs.is_empty() {
            true => !typed.place.is_empty() || typed.link.is_some(),
            false => {
                typed.local || (!typed.place.is_empty() && sorted(&typed.place) != sorted(&pairs))
            }
        };
        if is_other {
            return Err(another_placement(&pairs));
        }
        let link = saved["link"].as_str().and_then(LinkKind::from_name);
        let capacity = saved["capacity"].as_u64().and_then(|count| u32::try_from(count).ok());
        Ok(SpreadArgs {
            local: pairs.is_empty(),
            place: pairs,
            link: typed.link.or(link),
            capacity: typed.capacity.or(capacity),
            tls: typed.tls.clone(),
        })
    }

    /// Checks that the run goes on as it would have.
    ///
    /// # Errors
    /// With all that is not as it was.
    pub(crate) fn check(&self, prepared: &Prepared) -> Result<(), CommandError> {
        let mut report = Report::default();
        self.file.origin.compare(&super::saving::origin(prepared), &mut report);
        let experiment = &prepared.resolved.experiment;
        if !report.has_errors() && experiment.stop < self.file.tag.time {
            let shown = |time| short(experiment.resolution.to_f64(time));
            let (saved, stop) = (shown(self.file.tag.time), shown(experiment.stop));
            let message = format!("the run was saved at {saved} s, and is to stop at {stop} s");
            let diagnostic = Diagnostic::error("snapshot::stop", message);
            report.push(diagnostic.help(format!("give a `--stop` of {saved} or later")));
        }
        CommandError::check(report)
    }

    /// Whether it was spread over nodes.
    pub(crate) fn is_spread(&self) -> bool {
        parts::is_joined(&self.file.state)
    }

    /// The nodes that it was spread over.
    ///
    /// # Errors
    /// As [`Resumed::complete`].
    pub(crate) fn saved_spread(&self) -> Result<SpreadArgs, CommandError> {
        self.spread(&SpreadArgs::default(), &self.saved())
    }

    /// Where it was saved.
    pub(crate) fn tag(&self) -> Tag {
        self.file.tag
    }

    /// Where it was saved, and before.
    pub(crate) fn save_points(&self) -> &[Tag] {
        &self.file.save_points
    }

    /// Its state, as the engine wrote it.
    pub(crate) fn state(&self) -> &[u8] {
        &self.file.state
    }

    /// For the manifest.
    pub(crate) fn to_json(&self, prepared: &Prepared) -> Value {
        let resolution = prepared.resolved.experiment.resolution;
        let Tag { time, microstep } = self.file.tag;
        json!({
            "path": self.path,
            "sha256": self.sha256,
            "time": resolution.to_f64(time),
            "tick": time.ticks(),
            "microstep": microstep,
        })
    }
}

fn another_placement(pairs: &[(String, String)]) -> CommandError {
    let message = "the run was saved with another placement";
    let diagnostic = Diagnostic::error("snapshot::placement", message);
    let diagnostic = diagnostic.with_note(match pairs.is_empty() {
        true => "it was computed in one piece".to_owned(),
        false => format!("it was computed with `--place {}`", joined(pairs)),
    });
    let help = "leave `--place`, `--link` and `--local` out: each node goes on with its part";
    CommandError::invalid(diagnostic.help(help))
}

/// Pairs of component and node, from the nodes and who is on each.
fn placed(placement: &Value) -> Vec<(String, String)> {
    let nodes = placement.as_object().into_iter().flatten();
    let pairs = nodes.flat_map(|(node, components)| {
        let components = components.as_array().into_iter().flatten().filter_map(Value::as_str);
        components.map(|component| (component.to_owned(), node.clone()))
    });
    pairs.collect()
}

fn sorted(pairs: &[(String, String)]) -> Vec<(String, String)> {
    let mut pairs = pairs.to_vec();
    pairs.sort();
    pairs
}

fn joined(pairs: &[(String, String)]) -> String {
    let pair = |(component, node): &(String, String)| format!("{component}={node}");
    pairs.iter().map(pair).collect::<Vec<_>>().join(",")
}
