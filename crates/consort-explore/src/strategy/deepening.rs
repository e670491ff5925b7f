//! Iterative deepening: the shortest counter-example.

use super::exhaustive::Ranges;
use super::ordered::{Ledger, Sequential, Steps};
use super::{Conclusion, ExplorationProgress, UnitResult, UnitTask};
use crate::outcome::ScenarioSummary;
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
///
/// The summary is that of the present depth, but for its nodes: those are of all depths.
pub type Deepening = Sequential<DeepeningSteps>;

/// The steps of [`Deepening`].
pub struct DeepeningSteps {
    space: Space,
    options: DeepeningOptions,
    ranges: Ranges,
    merged: u128,
    merged_here: u128,
}

impl Deepening {
    /// A search for the shortest counter-example within the horizon.
    pub fn new(space: &Space, options: DeepeningOptions) -> Self {
        let ranges = ranges(space, options, 1);
        let steps =
            DeepeningSteps { space: space.clone(), options, ranges, merged: 0, merged_here: 0 };
        Sequential::of(steps, Ledger::default())
    }
}

impl DeepeningSteps {
    /// A depth without violation is done.
    fn deepen(&mut self, ledger: &mut Ledger) {
        let horizon = self.ranges.space.horizon();
        if horizon == self.space.horizon() || ledger.summary.tally.undecided == 0 {
            ledger.conclusion = Some(Conclusion::Complete);
        } else if self.options.limit.is_some_and(|limit| limit <= self.merged) {
            ledger.conclusion = Some(Conclusion::Limit);
        } else {
            ledger.summary =
                ScenarioSummary { nodes: ledger.summary.nodes, ..ScenarioSummary::default() };
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

impl Steps for DeepeningSteps {
    fn next_task(&mut self) -> Option<UnitTask> {
        self.ranges.next_task()
    }

    fn merge(&mut self, ledger: &mut Ledger, task: &UnitTask, result: UnitResult) {
        if let UnitTask::Range { count, .. } = task {
            self.merged += count;
            self.merged_here += count;
        }
        ledger.summary.append(result.summary);
        if 0 < ledger.summary.tally.violated {
            ledger.conclusion = Some(Conclusion::Violations);
        } else if self.merged_here == self.ranges.end {
            self.deepen(ledger);
        }
    }

    fn progress(&self, _ledger: &Ledger) -> ExplorationProgress {
        let depth = Some(self.ranges.space.horizon());
        ExplorationProgress { depth, ..ExplorationProgress::of(self.merged_here, self.ranges.end) }
    }
}
