//! In which order the flows that may depend on each other at one tag are taken.
//!
//! An observation that waits for some of its node's inputs only may have to go out before another input of
//! the same tag comes, which may depend on it. So within a tag the outputs are taken one by one, each after
//! the inputs it waits for. For that to be repeatable and free of deadlock, all nodes follow *one* order: a
//! topological order of the flow-to-flow graph at that tag, which each of them computes from the topology.
//! Where no circuit exists at any tag, one order does for all; else it is made for the tag.

use crate::flow::topology::{FlowId, Topology};
use consort_core::Tag;
use std::collections::BTreeSet;

/// The order of immediate flows.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    /// For all tags, if there is no circuit; not filled in where no output lists its inputs.
    of_flow: Vec<u32>,
    is_circular: bool,
}

impl Ranks {
    pub(super) fn new(topology: &Topology) -> Self {
        let mut flows = topology.flows.iter();
        let has_lists = flows.any(|flow| flow.kind.is_immediate() && flow.feedthrough.is_some());
        if !has_lists {
            return Ranks { of_flow: Vec::new(), is_circular: false };
        }
        let (of_flow, is_circular) = ranked(topology, |_| true);
        Ranks { of_flow, is_circular }
    }

    /// Which of these flows comes first at a tag. Allocates only where circuits exist that never close at
    /// one tag, and two outputs of one node are due.
    pub(super) fn first(
        &self,
        topology: &Topology,
        tag: Tag,
        flows: impl Iterator<Item = (usize, FlowId)> + Clone,
    ) -> Option<usize> {
        if !self.is_circular || flows.clone().nth(1).is_none() {
            return least(&self.of_flow, flows);
        }
        let stamped = |flow: FlowId| topology.flows[flow.index()].may_be_stamped(tag);
        least(&ranked(topology, stamped).0, flows)
    }
}

fn least(ranks: &[u32], flows: impl Iterator<Item = (usize, FlowId)>) -> Option<usize> {
    flows.min_by_key(|(_, flow)| ranks[flow.index()]).map(|(place, _)| place)
}

/// Topological order, the least of (priority, name) first where there is a choice. What lies on a circuit or
/// behind one comes last, by name, and the answer reports it.
fn ranked(topology: &Topology, is_there: impl Fn(FlowId) -> bool) -> (Vec<u32>, bool) {
    let key = |flow: FlowId| (topology.flows[flow.index()].priority, flow);
    let graph = RankGraph::new(topology, is_there);
    let mut waits_for = vec![0_u32; topology.flows.len()];
    graph.flows().flat_map(|from| graph.followers(from)).for_each(|to| waits_for[to.index()] += 1);
    let free = graph.flows().filter(|flow| waits_for[flow.index()] == 0);
    let mut ready: BTreeSet<(i32, FlowId)> = free.map(key).collect();
    let mut ranks = vec![u32::MAX; topology.flows.len()];
    let mut rank = 0;
    while let Some((_, flow)) = ready.pop_first() {
        ranks[flow.index()] = rank;
        rank += 1;
        for to in graph.followers(flow) {
            waits_for[to.index()] -= 1;
            if waits_for[to.index()] == 0 {
                ready.insert(key(to));
            }
        }
    }
    (ranks, (rank as usize) < graph.flows().count())
}

/// Immediate flows by the node they come from.
struct RankGraph<'a> {
    topology: &'a Topology,
    by_source: Vec<Vec<FlowId>>,
}

impl<'a> RankGraph<'a> {
    fn new(topology: &'a Topology, is_there: impl Fn(FlowId) -> bool) -> Self {
        let mut by_source = vec![Vec::new(); topology.nodes.len()];
        for (index, flow) in topology.flows.iter().enumerate() {
            let id = FlowId::from_index(index);
            if flow.kind.is_immediate() && is_there(id) {
                by_source[flow.source.index()].push(id);
            }
        }
        RankGraph { topology, by_source }
    }

    fn flows(&self) -> impl Iterator<Item = FlowId> + '_ {
        self.by_source.iter().flatten().copied()
    }

    /// The immediate flows that wait for this one at its tag.
    fn followers(&self, from: FlowId) -> impl Iterator<Item = FlowId> + '_ {
        let sinks = self.topology.flows[from.index()].sinks.iter();
        let outputs = sinks.flat_map(|sink| self.by_source[sink.index()].iter().copied());
        outputs.filter(move |to| {
            let list = self.topology.flows[to.index()].feedthrough.as_ref();
            list.is_none_or(|list| list.contains(&from))
        })
    }
}
