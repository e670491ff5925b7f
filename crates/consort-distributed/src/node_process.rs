//! A node as the process that started it sees it.

use crate::message::{NodeMessage, NodeOutcome};
use consort_core::Time;
use consort_process::{ChildId, Supervisor};
use std::process::ExitStatus;

/// A node, as its starter sees it.
pub(crate) struct NodeProcess {
    /// The name of the node.
    pub(crate) name: String,
    pub(crate) child: ChildId,
    /// Its process id; a thread has none.
    pub(crate) process_id: Option<u32>,
    /// How far it reported to be.
    pub(crate) at: Option<Time>,
    /// What it came to, if it could report it.
    pub(crate) outcome: Option<NodeOutcome>,
    /// The exit status of its process.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) is_over: bool,
}

impl NodeProcess {
    pub(crate) fn new(name: &str, child: ChildId) -> Self {
        let name = name.to_owned();
        NodeProcess {
            name,
            child,
            process_id: None,
            at: None,
            outcome: None,
            status: None,
            is_over: false,
        }
    }

    /// Whether it ended without having come to its end.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_over && self.outcome.as_ref().is_none_or(|outcome| !outcome.is_finished())
    }

    /// Suspends its process, as a debugger does.
    pub(crate) fn suspend(&self, supervisor: &mut Supervisor<NodeMessage>) {
        if let Some(process) = supervisor.process(self.child) {
            process.suspend();
        }
    }

    /// Resumes its process.
    pub(crate) fn resume(&self, supervisor: &mut Supervisor<NodeMessage>) {
        if let Some(process) = supervisor.process(self.child) {
            process.resume();
        }
    }
}
