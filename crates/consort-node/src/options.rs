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
/// How long the first node waits for the last one to come.
pub const GATHER_DEFAULT: Duration = Duration::from_secs(60);

/// What a node must know before it can join: itself, the flows, and where the others are.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// Its own name: one of the topology's.
    pub name: String,
    /// The run. Nodes of another run are refused.
    pub run: [u8; 16],
    /// All flows, of all nodes: everybody must have the same.
    pub topology: Arc<Topology>,
    /// The length of a tick: everybody must have the same.
    pub resolution: Resolution,
    /// The tag after which nothing happens: everybody must have the same. None: when the flows end.
    pub horizon: Option<Tag>,
    /// What is run, beside the flows: names, and values or digests that everybody must have alike.
    pub facts: Vec<(String, String)>,
    /// Everything up to this time was done before: everybody must go on from the same. None: from the
    /// start.
    pub begins: Option<Time>,
    /// Who is told whom it still waits for.
    pub gathering: Option<Gathering>,
    /// Hears of long waits.
    pub waiting: Option<WaitListener>,
    /// Ends whatever the node waits for, from another thread.
    pub cancellation: Option<Cancellation>,
    /// Where others reach it, and where it answers [`ask_status`](crate::ask_status).
    pub listen: Option<Endpoint>,
    /// Where the other nodes are. Of two nodes the one with the larger name connects: it needs the
    /// other's endpoint, the other needs `listen` only.
    pub peers: BTreeMap<String, Endpoint>,
    /// Where nodes that are threads of one process meet; asked for peers that have no endpoint.
    pub hub: Option<Hub>,
    /// How long a closed connection may stay closed.
    pub patience: Duration,
    /// How long to wait for everybody to come.
    pub gather: Duration,
    /// By what nodes know each other at endpoints of the kind `tls` (and `zenoh` over TLS).
    pub tls: Option<Credentials>,
    /// Endpoints without TLS may be on other machines. Anyone who can read the traffic can join the run there.
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

/// Takes names of nodes.
type Told = dyn Fn(&[String]) + Send + Sync;

/// Is told, while nodes gather, which ones are missing: at first, and whenever that changes; at last
/// with nobody.
#[derive(Clone)]
pub struct Gathering(Arc<Told>);

impl Gathering {
    /// Calls `told` with the names of those that are missing.
    pub fn new(told: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        Gathering(Arc::new(told))
    }

    pub(crate) fn tell(&self, missing: &[String]) {
        (self.0)(missing);
    }
}

impl fmt::Debug for Gathering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gathering")
    }
}

/// Takes what a node waits for.
type Heard = dyn Fn(&Wait) + Send + Sync;

/// Hears of long waits, at the times of [`LongWait`](consort_core::LongWait).
#[derive(Clone)]
pub struct WaitListener(Arc<Heard>);

impl WaitListener {
    /// Calls `heard` with what the node waits for.
    pub fn new(heard: impl Fn(&Wait) + Send + Sync + 'static) -> Self {
        WaitListener(Arc::new(heard))
    }

    pub(crate) fn tell(&self, wait: &Wait) {
        (self.0)(wait);
    }
}

impl fmt::Debug for WaitListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WaitListener")
    }
}
