//! Every scenario, in a random order without repetition.

use super::ordered::{Ledger, Sequential, Steps};
use super::{ExplorationProgress, StopRule, UnitResult, UnitTask};
use crate::space::Space;
use crate::statistics::omission;

/// How to visit everything in a random order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomOptions {
    /// What the order is made from.
    pub seed: u64,
    /// So many scenarios are visited together, in the order of their prefixes; one unit each.
    pub block: u64,
    /// The condition that ends the exploration.
    pub until: StopRule,
    /// Only so many scenarios.
    pub limit: Option<u128>,
}

/// Visits the scenarios in a random order; the probability of having missed a violation falls evenly from
/// one to zero, whatever the violations are.
pub type RandomOrder = Sequential<RandomOrderSteps>;

/// The steps of [`RandomOrder`].
pub struct RandomOrderSteps {
    total: u128,
    end: u128,
    options: RandomOptions,
    next: u128,
    merged: u128,
}

impl RandomOrder {
    /// A visit of the whole space, or of some of it.
    pub fn new(space: &Space, options: RandomOptions) -> Self {
        let total = space.count();
        let end = options.limit.map_or(total, |limit| limit.min(total));
        let options = RandomOptions { block: options.block.max(1), ..options };
        let steps = RandomOrderSteps { total, end, options, next: 0, merged: 0 };
        let mut ledger = Ledger::default();
        steps.conclude(&mut ledger);
        Sequential::of(steps, ledger)
    }
}

impl RandomOrderSteps {
    fn conclude(&self, ledger: &mut Ledger) {
        let (until, summary) = (self.options.until, &ledger.summary);
        ledger.conclusion = until.conclusion(summary, self.merged, self.end, self.total);
    }
}

impl Steps for RandomOrderSteps {
    fn next_task(&mut self) -> Option<UnitTask> {
        let first = self.next;
        let count = (self.end - first).min(u128::from(self.options.block)) as u64;
        self.next += u128::from(count);
        (0 < count).then_some(UnitTask::Block { seed: self.options.seed, first, count })
    }

    fn merge(&mut self, ledger: &mut Ledger, task: &UnitTask, result: UnitResult) {
        if let UnitTask::Block { count, .. } = task {
            self.merged += u128::from(*count);
        }
        ledger.summary.append(result.summary);
        self.conclude(ledger);
    }

    fn progress(&self, _ledger: &Ledger) -> ExplorationProgress {
        let omission = Some(omission(self.merged, self.total));
        ExplorationProgress { omission, ..ExplorationProgress::of(self.merged, self.end) }
    }
}
