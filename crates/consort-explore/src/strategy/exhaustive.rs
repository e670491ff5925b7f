//! Every scenario, in the order of the indices.

use super::queue::Queue;
use super::{Conclusion, Progress, Strategy, Task, Unit, UnitResult, Until};
use crate::space::{Node, Space};
use crate::visit::Summary;

/// How to visit everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExhaustiveOptions {
    /// At most so many scenarios per unit.
    pub unit: u128,
    /// When to stop.
    pub until: Until,
    /// Only the first scenarios.
    pub limit: Option<u128>,
}

/// Visits the scenarios depth first, each prefix once.
pub struct Exhaustive {
    ranges: Ranges,
    until: Until,
    queue: Queue,
    summary: Summary,
    merged: u128,
    conclusion: Option<Conclusion>,
}

impl Exhaustive {
    /// A visit of the whole space, or of its first scenarios.
    pub fn new(space: &Space, options: ExhaustiveOptions) -> Self {
        let end = options.limit.map_or(space.count(), |limit| limit.min(space.count()));
        let mut new = Self {
            ranges: Ranges::new(space.clone(), options.unit, end),
            until: options.until,
            queue: Queue::default(),
            summary: Summary::default(),
            merged: 0,
            conclusion: None,
        };
        new.conclude();
        new
    }

    fn conclude(&mut self) {
        let (end, total) = (self.ranges.end, self.ranges.space.count());
        self.conclusion = self.until.conclusion(&self.summary, self.merged, end, total);
    }
}

impl Strategy for Exhaustive {
    fn offer(&mut self, max: usize) -> Vec<Unit> {
        if self.conclusion.is_some() {
            return Vec::new();
        }
        self.ranges.offer(max, &mut self.queue)
    }

    fn absorb(&mut self, unit: &Unit, result: UnitResult) {
        self.queue.put(unit, result);
        while self.conclusion.is_none()
            && let Some((unit, result)) = self.queue.take()
        {
            if let Task::Range { count, .. } = unit.task {
                self.merged += count;
            }
            self.summary.append(result.summary);
            self.conclude();
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.conclusion
    }

    fn progress(&self) -> Progress {
        let total = Some(self.ranges.end);
        Progress { done: self.merged, total, omission: None, estimate: None, depth: None }
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// The ranges that a space is cut into, one after another.
pub(super) struct Ranges {
    pub(super) space: Space,
    unit: u128,
    next: u128,
    pub(super) end: u128,
}

impl Ranges {
    pub(super) fn new(space: Space, unit: u128, end: u128) -> Self {
        Self { space, unit: unit.max(1), next: 0, end }
    }

    pub(super) fn offer(&mut self, max: usize, queue: &mut Queue) -> Vec<Unit> {
        let mut units = Vec::new();
        while units.len() < max && self.next < self.end {
            let cut = self.cut();
            let (first, count) = (self.next, cut - self.next);
            let task = Task::Range { horizon: self.space.horizon(), first, count };
            units.push(Unit { number: queue.number(), task });
            self.next = cut;
        }
        units
    }

    /// Where the next range ends: not past the size of a unit and, in the second half of it, where the
    /// shortest prefix changes, so that ranges share little of their way from the root.
    fn cut(&self) -> u128 {
        let most = self.next.saturating_add(self.unit);
        if self.end <= most {
            return self.end;
        }
        let least = self.next + self.unit / 2;
        let mut node = self.space.root();
        loop {
            let starts = self.space.below(node).map(|(_, child)| child.first);
            let best = starts.filter(|start| least < *start && *start <= most).max();
            if let Some(best) = best {
                return best;
            }
            let holds = |child: &Node| child.first <= most && most - child.first < child.count;
            match self.space.below(node).map(|(_, child)| child).find(holds) {
                Some(child) => node = child,
                None => return most,
            }
        }
    }
}
