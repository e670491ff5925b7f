//! Every scenario, in a random order without repetition.

use super::queue::Queue;
use super::{Conclusion, Progress, Strategy, Task, Unit, UnitResult, Until};
use crate::space::Space;
use crate::statistics::omission;
use crate::visit::Summary;

/// How to visit everything in a random order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomOptions {
    /// What the order is made from.
    pub seed: u64,
    /// So many scenarios are visited together, in the order of their prefixes; one unit each.
    pub block: u64,
    /// When to stop.
    pub until: Until,
    /// Only so many scenarios.
    pub limit: Option<u128>,
}

/// Visits the scenarios in a random order; the probability of having missed a violation falls evenly from
/// one to zero, whatever the violations are.
pub struct RandomOrder {
    total: u128,
    end: u128,
    options: RandomOptions,
    next: u128,
    queue: Queue,
    summary: Summary,
    merged: u128,
    conclusion: Option<Conclusion>,
}

impl RandomOrder {
    /// A visit of the whole space, or of some of it.
    pub fn new(space: &Space, options: RandomOptions) -> Self {
        let total = space.count();
        let end = options.limit.map_or(total, |limit| limit.min(total));
        let mut new = Self {
            total,
            end,
            options: RandomOptions { block: options.block.max(1), ..options },
            next: 0,
            queue: Queue::default(),
            summary: Summary::default(),
            merged: 0,
            conclusion: None,
        };
        new.conclude();
        new
    }

    fn conclude(&mut self) {
        let until = self.options.until;
        self.conclusion = until.conclusion(&self.summary, self.merged, self.end, self.total);
    }
}

impl Strategy for RandomOrder {
    fn offer(&mut self, max: usize) -> Vec<Unit> {
        let mut units = Vec::new();
        while units.len() < max && self.next < self.end && self.conclusion.is_none() {
            let first = self.next;
            let count = (self.end - first).min(u128::from(self.options.block)) as u64;
            let task = Task::Block { seed: self.options.seed, first, count };
            units.push(Unit { number: self.queue.number(), task });
            self.next += u128::from(count);
        }
        units
    }

    fn absorb(&mut self, unit: &Unit, result: UnitResult) {
        self.queue.put(unit, result);
        while self.conclusion.is_none()
            && let Some((unit, result)) = self.queue.take()
        {
            if let Task::Block { count, .. } = unit.task {
                self.merged += u128::from(count);
            }
            self.summary.append(result.summary);
            self.conclude();
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.conclusion
    }

    fn progress(&self) -> Progress {
        Progress {
            done: self.merged,
            total: Some(self.end),
            omission: Some(omission(self.merged, self.total)),
            estimate: None,
            depth: None,
        }
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
}
