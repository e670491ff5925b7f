//! Another node, as this one sees it: the session with it, and the link that carries it now.

use super::status_board::PeerState;
use crate::link::Link;
use crate::session::Session;
use consort_core::NodeId;
use std::io;
use std::time::{Duration, Instant};

/// How long to wait before the next attempt to connect: doubled up to the second.
const RETRY_MIN: Duration = Duration::from_millis(10);
const RETRY_MAX: Duration = Duration::from_millis(200);

/// Another node, with its session and its link.
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    /// Whether this node connects to it; it connects to this one otherwise.
    pub(crate) is_dialed: bool,
    pub(crate) session: Session,
    pub(crate) link_state: LinkState,
    /// Its incarnation, known from its first hello.
    pub(crate) incarnation: Option<u64>,
    pub(crate) is_ready: bool,
    /// It has sent its last tally.
    pub(crate) has_tallied: bool,
    /// What it sent when it left.
    pub(crate) final_message: Option<Vec<u8>>,
    pub(crate) last_received: Option<Instant>,
    pub(crate) connections: u32,
    /// Why nothing can be sent any more; what was received already is still read.
    pub(crate) broken: Option<LinkFailure>,
    /// How often a connection was tried: each has its own simulated faults.
    pub(crate) attempts: u32,
    /// How many damaged frames came in a row.
    pub(crate) damages: u32,
}

/// What carries frames to another node.
pub(crate) enum LinkState {
    /// There is no link.
    Down {
        /// When the link was lost.
        since: Instant,
        /// When to try again.
        retry: Instant,
        pause: Duration,
        /// The cause of the last failure.
        failure: LinkFailure,
        /// Connections to its endpoint are refused.
        is_refused: bool,
    },
    /// Our hello was sent; the answer is missing.
    Greeting {
        link: Box<dyn Link>,
        /// Since when nothing has carried frames.
        since: Instant,
        /// When to send it again, on links that lose frames.
        again: Instant,
        /// Why there was no link before.
        failure: LinkFailure,
    },
    /// The handshake is done.
    Up { link: Box<dyn Link>, is_reliable: bool },
}

/// Why there is no link.
#[derive(Clone, Debug)]
pub(crate) struct LinkFailure {
    pub(crate) reason: String,
    rank: Rank,
}

/// How much a reason explains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    /// The other node cannot be reached, perhaps as a consequence of an earlier failure.
    Unreachable,
    /// It closed the connection without a reason.
    Closed,
    /// The error explains what is wrong with the connection.
    Explained,
}

impl LinkFailure {
    pub(crate) fn none() -> Self {
        LinkFailure { reason: String::new(), rank: Rank::Unreachable }
    }

    pub(crate) fn closed() -> Self {
        LinkFailure { reason: "it closed the connection".to_owned(), rank: Rank::Closed }
    }

    pub(crate) fn explained(reason: String) -> Self {
        LinkFailure { reason, rank: Rank::Explained }
    }

    pub(crate) fn of(error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        let rank = match error.kind() {
            Kind::ConnectionRefused | Kind::NotFound | Kind::TimedOut => Rank::Unreachable,
            Kind::HostUnreachable | Kind::NetworkUnreachable => Rank::Unreachable,
            Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe => Rank::Closed,
            Kind::UnexpectedEof => Rank::Closed,
            _ => Rank::Explained,
        };
        LinkFailure { reason: error.to_string(), rank }
    }

    /// The reason that explains more; the later of two that explain as much.
    fn followed_by(self, later: LinkFailure) -> LinkFailure {
        if later.rank < self.rank { self } else { later }
    }
}

impl Peer {
    pub(crate) fn new(name: &str, node: NodeId, is_dialed: bool, now: Instant) -> Self {
        Peer {
            name: name.to_owned(),
            node,
            is_dialed,
            session: Session::default(),
            link_state: LinkState::Down {
                since: now,
                retry: now,
                pause: RETRY_MIN,
                failure: LinkFailure {
                    reason: "it has not connected".to_owned(),
                    ..LinkFailure::none()
                },
                is_refused: false,
            },
            incarnation: None,
            is_ready: false,
            has_tallied: false,
            final_message: None,
            last_received: None,
            connections: 0,
            broken: None,
            attempts: 0,
            damages: 0,
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        matches!(self.link_state, LinkState::Up { .. })
    }

    pub(crate) fn link(&self) -> Option<&dyn Link> {
        match &self.link_state {
            LinkState::Down { .. } => None,
            LinkState::Greeting { link, .. } | LinkState::Up { link, .. } => Some(&**link),
        }
    }

    pub(crate) fn link_mut(&mut self) -> Option<&mut Box<dyn Link>> {
        match &mut self.link_state {
            LinkState::Down { .. } => None,
            LinkState::Greeting { link, .. } | LinkState::Up { link, .. } => Some(link),
        }
    }

    /// Sends what is queued for it; if `is_beat`, at least a heartbeat.
    pub(crate) fn serve(
        &mut self,
        elapsed: Duration,
        is_beat: bool,
        buffer: &mut Vec<u8>,
    ) -> io::Result<()> {
        let LinkState::Up { link, is_reliable } = &mut self.link_state else {
            return self.link_mut().map_or(Ok(()), |link| link.flush());
        };
        self.session.transmit(elapsed, *is_reliable, |bytes| link.send(bytes))?;
        if self.session.acknowledgment(*is_reliable, buffer) {
            link.send(buffer)?;
        } else if is_beat {
            self.session.alive(buffer);
            link.send(buffer)?;
        }
        link.flush()
    }

    /// Why the certificate of the other side does not fit its name.
    pub(crate) fn identity_mismatch(&self) -> Option<String> {
        self.link().and_then(|link| link.check_name(&self.name).err())
    }

    /// The link is broken. Until it is restored the time since the first break counts.
    pub(crate) fn lose(&mut self, now: Instant, failure: LinkFailure) {
        self.broken = None;
        let (since, pause) = match &self.link_state {
            LinkState::Down { since, pause, .. } => (*since, (2 * *pause).min(RETRY_MAX)),
            LinkState::Greeting { since, .. } => (*since, RETRY_MAX),
            LinkState::Up { .. } => (now, RETRY_MIN),
        };
        let failure = self.failure().followed_by(failure);
        self.link_state =
            LinkState::Down { since, retry: now + pause, pause, failure, is_refused: false };
    }

    /// Why there is no link, as far as is known.
    pub(crate) fn failure(&self) -> LinkFailure {
        match &self.link_state {
            LinkState::Down { failure, .. } | LinkState::Greeting { failure, .. } => {
                failure.clone()
            }
            LinkState::Up { .. } => LinkFailure::none(),
        }
    }

    /// Connections to its endpoint are refused.
    pub(crate) fn mark_refused(&mut self) {
        if let LinkState::Down { is_refused, .. } = &mut self.link_state {
            *is_refused = true;
        }
    }

    /// Since when nothing has carried frames, and why.
    pub(crate) fn down(&self) -> Option<(Instant, &str)> {
        match &self.link_state {
            LinkState::Down { since, failure, .. } => Some((*since, &failure.reason)),
            LinkState::Greeting { since, failure, .. } if failure.rank == Rank::Explained => {
                Some((*since, &failure.reason))
            }
            LinkState::Greeting { since, .. } => Some((*since, "no answer")),
            LinkState::Up { .. } => None,
        }
    }

    /// Whether it needs nothing more from this node. One that has sent its final message and does not reconnect
    /// has ended properly: it had received ours, only its acknowledgment was lost.
    pub(crate) fn is_done(&self, patience: Duration) -> bool {
        let has_gone = match &self.link_state {
            LinkState::Down { since, is_refused, .. } => *is_refused || patience <= since.elapsed(),
            _ => false,
        };
        self.final_message.is_some() && (self.session.is_settled() || has_gone)
    }

    pub(crate) fn state(&self) -> PeerState {
        PeerState {
            node: self.name.clone(),
            is_connected: self.is_up(),
            last_received: self.last_received,
            connections: self.connections,
        }
    }
}
