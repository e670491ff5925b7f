//! Static analysis of a topology: whether it can deadlock, which nodes hold others back,
//! and how much room messages take.
//!
//! 1. [`analyse`] gives numbers, as an [`Analysis`]: circuits that deadlock (`circuits`, exact),
//!    bounds of buffers and of how far nodes drift apart (`ahead`), and what is seldom meant
//!    (`remarks`).
//! 2. [`Analysis::report`] makes [`Diagnostic`](consort_core::Diagnostic)s of them, with the cure.
//! 3. [`Analysis::render`] writes them down as text.

mod ahead;
mod asking;
mod circuits;
mod describe;
mod graph;
mod instants;
mod ports;
mod remarks;
mod text;
mod waiting;

use super::Topology;
use consort_core::Tag;

pub use ahead::{Ahead, Buffer};
pub(super) use asking::{BoundSending, bound_sending};
pub use circuits::Circuit;
pub use remarks::Remark;

/// What is known of a topology before it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// Flows that would wait for each other forever; empty: no run of this topology gets stuck.
    pub circuits: Vec<Circuit>,
    /// Whether the search for circuits was given up, so that there may be more.
    pub gave_up: bool,
    /// What each sink has to keep of each flow, in the order of flows.
    pub buffers: Vec<Buffer>,
    /// How far nodes can run ahead of each other.
    pub ahead: Ahead,
    /// What runs, and is seldom meant.
    pub remarks: Vec<Remark>,
}

impl Analysis {
    /// Whether every run of the topology comes to its end, whatever the speed of nodes and links.
    pub fn accepts(&self) -> bool {
        self.circuits.is_empty() && !self.gave_up
    }
}

/// Finds out all of it for runs that end at `horizon` (the last tag that counts; `None`: they go
/// on forever). The topology is well-formed: [`check`](super::check()) found no errors.
///
/// A flow whose period may change with each message, and an event flow, may have a message at any
/// tag; for all others the answer is exact.
pub fn analyse(topology: &Topology, horizon: Option<Tag>) -> Analysis {
    let found = circuits::find(topology, horizon);
    let ahead = Ahead::new(topology, horizon);
    let buffers = ahead::buffers(topology, &ahead);
    let remarks = remarks::find(topology, horizon);
    Analysis { circuits: found.circuits, gave_up: found.gave_up, buffers, ahead, remarks }
}
