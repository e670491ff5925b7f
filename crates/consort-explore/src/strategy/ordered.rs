//! What strategies have in common: results arrive in any order, are merged in theirs, and nothing is
//! merged after the conclusion.

use super::{Conclusion, Progress, Strategy, Task, Unit, UnitResult};
use crate::outcome::Summary;
use std::collections::BTreeMap;

/// A strategy whose units are merged one after another.
pub(super) trait Ordered {
    /// What it came to.
    fn ledger(&self) -> &Ledger;

    /// What it came to, to go on.
    fn ledger_mut(&mut self) -> &mut Ledger;

    /// What to do next; none: wait for results. Nobody asks after the conclusion.
    fn next_task(&mut self) -> Option<Task>;

    /// Takes the result of the next task in order.
    fn merge(&mut self, task: &Task, result: UnitResult);

    /// How far it is.
    fn progress(&self) -> Progress;
}

/// What a strategy came to.
#[derive(Default)]
pub(super) struct Ledger {
    queue: Queue,
    pub(super) summary: Summary,
    pub(super) conclusion: Option<Conclusion>,
}

impl Ledger {
    /// Whether every unit that was offered is merged.
    pub(super) fn is_drained(&self) -> bool {
        self.queue.next == self.queue.offered
    }
}

impl<T: Ordered> Strategy for T {
    fn offer(&mut self, max: usize) -> Vec<Unit> {
        let mut units = Vec::new();
        while units.len() < max
            && self.ledger().conclusion.is_none()
            && let Some(task) = self.next_task()
        {
            units.push(Unit { number: self.ledger_mut().queue.number(), task });
        }
        units
    }

    fn absorb(&mut self, unit: &Unit, result: UnitResult) {
        self.ledger_mut().queue.put(unit, result);
        while self.ledger().conclusion.is_none()
            && let Some((unit, result)) = self.ledger_mut().queue.take()
        {
            self.merge(&unit.task, result);
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.ledger().conclusion
    }

    fn progress(&self) -> Progress {
        Ordered::progress(self)
    }

    fn summary(&self) -> &Summary {
        &self.ledger().summary
    }
}

/// What has arrived and cannot be merged yet.
#[derive(Default)]
struct Queue {
    offered: u64,
    next: u64,
    waiting: BTreeMap<u64, (Unit, UnitResult)>,
}

impl Queue {
    /// The number of a new unit.
    fn number(&mut self) -> u64 {
        self.offered += 1;
        self.offered - 1
    }

    /// Takes a result; one that was merged before is not merged again.
    fn put(&mut self, unit: &Unit, result: UnitResult) {
        assert!(unit.number < self.offered, "only units that were offered are done");
        if self.next <= unit.number {
            self.waiting.insert(unit.number, (unit.clone(), result));
        }
    }

    /// The next result in order, if it is there.
    fn take(&mut self) -> Option<(Unit, UnitResult)> {
        let found = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(found)
    }
}
