//! A node: the state machine of its flows, and the links to all other nodes.

mod acceptor;
mod join;
mod mesh;
mod message_counts;
mod peer;
mod routes;
mod status_board;
mod tally;
mod waiting;

use crate::error::NodeError;
use crate::frame::{Body, FRAME_MAX, HEADER};
use crate::options::WaitListener;
use crate::status::{Need, NodeStatus, Phase};
use consort_core::{LongWait, NodeId, Tag};
use consort_federation::flow::{
    FlowError, FlowId, FlowInput, FlowNode, FlowOutput, FlowRecord, Message, NextAction, Topology,
};
use mesh::Mesh;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use waiting::{ECHO, LINGER, Want};

pub(crate) use status_board::StatusBoard;

/// A node of a distributed run that has joined.
///
/// Its caller asks [`Node::next`] for the next step, carries it out, and asks again. All sending and receiving
/// happens on that thread, also while it waits for credit. A node that is done [leaves](Node::leave); one that
/// cannot continue [fails](Node::fail), which sends the reason to all others.
///
/// # Determinism
/// The steps that [`Node::next`] returns, and their inputs, depend on the flows alone: not on speed, links,
/// broken connections or capacities.
pub struct Node {
    machine: FlowNode<Vec<u8>>,
    me: NodeId,
    topology: Arc<Topology>,
    mesh: Mesh,
    board: Arc<StatusBoard>,
    /// Outputs of the machine that are not carried out yet.
    out: Vec<FlowOutput<Vec<u8>>>,
    /// Tallies of sources that this node has not reached yet.
    awaited: tally::Awaited,
    /// The inputs that were consumed last.
    batch: Vec<(FlowId, Vec<u8>)>,
    /// What it waits for, and since when, if that is worth reporting.
    want: Option<(Want, Instant)>,
    /// Receives reports of long waits.
    listener: Option<WaitListener>,
    long_wait: LongWait,
    /// The caller itself reports which tags are done.
    pub(crate) is_driven_by_plan: bool,
    /// It has left or failed: nothing more is sent.
    is_over: bool,
    /// When the status was published last.
    written: Instant,
}

/// What a node has to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeStep<'a> {
    /// Compute this message and hand it to [`Node::emit`].
    Emit {
        /// The flow.
        flow: FlowId,
        /// The tag of the message.
        tag: Tag,
    },
    /// Take these messages: all of this tag, in the order of priority and name.
    Inputs {
        /// The tag of the messages.
        tag: Tag,
        /// Flows with the payloads of their messages.
        batch: &'a [(FlowId, Vec<u8>)],
    },
    /// Nothing: all flows have ended. Now [leave](Node::leave).
    Done,
}

/// The next step without its borrowed inputs.
enum Todo {
    Emit { flow: FlowId, tag: Tag },
    Inputs { tag: Tag },
    Done,
}

impl Node {
    /// The next step; waits until it can be taken.
    ///
    /// # Errors
    /// If another node is lost, failed, or violates the protocol. The other nodes receive the reason.
    #[expect(clippy::should_implement_trait, reason = "no iterator: its items borrow from it")]
    pub fn next(&mut self) -> Result<NodeStep<'_>, NodeError> {
        let todo = self.advance();
        match self.report_error(todo)? {
            Todo::Emit { flow, tag } => Ok(NodeStep::Emit { flow, tag }),
            Todo::Inputs { tag } => Ok(NodeStep::Inputs { tag, batch: &self.batch }),
            Todo::Done => Ok(NodeStep::Done),
        }
    }

    /// The inputs that [`Node::next`] returned last.
    pub fn batch(&self) -> &[(FlowId, Vec<u8>)] {
        &self.batch
    }

    /// Takes the inputs that [`Node::next`] returned last.
    pub(crate) fn take_batch(&mut self) -> impl Iterator<Item = (FlowId, Vec<u8>)> + '_ {
        self.batch.drain(..)
    }

    /// Carries out [`NodeStep::Emit`]. `next` is the tag of the message after it, none for the last one; of
    /// an event flow the next event that is planned, if one is.
    ///
    /// # Errors
    /// If another step is next, or the tag is not allowed; if another node is lost.
    pub fn emit(
        &mut self,
        flow: FlowId,
        payload: &[u8],
        next: Option<Tag>,
    ) -> Result<(), NodeError> {
        let emitted = self.emit_now(flow, payload, next);
        self.report_error(emitted)
    }

    /// Plans the next event of an event flow, or none: at the start, and right after inputs that may
    /// cause it.
    ///
    /// # Errors
    /// If it is no event flow, or its cause does not allow that tag.
    pub fn plan(&mut self, flow: FlowId, tag: Option<Tag>) -> Result<(), NodeError> {
        let planned = self.handle(FlowInput::Plan { flow, tag });
        self.report_error(planned)
    }

    /// The tag after `tag` on a flow with a fixed period.
    pub fn following(&self, flow: FlowId, tag: Tag) -> Option<Tag> {
        self.topology.flows.get(flow.index())?.following(tag)
    }

    /// The flows of all nodes.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// How far each flow of this node is, and the hash of what it carried.
    pub fn records(&self) -> impl Iterator<Item = FlowRecord> + '_ {
        self.machine.records()
    }

    /// The name of this node.
    pub(crate) fn name(&self) -> &str {
        &self.topology.nodes[self.me.index()]
    }

    /// Its progress, and what it waits for.
    pub fn status(&mut self) -> NodeStatus {
        self.publish_status(Instant::now());
        self.board.status()
    }

    /// For reading the status from another thread.
    pub(crate) fn board(&self) -> Arc<StatusBoard> {
        self.board.clone()
    }

    /// Every tag up to this one is done.
    pub(crate) fn reached(&mut self, tag: Tag) {
        self.mesh.at = Some(tag);
        self.board.reached(tag);
    }

    /// The last tag that is done.
    pub(crate) fn at(&self) -> Option<Tag> {
        self.mesh.at
    }

    /// Leaves at the end of all flows: sends `message` to all others, waits for their final messages, and until
    /// everything that was sent has been acknowledged. Returns the final messages by node.
    ///
    /// # Errors
    /// If another node is lost or failed before its end.
    pub fn leave(mut self, message: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let sent = self.send_last().and_then(|()| self.tally_last());
        let left = sent.and_then(|()| self.exchange_final_messages(message));
        self.finish(left)
    }

    /// Leaves in the middle of a run that is to end here: nothing more is emitted or consumed. What was emitted
    /// is sent, unless its receiver has left, too.
    ///
    /// # Errors
    /// If another node is lost or failed before its end.
    pub fn leave_early(mut self, message: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let sent = match self.send_last() {
            Err(NodeError::Left { .. }) => Ok(()),
            sent => sent,
        };
        self.send_tallies(true);
        let left = sent.and_then(|()| self.exchange_final_messages(message));
        self.finish(left)
    }

    fn finish(
        mut self,
        left: Result<(), NodeError>,
    ) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        self.publish_status(Instant::now());
        self.report_error(left)?;
        self.is_over = true;
        let peers = self.mesh.peers.iter_mut();
        Ok(peers
            .map(|peer| (peer.name.clone(), peer.final_message.take().unwrap_or_default()))
            .collect())
    }

    /// The final messages of the nodes that have left already, by name.
    pub(crate) fn final_messages(&self) -> BTreeMap<String, Vec<u8>> {
        let peers = self.mesh.peers.iter();
        peers.filter_map(|peer| Some((peer.name.clone(), peer.final_message.clone()?))).collect()
    }

    /// Sends the last messages, which may still wait for credit.
    fn send_last(&mut self) -> Result<(), NodeError> {
        loop {
            match self.machine.poll() {
                NextAction::AwaitCredit { flow, sink } => self.wait(Want::room(flow, sink))?,
                NextAction::Announce => self.handle(FlowInput::Announce)?,
                _ => return Ok(()),
            }
        }
    }

    fn exchange_final_messages(&mut self, message: &[u8]) -> Result<(), NodeError> {
        self.check_length(message)?;
        self.board.enter(Phase::Leaving);
        self.mesh.peers.iter_mut().for_each(|peer| peer.session.push(Body::Final(message)));
        let patience = self.mesh.patience;
        while let Some(peer) = self.mesh.peers.iter().find(|peer| !peer.is_done(patience)) {
            let what = if peer.final_message.is_none() { Need::End } else { Need::Acknowledgment };
            self.wait(Want { node: peer.node, flow: None, tag: None, what })?;
        }
        // The others need our acknowledgments; on links that lose frames, as often as they repeat theirs.
        self.flush();
        let end = Instant::now() + ECHO;
        while self.mesh.has_unreliable() && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            if self.mesh.pump(left, &mut |_, _| Ok(())).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Ends the run: sends the reason to all others. Their errors name this node.
    pub fn fail(mut self, reason: &str) {
        let me = self.name().to_owned();
        self.announce_failure(&me, reason);
    }

    /// Waits until the others have received the failure: a connection that is closed before all was read from it loses
    /// what was sent last. A busy node reads it later, if at all; it sees then that the connection is closed.
    fn linger(&mut self) {
        let end = Instant::now() + LINGER;
        let is_received = |node: &Node| {
            let peers = node.mesh.peers.iter();
            peers.filter(|peer| peer.is_up()).all(|peer| peer.session.is_settled())
        };
        while !is_received(self) && Instant::now() < end {
            // The run is over: what still comes is ignored.
            let _ = self.mesh.pump(Duration::from_millis(50), &mut |_, _| Ok(()));
        }
    }

    fn advance(&mut self) -> Result<Todo, NodeError> {
        loop {
            match self.machine.poll() {
                NextAction::Emit { flow, tag } => {
                    self.end_wait();
                    return Ok(Todo::Emit { flow, tag });
                }
                NextAction::Consume { tag } => {
                    self.consume(tag)?;
                    return Ok(Todo::Inputs { tag });
                }
                NextAction::Announce => self.handle(FlowInput::Announce)?,
                NextAction::AwaitInput { flow, tag } => {
                    let source = self.topology.flows[flow.index()].source;
                    self.wait(Want::message(flow, tag, source))?;
                }
                NextAction::AwaitCredit { flow, sink } => self.wait(Want::room(flow, sink))?,
                NextAction::Done => {
                    self.flush();
                    return Ok(Todo::Done);
                }
            }
        }
    }

    fn consume(&mut self, tag: Tag) -> Result<(), NodeError> {
        self.end_wait();
        self.batch.clear();
        self.handle(FlowInput::Consume)?;
        if !self.awaited.is_empty() {
            self.compare(false)?;
        }
        self.done(tag);
        // Credit travels with the next message, unless something else comes first.
        if !matches!(self.machine.poll(), NextAction::Emit { .. }) {
            self.flush();
        }
        Ok(())
    }

    fn emit_now(
        &mut self,
        flow: FlowId,
        payload: &[u8],
        next: Option<Tag>,
    ) -> Result<(), NodeError> {
        self.check_length(payload)?;
        while let Some(peer) = self.mesh.peers.iter().find(|peer| !peer.session.has_room()) {
            self.wait(Want { node: peer.node, flow: None, tag: None, what: Need::Acknowledgment })?;
        }
        let NextAction::Emit { tag, .. } = self.machine.poll() else {
            // The machine's error says which step is next.
            return self.handle(FlowInput::Emit { flow, payload: payload.to_vec(), next });
        };
        self.handle(FlowInput::Emit { flow, payload: payload.to_vec(), next })?;
        self.done(tag);
        // Messages of one tag leave together.
        let goes_on =
            matches!(self.machine.poll(), NextAction::Emit { tag: now, .. } if now == tag);
        if !goes_on {
            self.flush();
        }
        Ok(())
    }

    fn check_length(&self, payload: &[u8]) -> Result<(), NodeError> {
        if payload.len() <= FRAME_MAX - HEADER {
            return Ok(());
        }
        let (bytes, most) = (payload.len(), FRAME_MAX - HEADER);
        let problem =
            format!("a message of {bytes} bytes is too long: at most {most} bytes are allowed");
        Err(NodeError::Options { problem })
    }

    fn done(&mut self, tag: Tag) {
        if !self.is_driven_by_plan {
            self.reached(tag);
        }
    }

    fn flush(&mut self) {
        self.mesh.transmit(Instant::now());
    }

    /// Passes an input to the machine, and carries out its outputs.
    fn handle(&mut self, input: FlowInput<Vec<u8>>) -> Result<(), NodeError> {
        let handled = self.machine.handle(input, &mut self.out);
        handled.map_err(|source| self.own_error(source))?;
        self.dispatch()
    }

    fn own_error(&self, source: FlowError) -> NodeError {
        let node = self.name().to_owned();
        NodeError::Flow { node, source: Box::new(source), at: self.mesh.at }
    }

    fn dispatch(&mut self) -> Result<(), NodeError> {
        // A message that a node sends itself may cause further outputs.
        while !self.out.is_empty() {
            let mut out = std::mem::take(&mut self.out);
            for output in out.drain(..) {
                self.carry_out(output)?;
            }
            if self.out.is_empty() {
                self.out = out;
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, output: FlowOutput<Vec<u8>>) -> Result<(), NodeError> {
        let (node, body) = match &output {
            FlowOutput::Send { flow, sink, message: Message { tag, next, payload } } => {
                (*sink, Body::Message { flow: *flow, tag: *tag, next: *next, payload })
            }
            FlowOutput::SendBound { flow, sink, tag } => {
                (*sink, Body::Bound { flow: *flow, tag: *tag })
            }
            FlowOutput::Request { flow, tag } => {
                let source = self.topology.flows[flow.index()].source;
                (source, Body::Request { flow: *flow, tag: *tag })
            }
            FlowOutput::Credit { flow, count } => {
                let source = self.topology.flows[flow.index()].source;
                (source, Body::Credit { flow: *flow, count: *count })
            }
            FlowOutput::Deliver { .. } => {
                if let FlowOutput::Deliver { flow, message } = output {
                    self.batch.push((flow, message.payload));
                }
                return Ok(());
            }
        };
        if node == self.me {
            let handled = deliver(&mut self.machine, &mut self.out, &mut self.awaited, node, body);
            return handled.map_err(|source| self.own_error(source));
        }
        self.mesh.peer(node).session.push(body);
        Ok(())
    }

    /// Returns the result; an error is sent to the other nodes first.
    fn report_error<T>(&mut self, result: Result<T, NodeError>) -> Result<T, NodeError> {
        if let Err(NodeError::Left { .. }) = &result
            && self.is_driven_by_plan
        {
            // The caller decides whether that ends the run, and reports it.
        } else if let Err(NodeError::Failed { .. }) = &result {
            // The node that failed, or saw the failure first, reports it to all.
            self.is_over = true;
            self.board.enter(Phase::Failed);
        } else if let Err(error) = &result {
            let me = self.name().to_owned();
            let failed_node = error.failed_node().map_or(me, str::to_owned);
            self.announce_failure(&failed_node, &error.reason());
        }
        result
    }

    /// Sends to all others that the run has failed, which node caused that, and why.
    fn announce_failure(&mut self, failed_node: &str, reason: &str) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.mesh.abandon();
        self.board.enter(Phase::Failed);
        let at = self.mesh.at;
        for peer in &mut self.mesh.peers {
            peer.session.push(Body::Failed { at, failed_node, reason });
        }
        self.flush();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let me = self.name().to_owned();
        self.announce_failure(&me, "it ended before its flows did");
        if self.mesh.is_abandoned() {
            self.linger();
        }
    }
}

/// Passes what came from the node `from` to the machine.
fn deliver(
    machine: &mut FlowNode<Vec<u8>>,
    out: &mut Vec<FlowOutput<Vec<u8>>>,
    awaited: &mut tally::Awaited,
    from: NodeId,
    body: Body<'_>,
) -> Result<(), FlowError> {
    let is_theirs = |machine: &FlowNode<Vec<u8>>, flow: FlowId| {
        let flows = &machine.topology().flows;
        let is_source = flows.get(flow.index()).is_some_and(|flow| flow.source == from);
        if is_source { Ok(()) } else { Err(FlowError::UnknownFlow { flow: flow.0 }) }
    };
    match body {
        Body::Message { flow, tag, next, payload } => {
            is_theirs(machine, flow)?;
            let message = Message { tag, next, payload: payload.to_vec() };
            machine.handle(FlowInput::Arrived { flow, message }, out)
        }
        Body::Bound { flow, tag } => {
            is_theirs(machine, flow)?;
            machine.handle(FlowInput::Bound { flow, tag }, out)
        }
        Body::Request { flow, tag } => {
            machine.handle(FlowInput::Request { flow, sink: from, tag }, out)
        }
        Body::Credit { flow, count } => {
            machine.handle(FlowInput::Credit { flow, sink: from, count }, out)
        }
        Body::Tally { tally, .. } => tally::keep(machine, from, tally, awaited),
        _ => Ok(()),
    }
}
