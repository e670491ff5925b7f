//! A machine is saved and restored at any moment, bit for bit, and restored bytes are not trusted.

use crate::worlds::{HORIZON, Mixer, random_topology};
use consort_core::bytes::BytesError;
use consort_core::{NodeId, Prng, Tag};
use consort_federation::flow::{
    Behavior, BoundPolicy, FlowId, FlowInput, FlowNode, FlowOutput, FlowRecord, Message,
    NextAction, NextEvent, Topology,
};
use std::collections::VecDeque;

/// A whole system that can be stopped anywhere: machines, behaviors, and what is on its way.
#[derive(Clone)]
struct World {
    topology: Topology,
    nodes: Vec<FlowNode<u64>>,
    mixers: Vec<Mixer>,
    moving: VecDeque<(NodeId, FlowInput<u64>)>,
    /// Steps since something happened.
    idle: u32,
}

impl World {
    fn new(topology: &Topology) -> Self {
        let node = |me| FlowNode::new(topology, NodeId::from_index(me), Some(HORIZON));
        let nodes = (0..topology.nodes.len()).map(node).collect();
        let (topology, mixers, moving) = (topology.clone(), Mixer::all(topology), VecDeque::new());
        let mut world = World { topology, nodes, mixers, moving, idle: 0 };
        (0..world.nodes.len()).for_each(|node| world.plan(node, None));
        world
    }

    fn plan(&mut self, node: usize, taken: Option<&[FlowId]>) {
        let outputs: Vec<FlowId> = self.topology.outputs(NodeId::from_index(node)).collect();
        for flow in outputs {
            let described = &self.topology.flows[flow.index()];
            let list = described.feedthrough.as_ref();
            let is_caused = taken.is_none_or(|taken| {
                taken.iter().any(|it| list.is_none_or(|list| list.contains(it)))
            });
            if described.kind.is_event() && is_caused {
                let tag = match self.mixers[node].plan(flow) {
                    NextEvent::At(tag) => Some(tag),
                    NextEvent::Nothing | NextEvent::Keep => None,
                };
                self.handle(node, FlowInput::Plan { flow, tag });
            }
        }
    }

    fn handle(&mut self, node: usize, input: FlowInput<u64>) -> Vec<(FlowId, Message<u64>)> {
        let (mut out, mut delivered) = (Vec::new(), Vec::new());
        self.nodes[node].handle(input, &mut out).expect("no promise is broken");
        for output in out {
            let (to, input) = match output {
                FlowOutput::Send { flow, sink, message } => {
                    (sink, FlowInput::Arrived { flow, message })
                }
                FlowOutput::SendBound { flow, sink, tag } => (sink, FlowInput::Bound { flow, tag }),
                FlowOutput::Credit { flow, count } => {
                    let sink = NodeId::from_index(node);
                    let source = self.topology.flows[flow.index()].source;
                    (source, FlowInput::Credit { flow, sink, count })
                }
                FlowOutput::Request { flow, tag } => {
                    let sink = NodeId::from_index(node);
                    let source = self.topology.flows[flow.index()].source;
                    (source, FlowInput::Request { flow, sink, tag })
                }
                FlowOutput::Deliver { flow, message } => {
                    delivered.push((flow, message));
                    continue;
                }
            };
            self.moving.push_back((to, input));
        }
        delivered
    }

    /// One step of a node, or what moves arrives. Nothing left: false.
    fn step(&mut self, prng: &mut Prng) -> bool {
        let node = prng.below(self.nodes.len() as u64) as usize;
        match self.nodes[node].poll() {
            NextAction::Emit { flow, tag } => {
                let following = self.topology.flows[flow.index()].following(tag);
                let (payload, next) = self.mixers[node].emit(flow, tag, following);
                self.handle(node, FlowInput::Emit { flow, payload, next });
            }
            NextAction::Consume { tag } => self.consume(node, tag),
            NextAction::Announce => drop(self.handle(node, FlowInput::Announce)),
            _ => match self.moving.pop_front() {
                Some((to, input)) => drop(self.handle(to.index(), input)),
                None => {
                    self.idle += 1;
                    assert!(self.idle < 10_000, "the nodes wait for each other");
                    return self.nodes.iter().any(|node| node.poll() != NextAction::Done);
                }
            },
        }
        self.idle = 0;
        true
    }

    fn consume(&mut self, node: usize, tag: Tag) {
        let batch = self.handle(node, FlowInput::Consume);
        let batch: Vec<_> = batch.into_iter().map(|(flow, it)| (flow, it.payload)).collect();
        self.mixers[node].on_inputs(tag, &batch);
        let taken: Vec<FlowId> = batch.iter().map(|(flow, _)| *flow).collect();
        self.plan(node, Some(&taken));
    }

    fn records(&self) -> Vec<FlowRecord> {
        self.nodes.iter().flat_map(FlowNode::records).collect()
    }

    fn restored(&self) -> Self {
        let restored = |node: &FlowNode<u64>| {
            let bytes = node.save();
            let restored = FlowNode::restore(&self.topology, node.me(), Some(HORIZON), &bytes);
            let restored = restored.expect("what was saved is restored");
            assert!(restored == *node);
            restored
        };
        World { nodes: self.nodes.iter().map(restored).collect(), ..self.clone() }
    }
}

#[test]
fn a_run_that_is_saved_and_restored_at_any_moment_ends_as_it_would_have() {
    for seed in 0..40 {
        let bounds = if seed % 2 == 0 { BoundPolicy::Eager } else { BoundPolicy::OnDemand };
        let topology = random_topology(&mut Prng::new(seed)).with_bounds(|_| bounds);
        let mut prng = Prng::new(seed).split("steps");
        let (mut plain, mut saved) = (World::new(&topology), World::new(&topology));
        while plain.step(&mut prng) {}
        let mut other = Prng::new(seed).split("other steps");
        while saved.step(&mut other) {
            if other.below(10) == 0 {
                saved = saved.restored();
            }
        }
        assert_eq!(plain.records(), saved.records(), "seed {seed}");
    }
}

#[test]
fn bytes_that_are_cut_changed_or_of_another_node_are_refused_without_a_panic() {
    let mut worlds = (0..5).map(|seed| {
        let topology = random_topology(&mut Prng::new(seed));
        let mut world = World::new(&topology);
        let mut prng = Prng::new(seed);
        for _ in 0..100 {
            world.step(&mut prng);
        }
        world
    });
    let world = worlds.next().unwrap();
    let (me, other) = (NodeId(0), NodeId(1));
    let bytes = world.nodes[0].save();
    let restore = |me, bytes: &[u8]| {
        FlowNode::<u64>::restore(&world.topology, me, Some(HORIZON), bytes).map(drop)
    };
    assert_eq!(restore(me, &bytes), Ok(()));
    for end in 0..bytes.len() {
        assert!(restore(me, &bytes[..end]).is_err(), "{end} bytes are not enough");
    }
    assert_eq!(restore(other, &bytes), Err(BytesError::Impossible { what: "node" }));
    let strange = worlds.next().unwrap().nodes[0].save();
    assert_eq!(restore(me, &strange), Err(BytesError::Impossible { what: "topology" }));
    for place in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut bad = bytes.clone();
            bad[place] ^= 1 << bit;
            let changed = FlowNode::<u64>::restore(&world.topology, me, Some(HORIZON), &bad);
            if let Ok(mut node) = changed {
                let _ = node.poll();
                let _ = node.handle(FlowInput::Consume, &mut Vec::new());
                let _ = node.handle(FlowInput::Announce, &mut Vec::new());
            }
        }
    }
}
