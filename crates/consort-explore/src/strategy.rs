//! Which scenarios to run, in which order, and when enough is known.
//!
//! A [`Strategy`] cuts its work into [`WorkUnit`]s: small values that say what to do and depend on nothing
//! but the strategy's options and the results of units that came before. Whatever worker does them, and in whatever
//! order the results arrive, they are merged in the order of their numbers, and every decision is made at
//! a point of that order. So a conclusion does not depend on the number of workers, and a strategy needs
//! no state on disk: made again and fed with the results of before, it is where it was.

mod deepening;
mod exhaustive;
mod monte_carlo;
mod ordered;
mod random;
mod search;

pub use deepening::{Deepening, DeepeningOptions};
pub use exhaustive::{Exhaustive, ExhaustiveOptions};
pub use monte_carlo::{Goal, MonteCarlo, MonteCarloOptions};
pub use random::{RandomOptions, RandomOrder};
pub use search::{Search, SearchKind, SearchOptions};

use crate::exact;
use crate::outcome::ScenarioSummary;
use crate::sample::{Leaf, RerunDifference};
use crate::shrink::Shrunk;
use crate::world::RobustnessInterval;
use serde::{Deserialize, Serialize};

/// A piece of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkUnit {
    /// Its place in the order of merging, from zero.
    pub number: u64,
    /// The task of the unit.
    pub task: UnitTask,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnitTask {
    /// Visit a range of scenarios, or of their beginnings of `horizon` letters.
    Range {
        /// The number of letters of a scenario.
        horizon: u32,
        /// The first index.
        #[serde(with = "exact")]
        first: u128,
        /// The number of scenarios.
        #[serde(with = "exact")]
        count: u128,
    },
    /// Visit the scenarios at some places of a random order.
    Block {
        /// What the order is made from.
        seed: u64,
        /// The first place.
        #[serde(with = "exact")]
        first: u128,
        /// The number of places.
        count: u64,
    },
    /// Visit scenarios drawn at random, with repetition.
    Draws {
        /// The seed of the draws.
        seed: u64,
        /// The number of the first draw.
        first: u64,
        /// The number of draws.
        count: u64,
    },
    /// Visit the children of prefixes.
    Expand {
        /// What children are chosen with, if not all are visited.
        seed: u64,
        /// At most so many children of each.
        children_max: Option<u32>,
        /// The nodes whose children are visited.
        prefixes: Vec<Vec<u32>>,
    },
    /// Find a simpler scenario that violates the same property.
    Shrink {
        /// The letters that violate it.
        prefix: Vec<u32>,
        /// The property's place in the campaign.
        property: usize,
    },
    /// Run scenarios again from their start, without any restored state.
    Again {
        /// Which, and where each came to.
        leaves: Vec<Leaf>,
    },
}

/// What a unit of work found: the same bits, whichever worker did it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct UnitResult {
    /// Of the scenarios that were judged.
    pub summary: ScenarioSummary,
    /// Of [`UnitTask::Draws`]: what became of each draw, in order: `h`olds, `v`iolated, `u`ndecided, `f`ailed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub draws: String,
    /// Of [`UnitTask::Expand`]: the children, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Reached>,
    /// Of [`UnitTask::Shrink`]: what it came to, if the given letters violate the property at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Shrunk>,
    /// Where the scenarios came to that may be run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<Leaf>,
    /// Of [`UnitTask::Again`]: those that came to another place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<RerunDifference>,
}

/// A node that a search came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reached {
    /// The letters that lead to it.
    pub prefix: Vec<u32>,
    /// By property, as far as it is known there; empty if it failed.
    pub robustness: Vec<RobustnessInterval>,
    /// Nothing is below it, or nothing below it can change what is known.
    pub is_end: bool,
    /// The name of what the space allows after it.
    pub state: u32,
    /// See [`World::fingerprint`](crate::world::World::fingerprint).
    #[serde(with = "exact::optional")]
    pub fingerprint: Option<u128>,
}

/// When enough violations were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopRule {
    /// Never: everything is visited.
    Complete,
    /// After the unit in which this many are reached.
    Violations(u64),
}

/// How a campaign ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Every scenario of the space was judged.
    Complete,
    /// As many violations were found as were asked for.
    Violations,
    /// As much was done as was asked for.
    Limit,
    /// The search has no node left that it kept, and left some out.
    Exhausted,
    /// A sequential test found violations to be at most as likely as its lower bound.
    Accepted,
    /// A sequential test found violations to be at least as likely as its upper bound.
    Rejected,
}

/// How far a campaign is, judged by the units merged so far.
#[derive(Clone, PartialEq, Debug)]
pub struct ExplorationProgress {
    /// Scenarios judged; draws for Monte Carlo, nodes for searches.
    pub done: u128,
    /// Of how many, if that is known.
    pub total: Option<u128>,
    /// The probability that a violation was missed, given that there is one: of a complete random order.
    pub omission: Option<f64>,
    /// Where the probability of a violation lies.
    pub estimate: Option<Estimate>,
    /// The number of periods looked at now, where that grows.
    pub depth: Option<u32>,
}

/// An interval of probabilities.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// No less than this.
    #[serde(with = "exact")]
    pub low: f64,
    /// No more than this.
    #[serde(with = "exact")]
    pub high: f64,
    /// The probability with which the interval holds the true one.
    #[serde(with = "exact")]
    pub confidence: f64,
}

/// Decides which scenarios of a space are explored, in units of work.
pub trait Strategy {
    /// The next units, at most so many, each offered once. None: wait for results, or it is over.
    fn offer(&mut self, max: usize) -> Vec<WorkUnit>;

    /// Takes the result of a unit; in any order, and not twice.
    fn absorb(&mut self, unit: &WorkUnit, result: UnitResult);

    /// How it ended, if it did.
    fn conclusion(&self) -> Option<Conclusion>;

    /// The progress of the exploration.
    fn progress(&self) -> ExplorationProgress;

    /// What the units merged so far found.
    fn summary(&self) -> &ScenarioSummary;
}

impl ExplorationProgress {
    /// So much of so much, and nothing else to say.
    pub(crate) fn of(done: u128, total: u128) -> Self {
        ExplorationProgress {
            done,
            total: Some(total),
            omission: None,
            estimate: None,
            depth: None,
        }
    }
}

/// A number of scenarios per unit that suits a space: many units, none of them huge.
pub fn unit_of(total: u128) -> u128 {
    (total / 256).clamp(1, 4096)
}

impl StopRule {
    fn is_reached(self, summary: &ScenarioSummary) -> bool {
        match self {
            StopRule::Complete => false,
            StopRule::Violations(count) => u128::from(count) <= summary.tally.violated,
        }
    }

    /// What follows where `merged` of `end` scenarios are known, out of `total` in the whole space.
    fn conclusion(
        self,
        summary: &ScenarioSummary,
        merged: u128,
        end: u128,
        total: u128,
    ) -> Option<Conclusion> {
        if self.is_reached(summary) {
            return Some(Conclusion::Violations);
        }
        let last = if end == total { Conclusion::Complete } else { Conclusion::Limit };
        (merged == end).then_some(last)
    }
}
