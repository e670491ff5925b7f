//! Chooses the next step: from the tags of next messages alone, never from what has arrived.

use super::facts::Facts;
use super::ports::{InputPort, OutputPort};
use crate::flow::message::NEVER;
use consort_core::{Tag, Time};

/// What a node does next, by its own ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Emit on this output.
    Emit { output: usize, tag: Tag },
    /// Consume what came at this tag; of it only what this output waits for, if one is given.
    Consume { tag: Tag, output: Option<usize> },
    /// The same, but this input is not decided yet.
    Await { input: usize, tag: Tag },
    /// No step is left.
    Done,
}

/// Inputs and outputs of a node, and what never changes.
pub(super) struct Choice<'a, P> {
    pub(super) facts: &'a Facts,
    pub(super) inputs: &'a [InputPort<P>],
    pub(super) outputs: &'a [OutputPort<P>],
}

impl<P> Choice<'_, P> {
    /// The least of (tag, phase, priority, name).
    #[inline]
    pub(super) fn step(&self) -> Step {
        let mut input_tag = NEVER;
        for input in self.inputs {
            input_tag = input_tag.min(input.next);
        }
        let (mut before, mut before_tag) = (0, NEVER);
        let (mut after, mut after_tag) = (0, NEVER);
        for (place, output) in self.outputs.iter().enumerate() {
            let (least, least_tag) = if output.is_immediate {
                (&mut after, &mut after_tag)
            } else {
                (&mut before, &mut before_tag)
            };
            if output.next < *least_tag {
                (*least, *least_tag) = (place, output.next);
            }
        }
        if before_tag != NEVER && before_tag <= input_tag.min(after_tag) {
            return Step::Emit { output: before, tag: before_tag };
        }
        if self.facts.has_lists {
            return self.step_by_lists(input_tag.min(after_tag));
        }
        if after_tag < input_tag {
            return Step::Emit { output: after, tag: after_tag };
        }
        self.consume(input_tag, None)
    }

    /// Phases 1 and 2 of a tag, where some output waits for some inputs only: outputs are taken in the one
    /// order that all nodes follow, each after what it waits for; the rest is consumed at the end.
    fn step_by_lists(&self, tag: Tag) -> Step {
        let places = (0..self.outputs.len()).filter(|output| self.is_due(*output, tag));
        let due = places.map(|output| (output, self.outputs[output].flow));
        let world = &self.facts.world;
        match world.ranks.first(&world.topology, tag, due) {
            None => self.consume(tag, None),
            Some(output) if self.causes_at(output, tag) => self.consume(tag, Some(output)),
            Some(output) => Step::Emit { output, tag },
        }
    }

    /// Whether an output has its turn at a tag. An event that is not planned has it too while its causes are
    /// not consumed: others wait for the message that it does not happen.
    fn is_due(&self, output: usize, tag: Tag) -> bool {
        let port = &self.outputs[output];
        let is_planned = port.next == tag && tag != NEVER;
        port.is_immediate && (is_planned || (port.is_event && self.causes_at(output, tag)))
    }

    /// Whether something that an output waits for is to be consumed at a tag.
    fn causes_at(&self, output: usize, tag: Tag) -> bool {
        tag != NEVER && (0..self.inputs.len()).any(|input| self.is_taken(input, tag, Some(output)))
    }

    /// Whether an input belongs to what is consumed at a tag (for an output).
    #[inline]
    pub(super) fn is_taken(&self, input: usize, tag: Tag, output: Option<usize>) -> bool {
        self.inputs[input].next == tag
            && output.is_none_or(|output| self.facts.is_cause(input, output))
    }

    fn consume(&self, tag: Tag, output: Option<usize>) -> Step {
        if tag == NEVER {
            return Step::Done;
        }
        let is_lacking = |input: &usize| {
            self.inputs[*input].buffer.is_empty() && self.is_taken(*input, tag, output)
        };
        match (0..self.inputs.len()).find(is_lacking) {
            Some(input) => Step::Await { input, tag },
            None => Step::Consume { tag, output },
        }
    }

    /// The least bound of an event input without messages that would help: its own node to continue, or a sink of its
    /// node that has asked. None if there is no such, or if only the end would do, which is sent without a request.
    pub(super) fn needed(&self, input: usize, step: Step) -> Option<Tag> {
        let own = match step {
            Step::Await { input: awaited, .. } => self.needed_here(input, awaited == input),
            _ => NEVER,
        };
        let outputs = self.outputs.iter().enumerate();
        let caused = outputs.filter(|(output, _)| self.facts.is_cause(input, *output));
        let wanted = caused.flat_map(|(_, port)| {
            let wanted = port.sinks.iter().map(|sink| sink.wanted).filter(|tag| *tag != NEVER);
            wanted.map(|tag| self.facts.before(port.flow, tag))
        });
        let is_unknown = |tag: &Tag| self.inputs[input].next < *tag;
        let needed = wanted.chain([own]).filter(is_unknown).min()?;
        (self.facts.clip(needed) != NEVER).then_some(needed)
    }

    /// What lets the node itself continue: it has to know about everything before the least tag at which it has to do
    /// something for sure, and about that tag too if it does nothing there before it has all inputs.
    fn needed_here(&self, input: usize, is_awaited: bool) -> Tag {
        let is_sure = |port: &&InputPort<P>| {
            !port.buffer.is_empty() || !self.facts.flow(port.flow).kind.is_event()
        };
        let inputs = self.inputs.iter().filter(is_sure).map(|port| port.next);
        let sure = inputs.chain(self.outputs.iter().map(|port| port.next)).min().unwrap_or(NEVER);
        let mut outputs = self.outputs.iter();
        let may_emit_first =
            self.facts.has_lists || outputs.any(|it| !it.is_immediate && it.next == sure);
        let is_decided_last = is_awaited && self.inputs[input].next == sure;
        if sure == NEVER || (may_emit_first && !is_decided_last) { sure } else { beyond(sure) }
    }

    /// No event comes on this output before this tag.
    pub(super) fn bound(&self, output: usize) -> Tag {
        let port = &self.outputs[output];
        let inputs = self.inputs.iter().enumerate();
        let causes = inputs.filter(|(input, _)| self.facts.is_cause(*input, output));
        let cause = causes.map(|(_, input)| input.next).min().unwrap_or(NEVER);
        let caused = self.facts.reach(port.flow, cause);
        self.facts.clip(port.next.min(caused).max(port.floor))
    }
}

/// The least tag that is greater.
fn beyond(tag: Tag) -> Tag {
    if tag.microstep < u32::MAX {
        return tag.next_microstep();
    }
    tag.time.checked_add(Time::from_ticks(1)).map_or(NEVER, Tag::at)
}
