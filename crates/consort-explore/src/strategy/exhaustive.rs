//! Every scenario, in the order of the indices.

use super::ordered::{Ledger, Sequential, Steps};
use super::{ExplorationProgress, StopRule, UnitResult, UnitTask};
use crate::space::{PrefixNode, Space};

/// How to visit everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExhaustiveOptions {
    /// At most so many scenarios per unit.
    pub unit: u128,
    /// The condition that ends the exploration.
    pub until: StopRule,
    /// Only the first scenarios.
    pub limit: Option<u128>,
}

/// Visits the scenarios depth first, each prefix once.
pub type Exhaustive = Sequential<ExhaustiveSteps>;

/// The steps of [`Exhaustive`].
pub struct ExhaustiveSteps {
    ranges: Ranges,
    until: StopRule,
    merged: u128,
}

impl Exhaustive {
    /// A visit of the whole space, or of its first scenarios.
    pub fn new(space: &Space, options: ExhaustiveOptions) -> Self {
        let end = options.limit.map_or(space.count(), |limit| limit.min(space.count()));
        let ranges = Ranges::new(space.clone(), options.unit, end);
        let steps = ExhaustiveSteps { ranges, until: options.until, merged: 0 };
        let mut ledger = Ledger::default();
        steps.conclude(&mut ledger);
        Sequential::of(steps, ledger)
    }
}

impl ExhaustiveSteps {
    fn conclude(&self, ledger: &mut Ledger) {
        let (end, total) = (self.ranges.end, self.ranges.space.count());
        ledger.conclusion = self.until.conclusion(&ledger.summary, self.merged, end, total);
    }
}

impl Steps for ExhaustiveSteps {
    fn next_task(&mut self) -> Option<UnitTask> {
        self.ranges.next_task()
    }

    fn merge(&mut self, ledger: &mut Ledger, task: &UnitTask, result: UnitResult) {
        if let UnitTask::Range { count, .. } = task {
            self.merged += count;
        }
        ledger.summary.append(result.summary);
        self.conclude(ledger);
    }

    fn progress(&self, _ledger: &Ledger) -> ExplorationProgress {
        ExplorationProgress::of(self.merged, self.ranges.end)
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

    pub(super) fn next_task(&mut self) -> Option<UnitTask> {
        if self.end <= self.next {
            return None;
        }
        let end = self.cut();
        let first = std::mem::replace(&mut self.next, end);
        Some(UnitTask::Range { horizon: self.space.horizon(), first, count: end - first })
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
            let holds =
                |child: &PrefixNode| child.first <= most && most - child.first < child.count;
            match self.space.below(node).map(|(_, child)| child).find(holds) {
                Some(child) => node = child,
                None => return most,
            }
        }
    }
}
