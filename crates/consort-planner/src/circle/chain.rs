//! The shortest closed chain through a loop, as a person reads it.

use super::{Circle, SMALL};
use crate::nodes::{Names, Node};
use std::collections::VecDeque;

/// From how many members of a large loop a way round is looked for.
const STARTS_MAX: usize = 8;

/// A closed walk: variables, and how each leads to the next; the last leads to the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    pub(crate) links: Vec<(Node, Link)>,
}

/// How one variable leads to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    /// Linked by a connection.
    Connected,
    /// Within a component, at once.
    Feedthrough,
    /// Within a component, by the step that waits for it.
    Step,
}

impl Link {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Link::Connected => "connected",
            Link::Feedthrough => "feedthrough",
            Link::Step => "step",
        }
    }
}

impl Chain {
    /// `a.y --connected--> b.u --feedthrough--> ... a.y`.
    pub(crate) fn text(&self, names: &Names<'_>) -> String {
        let mut text = String::new();
        for (node, link) in &self.links {
            text.push_str(&name(*node, names));
            text.push_str(" --");
            text.push_str(link.name());
            text.push_str("--> ");
        }
        text.push_str(&name(self.links[0].0, names));
        text
    }
}

/// What a chain calls a node; steps and gatherings of inputs are links of it, not nodes.
pub(crate) fn name(node: Node, names: &Names<'_>) -> String {
    match node {
        Node::Set(component, variable) | Node::Get(component, variable) => {
            names.variable(component, variable)
        }
        Node::Step(component) | Node::Inputs(component) => names.component(component).to_owned(),
    }
}

pub(super) fn shortest(circle: &Circle<'_>) -> Chain {
    let len = u32::try_from(circle.members.len()).expect("no more members than nodes");
    let starts = (0..len).filter(|&position| circle.is_get(position));
    let tries = if circle.members.len() <= SMALL { usize::MAX } else { STARTS_MAX };
    let ways = starts.take(tries).map(|start| way_round(circle, start));
    let way = ways.min_by_key(Vec::len).expect("every loop passes something that is read");
    Chain { links: links(circle, &way) }
}

/// The shortest way from `start` back to it, breadth first; ends before `start`.
fn way_round(circle: &Circle<'_>, start: u32) -> Vec<u32> {
    let mut came_from = vec![u32::MAX; circle.members.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &next in circle.local.successors(node) {
            if came_from[next as usize] == u32::MAX {
                came_from[next as usize] = node;
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![start];
    let mut node = came_from[start as usize];
    while node != start {
        way.push(node);
        node = came_from[node as usize];
    }
    way[1..].reverse();
    way
}

/// Leaves out steps and gatherings: they say how the variable before them leads to the one after.
fn links(circle: &Circle<'_>, way: &[u32]) -> Vec<(Node, Link)> {
    let is_variable = |&&position: &&u32| circle.is_set(position) || circle.is_get(position);
    let named = way.iter().filter(is_variable).count();
    let mut links = Vec::with_capacity(named);
    for (index, &position) in way.iter().enumerate() {
        let next = circle.node(way[(index + 1) % way.len()]);
        match (circle.node(position), next) {
            (node @ Node::Get(..), _) => links.push((node, Link::Connected)),
            (node @ Node::Set(..), Node::Step(_)) => links.push((node, Link::Step)),
            (node @ Node::Set(..), _) => links.push((node, Link::Feedthrough)),
            (Node::Step(_) | Node::Inputs(_), _) => {}
        }
    }
    links
}
