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
    doors: Arc<Mutex<BTreeMap<String, Arc<Door>>>>,
}

#[derive(Debug)]
struct Door {
    /// Readable while somebody waits.
    bell: OwnedFd,
    waiting: Mutex<Vec<StreamLink>>,
}

impl Hub {
    /// A hub that nobody has come to yet.
    pub fn new() -> Self {
        Hub::default()
    }

    /// Makes a node known under its name.
    pub(crate) fn open(&self, name: &str) -> io::Result<HubListener> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let door = Arc::new(Door { bell, waiting: Mutex::default() });
        let old = locked(&self.doors).insert(name.to_owned(), door.clone());
        match old {
            None => Ok(HubListener { hub: self.clone(), name: name.to_owned(), door }),
            Some(old) => {
                locked(&self.doors).insert(name.to_owned(), old);
                Err(io::ErrorKind::AddrInUse.into())
            }
        }
    }

    /// Connects to the node of that name.
    pub(crate) fn connect(&self, name: &str) -> io::Result<Box<dyn Link>> {
        let door = locked(&self.doors).get(name).cloned();
        let door = door.ok_or(io::ErrorKind::ConnectionRefused)?;
        let (mine, theirs) = pair()?;
        locked(&door.waiting).push(theirs);
        rustix::io::write(&door.bell, &1_u64.to_ne_bytes())?;
        Ok(Box::new(mine))
    }
}

/// A node's own end of the hub.
pub(crate) struct HubListener {
    hub: Hub,
    name: String,
    door: Arc<Door>,
}

impl HubListener {
    pub(crate) fn accept(&self) -> Option<Box<dyn Link>> {
        // Rung or not, whoever waits is let in.
        let _ = rustix::io::read(&self.door.bell, &mut [0; 8]);
        let waiting = locked(&self.door.waiting).pop();
        waiting.map(|link| Box::new(link) as Box<dyn Link>)
    }
}

impl AsFd for HubListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.door.bell.as_fd()
    }
}

impl Drop for HubListener {
    fn drop(&mut self) {
        locked(&self.hub.doors).remove(&self.name);
    }
}

/// A thread that panicked leaves these lists whole: each is changed in one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
