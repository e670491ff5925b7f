//! Directed graphs in compressed form, and their strongly connected components.

use consort_core::graph::{Lists, strong_components};

/// A directed graph over `0..len` in compressed form.
#[derive(Debug)]
pub(crate) struct Graph {
    targets: Lists,
}

impl Graph {
    /// The graph with these edges; duplicates are harmless.
    pub(crate) fn new(len: usize, edges: Vec<(u32, u32)>) -> Self {
        Graph { targets: Lists::new(len, edges) }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.targets.keys()
    }

    /// Where the edges of `node` lead, sorted.
    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        self.targets.of(node as usize)
    }

    /// The strongly connected components in topological order (sources first), each sorted.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        let all = 0..u32::try_from(self.len()).expect("nodes fit in 32 bits");
        let mut found = strong_components(self.len(), all, |node| self.successors(node));
        found.reverse();
        found
    }

    /// The same graph with every edge turned around.
    pub(crate) fn reversed(&self) -> Graph {
        let edges = self.edges().map(|(from, to)| (to, from)).collect();
        Graph::new(self.len(), edges)
    }

    /// Every edge, sorted.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        let nodes = 0..u32::try_from(self.len()).expect("nodes fit in 32 bits");
        nodes.flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// For each node its place in an order along all edges but those that close a way round when
    /// the nodes are walked depth first from the first one on.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut places = vec![UNSEEN; self.len()];
        let mut seen = vec![false; self.len()];
        let len = u32::try_from(self.len()).expect("nodes fit in 32 bits");
        let mut next = len;
        for root in 0..len {
            let mut path = Vec::new();
            if !std::mem::replace(&mut seen[root as usize], true) {
                path.push((root, 0));
            }
            while let Some((node, edge)) = path.last_mut() {
                let Some(&target) = self.successors(*node).get(*edge) else {
                    next -= 1;
                    places[*node as usize] = next;
                    path.pop();
                    continue;
                };
                *edge += 1;
                if !std::mem::replace(&mut seen[target as usize], true) {
                    path.push((target, 0));
                }
            }
        }
        places
    }

    /// Whether no path leads back to where it starts.
    pub(crate) fn is_acyclic(&self) -> bool {
        self.components().iter().all(|nodes| nodes.len() == 1)
    }
}

const UNSEEN: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found_and_sources_come_first() {
        let graph = Graph::new(5, vec![(0, 1), (1, 2), (2, 1), (2, 3), (4, 3)]);
        let components = graph.components();
        let position = |nodes: &[u32]| components.iter().position(|c| c == nodes).unwrap();
        assert!(position(&[0]) < position(&[1, 2]));
        assert!(position(&[1, 2]) < position(&[3]));
        assert!(!graph.is_acyclic());
        assert!(Graph::new(3, vec![(2, 1), (1, 0)]).is_acyclic());
    }

    #[test]
    fn the_order_follows_all_edges_but_those_that_close_a_way_round() {
        let graph = Graph::new(4, vec![(0, 1), (1, 2), (2, 0), (3, 1)]);
        let places = graph.order();
        let against = graph.edges().filter(|&(a, b)| places[b as usize] <= places[a as usize]);
        assert_eq!(against.collect::<Vec<_>>(), [(2, 0)]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let edges = (0..200_000).map(|node| (node, node + 1)).collect();
        let graph = Graph::new(200_001, edges);
        let components = graph.components();
        assert_eq!(components.len(), 200_001);
        assert_eq!(components[0], [0]);
    }
}
