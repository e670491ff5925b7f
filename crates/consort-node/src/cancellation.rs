//! Cancels a poll from another thread.

use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// Cancels the waits of a node, also while it joins: its error is
/// [`NodeError::Cancelled`](crate::NodeError::Cancelled), which the other nodes receive. Clones share one state.
#[derive(Clone, Debug)]
pub struct Cancellation(Arc<OwnedFd>);

impl Cancellation {
    /// Nothing is cancelled yet.
    ///
    /// # Errors
    /// If there are no descriptors left.
    pub fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Cancellation(Arc::new(eventfd(0, flags)?)))
    }

    /// Ends all waits, now and from now on.
    pub fn cancel(&self) {
        // It can fail only if it was cancelled more often than there are numbers.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Readable once it is cancelled.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
