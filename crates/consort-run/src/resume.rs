//! Resumes a run that was saved.

mod part;

use crate::error::Error;
use crate::files::parts;
use crate::paths;
use crate::prepared::Prepared;
use crate::saving;
use consort_core::{Diagnostic, Report, Tag};
use consort_formats::read_snapshot;
use consort_formats::snapshot::SnapshotFile;
use consort_models::sha256;
use consort_view::numbers::short;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A run that was saved, to be resumed.
#[derive(Clone)]
pub struct Resumed {
    path: PathBuf,
    sha256: String,
    file: SnapshotFile,
}

impl Resumed {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no such file, or it is no snapshot.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
        let mut report = Report::default();
        match read_snapshot(&path.to_string_lossy(), &bytes, &mut report) {
            Some(file) => Ok(Resumed { path: path.to_owned(), sha256: sha256(&bytes), file }),
            None => Err(Error::Invalid { report }),
        }
    }

    /// The same, if it still is what it was.
    ///
    /// # Errors
    /// As [`Resumed::read`], and if it is another file by now.
    pub fn read_again(path: &Path, sha256: &str) -> Result<Self, Error> {
        let resumed = Self::read(path)?;
        if resumed.sha256 == sha256 {
            return Ok(resumed);
        }
        let message =
            format!("`{}` is not the snapshot that this run was resumed from", path.display());
        let diagnostic = Diagnostic::error("snapshot::another", message);
        Err(Error::failed(diagnostic.help("bring back the file, or run it from its start")))
    }

    /// The options of the run that was saved, and what was noted beside them: `placement`, `node`, `run`.
    pub fn options(&self) -> Value {
        serde_json::from_str(&self.file.options).unwrap_or_default()
    }

    /// Pairs of component and node of a distributed run; none of a run in one piece.
    pub fn placement(&self) -> Vec<(String, String)> {
        placed(&self.options()["placement"])
    }

    /// A path that was given where the run was started: found there, or else from here.
    pub fn found(&self, path: &str) -> PathBuf {
        paths::found(&self.file.folder, path)
    }

    /// The path of the system.
    pub fn system(&self) -> PathBuf {
        paths::found_system(&self.file.folder, &self.file.path)
    }

    /// Checks that the run continues as it would have.
    ///
    /// # Errors
    /// With all that is not as it was.
    pub fn check(&self, prepared: &Prepared) -> Result<(), Error> {
        let mut report = Report::default();
        self.file.origin.compare(&saving::origin(prepared), &mut report);
        let experiment = &prepared.resolved().experiment;
        if !report.has_errors() && experiment.stop < self.file.tag.time {
            let shown = |time| short(experiment.resolution.to_f64(time));
            let (saved, stop) = (shown(self.file.tag.time), shown(experiment.stop));
            let message = format!("the run was saved at {saved} s, and is to stop at {stop} s");
            let diagnostic = Diagnostic::error("snapshot::stop", message);
            report.push(diagnostic.help(format!("give a `--stop` of {saved} or later")));
        }
        Error::check(report)
    }

    /// Whether it was saved on nodes.
    pub fn is_distributed(&self) -> bool {
        parts::is_joined(&self.file.state)
    }

    /// The tag at which it was saved.
    pub fn tag(&self) -> Tag {
        self.file.tag
    }

    /// Where it was saved, and before.
    pub fn save_points(&self) -> &[Tag] {
        &self.file.save_points
    }

    /// Its state, as the engine wrote it.
    pub fn state(&self) -> &[u8] {
        &self.file.state
    }

    /// The resumed snapshot as JSON, for the manifest.
    pub fn to_json(&self, prepared: &Prepared) -> Value {
        let resolution = prepared.resolved().experiment.resolution;
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

/// The run is to be resumed with another placement than it was saved with.
pub fn another_placement(pairs: &[(String, String)]) -> Error {
    let message = "the run was saved with another placement";
    let diagnostic = Diagnostic::error("snapshot::placement", message);
    let diagnostic = diagnostic.with_note(match pairs.is_empty() {
        true => "it was computed in one piece".to_owned(),
        false => format!("it was computed with `--place {}`", joined(pairs)),
    });
    let help = "leave `--place`, `--link` and `--local` out: each node continues with its part";
    Error::invalid(diagnostic.help(help))
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

fn joined(pairs: &[(String, String)]) -> String {
    let pair = |(component, node): &(String, String)| format!("{component}={node}");
    pairs.iter().map(pair).collect::<Vec<_>>().join(",")
}
