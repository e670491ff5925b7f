//! The two sides of a flow inside a node's machine: plain values, nothing but state.

use crate::flow::analysis::BoundSending;
use crate::flow::hash::{FlowHash, Payload};
use crate::flow::message::{FlowRecord, FlowSide, Message, NEVER};
use crate::flow::topology::FlowId;
use consort_core::{NodeId, Tag};
use std::collections::VecDeque;

/// What a node knows of a flow that it receives.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct InputPort<P> {
    pub(super) flow: FlowId,
    /// T of Reymann et al. (2019): the tag of the next message to consume. Of an event flow whose buffer is empty: before
    /// which there is none. [`NEVER`] beyond the horizon.
    pub(super) next: Tag,
    /// The tag of the next message to arrive; of an event flow: before which none arrives.
    pub(super) arrives: Tag,
    /// Of an event flow: whether its source sends bounds on request only.
    pub(super) is_asked: bool,
    /// The bound that was asked for last; not more than `arrives` once there is an answer.
    pub(super) asked: Tag,
    /// Messages that were consumed and not yet granted again.
    pub(super) owed: u32,
    pub(super) buffer: VecDeque<Message<P>>,
    pub(super) carried: Carried,
}

impl<P> InputPort<P> {
    pub(super) fn new(flow: FlowId, first: Tag, is_asked: bool) -> Self {
        InputPort {
            flow,
            next: first,
            arrives: first,
            is_asked,
            asked: first,
            owed: 0,
            buffer: VecDeque::new(),
            carried: Carried::default(),
        }
    }

    pub(super) fn record(&self) -> FlowRecord {
        self.carried.record(self.flow, FlowSide::Sink, self.next)
    }
}

/// What a node knows of a flow that it emits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct OutputPort<P> {
    pub(super) flow: FlowId,
    /// Whether it is emitted after consumption (phase 2) instead of before (phase 0).
    pub(super) is_immediate: bool,
    pub(super) is_event: bool,
    /// Of an event flow: when bounds are sent.
    pub(super) sending: BoundSending,
    /// S of Reymann et al. (2019): the tag of the next message to emit; of an event flow: the planned one.
    pub(super) next: Tag,
    /// Of an event flow: no message may have a smaller tag.
    pub(super) floor: Tag,
    /// Of an event flow: while a plan may be made, the earliest tag for it.
    pub(super) plan_from: Option<Tag>,
    /// The message that some sinks have no room for.
    pub(super) unserved: Option<Message<P>>,
    pub(super) sinks: Vec<SinkPort>,
    pub(super) carried: Carried,
}

/// What a source knows of one sink of a flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SinkPort {
    pub(super) node: NodeId,
    pub(super) credits: u32,
    /// Of an event flow: the last bound that was sent to the sink.
    pub(super) announced: Tag,
    /// Of an event flow that is asked: the least bound that the sink waits for; [`NEVER`] if it waits for none.
    pub(super) wanted: Tag,
    /// Whether it still has to get the unserved message.
    pub(super) waits: bool,
}

impl SinkPort {
    /// Records the bound that is sent to the sink.
    #[inline]
    pub(super) fn announced(&mut self, bound: Tag) {
        self.announced = bound;
        if self.wanted <= bound {
            self.wanted = NEVER;
        }
    }
}

impl<P> OutputPort<P> {
    /// Whether this bound is to be sent to a sink, by a node that waits or by one that has something to do. The end is
    /// sent to all that may ask: it is [`NEVER`], which is at least what any sink waits for.
    pub(super) fn is_news(&self, sink: &SinkPort, bound: Tag, is_waiting: bool) -> bool {
        let is_time = match self.sending {
            BoundSending::AtOnce => true,
            BoundSending::BeforeWaiting => is_waiting,
            BoundSending::WhenAsked => sink.wanted <= bound,
        };
        is_time && !sink.waits && sink.announced < bound
    }

    pub(super) fn record(&self) -> FlowRecord {
        self.carried.record(self.flow, FlowSide::Source, self.next)
    }
}

/// The messages that one side of a flow is done with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(super) struct Carried {
    pub(super) count: u64,
    pub(super) hash: FlowHash,
}

impl Carried {
    #[inline]
    pub(super) fn absorb<P: Payload>(&mut self, tag: Tag, payload: &P) {
        self.count += 1;
        self.hash.absorb_message(tag, payload);
    }

    fn record(&self, flow: FlowId, side: FlowSide, next: Tag) -> FlowRecord {
        FlowRecord { flow, side, next: promised(next), count: self.count, hash: self.hash }
    }
}

/// A tag as it is sent to others: `None` for never.
#[inline]
pub(super) fn promised(tag: Tag) -> Option<Tag> {
    (tag != NEVER).then_some(tag)
}
