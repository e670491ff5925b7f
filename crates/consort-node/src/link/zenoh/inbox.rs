//! What callbacks of Zenoh leave for the thread that does the work: a queue, and a descriptor to poll.

use crate::link::Received;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// How many bytes are kept: the rest is dropped, as on a network, and sent again.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Messages that have come and were not taken yet.
pub(super) struct Inbox {
    state: Mutex<State>,
    opened: Condvar,
    signal: Signal,
}

#[derive(Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    is_open: bool,
    is_closed: bool,
}

impl Inbox {
    pub(super) fn new() -> io::Result<Inbox> {
        Ok(Inbox { state: Mutex::default(), opened: Condvar::new(), signal: Signal::new()? })
    }

    /// A message has come.
    pub(super) fn put(&self, message: Vec<u8>) {
        let mut state = lock(&self.state);
        let fits = state.messages.is_empty() || state.bytes + message.len() <= BYTES_MAX;
        if fits && !message.is_empty() {
            state.bytes += message.len();
            state.messages.push_back(message);
            self.signal.raise();
        }
    }

    /// The other side is there.
    pub(super) fn open(&self) {
        lock(&self.state).is_open = true;
        self.opened.notify_all();
    }

    /// The other side is gone; a reconnection is a new link.
    pub(super) fn close(&self) {
        lock(&self.state).is_closed = true;
        self.signal.raise();
    }

    /// Whether the other side comes before the end of the wait.
    pub(super) fn wait_for_peer(&self, end: Instant) -> bool {
        let patience = end.saturating_duration_since(Instant::now());
        let waited =
            self.opened.wait_timeout_while(lock(&self.state), patience, |state| !state.is_open);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_open
    }

    /// The oldest message; it replaces `into`.
    pub(super) fn take(&self, into: &mut Vec<u8>) -> io::Result<Received> {
        let mut state = lock(&self.state);
        into.clear();
        if let Some(message) = state.messages.pop_front() {
            state.bytes -= message.len();
            *into = message;
            return Ok(Received::Frame);
        }
        if state.is_closed {
            return Ok(Received::Closed);
        }
        // Under the lock, so that no message comes in between.
        self.signal.calm()?;
        Ok(Received::Nothing)
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.0.as_fd()
    }
}

/// The links that arrive at a listening node, and those it has accepted.
pub(super) struct AcceptQueue {
    state: Mutex<Callers>,
    signal: Signal,
}

#[derive(Default)]
struct Callers {
    waiting: VecDeque<String>,
    accepted: BTreeMap<String, Weak<Inbox>>,
}

impl AcceptQueue {
    pub(super) fn new() -> io::Result<AcceptQueue> {
        Ok(AcceptQueue { state: Mutex::default(), signal: Signal::new()? })
    }

    /// A link has appeared or disappeared.
    pub(super) fn note(&self, id: &str, is_here: bool) {
        let mut state = lock(&self.state);
        if is_here {
            state.waiting.push_back(id.to_owned());
            self.signal.raise();
            return;
        }
        state.waiting.retain(|waiting| waiting != id);
        if let Some(inbox) = state.accepted.remove(id).and_then(|inbox| inbox.upgrade()) {
            inbox.close();
        }
    }

    /// Accepts the oldest link: its id, and an inbox that is closed when it disappears.
    pub(super) fn accept(&self) -> io::Result<Option<(String, Arc<Inbox>)>> {
        let mut state = lock(&self.state);
        let Some(id) = state.waiting.pop_front() else {
            self.signal.calm()?;
            return Ok(None);
        };
        let inbox = Arc::new(Inbox::new()?);
        state.accepted.insert(id.clone(), Arc::downgrade(&inbox));
        Ok(Some((id, inbox)))
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.0.as_fd()
    }
}

/// A descriptor that is readable from [`raise`](Signal::raise) to [`calm`](Signal::calm).
struct Signal(OwnedFd);

impl Signal {
    fn new() -> io::Result<Signal> {
        Ok(Signal(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    fn raise(&self) {
        // It fails only if it was raised 2^64 - 2 times and never calmed: it is readable then, too.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    fn calm(&self) -> io::Result<()> {
        match rustix::io::read(&self.0, &mut [0; 8]) {
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// What is behind a lock here is never left half done, so that a panic elsewhere does no harm to it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    fn is_readable(descriptor: BorrowedFd<'_>) -> bool {
        let mut ends = [PollFd::new(&descriptor, PollFlags::IN)];
        poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() == 1
    }

    #[test]
    fn the_descriptor_is_readable_while_there_is_something_to_take() {
        let (inbox, mut message) = (Inbox::new().unwrap(), Vec::new());
        assert!(!is_readable(inbox.as_fd()));
        inbox.put(vec![1]);
        inbox.put(vec![2]);
        for expected in [1, 2] {
            assert!(is_readable(inbox.as_fd()));
            assert_eq!(inbox.take(&mut message).unwrap(), Received::Frame);
            assert_eq!(message, [expected]);
        }
        assert_eq!(inbox.take(&mut message).unwrap(), Received::Nothing);
        assert!(!is_readable(inbox.as_fd()));
    }

    #[test]
    fn a_closed_inbox_gives_what_it_has_and_stays_closed() {
        let (inbox, mut message) = (Inbox::new().unwrap(), Vec::new());
        inbox.put(vec![1]);
        inbox.close();
        assert_eq!(inbox.take(&mut message).unwrap(), Received::Frame);
        for _ in 0..2 {
            assert_eq!(inbox.take(&mut message).unwrap(), Received::Closed);
            assert!(is_readable(inbox.as_fd()));
        }
    }

    #[test]
    fn a_flood_is_dropped_beyond_the_limit() {
        let (inbox, mut message) = (Inbox::new().unwrap(), Vec::new());
        for _ in 0..3 {
            inbox.put(vec![0; BYTES_MAX / 2]);
        }
        let taken = || inbox.take(&mut message).unwrap();
        let taken: Vec<Received> = std::iter::repeat_with(taken).take(3).collect();
        assert_eq!(taken, [Received::Frame, Received::Frame, Received::Nothing]);
    }

    #[test]
    fn a_link_that_goes_before_it_is_accepted_is_forgotten_and_after_that_it_is_closed() {
        let queue = AcceptQueue::new().unwrap();
        queue.note("a", true);
        queue.note("b", true);
        queue.note("a", false);
        let (id, inbox) = queue.accept().unwrap().unwrap();
        assert_eq!(id, "b");
        assert!(queue.accept().unwrap().is_none());
        assert!(!is_readable(queue.as_fd()));
        queue.note("b", false);
        assert_eq!(inbox.take(&mut Vec::new()).unwrap(), Received::Closed);
    }
}
