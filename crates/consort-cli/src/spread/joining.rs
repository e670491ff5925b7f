//! How a node finds the others, and how it takes leave of them.

use crate::cli::TlsArgs;
use crate::interrupt::Interrupt;
use consort_core::{Diagnostic, Resolution};
use consort_engine::Part;
use consort_node::{
    Credentials, Endpoint, Faults, Gathering, Hub, JoinOptions, NodeError, NodeHandle, PlanCourier,
    TlsFiles, WaitListener, topology,
};
use consort_system::Projection;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What a node must know to join.
#[derive(Clone, Debug)]
pub(crate) struct Joining {
    /// Which one it is.
    pub(crate) name: String,
    /// Which run this is.
    pub(crate) run: [u8; 16],
    /// Where it is found.
    pub(crate) listen: Option<Endpoint>,
    /// Where it finds the others.
    pub(crate) peers: BTreeMap<String, Endpoint>,
    /// Where threads of one process meet.
    pub(crate) hub: Option<Hub>,
    /// How many messages of a flow may wait.
    pub(crate) capacity: u32,
    /// How long a node that is gone may take to come back.
    pub(crate) patience: Duration,
    /// How long to wait for all to come.
    pub(crate) gather: Duration,
    /// By what nodes know each other.
    pub(crate) tls: Option<Credentials>,
    /// Nodes on other machines need no TLS.
    pub(crate) allows_plain: bool,
    /// What its links shall suffer.
    pub(crate) faults: Option<Faults>,
    /// What all nodes must have alike, beside the flows: names and digests.
    pub(crate) facts: Vec<(String, String)>,
    /// Who is told whom it still waits for.
    pub(crate) gathering: Option<Gathering>,
    /// Hears of long waits.
    pub(crate) waiting: Option<WaitListener>,
}

/// The way out of a run that a node takes part in.
pub(crate) struct Joined {
    handle: NodeHandle,
}

/// Why a node could not join or leave.
pub(crate) struct Refusal {
    /// What happened.
    pub(crate) diagnostic: Diagnostic,
    /// The node that is to blame, if that is another one.
    pub(crate) blamed: Option<String>,
}

/// The files of the options, if all are given.
pub(crate) fn tls_files(args: &TlsArgs) -> Option<TlsFiles> {
    let (certificate, key) = (args.tls_certificate.clone()?, args.tls_key.clone()?);
    Some(TlsFiles { authorities: args.tls_ca.clone()?, certificate, key })
}

/// By what a node knows others: the secret, or the files of the options.
pub(crate) fn credentials(secret: Option<&Path>, args: &TlsArgs) -> Option<Credentials> {
    let secret = secret.map(|path| Credentials::Secret(path.to_owned()));
    secret.or_else(|| tls_files(args).map(Credentials::from))
}

/// A node's part of the system; it meets the others when its run begins.
///
/// # Errors
/// If the system has no such node.
pub(crate) fn join(
    joining: &Joining,
    projection: &Arc<Projection>,
    resolution: Resolution,
) -> Result<(Part, Joined), Box<Refusal>> {
    let name = &joining.name;
    let node =
        projection.placement.node(name).ok_or_else(|| Box::new(unknown(name, projection)))?;
    let flows = Arc::new(topology(projection, joining.capacity, None));
    let options = JoinOptions {
        run: joining.run,
        listen: joining.listen.clone(),
        peers: joining.peers.clone(),
        hub: joining.hub.clone(),
        patience: joining.patience,
        gather: joining.gather,
        tls: joining.tls.clone(),
        allows_plain: joining.allows_plain,
        faults: joining.faults.clone(),
        facts: joining.facts.clone(),
        gathering: joining.gathering.clone(),
        waiting: joining.waiting.clone(),
        cancellation: Interrupt::listen().cancellation(),
        ..JoinOptions::new(name, flows, resolution)
    };
    let projection = Arc::clone(projection);
    let (courier, handle) =
        PlanCourier::new(options, Arc::clone(&projection), node, joining.capacity);
    let part = Part { projection, node, courier: Box::new(courier) };
    Ok((part, Joined { handle }))
}

impl Joined {
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

/// `` `a`, `b` ``.
pub(crate) fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn refusal(error: &NodeError) -> Refusal {
    let diagnostic = Diagnostic::error("node::cannot-leave", error.to_string());
    Refusal {
        diagnostic: diagnostic.help("see what the node that it names has to say"),
        blamed: error.culprit().map(str::to_owned),
    }
}
