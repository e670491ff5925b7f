//! How a node finds the others, and how it takes leave of them.

use crate::error::listed;
use consort_core::{Diagnostic, Resolution};
use consort_engine::Part;
use consort_node::{
    Cancellation, Credentials, Endpoint, Faults, Gathering, Hub, JoinOptions, NodeError,
    NodeHandle, PlanCourier, WaitListener, topology,
};
use consort_run::CancelToken;
use consort_system::Projection;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What a node must know to join.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    /// Which one it is.
    pub name: String,
    /// Which run this is.
    pub run: [u8; 16],
    /// Where it is found.
    pub listen: Option<Endpoint>,
    /// Where it finds the others.
    pub peers: BTreeMap<String, Endpoint>,
    /// Where threads of one process meet.
    pub hub: Option<Hub>,
    /// How many messages of a flow may wait.
    pub capacity: u32,
    /// How long a node that is gone may take to come back.
    pub patience: Duration,
    /// How long to wait for all to come.
    pub gather: Duration,
    /// By what nodes know each other.
    pub tls: Option<Credentials>,
    /// Nodes on other machines need no TLS.
    pub allows_plain: bool,
    /// What its links shall suffer.
    pub faults: Option<Faults>,
    /// What all nodes must have alike, beside the flows: names and digests.
    pub facts: Vec<(String, String)>,
    /// Receives the names of nodes that it still waits for.
    pub gathering: Option<Gathering>,
    /// Hears of long waits.
    pub waiting: Option<WaitListener>,
}

/// The way out of a run that a node takes part in.
pub(crate) struct Membership {
    handle: NodeHandle,
}

/// Why a node could not join or leave.
pub(crate) struct Refusal {
    /// What happened.
    pub diagnostic: Diagnostic,
    /// The node that is to blame, if that is another one.
    pub blamed: Option<String>,
}

/// A node's part of the system; it meets the others when its run begins.
///
/// # Errors
/// If the system has no such node.
pub(crate) fn join(
    request: &JoinRequest,
    projection: &Arc<Projection>,
    resolution: Resolution,
    cancel: &CancelToken,
) -> Result<(Part, Membership), Box<Refusal>> {
    let name = &request.name;
    let node =
        projection.placement.node(name).ok_or_else(|| Box::new(unknown(name, projection)))?;
    let flows = Arc::new(topology(projection, request.capacity, None));
    let options = JoinOptions {
        run: request.run,
        listen: request.listen.clone(),
        peers: request.peers.clone(),
        hub: request.hub.clone(),
        patience: request.patience,
        gather: request.gather,
        tls: request.tls.clone(),
        allows_plain: request.allows_plain,
        faults: request.faults.clone(),
        facts: request.facts.clone(),
        gathering: request.gathering.clone(),
        waiting: request.waiting.clone(),
        cancellation: cancellation(cancel),
        ..JoinOptions::new(name, flows, resolution)
    };
    let projection = Arc::clone(projection);
    let (courier, handle) =
        PlanCourier::new(options, Arc::clone(&projection), node, request.capacity);
    let part = Part { projection, node, courier: Box::new(courier) };
    Ok((part, Membership { handle }))
}

/// Wakes a node that waits for others as soon as the run is cancelled.
fn cancellation(cancel: &CancelToken) -> Option<Cancellation> {
    // Without descriptors a node notices it when its wait is over.
    let cancellation = Cancellation::new().ok()?;
    let wakes = cancellation.clone();
    cancel.on_cancel(move || wakes.cancel());
    if cancel.is_cancelled() {
        cancellation.cancel();
    }
    Some(cancellation)
}

impl Membership {
    /// Waits until every node has come to its end; what each says at last, by name.
    ///
    /// # Errors
    /// If one does not come to its end.
    pub(crate) fn leave(
        &self,
        last_words: &[u8],
    ) -> Result<BTreeMap<String, Vec<u8>>, Box<Refusal>> {
        self.handle.leave(last_words).map_err(|error| Box::new(refusal(&error)))
    }

    /// The same in the middle of the run, which is to end here.
    ///
    /// # Errors
    /// If a node does not come to its end.
    pub(crate) fn break_off(
        &self,
        last_words: &[u8],
    ) -> Result<BTreeMap<String, Vec<u8>>, Box<Refusal>> {
        self.handle.break_off(last_words).map_err(|error| Box::new(refusal(&error)))
    }

    /// What those said at last who have left already, by name.
    pub(crate) fn farewells(&self) -> BTreeMap<String, Vec<u8>> {
        self.handle.farewells()
    }

    /// How many links this node made again because they broke.
    pub(crate) fn links_remade(&self) -> u64 {
        self.handle.links_remade()
    }

    /// Tells the others why this node ends.
    pub(crate) fn fail(&self, reason: &str) {
        self.handle.fail(reason);
    }
}

fn unknown(name: &str, projection: &Projection) -> Refusal {
    let nodes = projection.placement.nodes.iter().map(String::as_str);
    let help = match consort_core::diagnostic::nearest_name(name, nodes) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its nodes are {}", listed(&projection.placement.nodes)),
    };
    let message = format!("the system has no node `{name}`");
    let diagnostic = Diagnostic::error("node::unknown", message).help(help);
    Refusal { diagnostic, blamed: None }
}

fn refusal(error: &NodeError) -> Refusal {
    let diagnostic = Diagnostic::error("node::cannot-leave", error.to_string());
    Refusal {
        diagnostic: diagnostic.help("see what the node that it names has to say"),
        blamed: error.culprit().map(str::to_owned),
    }
}
