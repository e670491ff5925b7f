//! How a node joins a run, and how it leaves.

use crate::error::listed;
use consort_core::Diagnostic;
use consort_engine::Part;
use consort_node::{Cancellation, JoinOptions, NodeError, NodeHandle, PlanCourier};
use consort_run::CancelToken;
use consort_system::Projection;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A node's membership in a run: for leaving it.
pub(crate) struct Membership {
    handle: NodeHandle,
}

/// Why a node could not join or leave.
pub(crate) struct Refusal {
    /// The reason of the refusal.
    pub diagnostic: Diagnostic,
    /// The node that caused it, if that is another one.
    pub blamed: Option<String>,
}

/// A node's part of the system; it joins the others when its run begins.
///
/// # Errors
/// If the system has no such node.
pub(crate) fn join(
    options: &JoinOptions,
    capacity: u32,
    projection: &Arc<Projection>,
    cancel: &CancelToken,
) -> Result<(Part, Membership), Box<Refusal>> {
    let name = &options.name;
    let node =
        projection.placement.node(name).ok_or_else(|| Box::new(unknown(name, projection)))?;
    let options = JoinOptions { cancellation: cancellation(cancel), ..options.clone() };
    let projection = Arc::clone(projection);
    let (courier, handle) = PlanCourier::new(options, Arc::clone(&projection), node, capacity);
    let part = Part { projection, node, courier: Box::new(courier) };
    Ok((part, Membership { handle }))
}

/// Ends the wait of a node as soon as the run is cancelled.
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
    /// Waits until every node has ended; returns their final messages by name.
    ///
    /// # Errors
    /// If a node failed or was lost.
    pub(crate) fn leave(&self, message: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Box<Refusal>> {
        self.handle.leave(message).map_err(|error| Box::new(refusal(&error)))
    }

    /// Leaves in the middle of a run that is to end here.
    ///
    /// # Errors
    /// If a node failed or was lost.
    pub(crate) fn leave_early(
        &self,
        message: &[u8],
    ) -> Result<BTreeMap<String, Vec<u8>>, Box<Refusal>> {
        self.handle.leave_early(message).map_err(|error| Box::new(refusal(&error)))
    }

    /// The final messages of the nodes that have left already, by name.
    pub(crate) fn final_messages(&self) -> BTreeMap<String, Vec<u8>> {
        self.handle.final_messages()
    }

    /// How many links this node made again because they broke.
    pub(crate) fn links_remade(&self) -> u64 {
        self.handle.links_remade()
    }

    /// Sends the reason of a failure to the others.
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
        diagnostic: diagnostic.help("see the output of the node that it names"),
        blamed: error.failed_node().map(str::to_owned),
    }
}
