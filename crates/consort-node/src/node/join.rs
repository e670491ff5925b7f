//! Joining: a node connects to all others, compares plans with them, and all start together.

use super::Node;
use super::acceptor::{AcceptSource, Acceptor};
use super::mesh::Mesh;
use super::routes::Routes;
use super::status_board::StatusBoard;
use super::waiting::Want;
use crate::credentials::Credentials;
use crate::error::NodeError;
use crate::frame::{Body, HEADER};
use crate::hello::Hello;
use crate::link::{TlsConfigs, listen};
use crate::options::{Gathering, JoinOptions};
use crate::status::{Need, Phase};
use consort_core::{LongWait, NodeId, Report, Severity};
use consort_federation::flow::{self, FlowNode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

impl Node {
    /// Connects to all other nodes, checks that all have the same flows, and waits until all are ready.
    ///
    /// # Errors
    /// If the options contradict each other, a node does not connect in time, or it has other flows.
    pub fn join(options: JoinOptions) -> Result<Node, NodeError> {
        let tls = options.tls.as_ref().map(|tls| TlsConfigs::read(tls, &options.name)).transpose();
        let tls = tls.map_err(|problem| NodeError::Options { problem })?;
        let hello = hello(&options);
        let (gather, patience) = (options.gather, options.patience);
        let gathering = options.gathering.clone();
        let me = checked(&options)?;
        check_flows(&options)?;
        check_private(&options)?;
        let board = Arc::new(StatusBoard::new(&hello, me));
        let sources = sources(&options, tls.as_ref())?;
        let acceptor = Acceptor::start(sources, board.clone(), hello_max(&hello));
        let acceptor =
            acceptor.map_err(|source| NodeError::Machine { what: "start a thread", source })?;
        let routes = Routes {
            me: options.name,
            endpoints: options.peers,
            hub: options.hub,
            tls,
            faults: options.faults,
        };
        let mut node = Node {
            machine: FlowNode::new(&options.topology, me, options.horizon),
            me,
            topology: options.topology,
            mesh: Mesh::new(hello, patience, routes, acceptor)
                .with_cancellation(options.cancellation),
            board,
            out: Vec::new(),
            awaited: Vec::new(),
            batch: Vec::new(),
            want: None,
            listener: options.waiting,
            long_wait: LongWait::default(),
            is_driven_by_plan: false,
            is_over: false,
            written: Instant::now(),
        };
        let gathered = node.gather(gather, gathering.as_ref());
        node.report_error(gathered)?;
        Ok(node)
    }

    fn gather(&mut self, gather: Duration, listener: Option<&Gathering>) -> Result<(), NodeError> {
        let end = Instant::now() + gather;
        let mut missing = None;
        while let Some(node) = self.mesh.peers.iter().find(|peer| !peer.is_up()).map(|p| p.node) {
            if end <= Instant::now() {
                return Err(self.missing(gather));
            }
            self.report_missing(listener, &mut missing);
            self.wait(Want { node, flow: None, tag: None, what: Need::Connection })?;
        }
        self.report_missing(listener, &mut missing);
        self.mesh.is_strict = true;
        self.mesh.peers.iter_mut().for_each(|peer| peer.session.push(Body::Ready));
        while let Some(node) = self.mesh.peers.iter().find(|peer| !peer.is_ready).map(|p| p.node) {
            if end <= Instant::now() {
                return Err(self.missing(gather));
            }
            self.wait(Want { node, flow: None, tag: None, what: Need::Ready })?;
        }
        self.end_wait();
        self.board.enter(Phase::Running);
        Ok(())
    }

    /// Reports the nodes that have not connected, if they changed.
    fn report_missing(&self, listener: Option<&Gathering>, before: &mut Option<Vec<String>>) {
        let Some(gathering) = listener else { return };
        let peers = self.mesh.peers.iter().filter(|peer| !peer.is_up());
        let missing: Vec<String> = peers.map(|peer| peer.name.clone()).collect();
        if before.as_ref() != Some(&missing) {
            gathering.notify(&missing);
            *before = Some(missing);
        }
    }

    fn missing(&self, waited: Duration) -> NodeError {
        let peers = self.mesh.peers.iter().filter(|peer| !peer.is_ready);
        let nodes = peers.map(|peer| {
            let reason = peer.down().map_or("it is not ready", |(_, reason)| reason);
            format!("node `{}`: {reason}", peer.name)
        });
        let rejected = self.mesh.rejected();
        NodeError::Missing { nodes: nodes.collect(), rejected, waited }
    }
}

/// How long a hello may be: all nodes of a run have hellos of about the same length. The margin is for one that differs,
/// so that the difference can be reported.
fn hello_max(own: &Hello) -> usize {
    HEADER + 4 * own.to_bytes().len() + (64 << 10)
}

fn hello(options: &JoinOptions) -> Hello {
    Hello {
        run: options.run,
        node: options.name.clone(),
        incarnation: incarnation(),
        resolution: options.resolution,
        horizon: options.horizon,
        begins: options.begins,
        facts: options.facts.clone(),
        hash: options.topology.hash(),
        topology: (*options.topology).clone(),
    }
}

/// A number that no other node of that name has, before or after.
fn incarnation() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = u64::from(std::process::id());
    let nanos = u64::from(since.subsec_nanos());
    // Mixed so that two of them are unlikely to meet; it orders nothing and reaches no trace.
    let mixed = since.as_secs().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (nanos << 20);
    mixed ^ process.rotate_left(40) ^ count
}

/// The id of this node in the topology, if the options say how to reach the others.
fn checked(options: &JoinOptions) -> Result<NodeId, NodeError> {
    let name = &options.name;
    let nodes = &options.topology.nodes;
    let refuse = |problem: String| Err(NodeError::Options { problem });
    let Some(me) = nodes.iter().position(|node| node == name) else {
        let known: Vec<String> = nodes.iter().map(|node| format!("`{node}`")).collect();
        return refuse(format!("there is no node `{name}`; there are {}", known.join(", ")));
    };
    if nodes.iter().filter(|node| *node == name).count() != 1 {
        return refuse(format!("there are two nodes `{name}`"));
    }
    for peer in nodes.iter().filter(|node| *node < name) {
        if options.hub.is_none() && !options.peers.contains_key(peer) {
            let problem =
                format!("node `{name}` connects to node `{peer}`: give the endpoint of `{peer}`");
            return refuse(problem);
        }
    }
    let larger = nodes.iter().find(|node| name < *node);
    if let (Some(peer), None, None) = (larger, &options.listen, &options.hub) {
        return refuse(format!(
            "node `{peer}` connects to node `{name}`: give an endpoint to listen at"
        ));
    }
    Ok(NodeId::from_index(me))
}

/// A hello without TLS can be read and replayed: between machines that must be allowed explicitly.
fn check_private(options: &JoinOptions) -> Result<(), NodeError> {
    let has_files = matches!(options.tls, Some(Credentials::Files(_)));
    let mut endpoints = options.listen.iter().chain(options.peers.values());
    if let Some(endpoint) = endpoints.clone().find(|it| it.is_zenoh_tls() && !has_files) {
        let problem = format!(
            "`{endpoint}` needs certificates (`--tls-certificate`): Zenoh takes no secret; or use a `tls` endpoint"
        );
        return Err(NodeError::Options { problem });
    }
    let exposed = endpoints.find(|endpoint| !options.allows_plain && endpoint.is_exposed());
    exposed.map_or(Ok(()), |endpoint| {
        let problem = format!(
            "`{endpoint}` is reachable from other machines without TLS: use a `tls` endpoint, or allow it"
        );
        Err(NodeError::Options { problem })
    })
}

/// Checks that the flows are consistent and never wait for themselves.
fn check_flows(options: &JoinOptions) -> Result<(), NodeError> {
    let (topology, horizon) = (&*options.topology, options.horizon);
    let mut report = Report::default();
    flow::check(topology, horizon, &mut report);
    // State flows cannot wait for themselves.
    let may_wait = topology.flows.iter().any(|flow| flow.kind.is_immediate());
    if !report.has_errors() && may_wait {
        flow::analyse(topology, horizon).report(topology, options.resolution, &mut report);
    }
    if !report.has_errors() {
        return Ok(());
    }
    let errors = report.diagnostics().iter().filter(|it| it.severity == Severity::Error);
    let messages = errors.map(|error| match &error.help {
        Some(help) => format!("{} ({help})", error.message),
        None => error.message.clone(),
    });
    Err(NodeError::Options { problem: messages.collect::<Vec<_>>().join("; ") })
}

fn sources(
    options: &JoinOptions,
    tls: Option<&TlsConfigs>,
) -> Result<Vec<AcceptSource>, NodeError> {
    let mut sources = Vec::new();
    if let Some(endpoint) = &options.listen {
        let listener = listen(endpoint, tls)
            .map_err(|source| NodeError::Listen { endpoint: endpoint.clone(), source })?;
        sources.push(AcceptSource::Socket(listener));
    }
    if let Some(hub) = &options.hub {
        let listener = hub.open(&options.name);
        let what = "register a node name twice at the hub";
        let listener = listener.map_err(|source| NodeError::Machine { what, source })?;
        sources.push(AcceptSource::Hub(listener));
    }
    Ok(sources)
}
