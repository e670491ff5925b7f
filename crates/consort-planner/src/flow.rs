//! Operations and what they wait for: the graph with its loops and levels.

use crate::dependencies::{Moment, Wires, feedthrough_of_all};
use crate::graph::Graph;
use crate::nodes::{Names, Nodes};
use consort_system::{Port, ResolvedConnection};

/// A graph of things to do, with its loops found.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) nodes: Nodes,
    pub(crate) wires: Wires,
    pub(crate) graph: Graph,
    /// Strongly connected components, sources first. One with several members is a loop.
    pub(crate) groups: Vec<Vec<u32>>,
    /// The group of each node.
    pub(crate) group_of: Vec<u32>,
}

impl Flow {
    pub(crate) fn new(nodes: Nodes, wires: Wires, edges: Vec<(u32, u32)>) -> Self {
        let graph = Graph::new(nodes.len(), edges);
        let groups = graph.components();
        let group_of = group_of(&groups, graph.len());
        Flow { nodes, wires, graph, groups, group_of }
    }

    /// What follows what without a step between, at a moment: along the wires that `counts` accepts, and within models.
    /// `fed` are inputs that are set without a wire.
    pub(crate) fn at_once(
        names: &Names<'_>,
        moment: Moment,
        counts: impl Fn(&&ResolvedConnection) -> bool,
        fed: impl Iterator<Item = Port>,
    ) -> Self {
        let system = names.system;
        let node = |port: Port| (port.component, port.variable);
        let wires = || system.connections.iter().filter(&counts);
        let sets = wires().map(|wire| wire.to).chain(fed).map(node).collect();
        let gets = wires().map(|wire| node(wire.from)).collect();
        let nodes = Nodes::new(sets, gets, system.components.len());
        let wires = Wires::of(system, &nodes);
        let mut edges = wires.edges(system, &nodes);
        edges.extend(feedthrough_of_all(&nodes, names.models, moment));
        Flow::new(nodes, wires, edges)
    }

    /// Whether a node is on a loop.
    pub(crate) fn is_on_loop(&self, node: u32) -> bool {
        1 < self.groups[self.group_of[node as usize] as usize].len()
    }

    /// Whether two nodes are on one loop.
    pub(crate) fn on_one_loop(&self, a: u32, b: u32) -> bool {
        self.group_of[a as usize] == self.group_of[b as usize] && a != b
    }

    /// The loops among the nodes that take part.
    pub(crate) fn loops(&self, takes_part: &[bool]) -> impl Iterator<Item = &Vec<u32>> {
        let groups = self.groups.iter().filter(|group| 1 < group.len());
        groups.filter(|group| takes_part[group[0] as usize])
    }

    /// How many exchanges each node must wait for, among the nodes that take part. What waits for a
    /// loop is at least one level after it: loops are solved at the end of their level.
    pub(crate) fn levels(&self, takes_part: &[bool]) -> Vec<u32> {
        let mut levels = vec![0u32; self.graph.len()];
        for group in self.groups.iter().filter(|group| takes_part[group[0] as usize]) {
            let level = group.iter().map(|&node| levels[node as usize]).max().unwrap_or(0);
            for &node in group {
                levels[node as usize] = level;
                let next = self.graph.successors(node).iter();
                for &next in next.filter(|&&next| !self.on_one_loop(node, next)) {
                    let waits = 1 < group.len() || self.nodes.is_connection(node, next);
                    let place = &mut levels[next as usize];
                    *place = (*place).max(level + u32::from(waits));
                }
            }
        }
        levels
    }
}

/// For each node the index of its group.
pub(crate) fn group_of(groups: &[Vec<u32>], len: usize) -> Vec<u32> {
    let mut group_of = vec![0; len];
    for (index, group) in groups.iter().enumerate() {
        for &node in group {
            group_of[node as usize] = u32::try_from(index).expect("no more groups than nodes");
        }
    }
    group_of
}
