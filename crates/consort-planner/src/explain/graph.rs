//! The graph as a person would draw it.

use super::lag::Ages;
use crate::cycle::Cycle;
use crate::nodes::{Names, Node};
use serde::Serialize;

/// Something that is given, read or stepped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GraphNode {
    /// `component.variable`, or the component's name.
    pub name: String,
    /// The component to which the node belongs.
    pub component: String,
    /// The kind of the node.
    pub kind: NodeKind,
    /// How many exchanges it waits for; 0 for what is known first.
    pub level: u32,
}

/// What a node of the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// An input.
    Input,
    /// An input whose value at the end of a step the step waits for.
    ReactiveInput,
    /// An output.
    Output,
    /// A step of a component.
    Step,
    /// All inputs of a component together, where something follows all of them.
    AllInputs,
}

/// How one node leads to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct GraphEdge {
    /// Index of a node.
    pub from: usize,
    /// Index of a node.
    pub to: usize,
    /// The cause of the dependency.
    pub kind: EdgeKind,
}

/// How one node leads to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// Caused by a connection.
    Connected,
    /// By a connection that hands on the previous value.
    Delayed,
    /// Within a component, at once.
    Feedthrough,
    /// Within a component, by its next step only.
    LateFeedthrough,
    /// From a step to what it leaves behind, and from what a step waits for to the step.
    Step,
}

/// What is read at one level of a tag.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Level {
    /// Which level; outputs of level 0 are known before anything is exchanged.
    pub level: u32,
    /// The outputs: `component.variable`.
    pub outputs: Vec<String>,
}

/// Nodes that have an edge, and the edges.
pub(super) fn draw(
    names: &Names<'_>,
    cycle: &Cycle<'_>,
    levels: &[u32],
    ages: &Ages,
) -> (Vec<GraphNode>, Vec<GraphEdge>) {
    let nodes = &cycle.flow.nodes;
    let mut edges: Vec<(u32, u32, EdgeKind)> = ages.edges(cycle).collect();
    for (from, to) in cycle.flow.graph.edges() {
        let recorded = nodes.is_get(to) && !names.is_output(nodes.node(to));
        let is_step = |node: u32| matches!(nodes.node(node), Node::Step(_));
        if !recorded && is_step(from) != is_step(to) {
            edges.push((from, to, EdgeKind::Step));
        }
    }
    let mut used: Vec<u32> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
    used.sort_unstable();
    used.dedup();
    let index = |node: u32| used.binary_search(&node).expect("the ends of edges are listed");
    let edges = edges.into_iter().map(|(from, to, kind)| GraphEdge {
        from: index(from),
        to: index(to),
        kind,
    });
    let edges = edges.collect();
    let node =
        |&node: &u32| GraphNode { level: levels[node as usize], ..drawn(names, cycle, node) };
    (used.iter().map(node).collect(), edges)
}

fn drawn(names: &Names<'_>, cycle: &Cycle<'_>, node: u32) -> GraphNode {
    let (name, component, kind) = match cycle.flow.nodes.node(node) {
        Node::Set(component, variable) => {
            let reactive = cycle.reactive[node as usize];
            let kind = if reactive { NodeKind::ReactiveInput } else { NodeKind::Input };
            (names.variable(component, variable), component, kind)
        }
        Node::Get(component, variable) => {
            (names.variable(component, variable), component, NodeKind::Output)
        }
        Node::Step(component) => {
            let members = cycle.flow.nodes.groups().members(component);
            let members: Vec<&str> = members.map(|id| names.component(id)).collect();
            (members.join(" + "), component, NodeKind::Step)
        }
        Node::Inputs(component) => {
            (format!("{}.*", names.component(component)), component, NodeKind::AllInputs)
        }
    };
    GraphNode { name, component: names.component(component).to_owned(), kind, level: 0 }
}

/// The outputs that are read, level by level.
pub(super) fn by_level(names: &Names<'_>, cycle: &Cycle<'_>, levels: &[u32]) -> Vec<Level> {
    let outputs =
        cycle.flow.nodes.gets().filter(|&get| names.is_output(cycle.flow.nodes.node(get)));
    let mut gets: Vec<(u32, u32)> = outputs.map(|get| (levels[get as usize], get)).collect();
    gets.sort_unstable();
    let name = |&(_, get): &(u32, u32)| match cycle.flow.nodes.node(get) {
        Node::Get(component, variable) => names.variable(component, variable),
        _ => unreachable!("only what is read is listed"),
    };
    let groups = gets.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| Level { level: group[0].0, outputs: group.iter().map(name).collect() })
        .collect()
}
