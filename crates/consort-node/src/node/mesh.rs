//! All lines to the other nodes, served by the thread that asks: send what waits, poll, receive, connect
//! again.

use super::board::PeerTold;
use super::counted::Counted;
use super::doorman::{Doorman, Visitor, refuse};
use super::peer::{Line, Peer, Trouble};
use super::routes::Routes;
use crate::cancellation::Cancellation;
use crate::error::NodeError;
use crate::frame::{self, Body, FRAME_MAX, Frame, WireError};
use crate::hello::{Hello, problems};
use crate::link::{Caller, Link, Received};
use crate::session::Arrival;
use consort_core::{NodeId, Tag};
use consort_federation::flow::FlowError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::time::{Duration, Instant};

/// On links that lose frames a hello is said again after this long.
const GREETING: Duration = Duration::from_millis(100);
/// How often in a row what comes may be damaged: a line that damages everything carries nothing.
const DAMAGES_MAX: u32 = 64;
/// A node that waits says so often that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Takes what came for the flows: from whom, and what.
pub(crate) type Deliver<'a> = dyn FnMut(NodeId, Body<'_>) -> Result<(), FlowError> + 'a;

/// All lines to the other nodes.
pub(crate) struct Mesh {
    pub(crate) peers: Vec<Peer>,
    pub(crate) patience: Duration,
    /// Whether a line that is down for too long is an error: not while nodes still come.
    pub(crate) is_strict: bool,
    /// Lines that are down stay down: all that is left is to be heard.
    has_given_up: bool,
    /// Ends what is waited for; taken when it fires.
    cancellation: Option<Cancellation>,
    /// Why visitors were refused.
    strangers: Counted,
    hello: Hello,
    hello_bytes: Vec<u8>,
    routes: Routes,
    doorman: Doorman,
    started: Instant,
    heartbeat: Instant,
    buffer: Vec<u8>,
    /// Which lines have something: kept from poll to poll.
    ready: Vec<usize>,
    /// The last tag that was done: errors tell it.
    pub(crate) at: Option<Tag>,
}

impl Mesh {
    pub(crate) fn new(hello: Hello, patience: Duration, routes: Routes, doorman: Doorman) -> Self {
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
            has_given_up: false,
            cancellation: None,
            strangers: Counted::default(),
            hello_bytes: hello.to_bytes(),
            hello,
            routes,
            doorman,
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

    /// The run has failed: nothing is left to cancel or to reconnect, only to tell the others.
    pub(crate) fn give_up(&mut self) {
        (self.cancellation, self.has_given_up) = (None, true);
    }

    pub(crate) fn has_given_up(&self) -> bool {
        self.has_given_up
    }

    /// Everything of the other node `node`.
    pub(crate) fn peer(&mut self, node: NodeId) -> &mut Peer {
        // Nodes are in the order of their ids; this one is left out.
        let index = self.peers.partition_point(|peer| peer.node < node);
        &mut self.peers[index]
    }

    /// Whether there are lines now on which the last frame may be lost.
    pub(crate) fn has_unreliable(&self) -> bool {
        self.peers.iter().any(|peer| matches!(peer.line, Line::Up { is_reliable: false, .. }))
    }

    pub(crate) fn told(&self) -> Vec<PeerTold> {
        self.peers.iter().map(Peer::told).collect()
    }

    /// Sends what waits, sleeps until something comes or the time is over, and receives. Whether
    /// something came.
    pub(crate) fn pump(
        &mut self,
        wait: Duration,
        deliver: &mut Deliver<'_>,
    ) -> Result<bool, NodeError> {
        let now = Instant::now();
        self.attend(now)?;
        self.transmit(now);
        let is_rung = self.sleep(now, wait)?;
        if is_rung {
            while let Some(visitor) = self.doorman.visitor() {
                self.admit(visitor)?;
            }
        }
        let mut ready = std::mem::take(&mut self.ready);
        let came = is_rung || !ready.is_empty();
        let received = ready.drain(..).try_for_each(|index| self.receive(index, deliver));
        self.ready = ready;
        received.map(|()| came)
    }

    /// Hands to the links what waits. A link that does not take it is lost, which is no error yet.
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
                // Its last words, or why it failed, may be there already.
                peer.broken = Some(Trouble::of(&error));
            }
        }
    }

    /// Lines that are down: connects again, or gives up.
    fn attend(&mut self, now: Instant) -> Result<(), NodeError> {
        if self.has_given_up {
            return Ok(());
        }
        for index in 0..self.peers.len() {
            self.check_patience(index, now)?;
            let peer = &mut self.peers[index];
            match &mut peer.line {
                Line::Down { retry, .. } if peer.is_dialed && *retry <= now => {
                    self.dial(index, now);
                }
                Line::Greeting { again, link, .. } if *again <= now && !link.is_reliable() => {
                    *again = now + GREETING;
                    self.greet(index, now);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Who does not come back is gone. Not so who is there and silent: a stopped process accepts
    /// connections and answers none.
    fn check_patience(&mut self, index: usize, now: Instant) -> Result<(), NodeError> {
        let peer = &mut self.peers[index];
        let has_left = peer.words.is_some();
        let Line::Down { since, trouble, .. } = &mut peer.line else { return Ok(()) };
        if !self.is_strict || has_left || now < *since + self.patience {
            return Ok(());
        }
        if self.routes.may_be_stopped(&peer.name, peer.is_dialed) {
            *since = now;
            return Ok(());
        }
        let (node, reason) = (peer.name.clone(), trouble.reason.clone());
        Err(NodeError::Gone { node, reason, at: self.at })
    }

    fn dial(&mut self, index: usize, now: Instant) {
        let peer = &mut self.peers[index];
        let since = peer.down().map_or(now, |(since, _)| since);
        peer.attempts += 1;
        match self.routes.dial(&peer.name, peer.attempts) {
            Ok(link) => {
                let trouble = peer.trouble();
                peer.line = Line::Greeting { link, since, again: now + GREETING, trouble };
                self.greet(index, now);
            }
            Err(error) => {
                peer.lose(now, Trouble::of(&error));
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
                ) {
                    peer.desert();
                }
            }
        }
    }

    /// Says hello, and how much was received.
    fn greet(&mut self, index: usize, now: Instant) {
        let peer = &mut self.peers[index];
        let (acknowledgment, body) = (peer.session.received(), Body::Hello(&self.hello_bytes));
        self.buffer.clear();
        frame::encode(&Frame { sequence: 0, acknowledgment, body }, &mut self.buffer);
        let Some(link) = peer.link_mut() else { return };
        if let Err(error) = link.send(&self.buffer).and_then(|()| link.flush()) {
            peer.lose(now, Trouble::of(&error));
        }
    }

    /// Until when to sleep at most.
    fn due(&self, now: Instant, wait: Duration) -> Instant {
        let mut due = self.heartbeat.min(now + wait);
        for peer in &self.peers {
            let timer = match &peer.line {
                Line::Down { retry, .. } if peer.is_dialed => Some(*retry),
                Line::Down { since, .. } => {
                    // What is over already is nothing to wake up for.
                    Some(*since + self.patience).filter(|end| self.is_strict && now < *end)
                }
                Line::Greeting { again, .. } => Some(*again),
                Line::Up { is_reliable: true, .. } => None,
                Line::Up { .. } => peer.session.due().map(|due| self.started + due),
            };
            if peer.broken.is_some() {
                return now;
            }
            let link = peer.link().and_then(Link::due);
            due = timer.into_iter().chain(link).fold(due, Instant::min);
        }
        due
    }

    /// Sleeps until a line has something; whether somebody new is there.
    fn sleep(&mut self, now: Instant, wait: Duration) -> Result<bool, NodeError> {
        let span = self.due(now, wait).saturating_duration_since(now);
        let span = Timespec::try_from(span).expect("at most a heartbeat");
        let mut watched = Vec::with_capacity(2 + self.peers.len());
        watched.push(PollFd::from_borrowed_fd(self.doorman.bell(), PollFlags::IN));
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
        let is_rung = !watched[0].revents().is_empty();
        let is_last_ready = watched.last().is_some_and(|last| !last.revents().is_empty());
        let is_cancelled = self.cancellation.is_some() && is_last_ready;
        let mut polled = watched[1..].iter();
        of_peer.retain(|index| {
            let is_ready = polled.next().is_some_and(|one| !one.revents().is_empty());
            is_ready || self.peers[*index].broken.is_some()
        });
        self.ready = of_peer;
        if is_cancelled {
            // It fires once: what is left to do is to tell the others.
            self.cancellation = None;
            return Err(NodeError::Cancelled { at: self.at });
        }
        Ok(is_rung)
    }

    /// Takes everything that is there on one line.
    fn receive(&mut self, index: usize, deliver: &mut Deliver<'_>) -> Result<(), NodeError> {
        let now = Instant::now();
        self.peers[index].heard = Some(now);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut result = Ok(());
        let mut is_sure = false;
        while result.is_ok() {
            let Some(link) = self.peers[index].link_mut() else { break };
            match link.receive(&mut buffer) {
                Ok(Received::Frame) => result = self.frame(index, now, &mut buffer, deliver),
                // The first time it may only mean that nothing came since it was asked last.
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
                    self.peers[index].lose(now, Trouble::closed());
                }
                Err(error) => result = self.broken(index, now, &error),
            }
        }
        self.buffer = buffer;
        result
    }

    /// A line that breaks is no error yet; one that carries what can be no frame is.
    fn broken(&mut self, index: usize, now: Instant, error: &io::Error) -> Result<(), NodeError> {
        match WireError::of(error) {
            Some(wire) => self.unreadable(index, now, wire.clone()),
            None => {
                self.peers[index].lose(now, Trouble::of(error));
                Ok(())
            }
        }
    }

    /// What was damaged on its way comes again: by itself on a link that loses frames, else over a new line.
    fn unreadable(&mut self, index: usize, now: Instant, wire: WireError) -> Result<(), NodeError> {
        let peer = &mut self.peers[index];
        peer.damages += 1;
        if !wire.is_damage() || DAMAGES_MAX < peer.damages {
            return Err(self.wire(index, wire));
        }
        if peer.link().is_some_and(Link::is_reliable) {
            peer.lose(now, Trouble::explained(wire.to_string()));
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
            return self.greeted(index, now, buffer);
        }
        let elapsed = now.duration_since(self.started);
        match self.peers[index].session.arrive(elapsed, buffer) {
            Err(wire) => return self.unreadable(index, now, wire),
            Ok(Arrival::Done) => return self.check_gap(index, now),
            Ok(Arrival::Deliver) => self.peers[index].damages = 0,
        }
        loop {
            self.carry_out(index, now, buffer, deliver)?;
            if !self.peers[index].session.early(buffer) {
                return Ok(());
            }
        }
    }

    /// A link that loses nothing has lost something: a new line brings it again.
    fn check_gap(&mut self, index: usize, now: Instant) -> Result<(), NodeError> {
        let peer = &self.peers[index];
        let is_reliable = matches!(peer.line, Line::Up { is_reliable: true, .. });
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
            Body::LastWords(words) => peer.words = Some(words.to_vec()),
            Body::Failed { at, culprit, reason } => {
                return Err(NodeError::Failed {
                    node: culprit.to_owned(),
                    told_by: peer.name.clone(),
                    reason: reason.to_owned(),
                    at,
                });
            }
            Body::Refused(reason) => return Err(self.refused(index, reason)),
            // Our answer to its hello was lost, or its answer came twice.
            Body::Hello(_) if peer.is_dialed => {}
            Body::Hello(_) => self.greet(index, now),
            Body::Ask | Body::Answer(_) | Body::Acknowledge => {
                let when = "between two nodes of a run";
                let what = "a frame of the status";
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

    /// The answer to our hello, or what came before it on a link that does not keep the order.
    fn greeted(&mut self, index: usize, now: Instant, bytes: &[u8]) -> Result<(), NodeError> {
        let frame = match frame::decode(bytes) {
            Ok(frame) => frame,
            Err(wire) => return self.unreadable(index, now, wire),
        };
        match frame.body {
            Body::Hello(hello) => {
                let hello = Hello::from_bytes(hello).map_err(|_| {
                    let why = "the hand-shake cannot be read";
                    self.wire(index, WireError::Payload { kind: 1, why })
                })?;
                self.check(index, &hello)?;
                self.establish(index, &hello, frame.acknowledgment, now)
            }
            Body::Refused(reason) => Err(self.refused(index, reason)),
            _ => Ok(()),
        }
    }

    /// Whether the node we reached is the one that we looked for.
    fn check(&self, index: usize, theirs: &Hello) -> Result<(), NodeError> {
        let node = self.peers[index].name.clone();
        let mut found = Vec::new();
        if theirs.run != self.hello.run {
            found.push(format!("node `{}` takes part in another run", theirs.node));
        } else if theirs.node != node {
            found.push(format!("it says that it is node `{}`", theirs.node));
        } else if self.is_another(index, theirs) {
            found.push(format!("node `{node}` was started anew: the run cannot go on"));
        } else if let Some(reason) = self.peers[index].doubt() {
            found.push(reason);
        } else {
            found = problems(&self.hello, theirs);
        }
        if found.is_empty() { Ok(()) } else { Err(NodeError::Mismatch { node, problems: found }) }
    }

    fn is_another(&self, index: usize, theirs: &Hello) -> bool {
        self.peers[index].incarnation.is_some_and(|known| known != theirs.incarnation)
    }

    /// The hand-shake is done: whatever was not received is sent again.
    fn establish(
        &mut self,
        index: usize,
        theirs: &Hello,
        received: u64,
        now: Instant,
    ) -> Result<(), NodeError> {
        let resumed = self.peers[index].session.reconnected(received);
        resumed.map_err(|source| self.wire(index, source))?;
        let peer = &mut self.peers[index];
        peer.incarnation = Some(theirs.incarnation);
        peer.broken = None;
        peer.connections += 1;
        peer.heard = Some(now);
        let (trouble, is_deserted) = (Trouble::none(), false);
        let line = Line::Down { since: now, retry: now, pause: HEARTBEAT, trouble, is_deserted };
        peer.line = match std::mem::replace(&mut peer.line, line) {
            Line::Greeting { link, .. } | Line::Up { link, .. } => {
                Line::Up { is_reliable: link.is_reliable(), link }
            }
            down => down,
        };
        Ok(())
    }

    /// Somebody said hello: one of ours, or a stranger.
    fn admit(&mut self, visitor: Visitor) -> Result<(), NodeError> {
        let Visitor { mut link, caller, frame: bytes } = visitor;
        let decoded = frame::decode(&bytes).ok();
        let hello = decoded.and_then(|frame| match frame.body {
            Body::Hello(hello) => Some((Hello::from_bytes(hello).ok()?, frame.acknowledgment)),
            _ => None,
        });
        let Some((theirs, received)) = hello else {
            return self.send_away(&mut *link, "the hand-shake cannot be read".to_owned());
        };
        let invited = self.invited(&theirs);
        // Somebody else may use the name; the right one is still awaited.
        let index = match invited.and_then(|it| link.vouch(&theirs.node).map(|()| it)) {
            Ok(index) => index,
            Err(reason) => return self.send_away(&mut *link, reason),
        };
        let found = problems(&self.hello, &theirs);
        if !found.is_empty() {
            return self.misfit(index, &mut *link, caller, &theirs, found);
        }
        if !self.peers[index].session.has_sent(received) {
            return self.send_away(&mut *link, format!("node `{}` never got so far", theirs.node));
        }
        link.limit(FRAME_MAX);
        let now = Instant::now();
        let peer = &mut self.peers[index];
        peer.attempts += 1;
        let link = self.routes.disturbed(link, &peer.name, peer.attempts);
        let trouble = peer.trouble();
        peer.line = Line::Greeting { link, since: now, again: now + GREETING, trouble };
        self.greet(index, now);
        if self.peers[index].link().is_none() {
            return Ok(());
        }
        // What came behind the hello was read with it: nothing wakes us for that.
        self.ready.push(index);
        self.establish(index, &theirs, received, now)
    }

    /// A node that does not fit is the end, if it can be believed that it is that node. Anybody else may say so, too.
    fn misfit(
        &mut self,
        index: usize,
        link: &mut dyn Link,
        caller: Caller,
        theirs: &Hello,
        problems_here: Vec<String>,
    ) -> Result<(), NodeError> {
        // What they hear is told from their side.
        refuse(link, &problems(theirs, &self.hello).join("; "));
        let node = theirs.node.clone();
        if caller.is_trusted() && self.peers[index].incarnation.is_none() {
            return Err(NodeError::Mismatch { node, problems: problems_here });
        }
        self.strangers.add(format!("node `{node}`: {}", problems_here.join("; ")));
        Ok(())
    }

    /// Which of the other nodes that is; or why it is none of them.
    fn invited(&self, theirs: &Hello) -> Result<usize, String> {
        let node = &theirs.node;
        if theirs.run != self.hello.run {
            return Err(format!("node `{}` takes part in another run", self.hello.node));
        }
        if *node == self.hello.node {
            return Err(format!(
                "there is a node `{node}` already: it is the one that you reached"
            ));
        }
        let known = self.peers.iter().position(|peer| peer.name == *node);
        let index = known.ok_or_else(|| format!("there is no node `{node}` in this run"))?;
        if self.peers[index].is_dialed {
            let me = &self.hello.node;
            return Err(format!("node `{me}` connects to node `{node}`, not the other way round"));
        }
        if self.is_another(index, theirs) {
            return Err(format!("a node `{node}` has joined already, and this is another one"));
        }
        Ok(index)
    }

    fn send_away(&mut self, link: &mut dyn Link, reason: String) -> Result<(), NodeError> {
        refuse(link, &reason);
        self.strangers.add(reason);
        Ok(())
    }

    /// Who came and was refused, in words.
    pub(crate) fn strangers(&self) -> Vec<String> {
        [self.strangers.words(), self.doorman.strangers()].concat()
    }
}
