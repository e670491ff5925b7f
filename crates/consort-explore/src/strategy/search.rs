//! Search for a violation: first where the robustness is least.

mod frontier;

use super::ordered::{Ledger, Sequential, Steps};
use super::{Conclusion, ExplorationProgress, StopRule, UnitResult, UnitTask};
use crate::space::Space;
use frontier::{Candidate, Frontier};
use std::collections::VecDeque;

/// Which nodes to continue from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// The best of all nodes known, wherever they are.
    BestFirst {
        /// The number of nodes that are expanded at a time.
        batch: u32,
        /// At most so many are kept for later; the worst are left out.
        frontier_max: u32,
    },
    /// The best of those with equally many letters.
    Beam {
        /// The number of nodes that are kept per generation.
        width: u32,
    },
}

/// Options of the strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// What equally good nodes are ordered with, and children are chosen with.
    pub seed: u64,
    /// Which nodes to continue from.
    pub kind: SearchKind,
    /// At most so many children of each node; all of them if not given.
    pub children_max: Option<u32>,
    /// So many nodes are expanded per unit.
    pub unit: u32,
    /// The condition that ends the exploration.
    pub until: StopRule,
    /// Stops after the generation in which this many nodes are reached.
    pub nodes_max: u128,
    /// Continues from one only of several nodes that have the same future.
    pub merge_equal: bool,
}

/// Continues from the nodes with the least robustness, generation by generation: a generation is chosen
/// when all of the one before is known, so that it does not matter who was fast.
pub type Search = Sequential<SearchSteps>;

/// The steps of [`Search`].
pub struct SearchSteps {
    space: Space,
    options: SearchOptions,
    frontier: Frontier,
    /// The tasks of this generation that are not offered yet.
    offered: VecDeque<UnitTask>,
}

impl Search {
    /// A search from the root.
    pub fn new(space: &Space, options: SearchOptions) -> Self {
        let mut steps = SearchSteps {
            space: space.clone(),
            options,
            frontier: Frontier::new(options.merge_equal),
            offered: VecDeque::new(),
        };
        steps.expand(vec![Vec::new()]);
        Sequential::of(steps, Ledger::default())
    }
}

impl SearchSteps {
    /// Makes the units of a generation.
    fn expand(&mut self, mut prefixes: Vec<Vec<u32>>) {
        // Neighbors share prefixes: together they need fewer snapshots.
        prefixes.sort_unstable();
        let SearchOptions { seed, children_max, unit, .. } = self.options;
        for prefixes in prefixes.chunks(unit.max(1) as usize) {
            let prefixes = prefixes.to_vec();
            self.offered.push_back(UnitTask::Expand { seed, children_max, prefixes });
        }
    }

    fn next_generation(&mut self, ledger: &mut Ledger) {
        let chosen = match self.options.kind {
            SearchKind::BestFirst { batch, frontier_max } => {
                self.frontier.keep(frontier_max.max(1));
                self.frontier.pop(batch.max(1))
            }
            SearchKind::Beam { width } => {
                self.frontier.keep(width.max(1));
                self.frontier.pop(width.max(1))
            }
        };
        let Ledger { summary, conclusion, .. } = ledger;
        if self.options.until.is_reached(summary) {
            *conclusion = Some(Conclusion::Violations);
        } else if chosen.is_empty() {
            let is_all = summary.tally.total() == self.space.count();
            *conclusion = Some(if is_all { Conclusion::Complete } else { Conclusion::Exhausted });
        } else if self.options.nodes_max <= summary.nodes {
            *conclusion = Some(Conclusion::Limit);
        } else {
            self.expand(chosen);
        }
    }
}

impl Steps for SearchSteps {
    fn next_task(&mut self) -> Option<UnitTask> {
        self.offered.pop_front()
    }

    fn merge(&mut self, ledger: &mut Ledger, _task: &UnitTask, result: UnitResult) {
        ledger.summary.append(result.summary);
        for reached in result.reached {
            if !reached.is_end {
                self.frontier.push(Candidate::new(&reached, self.options.seed), &reached);
            }
        }
        if self.offered.is_empty() && ledger.is_drained() {
            self.next_generation(ledger);
        }
    }

    fn progress(&self, ledger: &Ledger) -> ExplorationProgress {
        let depth = Some(self.frontier.depth());
        ExplorationProgress {
            depth,
            ..ExplorationProgress::of(ledger.summary.nodes, self.options.nodes_max)
        }
    }
}
