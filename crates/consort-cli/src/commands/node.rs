//! `consort node SYSTEM`: computes a part of a distributed run; `consort node status`: how it goes.

mod status;

use super::run::{self, default_out};
use crate::cli::{CAPACITY, ExperimentArgs, Global, NodeArgs, NodeQuestion, RunArgs};
use crate::execute::End;
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::folder::RunFolder;
use crate::output::printer::Printer;
use crate::pipeline::{self, Prepared};
use crate::spread::member::{self, Done, Job};
use crate::spread::{self, Joining, Order, Word};
use consort_core::{Diagnostic, Report};
use consort_models::loader::end_with_parent;
use consort_node::{Endpoint, GATHER_DEFAULT, PATIENCE_DEFAULT};
use consort_system::{Placement, Projection};
use consort_trace::{TraceHash, trace_hash};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Computes its part, or asks.
pub(crate) fn execute(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    match (&args.question, &args.crew) {
        (Some(NodeQuestion::Status(question)), _) => status::execute(question, printer),
        (None, Some(order)) => serve(order, args.name(), global, printer),
        (None, None) => join(args, global, printer),
    }
}

/// A node that `consort run` started: all it has to say goes there.
fn serve(order: &Path, name: &str, global: &Global, printer: &Printer) -> CommandResult {
    // A model that never comes back would not notice that nobody listens any more.
    end_with_parent()?;
    let _ = Interrupt::obey();
    let ending = match computed(order, name, global, printer) {
        Ok(done) => done.ending,
        Err(error) => spread::unbegun(error),
    };
    printer.data(Word::End(Box::new(ending)).to_line())?;
    Ok(Exit::Done)
}

fn computed(
    order: &Path,
    name: &str,
    global: &Global,
    printer: &Printer,
) -> Result<Done, CommandError> {
    let order = Order::read(order)?;
    let prepared = pipeline::prepare(order.args.system(), &order.args.experiment, global, printer)?;
    let placement = order.placement(&prepared)?;
    let projection = Arc::new(spread::project(&prepared, &placement)?);
    let told = printer.hushed()?;
    let resolution = prepared.resolved.experiment.resolution;
    let listener = move |seconds: f64| {
        if let Ok(time) = resolution.from_f64(seconds) {
            // A starter that does not listen has ended, and this process with it.
            let _ = told.data(Word::At(time).to_line());
        }
    };
    let job = spread::job(&order, &prepared, &projection, spread::joining(&order, name))?;
    Ok(member::run(Job { listener: Some(Box::new(listener)), ..job }, printer))
}

/// A node that somebody started by hand.
fn join(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    let run_args = run_args(args);
    let system = run_args.system();
    let prepared = pipeline::prepare(system, &run_args.experiment, global, printer)?;
    let Some(placement) = spread::placement(&prepared, &args.spread.place)? else {
        return Err(CommandError::invalid(no_nodes()));
    };
    let projection = Arc::new(spread::project(&prepared, &placement)?);
    let joining = joining(args, &placement)?;
    let name = format!("{}-{}", prepared.resolved.name, args.name());
    let folder = RunFolder::plan(&args.out.clone().unwrap_or_else(|| default_out(&name)))?;
    printer.report(&prepared.report, "");
    say_part(&prepared, &projection, args.name(), printer);
    let job = Job {
        args: &run_args,
        prepared: &prepared,
        projection,
        joining,
        journal: None,
        folder: Some(folder.clone()),
        saving: run::saving::repeat(&run_args, &prepared, &[], Vec::new()),
        resumed: None,
        listener: None,
    };
    tell(&prepared, member::run(job, printer), &folder, printer)
}

/// Says what became of it; the hash of the whole is data.
fn tell(prepared: &Prepared, done: Done, folder: &RunFolder, printer: &Printer) -> CommandResult {
    let Done { ending, recorded, last_words } = done;
    let is_finished = ending.is_finished();
    // What the run itself has to say is said with its record.
    let is_said = recorded.as_ref().is_some_and(|recorded| recorded.outcome.end != End::Finished);
    let exit = recorded.map(|recorded| run::say(prepared, &recorded, folder, printer));
    if !is_finished {
        let mut report = Report::default();
        ending.failures().iter().filter(|_| !is_said).for_each(|why| report.push(why.clone()));
        printer.report(&report, "");
        return Ok(Exit::Failed);
    }
    if let Some(hash) = composed(&ending.hashes, &last_words) {
        printer.data(format!("trace {hash}\n"))?;
    }
    Ok(exit.unwrap_or(Exit::Failed))
}

/// The hash of the whole run, from what every node said at last.
fn composed(own: &[spread::Hashed], last_words: &BTreeMap<String, Vec<u8>>) -> Option<TraceHash> {
    let mut all = own.to_vec();
    for words in last_words.values() {
        let value = serde_json::from_slice(words).ok()?;
        all.extend(spread::hashes_from_json(&value)?);
    }
    Some(trace_hash(all))
}

fn say_part(prepared: &Prepared, projection: &Projection, name: &str, printer: &Printer) {
    let Some(node) = projection.placement.node(name) else { return };
    let components = &prepared.resolved.components;
    let here = projection.placement.components(node).map(|id| components[id.index()].name.clone());
    let here: Vec<String> = here.collect();
    let sends = projection.crossings.iter().filter(|crossing| crossing.from == node).count();
    let receives = projection.crossings.iter().filter(|crossing| crossing.to == node).count();
    let line = format!(
        "node `{name}` of {}: computes {}; sends {sends} and receives {receives} flows",
        spread::listed(&projection.placement.nodes),
        spread::listed(&here),
    );
    printer.say(&line);
}

fn joining(args: &NodeArgs, placement: &Placement) -> Result<Joining, CommandError> {
    let mut report = Report::default();
    let listen = args.listen.as_deref().and_then(|text| endpoint("listen", text, &mut report));
    let mut peers = BTreeMap::new();
    for (name, text) in &args.connect {
        if name == args.name() || placement.node(name).is_none() {
            report.push(unknown_peer(name, args.name(), placement));
        }
        if let Some(endpoint) = endpoint("connect", text, &mut report) {
            peers.insert(name.clone(), endpoint);
        }
    }
    check_reachable(args, placement, &mut report);
    if report.has_errors() {
        return Err(CommandError::Invalid { report });
    }
    Ok(Joining {
        name: args.name().to_owned(),
        run: args.run.unwrap_or_default(),
        listen,
        peers,
        hub: None,
        capacity: args.spread.capacity.unwrap_or(CAPACITY),
        patience: args.patience.unwrap_or(PATIENCE_DEFAULT),
        gather: args.gather.unwrap_or(GATHER_DEFAULT),
        tls: spread::tls_files(&args.spread.tls),
        faults: None,
    })
}

fn endpoint(option: &str, text: &str, report: &mut Report) -> Option<Endpoint> {
    match text.parse() {
        Ok(endpoint) => Some(endpoint),
        Err(error) => {
            let error: consort_node::EndpointError = error;
            report.push(Diagnostic::error("cli::endpoint", format!("`--{option}`: {error}")));
            None
        }
    }
}

/// Of two nodes the one with the larger name connects: it must know where the other is, which must
/// listen.
fn check_reachable(args: &NodeArgs, placement: &Placement, report: &mut Report) {
    let own = args.name();
    if placement.node(own).is_none() {
        let message = format!("the system has no node `{own}`");
        let help = format!("its nodes are {}", spread::listed(&placement.nodes));
        return report.push(Diagnostic::error("node::unknown", message).help(help));
    }
    let knows = |node: &String| args.connect.iter().any(|(name, _)| name == node);
    let unknown = placement.nodes.iter().filter(|node| node.as_str() < own && !knows(node));
    for node in unknown {
        let message = format!("node `{own}` must know where node `{node}` is");
        let diagnostic = Diagnostic::error("node::unreachable", message);
        let note = "of two nodes the one whose name is later in the alphabet connects";
        let help = format!("add `--connect {node}=tcp:HOST:PORT`");
        report.push(diagnostic.with_note(note).help(help));
    }
    let is_first = placement.nodes.iter().any(|node| own < node.as_str());
    if is_first && args.listen.is_none() {
        let message = format!("node `{own}` must listen: others connect to it");
        let diagnostic = Diagnostic::error("node::unreachable", message);
        report.push(diagnostic.help("add `--listen tcp:HOST:PORT`"));
    }
}

fn unknown_peer(name: &str, own: &str, placement: &Placement) -> Diagnostic {
    let message = match name == own {
        true => format!("node `{name}` does not connect to itself"),
        false => format!("the system has no node `{name}` to connect to"),
    };
    let others: Vec<String> =
        placement.nodes.iter().filter(|node| node.as_str() != own).cloned().collect();
    let diagnostic = Diagnostic::error("node::unknown", message);
    diagnostic.help(format!("the others are {}", spread::listed(&others)))
}

fn no_nodes() -> Diagnostic {
    let diagnostic = Diagnostic::error("cli::no-nodes", "the system is not placed on nodes");
    diagnostic
        .help("add `[nodes]` to the system, or `--place component=node`, the same for every node")
}

fn run_args(args: &NodeArgs) -> RunArgs {
    RunArgs {
        system: args.system.clone(),
        out: args.out.clone(),
        workers: args.workers,
        real_time: args.real_time,
        csv: args.csv,
        mcap: false,
        no_record: args.no_record,
        log_calls: args.log_calls,
        save_at: Vec::new(),
        save: Vec::new(),
        save_every: None,
        resume: None,
        spread: args.spread.clone(),
        experiment: ExperimentArgs { foreign: args.foreign.clone(), ..args.experiment.clone() },
    }
}
