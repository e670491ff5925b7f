//! Every scenario, in a random order without repetition.

use super::ordered::{Ledger, Ordered};
use super::{Progress, Task, UnitResult, Until};
use crate::space::Space;
use crate::statistics::omission;

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
    ledger: Ledger,
    merged: u128,
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
            ledger: Ledger::default(),
            merged: 0,
        };
        new.conclude();
        new
    }

    fn conclude(&mut self) {
        let (until, summary) = (self.options.until, &self.ledger.summary);
        self.ledger.conclusion = until.conclusion(summary, self.merged, self.end, self.total);
    }
}

impl Ordered for RandomOrder {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn next_task(&mut self) -> Option<Task> {
        let first = self.next;
        let count = (self.end - first).min(u128::from(self.options.block)) as u64;
        self.next += u128::from(count);
        (0 < count).then_some(Task::Block { seed: self.options.seed, first, count })
    }

    fn merge(&mut self, task: &Task, result: UnitResult) {
        if let Task::Block { count, .. } = task {
            self.merged += u128::from(*count);
        }
        self.ledger.summary.append(result.summary);
        self.conclude();
    }

    fn progress(&self) -> Progress {
        let omission = Some(omission(self.merged, self.total));
        Progress { omission, ..Progress::of(self.merged, self.end) }
    }
}
