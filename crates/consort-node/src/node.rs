//! A node: the machine of its flows, joined to the others by lines.

mod board;
mod counted;
mod doorman;
mod join;
mod mesh;
mod peer;
mod routes;
mod tally;
mod waiting;

use crate::error::NodeError;
use crate::frame::{Body, FRAME_MAX, HEADER};
use crate::options::WaitListener;
use crate::status::{Need, Phase, Status};
use board::Board;
use consort_core::{LongWait, NodeId, Tag};
use consort_federation::flow::{
    Action, FlowError, FlowId, FlowNode, FlowRecord, Input, Message, Output, Topology,
};
use mesh::Mesh;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use waiting::{ECHO, LINGER, Want};

pub(crate) use board::Board as StatusBoard;

/// A node of a distributed run that has joined.
///
/// Whoever drives it asks [`Node::next`] what to do, does it, and asks again. The thread that asks does
/// all the work: it receives also while it waits for room. When it is done it [leaves](Node::leave);
/// if it cannot go on it [fails](Node::fail), and all others hear why.
///
/// # Determinism
/// What [`Node::next`] says, and with which inputs, depends on the flows alone: not on speed, links,
/// cuts or capacities.
pub struct Node {
    machine: FlowNode<Vec<u8>>,
    me: NodeId,
    topology: Arc<Topology>,
    mesh: Mesh,
    board: Arc<Board>,
    /// What the machine wants done.
    out: Vec<Output<Vec<u8>>>,
    /// What sources told of their flows, and was not reached here yet.
    awaited: tally::Awaited,
    /// What was consumed last.
    batch: Vec<(FlowId, Vec<u8>)>,
    /// What it has waited for, and since when, if for more than a moment.
    want: Option<(Want, Instant)>,
    /// Who hears of long waits, and when they are due.
    listener: Option<WaitListener>,
    long_wait: LongWait,
    /// Whoever drives it says itself which tags are done.
    pub(crate) is_piloted: bool,
    /// It has left or failed: there is nothing more to say.
    is_over: bool,
    /// When the board was written last.
    written: Instant,
}

/// What a node has to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// Compute this message and hand it to [`Node::emit`].
    Emit {
        /// The flow.
        flow: FlowId,
        /// Its tag.
        tag: Tag,
    },
    /// Take these messages: all of this tag, in the order of priority and name.
    Inputs {
        /// Their tag.
        tag: Tag,
        /// Flows and payloads.
        batch: &'a [(FlowId, Vec<u8>)],
    },
    /// Nothing: all flows have ended. Now [leave](Node::leave).
    Done,
}

/// What there is to do, before it is lent.
enum Todo {
    Emit { flow: FlowId, tag: Tag },
    Inputs { tag: Tag },
    Done,
}

impl Node {
    /// The next thing to do; waits for what it takes.
    ///
    /// # Errors
    /// If another node is gone, failed, or sends what it may not. The others hear of it.
    #[expect(clippy::should_implement_trait, reason = "no iterator: what it gives is lent")]
    pub fn next(&mut self) -> Result<Step<'_>, NodeError> {
        let todo = self.advance();
        match self.told(todo)? {
            Todo::Emit { flow, tag } => Ok(Step::Emit { flow, tag }),
            Todo::Inputs { tag } => Ok(Step::Inputs { tag, batch: &self.batch }),
            Todo::Done => Ok(Step::Done),
        }
    }

    /// What [`Node::next`] gave last as inputs.
    pub fn batch(&self) -> &[(FlowId, Vec<u8>)] {
        &self.batch
    }

    /// Takes what [`Node::next`] gave last as inputs.
    pub(crate) fn take_batch(&mut self) -> impl Iterator<Item = (FlowId, Vec<u8>)> + '_ {
        self.batch.drain(..)
    }

    /// Carries out [`Step::Emit`]. `next` is the tag of the message after it, none for the last one; of
    /// an event flow the next event that is planned, if one is.
    ///
    /// # Errors
    /// If it is not the turn of this flow, or the tag does not fit; if another node is gone.
    pub fn emit(
        &mut self,
        flow: FlowId,
        payload: &[u8],
        next: Option<Tag>,
    ) -> Result<(), NodeError> {
        let emitted = self.emit_now(flow, payload, next);
        self.told(emitted)
    }

    /// Plans the next event of an event flow, or none: at the start, and right after inputs that may
    /// cause it.
    ///
    /// # Errors
    /// If it is no event flow, or its cause does not allow that tag.
    pub fn plan(&mut self, flow: FlowId, tag: Option<Tag>) -> Result<(), NodeError> {
        let planned = self.handle(Input::Plan { flow, tag });
        self.told(planned)
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

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.topology.nodes[self.me.index()]
    }

    /// Where it is.
    pub fn status(&mut self) -> Status {
        self.write_board(Instant::now());
        self.board.status()
    }

    /// Where the status can be read while somebody else drives the node.
    pub(crate) fn board(&self) -> Arc<Board> {
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

    /// Says farewell: tells all others `words`, waits for theirs, and until all that was sent has arrived.
    ///
    /// # Errors
    /// If another node is gone or failed before its end.
    pub fn leave(mut self, words: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let sent = self.send_last().and_then(|()| self.tally_last());
        let left = sent.and_then(|()| self.part(words));
        self.took_leave(left)
    }

    /// The same in the middle of a run, which is to end here: nothing more is emitted or consumed. What was
    /// emitted is sent, unless whoever it is for has left, too.
    ///
    /// # Errors
    /// If another node is gone or failed before its end.
    pub fn break_off(mut self, words: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        let sent = match self.send_last() {
            Err(NodeError::Left { .. }) => Ok(()),
            sent => sent,
        };
        self.tell_counts(true);
        let left = sent.and_then(|()| self.part(words));
        self.took_leave(left)
    }

    fn took_leave(
        mut self,
        left: Result<(), NodeError>,
    ) -> Result<BTreeMap<String, Vec<u8>>, NodeError> {
        self.write_board(Instant::now());
        self.told(left)?;
        self.is_over = true;
        let peers = self.mesh.peers.iter_mut();
        Ok(peers.map(|peer| (peer.name.clone(), peer.words.take().unwrap_or_default())).collect())
    }

    /// What those said at last who have left already, by name.
    pub(crate) fn farewells(&self) -> BTreeMap<String, Vec<u8>> {
        let peers = self.mesh.peers.iter();
        peers.filter_map(|peer| Some((peer.name.clone(), peer.words.clone()?))).collect()
    }

    /// The last messages may still wait for room.
    fn send_last(&mut self) -> Result<(), NodeError> {
        loop {
            match self.machine.poll() {
                Action::AwaitCredit { flow, sink } => self.wait(Want::room(flow, sink))?,
                Action::Announce => self.handle(Input::Announce)?,
                _ => return Ok(()),
            }
        }
    }

    fn part(&mut self, words: &[u8]) -> Result<(), NodeError> {
        self.check_length(words)?;
        self.board.enter(Phase::Leaving);
        self.mesh.peers.iter_mut().for_each(|peer| peer.session.push(Body::LastWords(words)));
        let patience = self.mesh.patience;
        while let Some(peer) = self.mesh.peers.iter().find(|peer| !peer.is_done(patience)) {
            let what = if peer.words.is_none() { Need::End } else { Need::Acknowledgment };
            self.wait(Want { node: peer.node, flow: None, tag: None, what })?;
        }
        // They shall hear that their words have arrived; where that may be lost, as often as they ask.
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

    /// Gives up: tells all others why. Their errors name this node.
    pub fn fail(mut self, reason: &str) {
        let me = self.name().to_owned();
        self.blame(&me, reason);
    }

    /// Waits until the others have heard why this node failed: a connection that is closed before all was read from it
    /// takes along what was said last. Those who are busy hear it later, if at all; they see that this node is gone.
    fn linger(&mut self) {
        let end = Instant::now() + LINGER;
        let is_heard = |node: &Node| {
            let peers = node.mesh.peers.iter();
            peers.filter(|peer| peer.is_up()).all(|peer| peer.session.is_settled())
        };
        while !is_heard(self) && Instant::now() < end {
            // What others say now changes nothing.
            let _ = self.mesh.pump(Duration::from_millis(50), &mut |_, _| Ok(()));
        }
    }

    fn advance(&mut self) -> Result<Todo, NodeError> {
        loop {
            match self.machine.poll() {
                Action::Emit { flow, tag } => {
                    self.goes_on();
                    return Ok(Todo::Emit { flow, tag });
                }
                Action::Consume { tag } => {
                    self.consume(tag)?;
                    return Ok(Todo::Inputs { tag });
                }
                Action::Announce => self.handle(Input::Announce)?,
                Action::AwaitInput { flow, tag } => {
                    let source = self.topology.flows[flow.index()].source;
                    self.wait(Want::message(flow, tag, source))?;
                }
                Action::AwaitCredit { flow, sink } => self.wait(Want::room(flow, sink))?,
                Action::Done => {
                    self.flush();
                    return Ok(Todo::Done);
                }
            }
        }
    }

    fn consume(&mut self, tag: Tag) -> Result<(), NodeError> {
        self.goes_on();
        self.batch.clear();
        self.handle(Input::Consume)?;
        if !self.awaited.is_empty() {
            self.compare(false)?;
        }
        self.done(tag);
        // Room that was granted rides on the next message, unless something else comes first.
        if !matches!(self.machine.poll(), Action::Emit { .. }) {
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
        let Action::Emit { tag, .. } = self.machine.poll() else {
            // The machine says what is first.
            return self.handle(Input::Emit { flow, payload: payload.to_vec(), next });
        };
        self.handle(Input::Emit { flow, payload: payload.to_vec(), next })?;
        self.done(tag);
        // Messages of one tag leave together.
        let goes_on = matches!(self.machine.poll(), Action::Emit { tag: now, .. } if now == tag);
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
        let problem = format!("a message of {bytes} bytes is too long; it may have {most}");
        Err(NodeError::Options { problem })
    }

    fn done(&mut self, tag: Tag) {
        if !self.is_piloted {
            self.reached(tag);
        }
    }

    fn flush(&mut self) {
        self.mesh.transmit(Instant::now());
    }

    /// Lets the machine take what happened here, and does what it wants done.
    fn handle(&mut self, input: Input<Vec<u8>>) -> Result<(), NodeError> {
        let handled = self.machine.handle(input, &mut self.out);
        handled.map_err(|source| self.mine(source))?;
        self.dispatch()
    }

    fn mine(&self, source: FlowError) -> NodeError {
        let node = self.name().to_owned();
        NodeError::Flow { node, source: Box::new(source), at: self.mesh.at }
    }

    fn dispatch(&mut self) -> Result<(), NodeError> {
        // What a node sends itself may want more to be done.
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

    fn carry_out(&mut self, output: Output<Vec<u8>>) -> Result<(), NodeError> {
        let (node, body) = match &output {
            Output::Send { flow, sink, message: Message { tag, next, payload } } => {
                (*sink, Body::Message { flow: *flow, tag: *tag, next: *next, payload })
            }
            Output::SendBound { flow, sink, tag } => {
                (*sink, Body::Bound { flow: *flow, tag: *tag })
            }
            Output::Request { flow, tag } => {
                let source = self.topology.flows[flow.index()].source;
                (source, Body::Request { flow: *flow, tag: *tag })
            }
            Output::Credit { flow, count } => {
                let source = self.topology.flows[flow.index()].source;
                (source, Body::Credit { flow: *flow, count: *count })
            }
            Output::Deliver { .. } => {
                if let Output::Deliver { flow, message } = output {
                    self.batch.push((flow, message.payload));
                }
                return Ok(());
            }
        };
        if node == self.me {
            let handled = deliver(&mut self.machine, &mut self.out, &mut self.awaited, node, body);
            return handled.map_err(|source| self.mine(source));
        }
        self.mesh.peer(node).session.push(body);
        Ok(())
    }

    /// Passes a result on; before an error the others are told of it.
    fn told<T>(&mut self, result: Result<T, NodeError>) -> Result<T, NodeError> {
        if let Err(NodeError::Left { .. }) = &result
            && self.is_piloted
        {
            // Whoever pilots it knows whether that is an end, and tells the others.
        } else if let Err(NodeError::Failed { .. }) = &result {
            // Whoever failed, or saw it first, tells all others itself.
            self.is_over = true;
            self.board.enter(Phase::Failed);
        } else if let Err(error) = &result {
            let me = self.name().to_owned();
            let culprit = error.culprit().map_or(me, str::to_owned);
            self.blame(&culprit, &error.reason());
        }
        result
    }

    /// Tells the others that the run is over, and who is to blame.
    fn blame(&mut self, culprit: &str, reason: &str) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.mesh.give_up();
        self.board.enter(Phase::Failed);
        let at = self.mesh.at;
        for peer in &mut self.mesh.peers {
            peer.session.push(Body::Failed { at, culprit, reason });
        }
        self.flush();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let me = self.name().to_owned();
        self.blame(&me, "it ended before its flows did");
        if self.mesh.has_given_up() {
            self.linger();
        }
    }
}

/// What came from `from` goes to the machine.
fn deliver(
    machine: &mut FlowNode<Vec<u8>>,
    out: &mut Vec<Output<Vec<u8>>>,
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
            machine.handle(Input::Arrived { flow, message }, out)
        }
        Body::Bound { flow, tag } => {
            is_theirs(machine, flow)?;
            machine.handle(Input::Bound { flow, tag }, out)
        }
        Body::Request { flow, tag } => {
            machine.handle(Input::Request { flow, sink: from, tag }, out)
        }
        Body::Credit { flow, count } => {
            machine.handle(Input::Credit { flow, sink: from, count }, out)
        }
        Body::Tally { tally, .. } => tally::told(machine, from, tally, awaited),
        _ => Ok(()),
    }
}
