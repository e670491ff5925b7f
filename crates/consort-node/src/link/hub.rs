//! Where nodes that are threads of one process find each other.

use super::{Link, StreamLink, pair};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where nodes that are threads of one process find each other: what a folder of sockets is for
/// processes.
#[derive(Clone, Debug, Default)]
pub struct Hub {
    queues: Arc<Mutex<BTreeMap<String, Arc<HubQueue>>>>,
}

/// The connections to one node that are not accepted yet.
#[derive(Debug)]
struct HubQueue {
    /// Readable while a connection waits.
    wakeup: OwnedFd,
    waiting: Mutex<Vec<StreamLink>>,
}

impl Hub {
    /// A hub without nodes.
    pub fn new() -> Self {
        Hub::default()
    }

    /// Makes a node known under its name.
    pub(crate) fn open(&self, name: &str) -> io::Result<HubListener> {
        let wakeup = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let queue = Arc::new(HubQueue { wakeup, waiting: Mutex::default() });
        let old = locked(&self.queues).insert(name.to_owned(), queue.clone());
        match old {
            None => Ok(HubListener { hub: self.clone(), name: name.to_owned(), queue }),
            Some(old) => {
                locked(&self.queues).insert(name.to_owned(), old);
                Err(io::ErrorKind::AddrInUse.into())
            }
        }
    }

    /// Connects to the node of that name.
    pub(crate) fn connect(&self, name: &str) -> io::Result<Box<dyn Link>> {
        let queue = locked(&self.queues).get(name).cloned();
        let queue = queue.ok_or(io::ErrorKind::ConnectionRefused)?;
        let (mine, theirs) = pair()?;
        locked(&queue.waiting).push(theirs);
        rustix::io::write(&queue.wakeup, &1_u64.to_ne_bytes())?;
        Ok(Box::new(mine))
    }
}

/// A node's own end of the hub.
pub(crate) struct HubListener {
    hub: Hub,
    name: String,
    queue: Arc<HubQueue>,
}

impl HubListener {
    pub(crate) fn accept(&self) -> Option<Box<dyn Link>> {
        // Resets the descriptor; a waiting connection is accepted in any case.
        let _ = rustix::io::read(&self.queue.wakeup, &mut [0; 8]);
        let waiting = locked(&self.queue.waiting).pop();
        waiting.map(|link| Box::new(link) as Box<dyn Link>)
    }
}

impl AsFd for HubListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.wakeup.as_fd()
    }
}

impl Drop for HubListener {
    fn drop(&mut self) {
        locked(&self.hub.queues).remove(&self.name);
    }
}

/// A thread that panicked leaves these lists whole: each is changed in one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
