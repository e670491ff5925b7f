//! Nodes of a distributed run: how they connect, what they exchange, and that nothing is lost.
//!
//! The state machine that decides which node may advance is in `consort-federation`; this crate adds links, clocks
//! and threads. The tour, from the bottom up:
//!
//! 1. [`frame`]: what travels, byte by byte (`docs/wire-format.md`); [`hello`]: the handshake, which
//!    describes every difference of two nodes.
//! 2. [`session`]: exactly once and in order, whatever a link does; without input or output.
//! 3. [`link`]: Unix sockets, TCP, TLS, threads of one process, Zenoh (a feature), each of them optionally with
//!    simulated faults.
//! 4. [`Node`]: joins all others, drives the machine of its flows, names the node that failed if it
//!    cannot continue; [`ask_status`] reads at any moment what a node waits for.
//! 5. [`Authority`]: certificates for nodes that one program starts; [`secret`]: for those of several machines.
//! 6. [`PlanCourier`]: carries what crosses in a plan that is cut into nodes.
//!
//! # Determinism
//! Clocks and sockets decide *when* something happens, never *what*: no time-out changes a result. The wait for a
//! peer that is stopped, or in a debugger, has no limit; a lost peer is an error.

mod ask;
mod cancellation;
mod certificates;
mod courier;
mod credentials;
mod endpoint;
mod error;
pub mod frame;
pub mod fuzz;
pub mod hello;
pub mod link;
mod link_kind;
mod node;
mod options;
mod private_file;
pub mod secret;
pub mod session;
mod status;

pub use ask::{ask_status, ask_status_with};
pub use cancellation::Cancellation;
pub use certificates::{Authority, is_certifiable};
pub use courier::{NodeHandle, PlanCourier, topology};
pub use credentials::{Credentials, TlsFiles};
pub use endpoint::{Endpoint, EndpointError};
pub use error::{FlowDifference, NodeError};
pub use link::{Faults, Hub};
pub use link_kind::LinkKind;
pub use node::{Node, NodeStep};
pub use options::{GATHER_DEFAULT, Gathering, JoinOptions, PATIENCE_DEFAULT, WaitListener};
pub use status::{FlowStatus, Need, NodeStatus, PeerStatus, Phase, Wait};
