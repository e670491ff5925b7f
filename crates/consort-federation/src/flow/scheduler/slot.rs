//! One node of a scheduler: its machine, what it computes, what it sent and waits for.

use super::{Behavior, NextEvent, SchedulerError};
use crate::flow::error::{FlowError, shown};
use crate::flow::hash::Payload;
use crate::flow::machine::FlowNode;
use crate::flow::message::{FlowInput, FlowOutput, NextAction};
use crate::flow::topology::FlowId;
use consort_core::{NodeId, Tag};

#[derive(Debug)]
pub(super) struct Slot<P, B> {
    pub(super) node: FlowNode<P>,
    pub(super) behavior: B,
    /// What it sent and was not received yet.
    pub(super) out: Vec<FlowOutput<P>>,
    /// Whether it is on the work list.
    pub(super) is_listed: bool,
    /// What it found to do next when it last looked.
    next: NextAction,
    /// Whether the behavior was asked for its first plans.
    is_begun: bool,
    /// What was consumed, on its way to the behavior; kept for their room.
    taken: Vec<FlowOutput<P>>,
    batch: Vec<(FlowId, P)>,
}

impl<P: Payload, B: Behavior<P>> Slot<P, B> {
    pub(super) fn new(node: FlowNode<P>, behavior: B) -> Self {
        let (out, taken, batch) = (Vec::new(), Vec::new(), Vec::new());
        let next = NextAction::Announce;
        Slot { node, behavior, out, is_listed: true, next, is_begun: false, taken, batch }
    }

    /// Works until the node lacks something, or has done so many actions.
    pub(super) fn work(&mut self, actions: usize) -> Result<(), SchedulerError> {
        self.is_listed = false;
        self.act(actions).map_err(|error| self.refused(error))
    }

    /// Takes what another node sent.
    #[inline]
    pub(super) fn take(&mut self, input: FlowInput<P>) -> Result<(), SchedulerError> {
        self.node.handle(input, &mut self.out).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: FlowError) -> SchedulerError {
        let node = self.node.topology().nodes[self.node.me().index()].clone();
        SchedulerError::Refused { node, error }
    }

    fn act(&mut self, actions: usize) -> Result<(), FlowError> {
        if !self.is_begun {
            self.is_begun = true;
            self.ask_for_plans()?;
        }
        self.next = self.node.poll_lazily();
        for _ in 0..actions {
            match self.next {
                NextAction::Emit { flow, tag } => self.emit(flow, tag)?,
                NextAction::Consume { tag } => self.consume(tag)?,
                NextAction::Announce => self.node.handle(FlowInput::Announce, &mut self.out)?,
                NextAction::AwaitInput { .. }
                | NextAction::AwaitCredit { .. }
                | NextAction::Done => break,
            }
            self.next = self.node.poll_lazily();
        }
        Ok(())
    }

    fn emit(&mut self, flow: FlowId, tag: Tag) -> Result<(), FlowError> {
        let following = self.node.topology().flows[flow.index()].following(tag);
        let (payload, next) = self.behavior.emit(flow, tag, following);
        self.node.handle(FlowInput::Emit { flow, payload, next }, &mut self.out)
    }

    fn consume(&mut self, tag: Tag) -> Result<(), FlowError> {
        self.node.handle(FlowInput::Consume, &mut self.taken)?;
        for output in self.taken.drain(..) {
            match output {
                FlowOutput::Deliver { flow, message } => self.batch.push((flow, message.payload)),
                other => self.out.push(other),
            }
        }
        self.behavior.on_inputs(tag, &self.batch);
        self.batch.clear();
        self.ask_for_plans()
    }

    fn ask_for_plans(&mut self) -> Result<(), FlowError> {
        let mut from = 0;
        while let Some((place, flow)) = self.node.plannable(from) {
            from = place + 1;
            let tag = match self.behavior.plan(flow) {
                NextEvent::Keep => continue,
                NextEvent::Nothing => None,
                NextEvent::At(tag) => Some(tag),
            };
            self.node.handle(FlowInput::Plan { flow, tag }, &mut self.out)?;
        }
        Ok(())
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.next.is_wait()
    }

    /// Whether what came on a flow lets it continue. Messages, bounds and requests of event flows always may: they change
    /// what it can announce, or has to.
    #[inline]
    pub(super) fn goes_on(&self, flow: FlowId) -> bool {
        let awaited = match self.next {
            NextAction::AwaitInput { flow, .. } | NextAction::AwaitCredit { flow, .. } => {
                Some(flow)
            }
            _ => None,
        };
        awaited == Some(flow)
            || !self.out.is_empty()
            || self.node.topology().flows[flow.index()].kind.is_event()
    }

    pub(super) fn source(&self, flow: FlowId) -> NodeId {
        self.node.topology().flows[flow.index()].source
    }

    /// A description of what it waits for; none if it is done.
    pub(super) fn wait(&self) -> Option<String> {
        let topology = self.node.topology();
        let (me, flows) = (&topology.nodes[self.node.me().index()], &topology.flows);
        match self.node.poll() {
            NextAction::Done => None,
            NextAction::AwaitInput { flow, tag } => {
                let flow = &flows[flow.index()];
                let (name, source) = (&flow.name, &topology.nodes[flow.source.index()]);
                Some(format!("`{me}` waits for `{name}` of `{source}` at {}", shown(tag)))
            }
            NextAction::AwaitCredit { flow, sink } => {
                let (name, sink) = (&flows[flow.index()].name, &topology.nodes[sink.index()]);
                Some(format!("`{me}` waits until `{sink}` has room for `{name}`"))
            }
            NextAction::Emit { .. } | NextAction::Consume { .. } | NextAction::Announce => {
                Some(format!("`{me}` could continue"))
            }
        }
    }
}
