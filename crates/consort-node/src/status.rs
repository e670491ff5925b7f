//! What a node answers to a status request: its progress, and what it waits for.

mod bytes;

use consort_core::{Resolution, Tag};
use std::fmt;
use std::time::Duration;

/// The progress of a node, and what it waits for.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeStatus {
    /// The name of the node.
    pub node: String,
    /// The run it takes part in.
    pub run: [u8; 16],
    /// The length of a tick, to print the tags with.
    pub resolution: Resolution,
    /// Whether it joins, runs, leaves or has failed.
    pub phase: Phase,
    /// The last tag it is done with; none before the first.
    pub tag: Option<Tag>,
    /// What it waits for; none while it computes.
    pub waits: Option<Wait>,
    /// The other nodes, by name.
    pub peers: Vec<PeerStatus>,
    /// The flows that start or end at it, by name.
    pub flows: Vec<FlowStatus>,
}

/// The phases of a node, from joining to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// It waits for the others to connect.
    Joining,
    /// All nodes are connected.
    Running,
    /// It is done and waits for the others to be.
    Leaving,
    /// It failed, or another node did.
    Failed,
}

/// What a node waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The node that has to do something.
    pub for_node: String,
    /// The flow it is about; none while nodes join and leave.
    pub flow: Option<String>,
    /// The tag it is about.
    pub tag: Option<Tag>,
    /// What the other node has to do.
    pub what: Need,
    /// How long it has waited.
    pub since: Duration,
}

/// What the other node has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Send the message of that tag.
    Message,
    /// Take messages that were sent to it already.
    Room,
    /// Acknowledge what was sent to it.
    Acknowledgment,
    /// Connect, or reconnect.
    Connection,
    /// Report that it is ready to start.
    Ready,
    /// Leave, too.
    End,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::Message => "a message",
            Need::Room => "room for a message",
            Need::Acknowledgment => "an acknowledgment",
            Need::Connection => "a connection",
            Need::Ready => "the start",
            Need::End => "its end",
        })
    }
}

/// The state of the link to another node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerStatus {
    /// The name of the other node.
    pub node: String,
    /// Whether there is a connection now.
    pub is_connected: bool,
    /// How long nothing was received from it; none if nothing ever was.
    pub silent_for: Option<Duration>,
    /// How many connections were made: more than one after a break.
    pub connections: u32,
}

/// How far a node is on one flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowStatus {
    /// The flow's name.
    pub flow: String,
    /// Whether messages leave the node here; they arrive otherwise.
    pub is_output: bool,
    /// How many messages were emitted or consumed.
    pub count: u64,
    /// The tag of the next one (of an event: before which there is none); none if none follows.
    pub next: Option<Tag>,
}
