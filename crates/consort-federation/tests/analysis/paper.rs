//! The paper's own transition diagrams (Reymann, Foughali and Lacroix, section III-B), word for
//! word and apart from our machine: vertices waiting, consuming and emitting, edges `be`, `snd`
//! with `recv`, `ee`, `bc`, `ec`. Ties are broken as the paper says, by `rand`, or by a fixed
//! order.

use crate::explorer::{System, explore};
use std::collections::{BTreeSet, VecDeque};

/// An output and where it leads: (node, input) pairs.
struct FlowOutput {
    first: u32,
    period: u32,
    to: Vec<(usize, usize)>,
}

/// Nodes by their outputs, and how many inputs each has.
struct Diagram {
    outputs: Vec<Vec<FlowOutput>>,
    inputs: Vec<usize>,
    /// No message is later.
    last: u32,
    capacity: usize,
    /// Whether ties are broken by `rand`, as in the paper.
    rand: bool,
}

/// Later than every timestamp.
const NEVER: u32 = u32::MAX;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Vertex {
    Waiting,
    Consuming(usize),
    Emitting(usize, BTreeSet<(usize, usize)>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    vertex: Vertex,
    /// S of each output.
    next_out: Vec<u32>,
    /// T of each input.
    next_in: Vec<u32>,
    /// B of each input: each message is the timestamp of its successor.
    buffers: Vec<VecDeque<u32>>,
    /// Which inputs were consumed, in order.
    history: Vec<usize>,
}

impl System for Diagram {
    type State = Vec<Node>;
    type Result = Vec<Vec<usize>>;

    fn start(&self) -> Vec<Node> {
        let node = |(outputs, &inputs): (&Vec<FlowOutput>, &usize)| Node {
            vertex: Vertex::Waiting,
            next_out: outputs.iter().map(|output| output.first).collect(),
            next_in: vec![NEVER; inputs],
            buffers: vec![VecDeque::new(); inputs],
            history: Vec::new(),
        };
        let mut nodes: Vec<Node> = self.outputs.iter().zip(&self.inputs).map(node).collect();
        for output in self.outputs.iter().flatten() {
            for &(node, input) in &output.to {
                nodes[node].next_in[input] = output.first;
            }
        }
        nodes
    }

    fn moves(&self, nodes: &Vec<Node>) -> Vec<Vec<Node>> {
        (0..nodes.len()).flat_map(|node| self.moves_of(nodes, node)).collect()
    }

    fn is_done(&self, nodes: &Vec<Node>) -> bool {
        let is_done = |node: &Node| node.next_out.iter().chain(&node.next_in).all(|&t| t == NEVER);
        nodes.iter().all(is_done)
    }

    fn result(&self, nodes: &Vec<Node>) -> Vec<Vec<usize>> {
        nodes.iter().map(|node| node.history.clone()).collect()
    }
}

impl Diagram {
    fn up(&self, node: usize, output: usize, now: u32) -> u32 {
        let next = now + self.outputs[node][output].period;
        if next <= self.last { next } else { NEVER }
    }

    fn moves_of(&self, nodes: &[Node], at: usize) -> Vec<Vec<Node>> {
        let node = &nodes[at];
        let change = |change: &dyn Fn(&mut Vec<Node>)| {
            let mut next = nodes.to_vec();
            change(&mut next);
            next
        };
        match &node.vertex {
            Vertex::Waiting => {
                let vertices = self.choices(node, at).into_iter();
                vertices.map(|vertex| change(&|next| next[at].vertex = vertex.clone())).collect()
            }
            Vertex::Consuming(input) if node.buffers[*input].is_empty() => Vec::new(),
            Vertex::Consuming(input) => vec![change(&|next| {
                let node = &mut next[at];
                node.next_in[*input] = node.buffers[*input].pop_front().expect("not empty");
                node.history.push(*input);
                node.vertex = Vertex::Waiting;
            })],
            Vertex::Emitting(output, left) if left.is_empty() => vec![change(&|next| {
                next[at].next_out[*output] = self.up(at, *output, node.next_out[*output]);
                next[at].vertex = Vertex::Waiting;
            })],
            Vertex::Emitting(output, left) => {
                let message = self.up(at, *output, node.next_out[*output]);
                let has_room = |&&(sink, input): &&(usize, usize)| {
                    nodes[sink].buffers[input].len() < self.capacity
                };
                let sent = left.iter().filter(has_room).map(|&(sink, input)| {
                    change(&|next| {
                        next[sink].buffers[input].push_back(message);
                        if let Vertex::Emitting(_, left) = &mut next[at].vertex {
                            left.remove(&(sink, input));
                        }
                    })
                });
                sent.collect()
            }
        }
    }

    /// Guards and operations of `be` and `bc`.
    fn choices(&self, node: &Node, at: usize) -> Vec<Vertex> {
        let least_out = node.next_out.iter().copied().min().unwrap_or(NEVER);
        let least_in = node.next_in.iter().copied().min().unwrap_or(NEVER);
        if least_out == NEVER && least_in == NEVER {
            return Vec::new();
        }
        let ties = |times: &[u32], least: u32| -> Vec<usize> {
            let all = (0..times.len()).filter(|&index| times[index] == least);
            all.take(if self.rand { times.len() } else { 1 }).collect()
        };
        if least_out <= least_in {
            let emitted = ties(&node.next_out, least_out).into_iter();
            let to = |output: usize| self.outputs[at][output].to.iter().copied().collect();
            return emitted.map(|output| Vertex::Emitting(output, to(output))).collect();
        }
        ties(&node.next_in, least_in).into_iter().map(Vertex::Consuming).collect()
    }
}

fn output(first: u32, period: u32, to: &[(usize, usize)]) -> FlowOutput {
    FlowOutput { first, period, to: to.to_vec() }
}

/// The example of section III-B2b, drawn in Fig. 5.
fn figure_5(last: u32, capacity: usize, rand: bool) -> Diagram {
    let outputs = vec![
        vec![output(0, 1, &[(1, 0), (2, 0)]), output(0, 1, &[(2, 2)])],
        vec![output(0, 1, &[(2, 1)])],
        vec![output(0, 1, &[(0, 0)])],
    ];
    Diagram { outputs, inputs: vec![1, 1, 3], last, capacity, rand }
}

#[test]
fn the_system_of_figure_5_has_this_many_states_and_never_gets_stuck() {
    let check = |(last, capacity, rand), expected| {
        let explored = explore(&figure_5(last, capacity, rand), 1_000_000).expect("few states");
        assert!(explored.deadlocks.is_empty());
        assert_eq!((explored.states, explored.ends.len()), expected);
    };
    check((2, 1, false), (2117, 1));
    check((2, 2, false), (3982, 1));
    // N3 consumes three messages at each instant, in any of six orders.
    check((0, 1, true), (1796, 6));
    check((1, 1, true), (15750, 36));
}

#[test]
fn ties_broken_by_chance_are_not_repeatable() {
    let two_sources = |rand| Diagram {
        outputs: vec![vec![output(0, 1, &[(2, 0)])], vec![output(0, 1, &[(2, 1)])], vec![]],
        inputs: vec![0, 0, 2],
        last: 2,
        capacity: 1,
        rand,
    };
    let ends = |rand| explore(&two_sources(rand), 100_000).expect("few states").ends.len();
    // At each of three instants either source may come first.
    assert_eq!(ends(true), 8);
    assert_eq!(ends(false), 1);
}
