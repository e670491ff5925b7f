//! Nodes, and everything that is on its way between them, as one state to explore: each action of
//! each node, each delivery, each return of credit is a move of its own. Bounds may be announced at
//! any moment at which there are news, or later, so that every schedule of null messages is among
//! the ways; requests for bounds come late and in any order.

use crate::explorer::System;
use consort_core::{NodeId, Tag, Time};
use consort_federation::flow::{
    FlowError, FlowHash, FlowId, FlowInput, FlowNode, FlowOutput, FlowSide, FlowTiming, Message,
    NEVER, NextAction, Topology,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Microsteps that events may take in explorations: few, so that bounds that climb by microsteps
/// leave an instant soon.
pub(crate) const MICROSTEPS_MAX: u32 = 2;

/// A topology and when its runs end.
pub(crate) struct Stage<'a> {
    /// The nodes and flows.
    pub(crate) topology: &'a Topology,
    /// The last tag.
    pub(crate) horizon: Tag,
    /// How many events each node causes at most, by chance.
    pub(crate) events_max: u32,
    /// Event flows whose events are known, in order.
    pub(crate) script: BTreeMap<FlowId, Vec<Tag>>,
}

impl<'a> Stage<'a> {
    /// Events by chance, three of each node at most.
    pub(crate) fn by_chance(topology: &'a Topology, horizon: Tag) -> Self {
        Stage { topology, horizon, events_max: 3, script: BTreeMap::new() }
    }
}

/// Everything at one moment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct World {
    nodes: Vec<FlowNode<u64>>,
    minds: Vec<Mind>,
    /// What is on its way, per flow and sink, in order.
    lines: Vec<VecDeque<Parcel>>,
    /// Credits on their way back, per flow and sink.
    grants: Vec<u32>,
    /// Requests for bounds on their way back, per flow and sink.
    requests: Vec<BTreeSet<Tag>>,
}

/// What a node computes with: all it ever got, in 64 bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Mind {
    memory: u64,
    events_left: u32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Parcel {
    Message(Message<u64>),
    Bound(Option<Tag>),
}

/// How many messages one side of a flow had, and their hash.
pub(crate) type Side = (FlowId, FlowSide, u64, FlowHash);

/// How many events were sent.
pub(crate) fn events_in(topology: &Topology, sides: &[Side]) -> u64 {
    let is_event = |flow: FlowId| topology.flows[flow.index()].kind.is_event();
    let sent = sides.iter().filter(|(flow, side, ..)| *side == FlowSide::Source && is_event(*flow));
    sent.map(|(_, _, count, _)| count).sum()
}

impl System for Stage<'_> {
    type State = World;
    type Result = Vec<Side>;

    fn start(&self) -> World {
        let count = self.topology.nodes.len();
        let node = |node| {
            let node = NodeId::from_index(node);
            let node = FlowNode::new(self.topology, node, Some(self.horizon));
            node.with_microsteps_max(MICROSTEPS_MAX)
        };
        let lines = self.ends().count();
        let mind = Mind { memory: 0, events_left: self.events_max };
        let mut world = World {
            nodes: (0..count).map(node).collect(),
            minds: (0..count).map(|node| Mind { memory: node as u64, ..mind }).collect(),
            lines: vec![VecDeque::new(); lines],
            grants: vec![0; lines],
            requests: vec![BTreeSet::new(); lines],
        };
        for node in 0..count {
            self.plan(&mut world, node);
        }
        for &flow in self.script.keys() {
            let source = self.topology.flows[flow.index()].source;
            let tag = self.scripted(flow, None);
            self.hand(&mut world, source.index(), FlowInput::Plan { flow, tag });
        }
        world
    }

    fn moves(&self, world: &World) -> Vec<World> {
        let nodes = (0..world.nodes.len()).flat_map(|node| self.actions(world, node));
        let busy = (0..world.lines.len()).filter(|&line| !world.lines[line].is_empty());
        let granted = (0..world.lines.len()).filter(|&line| 0 < world.grants[line]);
        let deliveries = busy.map(|line| self.deliver(world, line));
        let grants = granted.map(|line| self.grant(world, line));
        let lines = world.requests.iter().enumerate();
        let asked = lines.flat_map(|(line, tags)| tags.iter().map(move |&tag| (line, tag)));
        let requests = asked.map(|(line, tag)| self.ask(world, line, tag));
        nodes.chain(deliveries).chain(grants).chain(requests).collect()
    }

    fn is_done(&self, world: &World) -> bool {
        world.nodes.iter().all(|node| node.poll() == NextAction::Done)
    }

    fn result(&self, world: &World) -> Vec<Side> {
        let records = world.nodes.iter().flat_map(FlowNode::records);
        records.map(|record| (record.flow, record.side, record.count, record.hash)).collect()
    }
}

impl World {
    /// Where a node is; the end of the run where nothing is left.
    pub(crate) fn position(&self, node: NodeId, horizon: Tag) -> Tag {
        self.nodes[node.index()].position().min(horizon)
    }
}

impl Stage<'_> {
    /// How many messages of a flow wait at a sink or are on their way to it.
    pub(crate) fn kept(&self, world: &World, flow: FlowId, sink: NodeId) -> usize {
        let line = &world.lines[self.line(flow, sink)];
        let moving = line.iter().filter(|parcel| matches!(parcel, Parcel::Message(_))).count();
        world.nodes[sink.index()].waiting(flow) + moving
    }

    /// Every flow with every sink, in order.
    fn ends(&self) -> impl Iterator<Item = (FlowId, NodeId)> + '_ {
        let flows = self.topology.flows.iter().enumerate();
        flows.flat_map(|(index, flow)| {
            flow.sinks.iter().map(move |&sink| (FlowId::from_index(index), sink))
        })
    }

    fn line(&self, flow: FlowId, sink: NodeId) -> usize {
        self.ends().position(|end| end == (flow, sink)).expect("messages go to sinks")
    }

    /// What one node can do: its next action, and to announce bounds now instead of later.
    fn actions(&self, world: &World, node: usize) -> Vec<World> {
        let mut found = Vec::new();
        let mut action = world.nodes[node].poll();
        if action == NextAction::Announce {
            let mut next = world.clone();
            self.hand(&mut next, node, FlowInput::Announce);
            action = next.nodes[node].poll();
            found.push(next);
        }
        match action {
            NextAction::Emit { flow, tag } => found.push(self.emit(world, node, flow, tag)),
            NextAction::Consume { tag } => found.push(self.consume(world, node, tag)),
            NextAction::Announce => unreachable!("what was announced is no news"),
            NextAction::AwaitInput { .. } | NextAction::AwaitCredit { .. } | NextAction::Done => {}
        }
        found
    }

    fn emit(&self, world: &World, node: usize, flow: FlowId, tag: Tag) -> World {
        let mut world = world.clone();
        let payload = mix(mix(world.minds[node].memory, u64::from(flow.0)), tag_bits(tag));
        let declared = &self.topology.flows[flow.index()];
        let next = match declared.timing {
            _ if self.script.contains_key(&flow) => self.scripted(flow, Some(tag)),
            _ if declared.kind.is_event() => follow_up(&mut world.minds[node], payload, tag),
            FlowTiming::Variable => Some(next_of_all(tag)),
            FlowTiming::Periodic(_) | FlowTiming::Once => declared.following(tag),
        };
        self.hand(&mut world, node, FlowInput::Emit { flow, payload, next });
        world
    }

    /// The first event of the script that is later.
    fn scripted(&self, flow: FlowId, after: Option<Tag>) -> Option<Tag> {
        let events = self.script.get(&flow)?;
        events.iter().copied().find(|&tag| after.is_none_or(|after| after < tag))
    }

    fn consume(&self, world: &World, node: usize, tag: Tag) -> World {
        let mut world = world.clone();
        world.minds[node].memory = mix(world.minds[node].memory, tag_bits(tag));
        self.hand(&mut world, node, FlowInput::Consume);
        self.plan(&mut world, node);
        world
    }

    /// Plans an event wherever that is allowed and chance, which is the node's memory, says so.
    fn plan(&self, world: &mut World, node: usize) {
        let outputs = self.topology.outputs(NodeId::from_index(node));
        for flow in outputs.filter(|flow| self.topology.flows[flow.index()].kind.is_event()) {
            if self.script.contains_key(&flow) {
                continue;
            }
            let mind = &world.minds[node];
            let chance = mix(mind.memory, !u64::from(flow.0));
            if mind.events_left == 0 || chance.is_multiple_of(4) {
                continue;
            }
            if self.plan_at(&mut world.nodes[node], flow, (chance / 4 % 4).saturating_sub(2)) {
                world.minds[node].events_left -= 1;
            }
        }
    }

    /// Plans an event so many ticks after the earliest possible moment, if it may be planned now.
    fn plan_at(&self, node: &mut FlowNode<u64>, flow: FlowId, later: u64) -> bool {
        let mut out = Vec::new();
        // Nothing can be planned before all time: the refusal names the earliest tag.
        let never = Tag { time: Time::from_ticks(i64::MIN), microstep: 0 };
        let earliest = match node.handle(FlowInput::Plan { flow, tag: Some(never) }, &mut out) {
            Err(FlowError::PlannedTooEarly { earliest, .. }) => earliest,
            Err(FlowError::NotNow { .. }) => return false,
            other => panic!("an event before all time: {other:?}"),
        };
        let later = Time::from_ticks(i64::try_from(later).expect("few ticks"));
        let tag = match later {
            _ if earliest == NEVER => return false,
            Time::ZERO => earliest,
            later => Tag::at(earliest.time + later),
        };
        let planned = node.handle(FlowInput::Plan { flow, tag: Some(tag) }, &mut out);
        planned.unwrap_or_else(|error| panic!("{error}"));
        true
    }

    fn deliver(&self, world: &World, line: usize) -> World {
        let mut world = world.clone();
        let (flow, sink) = self.ends().nth(line).expect("lines are ends");
        let input = match world.lines[line].pop_front().expect("the line is busy") {
            Parcel::Message(message) => FlowInput::Arrived { flow, message },
            Parcel::Bound(tag) => FlowInput::Bound { flow, tag },
        };
        self.hand(&mut world, sink.index(), input);
        world
    }

    fn grant(&self, world: &World, line: usize) -> World {
        let mut world = world.clone();
        let (flow, sink) = self.ends().nth(line).expect("lines are ends");
        let count = std::mem::take(&mut world.grants[line]);
        let source = self.topology.flows[flow.index()].source;
        self.hand(&mut world, source.index(), FlowInput::Credit { flow, sink, count });
        world
    }

    fn ask(&self, world: &World, line: usize, tag: Tag) -> World {
        let mut world = world.clone();
        let (flow, sink) = self.ends().nth(line).expect("lines are ends");
        world.requests[line].remove(&tag);
        let source = self.topology.flows[flow.index()].source;
        self.hand(&mut world, source.index(), FlowInput::Request { flow, sink, tag });
        world
    }

    /// Hands something to a node's machine and puts what comes of it on its way.
    fn hand(&self, world: &mut World, node: usize, input: FlowInput<u64>) {
        let mut out = Vec::new();
        let handled = world.nodes[node].handle(input, &mut out);
        handled.unwrap_or_else(|error| panic!("{error}"));
        for output in out {
            match output {
                FlowOutput::Send { flow, sink, message } => {
                    world.lines[self.line(flow, sink)].push_back(Parcel::Message(message));
                }
                FlowOutput::SendBound { flow, sink, tag } => {
                    world.lines[self.line(flow, sink)].push_back(Parcel::Bound(tag));
                }
                FlowOutput::Credit { flow, count } => {
                    world.grants[self.line(flow, NodeId::from_index(node))] += count;
                }
                FlowOutput::Request { flow, tag } => {
                    world.requests[self.line(flow, NodeId::from_index(node))].insert(tag);
                }
                FlowOutput::Deliver { flow, message } => {
                    let memory = &mut world.minds[node].memory;
                    *memory = mix(mix(*memory, u64::from(flow.0)), message.payload);
                }
            }
        }
    }
}

/// Another event of the same node, by chance: a microstep or a tick later.
fn follow_up(mind: &mut Mind, chance: u64, tag: Tag) -> Option<Tag> {
    if mind.events_left == 0 || chance.is_multiple_of(3) {
        return None;
    }
    mind.events_left -= 1;
    let is_now = chance % 3 == 1 && tag.microstep < MICROSTEPS_MAX;
    Some(if is_now { tag.next_microstep() } else { Tag::at(tag.time + Time::from_ticks(1)) })
}

/// The tag after this one if every microstep of every tick is visited.
fn next_of_all(tag: Tag) -> Tag {
    if tag.microstep < 1 { tag.next_microstep() } else { Tag::at(tag.time + Time::from_ticks(1)) }
}

fn tag_bits(tag: Tag) -> u64 {
    mix(tag.time.ticks().unsigned_abs(), u64::from(tag.microstep))
}

fn mix(state: u64, word: u64) -> u64 {
    let mixed = (state ^ word.rotate_left(17)).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}
