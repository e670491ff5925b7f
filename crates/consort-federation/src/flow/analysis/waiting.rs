//! Which flow waits for which at one and the same tag: the graph on which circuits are looked for.

use super::graph::FlowGraph;
use super::instants::Instants;
use crate::flow::{Flow, FlowId, FlowTiming, Topology};
use consort_core::Tag;

/// The flows that wait for inputs of their own tag, and what they wait for.
///
/// A vertex is such a flow or a node. A flow leads to each node that gets it, and to the flows
/// there that list it as feedthrough; a node leads to those of its outputs that wait for all
/// inputs. So the graph is as long as the description, also where many inputs meet many outputs.
pub(super) struct Waiting {
    /// Flows first, then nodes.
    pub(super) graph: FlowGraph,
    /// The flow behind each of the first vertices.
    pub(super) flows: Vec<FlowId>,
    /// When each of them has a message.
    pub(super) stamps: Vec<Stamps>,
}

/// When a flow has messages, as far as that is known before a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stamps {
    /// At these instants, always in the same microstep.
    Known {
        /// Times of the messages.
        instants: Instants,
        /// The microstep.
        microstep: u32,
    },
    /// At any tag from this one on.
    Any {
        /// The first tag.
        first: Tag,
    },
}

impl Stamps {
    /// The microsteps in which something new may begin because of these.
    pub(super) fn level(self) -> u32 {
        match self {
            Stamps::Known { microstep, .. } => microstep,
            Stamps::Any { first } => first.microstep,
        }
    }

    /// The times of those stamps that are in this microstep.
    pub(super) fn at_level(self, level: u32) -> Option<Instants> {
        match self {
            Stamps::Known { instants, microstep } => (microstep == level).then_some(instants),
            Stamps::Any { first } if first.microstep <= level => {
                Some(Instants::every(first.time.ticks(), 1))
            }
            Stamps::Any { first } => Some(Instants::every(first.time.ticks().checked_add(1)?, 1)),
        }
    }
}

/// When a flow has messages.
fn stamps(flow: &Flow) -> Stamps {
    let (first, microstep) = (flow.first.time.ticks(), flow.first.microstep);
    let known = |instants| Stamps::Known { instants, microstep };
    match flow.timing {
        _ if flow.kind.is_event() => Stamps::Any { first: flow.first },
        FlowTiming::Variable => Stamps::Any { first: flow.first },
        FlowTiming::Periodic(period) => known(Instants::every(first, period.ticks())),
        FlowTiming::Once => known(Instants::once(first)),
    }
}

impl Waiting {
    /// What observation flows, and event flows that may follow at once, wait for.
    pub(super) fn within_a_tag(topology: &Topology) -> Self {
        Self::of(topology, |flow| flow.kind.is_immediate())
    }

    /// What the bounds of event flows rest on: other event flows.
    pub(super) fn between_events(topology: &Topology) -> Self {
        Self::of(topology, |flow| flow.kind.is_event())
    }

    /// The graph of the flows for which `takes_part` holds.
    fn of(topology: &Topology, takes_part: impl Fn(&Flow) -> bool) -> Self {
        let ids = (0..topology.flows.len()).map(FlowId::from_index);
        let flows: Vec<FlowId> = ids.filter(|id| takes_part(&topology.flows[id.index()])).collect();
        let stamps = flows.iter().map(|id| stamps(&topology.flows[id.index()])).collect();
        let mut graph = FlowGraph::new(flows.len() + topology.nodes.len());
        let vertex_of_node = |node: usize| vertex(flows.len() + node);
        for (index, id) in flows.iter().enumerate() {
            let flow = &topology.flows[id.index()];
            for sink in &flow.sinks {
                graph.join(vertex(index), vertex_of_node(sink.index()));
            }
            let source = vertex_of_node(flow.source.index());
            let Some(inputs) = &flow.feedthrough else {
                graph.join(source, vertex(index));
                continue;
            };
            // The list holds ids in any order; those that take part are sorted.
            for input in inputs {
                if let Ok(from) = flows.binary_search(input) {
                    graph.join(vertex(from), vertex(index));
                }
            }
        }
        Waiting { graph, flows, stamps }
    }

    /// The flows of a chain of vertices, in order.
    pub(super) fn flows_of(&self, chain: &[u32]) -> Vec<FlowId> {
        chain.iter().filter_map(|&vertex| self.flows.get(vertex as usize).copied()).collect()
    }
}

fn vertex(index: usize) -> u32 {
    u32::try_from(index).expect("flows and nodes are fewer than 32 bits can count")
}
