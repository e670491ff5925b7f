//! The nodes of a run as their starter sees them: how far they are, how each ended.

use crate::disturbance::Disturber;
use crate::message::{NodeMessage, NodeOutcome};
use crate::node_process::NodeProcess;
use crate::record_folder::RecordFolder;
use consort_core::{Diagnostic, Resolution};
use consort_process::{ChildEvent, ChildProcess, Input, Supervisor, ThreadSender};
use consort_run::error::plain_words;
use consort_run::files::parts::PartsFolder;
use consort_run::monitor::ProgressReporter;
use consort_run::{CancelToken, Error, Saving};
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How often the starter checks its processes when no node reports anything.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long nodes may take to end by themselves after one has died, beyond their patience.
const GRACE: Duration = Duration::from_secs(5);

/// The nodes of a run: processes, or threads of this process.
pub(crate) struct NodeProcesses {
    pub(crate) nodes: Vec<NodeProcess>,
    supervisor: Supervisor<NodeMessage>,
    /// How long they may take to end after they were asked to.
    grace: Duration,
    /// The first that ended before its time.
    pub(crate) first_lost: Option<usize>,
}

/// Events while nodes compute.
pub(crate) struct Watching<'a, 'b> {
    /// Reports how far the run is.
    pub(crate) progress: &'a mut ProgressReporter,
    /// Ends the run early.
    pub(crate) cancel: &'a CancelToken,
    /// Where parts of snapshots come together.
    pub(crate) saving: &'a mut Saving,
    /// The folder in which nodes leave their parts.
    pub(crate) parts: &'a PartsFolder,
    /// Suspends nodes, to test that results do not depend on it.
    pub(crate) disturber: Option<Disturber>,
    /// The length of a tick.
    pub(crate) resolution: Resolution,
    /// Makes the folder of the record once every node has begun.
    pub(crate) folder: &'a mut RecordFolder<'b>,
}

impl NodeProcesses {
    /// Starts a process for every node.
    ///
    /// # Errors
    /// If one cannot be started: none is left then.
    pub(crate) fn start(
        names: &[String],
        patience: Duration,
        command: &dyn Fn(&str) -> Command,
    ) -> Result<Self, Error> {
        let mut processes = Self::new(patience + GRACE);
        for name in names {
            let child = processes.supervisor.start(command(name), Input::None);
            let child = child.map_err(|error| not_started(name, &error))?;
            let process_id = processes.supervisor.process(child).map(|process| process.id());
            let node = NodeProcess { process_id, ..NodeProcess::new(name, child) };
            processes.nodes.push(node);
        }
        Ok(processes)
    }

    /// Runs nodes as threads side by side and watches them. `compute` is called for each, on a thread of its own, with
    /// its index and where it reports how far it is.
    pub(crate) fn run_threads(
        names: &[String],
        watching: &mut Watching<'_, '_>,
        compute: &(dyn Fn(usize, &Arc<ThreadSender<NodeMessage>>) -> NodeOutcome + Sync),
    ) -> Self {
        let mut processes = Self::new(Duration::MAX / 4);
        std::thread::scope(|scope| {
            for (index, name) in names.iter().enumerate() {
                let sender = Arc::new(processes.supervisor.add_thread());
                processes.nodes.push(NodeProcess::new(name, sender.id()));
                scope.spawn(move || {
                    let outcome = compute(index, &sender);
                    sender.send(NodeMessage::End(Box::new(outcome)));
                });
            }
            processes.watch(watching);
        });
        processes
    }

    fn new(grace: Duration) -> Self {
        NodeProcesses { nodes: Vec::new(), supervisor: Supervisor::new(), grace, first_lost: None }
    }

    /// Waits until every node has ended. If one dies or fails, or the run is cancelled, the others are asked to end.
    pub(crate) fn watch(&mut self, watching: &mut Watching<'_, '_>) {
        while !self.nodes.iter().all(|node| node.is_over) {
            self.receive(POLL_INTERVAL);
            self.look_after();
            if let Some(disturber) = &mut watching.disturber {
                disturber.act(&self.nodes, &mut self.supervisor);
            }
            self.report(watching);
            self.collect_parts(watching);
            // Saving may have taken long: messages of nodes that ended meanwhile are here.
            self.receive(Duration::ZERO);
            self.first_lost =
                self.first_lost.or_else(|| self.nodes.iter().position(NodeProcess::is_lost));
            let is_lost = self.first_lost.is_some();
            if watching.cancel.is_cancelled() || is_lost || !self.open(watching) {
                self.supervisor.request_stop();
            }
            self.supervisor.kill_overdue(self.grace);
        }
        self.collect_parts(watching);
    }

    /// Takes all messages that are there, after it has waited for the first.
    fn receive(&mut self, timeout: Duration) {
        let mut timeout = timeout;
        while let Some((child, event)) = self.supervisor.wait(timeout) {
            timeout = Duration::ZERO;
            let node = self.nodes.iter_mut().find(|node| node.child == child);
            let (Some(node), ChildEvent::Message(message)) = (node, event) else { continue };
            match message {
                NodeMessage::At(time) => node.at = Some(time),
                NodeMessage::End(outcome) => {
                    node.at = outcome.tag.map(|tag| tag.time).or(node.at);
                    node.outcome = Some(*outcome);
                }
            }
        }
    }

    fn look_after(&mut self) {
        for node in &mut self.nodes {
            let process = self.supervisor.process(node.child);
            node.status = process.and_then(ChildProcess::exit_status).or(node.status);
            node.is_over = self.supervisor.is_over(node.child);
        }
    }

    /// The run is where the node is that is the farthest behind.
    fn report(&self, watching: &mut Watching<'_, '_>) {
        let behind = self.nodes.iter().map(|node| node.at).min().flatten();
        if let Some(time) = behind {
            watching.progress.at(watching.resolution.to_f64(time));
        }
    }

    /// False if there is no folder to write to.
    fn open(&self, watching: &mut Watching<'_, '_>) -> bool {
        let has_begun = self.nodes.iter().all(|node| node.at.is_some());
        !has_begun || watching.folder.open()
    }

    fn collect_parts(&self, watching: &mut Watching<'_, '_>) {
        let nodes: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        watching.saving.collect(watching.parts, &nodes);
    }
}

fn not_started(name: &str, error: &io::Error) -> Error {
    let message = format!("node `{name}` could not be started: {}", plain_words(error));
    let diagnostic = Diagnostic::error("node::not-started", message);
    Error::failed(diagnostic.help("end other programs, or place the components on fewer nodes"))
}
