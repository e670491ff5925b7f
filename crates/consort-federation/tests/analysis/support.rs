//! Topologies written in a line, and random ones.

use consort_core::{NodeId, Prng, Resolution, Tag, Time};
use consort_federation::flow::{BoundPolicy, Flow, FlowId, FlowKind, FlowTiming, Topology};
use std::ops::Range;

/// A tag in ticks.
pub(crate) fn tag(time: i64, microstep: u32) -> Tag {
    Tag { time: Time::from_ticks(time), microstep }
}

/// A tick of a millisecond.
pub(crate) fn milliseconds() -> Resolution {
    let tick = "0.001".parse().expect("a number of seconds");
    Resolution::new(tick).expect("later than zero")
}

/// An event flow that may follow at once.
pub(crate) const AT_ONCE: FlowKind = event(0, false);
/// An event flow that follows a microstep later.
pub(crate) const REPLY: FlowKind = event(0, true);

/// An event flow.
pub(crate) const fn event(lookahead: i64, adds_microstep: bool) -> FlowKind {
    let lookahead = Time::from_ticks(lookahead);
    FlowKind::Event { lookahead, adds_microstep, bounds: BoundPolicy::Eager }
}

/// A flow from one node to others, by their numbers; event flows have no period.
pub(crate) fn flow(name: &str, source: u32, sinks: &[u32], kind: FlowKind) -> Flow {
    let timing = if kind.is_event() { FlowTiming::Variable } else { periodic(1) };
    Flow {
        name: name.to_owned(),
        source: NodeId(source),
        sinks: sinks.iter().map(|&sink| NodeId(sink)).collect(),
        kind,
        first: tag(0, 0),
        timing,
        payload: "u64".to_owned(),
        priority: 0,
        capacity: 1,
        feedthrough: None,
        self_flow: sinks.contains(&source),
    }
}

/// Every so many ticks.
pub(crate) fn periodic(ticks: i64) -> FlowTiming {
    FlowTiming::Periodic(Time::from_ticks(ticks))
}

/// The same flow from another tick on, with another period.
pub(crate) fn timed(flow: Flow, first: i64, period: i64) -> Flow {
    Flow { first: tag(first, flow.first.microstep), timing: periodic(period), ..flow }
}

/// The flows, sorted by name, between as many nodes as they speak of: `a`, `b`, ...
pub(crate) fn topology(mut flows: Vec<Flow>) -> Topology {
    flows.sort_by(|one, other| one.name.cmp(&other.name));
    let ends = flows.iter().flat_map(|flow| flow.sinks.iter().chain([&flow.source]));
    let count = ends.map(|node| node.0 + 1).max().unwrap_or(0);
    let name = |node: u32| char::from_u32('a' as u32 + node).expect("few nodes").to_string();
    Topology { nodes: (0..count).map(name).collect(), flows }
}

/// The same flows, each with this capacity.
pub(crate) fn with_capacity(topology: &Topology, capacity: u32) -> Topology {
    let mut topology = topology.clone();
    topology.flows.iter_mut().for_each(|flow| flow.capacity = capacity);
    topology
}

/// What random topologies are made of.
pub(crate) struct Recipe {
    /// How many nodes.
    pub(crate) nodes: Range<u64>,
    /// How many flows.
    pub(crate) flows: Range<u64>,
    /// First ticks.
    pub(crate) firsts: Range<u64>,
    /// Periods.
    pub(crate) periods: Range<u64>,
    /// How many microsteps first tags may be in.
    pub(crate) microsteps: u64,
    /// Of ten flows, how many are events.
    pub(crate) events: u64,
    /// Of ten others, how many are states; the rest are observations.
    pub(crate) states: u64,
}

/// A number in a range.
pub(crate) fn draw(random: &mut Prng, range: &Range<u64>) -> u64 {
    range.start + random.below(range.end - range.start)
}

/// A random topology.
pub(crate) fn random_topology(random: &mut Prng, recipe: &Recipe) -> Topology {
    let nodes = draw(random, &recipe.nodes);
    let count = draw(random, &recipe.flows);
    let flows = (0..count).map(|index| random_flow(random, recipe, nodes, index)).collect();
    let mut topology = topology(flows);
    let lists: Vec<_> =
        (0..topology.flows.len()).map(|flow| random_feedthrough(random, &topology, flow)).collect();
    for (flow, list) in topology.flows.iter_mut().zip(lists) {
        flow.feedthrough = list;
    }
    topology
}

fn random_flow(random: &mut Prng, recipe: &Recipe, nodes: u64, index: u64) -> Flow {
    let kind = random_kind(random, recipe);
    let node = |random: &mut Prng| u32::try_from(random.below(nodes)).expect("few nodes");
    let source = node(random);
    let mut sinks: Vec<u32> = (0..=random.below(2)).map(|_| node(random)).collect();
    sinks.sort_unstable();
    sinks.dedup();
    let mut flow = flow(&format!("f{index}"), source, &sinks, kind);
    let (first, period) = (draw(random, &recipe.firsts), draw(random, &recipe.periods));
    let microstep = u32::try_from(random.below(recipe.microsteps)).expect("few microsteps");
    flow.first = Tag { time: ticks(first), microstep };
    flow.priority = i32::try_from(random.below(2)).expect("zero or one");
    flow.capacity = 1 + u32::try_from(random.below(2)).expect("one or two");
    if !kind.is_event() {
        flow.timing = match random.below(10) {
            0 => FlowTiming::Once,
            1 => FlowTiming::Variable,
            _ => FlowTiming::Periodic(ticks(period)),
        };
    }
    flow
}

/// So many ticks.
pub(crate) fn ticks(number: u64) -> Time {
    Time::from_ticks(i64::try_from(number).expect("small numbers of ticks"))
}

fn random_kind(random: &mut Prng, recipe: &Recipe) -> FlowKind {
    if random.below(10) < recipe.events {
        return match random.below(4) {
            0 | 1 => AT_ONCE,
            2 => REPLY,
            _ => event(1, false),
        };
    }
    if random.below(10) < recipe.states { FlowKind::State } else { FlowKind::Observation }
}

/// All inputs, or some of them.
fn random_feedthrough(random: &mut Prng, topology: &Topology, flow: usize) -> Option<Vec<FlowId>> {
    if random.below(3) != 0 {
        return None;
    }
    let inputs = topology.inputs(topology.flows[flow].source);
    Some(inputs.filter(|_| random.below(2) == 0).collect())
}
