//! Connects a part of a distributed run to its node: every value that crosses is a message of a flow.

use crate::error::NodeError;
use crate::node::{Node, NodeStep, StatusBoard};
use crate::options::JoinOptions;
use crate::status::NodeStatus;
use consort_core::{NodeId, Tag, Time};
use consort_engine::{Courier, CourierError};
use consort_federation::flow::{Flow, FlowId, FlowKind, FlowTiming, Topology};
use consort_system::{Crossing, Projection};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The flows of a projected plan: one per crossing, all of them state flows, at the tag (time, ordinal of
/// the exchange). After a resumption (`after`: everything up to and including that time was done, but for
/// `advance` at it) only what is left of them.
pub fn topology(projection: &Projection, capacity: u32, after: Option<Time>) -> Topology {
    let flow = |crossing: &Crossing| {
        let first = after.map_or(Some(crossing.first), |after| crossing.first_after(after))?;
        Some(Flow {
            name: crossing.name.clone(),
            source: crossing.from,
            sinks: vec![crossing.to],
            kind: FlowKind::State,
            first: crossing.tag(first),
            timing: crossing.period.map_or(FlowTiming::Once, FlowTiming::Periodic),
            payload: format!("{} values", crossing.connections.len()),
            priority: 0,
            capacity,
            feedthrough: None,
            self_flow: false,
        })
    };
    let flows = projection.crossings.iter().filter_map(flow).collect();
    Topology { nodes: projection.placement.nodes.clone(), flows }
}

/// Carries what crosses in a projected plan. It joins when the run begins.
pub struct PlanCourier {
    projection: Arc<Projection>,
    capacity: u32,
    /// How to join; taken by `begin`.
    options: Option<JoinOptions>,
    shared: Arc<Shared>,
    /// The flow of each crossing; none if it has ended before the run was resumed.
    flows: Vec<Option<FlowId>>,
    /// What has arrived and was not taken yet, by flow.
    arrived: Vec<Option<Vec<u8>>>,
}

#[derive(Default)]
struct Shared {
    node: Mutex<Option<Node>>,
    /// Beside the node: it is read while the node waits.
    board: OnceLock<Arc<StatusBoard>>,
}

/// The node under a [`PlanCourier`], for the caller that started the run: to leave when it is over.
pub struct NodeHandle {
    shared: Arc<Shared>,
}

impl PlanCourier {
    /// The courier of one node of a projection, and a handle to the node itself. Name and flows in the
    /// options are replaced by those of the projection.
    pub fn new(
        options: JoinOptions,
        projection: Arc<Projection>,
        node: NodeId,
        capacity: u32,
    ) -> (PlanCourier, NodeHandle) {
        let shared = Arc::new(Shared::default());
        let handle = NodeHandle { shared: shared.clone() };
        let name = projection.placement.nodes[node.index()].clone();
        let options = Some(JoinOptions { name, ..options });
        let (flows, arrived) = (Vec::new(), Vec::new());
        (PlanCourier { projection, capacity, options, shared, flows, arrived }, handle)
    }

    fn crossing(&self, crossing: usize, time: Time) -> Result<(FlowId, Tag), CourierError> {
        let found = &self.projection.crossings[crossing];
        let tag = found.tag(time);
        match self.flows.get(crossing).copied().flatten() {
            Some(flow) => Ok((flow, tag)),
            None => Err(self.out_of_order(crossing, "it has ended")),
        }
    }

    fn out_of_order(&self, crossing: usize, why: &str) -> CourierError {
        let crossing = &self.projection.crossings[crossing];
        let node = self.projection.placement.nodes[crossing.from.index()].clone();
        let reason = format!("the run uses `{}` out of order: {why}", crossing.name);
        CourierError { node, reason, at: None }
    }
}

impl Courier for PlanCourier {
    fn begin(&mut self, after: Option<Time>) -> Result<(), CourierError> {
        let flows = Arc::new(topology(&self.projection, self.capacity, after));
        let crossings = self.projection.crossings.iter();
        self.flows = crossings.map(|crossing| flows.flow(&crossing.name)).collect();
        self.arrived = vec![None; flows.flows.len()];
        let Some(options) = self.options.take() else {
            let node = self.projection.placement.nodes[0].clone();
            let reason = "a distributed run begins only once".to_owned();
            return Err(CourierError { node, reason, at: None });
        };
        let me = options.name.clone();
        let joined = Node::join(JoinOptions { topology: flows, begins: after, ..options });
        let mut node = joined.map_err(|error| courier_error(&me, &error))?;
        node.is_driven_by_plan = true;
        self.shared.board.get_or_init(|| node.board());
        *locked(&self.shared.node) = Some(node);
        Ok(())
    }

    fn send(&mut self, crossing: usize, time: Time, payload: &[u8]) -> Result<(), CourierError> {
        let (flow, tag) = self.crossing(crossing, time)?;
        let found = &self.projection.crossings[crossing];
        let next = found.period.and_then(|period| time.checked_add(period));
        let next = next.filter(|next| *next <= found.last);
        let next = next.map(|time| Tag { time, ..tag });
        let mut shared = locked(&self.shared.node);
        let node = joined(&mut shared)?;
        let turn = node.next().map(|step| step == NodeStep::Emit { flow, tag });
        let is_turn = turn.map_err(|error| error_at(node, &error))?;
        if !is_turn {
            return Err(self.out_of_order(crossing, "another message is first"));
        }
        node.emit(flow, payload, next).map_err(|error| error_at(node, &error))
    }

    fn receive(
        &mut self,
        crossing: usize,
        time: Time,
        into: &mut Vec<u8>,
    ) -> Result<(), CourierError> {
        let (flow, tag) = self.crossing(crossing, time)?;
        if self.arrived[flow.index()].is_none() {
            let mut shared = locked(&self.shared.node);
            let node = joined(&mut shared)?;
            let step = node
                .next()
                .map(|step| matches!(step, NodeStep::Inputs { tag: now, .. } if now == tag));
            if step.map_err(|error| error_at(node, &error))? {
                for (flow, payload) in node.take_batch() {
                    self.arrived[flow.index()] = Some(payload);
                }
            }
        }
        let arrived = self.arrived[flow.index()].take();
        let missing = || self.out_of_order(crossing, "something else is first");
        *into = arrived.ok_or_else(missing)?;
        Ok(())
    }

    fn saved(&mut self) {
        if let Some(node) = &mut *locked(&self.shared.node) {
            node.tally();
        }
    }

    fn reached(&mut self, tag: Tag) {
        if let Some(node) = &mut *locked(&self.shared.node) {
            node.reached(tag);
        }
    }
}

impl NodeHandle {
    /// Leaves: sends `message` to all others and waits for their final messages. Nothing is sent if the run
    /// never began.
    ///
    /// # Errors
    /// If another node is lost or failed before its end.
    pub fn leave(&self, message: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let node = locked(&self.shared.node).take();
        node.map_or_else(|| Ok(BTreeMap::new()), |node| node.leave(message))
    }

    /// Leaves in the middle of a run that is to end here.
    ///
    /// # Errors
    /// If another node is lost or failed before its end.
    pub fn leave_early(&self, message: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let node = locked(&self.shared.node).take();
        node.map_or_else(|| Ok(BTreeMap::new()), |node| node.leave_early(message))
    }

    /// The final messages of the nodes that have left already, by name.
    pub fn final_messages(&self) -> BTreeMap<String, Vec<u8>> {
        locked(&self.shared.node).as_ref().map(Node::final_messages).unwrap_or_default()
    }

    /// Ends the run of all nodes with this reason.
    pub fn fail(&self, reason: &str) {
        let node = locked(&self.shared.node).take();
        if let Some(node) = node {
            node.fail(reason);
        }
    }

    /// How often links that this node makes (each is made by one of its two nodes) broke and were made again.
    pub fn links_remade(&self) -> u64 {
        let Some(status) = self.status() else { return 0 };
        let made = status.peers.iter().filter(|peer| peer.node < status.node);
        made.map(|peer| u64::from(peer.connections.saturating_sub(1))).sum()
    }

    /// The status of the node; none before the run begins.
    pub fn status(&self) -> Option<NodeStatus> {
        self.shared.board.get().map(|board| board.status())
    }
}

fn joined(shared: &mut Option<Node>) -> Result<&mut Node, CourierError> {
    let none = || CourierError {
        node: String::new(),
        reason: "the run has not begun, or is over".to_owned(),
        at: None,
    };
    shared.as_mut().ok_or_else(none)
}

fn courier_error(me: &str, error: &NodeError) -> CourierError {
    let node = error.failed_node().unwrap_or(me).to_owned();
    CourierError { node, reason: error.reason(), at: error.at() }
}

/// An error at a crossing, with the last tag that was done.
fn error_at(node: &Node, error: &NodeError) -> CourierError {
    let found = courier_error(node.name(), error);
    CourierError { at: node.at().or(found.at), ..found }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
