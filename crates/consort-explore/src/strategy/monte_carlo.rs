//! Scenarios drawn at random, and what they say about all.

use super::ordered::{Ledger, Sequential, Steps};
use super::{Conclusion, Estimate, ExplorationProgress, UnitResult, UnitTask};
use crate::outcome::{ScenarioVerdict, VerdictTally};
use crate::statistics::{Decision, Sprt, clopper_pearson, hoeffding_count, zero_failures_count};

/// What the draws are for. Probabilities are between zero and one, both excluded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// To make so many draws, and to say where the probability of a violation lies.
    Count {
        /// The number of draws.
        count: u64,
        /// The probability that what is said is wrong.
        delta: f64,
    },
    /// To know the probability of a violation up to an error (Hoeffding's inequality).
    Hoeffding {
        /// The greatest error of the estimate.
        epsilon: f64,
        /// The probability that it is larger.
        delta: f64,
    },
    /// To be sure that violations are rare; ends with the first draw that does not hold.
    ZeroFailures {
        /// The probability of a violation that is ruled out.
        epsilon: f64,
        /// The probability of not meeting one if they are not so rare.
        delta: f64,
    },
    /// To decide between two probabilities of a violation (Wald's sequential probability ratio test).
    Sprt {
        /// The test that decides, with its error probabilities.
        test: Sprt,
        /// Gives up after so many draws.
        count_max: u64,
    },
}

/// Options of the strategy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MonteCarloOptions {
    /// The seed of the draws.
    pub seed: u64,
    /// The number of draws per unit.
    pub unit: u64,
    /// The statistical goal.
    pub goal: Goal,
}

/// Draws scenarios, all equally likely, each a function of the seed and its number alone.
///
/// A draw that fails, or that is undecided, is counted neither for nor against where a probability is
/// bounded from below, and as a violation where it is bounded from above and where a test is made.
///
/// Tally, violations and failures of the summary end with the draw that decided; properties and nodes are those of
/// whole units.
pub type MonteCarlo = Sequential<MonteCarloSteps>;

/// The steps of [`MonteCarlo`].
pub struct MonteCarloSteps {
    options: MonteCarloOptions,
    planned: u64,
    next: u64,
    /// Of the draws up to the one that decided.
    tally: VerdictTally,
}

impl MonteCarlo {
    /// Draws for a goal.
    pub fn new(options: MonteCarloOptions) -> Self {
        let planned = match options.goal {
            Goal::Count { count, .. } => count,
            Goal::Hoeffding { epsilon, delta } => hoeffding_count(epsilon, delta),
            Goal::ZeroFailures { epsilon, delta } => zero_failures_count(epsilon, delta),
            Goal::Sprt { count_max, .. } => count_max,
        };
        let mut ledger = Ledger::default();
        ledger.conclusion = (planned == 0).then_some(Conclusion::Limit);
        let options = MonteCarloOptions { unit: options.unit.max(1), ..options };
        let steps = MonteCarloSteps { options, planned, next: 0, tally: VerdictTally::default() };
        Sequential::of(steps, ledger)
    }
}

impl MonteCarloSteps {
    fn decide(&self) -> Option<Conclusion> {
        let drawn = self.tally.total() as u64;
        let bad = drawn - self.tally.holds as u64;
        match self.options.goal {
            Goal::ZeroFailures { .. } if 0 < bad => return Some(Conclusion::Rejected),
            Goal::ZeroFailures { .. } if drawn == self.planned => {
                return Some(Conclusion::Accepted);
            }
            Goal::Sprt { test, .. } => match test.decide(bad, drawn) {
                Some(Decision::AtMost) => return Some(Conclusion::Accepted),
                Some(Decision::AtLeast) => return Some(Conclusion::Rejected),
                None => {}
            },
            _ => {}
        }
        (drawn == self.planned).then_some(Conclusion::Limit)
    }

    /// Where the probability of a violation lies. Not for a test that stops when it likes what it sees.
    fn estimate(&self) -> Option<Estimate> {
        let delta = match self.options.goal {
            Goal::Count { delta, .. } | Goal::Hoeffding { delta, .. } => delta,
            Goal::ZeroFailures { .. } | Goal::Sprt { .. } => return None,
        };
        let drawn = self.tally.total() as u64;
        let bad = drawn - self.tally.holds as u64;
        let (low, _) = clopper_pearson(self.tally.violated as u64, drawn, delta);
        let (_, high) = clopper_pearson(bad, drawn, delta);
        Some(Estimate { low, high, confidence: 1.0 - delta })
    }
}

fn truncate<T>(kept: &mut Vec<T>, count: u128) {
    kept.truncate(usize::try_from(count).unwrap_or(usize::MAX));
}

impl Steps for MonteCarloSteps {
    fn next_task(&mut self) -> Option<UnitTask> {
        let (seed, first) = (self.options.seed, self.next);
        let count = (self.planned - first).min(self.options.unit);
        self.next += count;
        (0 < count).then_some(UnitTask::Draws { seed, first, count })
    }

    /// Counts the draws of a unit until one decides; the rest of the unit counts for nothing.
    fn merge(&mut self, ledger: &mut Ledger, _task: &UnitTask, result: UnitResult) {
        for letter in result.draws.chars() {
            let Some(verdict) = ScenarioVerdict::from_letter(letter) else { continue };
            self.tally.add(verdict, 1);
            ledger.conclusion = self.decide();
            if ledger.conclusion.is_some() {
                break;
            }
        }
        let (summary, tally) = (&mut ledger.summary, self.tally);
        summary.append(result.summary);
        summary.tally = tally;
        truncate(&mut summary.violations, tally.violated);
        truncate(&mut summary.failures, tally.failed);
    }

    fn progress(&self, _ledger: &Ledger) -> ExplorationProgress {
        let estimate = self.estimate();
        ExplorationProgress {
            estimate,
            ..ExplorationProgress::of(self.tally.total(), self.planned.into())
        }
    }
}
