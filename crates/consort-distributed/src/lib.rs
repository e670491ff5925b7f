//! Runs on several nodes: processes, or threads, that compute a part of the system each and exchange what crosses
//! between them. The trace is that of a run in one process.
//!
//! - [`deployment`]: which component is on which node, and how nodes are linked.
//! - [`starter`]: starts the nodes of a run on this machine, watches them, and makes one record of theirs; it gives each
//!   an [`assignment`] and receives [`message`]s.
//! - [`serve`]: the side of a node that was given an assignment.
//! - [`node`]: one node: it joins the others, computes its part, and leaves.
//! - [`manual`]: a node that the user starts, on any machine.
//!
//! Nothing here prints, reads arguments or ends the process.

mod assigned;
pub mod assignment;
mod certificates;
pub mod deployment;
pub mod disturbance;
mod error;
mod join;
pub mod manual;
pub mod message;
pub mod node;
mod node_process;
mod processes;
mod record;
mod record_folder;
pub mod scratch;
pub mod starter;
mod verdict;

pub use assigned::serve;
pub use assignment::NodeAssignment;
pub use deployment::{CAPACITY_DEFAULT, Deployment, NodeRequest, placement};
pub use disturbance::{Disturbed, NodeDisturbance};
pub use error::listed;
pub use message::{NodeMessage, NodeOutcome};
pub use record_folder::{NodeEntry, running_nodes};
pub use starter::{NodeLauncher, run};
