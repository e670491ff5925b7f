//! Directed graphs of which parts are taken away: strongly connected components and short circuits.

use std::collections::VecDeque;

/// A directed graph over `0..len`.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    successors: Vec<Vec<u32>>,
}

impl Graph {
    /// A graph without edges.
    pub(super) fn new(len: usize) -> Self {
        Graph { successors: vec![Vec::new(); len] }
    }

    /// Adds an edge.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        self.successors[from as usize].push(to);
    }

    /// How many vertices there are.
    pub(super) fn len(&self) -> usize {
        self.successors.len()
    }

    /// Where the edges of `vertex` lead.
    pub(super) fn successors(&self, vertex: u32) -> &[u32] {
        &self.successors[vertex as usize]
    }

    /// The parts of `vertices` in which each can reach each: those that hold a circuit, each
    /// sorted.
    ///
    /// Tarjan's algorithm with its own stack, so that a long chain is no deeper than a short one.
    pub(super) fn knots(&self, vertices: &[u32]) -> Vec<Vec<u32>> {
        let mut search = Search::new(self.len(), vertices);
        for &root in vertices {
            search.visit(self, root);
        }
        let mut found = search.found;
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

/// Not part of the search.
const ABSENT: u32 = u32::MAX;
/// Not reached yet.
const UNSEEN: u32 = u32::MAX - 1;

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Search {
    fn new(len: usize, vertices: &[u32]) -> Self {
        let mut order = vec![ABSENT; len];
        for &vertex in vertices {
            order[vertex as usize] = UNSEEN;
        }
        let (low, on_stack) = (vec![0; len], vec![false; len]);
        Search { order, low, on_stack, stack: Vec::new(), next: 0, found: Vec::new() }
    }

    fn visit(&mut self, graph: &Graph, root: u32) {
        if self.order[root as usize] != UNSEEN {
            return;
        }
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((vertex, edge)) = path.last_mut() {
            let vertex = *vertex;
            let Some(&next) = graph.successors(vertex).get(*edge) else {
                path.pop();
                self.leave(vertex, path.last().map(|(parent, _)| *parent));
                continue;
            };
            *edge += 1;
            match self.order[next as usize] {
                ABSENT => {}
                UNSEEN => {
                    self.enter(next);
                    path.push((next, 0));
                }
                order if self.on_stack[next as usize] => self.lower(vertex, order),
                _ => {}
            }
        }
    }

    fn enter(&mut self, vertex: u32) {
        self.order[vertex as usize] = self.next;
        self.low[vertex as usize] = self.next;
        self.next += 1;
        self.stack.push(vertex);
        self.on_stack[vertex as usize] = true;
    }

    fn lower(&mut self, vertex: u32, to: u32) {
        self.low[vertex as usize] = self.low[vertex as usize].min(to);
    }

    fn leave(&mut self, vertex: u32, parent: Option<u32>) {
        let low = self.low[vertex as usize];
        if let Some(parent) = parent {
            self.lower(parent, low);
        }
        if low == self.order[vertex as usize] {
            let start = self.stack.iter().rposition(|&other| other == vertex);
            let mut part = self.stack.split_off(start.expect("an entered vertex is on the stack"));
            for &member in &part {
                self.on_stack[member as usize] = false;
            }
            part.sort_unstable();
            self.found.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(len: usize, edges: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::new(len);
        for &(from, to) in edges {
            graph.join(from, to);
        }
        graph
    }

    #[test]
    fn only_parts_with_a_circuit_are_found() {
        let graph = graph(7, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (4, 6)]);
        let all: Vec<u32> = (0..7).collect();
        assert_eq!(graph.knots(&all), [vec![0, 1, 2], vec![3, 4], vec![5]]);
        assert_eq!(graph.knots(&[0, 1, 3, 4, 6]), [vec![3, 4]]);
        assert!(graph.knots(&[0, 2, 4, 6]).is_empty());
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
