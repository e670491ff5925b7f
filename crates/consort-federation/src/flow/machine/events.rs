//! What only event flows have: bounds, requests for them, plans, announcements. Nothing of it is hashed, takes room, or
//! reaches the computation: it decides how long others wait, never what they get.

use super::FlowNode;
use super::choice::Step;
use super::ports::promised;
use crate::flow::analysis::BoundSending;
use crate::flow::error::FlowError;
use crate::flow::hash::Payload;
use crate::flow::message::{FlowOutput, NEVER};
use crate::flow::topology::FlowId;
use consort_core::{NodeId, Tag};

impl<P: Payload> FlowNode<P> {
    pub(super) fn bound_arrived(&mut self, id: FlowId, tag: Option<Tag>) -> Result<(), FlowError> {
        let input = self.input(id)?;
        self.check_is_event(id)?;
        let flow = || self.facts.flow(id).name.clone();
        let (bound, arrives) = (tag.unwrap_or(NEVER), self.state.inputs[input].arrives);
        if arrives == NEVER {
            return Err(FlowError::AfterEnd { flow: flow(), found: tag });
        }
        if bound < arrives {
            return Err(FlowError::BeforeBound { flow: flow(), found: bound, bound: arrives });
        }
        let next = self.facts.clip(bound);
        let port = &mut self.state.inputs[input];
        port.arrives = bound;
        if port.buffer.is_empty() {
            port.next = next;
        }
        Ok(())
    }

    /// A sink waits for a bound. A bound that was sent already needs no answer, and the end is sent anyway.
    pub(super) fn requested(
        &mut self,
        id: FlowId,
        sink: NodeId,
        tag: Tag,
    ) -> Result<(), FlowError> {
        let output = self.output(id)?;
        self.check_is_event(id)?;
        let place = self.sink(output, sink)?;
        let wanted = self.facts.clip(tag);
        let port = &mut self.state.outputs[output];
        let sink = &mut port.sinks[place];
        if port.sending == BoundSending::WhenAsked && sink.announced < wanted {
            sink.wanted = sink.wanted.min(wanted);
        }
        Ok(())
    }

    /// After this consumption, events may be planned that it can cause.
    pub(super) fn open_plans(&mut self, tag: Tag, output: Option<usize>) {
        for place in 0..self.state.outputs.len() {
            let (is_event, flow) = {
                let port = &self.state.outputs[place];
                (port.is_event, port.flow)
            };
            let choice = self.choice();
            let mut taken = (0..choice.inputs.len()).filter(|it| choice.is_taken(*it, tag, output));
            if is_event && taken.any(|input| self.facts.is_cause(input, place)) {
                let earliest = self.facts.reach(flow, tag);
                let port = &mut self.state.outputs[place];
                port.plan_from = Some(earliest.max(port.floor));
            }
        }
    }

    pub(super) fn close_plans(&mut self) {
        if self.facts.has_events {
            self.state.outputs.iter_mut().for_each(|port| port.plan_from = None);
        }
    }

    pub(super) fn plan(&mut self, id: FlowId, tag: Option<Tag>) -> Result<(), FlowError> {
        let output = self.output(id)?;
        self.check_is_event(id)?;
        let port = &self.state.outputs[output];
        let planned = tag.unwrap_or(NEVER);
        let Some(earliest) = port.plan_from else {
            let asked = format!("plan an event of `{}`", self.facts.flow(id).name);
            return Err(FlowError::NotNow { asked, first: "consume what may cause it".to_owned() });
        };
        self.check_microstep(id, planned)?;
        // A plan that stays as it was needs no new cause.
        if planned < earliest && planned != port.next {
            let (flow, tag) = (self.facts.flow(id).name.clone(), planned);
            return Err(FlowError::PlannedTooEarly { flow, tag, earliest });
        }
        self.state.outputs[output].next = self.facts.clip(planned);
        Ok(())
    }

    pub(super) fn announce(&mut self, out: &mut Vec<FlowOutput<P>>) {
        self.close_plans();
        let step = self.choice().step();
        let is_waiting = self.action(step).is_wait();
        for output in 0..self.state.outputs.len() {
            if !self.state.outputs[output].is_event || self.is_next(output, step) {
                continue;
            }
            let bound = self.choice().bound(output);
            let port = &mut self.state.outputs[output];
            for place in 0..port.sinks.len() {
                if port.is_news(&port.sinks[place], bound, is_waiting) {
                    port.sinks[place].announced(bound);
                    let (flow, sink) = (port.flow, port.sinks[place].node);
                    out.push(FlowOutput::SendBound { flow, sink, tag: promised(bound) });
                }
            }
        }
        self.ask(step, out);
    }

    /// Asks for the bounds that are waited for.
    fn ask(&mut self, step: Step, out: &mut Vec<FlowOutput<P>>) {
        for input in 0..self.state.inputs.len() {
            if let Some(tag) = self.question(input, step) {
                let port = &mut self.state.inputs[input];
                port.asked = tag;
                out.push(FlowOutput::Request { flow: port.flow, tag });
            }
        }
    }

    /// The bound to ask for on an input now. One that was asked for already, and is not more than what is needed, is
    /// waited for first: the node that has to answer may itself wait for another one that waits for that.
    pub(super) fn question(&self, input: usize, step: Step) -> Option<Tag> {
        let port = &self.state.inputs[input];
        if !port.is_asked || !port.buffer.is_empty() {
            return None;
        }
        let step = if self.state.emitting.is_none() { step } else { Step::Done };
        let needed = self.choice().needed(input, step)?;
        let is_asked = port.next < port.asked && port.asked <= needed;
        (!is_asked).then_some(needed)
    }

    fn check_is_event(&self, id: FlowId) -> Result<(), FlowError> {
        let flow = self.facts.flow(id);
        let is_event = flow.kind.is_event();
        is_event.then_some(()).ok_or_else(|| FlowError::NotAnEventFlow { flow: flow.name.clone() })
    }
}
