//! The folder of the record of a distributed run, which is made when every node has begun.

use crate::assignment::NodeAssignment;
use crate::certificates;
use crate::node_process::NodeProcess;
use crate::scratch::Scratch;
use consort_node::TlsFiles;
use consort_run::files::folder::{self, Begun, RunFolder};
use consort_run::files::killed;
use consort_run::run_id::id_text;
use consort_run::{Error, Prepared};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// The part of `nodes.json` that names the nodes.
#[derive(Deserialize)]
struct RunNodes {
    nodes: Vec<NodeEntry>,
}

/// A node of a running run, and where it can be asked for its status.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodeEntry {
    /// The name of the node.
    pub name: String,
    /// The endpoint at which it listens.
    pub endpoint: String,
    /// The id of its process.
    pub pid: Option<u32>,
    /// The certificate that it shows to others.
    pub tls: Option<TlsFiles>,
}

/// The folder of the record.
pub(crate) struct RecordFolder<'a> {
    pub(crate) folder: Option<&'a RunFolder>,
    run: String,
    nodes: Vec<NodeEntry>,
    /// What a record can be made of if this process is killed.
    about: Value,
    pub(crate) begun: Option<Begun>,
    pub(crate) failure: Option<Error>,
}

impl<'a> RecordFolder<'a> {
    pub(crate) fn new(folder: Option<&'a RunFolder>, assignment: &NodeAssignment) -> Self {
        let node = |(name, endpoint): (&String, &consort_node::Endpoint)| NodeEntry {
            name: name.clone(),
            endpoint: endpoint.to_string(),
            pid: None,
            tls: certificates::files(assignment, name),
        };
        let nodes = assignment.endpoints.iter().map(node).collect();
        let run = id_text(assignment.run);
        RecordFolder { folder, run, nodes, about: Value::Null, begun: None, failure: None }
    }

    /// Notes what a record can be made of if this process is killed.
    pub(crate) fn describe(&mut self, about: &Value, prepared: &Prepared, scratch: &Scratch) {
        let components = prepared.resolved().components.iter().map(|component| &component.name);
        self.about = json!({
            killed::COMPONENTS: components.collect::<Vec<_>>(),
            killed::SCRATCH: scratch.path(),
            killed::ABOUT: about,
        });
    }

    /// Notes the processes of nodes.
    pub(crate) fn note_processes(&mut self, started: &[NodeProcess]) {
        for node in &mut self.nodes {
            let process = started.iter().find(|process| process.name == node.name);
            node.pid = process.and_then(|process| process.process_id);
        }
    }

    /// Makes the folder, once. False if that cannot be done.
    pub(crate) fn open(&mut self) -> bool {
        let Some(folder) = self.folder.filter(|_| self.begun.is_none()) else { return true };
        if self.failure.is_some() {
            return false;
        }
        let path = folder.file(folder::NODES);
        let mut text = self.about.clone();
        text["run"] = json!(self.run);
        text["nodes"] = json!(self.nodes);
        let opened = folder.prepare().and_then(|begun| {
            let written = std::fs::write(&path, format!("{text:#}\n"));
            written.map_err(|error| Error::unwritable(&path, &error))?;
            Ok(begun)
        });
        match opened {
            Ok(begun) => self.begun = Some(begun),
            Err(error) => self.failure = Some(error),
        }
        self.failure.is_none()
    }
}

/// The nodes of the run that is being carried out in a folder; nothing if no run is there.
pub fn running_nodes(folder: &Path) -> Option<Vec<NodeEntry>> {
    let text = std::fs::read_to_string(folder.join(folder::NODES)).ok()?;
    let nodes = serde_json::from_str::<RunNodes>(&text).ok()?.nodes;
    (!nodes.is_empty()).then_some(nodes)
}
