//! Strongly connected components and levels of a small directed graph.

/// A directed graph over `0..len` in compressed form.
pub(crate) struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph with these edges; duplicates are harmless.
    pub(crate) fn new(len: usize, mut edges: Vec<(u32, u32)>) -> Self {
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; len + 1];
        for &(from, _) in &edges {
            starts[from as usize + 1] += 1;
        }
        for index in 0..len {
            starts[index + 1] += starts[index];
        }
        Graph { starts, targets: edges.into_iter().map(|(_, to)| to).collect() }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The strongly connected components in topological order (sources first), each sorted.
    ///
    /// Tarjan's algorithm with its own stack, so that a chain of a million nodes is no deeper than
    /// one of ten.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        let mut search = Search::new(self.len());
        for root in 0..self.len() {
            search.visit(self, u32::try_from(root).expect("nodes fit in 32 bits"));
        }
        search.found.reverse();
        search.found
    }

    /// For each component of `components`, the length of the longest path that leads to it.
    pub(crate) fn levels(&self, components: &[Vec<u32>]) -> Vec<u32> {
        let mut component_of = vec![0u32; self.len()];
        for (index, nodes) in components.iter().enumerate() {
            for &node in nodes {
                component_of[node as usize] = u32::try_from(index).expect("fits like the nodes");
            }
        }
        let mut levels = vec![0; components.len()];
        for (index, nodes) in components.iter().enumerate() {
            let reached = nodes.iter().flat_map(|&node| self.successors(node));
            for &target in reached {
                let target = component_of[target as usize] as usize;
                if target != index {
                    levels[target] = levels[target].max(levels[index] + 1);
                }
            }
        }
        levels
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Search {
    fn new(len: usize) -> Self {
        Search {
            order: vec![UNSEEN; len],
            low: vec![0; len],
            on_stack: vec![false; len],
            stack: Vec::new(),
            next: 0,
            found: Vec::new(),
        }
    }

    fn visit(&mut self, graph: &Graph, root: u32) {
        if self.order[root as usize] != UNSEEN {
            return;
        }
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        self.open(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            match graph.successors(node).get(*edge) {
                Some(&target) => {
                    *edge += 1;
                    if self.order[target as usize] == UNSEEN {
                        self.open(target);
                        path.push((target, 0));
                    } else if self.on_stack[target as usize] {
                        self.lower(node, self.order[target as usize]);
                    }
                }
                None => {
                    path.pop();
                    self.close(node);
                    if let Some(&(parent, _)) = path.last() {
                        self.lower(parent, self.low[node as usize]);
                    }
                }
            }
        }
    }

    fn open(&mut self, node: u32) {
        self.order[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn lower(&mut self, node: u32, value: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(value);
    }

    /// Takes a finished component off the stack if `node` is its root.
    fn close(&mut self, node: u32) {
        if self.low[node as usize] != self.order[node as usize] {
            return;
        }
        let start = self.stack.iter().rposition(|&other| other == node);
        let mut nodes = self.stack.split_off(start.expect("the root is on the stack"));
        for &member in &nodes {
            self.on_stack[member as usize] = false;
        }
        nodes.sort_unstable();
        self.found.push(nodes);
    }
}

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
        let levels = graph.levels(&components);
        assert_eq!(levels[position(&[3])], 2);
        assert_eq!(levels[position(&[4])], 0);
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
