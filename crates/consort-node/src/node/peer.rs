//! Another node, as this one sees it: the session with it, and the line that carries it now.

use super::board::PeerTold;
use crate::link::Link;
use crate::session::Session;
use consort_core::NodeId;
use std::io;
use std::time::{Duration, Instant};

/// How long to wait before the next attempt to connect: doubled up to the second.
const RETRY_MIN: Duration = Duration::from_millis(10);
const RETRY_MAX: Duration = Duration::from_millis(200);

/// Another node.
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    /// Whether this node connects to it; it connects to this one otherwise.
    pub(crate) is_dialed: bool,
    pub(crate) session: Session,
    pub(crate) line: Line,
    /// Which one of that name it is; known from its first hello.
    pub(crate) incarnation: Option<u64>,
    pub(crate) is_ready: bool,
    /// It has told what its flows have carried, for the last time.
    pub(crate) has_tallied: bool,
    /// What it said at its end.
    pub(crate) words: Option<Vec<u8>>,
    pub(crate) heard: Option<Instant>,
    pub(crate) connections: u32,
    /// Why nothing can be sent any more; what has come already is still read.
    pub(crate) broken: Option<Trouble>,
    /// How often a connection was tried: a simulated network is another one each time.
    pub(crate) attempts: u32,
    /// How often what came was damaged, since the last time that something was not.
    pub(crate) damages: u32,
}

/// What carries frames to another node.
pub(crate) enum Line {
    /// Nothing does.
    Down {
        /// Since when.
        since: Instant,
        /// When to try again.
        retry: Instant,
        pause: Duration,
        /// The cause of the last failure.
        trouble: Trouble,
        /// Nobody listens where it was.
        is_deserted: bool,
    },
    /// We said hello and wait for the answer.
    Greeting {
        link: Box<dyn Link>,
        /// Since when nothing has carried frames.
        since: Instant,
        /// When to say it again; on links that lose frames.
        again: Instant,
        /// Why there was no line before.
        trouble: Trouble,
    },
    /// All is well.
    Up { link: Box<dyn Link>, is_reliable: bool },
}

/// Why there is no line.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) reason: String,
    rank: Rank,
}

/// How much a reason explains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    /// The other node is not to be reached, which may be because of what happened before.
    Unreachable,
    /// It closed the connection and did not say why.
    Closed,
    /// The error says what is wrong with the connection.
    Explained,
}

impl Trouble {
    pub(crate) fn none() -> Self {
        Trouble { reason: String::new(), rank: Rank::Unreachable }
    }

    pub(crate) fn closed() -> Self {
        Trouble { reason: "it closed the connection".to_owned(), rank: Rank::Closed }
    }

    pub(crate) fn explained(reason: String) -> Self {
        Trouble { reason, rank: Rank::Explained }
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
        Trouble { reason: error.to_string(), rank }
    }

    /// The reason that explains more; the later of two that explain as much.
    fn followed_by(self, later: Trouble) -> Trouble {
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
            line: Line::Down {
                since: now,
                retry: now,
                pause: RETRY_MIN,
                trouble: Trouble { reason: "it has not connected".to_owned(), ..Trouble::none() },
                is_deserted: false,
            },
            incarnation: None,
            is_ready: false,
            has_tallied: false,
            words: None,
            heard: None,
            connections: 0,
            broken: None,
            attempts: 0,
            damages: 0,
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        matches!(self.line, Line::Up { .. })
    }

    pub(crate) fn link(&self) -> Option<&dyn Link> {
        match &self.line {
            Line::Down { .. } => None,
            Line::Greeting { link, .. } | Line::Up { link, .. } => Some(&**link),
        }
    }

    pub(crate) fn link_mut(&mut self) -> Option<&mut Box<dyn Link>> {
        match &mut self.line {
            Line::Down { .. } => None,
            Line::Greeting { link, .. } | Line::Up { link, .. } => Some(link),
        }
    }

    /// Sends what waits for it; if `is_beat`, at least that this node is alive.
    pub(crate) fn serve(
        &mut self,
        elapsed: Duration,
        is_beat: bool,
        buffer: &mut Vec<u8>,
    ) -> io::Result<()> {
        let Line::Up { link, is_reliable } = &mut self.line else {
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

    /// Why who is there is not who it says it is.
    pub(crate) fn doubt(&self) -> Option<String> {
        self.link().and_then(|link| link.vouch(&self.name).err())
    }

    /// The line is broken. While it is being re-made the time goes on from the first break.
    pub(crate) fn lose(&mut self, now: Instant, trouble: Trouble) {
        self.broken = None;
        let (since, pause) = match &self.line {
            Line::Down { since, pause, .. } => (*since, (2 * *pause).min(RETRY_MAX)),
            Line::Greeting { since, .. } => (*since, RETRY_MAX),
            Line::Up { .. } => (now, RETRY_MIN),
        };
        let trouble = self.trouble().followed_by(trouble);
        self.line = Line::Down { since, retry: now + pause, pause, trouble, is_deserted: false };
    }

    /// Why there is no line, as far as is known.
    pub(crate) fn trouble(&self) -> Trouble {
        match &self.line {
            Line::Down { trouble, .. } | Line::Greeting { trouble, .. } => trouble.clone(),
            Line::Up { .. } => Trouble::none(),
        }
    }

    /// Nobody listens where it was.
    pub(crate) fn desert(&mut self) {
        if let Line::Down { is_deserted, .. } = &mut self.line {
            *is_deserted = true;
        }
    }

    /// Since when nothing has carried frames, and why.
    pub(crate) fn down(&self) -> Option<(Instant, &str)> {
        match &self.line {
            Line::Down { since, trouble, .. } => Some((*since, &trouble.reason)),
            Line::Greeting { since, trouble, .. } if trouble.rank == Rank::Explained => {
                Some((*since, &trouble.reason))
            }
            Line::Greeting { since, .. } => Some((*since, "it does not answer")),
            Line::Up { .. } => None,
        }
    }

    /// Whether it needs nothing more from this node. One that said its last words and did not come back
    /// has gone in peace: it had received ours, only its acknowledgment was lost.
    pub(crate) fn is_done(&self, patience: Duration) -> bool {
        let has_gone = match &self.line {
            Line::Down { since, is_deserted, .. } => *is_deserted || patience <= since.elapsed(),
            _ => false,
        };
        self.words.is_some() && (self.session.is_settled() || has_gone)
    }

    pub(crate) fn told(&self) -> PeerTold {
        PeerTold {
            node: self.name.clone(),
            is_connected: self.is_up(),
            heard: self.heard,
            connections: self.connections,
        }
    }
}
