//! One loop: where it is cut so that it can be evaluated in order, and its shortest closed chain.

mod chain;
mod cut;

use crate::flow::Flow;
use crate::graph::Graph;
use crate::nodes::{Names, Node};
use consort_core::{ComponentId, ConnectionId, Diagnostic};
use consort_system::ResolvedSystem;

pub(crate) use chain::Chain;

/// A strongly connected component of a [`Flow`], with a choice of connections to cut.
pub(crate) struct Circle<'a> {
    flow: &'a Flow,
    /// The nodes of the loop, sorted.
    pub(crate) members: &'a [u32],
    reactive: &'a [bool],
    /// The graph between the members, by their position among them.
    local: Graph,
    /// Connections (read to set) that every way round passes, by position; sorted.
    cut: Vec<(u32, u32)>,
}

impl<'a> Circle<'a> {
    /// `reactive` says of every input whether the step waits for it.
    pub(crate) fn new(flow: &'a Flow, members: &'a [u32], reactive: &'a [bool]) -> Self {
        let local = local_graph(flow, members);
        let mut circle = Circle { flow, members, reactive, local, cut: Vec::new() };
        circle.cut = cut::find(&circle);
        circle
    }

    fn position(&self, node: u32) -> Option<u32> {
        let position = self.members.binary_search(&node).ok()?;
        Some(u32::try_from(position).expect("no more members than nodes"))
    }

    fn node(&self, position: u32) -> Node {
        self.flow.nodes.node(self.members[position as usize])
    }

    /// What a node of the whole graph is.
    pub(crate) fn flow_node(&self, node: u32) -> Node {
        self.flow.nodes.node(node)
    }

    fn is_set(&self, position: u32) -> bool {
        self.flow.nodes.is_set(self.members[position as usize])
    }

    fn is_get(&self, position: u32) -> bool {
        self.flow.nodes.is_get(self.members[position as usize])
    }

    /// Whether an input is given by an operation of its own; a step gives its reactive inputs.
    pub(crate) fn is_given_alone(&self, set: u32) -> bool {
        !self.reactive[set as usize]
    }

    /// The level of each member once the cut connections are taken as known.
    pub(crate) fn levels(&self) -> Vec<u32> {
        let graph = without(&self.local, &self.cut);
        let mut levels = vec![0u32; self.members.len()];
        for group in graph.components() {
            let [node] = group[..] else { unreachable!("the cut leaves no way round") };
            for &next in graph.successors(node) {
                let level = levels[node as usize];
                let waits = u32::from(self.is_get(node) && self.is_set(next));
                levels[next as usize] = levels[next as usize].max(level + waits);
            }
        }
        levels
    }

    /// The wires within the loop that lead to `node` and are not cut.
    pub(crate) fn inner_wires(&self, system: &ResolvedSystem, node: u32) -> Vec<ConnectionId> {
        self.wires(system, node, false)
    }

    /// The wires that are cut, by where they lead.
    pub(crate) fn unknowns(&self, system: &ResolvedSystem) -> Vec<ConnectionId> {
        let members = self.members.iter();
        members.flat_map(|&node| self.wires(system, node, true)).collect()
    }

    /// The wires of the shortest way round, in its order.
    pub(crate) fn chain_wires(&self, system: &ResolvedSystem) -> Vec<ConnectionId> {
        let links = self.chain().links;
        let ends = |index: usize| (links[index].0, links[(index + 1) % links.len()].0);
        let mut wires = Vec::new();
        for (from, to) in (0..links.len()).map(ends) {
            let joins = |wire: &ConnectionId| {
                let wire = &system.connections[wire.index()];
                from == Node::Get(wire.from.component, wire.from.variable)
                    && to == Node::Set(wire.to.component, wire.to.variable)
            };
            wires.extend(self.all_wires(system).into_iter().filter(joins));
        }
        wires
    }

    /// A diagnostic that points to the wires of the shortest way round, where they were written.
    pub(crate) fn shown(&self, system: &ResolvedSystem, mut diagnostic: Diagnostic) -> Diagnostic {
        for (index, wire) in self.chain_wires(system).into_iter().enumerate() {
            let place = system.connections[wire.index()].origin.0;
            diagnostic = match index {
                0 => diagnostic.maybe_at(place, "on the loop"),
                _ => diagnostic.maybe_label(place, "on the loop"),
            };
        }
        diagnostic
    }

    /// All wires within the loop.
    pub(crate) fn all_wires(&self, system: &ResolvedSystem) -> Vec<ConnectionId> {
        let members = self.members.iter();
        members
            .flat_map(|&node| [self.wires(system, node, true), self.wires(system, node, false)])
            .flatten()
            .collect()
    }

    fn wires(&self, system: &ResolvedSystem, node: u32, is_cut: bool) -> Vec<ConnectionId> {
        if !self.flow.nodes.is_set(node) {
            return Vec::new();
        }
        let to = self.position(node).expect("a member is asked for");
        let wanted = |wire: &ConnectionId| {
            let get = self.flow.nodes.get_of(system.connections[wire.index()].from);
            let from = get.and_then(|get| self.position(get));
            from.is_some_and(|from| self.cut.binary_search(&(from, to)).is_ok() == is_cut)
        };
        self.flow.wires.leading_to(node).iter().copied().filter(wanted).collect()
    }

    /// The wires each of which alone would break the loop if it were delayed; not looked for in
    /// large loops.
    pub(crate) fn breakers(&self, system: &ResolvedSystem) -> Vec<ConnectionId> {
        let mut wires = self.all_wires(system);
        if SMALL < self.members.len() {
            wires.clear();
        }
        wires.retain(|wire| {
            let wire = &system.connections[wire.index()];
            let from = self.flow.nodes.get_of(wire.from).and_then(|node| self.position(node));
            let to = self.flow.nodes.set_of(wire.to).and_then(|node| self.position(node));
            let edge = from.zip(to).expect("a wire of the loop joins two members");
            without(&self.local, &[edge]).is_acyclic()
        });
        wires
    }

    /// The components that step on the loop.
    pub(crate) fn stepped(&self) -> Vec<ComponentId> {
        let members = self.members.iter().map(|&node| self.flow.nodes.node(node));
        let groups = self.flow.nodes.groups();
        let step = |node| if let Node::Step(component) = node { Some(component) } else { None };
        members.filter_map(step).flat_map(|component| groups.members(component)).collect()
    }

    /// The variables on the loop.
    pub(crate) fn variables(&self) -> Vec<Node> {
        let nodes = self.members.iter().map(|&node| self.flow.nodes.node(node));
        nodes.filter(|node| matches!(node, Node::Set(..) | Node::Get(..))).collect()
    }

    /// Whether something on the loop follows all inputs of a component.
    pub(crate) fn has_all_inputs_of(&self, component: ComponentId) -> bool {
        self.position(self.flow.nodes.inputs(component)).is_some()
    }

    /// The inputs on the loop that a step waits for.
    pub(crate) fn reactive_inputs(&self) -> Vec<Node> {
        let sets = self.members.iter().filter(|&&node| self.flow.nodes.is_set(node));
        let reactive = sets.filter(|&&set| self.reactive[set as usize]);
        reactive.map(|&set| self.flow.nodes.node(set)).collect()
    }

    /// The shortest way round, each edge with its name.
    pub(crate) fn chain(&self) -> Chain {
        chain::shortest(self)
    }

    /// `a.y --connected--> b.u --feedthrough--> b.y ...`.
    pub(crate) fn chain_text(&self, names: &Names<'_>) -> String {
        self.chain().text(names)
    }
}

/// Loops with no more members than this are looked at more closely: every start, every wire.
const SMALL: usize = 200;

fn local_graph(flow: &Flow, members: &[u32]) -> Graph {
    let position = |node: u32| members.binary_search(&node).ok();
    let id = |position: usize| u32::try_from(position).expect("no more members than nodes");
    let mut edges = Vec::new();
    for (from, &node) in members.iter().enumerate() {
        let group = flow.group_of[node as usize];
        let inside = flow.graph.successors(node).iter();
        let inside = inside.filter(|&&next| flow.group_of[next as usize] == group);
        edges.extend(inside.filter_map(|&next| position(next)).map(|to| (id(from), id(to))));
    }
    Graph::new(members.len(), edges)
}

/// The graph less some edges, which are sorted.
fn without(graph: &Graph, cut: &[(u32, u32)]) -> Graph {
    let edges = graph.edges().filter(|edge| cut.binary_search(edge).is_err()).collect();
    Graph::new(graph.len(), edges)
}
