//! Why a node cannot continue. Every error names the node that caused it.

use crate::endpoint::Endpoint;
use crate::frame::WireError;
use consort_core::Tag;
use consort_federation::flow::{FlowError, FlowHash};
use std::fmt;
use std::io;
use std::time::Duration;

/// Why a node cannot join, or continue.
#[derive(Debug)]
#[non_exhaustive]
pub enum NodeError {
    /// The options contradict each other or the topology.
    Options {
        /// The option and what is wrong with it.
        problem: String,
    },
    /// It cannot listen at its endpoint.
    Listen {
        /// The address it was to listen at.
        endpoint: Endpoint,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The operating system refuses a resource: a descriptor or a thread.
    Machine {
        /// The operation that failed.
        what: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Nodes did not connect in time.
    Missing {
        /// The missing nodes, each with the reason as far as it is known.
        nodes: Vec<String>,
        /// Why connections were refused meanwhile.
        rejected: Vec<String>,
        /// The time that this node waited.
        waited: Duration,
    },
    /// Another node has another plan: it was refused.
    Mismatch {
        /// The name of the other node.
        node: String,
        /// The differences.
        problems: Vec<String>,
    },
    /// Another node refused this one.
    Refused {
        /// The name of the other node.
        node: String,
        /// The reason it gave.
        reason: String,
    },
    /// The connection to another node was lost and not restored.
    Lost {
        /// The name of the other node.
        node: String,
        /// The reason, as text.
        reason: String,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node has left and will not do what this one waits for: the run may have ended there.
    Left {
        /// The name of the other node.
        node: String,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node failed and reported it.
    Failed {
        /// The node that failed.
        node: String,
        /// The node that reported it.
        reported_by: String,
        /// The reason that the node gave.
        reason: String,
        /// The last tag that the reporting node was done with.
        at: Option<Tag>,
    },
    /// Another node sent an invalid frame.
    Wire {
        /// The name of the other node.
        node: String,
        /// The error in the bytes.
        source: WireError,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// Another node violated the rules of a flow.
    Flow {
        /// The other node; this one itself if it emitted a message that is not allowed.
        node: String,
        /// The error of the flow.
        source: Box<FlowError>,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// The two ends of a flow have different tallies.
    Differs {
        /// The flow and its tallies at both ends.
        difference: Box<FlowDifference>,
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// The wait was cancelled.
    Cancelled {
        /// The last tag that was done here.
        at: Option<Tag>,
    },
    /// A status request had no answer.
    Unanswered {
        /// The address that was dialed.
        endpoint: Endpoint,
        /// The reason, as text.
        reason: String,
    },
}

/// The different tallies of the two ends of a flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowDifference {
    /// The name of the flow.
    pub flow: String,
    /// The node that is its source.
    pub node: String,
    /// The node that consumed something else.
    pub sink: String,
    /// How many messages the source sent, and the hash of all.
    pub sent: (u64, FlowHash),
    /// The same of what was consumed.
    pub taken: (u64, FlowHash),
}

impl fmt::Display for FlowDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FlowDifference { flow, node, sink, sent, taken } = self;
        let [sent, taken] = [sent, taken]
            .map(|(count, hash)| format!("{count} messages with the hash {:016x}", hash.to_bits()));
        write!(
            f,
            "flow `{flow}` differs: node `{node}` sent {sent}, node `{sink}` received {taken}"
        )
    }
}

impl NodeError {
    /// The node that caused the error, if it is known.
    pub fn failed_node(&self) -> Option<&str> {
        match self {
            NodeError::Mismatch { node, .. }
            | NodeError::Refused { node, .. }
            | NodeError::Lost { node, .. }
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
            NodeError::Lost { at, .. }
            | NodeError::Left { at, .. }
            | NodeError::Failed { at, .. }
            | NodeError::Wire { at, .. }
            | NodeError::Differs { at, .. }
            | NodeError::Cancelled { at }
            | NodeError::Flow { at, .. } => *at,
            _ => None,
        }
    }

    /// What happened to that node, without its name.
    pub fn reason(&self) -> String {
        match self {
            NodeError::Lost { reason, .. } => format!("connection lost: {reason}"),
            NodeError::Left { .. } => "it left before its flows ended".to_owned(),
            NodeError::Failed { reason, .. } => reason.clone(),
            NodeError::Refused { reason, .. } => format!("it refused the connection: {reason}"),
            NodeError::Mismatch { problems, .. } => {
                format!("its plan differs: {}", problems.join("; "))
            }
            NodeError::Wire { source, .. } => format!("invalid frame: {source}"),
            NodeError::Flow { source, .. } => format!("protocol violation: {source}"),
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
            NodeError::Missing { nodes, rejected, waited } => {
                let nodes = nodes.join("; ");
                write!(f, "nodes did not connect within {} s: {nodes}", waited.as_secs_f64())?;
                rejected.iter().try_for_each(|reason| write!(f, "; refused: {reason}"))
            }
            NodeError::Unanswered { endpoint, reason } => {
                write!(f, "no status from `{endpoint}`: {reason}")
            }
            NodeError::Mismatch { node, problems } => {
                write!(f, "node `{node}` was refused: {}", problems.join("; "))
            }
            NodeError::Refused { node, reason } => {
                write!(f, "node `{node}` refused the connection: {reason}")
            }
            NodeError::Failed { node, reported_by, reason, .. } if node != reported_by => {
                write!(f, "node `{node}`: {reason} (reported by `{reported_by}`)")
            }
            NodeError::Lost { node, .. }
            | NodeError::Left { node, .. }
            | NodeError::Failed { node, .. }
            | NodeError::Wire { node, .. }
            | NodeError::Flow { node, .. } => write!(f, "node `{node}`: {}", self.reason()),
            NodeError::Cancelled { .. } => f.write_str("cancelled"),
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
