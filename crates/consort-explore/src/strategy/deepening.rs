//! Iterative deepening: the shortest counter-example.

use super::exhaustive::Ranges;
use super::queue::Queue;
use super::{Conclusion, Progress, Strategy, Task, Unit, UnitResult};
use crate::space::Space;
use crate::visit::Summary;

/// How to look for the shortest counter-example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeepeningOptions {
    /// At most so many prefixes per unit.
    pub unit: u128,
    /// Not many more prefixes than this, all depths together.
    pub limit: Option<u128>,
}

/// Visits all prefixes of one letter, then of two, and so on, until one violates a property: no
/// counter-example is shorter. Beginning anew for each depth costs less than the last depth alone, and
/// needs no memory, as holding a whole frontier would.
pub struct Deepening {
    space: Space,
    options: DeepeningOptions,
    ranges: Ranges,
    queue: Queue,
    /// Of the depth that is looked at.
    summary: Summary,
    merged: u128,
    merged_here: u128,
    conclusion: Option<Conclusion>,
}

impl Deepening {
    /// A search for the shortest counter-example within the horizon.
    pub fn new(space: &Space, options: DeepeningOptions) -> Self {
        Self {
            space: space.clone(),
            options,
            ranges: ranges(space, options, 1),
            queue: Queue::default(),
            summary: Summary::default(),
            merged: 0,
            merged_here: 0,
            conclusion: None,
        }
    }

    fn merge(&mut self, unit: &Unit, result: UnitResult) {
        if let Task::Range { count, .. } = unit.task {
            self.merged += count;
            self.merged_here += count;
        }
        self.summary.append(result.summary);
        if 0 < self.summary.tally.violated {
            self.conclusion = Some(Conclusion::Violations);
        } else if self.merged_here == self.ranges.end {
            self.deepen();
        }
    }

    /// A depth without violation is done.
    fn deepen(&mut self) {
        let horizon = self.ranges.space.horizon();
        if horizon == self.space.horizon() || self.summary.tally.undecided == 0 {
            self.conclusion = Some(Conclusion::Complete);
        } else if self.options.limit.is_some_and(|limit| limit <= self.merged) {
            self.conclusion = Some(Conclusion::Limit);
        } else {
            self.summary = Summary { nodes: self.summary.nodes, ..Summary::default() };
            self.merged_here = 0;
            self.ranges = ranges(&self.space, self.options, horizon + 1);
        }
    }
}

fn ranges(space: &Space, options: DeepeningOptions, horizon: u32) -> Ranges {
    let space = space.shortened(horizon);
    let end = space.count();
    Ranges::new(space, options.unit, end)
}

impl Strategy for Deepening {
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
            self.merge(&unit, result);
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.conclusion
    }

    fn progress(&self) -> Progress {
        Progress {
            done: self.merged_here,
            total: Some(self.ranges.end),
            omission: None,
            estimate: None,
            depth: Some(self.ranges.space.horizon()),
        }
    }

    /// Of the depth that is looked at; its nodes are those of all depths.
    fn summary(&self) -> &Summary {
        &self.summary
    }
}
