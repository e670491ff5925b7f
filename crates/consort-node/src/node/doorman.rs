//! The thread that lets others in: it accepts connections, answers who asks for the status, and hands
//! over to the node whoever says hello.

use super::board::Board;
use super::counted::Counted;
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

/// How many connections may wait for their first frame at a time, in all and from one address. If there are more the
/// oldest makes room: who belongs to the run says hello at once.
const VISITORS_MAX: usize = 128;
const OF_ADDRESS_MAX: usize = 64;
/// How many who said hello may wait until the node has time for them.
const QUEUE_MAX: usize = 64;
/// How long a connection may take to say who it is.
const HELLO_TIME_MAX: Duration = Duration::from_secs(5);
/// How often that is looked after.
const ROUND: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// What somebody on another machine hears who asks without a certificate.
const ASKED_FROM_AFAR: &str = "the status is told on this machine, and over `tls` endpoints";
/// How long to rest if nobody can be let in: there are no descriptors left.
const REST: Duration = Duration::from_millis(10);

/// Somebody who said hello.
pub(crate) struct Visitor {
    pub(crate) link: Box<dyn Link>,
    pub(crate) caller: Caller,
    /// The frame in which it did.
    pub(crate) frame: Vec<u8>,
}

/// The node's end of the thread; dropping it ends the thread.
pub(crate) struct Doorman {
    bell: Arc<OwnedFd>,
    stop: Cancellation,
    visitors: Receiver<Visitor>,
    strangers: Arc<Mutex<Strangers>>,
    thread: Option<JoinHandle<()>>,
}

/// Where connections come from.
pub(crate) enum Entrance {
    Socket(Listener),
    Hub(HubListener),
}

impl Entrance {
    fn accept(&self) -> io::Result<Option<(Box<dyn Link>, Caller)>> {
        match self {
            Entrance::Socket(listener) => listener.accept(),
            Entrance::Hub(listener) => Ok(listener.accept().map(|link| (link, Caller::NEAR))),
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
    /// Starts the thread. No hello may be longer than `frame_max`.
    pub(crate) fn start(
        entrances: Vec<Entrance>,
        board: Arc<Board>,
        frame_max: usize,
    ) -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let (bell, stop) = (Arc::new(eventfd(0, flags)?), Cancellation::new()?);
        let (sender, visitors) = sync_channel(QUEUE_MAX);
        let strangers = Arc::new(Mutex::new(Strangers::default()));
        let hall = Hall {
            entrances,
            bell: bell.clone(),
            stop: stop.clone(),
            sender,
            board,
            frame_max,
            strangers: strangers.clone(),
            waiting: VecDeque::new(),
        };
        let thread = std::thread::Builder::new().name("consort-doorman".to_owned());
        let thread = thread.spawn(move || hall.serve())?;
        Ok(Doorman { bell, stop, visitors, strangers, thread: Some(thread) })
    }

    /// Who came and did not say hello, in words.
    pub(crate) fn strangers(&self) -> Vec<String> {
        locked(&self.strangers).words()
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
        self.stop.cancel();
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
    stop: Cancellation,
    sender: SyncSender<Visitor>,
    board: Arc<Board>,
    frame_max: usize,
    strangers: Arc<Mutex<Strangers>>,
    /// The oldest is first.
    waiting: VecDeque<Guest>,
}

/// Somebody who has not said who it is.
struct Guest {
    link: Box<dyn Link>,
    caller: Caller,
    since: Instant,
}

impl Hall {
    fn serve(mut self) {
        while !self.is_stopped() {
            self.accept();
            let waiting = std::mem::take(&mut self.waiting);
            waiting.into_iter().for_each(|guest| self.look_after(guest));
        }
    }

    /// Sleeps until something happens; whether that is the end.
    fn is_stopped(&self) -> bool {
        let mut watched = vec![PollFd::from_borrowed_fd(self.stop.as_fd(), PollFlags::IN)];
        let entrances = self.entrances.iter().map(Entrance::as_fd);
        watched.extend(entrances.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let links = self.waiting.iter().map(|Guest { link, .. }| {
            let out = if link.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
            PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN | out)
        });
        watched.extend(links);
        let round = (!self.waiting.is_empty()).then_some(&ROUND);
        let polled = poll(&mut watched, round);
        polled.is_ok() && !watched[0].revents().is_empty()
    }

    /// Lets in who waits at the doors; of many only some at a time, so that others are looked after.
    fn accept(&mut self) {
        for entrance in 0..self.entrances.len() {
            for _ in 0..OF_ADDRESS_MAX {
                match self.entrances[entrance].accept() {
                    Ok(Some((link, caller))) => self.let_in(link, caller),
                    Ok(None) => break,
                    Err(_) => {
                        self.make_room();
                        break;
                    }
                }
            }
        }
    }

    /// Who cannot be let in waits for a descriptor; somebody silent may have one.
    fn make_room(&mut self) {
        match self.waiting.pop_front() {
            Some(_) => self.note_silent(),
            None => std::thread::sleep(REST),
        }
    }

    fn let_in(&mut self, mut link: Box<dyn Link>, caller: Caller) {
        let is_neighbor = |guest: &Guest| guest.caller.address == caller.address;
        let neighbors = self.waiting.iter().filter(|guest| is_neighbor(guest)).count();
        let is_crowd = OF_ADDRESS_MAX <= neighbors;
        if is_crowd || VISITORS_MAX <= self.waiting.len() {
            let oldest = self.waiting.iter().position(|it| !is_crowd || is_neighbor(it));
            oldest.and_then(|oldest| self.waiting.remove(oldest));
            self.note_silent();
        }
        link.limit(self.frame_max);
        self.waiting.push_back(Guest { link, caller, since: Instant::now() });
    }

    fn look_after(&mut self, mut guest: Guest) {
        let mut bytes = Vec::new();
        let received = guest.link.flush().and_then(|()| guest.link.receive(&mut bytes));
        match received {
            Ok(Received::Frame) => self.answer(guest, bytes),
            Ok(Received::Nothing) if guest.since.elapsed() < HELLO_TIME_MAX => {
                self.waiting.push_back(guest);
            }
            Ok(_) => self.note_silent(),
            Err(error) => {
                self.note(&error);
                let wire = WireError::of(&error).into_iter();
                wire.for_each(|wire| dismiss(&mut *guest.link, wire));
            }
        }
    }

    fn answer(&mut self, guest: Guest, bytes: Vec<u8>) {
        let Guest { mut link, caller, .. } = guest;
        match frame::decode(&bytes).map(|frame| frame.body) {
            Ok(Body::Hello(_)) => {
                // Who finds no room comes again.
                let visitor = Visitor { link, caller, frame: bytes };
                let is_heard = self.sender.try_send(visitor).is_ok();
                let _ = is_heard.then(|| rustix::io::write(&self.bell, &1_u64.to_ne_bytes()));
            }
            Ok(Body::Ask) if caller.is_trusted() => {
                let status = self.board.status().to_bytes();
                say(&mut *link, Body::Answer(&status));
            }
            Ok(Body::Ask) => refuse(&mut *link, ASKED_FROM_AFAR),
            Ok(_) => {
                let when = "before a hand-shake";
                let error = WireError::Unexpected { what: "a frame", when };
                self.note(&error);
                refuse(&mut *link, &error.to_string());
            }
            Err(error) => {
                self.note(&error);
                dismiss(&mut *link, &error);
            }
        }
    }

    /// Somebody went, or was sent away, before it said who it is.
    fn note_silent(&self) {
        locked(&self.strangers).silent += 1;
    }

    /// Somebody said something else.
    fn note(&self, error: &dyn Error) {
        locked(&self.strangers).foreign.add(error.to_string());
    }
}

/// How many came and did not say hello.
#[derive(Default)]
struct Strangers {
    /// They said nothing, or not all of it, in time.
    silent: u64,
    /// What was wrong with what others said.
    foreign: Counted,
}

impl Strangers {
    fn words(&self) -> Vec<String> {
        let silent = format!("{} that did not say who they are", connections(self.silent));
        let silent = (self.silent != 0).then_some(silent);
        let foreign = self.foreign.words().into_iter();
        silent
            .into_iter()
            .chain(foreign.map(|why| format!("a connection without a hello: {why}")))
            .collect()
    }
}

fn connections(count: u64) -> String {
    format!("{count} connection{}", if count == 1 { "" } else { "s" })
}

fn locked(strangers: &Mutex<Strangers>) -> MutexGuard<'_, Strangers> {
    strangers.lock().unwrap_or_else(PoisonError::into_inner)
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
