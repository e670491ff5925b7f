//! A few bodies that exchange their states at different rates, as threads; what they end with.

use consort_core::{NodeId, Resolution, Seconds, Tag, Time};
use consort_federation::flow::{
    BoundPolicy, Flow, FlowKind, FlowRecord, FlowSide, FlowTiming, Topology,
};
use consort_node::{JoinOptions, Node, NodeError, NodeStep};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What two runs are compared by: per flow and side, how many messages and the hash of all.
pub(crate) type Hashes = BTreeMap<(String, bool), (u64, u64)>;

pub(crate) fn resolution() -> Resolution {
    Resolution::new(Seconds::new(1, 1000).expect("a number")).expect("a millisecond")
}

pub(crate) fn tick(ticks: i64) -> Tag {
    Tag::at(Time::from_ticks(ticks))
}

pub(crate) fn flow(name: &str, source: u32, sinks: &[u32], period: i64) -> Flow {
    Flow {
        name: name.to_owned(),
        source: NodeId(source),
        sinks: sinks.iter().map(|sink| NodeId(*sink)).collect(),
        kind: FlowKind::State,
        first: tick(0),
        timing: FlowTiming::Periodic(Time::from_ticks(period)),
        payload: "u64".to_owned(),
        priority: 0,
        capacity: 4,
        feedthrough: None,
        self_flow: false,
    }
}

/// Three bodies: states in a ring and to all, an observation, an event that answers, a flow to itself.
pub(crate) fn bodies(capacity: u32) -> Topology {
    let mut flows = vec![
        flow("a/state", 0, &[1, 2], 2),
        flow("b/state", 1, &[0, 2], 3),
        flow("c/state", 2, &[0], 5),
        Flow { kind: FlowKind::Observation, feedthrough: None, ..flow("c/view", 2, &[1], 5) },
        Flow { self_flow: true, ..flow("c/memory", 2, &[2], 4) },
        Flow {
            kind: FlowKind::Event {
                lookahead: Time::from_ticks(1),
                adds_microstep: false,
                bounds: BoundPolicy::Eager,
            },
            timing: FlowTiming::Variable,
            ..flow("b/alarm", 1, &[0], 1)
        },
    ];
    flows.sort_by(|one, other| one.name.cmp(&other.name));
    flows.iter_mut().for_each(|flow| flow.capacity = capacity);
    Topology { nodes: ["a", "b", "c"].map(str::to_owned).to_vec(), flows }
}

/// The same, and what `a` makes of an alarm goes to `c`: a request for bounds of the one is passed on to the other.
pub(crate) fn relayed(capacity: u32) -> Topology {
    let mut topology = bodies(capacity);
    let alarm = topology.flow("b/alarm").expect("there is one");
    let echo = Flow {
        name: "a/alarm".to_owned(),
        source: NodeId(0),
        sinks: vec![NodeId(2)],
        ..topology.flows[alarm.index()].clone()
    };
    topology.flows.insert(0, echo);
    topology
}

/// Options of every node of a topology, before anything is said about links.
pub(crate) fn options(topology: &Topology, horizon: i64) -> Vec<JoinOptions> {
    let topology = Arc::new(topology.clone());
    let nodes = topology.nodes.iter();
    let one = |name: &String| JoinOptions {
        horizon: Some(tick(horizon)),
        ..JoinOptions::new(name, topology.clone(), resolution())
    };
    nodes.map(one).collect()
}

/// Runs each node in a thread of its own; the hashes of all, if all come to their end.
pub(crate) fn run(all: Vec<JoinOptions>) -> Result<Hashes, Vec<NodeError>> {
    let threads: Vec<_> = all
        .into_iter()
        .map(|options| std::thread::spawn(move || drive(Node::join(options)?)))
        .collect();
    let mut hashes = Hashes::new();
    let mut errors = Vec::new();
    for thread in threads {
        match thread.join().expect("a node does not panic") {
            Ok(found) => hashes.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(hashes) } else { Err(errors) }
}

/// A body: its state follows from its name and everything that it received.
pub(crate) struct Body {
    pub(crate) state: u64,
}

impl Body {
    pub(crate) fn new(node: &Node) -> Self {
        let flows = node.records().map(|record| u64::from(record.flow.0));
        Body { state: flows.fold(7, mixed) }
    }

    /// Carries out one step; whether there are more.
    pub(crate) fn step(&mut self, node: &mut Node) -> Result<bool, NodeError> {
        match node.next()? {
            NodeStep::Done => return Ok(false),
            NodeStep::Inputs { tag, batch } => {
                for (flow, payload) in batch {
                    let words = payload.chunks(8).map(|chunk| u64::from(chunk[0]));
                    self.state = words.fold(mixed(self.state, u64::from(flow.0)), mixed);
                }
                self.plan(node, tag)?;
            }
            NodeStep::Emit { flow, tag } => {
                self.state = mixed(self.state, tag.time.ticks().unsigned_abs());
                let payload = self.state.to_le_bytes().repeat(usize::from(payload_words(tag)));
                let next = node.following(flow, tag);
                node.emit(flow, &payload, next)?;
            }
        }
        Ok(true)
    }

    /// A body with an event flow plans the next event by its state.
    fn plan(&self, node: &mut Node, tag: Tag) -> Result<(), NodeError> {
        let flows = &node.topology().flows;
        let is_mine =
            |it: &FlowRecord| it.side == FlowSide::Source && flows[it.flow.index()].kind.is_event();
        let Some(event) = node.records().find(is_mine).map(|it| it.flow) else { return Ok(()) };
        let after = 1 + i64::from(self.state.to_le_bytes()[0] % 7);
        let time = tag.time + Time::from_ticks(after);
        node.plan(event, Some(Tag { time, microstep: tag.microstep }))
    }
}

fn payload_words(tag: Tag) -> u8 {
    (tag.time.ticks() % 3).unsigned_abs().to_le_bytes()[0] + 1
}

fn mixed(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

/// Drives a node to its end and leaves.
pub(crate) fn drive(mut node: Node) -> Result<Hashes, NodeError> {
    let mut body = Body::new(&node);
    while body.step(&mut node)? {}
    let hashes = hashes(&node);
    let words = node.leave(&body.state.to_le_bytes())?;
    assert!(words.values().all(|words| words.len() == 8), "every body sends eight bytes");
    Ok(hashes)
}

pub(crate) fn hashes(node: &Node) -> Hashes {
    let flows = &node.topology().flows;
    let entry = |record: FlowRecord| {
        let name = flows[record.flow.index()].name.clone();
        let is_source = record.side == FlowSide::Source;
        ((name, is_source), (record.count, record.hash.to_bits()))
    };
    node.records().map(entry).collect()
}
