//! Directed graphs in compressed form, and their strongly connected components.

/// Lists of numbers, one per key, in one array: where the edges of each vertex of a graph lead.
#[derive(Clone, Default, Debug)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// From (key, item) pairs; each list is sorted, and repeated items are dropped.
    pub fn new(keys: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; keys + 1];
        for &(key, _) in &pairs {
            starts[key as usize + 1] += 1;
        }
        for key in 0..keys {
            starts[key + 1] += starts[key];
        }
        Lists { starts, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    /// The number of lists.
    pub fn keys(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The list of a key.
    #[inline]
    pub fn of(&self, key: usize) -> &[u32] {
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

/// The parts of `vertices` in which each can reach each, without leaving `vertices`: each part sorted, and
/// every part before those that lead to it. Vertices are below `len`; `successors` gives the ends of edges.
///
/// Tarjan's algorithm with its own stack, so that a chain of a million vertices is no deeper than one
/// of ten.
pub fn strong_components<'g>(
    len: usize,
    vertices: impl IntoIterator<Item = u32> + Clone,
    successors: impl Fn(u32) -> &'g [u32],
) -> Vec<Vec<u32>> {
    let mut search = Search::new(len, vertices.clone());
    for root in vertices {
        search.visit(root, &successors);
    }
    search.found
}

/// Not part of the search.
const ABSENT: u32 = u32::MAX;
/// Marks a node that was not visited yet.
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
    fn new(len: usize, vertices: impl IntoIterator<Item = u32>) -> Self {
        let mut order = vec![ABSENT; len];
        for vertex in vertices {
            order[vertex as usize] = UNSEEN;
        }
        let (low, on_stack) = (vec![0; len], vec![false; len]);
        Search { order, low, on_stack, stack: Vec::new(), next: 0, found: Vec::new() }
    }

    fn visit<'g>(&mut self, root: u32, successors: &impl Fn(u32) -> &'g [u32]) {
        if self.order[root as usize] != UNSEEN {
            return;
        }
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((vertex, edge)) = path.last_mut() {
            let vertex = *vertex;
            let Some(&next) = successors(vertex).get(*edge) else {
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

    /// Takes a finished part off the stack if `vertex` is its root.
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
