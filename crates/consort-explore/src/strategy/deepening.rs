//! Iterative deepening: the shortest counter-example.

use super::exhaustive::Ranges;
use super::ordered::{Ledger, Ordered};
use super::{Conclusion, Progress, Task, UnitResult};
use crate::outcome::Summary;
use crate::space::Space;

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
    /// Its summary is of the depth that is looked at, but for its nodes: those are of all depths.
    ledger: Ledger,
    merged: u128,
    merged_here: u128,
}

impl Deepening {
    /// A search for the shortest counter-example within the horizon.
    pub fn new(space: &Space, options: DeepeningOptions) -> Self {
        Self {
            space: space.clone(),
            options,
            ranges: ranges(space, options, 1),
            ledger: Ledger::default(),
            merged: 0,
            merged_here: 0,
        }
    }

    /// A depth without violation is done.
    fn deepen(&mut self) {
        let (horizon, ledger) = (self.ranges.space.horizon(), &mut self.ledger);
        if horizon == self.space.horizon() || ledger.summary.tally.undecided == 0 {
            ledger.conclusion = Some(Conclusion::Complete);
        } else if self.options.limit.is_some_and(|limit| limit <= self.merged) {
            ledger.conclusion = Some(Conclusion::Limit);
        } else {
            ledger.summary = Summary { nodes: ledger.summary.nodes, ..Summary::default() };
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

impl Ordered for Deepening {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn next_task(&mut self) -> Option<Task> {
        self.ranges.next_task()
    }

    fn merge(&mut self, task: &Task, result: UnitResult) {
        if let Task::Range { count, .. } = task {
            self.merged += count;
            self.merged_here += count;
        }
        self.ledger.summary.append(result.summary);
        if 0 < self.ledger.summary.tally.violated {
            self.ledger.conclusion = Some(Conclusion::Violations);
        } else if self.merged_here == self.ranges.end {
            self.deepen();
        }
    }

    fn progress(&self) -> Progress {
        let depth = Some(self.ranges.space.horizon());
        Progress { depth, ..Progress::of(self.merged_here, self.ranges.end) }
    }
}
