//! Directed graphs of which parts are taken away: strongly connected components and short circuits.

use consort_core::graph::strong_components;
use std::collections::VecDeque;

/// A directed graph over `0..len`.
#[derive(Clone, Debug)]
pub(super) struct FlowGraph {
    successors: Vec<Vec<u32>>,
}

impl FlowGraph {
    /// A graph without edges.
    pub(super) fn new(len: usize) -> Self {
        FlowGraph { successors: vec![Vec::new(); len] }
    }

    /// Adds an edge.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        self.successors[from as usize].push(to);
    }

    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.successors.len()
    }

    /// Where the edges of `vertex` lead.
    pub(super) fn successors(&self, vertex: u32) -> &[u32] {
        &self.successors[vertex as usize]
    }

    /// The strongly connected components of `vertices` that hold a circuit, each sorted.
    pub(super) fn cyclic_components(&self, vertices: &[u32]) -> Vec<Vec<u32>> {
        let all = vertices.iter().copied();
        let mut found = strong_components(self.len(), all, |vertex| self.successors(vertex));
        found.retain(|part| 1 < part.len() || self.successors(part[0]).contains(&part[0]));
        found.sort();
        found
    }

    /// The shortest circuit through `start` that stays within `vertices`, beginning with `start`.
    pub(super) fn circuit(&self, start: u32, vertices: &[u32]) -> Option<Vec<u32>> {
        let mut before: Vec<Option<u32>> = vec![None; self.len()];
        let mut allowed = vec![false; self.len()];
        for &vertex in vertices {
            allowed[vertex as usize] = true;
        }
        let mut queue = VecDeque::from([start]);
        while let Some(vertex) = queue.pop_front() {
            for &next in self.successors(vertex) {
                if next == start {
                    return Some(way_back(&before, start, vertex));
                }
                if allowed[next as usize] && before[next as usize].is_none() {
                    before[next as usize] = Some(vertex);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

/// The vertices from `start` to `last`, found by going back.
fn way_back(before: &[Option<u32>], start: u32, last: u32) -> Vec<u32> {
    let mut chain = vec![last];
    let mut at = last;
    while at != start {
        at = before[at as usize].expect("every vertex but the start was reached from another");
        chain.push(at);
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(len: usize, edges: &[(u32, u32)]) -> FlowGraph {
        let mut graph = FlowGraph::new(len);
        for &(from, to) in edges {
            graph.join(from, to);
        }
        graph
    }

    #[test]
    fn only_parts_with_a_circuit_are_found() {
        let graph = graph(7, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (4, 6)]);
        let all: Vec<u32> = (0..7).collect();
        assert_eq!(graph.cyclic_components(&all), [vec![0, 1, 2], vec![3, 4], vec![5]]);
        assert_eq!(graph.cyclic_components(&[0, 1, 3, 4, 6]), [vec![3, 4]]);
        assert!(graph.cyclic_components(&[0, 2, 4, 6]).is_empty());
    }

    #[test]
    fn the_shortest_circuit_begins_where_it_was_asked_to() {
        let graph = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 0)]);
        let all: Vec<u32> = (0..5).collect();
        assert_eq!(graph.circuit(1, &all), Some(vec![1, 4, 0]));
        assert_eq!(graph.circuit(1, &[0, 1, 2, 3]), Some(vec![1, 2, 3, 0]));
        assert_eq!(graph.circuit(4, &[4, 2, 3]), None);
    }
}
