//! Results that arrive in any order and are taken in theirs.

use super::{Unit, UnitResult};
use std::collections::BTreeMap;

/// What has arrived and cannot be merged yet.
#[derive(Default)]
pub(super) struct Queue {
    offered: u64,
    next: u64,
    waiting: BTreeMap<u64, (Unit, UnitResult)>,
}

impl Queue {
    /// The number of a new unit.
    pub(super) fn number(&mut self) -> u64 {
        self.offered += 1;
        self.offered - 1
    }

    /// Whether every unit that was offered is merged.
    pub(super) fn is_drained(&self) -> bool {
        self.next == self.offered
    }

    /// Takes a result; one that was merged before is not merged again.
    pub(super) fn put(&mut self, unit: &Unit, result: UnitResult) {
        assert!(unit.number < self.offered, "only units that were offered are done");
        if self.next <= unit.number {
            self.waiting.insert(unit.number, (unit.clone(), result));
        }
    }

    /// The next result in order, if it is there.
    pub(super) fn take(&mut self) -> Option<(Unit, UnitResult)> {
        let found = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(found)
    }
}
