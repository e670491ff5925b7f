//! Child processes: finding the program, starting it, reading its messages, noticing its death, stopping it.
//!
//! A [`Supervisor`] owns the worker processes of a campaign or the node processes of a distributed run. Each child
//! writes one JSON message per line to its standard output; a thread per child reads them into one queue. A child
//! ends in one of four ways: by itself, after a stop request (SIGTERM), by SIGKILL when a grace period is over, or by
//! SIGKILL when its parent ends, whatever the parent ended from ([`end_with_parent`]).
//!
//! ```
//! use consort_process::{ChildEvent, Input, Supervisor};
//! use std::process::Command;
//! use std::time::Duration;
//!
//! let mut supervisor = Supervisor::<u32>::new();
//! let mut command = Command::new("echo");
//! command.arg("42");
//! let child = supervisor.start(command, Input::None)?;
//! let (from, event) = supervisor.wait(Duration::from_secs(10)).expect("echo writes at once");
//! assert!(from == child && matches!(event, ChildEvent::Message(42)));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod program;

mod child;
mod parent;
mod spawner;
mod supervisor;

pub use child::{ChildProcess, Input, describe_exit};
pub use parent::end_with_parent;
pub use spawner::spawn;
pub use supervisor::{ChildEvent, ChildId, Supervisor, ThreadSender};
