//! A run that starts its own nodes: from the placement to the record.

mod record;

use super::crew::order::{Order, RESUMED_FROM};
use super::crew::{self, Crew, Heard, Watching};
use super::disturb::{Disturber, Suffered};
use super::joining::{Joining, tls_files};
use super::member::{self, Job};
use super::parts::{self, PartsFolder};
use super::scratch::{Scratch, random_id};
use super::verdict;
use super::words::{Ending, Word};
use super::{Desk, Spread, certificates};
use crate::cli::{LinkKind, RunArgs};
use crate::commands::run::resuming::Resumed;
use crate::commands::run::{self, Recorded, Way, saving};
use crate::interrupt::Interrupt;
use crate::options;
use crate::outcome::CommandError;
use crate::output::folder::RunFolder;
use crate::output::manifest::Account;
use crate::output::printer::Printer;
use crate::output::progress::Progress;
use crate::pipeline::{self, Prepared};
use consort_core::{Diagnostic, NodeId, Report};
use consort_node::{Endpoint, Faults, GATHER_DEFAULT, Hub, PATIENCE_DEFAULT};
use consort_system::Projection;
pub(super) use record::Opening;
use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Runs a system on nodes of its own, with a record in `folder` if there is one.
pub(super) fn run(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    spread: &Spread,
    folder: Option<&RunFolder>,
    desk: Desk<'_>,
) -> Result<(Recorded, Suffered), CommandError> {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let projection = Arc::new(super::project(prepared, &spread.placement)?);
    check_threads(prepared, spread)?;
    let id = random_id()?;
    let mut scratch = Scratch::new(&pipeline::cache_dir(desk.global), id)?;
    let order = order(args, prepared, &way, (spread, folder.is_some()), (&scratch, id))?;
    let placement = super::placement_to_json(&spread.placement, prepared);
    let mut saving = way.saving.of_nodes(&placement);
    let interrupt = Interrupt::listen();
    let experiment = &prepared.resolved.experiment;
    let seconds = |time| experiment.resolution.to_f64(time);
    let (from, to) = (seconds(experiment.start), seconds(experiment.stop));
    let mut progress = Progress::new(desk.printer.progress(), desk.name, from, to);
    let mut opening = Opening::new(folder, &order);
    let resumed = way.resumed.map(|resumed| resumed.to_json(prepared));
    let (options, origin) = (options::to_json(args), (began, resumed.as_ref()));
    let nodes = Some(spread.to_json(prepared));
    opening.tell(Account::begun(prepared, &options, &saving, origin, nodes), prepared, &scratch);
    let mut watching = Watching {
        progress: &mut progress,
        interrupt: &interrupt,
        saving: &mut saving,
        parts: &order.parts,
        disturber: spread.disturb.as_ref().map(Disturber::new),
        resolution: experiment.resolution,
        opening: &mut opening,
    };
    let nodes = &spread.placement.nodes;
    let crew = match spread.link.has_processes() {
        true => run_processes(nodes, &order, &scratch, desk, &mut watching)?,
        false => run_threads(nodes, (&order, prepared, projection), desk.printer, &mut watching)?,
    };
    let suffered = Suffered::of(&crew.members, watching.disturber);
    let rank = |name: &str| record::rank(prepared, name);
    let (resolution, is_asked) = (experiment.resolution, interrupt.is_asked());
    let verdict = verdict::judge(&crew, resolution, &saving, is_asked, &rank);
    progress.end(verdict.tag.map_or(from, |tag| seconds(tag.time)));
    let standings = record::standings(&crew, &order, verdict.cut);
    let start = experiment.start;
    let outcome = verdict::outcome(&crew.members, &verdict, &standings, saving, start);
    let ran = record::Ran { crew: &crew, verdict, outcome, order: &order, spread, began };
    let (recorded, is_joined) = ran.keep(args, prepared, opening, resumed, desk.printer)?;
    if !is_joined {
        scratch.keep();
    }
    Ok((recorded, suffered))
}

/// Threads of one process share its libraries: two nodes must not compute with one at once.
fn check_threads(prepared: &Prepared, spread: &Spread) -> Result<(), CommandError> {
    if spread.link.has_processes() {
        return Ok(());
    }
    let mut report = Report::default();
    let mut seen: BTreeMap<&str, (NodeId, &str)> = BTreeMap::new();
    let placed = prepared.models.iter().zip(&spread.placement.of_component);
    for ((model, node), component) in placed.zip(&prepared.resolved.components) {
        let Some(key) = model.description().capabilities.lane.as_deref() else { continue };
        let (known, other) = seen.entry(key).or_insert((*node, &component.name));
        if known != node {
            let message = format!(
                "`{other}` and `{}` share a library and cannot be computed by two threads",
                component.name
            );
            let diagnostic = Diagnostic::error("node::shared-library", message);
            let help = "choose `--link unix`, place both on one node, or add `--isolate`";
            report.push(diagnostic.help(help));
        }
    }
    CommandError::check(report)
}

fn order(
    args: &RunArgs,
    prepared: &Prepared,
    way: &Way<'_>,
    (spread, is_recorded): (&Spread, bool),
    (scratch, id): (&Scratch, [u8; 16]),
) -> Result<Order, CommandError> {
    let folder = scratch.file("parts");
    std::fs::create_dir(&folder).map_err(|error| CommandError::unwritable(&folder, &error))?;
    let parts = PartsFolder::new(&folder);
    if let Some(resumed) = way.resumed {
        lay_out(resumed, &parts)?;
    }
    let nodes = &spread.placement.nodes;
    let workers = (run::available_workers() / nodes.len()).max(1);
    let mut told = args.clone();
    told.workers = args.workers.or(Some(workers));
    let named = prepared.resolved.components.iter().zip(&spread.placement.of_component);
    let named = named
        .map(|(component, node)| (component.name.clone(), spread.placement.name(*node).to_owned()));
    let faults = spread.faults.clone();
    let is_simulated = spread.link == LinkKind::Simulated;
    let wants_certificates = spread.link == LinkKind::Tls && tls_files(&args.spread.tls).is_none();
    Ok(Order {
        args: told,
        placement: named.collect(),
        run: id,
        endpoints: endpoints(nodes, spread.link, scratch)?,
        certificates: wants_certificates.then(|| certificates::make(nodes, scratch)).transpose()?,
        capacity: spread.capacity,
        // Who is stopped on purpose cannot greet again before it goes on.
        patience: PATIENCE_DEFAULT
            + spread.disturb.as_ref().map_or(Duration::ZERO, |it| it.stop_max),
        faults: faults.or_else(|| is_simulated.then(|| bad_network(prepared))),
        records: is_recorded.then(|| scratch.file("records")),
        parts,
        saves: way.saving.times(),
        resumes: way.resumed.is_some(),
    })
}

/// What `--link simulated` means if nobody says more.
fn bad_network(prepared: &Prepared) -> Faults {
    Faults {
        delay: Duration::from_micros(200),
        jitter: Duration::from_micros(500),
        loss: 0.02,
        duplication: 0.02,
        cuts: 0.001,
        ..Faults::none(prepared.resolved.experiment.seed)
    }
}

/// Gives each node its part of the snapshot.
fn lay_out(resumed: &Resumed, folder: &PartsFolder) -> Result<(), CommandError> {
    let broken = |_| {
        let message = "the snapshot does not hold the parts of a distributed run";
        CommandError::invalid(Diagnostic::error("snapshot::broken", message))
    };
    for (node, bytes) in parts::split(resumed.state()).map_err(broken)? {
        let path = folder.part(RESUMED_FROM, &node);
        std::fs::write(&path, bytes).map_err(|error| CommandError::unwritable(&path, &error))?;
    }
    Ok(())
}

fn endpoints(
    nodes: &[String],
    link: LinkKind,
    scratch: &Scratch,
) -> Result<BTreeMap<String, Endpoint>, CommandError> {
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

/// Addresses at ports that nobody listens at just now: all are held until the last is found, so that none
/// is found twice.
fn free_addresses(
    host: &'static str,
    count: usize,
) -> Result<impl Iterator<Item = String>, CommandError> {
    let bind = |_| TcpListener::bind((host, 0)).and_then(|it| Ok((it.local_addr()?.port(), it)));
    let bound: Result<Vec<(u16, TcpListener)>, io::Error> = (0..count).map(bind).collect();
    let bound = bound.map_err(|error| {
        let message = format!("no port is free: {}", crate::outcome::said(&error));
        let diagnostic = Diagnostic::error("node::no-port", message);
        CommandError::failed(diagnostic.help("choose `--link unix`"))
    })?;
    let ports: Vec<u16> = bound.iter().map(|(port, _)| *port).collect();
    Ok(ports.into_iter().map(move |port| format!("{host}:{port}")))
}

fn run_processes(
    nodes: &[String],
    order: &Order,
    scratch: &Scratch,
    desk: Desk<'_>,
    watching: &mut Watching<'_, '_>,
) -> Result<Crew, CommandError> {
    let file = scratch.file("order.json");
    let text = order.to_json().to_string();
    std::fs::write(&file, text).map_err(|error| CommandError::unwritable(&file, &error))?;
    let mut crew = crew::start_processes(nodes, order, &file, desk.global)?;
    watching.opening.know(&crew.members);
    crew.watch(watching);
    Ok(crew)
}

fn run_threads(
    nodes: &[String],
    (order, prepared, projection): (&Order, &Prepared, Arc<Projection>),
    printer: &Printer,
    watching: &mut Watching<'_, '_>,
) -> Result<Crew, CommandError> {
    let hushed = printer.hushed().map_err(|source| CommandError::Output { source })?;
    let hub = Hub::new();
    let compute = |index: usize, telling: &crew::Telling| -> Ending {
        let told = telling.clone();
        let resolution = prepared.resolved.experiment.resolution;
        let listener = move |seconds: f64| {
            if let Ok(time) = resolution.from_f64(seconds) {
                told.tell(Heard::Word(Word::At(time)));
            }
        };
        let mut joining = joining(order, &nodes[index]);
        joining.hub = Some(hub.clone());
        let job = job(order, prepared, &projection, joining);
        match job {
            Ok(job) => {
                let job = Job { listener: Some(Box::new(listener)), ..job };
                member::run(job, &hushed).ending
            }
            Err(error) => Ending::unbegun(member::errors(error), None),
        }
    };
    Ok(crew::run_threads(nodes, watching, &compute))
}

/// How the node of that name finds the others.
pub(crate) fn joining(order: &Order, name: &str) -> Joining {
    let mut peers = order.endpoints.clone();
    Joining {
        name: name.to_owned(),
        run: order.run,
        listen: peers.remove(name),
        peers,
        hub: None,
        capacity: order.capacity,
        patience: order.patience,
        gather: GATHER_DEFAULT,
        tls: certificates::files(order, name).map(Into::into),
        // They are on this machine.
        allows_plain: false,
        faults: order.faults.clone(),
        facts: Vec::new(),
        gathering: None,
        waiting: None,
    }
}

/// What the node of an order has to do.
///
/// # Errors
/// If its folder cannot be used, or its part of a snapshot does not fit.
pub(crate) fn job<'a>(
    order: &'a Order,
    prepared: &'a Prepared,
    projection: &Arc<Projection>,
    joining: Joining,
) -> Result<Job<'a>, CommandError> {
    let name = joining.name.clone();
    let resumed = order.resumes.then(|| Resumed::read(&order.parts.part(RESUMED_FROM, &name)));
    let resumed = resumed.transpose()?;
    resumed.as_ref().map_or(Ok(()), |resumed| resumed.check(prepared))?;
    let points = resumed.as_ref().map_or(&[][..], Resumed::save_points);
    let saving = saving::repeat(&order.args, prepared, points, Vec::new());
    let saving = saving.of_node(&order.saves, &order.parts, &name);
    let folder =
        order.records.as_deref().map(|records: &Path| RunFolder::plan(&records.join(&name)));
    Ok(Job {
        args: &order.args,
        prepared,
        projection: Arc::clone(projection),
        joining,
        journal: Some(order.parts.journal(&name)),
        folder: folder.transpose()?,
        saving,
        resumed,
        listener: None,
    })
}
