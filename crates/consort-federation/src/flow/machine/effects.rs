//! Transitions of a machine: each function checks everything first, then changes.

use super::FlowNode;
use super::choice::Step;
use super::ports::promised;
use crate::flow::error::FlowError;
use crate::flow::hash::Payload;
use crate::flow::message::{FlowOutput, Message, NEVER};
use crate::flow::topology::{FlowId, FlowTiming};
use consort_core::{NodeId, Tag};

impl<P: Payload> FlowNode<P> {
    pub(super) fn arrived(&mut self, flow: FlowId, message: Message<P>) -> Result<(), FlowError> {
        let input = self.input(flow)?;
        self.check_arrival(input, &message)?;
        let is_event = self.facts.flow(flow).kind.is_event();
        let tag = self.facts.clip(message.tag);
        let port = &mut self.state.inputs[input];
        port.arrives = message.next.unwrap_or(NEVER);
        if is_event && port.buffer.is_empty() {
            port.next = tag;
        }
        port.buffer.push_back(message);
        Ok(())
    }

    fn check_arrival(&self, input: usize, message: &Message<P>) -> Result<(), FlowError> {
        let port = &self.state.inputs[input];
        let flow = self.facts.flow(port.flow);
        let (name, found, expected) = (|| flow.name.clone(), message.tag, port.arrives);
        if expected == NEVER {
            return Err(FlowError::AfterEnd { flow: name(), found: Some(found) });
        }
        if flow.kind.is_event() && found < expected {
            return Err(FlowError::BeforeBound { flow: name(), found, bound: expected });
        }
        if !flow.kind.is_event() && found != expected {
            return Err(FlowError::UnexpectedTag { flow: name(), found, expected });
        }
        if u64::from(flow.capacity) <= port.buffer.len() as u64 + u64::from(port.owed) {
            let capacity = flow.capacity;
            return Err(FlowError::OverCapacity { flow: name(), found, capacity });
        }
        self.check_microstep(port.flow, found)?;
        self.check_next(port.flow, found, message.next)
    }

    /// Whether a message may promise this next one.
    fn check_next(&self, id: FlowId, tag: Tag, next: Option<Tag>) -> Result<(), FlowError> {
        let Some(next) = next else { return Ok(()) };
        let flow = self.facts.flow(id);
        if next <= tag {
            return Err(FlowError::NotLater { flow: flow.name.clone(), tag, next });
        }
        let expected = flow.following(tag);
        if flow.timing != FlowTiming::Variable && expected != Some(next) {
            return Err(FlowError::WrongTiming { flow: flow.name.clone(), tag, next, expected });
        }
        self.check_microstep(id, next)
    }

    /// Events that cause each other without end are found by their microsteps. A microstep that was declared
    /// causes nothing.
    pub(super) fn check_microstep(&self, id: FlowId, tag: Tag) -> Result<(), FlowError> {
        let flow = self.facts.flow(id);
        let microsteps_max = self.facts.microsteps_max;
        if flow.timing != FlowTiming::Variable || tag == NEVER || tag.microstep <= microsteps_max {
            return Ok(());
        }
        let (flow, time) = (flow.name.clone(), tag.time);
        Err(FlowError::TooManyMicrosteps { flow, time, microsteps_max })
    }

    pub(super) fn credited(
        &mut self,
        id: FlowId,
        sink: NodeId,
        count: u32,
        out: &mut Vec<FlowOutput<P>>,
    ) -> Result<(), FlowError> {
        let output = self.output(id)?;
        let place = self.check_credit(output, sink, count)?;
        let port = &mut self.state.outputs[output];
        let granted = &mut port.sinks[place];
        granted.credits += count;
        if granted.waits && 0 < granted.credits {
            let message = port.unserved.clone().expect("a sink that waits, waits for a message");
            granted.waits = false;
            granted.credits -= 1;
            granted.announced(message.next.unwrap_or(NEVER));
            out.push(FlowOutput::Send { flow: id, sink, message });
        }
        if self.state.emitting == Some(output) && !port.sinks.iter().any(|sink| sink.waits) {
            port.unserved = None;
            self.state.emitting = None;
        }
        Ok(())
    }

    fn check_credit(&self, output: usize, sink: NodeId, count: u32) -> Result<usize, FlowError> {
        let place = self.sink(output, sink)?;
        let port = &self.state.outputs[output];
        let flow = self.facts.flow(port.flow);
        let credits = u64::from(port.sinks[place].credits) + u64::from(count);
        if credits <= u64::from(flow.capacity) {
            return Ok(place);
        }
        let (name, sink) =
            (flow.name.clone(), self.facts.world.topology.nodes[sink.index()].clone());
        Err(FlowError::TooMuchCredit { flow: name, sink, credits, capacity: flow.capacity })
    }

    pub(super) fn emit(
        &mut self,
        id: FlowId,
        payload: P,
        next: Option<Tag>,
        out: &mut Vec<FlowOutput<P>>,
    ) -> Result<(), FlowError> {
        let output = self.output(id)?;
        let tag = match self.choice().step() {
            Step::Emit { output: due, tag } if due == output && self.state.emitting.is_none() => {
                tag
            }
            _ => return Err(self.not_now(format!("emit `{}`", self.facts.flow(id).name))),
        };
        self.check_next(id, tag, next)?;
        self.close_plans();
        let next = next.map_or(NEVER, |next| self.facts.clip(next));
        let floor = self.facts.after(tag);
        let port = &mut self.state.outputs[output];
        port.next = next;
        port.carried.absorb(tag, &payload);
        let mut promise = next;
        if port.is_event {
            port.floor = floor;
            promise = self.choice().bound(output);
        }
        self.send(output, Message { tag, next: promised(promise), payload }, out);
        Ok(())
    }

    /// Sends to every sink that has room; the others get it as soon as they have.
    fn send(&mut self, output: usize, message: Message<P>, out: &mut Vec<FlowOutput<P>>) {
        let port = &mut self.state.outputs[output];
        let announced = message.next.unwrap_or(NEVER);
        let mut waits = false;
        for sink in &mut port.sinks {
            if sink.credits == 0 {
                sink.waits = true;
                waits = true;
                continue;
            }
            sink.credits -= 1;
            sink.announced(announced);
            let (flow, sink, message) = (port.flow, sink.node, message.clone());
            out.push(FlowOutput::Send { flow, sink, message });
        }
        if waits {
            port.unserved = Some(message);
            self.state.emitting = Some(output);
        }
    }

    pub(super) fn consume(&mut self, out: &mut Vec<FlowOutput<P>>) -> Result<(), FlowError> {
        let (tag, output) = match self.choice().step() {
            Step::Consume { tag, output } if self.state.emitting.is_none() => (tag, output),
            _ => return Err(self.not_now("consume".to_owned())),
        };
        if self.facts.has_events {
            self.close_plans();
            self.open_plans(tag, output);
        }
        for input in 0..self.state.inputs.len() {
            if self.choice().is_taken(input, tag, output) {
                self.dequeue(input, out);
            }
        }
        Ok(())
    }

    fn dequeue(&mut self, input: usize, out: &mut Vec<FlowOutput<P>>) {
        let port = &mut self.state.inputs[input];
        let flow = port.flow;
        let message = port.buffer.pop_front().expect("what is consumed has arrived");
        port.carried.absorb(message.tag, &message.payload);
        let facts = self.facts.flow(flow);
        let next = if facts.kind.is_event() {
            port.buffer.front().map_or(port.arrives, |message| message.tag)
        } else {
            message.next.unwrap_or(NEVER)
        };
        port.next = self.facts.clip(next);
        out.push(FlowOutput::Deliver { flow, message });
        port.owed += 1;
        if (facts.capacity / 2).max(1) <= port.owed {
            let count = std::mem::take(&mut port.owed);
            out.push(FlowOutput::Credit { flow, count });
        }
    }

    #[inline]
    pub(super) fn input(&self, flow: FlowId) -> Result<usize, FlowError> {
        let wrong = |flow, node| FlowError::NotAnInput { flow, node };
        self.facts.input(flow).map(|it| it as usize).ok_or_else(|| self.strange(flow, wrong))
    }

    #[inline]
    pub(super) fn output(&self, flow: FlowId) -> Result<usize, FlowError> {
        let wrong = |flow, node| FlowError::NotAnOutput { flow, node };
        self.facts.output(flow).map(|it| it as usize).ok_or_else(|| self.strange(flow, wrong))
    }

    /// Which of the sinks of an output a node is.
    pub(super) fn sink(&self, output: usize, sink: NodeId) -> Result<usize, FlowError> {
        let port = &self.state.outputs[output];
        port.sinks.iter().position(|it| it.node == sink).ok_or_else(|| {
            let flow = self.facts.flow(port.flow).name.clone();
            FlowError::NotASink { flow, sink: sink.0 }
        })
    }

    /// What is wrong with a flow that this node has not on that side: by the names of both, if there is such a flow.
    #[cold]
    fn strange(&self, flow: FlowId, wrong: fn(String, String) -> FlowError) -> FlowError {
        let topology = &self.facts.world.topology;
        match topology.flows.get(flow.index()) {
            Some(known) => wrong(known.name.clone(), topology.nodes[self.facts.me.index()].clone()),
            None => FlowError::UnknownFlow { flow: flow.0 },
        }
    }
}
