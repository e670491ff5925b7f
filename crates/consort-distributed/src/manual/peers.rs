//! How a manual node finds the others, and what it reports while they are missing.

use super::ManualNode;
use crate::deployment::components_of;
use crate::error::listed;
use consort_core::{ComponentId, Diagnostic, NodeId, Report};
use consort_node::{Endpoint, GATHER_DEFAULT, Gathering, JoinOptions, PATIENCE_DEFAULT};
use consort_run::paths::quoted;
use consort_run::prepared::is_started_by_hand;
use consort_run::{Context, Error, Prepared, RunId};
use consort_system::Placement;
use consort_view::numbers::short;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many characters of a digest are shown.
const DIGEST: usize = 16;

/// Where a node meets the others.
pub(super) struct Peers<'a> {
    node: &'a ManualNode,
    prepared: &'a Prepared,
    placement: Placement,
    /// The nodes that have not connected yet.
    missing: Arc<Mutex<Vec<String>>>,
}

impl<'a> Peers<'a> {
    /// Of the node that the options name.
    pub(super) fn new(node: &'a ManualNode, prepared: &'a Prepared, placement: Placement) -> Self {
        Peers { node, prepared, placement, missing: Arc::default() }
    }

    /// All that it takes to join.
    ///
    /// # Errors
    /// If others cannot be reached with that.
    pub(super) fn join_options(&self, run: RunId, context: &Context) -> Result<JoinOptions, Error> {
        let (node, placement) = (self.node, &self.placement);
        let mut report = Report::default();
        let listen = node.listen.as_deref().and_then(|text| endpoint("listen", text, &mut report));
        let peers = self.peers(&mut report);
        check_reachable(node, placement, &mut report);
        if !node.plain {
            check_private(node, &mut report);
        }
        Error::check(report)?;
        let gather = node.gather.unwrap_or(GATHER_DEFAULT);
        let resolution = self.prepared.resolved().experiment.resolution;
        Ok(JoinOptions {
            run,
            listen,
            peers,
            patience: node.patience.unwrap_or(PATIENCE_DEFAULT),
            gather,
            tls: node.credentials(),
            allows_plain: node.plain,
            facts: facts(self.prepared, placement),
            gathering: Some(self.gathering(gather, context)),
            // The flows follow from the projection.
            ..JoinOptions::new(&node.name, Arc::default(), resolution)
        })
    }

    fn peers(&self, report: &mut Report) -> BTreeMap<String, Endpoint> {
        let own = self.node.name.as_str();
        let mut peers = BTreeMap::new();
        for (name, text) in &self.node.connect {
            if name == own || self.placement.node(name).is_none() {
                report.push(unknown_peer(name, own, &self.placement));
            }
            if let Some(endpoint) = endpoint("connect", text, report) {
                peers.insert(name.clone(), endpoint);
            }
        }
        peers
    }

    /// Reports which nodes it waits for, whenever that changes.
    fn gathering(&self, gather: Duration, context: &Context) -> Gathering {
        let (list, monitor) = (Arc::clone(&self.missing), Arc::clone(&context.monitor));
        Gathering::new(move |missing| {
            *list.lock().unwrap_or_else(PoisonError::into_inner) = missing.to_vec();
            let at_most = short(gather.as_secs_f64());
            monitor.message(&match missing {
                [] => "  all nodes are there".to_owned(),
                _ => format!("  waiting for {}, {at_most} s at most", listed(missing)),
            });
        })
    }

    /// Adds to why the run could not begin how the nodes that did not come are started.
    pub(super) fn explain(&self, why: Diagnostic) -> Diagnostic {
        // A node that came and did not fit is named first; if others did not come, this node itself is.
        if !why.message.starts_with(&format!("node `{}`:", self.node.name.as_str())) {
            return why;
        }
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.iter().fold(why, |why, node| self.start_lines(node, why))
    }

    fn start_lines(&self, node: &str, why: Diagnostic) -> Diagnostic {
        let line = self.start_line(node);
        let why = why.with_note(format!("start node `{node}` with `{line}`"));
        let Some(program) = self.program(node) else { return why };
        why.with_note(format!(
            "`{program}` is a program that is started by hand: that line and `--foreign {program}` \
             is its `CONSORT_NODE`, one argument per line"
        ))
    }

    /// How another node is started, as far as this one knows.
    fn start_line(&self, node: &str) -> String {
        let system = self.node.system.display().to_string();
        let mut arguments = vec!["consort".to_owned(), "node".to_owned(), system];
        arguments.extend(["--name".to_owned(), node.to_owned()]);
        let nodes = &self.placement.nodes;
        if nodes.iter().any(|other| node < other.as_str()) {
            arguments.extend(["--listen".to_owned(), self.found_at(node)]);
        }
        for other in nodes.iter().filter(|other| other.as_str() < node) {
            arguments.extend(["--connect".to_owned(), format!("{other}={}", self.found_at(other))]);
        }
        if let Some(secret) = &self.node.secret {
            arguments.extend(["--secret".to_owned(), secret.display().to_string()]);
        }
        if self.node.plain {
            arguments.push("--plain".to_owned());
        }
        let pairs = &self.node.place;
        let pairs: Vec<String> = pairs.iter().map(|(it, place)| format!("{it}={place}")).collect();
        if !pairs.is_empty() {
            arguments.extend(["--place".to_owned(), pairs.join(",")]);
        }
        arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
    }

    /// Where a node is, as far as this one knows.
    fn found_at(&self, node: &str) -> String {
        let known = match node == self.node.name.as_str() {
            true => self.node.listen.as_deref(),
            false => self.node.connect.iter().find(|(name, _)| name == node).map(|(_, at)| &**at),
        };
        let known = known.map(|at| at.replace("0.0.0.0", "HOST").replace("[::]", "HOST"));
        let is_tls = self.node.secret.is_some() || self.node.tls.is_some();
        let kind = if is_tls { "tls" } else { "tcp" };
        known.unwrap_or_else(|| format!("{kind}:HOST:PORT"))
    }

    /// A component on a node that is a program which is started by hand.
    fn program(&self, node: &str) -> Option<&str> {
        let components = &self.prepared.resolved().components;
        let mut here = self.placement.components(self.placement.node(node)?);
        let is_program = |id: &ComponentId| {
            is_started_by_hand(self.prepared.executable().models()[id.index()].description())
        };
        let program = here.find(is_program)?;
        Some(&components[program.index()].name)
    }
}

/// What all nodes must have alike, beside the flows. The system file may be written otherwise as long as
/// it means the same; what was compiled here may differ from what was compiled elsewhere.
fn facts(prepared: &Prepared, placement: &Placement) -> Vec<(String, String)> {
    let digest = |hash: &str| {
        let digits = hash.trim_start_matches("sha256:");
        digits.get(..DIGEST).unwrap_or(digits).to_owned()
    };
    let experiment = &prepared.resolved().experiment;
    let stop = short(experiment.resolution.to_f64(experiment.stop));
    let mut facts = vec![
        ("the stop time".to_owned(), format!("{stop} s")),
        ("the experiment".to_owned(), digest(&prepared.hashes.resumable)),
        ("the plan".to_owned(), digest(&prepared.hashes.plan)),
    ];
    for input in &prepared.source.inputs {
        let name = match input.role.as_str() {
            "system" | "binary" => continue,
            "table" => "the table of inputs".to_owned(),
            _ => format!("the file `{}`", input.path),
        };
        facts.push((name, digest(&input.sha256)));
    }
    for (index, node) in placement.nodes.iter().enumerate() {
        let names = components_of(NodeId::from_index(index), placement, prepared);
        facts.push((format!("as components of node `{node}`"), listed(&names)));
    }
    facts
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
fn check_reachable(node: &ManualNode, placement: &Placement, report: &mut Report) {
    let own = node.name.as_str();
    let example = if node.plain { "tcp:HOST:PORT" } else { "tls:HOST:PORT" };
    if placement.node(own).is_none() {
        let message = format!("the system has no node `{own}`");
        let help = format!("its nodes are {}", listed(&placement.nodes));
        return report.push(Diagnostic::error("node::unknown", message).help(help));
    }
    let knows = |other: &String| node.connect.iter().any(|(name, _)| name == other);
    let unknown = placement.nodes.iter().filter(|node| node.as_str() < own && !knows(node));
    for node in unknown {
        let message = format!("node `{own}` must know where node `{node}` is");
        let diagnostic = Diagnostic::error("node::unreachable", message);
        let note = "of two nodes the one whose name is later in the alphabet connects";
        let help = format!("add `--connect {node}={example}`");
        report.push(diagnostic.with_note(note).help(help));
    }
    let is_first = placement.nodes.iter().any(|node| own < node.as_str());
    if is_first && node.listen.is_none() {
        let message = format!("node `{own}` must listen: others connect to it");
        let diagnostic = Diagnostic::error("node::unreachable", message);
        report.push(diagnostic.help(format!("add `--listen {example}`")));
    }
}

/// Plain traffic can be read and replayed: between machines that must be allowed explicitly.
fn check_private(node: &ManualNode, report: &mut Report) {
    let listen = node.listen.iter().map(|text| ("listen", text));
    let connect = node.connect.iter().map(|(_, text)| ("connect", text));
    for (option, text) in listen.chain(connect) {
        if !text.parse::<Endpoint>().is_ok_and(|endpoint| endpoint.is_exposed()) {
            continue;
        }
        let message =
            format!("`--{option}`: `{text}` is reachable from other machines without TLS");
        let note = "anyone who can read the traffic can join the run";
        let safe = match text.strip_prefix("tcp:") {
            Some(address) => format!("tls:{address}"),
            None => "tls:HOST:PORT".to_owned(),
        };
        let help = format!(
            "write `{safe}` and give all nodes `--secret FILE` (`consort node secret FILE` creates one); \
             `--plain` allows it without"
        );
        report.push(Diagnostic::error("node::plain", message).with_note(note).help(help));
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
    diagnostic.help(format!("the others are {}", listed(&others)))
}
