//! The assignment for nodes that are processes: a file that all of them read.

use consort_core::{Diagnostic, Time};
use consort_node::{Endpoint, Faults, TlsFiles};
use consort_run::files::parts::PartsFolder;
use consort_run::run_id::{RunId, id_from_text, id_text};
use consort_run::{Error, RecordSettings};
use consort_system::Projection;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What nodes are given. All but the name is the same for all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeAssignment {
    /// The file with the system that was resolved and planned: [`PreparedData`](consort_run::PreparedData).
    pub system: PathBuf,
    /// Options for making models.
    pub models: Value,
    /// The options of the run, as manifests keep them.
    pub options: Value,
    /// How it is carried out, and what it leaves.
    pub settings: RecordSettings,
    /// How the plan is cut into nodes.
    pub projection: Projection,
    /// Which run this is.
    #[serde(serialize_with = "write_id", deserialize_with = "read_id")]
    pub run: RunId,
    /// The endpoint of each node.
    pub endpoints: BTreeMap<String, Endpoint>,
    /// What nodes show to others, if the user gave it.
    pub tls: Option<TlsFiles>,
    /// The folder with the certificates that were made for this run, if some were.
    pub certificates: Option<PathBuf>,
    /// How many messages of a flow may wait.
    pub capacity: u32,
    /// How long a connection may stay closed before its node counts as lost.
    pub patience: Duration,
    /// Faults that links simulate.
    pub faults: Option<Faults>,
    /// The folder in which each node has one for its record; none is kept without.
    pub records: Option<PathBuf>,
    /// Where parts of snapshots are left, and found by nodes that are resumed.
    pub parts: PartsFolder,
    /// When to save; `None` is at the end.
    pub saves: Vec<Option<Time>>,
    /// Nodes continue from the parts of the run before.
    pub resumes: bool,
}

/// The save whose parts a run is resumed from.
pub const RESUMED_FROM: usize = usize::MAX;

impl NodeAssignment {
    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).unwrap_or_default();
        std::fs::write(path, text).map_err(|error| Error::unwritable(path, &error))
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If there is no such file, or it is not an assignment.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Error::unreadable(path, &error))?;
        serde_json::from_str(&text).map_err(|error| {
            let message = format!("`{}` is not the assignment of a node", path.display());
            let diagnostic = Diagnostic::error("node::bad-order", message);
            let diagnostic = diagnostic.with_note(error.to_string());
            Error::failed(diagnostic.help("start nodes of your own without `--assignment`"))
        })
    }
}

fn write_id<S: Serializer>(id: &RunId, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&id_text(*id))
}

fn read_id<'d, D: Deserializer<'d>>(from: D) -> Result<RunId, D::Error> {
    let text = String::deserialize(from)?;
    id_from_text(&text).ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
}
