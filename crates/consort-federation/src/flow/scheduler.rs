//! All nodes in one process: values on a work list.
//!
//! A node works until it lacks something; whatever provides that puts it on the list again. No node is visited
//! without need, there is no thread and no lock, and what a node computes does not depend on the order of the
//! list: [`Scheduler::run_shuffled`] and [`Scheduler::run_on`] exist to show it, and to use more cores where
//! behaviors are heavy.

mod pool;
mod slot;

use super::error::FlowError;
use super::hash::Payload;
use super::machine::FlowNode;
use super::message::{FlowInput, FlowOutput, FlowRecord};
use super::topology::{FlowId, Topology};
use consort_core::{NodeId, Prng, Tag};
use slot::Slot;
use std::collections::VecDeque;
use std::fmt;
use std::ops::DerefMut;

/// What one node computes.
pub trait Behavior<P> {
    /// Takes everything that came at one tag, in the order of (priority, name of the flow).
    fn on_inputs(&mut self, tag: Tag, inputs: &[(FlowId, P)]);

    /// Computes the message of a flow at a tag, and the tag of the message after it (`None`: there is no
    /// other). `following` is the next tag by the declared period. Of an event flow: the next event that is
    /// planned.
    fn emit(&mut self, flow: FlowId, tag: Tag, following: Option<Tag>) -> (P, Option<Tag>);

    /// When the next event of an event flow is planned: asked at the start, and after inputs that may cause it.
    fn plan(&mut self, flow: FlowId) -> NextEvent {
        let _ = flow;
        NextEvent::Keep
    }
}

impl<P, B: Behavior<P> + ?Sized> Behavior<P> for Box<B> {
    fn on_inputs(&mut self, tag: Tag, inputs: &[(FlowId, P)]) {
        (**self).on_inputs(tag, inputs);
    }

    fn emit(&mut self, flow: FlowId, tag: Tag, following: Option<Tag>) -> (P, Option<Tag>) {
        (**self).emit(flow, tag, following)
    }

    fn plan(&mut self, flow: FlowId) -> NextEvent {
        (**self).plan(flow)
    }
}

/// The answer of a behavior about the next event of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextEvent {
    /// What was planned stays.
    Keep,
    /// No event is planned.
    Nothing,
    /// The next event is at this tag.
    At(Tag),
}

/// Nodes, what they compute, and which of them can continue.
#[derive(Debug)]
pub struct Scheduler<P, B> {
    slots: Vec<Slot<P, B>>,
    queue: ReadyQueue<P>,
}

impl<P: Payload, B: Behavior<P>> Scheduler<P, B> {
    /// All nodes of a topology with what they compute, in the order of [`Topology::nodes`].
    ///
    /// # Panics
    /// If there are not as many behaviors as nodes.
    pub fn new(topology: &Topology, behaviors: Vec<B>, horizon: Option<Tag>) -> Self {
        assert_eq!(behaviors.len(), topology.nodes.len(), "each node has a behavior");
        let nodes = FlowNode::all(topology, horizon).into_iter();
        let slots: Vec<_> = nodes.zip(behaviors).map(|(node, it)| Slot::new(node, it)).collect();
        let ready = (0..slots.len()).map(NodeId::from_index).collect();
        Scheduler { slots, queue: ReadyQueue { ready, moving: Vec::new() } }
    }

    /// Runs until every node is done.
    ///
    /// # Errors
    /// If a behavior violates the rules of a flow, or if nodes wait for each other in a circle.
    pub fn run(&mut self) -> Result<(), SchedulerError> {
        while let Some(node) = self.queue.ready.pop_front() {
            self.work(node, usize::MAX)?;
        }
        self.finish()
    }

    /// The same in an order drawn from a seed, node by node and action by action.
    ///
    /// # Errors
    /// As [`Scheduler::run`].
    pub fn run_shuffled(&mut self, seed: u64) -> Result<(), SchedulerError> {
        let mut prng = Prng::new(seed);
        while !self.queue.ready.is_empty() {
            let place = prng.below(self.queue.ready.len() as u64) as usize;
            let node = self.queue.ready.swap_remove_back(place).expect("the place is in the list");
            self.work(node, 1 + prng.below(3) as usize)?;
        }
        self.finish()
    }

    /// Runs at most so many actions of one node, then hands out what it sent.
    fn work(&mut self, node: NodeId, actions: usize) -> Result<(), SchedulerError> {
        self.slots[node.index()].work(actions)?;
        self.queue.hand_out(&mut self.slots, node)
    }

    /// No node can continue: they are done, or they wait for each other.
    fn finish(&self) -> Result<(), SchedulerError> {
        let waits: Vec<String> = self.slots.iter().filter_map(Slot::wait).collect();
        if waits.is_empty() { Ok(()) } else { Err(SchedulerError::Stuck { waits }) }
    }

    /// The machine of a node.
    pub fn node(&self, node: NodeId) -> &FlowNode<P> {
        &self.slots[node.index()].node
    }

    /// What the nodes compute, in the order of the topology.
    pub fn behaviors(&self) -> impl Iterator<Item = &B> {
        self.slots.iter().map(|slot| &slot.behavior)
    }

    /// How far every side of every flow is, with the hashes, node by node.
    pub fn records(&self) -> impl Iterator<Item = (NodeId, FlowRecord)> + '_ {
        let slots = self.slots.iter();
        slots.flat_map(|slot| slot.node.records().map(|record| (slot.node.me(), record)))
    }
}

/// Where nodes are found while they work: each alone, or under a lock where several threads look.
trait Slots<P, B> {
    fn at(&mut self, node: NodeId) -> impl DerefMut<Target = Slot<P, B>>;
}

impl<P, B> Slots<P, B> for Vec<Slot<P, B>> {
    #[inline]
    fn at(&mut self, node: NodeId) -> impl DerefMut<Target = Slot<P, B>> {
        &mut self[node.index()]
    }
}

/// The nodes that can continue, and delivery of what they send.
#[derive(Debug)]
struct ReadyQueue<P> {
    ready: VecDeque<NodeId>,
    /// Where outputs lie while they are handed out; kept for its room.
    moving: Vec<FlowOutput<P>>,
}

impl<P: Payload> ReadyQueue<P> {
    /// Delivers what a node sent to its receivers.
    fn hand_out<B: Behavior<P>>(
        &mut self,
        slots: &mut impl Slots<P, B>,
        from: NodeId,
    ) -> Result<(), SchedulerError> {
        let mut moving = std::mem::take(&mut self.moving);
        std::mem::swap(&mut moving, &mut slots.at(from).out);
        if !slots.at(from).is_waiting() {
            self.list(&mut *slots.at(from));
        }
        let handed = moving.drain(..).try_for_each(|output| self.hand(slots, from, output));
        self.moving = moving;
        handed
    }

    #[inline]
    fn hand<B: Behavior<P>>(
        &mut self,
        slots: &mut impl Slots<P, B>,
        from: NodeId,
        output: FlowOutput<P>,
    ) -> Result<(), SchedulerError> {
        let (to, flow, input) = match output {
            FlowOutput::Send { flow, sink, message } => {
                (sink, flow, FlowInput::Arrived { flow, message })
            }
            FlowOutput::SendBound { flow, sink, tag } => {
                (sink, flow, FlowInput::Bound { flow, tag })
            }
            FlowOutput::Request { flow, tag } => {
                let source = slots.at(from).source(flow);
                (source, flow, FlowInput::Request { flow, sink: from, tag })
            }
            FlowOutput::Credit { flow, count } => {
                let source = slots.at(from).source(flow);
                (source, flow, FlowInput::Credit { flow, sink: from, count })
            }
            FlowOutput::Deliver { .. } => {
                unreachable!("a slot hands its deliveries to its behavior")
            }
        };
        let slot = &mut *slots.at(to);
        slot.take(input)?;
        if slot.goes_on(flow) {
            self.list(slot);
        }
        Ok(())
    }

    fn list<B: Behavior<P>>(&mut self, slot: &mut Slot<P, B>) {
        if !slot.is_listed {
            slot.is_listed = true;
            self.ready.push_back(slot.node.me());
        }
    }
}

/// Why nodes in one process did not get to their end.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchedulerError {
    /// A node's machine refused what its behavior, or another node, did.
    Refused {
        /// The name of the node.
        node: String,
        /// The reason of the refusal.
        error: FlowError,
    },
    /// Nodes wait for each other in a circle: flows without delay depend on each other at one tag.
    Stuck {
        /// What each node waits for, one line each.
        waits: Vec<String>,
    },
}

impl fmt::Display for SchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchedulerError::Refused { node, error } => write!(f, "node `{node}`: {error}"),
            SchedulerError::Stuck { waits } => {
                write!(f, "the nodes wait for each other: {}", waits.join("; "))
            }
        }
    }
}

impl std::error::Error for SchedulerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SchedulerError::Refused { error, .. } => Some(error),
            SchedulerError::Stuck { .. } => None,
        }
    }
}
