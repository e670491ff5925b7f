//! Links over Zenoh: explicit endpoints, no scouting, and no trust in delivery.
//!
//! Zenoh knows sessions and keys, not connections; what follows makes a connection of them. The node that
//! listens opens a session at its locator and watches the liveliness tokens `consort/link/*/up`. The node that
//! connects opens a session of its own for each link, whose id names the link, and declares the token
//! `consort/link/ID/up`; the other answers with `consort/link/ID/down`. Messages go under the same keys. A token
//! that goes closes the link, as the end of a stream does.
//!
//! The guarantees of Zenoh are not sufficient (it drops messages of a slow or stopped receiver, or blocks, or closes the
//! transport), so none are used: messages may be dropped and never block the sender, the session above sends
//! again. Only the lease is changed, since it would take a stopped process for a dead one. Callbacks only
//! put what came into an [`Inbox`], whose descriptor is polled.

mod config;
mod inbox;

use super::{Link, Received};
use crate::credentials::TlsFiles;
use crate::frame;
use config::open;
use inbox::{AcceptQueue, Inbox};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use zenoh::key_expr::KeyExpr;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

/// Frames leave in messages of about this size at most: larger ones Zenoh would cut into fragments.
const MESSAGE_SIZE: usize = 32 * 1024;

/// Where links of this kind arrive.
pub struct ZenohListener {
    queue: Arc<AcceptQueue>,
    /// Goes before the session that it was declared on.
    _watch: Subscriber<()>,
    session: Session,
}

impl ZenohListener {
    /// Listens at a locator of Zenoh's, like `tcp/127.0.0.1:7447`.
    ///
    /// # Errors
    /// If Zenoh cannot listen there, or a file of the certificates is not valid.
    pub fn open(locator: &str, tls: Option<&TlsFiles>) -> io::Result<ZenohListener> {
        let session = open(&config::listening(locator), tls)?;
        let queue = Arc::new(AcceptQueue::new()?);
        let seen = Arc::clone(&queue);
        let watch = session
            .liveliness()
            .declare_subscriber("consort/link/*/up")
            .history(true)
            .callback(move |sample: Sample| {
                // consort/link/ID/up
                if let Some(id) = sample.key_expr().as_str().split('/').nth(2) {
                    seen.note(id, sample.kind() == SampleKind::Put);
                }
            })
            .wait();
        Ok(ZenohListener { queue, _watch: watch.map_err(broken)?, session })
    }

    /// The next link, if one has arrived.
    ///
    /// # Errors
    /// If Zenoh refuses to open it.
    pub fn accept(&self) -> io::Result<Option<ZenohLink>> {
        let Some((id, inbox)) = self.queue.accept()? else { return Ok(None) };
        ZenohLink::new(self.session.clone(), &id, Direction::Down, inbox, None).map(Some)
    }

    /// What to poll: readable if a link may have arrived.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// A link over Zenoh.
pub struct ZenohLink {
    inbox: Arc<Inbox>,
    /// The message that was taken last, and how far its frames were.
    message: Vec<u8>,
    position: usize,
    outgoing: Vec<u8>,
    // In this order they go: what was declared on a session, then the session.
    publisher: Publisher<'static>,
    _subscriber: Subscriber<()>,
    _watch: Option<Subscriber<()>>,
    _token: LivelinessToken,
    _session: Session,
}

/// From the node that connects to the one that listens, or back: where a link's messages go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Direction {
    fn key(self, id: &str) -> io::Result<KeyExpr<'static>> {
        let end = match self {
            Direction::Up => "up",
            Direction::Down => "down",
        };
        KeyExpr::try_from(format!("consort/link/{id}/{end}")).map_err(broken)
    }

    fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        }
    }
}

impl ZenohLink {
    /// Connects to the node that listens at the locator; waits for its answer for a while.
    ///
    /// # Errors
    /// If the connection is refused or not answered in time, or the certificates are refused.
    pub fn connect(
        locator: &str,
        tls: Option<&TlsFiles>,
        patience: Duration,
    ) -> io::Result<ZenohLink> {
        let end = Instant::now() + patience;
        let session = open(&config::connecting(locator, patience), tls)?;
        let id = session.zid().to_string();
        let inbox = Arc::new(Inbox::new()?);
        let watch = watch(&session, &id, &inbox)?;
        let link = ZenohLink::new(session, &id, Direction::Up, inbox, Some(watch))?;
        if link.inbox.wait_for_peer(end) {
            Ok(link)
        } else {
            let reason = format!("connection to `zenoh:{locator}` refused");
            Err(io::Error::new(io::ErrorKind::TimedOut, reason))
        }
    }

    /// A link with this id; ready to receive before the other side knows of it.
    fn new(
        session: Session,
        id: &str,
        out: Direction,
        inbox: Arc<Inbox>,
        watch: Option<Subscriber<()>>,
    ) -> io::Result<ZenohLink> {
        let filled = Arc::clone(&inbox);
        let subscriber = session
            .declare_subscriber(out.opposite().key(id)?)
            .callback(move |sample: Sample| filled.put(sample.payload().to_bytes().into_owned()))
            .wait()
            .map_err(broken)?;
        // Not `express`: frames are gathered until a flush, and a lone message does not wait for others anyway.
        let publisher = session
            .declare_publisher(out.key(id)?)
            .congestion_control(CongestionControl::Drop)
            .wait()
            .map_err(broken)?;
        let token = session.liveliness().declare_token(out.key(id)?).wait().map_err(broken)?;
        Ok(ZenohLink {
            inbox,
            message: Vec::new(),
            position: 0,
            outgoing: Vec::new(),
            publisher,
            _subscriber: subscriber,
            _watch: watch,
            _token: token,
            _session: session,
        })
    }

    /// The next frame of the message at hand.
    fn cut(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        let rest = &self.message[self.position..];
        // What cannot be cut is lost with all that follows in the message; it comes again.
        self.position = self.message.len();
        let length = frame::length(rest).map_err(io::Error::other)?;
        let foreign =
            || io::Error::new(io::ErrorKind::InvalidData, "a message of unfinished frames");
        let frame = length.and_then(|length| rest.get(..length)).ok_or_else(foreign)?;
        into.clear();
        into.extend_from_slice(frame);
        self.position -= rest.len() - frame.len();
        Ok(())
    }
}

/// Opens the inbox when the listening node appears, and closes it when it disappears.
fn watch(session: &Session, id: &str, inbox: &Arc<Inbox>) -> io::Result<Subscriber<()>> {
    let inbox = Arc::clone(inbox);
    let watch = session
        .liveliness()
        .declare_subscriber(Direction::Down.key(id)?)
        .history(true)
        .callback(move |sample: Sample| match sample.kind() {
            SampleKind::Put => inbox.open(),
            SampleKind::Delete => inbox.close(),
        })
        .wait();
    watch.map_err(broken)
}

impl Link for ZenohLink {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        if MESSAGE_SIZE < self.outgoing.len() + frame.len() {
            self.flush()?;
        }
        self.outgoing.extend_from_slice(frame);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        let message = std::mem::take(&mut self.outgoing);
        self.publisher.put(message).wait().map_err(broken)
    }

    /// Never: what Zenoh does not take is dropped, and sent again by the session.
    fn wants_write(&self) -> bool {
        false
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        if self.position == self.message.len() {
            self.position = 0;
            match self.inbox.take(&mut self.message)? {
                Received::Frame => {}
                nothing => return Ok(nothing),
            }
        }
        self.cut(into).map(|()| Received::Frame)
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inbox.as_fd()
    }

    fn is_reliable(&self) -> bool {
        false
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn broken(error: zenoh::Error) -> io::Error {
    io::Error::other(format!("zenoh: {error}"))
}
