//! What a node must know before it can join.

use crate::cancellation::Cancellation;
use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::link::{Faults, Hub};
use crate::status::Wait;
use consort_core::{Resolution, Tag, Time};
use consort_federation::flow::Topology;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a closed connection may stay closed before its node counts as dead.
pub const PATIENCE_DEFAULT: Duration = Duration::from_secs(5);
/// How long the first node waits for the last one.
pub const GATHER_DEFAULT: Duration = Duration::from_secs(60);

/// What a node must know before it can join: its name, the flows, and the endpoints of the others.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// Its own name: one of the topology's.
    pub name: String,
    /// The run. Nodes of another run are refused.
    pub run: [u8; 16],
    /// The flows of all nodes; equal on all nodes.
    pub topology: Arc<Topology>,
    /// The length of a tick; equal on all nodes.
    pub resolution: Resolution,
    /// The tag after which nothing happens; equal on all nodes. None: when the flows end.
    pub horizon: Option<Tag>,
    /// What is run, besides the flows: names, and values or digests that must be equal on all nodes.
    pub facts: Vec<(String, String)>,
    /// Everything up to this time was done before; equal on all nodes. None: from the start.
    pub begins: Option<Time>,
    /// Receives the names of the nodes that are missing.
    pub gathering: Option<Gathering>,
    /// Receives reports of long waits.
    pub waiting: Option<WaitListener>,
    /// Cancels a wait of the node, from another thread.
    pub cancellation: Option<Cancellation>,
    /// Where others reach it, and where it answers [`ask_status`](crate::ask_status).
    pub listen: Option<Endpoint>,
    /// The endpoints of the other nodes. Of two nodes the one with the larger name connects: it needs the
    /// other's endpoint, the other needs `listen` only.
    pub peers: BTreeMap<String, Endpoint>,
    /// Connects nodes that are threads of one process; used for peers without an endpoint.
    pub hub: Option<Hub>,
    /// How long a closed connection may stay closed.
    pub patience: Duration,
    /// How long to wait for all nodes to connect.
    pub gather: Duration,
    /// How nodes authenticate each other at endpoints of the kind `tls` (and `zenoh` over TLS).
    pub tls: Option<Credentials>,
    /// Endpoints without TLS may be on other machines. A program that can read the traffic can join the run there.
    pub allows_plain: bool,
    /// What a bad network does to every link of this node, for tests.
    pub faults: Option<Faults>,
}

impl JoinOptions {
    /// A node with nothing but defaults: it knows no endpoint yet.
    pub fn new(name: &str, topology: Arc<Topology>, resolution: Resolution) -> Self {
        JoinOptions {
            name: name.to_owned(),
            run: [0; 16],
            topology,
            resolution,
            horizon: None,
            facts: Vec::new(),
            begins: None,
            gathering: None,
            waiting: None,
            cancellation: None,
            listen: None,
            peers: BTreeMap::new(),
            hub: None,
            patience: PATIENCE_DEFAULT,
            gather: GATHER_DEFAULT,
            tls: None,
            allows_plain: false,
            faults: None,
        }
    }
}

/// Takes the names of missing nodes.
type MissingCallback = dyn Fn(&[String]) + Send + Sync;

/// Receives the names of the nodes that are missing while a run starts: at first, and whenever that changes;
/// at last with no name.
#[derive(Clone)]
pub struct Gathering(Arc<MissingCallback>);

impl Gathering {
    /// Calls `notify` with the names of those that are missing.
    pub fn new(notify: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        Gathering(Arc::new(notify))
    }

    pub(crate) fn notify(&self, missing: &[String]) {
        (self.0)(missing);
    }
}

impl fmt::Debug for Gathering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gathering")
    }
}

/// Takes what a node waits for.
type WaitCallback = dyn Fn(&Wait) + Send + Sync;

/// Receives long waits, at the times of [`LongWait`](consort_core::LongWait).
#[derive(Clone)]
pub struct WaitListener(Arc<WaitCallback>);

impl WaitListener {
    /// Calls `notify` with what the node waits for.
    pub fn new(notify: impl Fn(&Wait) + Send + Sync + 'static) -> Self {
        WaitListener(Arc::new(notify))
    }

    pub(crate) fn notify(&self, wait: &Wait) {
        (self.0)(wait);
    }
}

impl fmt::Debug for WaitListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitListener")
    }
}
