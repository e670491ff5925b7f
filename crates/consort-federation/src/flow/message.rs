//! Inputs and outputs of a node's machine.

use super::hash::FlowHash;
use super::topology::FlowId;
use consort_core::{NodeId, Tag, Time};

/// Later than every tag: the next message of a flow that has ended.
pub const NEVER: Tag = Tag { time: Time::MAX, microstep: u32::MAX };

/// One message of a flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Message<P> {
    /// When it holds; greater than that of the message before it.
    pub tag: Tag,
    /// The tag of the message after it, `None` for the last one. Of an event flow a bound: no other comes
    /// before it.
    pub next: Option<Tag>,
    /// The content of the message.
    pub payload: P,
}

/// What a node has to do next, or what it lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NextAction {
    /// Compute this message and hand it in with [`FlowInput::Emit`].
    Emit {
        /// The flow.
        flow: FlowId,
        /// The tag of the message.
        tag: Tag,
    },
    /// Take what came at this tag with [`FlowInput::Consume`]: all of it is there.
    Consume {
        /// The tag.
        tag: Tag,
    },
    /// Send bounds to the sinks of event flows, and ask the sources of others whether anything
    /// does, with [`FlowInput::Announce`]. When that is done changes no result.
    Announce,
    /// Wait: without this message, or a bound beyond this tag, nothing can be done.
    AwaitInput {
        /// The flow.
        flow: FlowId,
        /// The tag that has to be decided.
        tag: Tag,
    },
    /// Wait: this sink has no room for the message that is being emitted.
    AwaitCredit {
        /// The flow.
        flow: FlowId,
        /// The sink without room.
        sink: NodeId,
    },
    /// Everything up to the horizon is done.
    Done,
}

impl NextAction {
    /// Whether there is nothing to do before something comes.
    #[inline]
    pub fn is_wait(self) -> bool {
        matches!(
            self,
            NextAction::AwaitInput { .. } | NextAction::AwaitCredit { .. } | NextAction::Done
        )
    }
}

/// What happens to a node's machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlowInput<P> {
    /// A message came. It may come at any moment, also while an emission waits for room.
    Arrived {
        /// The flow.
        flow: FlowId,
        /// The message.
        message: Message<P>,
    },
    /// No event comes before this tag, or none at all any more.
    Bound {
        /// The event flow.
        flow: FlowId,
        /// The tag, `None`: never.
        tag: Option<Tag>,
    },
    /// A sink cannot continue before it knows that no event comes before this tag. It may come late, twice or out of
    /// order: of all that are not answered the least counts.
    Request {
        /// The event flow.
        flow: FlowId,
        /// The sink that asks.
        sink: NodeId,
        /// The tag: a bound of at least this is the answer.
        tag: Tag,
    },
    /// A sink has room again.
    Credit {
        /// The flow.
        flow: FlowId,
        /// The sink with room.
        sink: NodeId,
        /// For how many messages more.
        count: u32,
    },
    /// Carries out [`NextAction::Emit`].
    Emit {
        /// The flow.
        flow: FlowId,
        /// The content of the message.
        payload: P,
        /// The tag of the message after it, `None` for the last one. Of an event flow: the next event that
        /// is planned, if one is.
        next: Option<Tag>,
    },
    /// The next event that is planned on an event flow, `None`: none is. At the start, and right after
    /// inputs were consumed that may cause it.
    Plan {
        /// The event flow.
        flow: FlowId,
        /// The tag.
        tag: Option<Tag>,
    },
    /// Carries out [`NextAction::Announce`].
    Announce,
    /// Carries out [`NextAction::Consume`].
    Consume,
}

/// What a node's machine wants done.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlowOutput<P> {
    /// Take this message to one sink, in order.
    Send {
        /// The flow.
        flow: FlowId,
        /// The sink.
        sink: NodeId,
        /// The message.
        message: Message<P>,
    },
    /// Send to one sink that no event comes before this tag, in order with the messages of the flow.
    SendBound {
        /// The event flow.
        flow: FlowId,
        /// The sink.
        sink: NodeId,
        /// The tag, `None`: never.
        tag: Option<Tag>,
    },
    /// Ask the source of an event flow for a bound of at least this tag.
    Request {
        /// The event flow.
        flow: FlowId,
        /// The tag.
        tag: Tag,
    },
    /// Send to the source of a flow that there is room again.
    Credit {
        /// The flow.
        flow: FlowId,
        /// For how many messages more.
        count: u32,
    },
    /// Pass this message to the computation: part of the batch that was consumed.
    Deliver {
        /// The flow.
        flow: FlowId,
        /// The message.
        message: Message<P>,
    },
}

/// On which side of a flow a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlowSide {
    /// The side that emits.
    Source,
    /// The side that receives.
    Sink,
}

/// How far one side of a flow is, and what it carried until there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowRecord {
    /// The flow.
    pub flow: FlowId,
    /// The side of the flow that this record is of.
    pub side: FlowSide,
    /// The tag of the next message (of an event: before which there is none), `None` if none follows.
    pub next: Option<Tag>,
    /// How many messages were emitted, or consumed.
    pub count: u64,
    /// Hash of all of them.
    pub hash: FlowHash,
}
