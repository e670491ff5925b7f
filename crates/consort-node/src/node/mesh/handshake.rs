//! Handshakes: checks the hello of another node, and establishes or refuses the link.

use super::super::acceptor::{Greeting, refuse};
use super::super::peer::{LinkFailure, LinkState};
use super::{HEARTBEAT, HELLO_REPEAT, Mesh};
use crate::error::NodeError;
use crate::frame::{self, Body, FRAME_MAX, WireError};
use crate::hello::{Hello, problems};
use crate::link::{Caller, Link};
use std::time::Instant;

impl Mesh {
    /// The answer to our hello, or what came before it on a link that reorders.
    pub(super) fn handshake_reply(
        &mut self,
        index: usize,
        now: Instant,
        bytes: &[u8],
    ) -> Result<(), NodeError> {
        let frame = match frame::decode(bytes) {
            Ok(frame) => frame,
            Err(wire) => return self.unreadable(index, now, wire),
        };
        match frame.body {
            Body::Hello(hello) => {
                let hello = Hello::from_bytes(hello).map_err(|_| {
                    let why = "invalid handshake";
                    self.wire(index, WireError::Payload { kind: 1, why })
                })?;
                self.check(index, &hello)?;
                self.establish(index, &hello, frame.acknowledgment, now)
            }
            Body::Refused(reason) => Err(self.refused(index, reason)),
            _ => Ok(()),
        }
    }

    /// Checks that the node at the other end is the expected one.
    fn check(&self, index: usize, theirs: &Hello) -> Result<(), NodeError> {
        let node = self.peers[index].name.clone();
        let mut found = Vec::new();
        if theirs.run != self.hello.run {
            found.push(format!("node `{}` takes part in another run", theirs.node));
        } else if theirs.node != node {
            found.push(format!("node `{}` answered instead", theirs.node));
        } else if self.is_another(index, theirs) {
            found.push(format!("node `{node}` was restarted: the run cannot continue"));
        } else if let Some(reason) = self.peers[index].identity_mismatch() {
            found.push(reason);
        } else {
            found = problems(&self.hello, theirs);
        }
        if found.is_empty() { Ok(()) } else { Err(NodeError::Mismatch { node, problems: found }) }
    }

    fn is_another(&self, index: usize, theirs: &Hello) -> bool {
        self.peers[index].incarnation.is_some_and(|known| known != theirs.incarnation)
    }

    /// The handshake is done: whatever was not received is sent again.
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
        peer.last_received = Some(now);
        let (failure, is_refused) = (LinkFailure::none(), false);
        let down =
            LinkState::Down { since: now, retry: now, pause: HEARTBEAT, failure, is_refused };
        peer.link_state = match std::mem::replace(&mut peer.link_state, down) {
            LinkState::Greeting { link, .. } | LinkState::Up { link, .. } => {
                LinkState::Up { is_reliable: link.is_reliable(), link }
            }
            down => down,
        };
        Ok(())
    }

    /// A new connection sent a hello: accepts it if it is from a node of the run.
    pub(super) fn accept_hello(&mut self, greeting: Greeting) -> Result<(), NodeError> {
        let Greeting { mut link, caller, frame: bytes } = greeting;
        let decoded = frame::decode(&bytes).ok();
        let hello = decoded.and_then(|frame| match frame.body {
            Body::Hello(hello) => Some((Hello::from_bytes(hello).ok()?, frame.acknowledgment)),
            _ => None,
        });
        let Some((theirs, received)) = hello else {
            return self.reject(&mut *link, "invalid handshake".to_owned());
        };
        let expected_peer = self.expected_peer(&theirs);
        // Another program may use the name; the right one is still awaited.
        let index = match expected_peer.and_then(|it| link.check_name(&theirs.node).map(|()| it)) {
            Ok(index) => index,
            Err(reason) => return self.reject(&mut *link, reason),
        };
        let found = problems(&self.hello, &theirs);
        if !found.is_empty() {
            return self.reject_mismatch(index, &mut *link, caller, &theirs, found);
        }
        if !self.peers[index].session.has_sent(received) {
            return self.reject(
                &mut *link,
                format!("node `{}` acknowledges frames that were never sent", theirs.node),
            );
        }
        link.limit(FRAME_MAX);
        let now = Instant::now();
        let peer = &mut self.peers[index];
        peer.attempts += 1;
        let link = self.routes.disturbed(link, &peer.name, peer.attempts);
        let failure = peer.failure();
        peer.link_state =
            LinkState::Greeting { link, since: now, again: now + HELLO_REPEAT, failure };
        self.send_hello(index, now);
        if self.peers[index].link().is_none() {
            return Ok(());
        }
        // What came after the hello was read with it: no poll reports that.
        self.ready.push(index);
        self.establish(index, &theirs, received, now)
    }

    /// A node with another plan ends the run, if it is trusted to be that node; other senders are only refused.
    fn reject_mismatch(
        &mut self,
        index: usize,
        link: &mut dyn Link,
        caller: Caller,
        theirs: &Hello,
        problems_here: Vec<String>,
    ) -> Result<(), NodeError> {
        // The refusal is written from their point of view.
        refuse(link, &problems(theirs, &self.hello).join("; "));
        let node = theirs.node.clone();
        if caller.is_trusted() && self.peers[index].incarnation.is_none() {
            return Err(NodeError::Mismatch { node, problems: problems_here });
        }
        self.rejected.add(format!("node `{node}`: {}", problems_here.join("; ")));
        Ok(())
    }

    /// The index of the peer that sent a hello; or why it is not expected.
    fn expected_peer(&self, theirs: &Hello) -> Result<usize, String> {
        let node = &theirs.node;
        if theirs.run != self.hello.run {
            return Err(format!("node `{}` takes part in another run", self.hello.node));
        }
        if *node == self.hello.node {
            return Err(format!("node `{node}` exists already: it is the one that was reached"));
        }
        let known = self.peers.iter().position(|peer| peer.name == *node);
        let index = known.ok_or_else(|| format!("there is no node `{node}` in this run"))?;
        if self.peers[index].is_dialed {
            let me = &self.hello.node;
            return Err(format!("wrong direction: node `{me}` connects to node `{node}`"));
        }
        if self.is_another(index, theirs) {
            return Err(format!("another process has joined already as node `{node}`"));
        }
        Ok(index)
    }

    fn reject(&mut self, link: &mut dyn Link, reason: String) -> Result<(), NodeError> {
        refuse(link, &reason);
        self.rejected.add(reason);
        Ok(())
    }

    /// One line for each reason for which connections were refused.
    pub(crate) fn rejected(&self) -> Vec<String> {
        [self.rejected.lines(), self.acceptor.rejected()].concat()
    }
}
