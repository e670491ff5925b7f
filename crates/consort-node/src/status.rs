//! What a node tells whoever asks, at any moment: where it is, and whom it waits for, for what.

mod bytes;

use consort_core::{Resolution, Tag};
use std::fmt;
use std::time::Duration;

/// Where a node is.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// Its name.
    pub node: String,
    /// The run it takes part in.
    pub run: [u8; 16],
    /// The length of a tick, to print the tags with.
    pub resolution: Resolution,
    /// The part of its life it is in.
    pub phase: Phase,
    /// The last tag it is done with; none before the first.
    pub tag: Option<Tag>,
    /// What it waits for; none while it computes.
    pub waits: Option<Wait>,
    /// The other nodes, by name.
    pub peers: Vec<PeerStatus>,
    /// The flows that it has a part in, by name.
    pub flows: Vec<FlowStatus>,
}

/// The part of its life a node is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// It waits for the others to come.
    Joining,
    /// All are there.
    Running,
    /// It is done and waits for the others to be.
    Leaving,
    /// It gave up, or another did.
    Failed,
}

/// What a node waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The node that has to do something.
    pub for_node: String,
    /// The flow it is about; none while nodes come and go.
    pub flow: Option<String>,
    /// The tag it is about.
    pub tag: Option<Tag>,
    /// What it has to do.
    pub what: Need,
    /// For how long that has been so.
    pub since: Duration,
}

/// What the other node has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Send the message of that tag.
    Message,
    /// Take messages that it was sent already.
    Room,
    /// Say that it has received what it was sent.
    Acknowledgment,
    /// Come, or come back.
    Connection,
    /// Say that it is ready to begin.
    Ready,
    /// Come to its end, too.
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

/// How a node sees another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerStatus {
    /// Its name.
    pub node: String,
    /// Whether there is a connection now.
    pub is_connected: bool,
    /// For how long nothing has come from it; none if nothing ever did.
    pub silent_for: Option<Duration>,
    /// How many times a connection was made: more than one after a cut.
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
