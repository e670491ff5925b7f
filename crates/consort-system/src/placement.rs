//! Which node of a distributed run each component is on.

use consort_core::{ComponentId, Diagnostic, NodeId};
use serde::{Deserialize, Serialize};

/// Which node each component is on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Placement {
    /// Names, sorted by their bytes; a `NodeId` is an index into this. Each has a component at least.
    pub nodes: Vec<String>,
    /// The node of each component.
    pub of_component: Vec<NodeId>,
}

impl Placement {
    /// The placement in which each component is on the node of that name.
    pub fn from_names(of_component: &[&str]) -> Self {
        let mut nodes: Vec<String> = of_component.iter().map(|&name| name.to_owned()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let id = |name: &&str| {
            let index = nodes.binary_search_by(|node| node.as_str().cmp(name));
            NodeId::from_index(index.expect("every name was collected"))
        };
        let of_component = of_component.iter().map(id).collect();
        Placement { nodes, of_component }
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> &str {
        &self.nodes[node.index()]
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let index = self.nodes.binary_search_by(|node| node.as_str().cmp(name)).ok();
        index.map(NodeId::from_index)
    }

    /// The components on a node, in id order.
    pub fn components(&self, node: NodeId) -> impl Iterator<Item = ComponentId> + '_ {
        let all = self.of_component.iter().enumerate();
        let here = all.filter(move |(_, of)| **of == node);
        here.map(|(index, _)| ComponentId::from_index(index))
    }
}

/// Whether a name of a node is made of letters, digits, `_` and `-`: it is a part of file names and of
/// the names of flows.
pub fn is_node_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_letter)
}

/// What is said about any other name.
pub(crate) fn bad_name(name: &str) -> Diagnostic {
    let message = format!("`{name}` is no name of a node");
    Diagnostic::error("system::bad-node-name", message)
        .help("names of nodes are made of letters, digits, `_` and `-`")
}
