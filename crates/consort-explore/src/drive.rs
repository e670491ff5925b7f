//! Drives a world through choices, evaluates its monitors, and counts the effort.

use crate::explanation::DifferenceExplanation;
use crate::sample::{Leaf, Sample};
use crate::space::PrefixNode;
use crate::world::{PrefixEvaluation, World};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What driving a world took. No part of a result: it depends on the budget of snapshots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort {
    /// Number of periods simulated.
    pub steps: u64,
    /// Number of snapshots taken.
    pub saves: u64,
    /// Snapshots gone back to.
    pub restores: u64,
    /// Times it was brought back to the start.
    pub resets: u64,
    /// Number of snapshots held now.
    pub snapshots: u64,
    /// Bytes held now that no other snapshot holds.
    pub bytes: u64,
    /// Snapshots held at most at once.
    pub snapshots_most: u64,
    /// Bytes held at most at once.
    pub bytes_most: u64,
}

impl Effort {
    /// What two workers did; what both held at most is what they held together.
    #[must_use]
    pub fn plus(&self, other: &Effort) -> Effort {
        Effort {
            steps: self.steps + other.steps,
            saves: self.saves + other.saves,
            restores: self.restores + other.restores,
            resets: self.resets + other.resets,
            snapshots: self.snapshots + other.snapshots,
            bytes: self.bytes + other.bytes,
            snapshots_most: self.snapshots_most + other.snapshots_most,
            bytes_most: self.bytes_most + other.bytes_most,
        }
    }

    pub(crate) fn hold(&mut self, snapshots: usize, bytes: u64) {
        (self.snapshots, self.bytes) = (snapshots as u64, bytes);
        self.snapshots_most = self.snapshots_most.max(self.snapshots);
        self.bytes_most = self.bytes_most.max(bytes);
    }
}

/// Watches the work, and may refuse a part of it.
pub trait StepGuard {
    /// The world is about to take the last letter of `prefix`. If it does not come back, this is the
    /// scenario that caused it.
    fn before(&mut self, prefix: &[u32]) -> Permit;
}

/// Permits every step.
impl StepGuard for () {
    fn before(&mut self, _prefix: &[u32]) -> Permit {
        Permit::Go
    }
}

/// The answer of a step guard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Permit {
    /// Continue.
    Go,
    /// Leave out all scenarios that begin like this: they have failed, for this reason.
    Skip(String),
    /// End the work on this unit.
    Stop,
}

/// Why a unit was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WorkError<E> {
    /// The world could not be saved or brought back. Use a fresh one.
    World(E),
    /// A prefix that could be simulated before cannot be simulated again: the world does not repeat.
    NotRepeated {
        /// The letters of the prefix.
        prefix: Vec<u32>,
        /// The error of this attempt.
        error: E,
    },
    /// The step guard stopped the work; the unit is to be done again later.
    Stopped,
}

impl<E: fmt::Display> fmt::Display for WorkError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkError::World(error) => write!(f, "{error}"),
            WorkError::NotRepeated { prefix, error } => {
                write!(f, "the choices {prefix:?} worked before and do not work again: {error}")
            }
            WorkError::Stopped => write!(f, "the work was stopped"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for WorkError<E> {}

/// A world at work.
pub(crate) struct Drive<'a, W: World> {
    world: &'a mut W,
    effort: &'a mut Effort,
    guard: &'a mut dyn StepGuard,
    pub(crate) sample: Sample,
    /// Where the scenarios of the sample came to.
    pub(crate) leaves: Vec<Leaf>,
}

/// What a letter led to.
pub(crate) enum Taken {
    Evaluation(PrefixEvaluation),
    Failed(String),
}

impl<'a, W: World> Drive<'a, W> {
    pub(crate) fn new(
        world: &'a mut W,
        effort: &'a mut Effort,
        guard: &'a mut dyn StepGuard,
    ) -> Self {
        Self { world, effort, guard, sample: Sample::NONE, leaves: Vec::new() }
    }

    /// Asks whether the last letter of `prefix` may be taken; the reason if not.
    pub(crate) fn ask(&mut self, prefix: &[u32]) -> Result<Option<String>, WorkError<W::Error>> {
        match self.guard.before(prefix) {
            Permit::Go => Ok(None),
            Permit::Skip(reason) => Ok(Some(reason)),
            Permit::Stop => Err(WorkError::Stopped),
        }
    }

    /// Takes the last letter of `prefix`. What fails for a reason outside of the world is no result.
    pub(crate) fn take(&mut self, prefix: &[u32]) -> Result<Taken, WorkError<W::Error>> {
        self.effort.steps += 1;
        match self.world.choose(*prefix.last().expect("the root is not led to by a letter")) {
            Ok(evaluation) => Ok(Taken::Evaluation(evaluation)),
            Err(error) if self.world.is_accident(&error) => Err(WorkError::World(error)),
            Err(error) => Ok(Taken::Failed(error.to_string())),
        }
    }

    /// Notes where the world is, if the sample has a scenario of this node.
    pub(crate) fn note(&mut self, node: PrefixNode, prefix: &[u32], evaluation: &PrefixEvaluation) {
        if self.sample.picks(node.first, node.count) {
            self.leaves.push(Leaf::new(prefix, self.world.marks(), evaluation));
        }
    }

    /// Begins anew, without any restored state.
    pub(crate) fn renew(&mut self) -> Result<(), WorkError<W::Error>> {
        self.world.renew().map_err(WorkError::World)
    }

    pub(crate) fn marks(&self) -> Vec<u64> {
        self.world.marks()
    }

    pub(crate) fn explain(&mut self, leaf: &Leaf) -> DifferenceExplanation {
        self.world.explain(&leaf.prefix, &leaf.marks)
    }

    /// Takes the letters after the first `from` again.
    pub(crate) fn repeat(
        &mut self,
        prefix: &[u32],
        from: usize,
    ) -> Result<(), WorkError<W::Error>> {
        for length in from..prefix.len() {
            self.ask(&prefix[..=length])?;
            self.effort.steps += 1;
            self.world.choose(prefix[length]).map_err(|error| WorkError::NotRepeated {
                prefix: prefix[..=length].to_vec(),
                error,
            })?;
        }
        Ok(())
    }

    pub(crate) fn reset(&mut self) -> Result<(), WorkError<W::Error>> {
        self.effort.resets += 1;
        self.world.reset().map_err(WorkError::World)
    }

    /// Saves the world; with the bytes that no other snapshot holds.
    pub(crate) fn save(&mut self) -> Result<(W::Saved, u64), WorkError<W::Error>> {
        self.effort.saves += 1;
        let saved = self.world.save().map_err(WorkError::World)?;
        let bytes = self.world.unshared_bytes(&saved);
        Ok((saved, bytes))
    }

    pub(crate) fn restore(&mut self, saved: &W::Saved) -> Result<(), WorkError<W::Error>> {
        self.effort.restores += 1;
        self.world.restore(saved).map_err(WorkError::World)
    }

    pub(crate) fn fingerprint(&mut self) -> Option<u128> {
        self.world.fingerprint()
    }

    pub(crate) fn hold(&mut self, snapshots: usize, bytes: u64) {
        self.effort.hold(snapshots, bytes);
    }
}
