//! Going on from a run that was saved.

use crate::cli::RunArgs;
use crate::options;
use crate::outcome::CommandError;
use crate::output::numbers::short;
use crate::pipeline::{Prepared, sha256};
use consort_core::{Diagnostic, Report, Tag};
use consort_formats::read_snapshot;
use consort_formats::snapshot::SnapshotFile;
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
        let saved: Value = serde_json::from_str(&self.file.options).unwrap_or_default();
        let contradictions = options::contradictions(&saved, &options::to_json(typed));
        if !contradictions.is_empty() {
            let message = "the run was saved with other options";
            let diagnostic = Diagnostic::error("snapshot::options", message);
            let diagnostic = contradictions.into_iter().fold(diagnostic, Diagnostic::with_note);
            let help = "leave them out: all but `--stop` is as it was";
            return Err(CommandError::invalid(diagnostic.help(help)));
        }
        let folder = &self.file.folder;
        let mut experiment =
            options::experiment_from_json(&saved, |path| options::found(folder, path));
        let given = &typed.experiment;
        experiment.stop = given.stop.clone().or(experiment.stop);
        experiment.python_library = given.python_library.clone().or(experiment.python_library);
        let system = typed.system.clone();
        let system = system.unwrap_or_else(|| options::found_system(folder, &self.file.path));
        Ok(RunArgs { system: Some(system), experiment, ..typed.clone() })
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
        match report.has_errors() {
            true => Err(CommandError::Invalid { report }),
            false => Ok(()),
        }
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
