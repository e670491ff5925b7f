//! Where a loop is cut: few connections such that every way round passes one of them.
//!
//! Walks through the loop depth first. Whenever the walk meets itself, connections are cut such
//! that no way round passes the edge that closed it. Which ones depends on where the walk
//! starts: small loops are walked from every input and the smallest cut is kept. Finding the least
//! cut of all is hard in general (minimum feedback arc set).

use super::{Circle, SMALL, without};
use crate::graph::Graph;
use crate::nodes::Node;

/// How often a large loop is walked.
const STARTS_MAX: usize = 4;

pub(super) fn find(circle: &Circle<'_>) -> Vec<(u32, u32)> {
    let reversed = circle.local.reversed();
    let len = u32::try_from(circle.members.len()).expect("no more members than nodes");
    let starts = (0..len).filter(|&position| circle.is_set(position));
    let tries = if circle.members.len() <= SMALL { usize::MAX } else { STARTS_MAX };
    let cuts = starts.take(tries).map(|start| {
        let mut walk = Walk::new(circle, &reversed);
        walk.from(start);
        walk.cut.sort_unstable();
        walk.cut.dedup();
        walk.cut
    });
    let best = cuts.min_by_key(Vec::len).expect("every loop passes an input");
    if circle.members.len() <= SMALL { thinned(circle, best) } else { best }
}

/// The cut less what is not needed, one after another.
fn thinned(circle: &Circle<'_>, mut cut: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut index = 0;
    while index < cut.len() {
        let edge = cut.remove(index);
        if !without(&circle.local, &cut).is_acyclic() {
            cut.insert(index, edge);
            index += 1;
        }
    }
    cut
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Open,
    Done,
}

struct Walk<'a, 'b> {
    circle: &'a Circle<'b>,
    reversed: &'a Graph,
    state: Vec<State>,
    cut: Vec<(u32, u32)>,
}

impl<'a, 'b> Walk<'a, 'b> {
    fn new(circle: &'a Circle<'b>, reversed: &'a Graph) -> Self {
        let state = vec![State::Unseen; circle.members.len()];
        Walk { circle, reversed, state, cut: Vec::new() }
    }

    /// Every member can be reached from every other, so one start is enough.
    fn from(&mut self, start: u32) {
        let mut path = vec![(start, 0)];
        self.state[start as usize] = State::Open;
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            let Some(&next) = self.circle.local.successors(node).get(*edge) else {
                self.state[node as usize] = State::Done;
                path.pop();
                continue;
            };
            *edge += 1;
            match self.state[next as usize] {
                State::Unseen => {
                    self.state[next as usize] = State::Open;
                    path.push((next, 0));
                }
                State::Open => self.close(node, next),
                State::Done => {}
            }
        }
    }

    /// Cuts every way round through the edge from `last` to `first`.
    fn close(&mut self, last: u32, first: u32) {
        let circle = self.circle;
        match (circle.node(last), circle.node(first)) {
            (Node::Get(..), Node::Set(..)) => self.cut.push((last, first)),
            (Node::Set(..), _) if !self.follows_step(last) => self.cut_before(last),
            (_, Node::Get(..)) => self.cut_after(first),
            (_, Node::Inputs(_)) => {
                for &get in circle.local.successors(first) {
                    self.cut_after(get);
                }
            }
            _ => {
                for &set in self.reversed.successors(last) {
                    self.cut_before(set);
                }
            }
        }
    }

    /// Whether an input waits for its own component's step, so that cutting its wires is not enough.
    fn follows_step(&self, set: u32) -> bool {
        let before = self.reversed.successors(set);
        before.iter().any(|&node| matches!(self.circle.node(node), Node::Step(_)))
    }

    fn cut_before(&mut self, set: u32) {
        let gets = self.reversed.successors(set).iter();
        let gets = gets.filter(|&&node| self.circle.is_get(node) && self.circle.is_set(set));
        self.cut.extend(gets.map(|&get| (get, set)));
    }

    fn cut_after(&mut self, get: u32) {
        self.cut.extend(self.circle.local.successors(get).iter().map(|&set| (get, set)));
    }
}
