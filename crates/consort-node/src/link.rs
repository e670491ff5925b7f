//! What carries frames from one node to another. Delivery is not guaranteed here.
//!
//! A [`Link`] never blocks: it keeps what the transport does not take yet, and its owner polls its descriptor.
//! Frames that are lost, doubled or out of order are corrected by the [session](crate::session::Session) above.

mod hub;
mod simulated;
mod stream;
mod tls;
#[cfg(feature = "zenoh")]
mod zenoh;

pub use hub::Hub;
pub(crate) use hub::HubListener;
pub use simulated::{Faults, FaultsError, SimulatedLink};
pub(crate) use stream::{Caller, Listener, accepts, connect, listen};
pub use stream::{StreamLink, pair};
pub(crate) use tls::{TlsConfigs, TlsLink};
#[cfg(feature = "zenoh")]
pub use zenoh::{ZenohLink, ZenohListener};

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Carries frames to one other node and back, without blocking.
///
/// Reached at both ends by its descriptor: readable means that [`receive`](Link::receive) may have
/// something; if [`wants_write`](Link::wants_write), writable means that [`flush`](Link::flush) can continue.
pub trait Link: Send {
    /// Takes a frame. It leaves with the next [`flush`](Link::flush).
    ///
    /// # Errors
    /// If the link is broken.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Passes to the transport as much as it takes.
    ///
    /// # Errors
    /// If the link is broken.
    fn flush(&mut self) -> io::Result<()>;

    /// Whether something is left that the transport did not take.
    fn wants_write(&self) -> bool;

    /// The next frame that is there; it replaces `into`. Called until it has [`Received::Nothing`].
    ///
    /// # Errors
    /// If the link is broken, or what came is no valid frame.
    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received>;

    /// The file descriptor to poll.
    fn as_fd(&self) -> BorrowedFd<'_>;

    /// Whether frames arrive once, all and in order as long as the link is up. On other links they are
    /// sent again after a while.
    fn is_reliable(&self) -> bool;

    /// Checks that the other side may use the name of that node. Links without certificates accept every name.
    /// Called once a frame has come.
    ///
    /// # Errors
    /// If its certificate is not for that name.
    fn check_name(&self, node: &str) -> Result<(), String> {
        let _ = node;
        Ok(())
    }

    /// Takes no frame that is longer than this: before the handshake. Links that carry whole frames have a limit of
    /// their own.
    fn limit(&mut self, frame_max: usize) {
        let _ = frame_max;
    }

    /// When it wants [`flush`](Link::flush) to be called, if nothing happens before.
    fn due(&self) -> Option<Instant> {
        None
    }
}

/// The result of [`Link::receive`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// A frame was received.
    Frame,
    /// No frame is there now.
    Nothing,
    /// The other side has closed the link: nothing will come.
    Closed,
}
