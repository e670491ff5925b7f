//! Why a node cannot go on. Every error names the node that is to blame.

use crate::endpoint::Endpoint;
use crate::frame::WireError;
use consort_core::Tag;
use consort_federation::flow::{FlowError, FlowHash};
use std::fmt;
use std::io;
use std::time::Duration;

/// Why a node cannot join, or go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum NodeError {
    /// What was asked for cannot be.
    Options {
        /// The option and what is wrong with it.
        problem: String,
    },
    /// It cannot listen where it should.
    Listen {
        /// The address it was to listen at.
        endpoint: Endpoint,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The machine has no descriptors or threads left.
    Machine {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Not everybody came.
    Missing {
        /// Who did not, and why as far as is known.
        nodes: Vec<String>,
        /// Who came and was refused.
        strangers: Vec<String>,
        /// How long was waited.
        waited: Duration,
    },
    /// Another node does not fit: it was refused.
    Mismatch {
        /// The other node.
        node: String,
        /// In what they differ.
        problems: Vec<String>,
    },
    /// Another node refused this one.
    Refused {
        /// The other node.
        node: String,
        /// What it said.
        reason: String,
    },
    /// Another node is gone and did not come back.
    Gone {
        /// The other node.
        node: String,
        /// How that was noticed.
        reason: String,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node has said its last words and will not do what this one waits for: the run may have
    /// come to its end there.
    Left {
        /// The other node.
        node: String,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node failed and said so.
    Failed {
        /// The node that is to blame.
        node: String,
        /// The node that told it.
        told_by: String,
        /// What happened.
        reason: String,
        /// The last tag that the teller was done with.
        at: Option<Tag>,
    },
    /// Another node sent what nobody may send.
    Wire {
        /// The other node.
        node: String,
        /// What is wrong.
        source: WireError,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node broke what a flow promises.
    Flow {
        /// The other node; this one itself if it emitted what it may not.
        node: String,
        /// What is wrong.
        source: Box<FlowError>,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// The two ends of a flow do not agree on what it carried.
    Differs {
        /// In what.
        difference: Box<Difference>,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Somebody ended what the node waited for.
    Cancelled {
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Nobody answers there.
    Unanswered {
        /// The address that was dialed.
        endpoint: Endpoint,
        /// What happened.
        reason: String,
    },
}

/// What the two ends of a flow do not agree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The flow.
    pub flow: String,
    /// Its source.
    pub node: String,
    /// The node that consumed something else.
    pub sink: String,
    /// How many messages the source sent, and the hash of all.
    pub sent: (u64, FlowHash),
    /// The same of what was consumed.
    pub taken: (u64, FlowHash),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { flow, node, sink, sent, taken } = self;
        let [sent, taken] = [sent, taken]
            .map(|(count, hash)| format!("{count} messages with the hash {:016x}", hash.to_bits()));
        write!(f, "flow `{flow}` differs: node `{node}` sent {sent}, node `{sink}` took {taken}")
    }
}

impl NodeError {
    /// The node that is to blame, if it is known.
    pub fn culprit(&self) -> Option<&str> {
        match self {
            NodeError::Mismatch { node, .. }
            | NodeError::Refused { node, .. }
            | NodeError::Gone { node, .. }
            | NodeError::Left { node, .. }
            | NodeError::Failed { node, .. }
            | NodeError::Wire { node, .. }
            | NodeError::Flow { node, .. } => Some(node),
            NodeError::Differs { difference, .. } => Some(&difference.node),
            _ => None,
        }
    }

    /// The last tag up to which everything is consistent, if one is known.
    pub fn at(&self) -> Option<Tag> {
        match self {
            NodeError::Gone { at, .. }
            | NodeError::Left { at, .. }
            | NodeError::Failed { at, .. }
            | NodeError::Wire { at, .. }
            | NodeError::Differs { at, .. }
            | NodeError::Cancelled { at }
            | NodeError::Flow { at, .. } => *at,
            _ => None,
        }
    }

    /// What happened to the culprit, without its name.
    pub fn reason(&self) -> String {
        match self {
            NodeError::Gone { reason, .. } => format!("it is gone: {reason}"),
            NodeError::Left { .. } => "it is gone: it left before its flows ended".to_owned(),
            NodeError::Failed { reason, .. } => reason.clone(),
            NodeError::Refused { reason, .. } => format!("it refused us: {reason}"),
            NodeError::Mismatch { problems, .. } => {
                format!("it does not fit: {}", problems.join("; "))
            }
            NodeError::Wire { source, .. } => format!("it broke the wire format: {source}"),
            NodeError::Flow { source, .. } => format!("it broke a promise: {source}"),
            NodeError::Differs { difference, .. } => difference.to_string(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeError::Options { problem } => f.write_str(problem),
            NodeError::Listen { endpoint, source } => {
                write!(f, "cannot listen at `{endpoint}`: {source}")
            }
            NodeError::Machine { what, source } => write!(f, "cannot {what}: {source}"),
            NodeError::Missing { nodes, strangers, waited } => {
                let nodes = nodes.join("; ");
                write!(f, "not everybody came within {} s: {nodes}", waited.as_secs_f64())?;
                strangers.iter().try_for_each(|who| write!(f, "; refused: {who}"))
            }
            NodeError::Unanswered { endpoint, reason } => {
                write!(f, "no status from `{endpoint}`: {reason}")
            }
            NodeError::Mismatch { node, problems } => {
                write!(f, "node `{node}` does not fit and was refused: {}", problems.join("; "))
            }
            NodeError::Refused { node, reason } => write!(f, "node `{node}` refused us: {reason}"),
            NodeError::Failed { node, told_by, reason, .. } if node != told_by => {
                write!(f, "node `{node}`: {reason} (told by `{told_by}`)")
            }
            NodeError::Gone { node, .. }
            | NodeError::Left { node, .. }
            | NodeError::Failed { node, .. }
            | NodeError::Wire { node, .. }
            | NodeError::Flow { node, .. } => write!(f, "node `{node}`: {}", self.reason()),
            NodeError::Cancelled { .. } => f.write_str("it was interrupted"),
            NodeError::Differs { difference, .. } => {
                write!(f, "node `{}`: {difference}", difference.node)
            }
        }
    }
}

impl std::error::Error for NodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NodeError::Listen { source, .. } | NodeError::Machine { source, .. } => Some(source),
            NodeError::Wire { source, .. } => Some(source),
            NodeError::Flow { source, .. } => Some(&**source),
            _ => None,
        }
    }
}
