//! How far nodes can run ahead of each other; how many messages wait meanwhile.
//!
//! Every flow binds its two ends. The sink does not pass the next message it has not got: it is
//! ahead of the source by at most a period. The source does not emit into a full buffer: it is
//! ahead of the sink by at most the period times one more than the capacity. Bounds add up along
//! chains of flows, and the least sum counts (min-plus), so a node is held back also by those it
//! has no flow with.

use super::ports::Ports;
use crate::flow::{Flow, FlowId, FlowKind, FlowTiming, Topology};
use consort_core::{NodeId, Tag, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far each node can be ahead of each other in simulated time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ahead {
    /// For each node what holds it back.
    leashes: Vec<Vec<Leash>>,
    /// How long a run takes: a bound of everything.
    whole: Option<i64>,
}

impl Ahead {
    /// How far `node` can be ahead of each node, in their order; `None`: nothing but the end of the
    /// run holds it back.
    pub fn of(&self, node: NodeId) -> Vec<Option<Time>> {
        let sums = self.nearest(node.index(), i64::MAX).into_iter();
        sums.map(|sum| sum.into_iter().chain(self.whole).min().map(Time::from_ticks)).collect()
    }

    /// The bounds that follow from the flows; `horizon` bounds everything.
    pub(super) fn new(topology: &Topology, horizon: Option<Tag>) -> Self {
        let start = topology.flows.iter().map(|flow| flow.first.time).min().unwrap_or(Time::ZERO);
        let whole = horizon.map(|end| distance(start, end.time));
        Ahead { leashes: leashes(topology, start), whole }
    }

    /// The least sums of lengths from `node` to every other (Dijkstra: no length is negative);
    /// those beyond `reach` may be missing.
    fn nearest(&self, node: usize, reach: i64) -> Vec<Option<i64>> {
        let mut sums: Vec<Option<i64>> = vec![None; self.leashes.len()];
        let mut queue = BinaryHeap::from([Reverse((0, node))]);
        while let Some(Reverse((sum, at))) = queue.pop() {
            if reach < sum {
                break;
            }
            if sums[at].is_some() {
                continue;
            }
            sums[at] = Some(sum);
            for leash in &self.leashes[at] {
                queue.push(Reverse((sum.saturating_add(leash.length), leash.other)));
            }
        }
        sums
    }

    /// How far a node can be ahead of its neighbors: not farther than what joins them directly, so
    /// that one need not look beyond that.
    fn of_neighbors(&self, node: NodeId) -> Vec<Option<i64>> {
        let lengths = self.leashes[node.index()].iter().map(|leash| leash.length);
        let sums = self.nearest(node.index(), lengths.max().unwrap_or(0)).into_iter();
        sums.map(|sum| sum.into_iter().chain(self.whole).min()).collect()
    }
}

/// What a sink has to keep of a flow at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The flow whose messages wait.
    pub flow: FlowId,
    /// The sink that buffers them.
    pub sink: NodeId,
    /// How many messages there is room for.
    pub capacity: u32,
    /// How many can be there at once, in flight included: less than the capacity where other flows
    /// keep the two ends together.
    pub used_max: u32,
}

/// The buffers of all flows, in order.
pub(super) fn buffers(topology: &Topology, ahead: &Ahead) -> Vec<Buffer> {
    let ports = Ports::new(topology);
    let mut buffers = Vec::new();
    for source in (0..topology.nodes.len()).map(NodeId::from_index) {
        let before = ahead.of_neighbors(source);
        for &id in ports.outputs(source) {
            let flow = &topology.flows[id.index()];
            let capacity = flow.capacity;
            buffers.extend(flow.sinks.iter().map(|&sink| {
                let used_max = used_max(flow, before[sink.index()]).min(capacity);
                Buffer { flow: id, sink, capacity, used_max }
            }));
        }
    }
    buffers.sort_by_key(|buffer| buffer.flow);
    buffers
}

/// How many messages of a flow fit between its ends.
fn used_max(flow: &Flow, ahead: Option<i64>) -> u32 {
    match (flow.timing, ahead) {
        (FlowTiming::Once, _) => 1,
        (FlowTiming::Periodic(period), Some(ahead)) => {
            u32::try_from(ahead / period.ticks()).map_or(u32::MAX, |n| n.saturating_add(1))
        }
        _ => u32::MAX,
    }
}

/// `length` holds the node back that has it from the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Leash {
    other: usize,
    length: i64,
}

/// For each node what holds it back.
fn leashes(topology: &Topology, start: Time) -> Vec<Vec<Leash>> {
    let ports = Ports::new(topology);
    let mut leashes = vec![Vec::new(); topology.nodes.len()];
    for flow in &topology.flows {
        let source = flow.source.index();
        for sink in flow.sinks.iter().map(|sink| sink.index()) {
            if let Some(length) = sink_before_source(topology, &ports, flow, start) {
                leashes[sink].push(Leash { other: source, length });
            }
            if let Some(length) = source_before_sink(flow, start) {
                leashes[source].push(Leash { other: sink, length });
            }
        }
    }
    // Of all that join two nodes the shortest counts.
    for held in &mut leashes {
        held.sort_unstable();
        held.dedup_by_key(|leash| leash.other);
    }
    leashes
}

/// How far after a node's position the next message of a periodic flow is at most.
fn gap(flow: &Flow, start: Time) -> Option<i64> {
    match flow.timing {
        FlowTiming::Periodic(period) => Some(period.ticks().max(distance(start, flow.first.time))),
        FlowTiming::Once | FlowTiming::Variable => None,
    }
}

/// How far a sink can be ahead: to the next message, or to the bound of an event flow.
fn sink_before_source(topology: &Topology, ports: &Ports, flow: &Flow, start: Time) -> Option<i64> {
    let FlowKind::Event { lookahead, .. } = flow.kind else { return gap(flow, start) };
    let causes = flow.feedthrough.as_deref().unwrap_or(ports.inputs(flow.source));
    let gaps = causes.iter().filter_map(|cause| gap(&topology.flows[cause.index()], start));
    let to_bound = gaps.min()?.saturating_add(lookahead.ticks());
    Some(to_bound.max(distance(start, flow.first.time)))
}

/// How far a source can be ahead: until the buffer is full.
fn source_before_sink(flow: &Flow, start: Time) -> Option<i64> {
    let FlowTiming::Periodic(period) = flow.timing else { return None };
    let buffered = period.ticks().saturating_mul(i64::from(flow.capacity));
    gap(flow, start).map(|gap| gap.saturating_add(buffered))
}

fn distance(from: Time, to: Time) -> i64 {
    to.ticks().saturating_sub(from.ticks()).max(0)
}
