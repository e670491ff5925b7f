//! The history of a campaign: what was known after each unit, in the order of units.

use crate::sample::Leaf;
use crate::strategy::{Conclusion, ExplorationProgress, Strategy, UnitResult, WorkUnit};
use crate::visit::ScenarioSummary;
use std::collections::BTreeMap;

/// What was known after a unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Moment {
    /// How many scenarios, draws or nodes were done by then.
    pub done: u128,
    /// By property: the least robustness in this unit; `None` where nothing was judged.
    pub lowest: Vec<Option<f64>>,
    /// How many scenarios of this unit violate a property.
    pub violated: u128,
}

/// A strategy that remembers how it came to know what it knows.
///
/// # Determinism
/// Results are handed on in the order of units, whatever order they arrive in, and nothing is handed
/// on after the conclusion: the history is that of a single worker.
pub struct CampaignHistory {
    strategy: Box<dyn Strategy>,
    early: BTreeMap<u64, (WorkUnit, UnitResult)>,
    next: u64,
    moments: Vec<Moment>,
    leaves: Vec<Leaf>,
}

impl CampaignHistory {
    /// The history of `strategy`, which has offered no units yet.
    pub fn new(strategy: Box<dyn Strategy>) -> Self {
        CampaignHistory {
            strategy,
            early: BTreeMap::new(),
            next: 0,
            moments: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// One moment per unit that counts.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Where scenarios of the sample came to, in the order of units.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    fn take(&mut self, unit: &WorkUnit, mut result: UnitResult) {
        self.leaves.append(&mut result.leaves);
        let worst = |property: &crate::visit::PropertySummary| {
            property.worst.as_ref().map(|worst| worst.robustness.high)
        };
        let lowest = result.summary.properties.iter().map(worst).collect();
        let violated = result.summary.tally.violated;
        self.strategy.absorb(unit, result);
        let done = self.strategy.progress().done;
        self.moments.push(Moment { done, lowest, violated });
    }
}

impl Strategy for CampaignHistory {
    fn offer(&mut self, max: usize) -> Vec<WorkUnit> {
        self.strategy.offer(max)
    }

    fn absorb(&mut self, unit: &WorkUnit, result: UnitResult) {
        self.early.insert(unit.number, (unit.clone(), result));
        while self.strategy.conclusion().is_none() {
            let Some((unit, result)) = self.early.remove(&self.next) else { return };
            self.next += 1;
            self.take(&unit, result);
        }
    }

    fn conclusion(&self) -> Option<Conclusion> {
        self.strategy.conclusion()
    }

    fn progress(&self) -> ExplorationProgress {
        self.strategy.progress()
    }

    fn summary(&self) -> &ScenarioSummary {
        self.strategy.summary()
    }
}

/// Units that are known beforehand, whose results are wanted one by one.
#[derive(Debug, Default)]
pub struct FixedUnits {
    units: Vec<WorkUnit>,
    offered: usize,
    results: BTreeMap<u64, UnitResult>,
    summary: ScenarioSummary,
}

impl FixedUnits {
    /// The tasks become units in their order.
    pub fn new(tasks: impl IntoIterator<Item = crate::strategy::UnitTask>) -> Self {
        let unit = |(number, task)| WorkUnit { number, task };
        FixedUnits { units: (0..).zip(tasks).map(unit).collect(), ..FixedUnits::default() }
    }

    /// By task: what came of it; `None` if it was not done.
    pub fn into_results(mut self) -> Vec<Option<UnitResult>> {
        self.units.iter().map(|unit| self.results.remove(&unit.number)).collect()
    }
}

impl Strategy for FixedUnits {
    fn offer(&mut self, max: usize) -> Vec<WorkUnit> {
        let first = self.offered;
        self.offered = self.units.len().min(first + max);
        self.units[first..self.offered].to_vec()
    }

    fn absorb(&mut self, unit: &WorkUnit, result: UnitResult) {
        self.results.insert(unit.number, result);
    }

    fn conclusion(&self) -> Option<Conclusion> {
        (self.results.len() == self.units.len()).then_some(Conclusion::Complete)
    }

    fn progress(&self) -> ExplorationProgress {
        ExplorationProgress::of(self.results.len() as u128, self.units.len() as u128)
    }

    fn summary(&self) -> &ScenarioSummary {
        &self.summary
    }
}
