//! How old values are: over every path of connections and feedthrough, in steps.

use super::graph::EdgeKind;
use crate::cycle::Cycle;
use crate::dependencies::{Declared, Moment, feedthrough};
use crate::graph::Graph;
use crate::nodes::{Names, Node, Nodes};
use consort_core::ComponentId;

/// How many nodes of a path are shown, so that a system of long chains is explained in time that
/// grows as it does.
const PATH_MAX: usize = 200;

/// The least and the greatest number of steps by which each node's value lags behind where it comes
/// from, over all paths. A way round is gone at most once.
pub(super) struct Ages {
    graph: Graph,
    /// Whether what follows an input of a component follows it one step late, by set node.
    pub(super) late: Vec<bool>,
    delayed: Vec<(u32, u32)>,
    pub(super) least: Vec<Age>,
    pub(super) greatest: Vec<Age>,
}

/// How old a value is, and over which node before it came that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Age {
    pub(super) steps: u32,
    before: Option<u32>,
}

impl Ages {
    pub(super) fn of(names: &Names<'_>, cycle: &Cycle<'_>) -> Self {
        let nodes = &cycle.flow.nodes;
        let mut ages = Ages {
            graph: declared_graph(names, cycle),
            late: nodes.sets().map(|set| cycle.is_late(names, set)).collect(),
            delayed: delayed_edges(names, cycle),
            least: vec![Age::default(); nodes.len()],
            greatest: vec![Age::default(); nodes.len()],
        };
        ages.grow(cycle);
        ages
    }

    fn grow(&mut self, cycle: &Cycle<'_>) {
        let places = self.graph.order();
        let mut order: Vec<u32> = (0..u32::try_from(places.len()).expect("nodes fit")).collect();
        order.sort_unstable_by_key(|&node| places[node as usize]);
        let mut seen = vec![false; places.len()];
        for node in order {
            let forward = |&next: &u32| places[node as usize] < places[next as usize];
            let next: Vec<u32> =
                self.graph.successors(node).iter().copied().filter(forward).collect();
            for next in next {
                let cost = u32::from(self.kind(cycle, node, next).is_late());
                let age = |from: Age| Age { steps: from.steps + cost, before: Some(node) };
                let (least, greatest) =
                    (age(self.least[node as usize]), age(self.greatest[node as usize]));
                let first = !std::mem::replace(&mut seen[next as usize], true);
                let place = &mut self.least[next as usize];
                if first || least.steps < place.steps {
                    *place = least;
                }
                let place = &mut self.greatest[next as usize];
                if first || place.steps < greatest.steps {
                    *place = greatest;
                }
            }
        }
    }

    /// What kind of edge this is.
    fn kind(&self, cycle: &Cycle<'_>, from: u32, to: u32) -> EdgeKind {
        let nodes = &cycle.flow.nodes;
        if nodes.is_connection(from, to) {
            match self.delayed.binary_search(&(from, to)) {
                Ok(_) => EdgeKind::Delayed,
                Err(_) => EdgeKind::Connected,
            }
        } else if nodes.is_set(from) && self.late[from as usize] {
            EdgeKind::LateFeedthrough
        } else {
            EdgeKind::Feedthrough
        }
    }

    /// The edges of connections and feedthrough.
    pub(super) fn edges<'a>(
        &'a self,
        cycle: &'a Cycle<'_>,
    ) -> impl Iterator<Item = (u32, u32, EdgeKind)> + 'a {
        self.graph.edges().map(|(from, to)| (from, to, self.kind(cycle, from, to)))
    }

    /// Whether anything follows an input, at once or later.
    pub(super) fn is_followed(&self, set: u32) -> bool {
        !self.graph.successors(set).is_empty()
    }

    /// The path by which the oldest, or the youngest, part of a value came: first node first; of
    /// long ones the end.
    pub(super) fn path(&self, node: u32, oldest: bool) -> Vec<u32> {
        let ages = if oldest { &self.greatest } else { &self.least };
        let mut path = vec![node];
        let mut at = node;
        while let Some(before) = ages[at as usize].before.filter(|_| path.len() < PATH_MAX) {
            path.push(before);
            at = before;
        }
        path.reverse();
        path
    }
}

impl EdgeKind {
    fn is_late(self) -> bool {
        matches!(self, EdgeKind::Delayed | EdgeKind::LateFeedthrough)
    }
}

/// Connections, delayed ones too, and all feedthrough that is declared, also of components that answer by step.
fn declared_graph(names: &Names<'_>, cycle: &Cycle<'_>) -> Graph {
    let nodes = &cycle.flow.nodes;
    let mut edges = cycle.flow.wires.edges(names.system, nodes);
    edges.extend(delayed_edges(names, cycle));
    for (index, model) in names.models.iter().enumerate() {
        let declared = Declared::of(model, Moment::Tag);
        feedthrough(nodes, ComponentId::from_index(index), &declared, &mut edges);
    }
    Graph::new(nodes.len(), without_recorded(names, nodes, edges))
}

/// Without what is read to be recorded only: nothing is late by it.
fn without_recorded(
    names: &Names<'_>,
    nodes: &Nodes,
    mut edges: Vec<(u32, u32)>,
) -> Vec<(u32, u32)> {
    edges.retain(|&(_, to)| names.is_output(nodes.node(to)) || !nodes.is_get(to));
    let mut used: Vec<u32> = edges.iter().map(|edge| edge.0).collect();
    used.sort_unstable();
    let leads_on = |node: u32| used.binary_search(&node).is_ok();
    edges.retain(|&(_, to)| !matches!(nodes.node(to), Node::Inputs(_)) || leads_on(to));
    edges
}

fn delayed_edges(names: &Names<'_>, cycle: &Cycle<'_>) -> Vec<(u32, u32)> {
    let nodes = &cycle.flow.nodes;
    let wires = names.system.connections.iter().filter(|wire| wire.delay);
    let ends = wires.filter_map(|wire| nodes.get_of(wire.from).zip(nodes.set_of(wire.to)));
    let mut edges: Vec<(u32, u32)> = ends.collect();
    edges.sort_unstable();
    edges
}
