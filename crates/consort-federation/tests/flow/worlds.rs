//! Random systems of all flow kinds, a behavior whose every message depends on everything it may depend on, and an
//! oracle: the same system as one sequential loop over tags, without machines, buffers or bounds.

use crate::support::{at, tag};
use consort_core::{NodeId, Prng, Tag, Time};
use consort_federation::flow::{
    Behavior, BoundPolicy, Flow, FlowId, FlowKind, FlowTiming, NEVER, NextEvent, Topology,
};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const HORIZON: Tag = Tag { time: Time::from_ticks(40), microstep: 7 };

/// Flows without delay go to nodes of a greater number only, so there is no circuit of them.
pub(crate) fn random_topology(prng: &mut Prng) -> Topology {
    let nodes = 2 + prng.below(4) as u32;
    let mut flows: Vec<Flow> =
        (0..2 + prng.below(8)).map(|it| random_flow(prng, nodes, it)).collect();
    flows.sort_by(|first, second| first.name.cmp(&second.name));
    let mut topology = Topology { nodes: (0..nodes).map(|it| format!("n{it}")).collect(), flows };
    for place in 0..topology.flows.len() {
        let inputs: Vec<FlowId> = topology.inputs(topology.flows[place].source).collect();
        if prng.below(2) == 0 {
            let listed = inputs.into_iter().filter(|_| prng.below(2) == 0).collect();
            topology.flows[place].feedthrough = Some(listed);
        }
    }
    topology
}

fn random_flow(prng: &mut Prng, nodes: u32, number: u64) -> Flow {
    let event = |lookahead, adds_microstep| FlowKind::Event {
        lookahead: Time::from_ticks(lookahead),
        adds_microstep,
        bounds: BoundPolicy::Eager,
    };
    let kinds = [
        FlowKind::State,
        FlowKind::State,
        FlowKind::Observation,
        event(0, false),
        event(0, true),
        event(1 + prng.below(4) as i64, false),
    ];
    let kind = kinds[prng.below(6) as usize];
    let is_forward = kind.is_immediate() || kind == event(0, true);
    let source = prng.below(u64::from(nodes) - u64::from(is_forward)) as u32;
    let from = if is_forward { source + 1 } else { 0 };
    let mut sinks: Vec<NodeId> = (from..nodes).filter(|_| prng.below(2) == 0).map(NodeId).collect();
    if sinks.is_empty() {
        sinks.push(NodeId(nodes - 1));
    }
    let timing = match prng.below(4) {
        _ if kind.is_event() => FlowTiming::Variable,
        0 => FlowTiming::Variable,
        1 => FlowTiming::Once,
        _ => FlowTiming::Periodic(Time::from_ticks(1 + prng.below(6) as i64)),
    };
    Flow {
        name: format!("f{}-{number}", prng.below(10)),
        source: NodeId(source),
        self_flow: sinks.contains(&NodeId(source)),
        sinks,
        kind,
        first: tag(prng.below(5) as i64, prng.below(2) as u32),
        timing,
        payload: "u64".to_owned(),
        priority: prng.below(3) as i32 - 1,
        capacity: 1,
        feedthrough: None,
    }
}

/// Everything that was emitted, per flow.
pub(crate) type History = BTreeMap<FlowId, Vec<(Tag, u64)>>;

/// Mixes what came last on all inputs a flow may depend on.
#[derive(Clone)]
pub(crate) struct Mixer {
    topology: Arc<Topology>,
    me: NodeId,
    last: Vec<u64>,
    came: Vec<Option<Tag>>,
    pub(crate) emitted: History,
    /// All batches that came: (tag, flows).
    pub(crate) batches: Vec<(Tag, Vec<FlowId>)>,
}

impl Mixer {
    pub(crate) fn all(topology: &Topology) -> Vec<Mixer> {
        let shared = Arc::new(topology.clone());
        let mixer = |me| Mixer {
            topology: Arc::clone(&shared),
            me: NodeId::from_index(me),
            last: vec![0; shared.flows.len()],
            came: vec![None; shared.flows.len()],
            emitted: History::new(),
            batches: Vec::new(),
        };
        (0..topology.nodes.len()).map(mixer).collect()
    }

    fn causes(&self, flow: FlowId) -> Vec<FlowId> {
        let described = &self.topology.flows[flow.index()];
        let is_listed = |it: &FlowId| {
            let list = described.feedthrough.as_ref();
            described.kind == FlowKind::State || list.is_none_or(|list| list.contains(it))
        };
        self.topology.inputs(self.me).filter(is_listed).collect()
    }

    fn mixed(&self, flow: FlowId, tag: Tag) -> u64 {
        let words = [tag.time.ticks() as u64, u64::from(tag.microstep), u64::from(flow.0)];
        let causes = self.causes(flow);
        let last = causes.iter().map(|it| self.last[it.index()]);
        words.into_iter().chain(last).fold(1, |state, word| {
            let state = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            state ^ (state >> 29)
        })
    }
}

impl Behavior<u64> for Mixer {
    fn on_inputs(&mut self, tag: Tag, inputs: &[(FlowId, u64)]) {
        for (flow, value) in inputs {
            self.last[flow.index()] = *value;
            self.came[flow.index()] = Some(tag);
        }
        self.batches.push((tag, inputs.iter().map(|(flow, _)| *flow).collect()));
    }

    fn emit(&mut self, flow: FlowId, tag: Tag, following: Option<Tag>) -> (u64, Option<Tag>) {
        let value = self.mixed(flow, tag);
        self.emitted.entry(flow).or_default().push((tag, value));
        let described = &self.topology.flows[flow.index()];
        let later = Tag { time: tag.time + Time::from_ticks((value % 4) as i64), microstep: 0 };
        let free = if later <= tag { tag.next_microstep() } else { later };
        let next = match described.timing {
            FlowTiming::Variable if described.kind.is_event() && value.is_multiple_of(3) => None,
            FlowTiming::Variable => Some(free),
            FlowTiming::Periodic(_) | FlowTiming::Once => following,
        };
        (value, next)
    }

    fn plan(&mut self, flow: FlowId) -> NextEvent {
        let described = &self.topology.flows[flow.index()];
        let FlowKind::Event { lookahead, adds_microstep, .. } = described.kind else {
            unreachable!()
        };
        let cause = self.causes(flow).into_iter().filter_map(|it| self.came[it.index()]).max();
        let earliest = match cause {
            None => described.first,
            Some(tag) if lookahead != Time::ZERO => Tag::at(tag.time + lookahead),
            Some(tag) if adds_microstep => tag.next_microstep(),
            Some(tag) => tag,
        };
        let value = self.mixed(flow, earliest);
        let emitted = self.emitted.get(&flow).and_then(|it| it.last());
        let floor = emitted.map_or(described.first, |(tag, _)| tag.next_microstep());
        let later = Tag { time: earliest.time + Time::from_ticks((value % 3) as i64), ..earliest };
        if value.is_multiple_of(5) { NextEvent::Nothing } else { NextEvent::At(later.max(floor)) }
    }
}

/// The system as one loop over all tags in order.
pub(crate) fn oracle(topology: &Topology) -> History {
    let mut nodes = Mixer::all(topology);
    let ids: Vec<FlowId> = (0..topology.flows.len()).map(FlowId::from_index).collect();
    let described = |flow: FlowId| &topology.flows[flow.index()];
    let mut next: Vec<Tag> = topology.flows.iter().map(|flow| flow.first).collect();
    for flow in ids.iter().filter(|flow| described(**flow).kind.is_event()) {
        next[flow.index()] = planned(&mut nodes[described(*flow).source.index()], *flow);
    }
    loop {
        let now = next.iter().copied().min().unwrap_or(NEVER);
        if HORIZON < now {
            return nodes.into_iter().flat_map(|node| node.emitted).collect();
        }
        let mut present: Vec<(NodeId, FlowId, u64)> = Vec::new();
        for flow in ids.iter().copied().filter(|flow| !described(*flow).kind.is_immediate()) {
            emit_if_due(topology, &mut nodes, &mut next, flow, now, &mut present);
        }
        for node in 0..topology.nodes.len() {
            let me = NodeId::from_index(node);
            let come: Vec<_> =
                present.iter().filter(|it| it.0 == me).map(|it| (it.1, it.2)).collect();
            if !come.is_empty() {
                nodes[node].on_inputs(now, &come);
            }
            let outputs: Vec<FlowId> = topology.outputs(me).collect();
            for flow in outputs {
                let causes = nodes[node].causes(flow);
                if described(flow).kind.is_event() && come.iter().any(|it| causes.contains(&it.0)) {
                    next[flow.index()] = planned(&mut nodes[node], flow);
                }
                if described(flow).kind.is_immediate() {
                    emit_if_due(topology, &mut nodes, &mut next, flow, now, &mut present);
                }
            }
        }
    }
}

fn planned(node: &mut Mixer, flow: FlowId) -> Tag {
    match node.plan(flow) {
        NextEvent::At(tag) => tag,
        NextEvent::Nothing | NextEvent::Keep => NEVER,
    }
}

fn emit_if_due(
    topology: &Topology,
    nodes: &mut [Mixer],
    next: &mut [Tag],
    id: FlowId,
    now: Tag,
    present: &mut Vec<(NodeId, FlowId, u64)>,
) {
    if next[id.index()] != now {
        return;
    }
    let flow = &topology.flows[id.index()];
    let (value, following) = nodes[flow.source.index()].emit(id, now, flow.following(now));
    next[id.index()] = following.unwrap_or(NEVER);
    present.extend(flow.sinks.iter().map(|sink| (*sink, id, value)));
}

/// Not an empty history by accident.
pub(crate) fn messages(history: &History) -> usize {
    history.values().map(Vec::len).sum()
}

#[test]
fn the_oracle_knows_a_system_that_can_be_computed_by_hand() {
    let mut topology = crate::support::topology(2, vec![crate::support::flow("x", 0, &[1], 10)]);
    topology.flows[0].first = at(5);
    let history = oracle(&topology);
    let tags: Vec<Tag> = history[&FlowId(0)].iter().map(|(tag, _)| *tag).collect();
    assert_eq!(tags, [at(5), at(15), at(25), at(35)]);
}
