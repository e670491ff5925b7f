//! The operations that are put in order, numbered: giving an input, reading a variable, stepping a
//! component.

use crate::groups::Groups;
use consort_core::{Causality, ComponentId, ModelDescription, VariableId};
use consort_system::{Port, ResolvedSystem};
use std::ops::Range;

/// Something that is done at a tag or on the way to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// An input is given.
    Set(ComponentId, VariableId),
    /// A variable is read.
    Get(ComponentId, VariableId),
    /// A component steps.
    Step(ComponentId),
    /// All inputs of a component were given: lies between its inputs and what follows all of
    /// them, so that many inputs and many outputs do not make a product of edges.
    Inputs(ComponentId),
}

impl Node {
    /// The component; of a step that several take together, the first.
    pub(crate) fn component(self) -> ComponentId {
        match self {
            Node::Set(component, _)
            | Node::Get(component, _)
            | Node::Step(component)
            | Node::Inputs(component) => component,
        }
    }
}

/// The numbering: sets, then gets, each sorted by component and variable, then one step and one
/// gathering of inputs per component.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    sets: Vec<(ComponentId, VariableId)>,
    gets: Vec<(ComponentId, VariableId)>,
    components: usize,
    /// The groups that step together.
    groups: Groups,
}

fn id(index: usize) -> u32 {
    u32::try_from(index).expect("nodes fit in 32 bits")
}

impl Nodes {
    /// Nodes for these inputs and these variables to read.
    pub(crate) fn new(
        mut sets: Vec<(ComponentId, VariableId)>,
        mut gets: Vec<(ComponentId, VariableId)>,
        components: usize,
    ) -> Self {
        for list in [&mut sets, &mut gets] {
            list.sort_unstable();
            list.dedup();
        }
        Nodes { sets, gets, components, groups: Groups::none(components) }
    }

    /// The same, with one step for all that are integrated together.
    pub(crate) fn with_groups(self, groups: Groups) -> Self {
        Nodes { groups, ..self }
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len() + self.gets.len() + 2 * self.components
    }

    /// Where an input is given, if it is given.
    pub(crate) fn set(&self, component: ComponentId, variable: VariableId) -> Option<u32> {
        self.sets.binary_search(&(component, variable)).ok().map(id)
    }

    /// Where a variable is read, if it is.
    pub(crate) fn get(&self, component: ComponentId, variable: VariableId) -> Option<u32> {
        let index = self.gets.binary_search(&(component, variable)).ok();
        index.map(|index| id(self.sets.len() + index))
    }

    pub(crate) fn set_of(&self, port: Port) -> Option<u32> {
        self.set(port.component, port.variable)
    }

    pub(crate) fn get_of(&self, port: Port) -> Option<u32> {
        self.get(port.component, port.variable)
    }

    /// The step of a component: that of the first where several are integrated together.
    pub(crate) fn step(&self, component: ComponentId) -> u32 {
        id(self.sets.len() + self.gets.len() + self.groups.first(component).index())
    }

    /// All steps, each once.
    pub(crate) fn steps(&self) -> impl Iterator<Item = u32> + '_ {
        let ids = (0..self.components).map(ComponentId::from_index);
        ids.filter(|&id| self.groups.first(id) == id).map(|id| self.step(id))
    }

    pub(crate) fn inputs(&self, component: ComponentId) -> u32 {
        id(self.sets.len() + self.gets.len() + self.components + component.index())
    }

    /// All inputs that are given.
    pub(crate) fn sets(&self) -> Range<u32> {
        0..id(self.sets.len())
    }

    /// All variables that are read.
    pub(crate) fn gets(&self) -> Range<u32> {
        id(self.sets.len())..id(self.sets.len() + self.gets.len())
    }

    /// The inputs of one component.
    pub(crate) fn sets_of(&self, component: ComponentId) -> Range<u32> {
        range_of(&self.sets, component, 0)
    }

    /// What is read of one component.
    pub(crate) fn gets_of(&self, component: ComponentId) -> Range<u32> {
        range_of(&self.gets, component, self.sets.len())
    }

    pub(crate) fn node(&self, node: u32) -> Node {
        let index = node as usize;
        let (sets, gets) = (self.sets.len(), self.gets.len());
        if index < sets {
            let (component, variable) = self.sets[index];
            Node::Set(component, variable)
        } else if index < sets + gets {
            let (component, variable) = self.gets[index - sets];
            Node::Get(component, variable)
        } else if index < sets + gets + self.components {
            Node::Step(ComponentId::from_index(index - sets - gets))
        } else {
            Node::Inputs(ComponentId::from_index(index - sets - gets - self.components))
        }
    }

    pub(crate) fn is_set(&self, node: u32) -> bool {
        (node as usize) < self.sets.len()
    }

    pub(crate) fn is_get(&self, node: u32) -> bool {
        self.gets().contains(&node)
    }

    /// Whether the edge is a connection; all others stay within a component.
    pub(crate) fn is_connection(&self, from: u32, to: u32) -> bool {
        self.is_get(from) && self.is_set(to)
    }
}

fn range_of(
    list: &[(ComponentId, VariableId)],
    component: ComponentId,
    offset: usize,
) -> Range<u32> {
    let start = list.partition_point(|entry| entry.0 < component);
    let end = list.partition_point(|entry| entry.0 <= component);
    id(offset + start)..id(offset + end)
}

/// What things are called.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) models: &'a [&'a ModelDescription],
}

impl<'a> Names<'a> {
    /// Whether an output is read; other variables are read to be recorded only.
    pub(crate) fn is_output(&self, node: Node) -> bool {
        matches!(node, Node::Get(component, variable)
            if self.models[component.index()].variables[variable.index()].causality
                == Causality::Output)
    }

    pub(crate) fn component(&self, component: ComponentId) -> &'a str {
        &self.system.components[component.index()].name
    }

    /// `component.variable`.
    pub(crate) fn variable(&self, component: ComponentId, variable: VariableId) -> String {
        let name = &self.models[component.index()].variables[variable.index()].name;
        format!("{}.{name}", self.component(component))
    }

    pub(crate) fn port(&self, port: Port) -> String {
        self.variable(port.component, port.variable)
    }

    /// `from -> to` of a wire.
    pub(crate) fn wire(&self, wire: consort_core::ConnectionId) -> String {
        let wire = &self.system.connections[wire.index()];
        format!("{} -> {}", self.port(wire.from), self.port(wire.to))
    }
}
