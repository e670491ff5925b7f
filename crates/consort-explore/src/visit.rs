//! A worker's side: units of work, done over a world.
//!
//! An [`Explorer`] holds a world and does one unit after another. Snapshots are taken where the world has
//! to come back to, within a [`Budget`]; what does not fit is computed again. That changes how long it
//! takes, never what is found.

mod again;
mod expand;
mod tree;
mod wanted;

pub use crate::budget::Budget;
pub use crate::drive::{Effort, Permit, StepGuard, WorkError};
pub use crate::outcome::{
    OUTCOMES_MAX, Outcome, PropertySummary, ScenarioSummary, ScenarioVerdict, VerdictTally, Worst,
};

use crate::archive::SnapshotArchive;
use crate::drive::Drive;
use crate::order::{Permutation, draw};
use crate::sample::{Leaf, Sample};
use crate::shrink;
use crate::space::{PrefixNode, Space};
use crate::strategy::{UnitResult, UnitTask, WorkUnit};
use crate::world::World;
use expand::ChildChoice;
use wanted::Wanted;

/// Does units of work over a world.
pub struct Explorer<W: World> {
    space: Space,
    world: W,
    budget: Budget,
    effort: Effort,
    archive: SnapshotArchive<W::Saved>,
    sample: Sample,
}

impl<W: World> Explorer<W> {
    /// A worker at the start of its world.
    pub fn new(space: Space, world: W, budget: Budget) -> Self {
        let (effort, archive) = (Effort::default(), SnapshotArchive::new(budget));
        Self { space, world, budget, effort, archive, sample: Sample::NONE }
    }

    /// The same, which also reports where the scenarios of a sample ended.
    #[must_use]
    pub fn sampling(mut self, sample: Sample) -> Self {
        self.sample = sample;
        self
    }

    /// The world that is driven.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    /// What was done so far. It depends on the budget and on which units came here: no part of a result.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Does a unit of work.
    ///
    /// # Determinism
    /// The result depends on the unit and the space alone, as long as the world's restoring is exact and
    /// the guard says the same.
    ///
    /// # Errors
    /// If the world cannot be saved or brought back, or the guard stops the work. Nothing of the unit
    /// counts then; it can be done again, by a fresh worker if the world is lost.
    pub fn work(
        &mut self,
        unit: &WorkUnit,
        guard: &mut dyn StepGuard,
    ) -> Result<UnitResult, WorkError<W::Error>> {
        if !matches!(unit.task, UnitTask::Expand { .. }) {
            self.archive.clear();
        }
        match &unit.task {
            UnitTask::Range { horizon, first, count } => {
                self.range(*horizon, &Wanted::Range { first: *first, count: *count }, guard)
            }
            UnitTask::Block { seed, first, count } => {
                let permutation = Permutation::new(*seed, self.space.count());
                let places = *first..first + u128::from(*count);
                let indices = places.map(|place| permutation.at(place)).collect();
                self.range(self.space.horizon(), &Wanted::list(indices), guard)
            }
            UnitTask::Draws { seed, first, count } => {
                self.draws(*seed, *first..first + count, guard)
            }
            UnitTask::Expand { seed, children_max, prefixes } => {
                let (space, archive) = (&self.space, &mut self.archive);
                let mut drive = Drive::new(&mut self.world, &mut self.effort, guard);
                drive.sample = self.sample;
                let choice = ChildChoice { seed: *seed, children_max: *children_max };
                expand::expand(space, &mut drive, archive, prefixes, &choice)
            }
            UnitTask::Shrink { prefix, property } => {
                let (space, archive) = (&self.space, &mut self.archive);
                let mut drive = Drive::new(&mut self.world, &mut self.effort, guard);
                let shrunk = shrink::shrink(space, &mut drive, archive, prefix, *property)?;
                Ok(UnitResult { shrunk, ..UnitResult::default() })
            }
            UnitTask::Again { leaves } => {
                let mut drive = Drive::new(&mut self.world, &mut self.effort, guard);
                again::again(&mut drive, leaves)
            }
        }
    }

    /// Visits some of the scenarios, or of their beginnings.
    fn range(
        &mut self,
        horizon: u32,
        wanted: &Wanted,
        guard: &mut dyn StepGuard,
    ) -> Result<UnitResult, WorkError<W::Error>> {
        let mut summary = ScenarioSummary::default();
        let full = self.space.clone();
        let (nodes, leaves) =
            self.visit(horizon, wanted, guard, &mut |node: PrefixNode, outcome: Outcome| {
                let index = if horizon < full.horizon() {
                    full.first_below(&outcome.prefix).expect("a visited prefix is in the space")
                } else {
                    wanted.first_in(node)
                };
                let is_cut = node.depth < horizon;
                summary.count(&outcome.covering(index, wanted.count_in(node)), is_cut);
            })?;
        summary.nodes = nodes;
        Ok(UnitResult { summary, leaves, ..UnitResult::default() })
    }

    /// Visits scenarios drawn at random, in the order of their indices, and reports them in the order
    /// of their drawing.
    fn draws(
        &mut self,
        seed: u64,
        numbers: std::ops::Range<u64>,
        guard: &mut dyn StepGuard,
    ) -> Result<UnitResult, WorkError<W::Error>> {
        let total = self.space.count();
        let drawn: Vec<u128> = numbers.map(|number| draw(seed, number, total)).collect();
        let wanted = Wanted::list(drawn.clone());
        let mut judged: Vec<(PrefixNode, Outcome)> = Vec::new();
        let horizon = self.space.horizon();
        let (nodes, leaves) = self.visit(horizon, &wanted, guard, &mut |node, outcome| {
            judged.push((node, outcome));
        })?;
        let mut result = UnitResult { leaves, ..UnitResult::default() };
        for index in drawn {
            let place = judged.partition_point(|(node, _)| node.first <= index) - 1;
            let (node, outcome) = &judged[place];
            result.draws.push(outcome.verdict.letter());
            result.summary.count(&outcome.clone().covering(index, 1), node.depth < horizon);
        }
        result.summary.nodes = nodes;
        Ok(result)
    }

    fn visit(
        &mut self,
        horizon: u32,
        wanted: &Wanted,
        guard: &mut dyn StepGuard,
        record: &mut dyn FnMut(PrefixNode, Outcome),
    ) -> Result<(u128, Vec<Leaf>), WorkError<W::Error>> {
        let space = self.space.shortened(horizon);
        let mut drive = Drive::new(&mut self.world, &mut self.effort, guard);
        drive.sample = self.sample;
        let nodes = tree::visit(&space, &mut drive, self.budget, wanted, record)?;
        Ok((nodes, drive.leaves))
    }
}
