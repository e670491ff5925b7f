//! The thread that lets others in: it accepts connections, answers who asks for the status, and hands
//! over to the node whoever says hello.

use super::board::Board;
use crate::frame::{self, Body, Frame, WireError};
use crate::link::{HubListener, Link, Listener, Received};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many connections may wait for their first frame at a time.
const VISITORS_MAX: usize = 64;
/// How long a connection may be silent before it has said who it is.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// How often that is looked after.
const ROUND: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Somebody who said hello.
pub(crate) struct Visitor {
    pub(crate) link: Box<dyn Link>,
    /// The frame in which it did.
    pub(crate) frame: Vec<u8>,
}

/// The node's end of the thread; dropping it ends the thread.
pub(crate) struct Doorman {
    bell: Arc<OwnedFd>,
    stop: Arc<OwnedFd>,
    visitors: Receiver<Visitor>,
    thread: Option<JoinHandle<()>>,
}

/// Where connections come from.
pub(crate) enum Entrance {
    Socket(Listener),
    Hub(HubListener),
}

impl Entrance {
    fn accept(&self) -> io::Result<Option<Box<dyn Link>>> {
        match self {
            Entrance::Socket(listener) => listener.accept(),
            Entrance::Hub(listener) => Ok(listener.accept()),
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Entrance::Socket(listener) => listener.as_fd(),
            Entrance::Hub(listener) => listener.as_fd(),
        }
    }
}

impl Doorman {
    /// Starts the thread.
    pub(crate) fn start(entrances: Vec<Entrance>, board: Arc<Board>) -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let (bell, stop) = (Arc::new(eventfd(0, flags)?), Arc::new(eventfd(0, flags)?));
        let (sender, visitors) = channel();
        let hall = Hall {
            entrances,
            bell: bell.clone(),
            stop: stop.clone(),
            sender,
            board,
            waiting: Vec::new(),
        };
        let thread = std::thread::Builder::new().name("consort-doorman".to_owned());
        let thread = thread.spawn(move || hall.serve())?;
        Ok(Doorman { bell, stop, visitors, thread: Some(thread) })
    }

    /// Readable if somebody said hello.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// The next one who did.
    pub(crate) fn visitor(&self) -> Option<Visitor> {
        let visitor = self.visitors.try_recv().ok();
        if visitor.is_none() {
            // Nobody is left: the bell is silenced, then asked again for who rang in between.
            let _ = rustix::io::read(&self.bell, &mut [0; 8]);
            return self.visitors.try_recv().ok();
        }
        visitor
    }
}

impl Drop for Doorman {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was printed; there is nobody to pass it on to.
            drop(thread.join());
        }
    }
}

/// What the thread has.
struct Hall {
    entrances: Vec<Entrance>,
    bell: Arc<OwnedFd>,
    stop: Arc<OwnedFd>,
    sender: Sender<Visitor>,
    board: Arc<Board>,
    waiting: Vec<(Box<dyn Link>, Instant)>,
}

impl Hall {
    fn serve(mut self) {
        while !self.is_stopped() {
            self.accept();
            let waiting = std::mem::take(&mut self.waiting);
            for (link, since) in waiting {
                self.look_after(link, since);
            }
        }
    }

    /// Sleeps until something happens; whether that is the end.
    fn is_stopped(&self) -> bool {
        let mut watched = vec![PollFd::new(&self.stop, PollFlags::IN)];
        let entrances = self.entrances.iter().map(Entrance::as_fd);
        watched.extend(entrances.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let links = self.waiting.iter().map(|(link, _)| {
            let out = if link.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
            PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN | out)
        });
        watched.extend(links);
        let round = (!self.waiting.is_empty()).then_some(&ROUND);
        let polled = poll(&mut watched, round);
        polled.is_ok() && !watched[0].revents().is_empty()
    }

    fn accept(&mut self) {
        for entrance in &self.entrances {
            // What cannot be accepted (no descriptor left, or gone again) comes again or does not.
            while let Ok(Some(link)) = entrance.accept() {
                if self.waiting.len() < VISITORS_MAX {
                    self.waiting.push((link, Instant::now()));
                }
            }
        }
    }

    fn look_after(&mut self, mut link: Box<dyn Link>, since: Instant) {
        let mut bytes = Vec::new();
        let received = link.flush().and_then(|()| link.receive(&mut bytes));
        match received {
            Ok(Received::Frame) => self.answer(link, bytes),
            Ok(Received::Nothing) if since.elapsed() < SILENCE_MAX => {
                self.waiting.push((link, since));
            }
            Ok(_) => {}
            Err(error) => WireError::of(&error).into_iter().for_each(|it| dismiss(&mut *link, it)),
        }
    }

    fn answer(&mut self, mut link: Box<dyn Link>, bytes: Vec<u8>) {
        match frame::decode(&bytes).map(|frame| frame.body) {
            Ok(Body::Hello(_)) => {
                let is_heard = self.sender.send(Visitor { link, frame: bytes }).is_ok();
                let _ = is_heard.then(|| rustix::io::write(&self.bell, &1_u64.to_ne_bytes()));
            }
            Ok(Body::Ask) => {
                let status = self.board.status().to_bytes();
                say(&mut *link, Body::Answer(&status));
            }
            Ok(_) => {
                let when = "before a hand-shake";
                refuse(&mut *link, &WireError::Unexpected { what: "a frame", when }.to_string());
            }
            Err(error) => dismiss(&mut *link, &error),
        }
    }
}

/// What was damaged on its way comes again over a new line; a refusal would be the end of who sent it.
fn dismiss(link: &mut dyn Link, error: &WireError) {
    if !error.is_damage() {
        refuse(link, &error.to_string());
    }
}

/// Says why somebody is sent away.
pub(crate) fn refuse(link: &mut dyn Link, reason: &str) {
    say(link, Body::Refused(reason));
}

/// Who does not take what is said has gone already.
fn say(link: &mut dyn Link, body: Body<'_>) {
    let mut bytes = Vec::new();
    frame::encode(&Frame { sequence: 0, acknowledgment: 0, body }, &mut bytes);
    drop(link.send(&bytes).and_then(|()| link.flush()));
}
