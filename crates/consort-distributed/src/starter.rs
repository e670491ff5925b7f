//! A run that starts its own nodes: from the placement to the record.

use crate::assigned;
use crate::assignment::{NodeAssignment, RESUMED_FROM};
use crate::deployment::{self, Deployment};
use crate::disturbance::{Disturbed, Disturber};
use crate::message::{NodeMessage, NodeOutcome};
use crate::processes::{NodeProcesses, Watching};
use crate::record::{self, EndedRun};
use crate::record_folder::RecordFolder;
use crate::scratch::{Scratch, random_id};
use crate::{certificates, verdict};
use consort_core::{Diagnostic, NodeId, Report};
use consort_node::{Endpoint, Faults, Hub, JoinOptions, LinkKind, PATIENCE_DEFAULT};
use consort_process::ThreadSender;
use consort_process::program;
use consort_run::error::plain_words;
use consort_run::files::folder::RunFolder;
use consort_run::files::parts::{self, PartsFolder};
use consort_run::monitor::ProgressReporter;
use consort_run::record::manifest::{ManifestContent, RunHeader};
use consort_run::record::now;
use consort_run::settings::available_workers;
use consort_run::{Context, Error, Prepared, RecordOutcome, RecordSettings, Resumed, RunTask};
use consort_system::Projection;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How node processes are started.
#[derive(Clone, Debug)]
pub struct NodeLauncher {
    /// The program `consort`, if it was found.
    pub program: Option<PathBuf>,
    /// Options for making models.
    pub models: Value,
    /// Where the private folder of the run is made.
    pub cache: PathBuf,
}

/// Carries out a run on nodes that are started for it, with a record in `folder` if there is one. Returns also how nodes
/// were disturbed.
///
/// # Errors
/// If the placement is refused, no node can be started, or the folder cannot be written.
pub fn run(
    task: RunTask<'_>,
    deployment: &Deployment,
    launcher: &NodeLauncher,
    folder: Option<&RunFolder>,
    context: &Context,
) -> Result<(RecordOutcome, Disturbed), Error> {
    let (began, prepared) = (now(), task.prepared);
    let projection = deployment::project(prepared, &deployment.placement)?;
    check_threads(prepared, deployment)?;
    let mut scratch = Scratch::new(&launcher.cache, random_id()?)?;
    let cut = Cut { deployment, projection: &projection, launcher };
    let assignment = assign(&task, &cut, folder.is_some(), &scratch)?;
    let placement = deployment::placement_to_json(&deployment.placement, prepared);
    let experiment = &prepared.resolved().experiment;
    let seconds = |time| experiment.resolution.to_f64(time);
    let (from, to) = (seconds(experiment.start), seconds(experiment.stop));
    let mut progress = ProgressReporter::new(context, &task.name, from, to);
    let mut saving = task.saving.of_nodes(&placement);
    let mut record_folder = RecordFolder::new(folder, &assignment);
    let resumed_from = task.resumed.map(|resumed| resumed.to_json(prepared));
    let origin = RunHeader {
        prepared,
        options: &assignment.options,
        began,
        resumed_from: resumed_from.as_ref(),
        nodes: Some(deployment.to_json(prepared)),
    };
    record_folder.describe(&ManifestContent::begun(origin, &saving), prepared, &scratch);
    let mut watching = Watching {
        progress: &mut progress,
        cancel: &context.cancel,
        saving: &mut saving,
        parts: &assignment.parts,
        disturber: deployment.disturbance.as_ref().map(Disturber::new),
        resolution: experiment.resolution,
        folder: &mut record_folder,
    };
    let nodes = &deployment.placement.nodes;
    let processes = match deployment.link.has_processes() {
        true => {
            prepared.to_data().write(&assignment.system)?;
            run_processes(nodes, &assignment, launcher, &scratch, &mut watching)?
        }
        false => run_threads(nodes, &assignment, prepared, context, &mut watching),
    };
    let disturbed = Disturbed::of(&processes.nodes, watching.disturber);
    let rank = |name: &str| record::rank(prepared, name);
    let is_cancelled = context.cancel.is_cancelled();
    let verdict = verdict::judge(&processes, experiment.resolution, &saving, is_cancelled, &rank);
    progress.end(verdict.tag.map_or(from, |tag| seconds(tag.time)));
    let marks = record::marks(&processes, &assignment, verdict.cut);
    let outcome = verdict::outcome(&processes.nodes, &verdict, &marks, saving, experiment);
    let ended = EndedRun {
        processes: &processes,
        verdict,
        outcome,
        assignment: &assignment,
        deployment,
        prepared,
        began,
        resumed_from,
    };
    let (recorded, is_joined) = ended.join(record_folder, context)?;
    if !is_joined {
        scratch.keep();
    }
    Ok((recorded, disturbed))
}

/// Threads of one process share its libraries: two nodes must not compute with one at once.
fn check_threads(prepared: &Prepared, deployment: &Deployment) -> Result<(), Error> {
    if deployment.link.has_processes() {
        return Ok(());
    }
    let mut report = Report::default();
    let mut seen: BTreeMap<&str, (NodeId, &str)> = BTreeMap::new();
    for (component, node) in deployment.placed(prepared) {
        let (model, name) = (component.model.description(), &component.resolved.name);
        let Some(key) = model.capabilities.lane.as_deref() else { continue };
        let (known, other) = *seen.entry(key).or_insert((node, name));
        if known != node {
            let message = format!(
                "`{other}` and `{name}` share a library and cannot be computed by two threads"
            );
            let diagnostic = Diagnostic::error("node::shared-library", message);
            let help = "choose `--link unix`, place both on one node, or add `--isolate`";
            report.push(diagnostic.help(help));
        }
    }
    Error::check(report)
}

/// How a run is cut into nodes, and how they are started.
struct Cut<'a> {
    deployment: &'a Deployment,
    projection: &'a Projection,
    launcher: &'a NodeLauncher,
}

fn assign(
    task: &RunTask<'_>,
    cut: &Cut<'_>,
    is_recorded: bool,
    scratch: &Scratch,
) -> Result<NodeAssignment, Error> {
    let Cut { deployment, projection, launcher } = *cut;
    let folder = scratch.file("parts");
    std::fs::create_dir(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
    let parts = PartsFolder::new(&folder);
    if let Some(resumed) = task.resumed {
        lay_out(resumed, &parts)?;
    }
    let (prepared, nodes) = (task.prepared, &deployment.placement.nodes);
    let workers = (available_workers() / nodes.len()).max(1);
    let workers = task.settings.workers.or(Some(workers));
    let faults = deployment.faults.clone();
    let is_simulated = deployment.link == LinkKind::Simulated;
    let wants_certificates = deployment.link == LinkKind::Tls && deployment.tls.is_none();
    let disturbed = deployment.disturbance.as_ref();
    Ok(NodeAssignment {
        system: scratch.file("system.bin"),
        models: launcher.models.clone(),
        options: task.options.clone(),
        settings: RecordSettings { workers, ..task.settings.clone() },
        projection: projection.clone(),
        run: scratch.id(),
        endpoints: endpoints(nodes, deployment.link, scratch)?,
        tls: deployment.tls.clone(),
        certificates: wants_certificates.then(|| certificates::make(nodes, scratch)).transpose()?,
        capacity: deployment.capacity,
        // A node that is suspended on purpose cannot reconnect before it is resumed.
        patience: PATIENCE_DEFAULT + disturbed.map_or(Duration::ZERO, |it| it.stop_max),
        faults: faults.or_else(|| is_simulated.then(|| bad_network(prepared))),
        records: is_recorded.then(|| scratch.file("records")),
        parts,
        saves: task.saving.times(),
        resumes: task.resumed.is_some(),
    })
}

/// The faults of `--link simulated` without further options.
fn bad_network(prepared: &Prepared) -> Faults {
    Faults {
        delay: Duration::from_micros(200),
        jitter: Duration::from_micros(500),
        loss: 0.02,
        duplication: 0.02,
        cuts: 0.001,
        ..Faults::none(prepared.resolved().experiment.seed)
    }
}

/// Gives each node its part of the snapshot.
fn lay_out(resumed: &Resumed, folder: &PartsFolder) -> Result<(), Error> {
    let broken = |_| {
        let message = "the snapshot does not hold the parts of a distributed run";
        Error::invalid(Diagnostic::error("snapshot::broken", message))
    };
    for (node, bytes) in parts::split(resumed.state()).map_err(broken)? {
        let path = folder.part(RESUMED_FROM, &node);
        std::fs::write(&path, bytes).map_err(|error| Error::unwritable(&path, &error))?;
    }
    Ok(())
}

fn endpoints(
    nodes: &[String],
    link: LinkKind,
    scratch: &Scratch,
) -> Result<BTreeMap<String, Endpoint>, Error> {
    let sockets = (0..nodes.len()).map(|index| Endpoint::Unix(scratch.socket(index)));
    let on_this_machine = |host| free_addresses(host, nodes.len());
    let endpoints: Vec<Endpoint> = match link {
        LinkKind::Thread | LinkKind::Simulated => Vec::new(),
        LinkKind::Unix => sockets.collect(),
        LinkKind::Tcp => on_this_machine("127.0.0.1")?.map(Endpoint::Tcp).collect(),
        LinkKind::Tls => on_this_machine("localhost")?.map(Endpoint::Tls).collect(),
        LinkKind::Zenoh => {
            let addresses = on_this_machine("127.0.0.1")?;
            addresses.map(|address| Endpoint::Zenoh(format!("tcp/{address}"))).collect()
        }
    };
    Ok(nodes.iter().cloned().zip(endpoints).collect())
}

/// Addresses at ports that are free just now: all are held until the last is found, so that none
/// is found twice.
fn free_addresses(host: &'static str, count: usize) -> Result<impl Iterator<Item = String>, Error> {
    let bind = |_| TcpListener::bind((host, 0)).and_then(|it| Ok((it.local_addr()?.port(), it)));
    let bound: Result<Vec<(u16, TcpListener)>, io::Error> = (0..count).map(bind).collect();
    let bound = bound.map_err(|error| {
        let message = format!("no port is free: {}", plain_words(&error));
        let diagnostic = Diagnostic::error("node::no-port", message);
        Error::failed(diagnostic.help("choose `--link unix`"))
    })?;
    let ports: Vec<u16> = bound.iter().map(|(port, _)| *port).collect();
    Ok(ports.into_iter().map(move |port| format!("{host}:{port}")))
}

fn run_processes(
    nodes: &[String],
    assignment: &NodeAssignment,
    launcher: &NodeLauncher,
    scratch: &Scratch,
    watching: &mut Watching<'_, '_>,
) -> Result<NodeProcesses, Error> {
    let consort = launcher.program.as_ref().ok_or_else(no_program)?;
    let file = scratch.file("assignment.json");
    assignment.write(&file)?;
    let command = |name: &str| {
        let mut command = Command::new(consort);
        command.args(["node", "--name", name, "--progress", "none", "--assignment"]);
        command.arg(&file);
        command
    };
    let mut processes = NodeProcesses::start(nodes, assignment.patience, &command)?;
    watching.folder.note_processes(&processes.nodes);
    processes.watch(watching);
    Ok(processes)
}

fn no_program() -> Error {
    let message = "the program `consort` was not found: node processes cannot be started";
    let diagnostic = Diagnostic::error("node::no-program", message);
    Error::failed(diagnostic.help(program::HELP))
}

fn run_threads(
    nodes: &[String],
    assignment: &NodeAssignment,
    prepared: &Prepared,
    context: &Context,
    watching: &mut Watching<'_, '_>,
) -> NodeProcesses {
    let hub = Hub::new();
    let compute = |index: usize, sender: &Arc<ThreadSender<NodeMessage>>| -> NodeOutcome {
        let sender = Arc::clone(sender);
        let report = move |time| sender.send(NodeMessage::At(time));
        let options = assigned::join_options(assignment, prepared, &nodes[index]);
        let options = JoinOptions { hub: Some(hub.clone()), ..options };
        assigned::compute(assignment, prepared, options, report, context)
    };
    NodeProcesses::run_threads(nodes, watching, &compute)
}
