//! The links to all other nodes, served by the thread of the node: send what is queued, poll, receive,
//! reconnect.

mod handshake;

use super::acceptor::Acceptor;
use super::message_counts::MessageCounts;
use super::peer::{LinkFailure, LinkState, Peer};
use super::routes::Routes;
use super::status_board::PeerState;
use crate::cancellation::Cancellation;
use crate::error::NodeError;
use crate::frame::{self, Body, Frame, WireError};
use crate::hello::Hello;
use crate::link::{Link, Received};
use crate::session::FrameArrival;
use consort_core::{NodeId, Tag};
use consort_federation::flow::FlowError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::time::{Duration, Instant};

/// On links that lose frames a hello is sent again after this long.
const HELLO_REPEAT: Duration = Duration::from_millis(100);
/// How many damaged frames may come in a row.
const DAMAGES_MAX: u32 = 64;
/// A waiting node sends a heartbeat after this long.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Takes frames of flows: the sender and the body.
pub(crate) type Deliver<'a> = dyn FnMut(NodeId, Body<'_>) -> Result<(), FlowError> + 'a;

/// The links to all other nodes.
pub(crate) struct Mesh {
    pub(crate) peers: Vec<Peer>,
    pub(crate) patience: Duration,
    /// Whether a link that is down for too long is an error: not while nodes still join.
    pub(crate) is_strict: bool,
    /// The run has failed: links that are down are not restored.
    is_abandoned: bool,
    /// Ends a wait from another thread; taken when it fires.
    cancellation: Option<Cancellation>,
    /// Why connections were refused.
    rejected: MessageCounts,
    hello: Hello,
    hello_bytes: Vec<u8>,
    routes: Routes,
    acceptor: Acceptor,
    started: Instant,
    heartbeat: Instant,
    buffer: Vec<u8>,
    /// Indices of the peers whose links have something; kept from poll to poll.
    ready: Vec<usize>,
    /// The last tag that was done, for errors.
    pub(crate) at: Option<Tag>,
}

impl Mesh {
    pub(crate) fn new(
        hello: Hello,
        patience: Duration,
        routes: Routes,
        acceptor: Acceptor,
    ) -> Self {
        let now = Instant::now();
        let me = &hello.node;
        let names = hello.topology.nodes.iter().enumerate();
        let others = names.filter(|(_, name)| *name != me);
        let peers = others
            .map(|(index, name)| Peer::new(name, NodeId::from_index(index), name < me, now))
            .collect();
        Mesh {
            peers,
            patience,
            is_strict: false,
            is_abandoned: false,
            cancellation: None,
            rejected: MessageCounts::default(),
            hello_bytes: hello.to_bytes(),
            hello,
            routes,
            acceptor,
            started: now,
            heartbeat: now + HEARTBEAT,
            buffer: Vec::new(),
            ready: Vec::new(),
            at: None,
        }
    }

    /// With a way to end what it waits for, from another thread.
    pub(crate) fn with_cancellation(mut self, cancellation: Option<Cancellation>) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// The run has failed: nothing is left to cancel or to reconnect, only to send the reason.
    pub(crate) fn abandon(&mut self) {
        (self.cancellation, self.is_abandoned) = (None, true);
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    /// The peer with the id `node`.
    pub(crate) fn peer(&mut self, node: NodeId) -> &mut Peer {
        // Nodes are in the order of their ids; this one is left out.
        let index = self.peers.partition_point(|peer| peer.node < node);
        &mut self.peers[index]
    }

    /// Whether there are links on which the last frame may be lost.
    pub(crate) fn has_unreliable(&self) -> bool {
        self.peers
            .iter()
            .any(|peer| matches!(peer.link_state, LinkState::Up { is_reliable: false, .. }))
    }

    pub(crate) fn peer_states(&self) -> Vec<PeerState> {
        self.peers.iter().map(Peer::state).collect()
    }

    /// Sends what is queued, sleeps until something comes or the time is over, and receives. True if
    /// something came.
    pub(crate) fn pump(
        &mut self,
        wait: Duration,
        deliver: &mut Deliver<'_>,
    ) -> Result<bool, NodeError> {
        let now = Instant::now();
        self.maintain_links(now)?;
        self.transmit(now);
        let has_greeting = self.sleep(now, wait)?;
        if has_greeting {
            while let Some(greeting) = self.acceptor.next_greeting() {
                self.accept_hello(greeting)?;
            }
        }
        let mut ready = std::mem::take(&mut self.ready);
        let came = has_greeting || !ready.is_empty();
        let received = ready.drain(..).try_for_each(|index| self.receive(index, deliver));
        self.ready = ready;
        received.map(|()| came)
    }

    /// Passes to the links what is queued. A link that fails is lost, which is no error yet.
    pub(crate) fn transmit(&mut self, now: Instant) {
        let elapsed = now.duration_since(self.started);
        let is_beat = self.heartbeat <= now;
        if is_beat {
            self.heartbeat = now + HEARTBEAT;
        }
        for peer in &mut self.peers {
            if peer.broken.is_some() {
                continue;
            }
            if let Err(error) = peer.serve(elapsed, is_beat, &mut self.buffer) {
                // Its final message, or its failure, may have arrived already.
                peer.broken = Some(LinkFailure::of(&error));
            }
        }
    }

    /// Links that are down: reconnects, or reports the node as lost.
    fn maintain_links(&mut self, now: Instant) -> Result<(), NodeError> {
        if self.is_abandoned {
            return Ok(());
        }
        for index in 0..self.peers.len() {
            self.check_patience(index, now)?;
            let peer = &mut self.peers[index];
            match &mut peer.link_state {
                LinkState::Down { retry, .. } if peer.is_dialed && *retry <= now => {
                    self.dial(index, now);
                }
                LinkState::Greeting { again, link, .. } if *again <= now && !link.is_reliable() => {
                    *again = now + HELLO_REPEAT;
                    self.send_hello(index, now);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A node that does not reconnect in time is lost. A stopped process is not: the kernel accepts connections
    /// for it, and nothing answers.
    fn check_patience(&mut self, index: usize, now: Instant) -> Result<(), NodeError> {
        let peer = &mut self.peers[index];
        let has_left = peer.final_message.is_some();
        let LinkState::Down { since, failure, .. } = &mut peer.link_state else { return Ok(()) };
        if !self.is_strict || has_left || now < *since + self.patience {
            return Ok(());
        }
        if self.routes.may_be_stopped(&peer.name, peer.is_dialed) {
            *since = now;
            return Ok(());
        }
        let (node, reason) = (peer.name.clone(), failure.reason.clone());
        Err(NodeError::Lost { node, reason, at: self.at })
    }

    fn dial(&mut self, index: usize, now: Instant) {
        let peer = &mut self.peers[index];
        let since = peer.down().map_or(now, |(since, _)| since);
        peer.attempts += 1;
        match self.routes.dial(&peer.name, peer.attempts) {
            Ok(link) => {
                let failure = peer.failure();
                peer.link_state =
                    LinkState::Greeting { link, since, again: now + HELLO_REPEAT, failure };
                self.send_hello(index, now);
            }
            Err(error) => {
                peer.lose(now, LinkFailure::of(&error));
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
                ) {
                    peer.mark_refused();
                }
            }
        }
    }

    /// Sends a hello, with the number of the last frame received.
    fn send_hello(&mut self, index: usize, now: Instant) {
        let peer = &mut self.peers[index];
        let (acknowledgment, body) = (peer.session.received(), Body::Hello(&self.hello_bytes));
        self.buffer.clear();
        frame::encode(&Frame { sequence: 0, acknowledgment, body }, &mut self.buffer);
        let Some(link) = peer.link_mut() else { return };
        if let Err(error) = link.send(&self.buffer).and_then(|()| link.flush()) {
            peer.lose(now, LinkFailure::of(&error));
        }
    }

    /// Until when to sleep at most.
    fn due(&self, now: Instant, wait: Duration) -> Instant {
        let mut due = self.heartbeat.min(now + wait);
        for peer in &self.peers {
            let timer = match &peer.link_state {
                LinkState::Down { retry, .. } if peer.is_dialed => Some(*retry),
                LinkState::Down { since, .. } => {
                    // A time that is over is nothing to wake up for.
                    Some(*since + self.patience).filter(|end| self.is_strict && now < *end)
                }
                LinkState::Greeting { again, .. } => Some(*again),
                LinkState::Up { is_reliable: true, .. } => None,
                LinkState::Up { .. } => peer.session.due().map(|due| self.started + due),
            };
            if peer.broken.is_some() {
                return now;
            }
            let link = peer.link().and_then(Link::due);
            due = timer.into_iter().chain(link).fold(due, Instant::min);
        }
        due
    }

    /// Sleeps until a link has something; true if a new connection sent a hello.
    fn sleep(&mut self, now: Instant, wait: Duration) -> Result<bool, NodeError> {
        let span = self.due(now, wait).saturating_duration_since(now);
        let span = Timespec::try_from(span).expect("at most a heartbeat");
        let mut watched = Vec::with_capacity(2 + self.peers.len());
        watched.push(PollFd::from_borrowed_fd(self.acceptor.wakeup(), PollFlags::IN));
        let mut of_peer = std::mem::take(&mut self.ready);
        of_peer.clear();
        for (index, peer) in self.peers.iter().enumerate() {
            let Some(link) = peer.link() else { continue };
            let out = if link.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
            watched.push(PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN | out));
            of_peer.push(index);
        }
        let cancellation = self.cancellation.as_ref().map(Cancellation::as_fd);
        watched.extend(cancellation.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        match poll(&mut watched, Some(&span)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                return Err(NodeError::Machine { what: "poll", source: error.into() });
            }
        }
        let has_greeting = !watched[0].revents().is_empty();
        let is_last_ready = watched.last().is_some_and(|last| !last.revents().is_empty());
        let is_cancelled = self.cancellation.is_some() && is_last_ready;
        let mut polled = watched[1..].iter();
        of_peer.retain(|index| {
            let is_ready = polled.next().is_some_and(|one| !one.revents().is_empty());
            is_ready || self.peers[*index].broken.is_some()
        });
        self.ready = of_peer;
        if is_cancelled {
            // It fires once: the rest is to send the reason to the others.
            self.cancellation = None;
            return Err(NodeError::Cancelled { at: self.at });
        }
        Ok(has_greeting)
    }

    /// Takes everything that one link has received.
    fn receive(&mut self, index: usize, deliver: &mut Deliver<'_>) -> Result<(), NodeError> {
        let now = Instant::now();
        self.peers[index].last_received = Some(now);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut result = Ok(());
        let mut is_sure = false;
        while result.is_ok() {
            let Some(link) = self.peers[index].link_mut() else { break };
            match link.receive(&mut buffer) {
                Ok(Received::Frame) => result = self.frame(index, now, &mut buffer, deliver),
                // The first time it may only mean that nothing came since the last call.
                Ok(Received::Nothing) if self.peers[index].broken.is_some() && !is_sure => {
                    is_sure = true;
                }
                Ok(Received::Nothing) => {
                    if let Some(reason) = self.peers[index].broken.take() {
                        self.peers[index].lose(now, reason);
                    }
                    break;
                }
                Ok(Received::Closed) => {
                    self.peers[index].lose(now, LinkFailure::closed());
                }
                Err(error) => result = self.broken(index, now, &error),
            }
        }
        self.buffer = buffer;
        result
    }

    /// A broken link is no error yet; invalid frames are.
    fn broken(&mut self, index: usize, now: Instant, error: &io::Error) -> Result<(), NodeError> {
        match WireError::of(error) {
            Some(wire) => self.unreadable(index, now, wire.clone()),
            None => {
                self.peers[index].lose(now, LinkFailure::of(error));
                Ok(())
            }
        }
    }

    /// A damaged frame is sent again: by itself on a link that loses frames, else over a new link.
    fn unreadable(&mut self, index: usize, now: Instant, wire: WireError) -> Result<(), NodeError> {
        let peer = &mut self.peers[index];
        peer.damages += 1;
        if !wire.is_damage() || DAMAGES_MAX < peer.damages {
            return Err(self.wire(index, wire));
        }
        if peer.link().is_some_and(Link::is_reliable) {
            peer.lose(now, LinkFailure::explained(wire.to_string()));
        }
        Ok(())
    }

    fn wire(&self, index: usize, source: WireError) -> NodeError {
        NodeError::Wire { node: self.peers[index].name.clone(), source, at: self.at }
    }

    fn frame(
        &mut self,
        index: usize,
        now: Instant,
        buffer: &mut Vec<u8>,
        deliver: &mut Deliver<'_>,
    ) -> Result<(), NodeError> {
        if !self.peers[index].is_up() {
            return self.handshake_reply(index, now, buffer);
        }
        let elapsed = now.duration_since(self.started);
        match self.peers[index].session.arrive(elapsed, buffer) {
            Err(wire) => return self.unreadable(index, now, wire),
            Ok(FrameArrival::Done) => return self.check_gap(index, now),
            Ok(FrameArrival::Deliver) => self.peers[index].damages = 0,
        }
        loop {
            self.carry_out(index, now, buffer, deliver)?;
            if !self.peers[index].session.early(buffer) {
                return Ok(());
            }
        }
    }

    /// A reliable link has lost a frame: it is sent again over a new link.
    fn check_gap(&mut self, index: usize, now: Instant) -> Result<(), NodeError> {
        let peer = &self.peers[index];
        let is_reliable = matches!(peer.link_state, LinkState::Up { is_reliable: true, .. });
        match peer.session.gap().filter(|_| is_reliable) {
            Some(missing) => self.unreadable(index, now, WireError::Gap { missing }),
            None => Ok(()),
        }
    }

    fn carry_out(
        &mut self,
        index: usize,
        now: Instant,
        bytes: &[u8],
        deliver: &mut Deliver<'_>,
    ) -> Result<(), NodeError> {
        let frame = frame::decode_again(bytes).map_err(|source| self.wire(index, source))?;
        let peer = &mut self.peers[index];
        match frame.body {
            Body::Ready => peer.is_ready = true,
            Body::Final(message) => peer.final_message = Some(message.to_vec()),
            Body::Failed { at, failed_node, reason } => {
                return Err(NodeError::Failed {
                    node: failed_node.to_owned(),
                    reported_by: peer.name.clone(),
                    reason: reason.to_owned(),
                    at,
                });
            }
            Body::Refused(reason) => return Err(self.refused(index, reason)),
            // Our answer to its hello was lost, or its answer came twice.
            Body::Hello(_) if peer.is_dialed => {}
            Body::Hello(_) => self.send_hello(index, now),
            Body::Ask | Body::Answer(_) | Body::Acknowledge => {
                let when = "between two nodes of a run";
                let what = "status frame";
                return Err(self.wire(index, WireError::Unexpected { what, when }));
            }
            body => {
                peer.has_tallied |= matches!(body, Body::Tally { is_last: true, .. });
                let node = peer.node;
                deliver(node, body).map_err(|source| self.flow(index, source))?;
            }
        }
        Ok(())
    }

    fn refused(&self, index: usize, reason: &str) -> NodeError {
        NodeError::Refused { node: self.peers[index].name.clone(), reason: reason.to_owned() }
    }

    fn flow(&self, index: usize, source: FlowError) -> NodeError {
        let node = self.peers[index].name.clone();
        match source {
            FlowError::UnknownFlow { flow } => {
                NodeError::Wire { node, source: WireError::Flow { flow }, at: self.at }
            }
            source => NodeError::Flow { node, source: Box::new(source), at: self.at },
        }
    }
}
