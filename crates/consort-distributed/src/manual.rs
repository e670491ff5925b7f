//! A node that the user starts, on any machine: it finds the others, computes its part, saves it, and is resumed from it.

mod peers;
mod resume_hints;

use crate::deployment::{components_of, placement, placement_to_json, project};
use crate::error::listed;
use crate::message::{HashedVariable, NodeOutcome};
use crate::node::{self, NodeRun, NodeTask};
use consort_core::{Diagnostic, HashMode, Report, Seconds};
use consort_engine::RunError;
use consort_node::{Credentials, TlsFiles};
use consort_run::files::folder::RunFolder;
use consort_run::files::snapshot_dir::SnapshotDir;
use consort_run::saving::{self, NodeSaves};
use consort_run::{Context, End, Error, Prepared, RecordOutcome, RecordSettings, Resumed, RunId};
use consort_system::Placement;
use consort_trace::{TraceHash, trace_hash};
use peers::Peers;
use resume_hints::ResumeHints;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a node must know that the user starts.
#[derive(Clone, Default, Debug)]
pub struct ManualNode {
    /// The system, the same for every node.
    pub system: PathBuf,
    /// Which node it is.
    pub name: String,
    /// The endpoint at which other nodes find it.
    pub listen: Option<String>,
    /// Where it finds others: names and endpoints.
    pub connect: Vec<(String, String)>,
    /// Which run this is.
    pub run: Option<RunId>,
    /// The file of the secret that all nodes share.
    pub secret: Option<PathBuf>,
    /// What it shows to others, if there is no secret.
    pub tls: Option<TlsFiles>,
    /// Plain connections to other machines are allowed.
    pub plain: bool,
    /// How long a connection may stay closed before its node counts as lost.
    pub patience: Option<Duration>,
    /// How long to wait for all nodes to come.
    pub gather: Option<Duration>,
    /// Pairs of component and node, over what the system's `[nodes]` say.
    pub place: Vec<(String, String)>,
    /// How many messages of a flow may wait.
    pub capacity: u32,
    /// The folder for its snapshots.
    pub save: Option<PathBuf>,
    /// Saves after each of these.
    pub save_every: Option<Seconds>,
    /// Saves at these times.
    pub save_at: Vec<Seconds>,
}

impl ManualNode {
    /// By what nodes know each other: the secret, or certificates.
    pub fn credentials(&self) -> Option<Credentials> {
        let secret = self.secret.clone().map(Credentials::Secret);
        secret.or_else(|| self.tls.clone().map(Credentials::from))
    }
}

/// A manual node that can join.
pub struct ManualSession<'a> {
    task: NodeTask<'a>,
    placement: Placement,
    hints: ResumeHints,
    peers: Peers<'a>,
}

/// What became of a manual node.
pub struct ManualOutcome {
    /// The run and its record, if it began.
    pub recorded: Option<RecordOutcome>,
    /// Whether the node came to its end.
    pub is_finished: bool,
    /// Why it did not, if its run does not say so.
    pub failures: Report,
    /// The hash of the whole run, if all nodes came to their end.
    pub trace_hash: Option<TraceHash>,
}

impl<'a> ManualSession<'a> {
    /// Checks that the node fits the system and what it is resumed from.
    ///
    /// # Errors
    /// If it does not, or others cannot be reached.
    pub fn new(
        node: &'a ManualNode,
        prepared: &'a Prepared,
        options: Value,
        resumed: Option<Resumed>,
        context: &Context,
    ) -> Result<Self, Error> {
        resumed.as_ref().map_or(Ok(()), |resumed| resumed.check(prepared))?;
        let placement = placement(prepared, &node.place)?;
        let placement = placement.ok_or_else(|| Error::invalid(no_nodes()))?;
        let named = placement_to_json(&placement, prepared);
        resumed.as_ref().map_or(Ok(()), |resumed| resumed.check_placement(&named))?;
        let projection = Arc::new(project(prepared, &placement)?);
        let run = node.run.unwrap_or_default();
        let run = resumed.as_ref().map_or(Ok(run), |resumed| resumed.run_id(node.run))?;
        let peers = Peers::new(node, prepared, placement.clone());
        let join = peers.join_options(run, context)?;
        let dir = node.save.as_deref().map(|folder| SnapshotDir::new(folder, &node.name));
        let saves = NodeSaves {
            node: &node.name,
            run,
            placement: &named,
            dir: dir.as_ref(),
            every: node.save_every,
            at: &node.save_at,
        };
        let points = resumed.as_ref().map_or(&[][..], Resumed::save_points);
        let saving = saving::plan_node(&options, prepared, points, &saves)?;
        if let Some(folder) = &node.save {
            std::fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder, &error))?;
        }
        let hints = ResumeHints::new(&node.name, prepared, dir, resumed.as_ref());
        let task = NodeTask {
            options,
            prepared,
            projection,
            join,
            capacity: node.capacity,
            journal: None,
            saving,
            resumed,
            listener: None,
        };
        Ok(ManualSession { task, placement, hints, peers })
    }

    /// The system of which this node computes a part.
    pub fn prepared(&self) -> &Prepared {
        self.task.prepared
    }

    /// What the node computes, and with how many flows, for the user.
    pub fn description(&self) -> String {
        let NodeTask { join, prepared, projection, .. } = &self.task;
        let name = &join.name;
        let Some(node) = self.placement.node(name) else { return String::new() };
        let here = components_of(node, &self.placement, prepared);
        let crossings = &projection.crossings;
        let sends = crossings.iter().filter(|crossing| crossing.from == node).count();
        let receives = crossings.iter().filter(|crossing| crossing.to == node).count();
        format!(
            "node `{name}` of {}: computes {}; sends {sends} and receives {receives} flows",
            listed(&self.placement.nodes),
            listed(&here),
        )
    }

    /// The snapshot that the node is resumed from.
    pub fn resumed(&self) -> Option<&Resumed> {
        self.task.resumed.as_ref()
    }

    /// Joins the others, computes, and leaves a record in `folder`.
    pub fn run(
        self,
        settings: &RecordSettings,
        folder: &RunFolder,
        context: &Context,
    ) -> ManualOutcome {
        let prepared = self.task.prepared;
        let mode = prepared.resolved().experiment.hash;
        let run = node::run(self.task, settings, Some(folder), context);
        let NodeRun { outcome, mut recorded, final_messages } = run;
        if let Some(recorded) = &mut recorded {
            explain_loss(recorded, prepared, &self.hints);
        }
        let is_finished = outcome.is_finished();
        // What the run itself reports is reported with its record.
        let is_reported = recorded.as_ref().is_some_and(|it| it.outcome.end != End::Finished);
        let failures = match is_finished || is_reported {
            true => Report::default(),
            false => failures(&outcome, recorded.as_ref(), &self.hints, &self.peers),
        };
        let trace_hash = composed(mode, &outcome.hashes, &final_messages).filter(|_| is_finished);
        ManualOutcome { recorded, is_finished, failures, trace_hash }
    }
}

/// A run that lost another node is reported with how to resume it.
fn explain_loss(recorded: &mut RecordOutcome, prepared: &Prepared, hints: &ResumeHints) {
    let outcome = &mut recorded.outcome;
    if let End::Failed { error: error @ RunError::Courier { .. } } = &outcome.end {
        let reason = error.diagnostic(prepared.resolved().experiment.resolution);
        let failure = Box::new(hints.after(reason, &outcome.saving));
        outcome.end = End::Lost { failure };
        // The step that failed was begun, but not made.
        let tags = &mut outcome.summary.statistics.tags;
        *tags = tags.saturating_sub(1);
    }
}

fn failures(
    outcome: &NodeOutcome,
    recorded: Option<&RecordOutcome>,
    hints: &ResumeHints,
    peers: &Peers<'_>,
) -> Report {
    let mut report = Report::default();
    for reason in outcome.failures() {
        let reason = reason.clone();
        report.push(match recorded {
            Some(recorded) => hints.after(reason, &recorded.outcome.saving),
            None => peers.explain(hints.before(reason)),
        });
    }
    report
}

/// The hash of the whole run, from what every node said at last.
fn composed(
    mode: HashMode,
    own: &[HashedVariable],
    final_messages: &BTreeMap<String, Vec<u8>>,
) -> Option<TraceHash> {
    let mut all = own.to_vec();
    for bytes in final_messages.values() {
        all.extend(serde_json::from_slice::<Vec<HashedVariable>>(bytes).ok()?);
    }
    Some(trace_hash(mode, all))
}

fn no_nodes() -> Diagnostic {
    let diagnostic = Diagnostic::error("cli::no-nodes", "the system is not placed on nodes");
    diagnostic
        .help("add `[nodes]` to the system, or `--place component=node`, the same for every node")
}
