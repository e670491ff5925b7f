//! What strategies have in common: results arrive in any order, are merged in theirs, and nothing is
//! merged after the conclusion.

use super::{Conclusion, ExplorationProgress, Strategy, UnitResult, UnitTask, WorkUnit};
use crate::outcome::ScenarioSummary;
use std::collections::BTreeMap;

/// A strategy whose units are merged one after another.
pub struct Sequential<S> {
    steps: S,
    ledger: Ledger,
}

impl<S: Steps> Sequential<S> {
    pub(super) fn of(steps: S, ledger: Ledger) -> Self {
        Self { steps, ledger }
    }
}

/// What one strategy does differently from the others.
pub trait Steps {
    /// The next task; none: wait for results. Not called after the conclusion.
    fn next_task(&mut self) -> Option<UnitTask>;

    /// Takes the result of the next task in order.
    fn merge(&mut self, ledger: &mut Ledger, task: &UnitTask, result: UnitResult);

    /// The progress of the exploration.
    fn progress(&self, ledger: &Ledger) -> ExplorationProgress;
}

/// The results that a strategy has merged.
#[derive(Default)]
pub struct Ledger {
    queue: MergeQueue,
    pub(super) summary: ScenarioSummary,
    pub(super) conclusion: Option<Conclusion>,
}

impl Ledger {
    /// Whether every unit that was offered is merged.
    pub(super) fn is_drained(&self) -> bool {
        self.queue.next == self.queue.offered
    }
}

impl<S: Steps> Strategy for Sequential<S> {
    fn offer(&mut self, max: usize) -> Vec<WorkUnit> {
        let mut units = Vec::new();
        while units.len() < max
            && self.ledger.conclusion.is_none()
            && let Some(task) = self.steps.next_task()
        {
            units.push(WorkUnit { number: self.ledger.queue.number(), task });
        }
        units
    }

    fn absorb(&mut self, unit: &WorkUnit, result: UnitResult) {
        self.ledger.queue.put(unit, result);
        while self.ledger.conclusion.is_none()
            && let Some((unit, result)) = self.ledger.queue.take()
        {
            self.steps.merge(&mut self.ledger, &unit.task, result);
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.ledger.conclusion
    }

    fn progress(&self) -> ExplorationProgress {
        self.steps.progress(&self.ledger)
    }

    fn summary(&self) -> &ScenarioSummary {
        &self.ledger.summary
    }
}

/// What has arrived and cannot be merged yet.
#[derive(Default)]
struct MergeQueue {
    offered: u64,
    next: u64,
    waiting: BTreeMap<u64, (WorkUnit, UnitResult)>,
}

impl MergeQueue {
    /// The number of a new unit.
    fn number(&mut self) -> u64 {
        self.offered += 1;
        self.offered - 1
    }

    /// Takes a result; one that was merged before is not merged again.
    fn put(&mut self, unit: &WorkUnit, result: UnitResult) {
        assert!(unit.number < self.offered, "only units that were offered are done");
        if self.next <= unit.number {
            self.waiting.insert(unit.number, (unit.clone(), result));
        }
    }

    /// The next result in order, if it is there.
    fn take(&mut self) -> Option<(WorkUnit, UnitResult)> {
        let found = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(found)
    }
}
