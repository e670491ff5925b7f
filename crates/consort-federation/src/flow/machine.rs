//! One node's machine: waiting, consuming, emitting, as in section III-B of DSAAM (Reymann, Foughali and
//! Lacroix, QRS 2019), with superdense tags and two more kinds of flows.
//!
//! [`FlowNode::poll`] returns the next step; [`FlowNode::handle`] takes what happens and returns what to send. There is no
//! IO: the caller moves messages, bounds and credits, in order per flow and sink, and calls the
//! code that computes. Where this differs from Reymann et al. (2019):
//!
//! - the first tags are known from the topology, before any message;
//! - payload and next tag are computed once per emission, whatever the number of sinks;
//! - a node that waits for room continues to receive;
//! - everything of a tag is one batch, in the order of (priority, name).

mod choice;
mod effects;
mod events;
mod facts;
mod ports;
mod ranks;
mod saved;

use super::error::{FlowError, shown};
use super::hash::Payload;
use super::message::{FlowInput, FlowOutput, FlowRecord, NEVER, NextAction};
use super::topology::{FlowId, Topology};
use choice::{Choice, Step};
use consort_core::{NodeId, Tag};
use facts::{Facts, World};
use ports::{InputPort, OutputPort};
pub use saved::SavedPayload;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How many microsteps events may take at one time: more means that they cause each other without end.
pub const MICROSTEPS_MAX: u32 = 1_000;

/// The machine of one node: a value that can be copied, compared and explored.
///
/// Two machines are equal if their states are; they are meant to be compared within one topology.
#[derive(Clone, Debug)]
pub struct FlowNode<P> {
    facts: Arc<Facts>,
    state: State<P>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct State<P> {
    /// In the order of (priority, name), as the outputs.
    inputs: Vec<InputPort<P>>,
    outputs: Vec<OutputPort<P>>,
    /// The output whose message waits for room.
    emitting: Option<usize>,
}

impl<P: Payload> FlowNode<P> {
    /// The machine of node `me` before anything happened. Nothing later than the horizon is emitted or
    /// consumed: all nodes of a run have the same.
    ///
    /// # Panics
    /// If the topology has no such node. [`check`](super::check()) checks that it is well-formed.
    pub fn new(topology: &Topology, me: NodeId, horizon: Option<Tag>) -> Self {
        assert!(me.index() < topology.nodes.len(), "the node is one of the topology");
        Self::in_world(World::new(topology), me, horizon)
    }

    /// The machines of all nodes; what they have in common they share.
    pub fn all(topology: &Topology, horizon: Option<Tag>) -> Vec<Self> {
        let world = World::new(topology);
        let nodes = (0..topology.nodes.len()).map(NodeId::from_index);
        nodes.map(|me| Self::in_world(Arc::clone(&world), me, horizon)).collect()
    }

    fn in_world(world: Arc<World>, me: NodeId, horizon: Option<Tag>) -> Self {
        let facts = Facts::new(world, me, horizon);
        let (inputs, outputs) = (facts.inputs(), facts.outputs());
        FlowNode { facts: Arc::new(facts), state: State { inputs, outputs, emitting: None } }
    }

    /// The same, with another limit than [`MICROSTEPS_MAX`]; the same on all nodes.
    #[must_use]
    pub fn with_microsteps_max(mut self, microsteps_max: u32) -> Self {
        Arc::make_mut(&mut self.facts).microsteps_max = microsteps_max;
        self
    }

    /// The id of this node.
    pub fn me(&self) -> NodeId {
        self.facts.me
    }

    /// The topology that it is part of.
    pub fn topology(&self) -> &Topology {
        &self.facts.world.topology
    }

    /// What to do next, or what is lacking.
    ///
    /// # Determinism
    /// Whether the next thing is an emission or a consumption, and which, follows from the tags of next
    /// messages alone. What has arrived only decides whether to wait for it.
    #[inline]
    pub fn poll(&self) -> NextAction {
        let step = self.choice().step();
        if self.has_news(step) { NextAction::Announce } else { self.action(step) }
    }

    /// The same for a caller that sends nothing before a node waits: [`NextAction::Announce`] comes last, when there is
    /// nothing else to do. Bounds that would be replaced before they are read are not sent.
    #[inline]
    pub fn poll_lazily(&self) -> NextAction {
        let step = self.choice().step();
        let action = self.action(step);
        if action.is_wait() && self.has_news(step) { NextAction::Announce } else { action }
    }

    #[inline]
    fn action(&self, step: Step) -> NextAction {
        if let Some(output) = self.state.emitting {
            return self.lacking_credit(output);
        }
        match step {
            Step::Emit { output, tag } => {
                NextAction::Emit { flow: self.state.outputs[output].flow, tag }
            }
            Step::Consume { tag, .. } => NextAction::Consume { tag },
            Step::Await { input, tag } => {
                NextAction::AwaitInput { flow: self.state.inputs[input].flow, tag }
            }
            Step::Done => NextAction::Done,
        }
    }

    /// Takes what happened, and adds what is to be done to `out`.
    ///
    /// # Errors
    /// If it cannot happen: a message out of order, without credit, after the end; an action that is not
    /// what [`FlowNode::poll`] returns. The machine is then as it was before.
    #[inline]
    pub fn handle(
        &mut self,
        input: FlowInput<P>,
        out: &mut Vec<FlowOutput<P>>,
    ) -> Result<(), FlowError> {
        match input {
            FlowInput::Arrived { flow, message } => self.arrived(flow, message),
            FlowInput::Bound { flow, tag } => self.bound_arrived(flow, tag),
            FlowInput::Request { flow, sink, tag } => self.requested(flow, sink, tag),
            FlowInput::Credit { flow, sink, count } => self.credited(flow, sink, count, out),
            FlowInput::Emit { flow, payload, next } => self.emit(flow, payload, next, out),
            FlowInput::Plan { flow, tag } => self.plan(flow, tag),
            FlowInput::Announce => {
                self.announce(out);
                Ok(())
            }
            FlowInput::Consume => self.consume(out),
        }
    }

    /// Everything before this tag is done: the tag of what is next, [`NEVER`] if nothing is.
    pub fn position(&self) -> Tag {
        if let Some(output) = self.state.emitting {
            let unserved = self.state.outputs[output].unserved.as_ref();
            return unserved.map_or(NEVER, |message| message.tag);
        }
        match self.choice().step() {
            Step::Emit { tag, .. } | Step::Consume { tag, .. } | Step::Await { tag, .. } => tag,
            Step::Done => NEVER,
        }
    }

    /// How far each of its flows is, and the hash of what it carried: outputs as emitted, inputs as consumed.
    pub fn records(&self) -> impl Iterator<Item = FlowRecord> + '_ {
        let inputs = self.state.inputs.iter().map(InputPort::record);
        self.state.outputs.iter().map(OutputPort::record).chain(inputs)
    }

    /// How many messages have arrived on a flow and are not consumed yet.
    pub fn waiting(&self, flow: FlowId) -> usize {
        let input = self.facts.input(flow);
        input.map_or(0, |input| self.state.inputs[input as usize].buffer.len())
    }

    /// How many messages may be sent to a sink of a flow before it grants more.
    pub fn credits(&self, flow: FlowId, sink: NodeId) -> u32 {
        let Some(output) = self.facts.output(flow) else { return 0 };
        let mut sinks = self.state.outputs[output as usize].sinks.iter();
        sinks.find(|it| it.node == sink).map_or(0, |it| it.credits)
    }

    /// The first event flow, from this output on, of which an event may be planned now.
    pub(super) fn plannable(&self, from: usize) -> Option<(usize, FlowId)> {
        if !self.facts.has_events {
            return None;
        }
        let mut outputs = self.state.outputs.iter().enumerate().skip(from);
        let found = outputs.find(|(_, port)| port.plan_from.is_some());
        found.map(|(place, port)| (place, port.flow))
    }

    #[inline]
    fn choice(&self) -> Choice<'_, P> {
        Choice { facts: &self.facts, inputs: &self.state.inputs, outputs: &self.state.outputs }
    }

    fn lacking_credit(&self, output: usize) -> NextAction {
        let port = &self.state.outputs[output];
        let sink = port.sinks.iter().find(|sink| sink.waits);
        let sink = sink.expect("an emission that is not complete has a sink that waits").node;
        NextAction::AwaitCredit { flow: port.flow, sink }
    }

    /// Whether there are bounds to send to the sinks of event flows, or requests to their sources.
    #[inline]
    fn has_news(&self, step: Step) -> bool {
        let inputs = 0..self.state.inputs.len();
        (self.facts.has_events && self.has_bounds(step))
            || (self.facts.asks && inputs.into_iter().any(|it| self.question(it, step).is_some()))
    }

    /// Whether a sink would learn something from a bound. Not of the output whose message is next anyway:
    /// the message has more information.
    fn has_bounds(&self, step: Step) -> bool {
        let is_waiting = self.action(step).is_wait();
        (0..self.state.outputs.len()).any(|output| {
            let port = &self.state.outputs[output];
            port.is_event && !self.is_next(output, step) && {
                let bound = self.choice().bound(output);
                port.sinks.iter().any(|sink| port.is_news(sink, bound, is_waiting))
            }
        })
    }

    fn is_next(&self, output: usize, step: Step) -> bool {
        let is_free = self.state.emitting.is_none();
        is_free && matches!(step, Step::Emit { output: next, .. } if next == output)
    }

    /// The error of an action that is not the next one.
    fn not_now(&self, asked: String) -> FlowError {
        let name = |flow: FlowId| self.facts.flow(flow).name.as_str();
        let first = match self.action(self.choice().step()) {
            NextAction::Emit { flow, tag } => format!("emit `{}` at {}", name(flow), shown(tag)),
            NextAction::Consume { tag } => format!("consume what came at {}", shown(tag)),
            NextAction::AwaitInput { flow, tag } => {
                format!("wait for `{}` at {}", name(flow), shown(tag))
            }
            NextAction::AwaitCredit { flow, sink } => {
                let node = &self.facts.world.topology.nodes[sink.index()];
                format!("wait until node `{node}` has room for `{}`", name(flow))
            }
            NextAction::Done | NextAction::Announce => "nothing, the node is done".to_owned(),
        };
        FlowError::NotNow { asked, first }
    }
}

impl<P: PartialEq> PartialEq for FlowNode<P> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl<P: Eq> Eq for FlowNode<P> {}

impl<P: Ord> PartialOrd for FlowNode<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P: Ord> Ord for FlowNode<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.state.cmp(&other.state)
    }
}

impl<P: Hash> Hash for FlowNode<P> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}
