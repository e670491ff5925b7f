//! The thread that accepts connections: it answers status requests and passes links with a hello to the
//! node.

use super::message_counts::MessageCounts;
use super::status_board::StatusBoard;
use crate::cancellation::Cancellation;
use crate::frame::{self, Body, Frame, WireError};
use crate::link::{Caller, HubListener, Link, Listener, Received};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::collections::VecDeque;
use std::error::Error;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many connections may wait for their first frame at a time, in all and from one address. Beyond that the oldest
/// is closed: a node of the run sends its hello at once.
const PENDING_MAX: usize = 128;
const PENDING_OF_ADDRESS_MAX: usize = 64;
/// How many links with a hello may be queued for the node.
const QUEUE_MAX: usize = 64;
/// How long a connection may take to send its hello.
const HELLO_TIME_MAX: Duration = Duration::from_secs(5);
/// How often that limit is checked.
const ROUND: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The answer to a status request from another machine without a certificate.
const STATUS_REFUSED: &str =
    "status requests are answered on this machine, and over `tls` endpoints";
/// How long to pause when no connection can be accepted because no descriptors are left.
const REST: Duration = Duration::from_millis(10);

/// A link whose first frame was a hello.
pub(crate) struct Greeting {
    pub(crate) link: Box<dyn Link>,
    pub(crate) caller: Caller,
    /// The frame with the hello.
    pub(crate) frame: Vec<u8>,
}

/// The node's end of the thread; dropping it ends the thread.
pub(crate) struct Acceptor {
    /// Readable while greetings are queued.
    wakeup: Arc<OwnedFd>,
    stop: Cancellation,
    greetings: Receiver<Greeting>,
    rejected: Arc<Mutex<RejectedConnections>>,
    thread: Option<JoinHandle<()>>,
}

/// A source of incoming connections.
pub(crate) enum AcceptSource {
    Socket(Listener),
    Hub(HubListener),
}

impl AcceptSource {
    fn accept(&self) -> io::Result<Option<(Box<dyn Link>, Caller)>> {
        match self {
            AcceptSource::Socket(listener) => listener.accept(),
            AcceptSource::Hub(listener) => Ok(listener.accept().map(|link| (link, Caller::LOCAL))),
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            AcceptSource::Socket(listener) => listener.as_fd(),
            AcceptSource::Hub(listener) => listener.as_fd(),
        }
    }
}

impl Acceptor {
    /// Starts the thread. No hello may be longer than `frame_max`.
    pub(crate) fn start(
        sources: Vec<AcceptSource>,
        board: Arc<StatusBoard>,
        frame_max: usize,
    ) -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let (wakeup, stop) = (Arc::new(eventfd(0, flags)?), Cancellation::new()?);
        let (sender, greetings) = sync_channel(QUEUE_MAX);
        let rejected = Arc::new(Mutex::new(RejectedConnections::default()));
        let accept_loop = AcceptLoop {
            sources,
            wakeup: wakeup.clone(),
            stop: stop.clone(),
            sender,
            board,
            frame_max,
            rejected: rejected.clone(),
            waiting: VecDeque::new(),
        };
        let thread = std::thread::Builder::new().name("consort-acceptor".to_owned());
        let thread = thread.spawn(move || accept_loop.serve())?;
        Ok(Acceptor { wakeup, stop, greetings, rejected, thread: Some(thread) })
    }

    /// One line for each reason for which connections without a hello were closed.
    pub(crate) fn rejected(&self) -> Vec<String> {
        locked(&self.rejected).lines()
    }

    /// Readable while greetings are queued.
    pub(crate) fn wakeup(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    /// The next greeting.
    pub(crate) fn next_greeting(&self) -> Option<Greeting> {
        let greeting = self.greetings.try_recv().ok();
        if greeting.is_none() {
            // The descriptor is reset first, so that a greeting that came in between is not missed.
            let _ = rustix::io::read(&self.wakeup, &mut [0; 8]);
            return self.greetings.try_recv().ok();
        }
        greeting
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was printed; `drop` cannot return it.
            drop(thread.join());
        }
    }
}

/// The state of the thread.
struct AcceptLoop {
    sources: Vec<AcceptSource>,
    wakeup: Arc<OwnedFd>,
    stop: Cancellation,
    sender: SyncSender<Greeting>,
    board: Arc<StatusBoard>,
    frame_max: usize,
    rejected: Arc<Mutex<RejectedConnections>>,
    /// Links without a hello so far; the oldest is first.
    waiting: VecDeque<PendingLink>,
}

/// A link that has not sent its hello.
struct PendingLink {
    link: Box<dyn Link>,
    caller: Caller,
    since: Instant,
}

impl AcceptLoop {
    fn serve(mut self) {
        while !self.is_stopped() {
            self.accept();
            let waiting = std::mem::take(&mut self.waiting);
            waiting.into_iter().for_each(|pending| self.serve_pending(pending));
        }
    }

    /// Sleeps until something happens; true if the thread is to stop.
    fn is_stopped(&self) -> bool {
        let mut watched = vec![PollFd::from_borrowed_fd(self.stop.as_fd(), PollFlags::IN)];
        let sources = self.sources.iter().map(AcceptSource::as_fd);
        watched.extend(sources.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let links = self.waiting.iter().map(|PendingLink { link, .. }| {
            let out = if link.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
            PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN | out)
        });
        watched.extend(links);
        let round = (!self.waiting.is_empty()).then_some(&ROUND);
        let polled = poll(&mut watched, round);
        polled.is_ok() && !watched[0].revents().is_empty()
    }

    /// Accepts what is queued; only so many per round, so that pending links are served in between.
    fn accept(&mut self) {
        for source in 0..self.sources.len() {
            for _ in 0..PENDING_OF_ADDRESS_MAX {
                match self.sources[source].accept() {
                    Ok(Some((link, caller))) => self.add_pending(link, caller),
                    Ok(None) => break,
                    Err(_) => {
                        self.make_room();
                        break;
                    }
                }
            }
        }
    }

    /// No descriptor is left: closes the oldest pending link, or pauses.
    fn make_room(&mut self) {
        match self.waiting.pop_front() {
            Some(_) => self.count_silent(),
            None => std::thread::sleep(REST),
        }
    }

    fn add_pending(&mut self, mut link: Box<dyn Link>, caller: Caller) {
        let is_neighbor = |pending: &PendingLink| pending.caller.address == caller.address;
        let neighbors = self.waiting.iter().filter(|pending| is_neighbor(pending)).count();
        let is_crowd = PENDING_OF_ADDRESS_MAX <= neighbors;
        if is_crowd || PENDING_MAX <= self.waiting.len() {
            let oldest = self.waiting.iter().position(|it| !is_crowd || is_neighbor(it));
            oldest.and_then(|oldest| self.waiting.remove(oldest));
            self.count_silent();
        }
        link.limit(self.frame_max);
        self.waiting.push_back(PendingLink { link, caller, since: Instant::now() });
    }

    fn serve_pending(&mut self, mut pending: PendingLink) {
        let mut bytes = Vec::new();
        let received = pending.link.flush().and_then(|()| pending.link.receive(&mut bytes));
        match received {
            Ok(Received::Frame) => self.answer(pending, bytes),
            Ok(Received::Nothing) if pending.since.elapsed() < HELLO_TIME_MAX => {
                self.waiting.push_back(pending);
            }
            Ok(_) => self.count_silent(),
            Err(error) => {
                self.note(&error);
                let wire = WireError::of(&error).into_iter();
                wire.for_each(|wire| refuse_unless_damaged(&mut *pending.link, wire));
            }
        }
    }

    fn answer(&mut self, pending: PendingLink, bytes: Vec<u8>) {
        let PendingLink { mut link, caller, .. } = pending;
        match frame::decode(&bytes).map(|frame| frame.body) {
            Ok(Body::Hello(_)) => {
                // A node that finds the queue full connects again.
                let greeting = Greeting { link, caller, frame: bytes };
                let is_queued = self.sender.try_send(greeting).is_ok();
                let _ = is_queued.then(|| rustix::io::write(&self.wakeup, &1_u64.to_ne_bytes()));
            }
            Ok(Body::Ask) if caller.is_trusted() => {
                let status = self.board.status().to_bytes();
                send_body(&mut *link, Body::Answer(&status));
            }
            Ok(Body::Ask) => refuse(&mut *link, STATUS_REFUSED),
            Ok(_) => {
                let when = "before a handshake";
                let error = WireError::Unexpected { what: "frame", when };
                self.note(&error);
                refuse(&mut *link, &error.to_string());
            }
            Err(error) => {
                self.note(&error);
                refuse_unless_damaged(&mut *link, &error);
            }
        }
    }

    /// A connection was closed before it sent a hello.
    fn count_silent(&self) {
        locked(&self.rejected).silent += 1;
    }

    /// A connection sent something other than a hello.
    fn note(&self, error: &dyn Error) {
        locked(&self.rejected).foreign.add(error.to_string());
    }
}

/// Connections that did not send a hello, counted for error messages.
#[derive(Default)]
struct RejectedConnections {
    /// Sent nothing, or no whole frame, in time.
    silent: u64,
    /// What was wrong with what others sent.
    foreign: MessageCounts,
}

impl RejectedConnections {
    fn lines(&self) -> Vec<String> {
        let silent = format!("{} closed before the handshake", connections(self.silent));
        let silent = (self.silent != 0).then_some(silent);
        let foreign = self.foreign.lines().into_iter();
        silent.into_iter().chain(foreign.map(|why| format!("no hello: {why}"))).collect()
    }
}

fn connections(count: u64) -> String {
    format!("{count} connection{}", if count == 1 { "" } else { "s" })
}

fn locked(rejected: &Mutex<RejectedConnections>) -> MutexGuard<'_, RejectedConnections> {
    rejected.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A damaged hello is sent again over a new link; a refusal would end the node that sent it.
fn refuse_unless_damaged(link: &mut dyn Link, error: &WireError) {
    if !error.is_damage() {
        refuse(link, &error.to_string());
    }
}

/// Sends the reason of a refusal.
pub(crate) fn refuse(link: &mut dyn Link, reason: &str) {
    send_body(link, Body::Refused(reason));
}

/// Sends one frame; an error is ignored, because the other side has closed the link then.
fn send_body(link: &mut dyn Link, body: Body<'_>) {
    let mut bytes = Vec::new();
    frame::encode(&Frame { sequence: 0, acknowledgment: 0, body }, &mut bytes);
    drop(link.send(&bytes).and_then(|()| link.flush()));
}
