//! Constants of a run, shared by all copies of a machine.

use super::MICROSTEPS_MAX;
use super::ports::{Carried, InputPort, OutputPort, SinkPort};
use super::ranks::Ranks;
use crate::flow::analysis::{BoundSending, bound_sending};
use crate::flow::message::NEVER;
use crate::flow::topology::{Flow, FlowId, FlowKind, Topology};
use consort_core::{NodeId, Tag, Time};
use std::sync::Arc;

/// Before every other tag.
const FIRST: Tag = Tag { time: Time::from_ticks(i64::MIN), microstep: 0 };

/// What all nodes share.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) topology: Topology,
    pub(super) ranks: Ranks,
    /// Of each event flow, when bounds are sent.
    sending: Vec<BoundSending>,
}

impl World {
    pub(super) fn new(topology: &Topology) -> Arc<Self> {
        let (ranks, sending) = (Ranks::new(topology), bound_sending(topology));
        Arc::new(World { topology: topology.clone(), ranks, sending })
    }

    /// Whether the sinks of a flow ask for bounds.
    fn is_asked(&self, flow: FlowId) -> bool {
        self.sending[flow.index()] == BoundSending::WhenAsked
    }
}

/// One node's view of a topology.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) world: Arc<World>,
    pub(super) me: NodeId,
    /// Nothing later than this is emitted or consumed.
    pub(super) horizon: Tag,
    pub(super) microsteps_max: u32,
    /// Which input, or output, a flow is; sorted by flow.
    input_of: Vec<(FlowId, u32)>,
    output_of: Vec<(FlowId, u32)>,
    /// For each output the inputs that it waits for or that may cause it; `None`: all.
    causes: Vec<Option<Vec<u32>>>,
    pub(super) has_lists: bool,
    /// Whether some output is an event flow.
    pub(super) has_events: bool,
    /// Whether some input is an event flow whose bounds are asked for.
    pub(super) asks: bool,
}

impl Facts {
    pub(super) fn new(world: Arc<World>, me: NodeId, horizon: Option<Tag>) -> Self {
        let topology = &world.topology;
        let (inputs, outputs) = (topology.inputs(me), topology.outputs(me));
        let (inputs, outputs) = (sorted(topology, inputs), sorted(topology, outputs));
        let described = |id: &FlowId| &world.topology.flows[id.index()];
        let is_listed = |flow: &Flow| flow.kind.is_immediate() && flow.feedthrough.is_some();
        let input_of = by_flow(&inputs);
        let listed =
            |list: &Vec<FlowId>| list.iter().filter_map(|it| place(&input_of, *it)).collect();
        let causes = |id| described(id).feedthrough.as_ref().map(listed);
        Facts {
            me,
            horizon: horizon.unwrap_or(NEVER),
            microsteps_max: MICROSTEPS_MAX,
            causes: outputs.iter().map(causes).collect(),
            has_lists: outputs.iter().any(|id| is_listed(described(id))),
            has_events: outputs.iter().any(|id| described(id).kind.is_event()),
            asks: inputs.iter().any(|id| world.is_asked(*id)),
            output_of: by_flow(&outputs),
            input_of,
            world,
        }
    }

    pub(super) fn inputs<P>(&self) -> Vec<InputPort<P>> {
        let flows = sorted(&self.world.topology, self.world.topology.inputs(self.me));
        let is_asked = |flow| self.world.is_asked(flow);
        let port = |flow| InputPort::new(flow, self.clip(self.flow(flow).first), is_asked(flow));
        flows.into_iter().map(port).collect()
    }

    pub(super) fn outputs<P>(&self) -> Vec<OutputPort<P>> {
        let flows = sorted(&self.world.topology, self.world.topology.outputs(self.me));
        flows.into_iter().map(|id| self.output_port(id)).collect()
    }

    fn output_port<P>(&self, id: FlowId) -> OutputPort<P> {
        let flow = self.flow(id);
        let (first, is_event) = (self.clip(flow.first), flow.kind.is_event());
        let sink = |node: &NodeId| SinkPort {
            node: *node,
            credits: flow.capacity,
            announced: first,
            wanted: NEVER,
            waits: false,
        };
        OutputPort {
            flow: id,
            is_immediate: flow.kind.is_immediate(),
            is_event,
            sending: self.world.sending[id.index()],
            next: if is_event { NEVER } else { first },
            floor: first,
            plan_from: is_event.then_some(first),
            unserved: None,
            sinks: flow.sinks.iter().map(sink).collect(),
            carried: Carried::default(),
        }
    }

    #[inline]
    pub(super) fn flow(&self, id: FlowId) -> &Flow {
        &self.world.topology.flows[id.index()]
    }

    /// Which input a flow is. Inputs and outputs are numbered in the order of (priority, name).
    #[inline]
    pub(super) fn input(&self, flow: FlowId) -> Option<u32> {
        place(&self.input_of, flow)
    }

    #[inline]
    pub(super) fn output(&self, flow: FlowId) -> Option<u32> {
        place(&self.output_of, flow)
    }

    /// Whether an output waits for an input, or may be caused by it.
    #[inline]
    pub(super) fn is_cause(&self, input: usize, output: usize) -> bool {
        let list = self.causes[output].as_ref();
        list.is_none_or(|list| list.contains(&(input as u32)))
    }

    /// What is beyond the horizon is never.
    #[inline]
    pub(super) fn clip(&self, tag: Tag) -> Tag {
        if self.horizon < tag { NEVER } else { tag }
    }

    /// The first tag at which something that happens at `tag` can cause an event on this flow.
    pub(super) fn reach(&self, flow: FlowId, tag: Tag) -> Tag {
        let FlowKind::Event { lookahead, adds_microstep, .. } = self.flow(flow).kind else {
            return tag;
        };
        if tag == NEVER {
            NEVER
        } else if Time::ZERO < lookahead {
            tag.time.checked_add(lookahead).map_or(NEVER, Tag::at)
        } else if adds_microstep {
            self.after(tag)
        } else {
            tag
        }
    }

    /// The least tag from which on nothing can cause an event on this flow before `tag`: [`Facts::reach`] turned
    /// round.
    pub(super) fn before(&self, flow: FlowId, tag: Tag) -> Tag {
        let FlowKind::Event { lookahead, adds_microstep, .. } = self.flow(flow).kind else {
            return tag;
        };
        let earlier = |by| tag.time.checked_sub(by);
        if Time::ZERO < lookahead {
            let time = earlier(lookahead)
                .map(|time| time + Time::from_ticks(i64::from(0 < tag.microstep)));
            time.map_or(FIRST, Tag::at)
        } else if !adds_microstep {
            tag
        } else if 0 < tag.microstep {
            Tag { microstep: (tag.microstep - 1).min(self.microsteps_max), ..tag }
        } else {
            let microstep = self.microsteps_max;
            earlier(Time::from_ticks(1)).map_or(FIRST, |time| Tag { time, microstep })
        }
    }

    /// The tag after this one. Beyond the cap of microsteps nothing happens, so it is that of the next tick:
    /// bounds that rise by microsteps alone leave an instant after finitely many.
    pub(super) fn after(&self, tag: Tag) -> Tag {
        if tag.microstep < self.microsteps_max {
            tag.next_microstep()
        } else {
            tag.time.checked_add(Time::from_ticks(1)).map_or(NEVER, Tag::at)
        }
    }
}

fn sorted(topology: &Topology, flows: impl Iterator<Item = FlowId>) -> Vec<FlowId> {
    let mut flows: Vec<FlowId> = flows.collect();
    flows.sort_by_key(|flow| (topology.flows[flow.index()].priority, *flow));
    flows
}

fn by_flow(ports: &[FlowId]) -> Vec<(FlowId, u32)> {
    let mut ports: Vec<(FlowId, u32)> = ports.iter().copied().zip(0..).collect();
    ports.sort_unstable();
    ports
}

/// Where a flow is among the ports of a node: they are few.
#[inline]
fn place(ports: &[(FlowId, u32)], flow: FlowId) -> Option<u32> {
    let found = ports.binary_search_by_key(&flow, |(flow, _)| *flow);
    found.ok().map(|found| ports[found].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::topology::BoundPolicy;

    #[test]
    fn before_is_reach_turned_round() {
        let kinds = [(0, false), (0, true), (1, false), (3, false)];
        for (lookahead, adds_microstep) in kinds {
            let facts = facts(Time::from_ticks(lookahead), adds_microstep);
            let flow = FlowId(0);
            let tags = || (-9..9).flat_map(|time| (0..4).map(move |step| (time, step)));
            let tags =
                || tags().map(|(time, microstep)| Tag { time: Time::from_ticks(time), microstep });
            for tag in tags().filter(|tag| -4 < tag.time.ticks() && tag.time.ticks() < 4) {
                let least = tags().find(|it| tag <= facts.reach(flow, *it));
                assert_eq!(Some(facts.before(flow, tag)), least, "{tag:?}, lookahead {lookahead}");
            }
        }
    }

    /// Of a node with one event flow and microsteps up to 3.
    fn facts(lookahead: Time, adds_microstep: bool) -> Facts {
        let bounds = BoundPolicy::OnDemand;
        let kind = FlowKind::Event { lookahead, adds_microstep, bounds };
        let flow = Flow { kind, ..Flow::asked("e", 0, 1) };
        let topology = Topology { nodes: vec!["a".to_owned(), "b".to_owned()], flows: vec![flow] };
        let facts = Facts::new(World::new(&topology), NodeId(0), None);
        Facts { microsteps_max: 3, ..facts }
    }
}
