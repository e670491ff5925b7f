//! The results of a visit, as values that are merged in order.

use crate::exact;
use crate::world::{PrefixEvaluation, RobustnessInterval};
use serde::{Deserialize, Serialize};

/// Of so many violations, and of so many failures, the scenarios are kept; all are counted.
pub const OUTCOMES_MAX: usize = 100;

/// What became of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioVerdict {
    /// Every property holds.
    Holds,
    /// Some property does not hold.
    Violated,
    /// The properties look further than the scenario goes.
    Undecided,
    /// It could not be run to its end.
    Failed,
}

impl ScenarioVerdict {
    /// Its letter in [`UnitResult::draws`](crate::strategy::UnitResult::draws).
    pub(crate) const fn letter(self) -> char {
        match self {
            ScenarioVerdict::Holds => 'h',
            ScenarioVerdict::Violated => 'v',
            ScenarioVerdict::Undecided => 'u',
            ScenarioVerdict::Failed => 'f',
        }
    }

    /// The verdict of a letter.
    pub(crate) fn from_letter(letter: char) -> Option<Self> {
        let all = [
            ScenarioVerdict::Holds,
            ScenarioVerdict::Violated,
            ScenarioVerdict::Undecided,
            ScenarioVerdict::Failed,
        ];
        all.into_iter().find(|verdict| verdict.letter() == letter)
    }

    fn of(evaluation: &PrefixEvaluation) -> Self {
        if evaluation.verdicts.contains(&Some(false)) {
            ScenarioVerdict::Violated
        } else if evaluation.verdicts.contains(&None) {
            ScenarioVerdict::Undecided
        } else {
            ScenarioVerdict::Holds
        }
    }
}

/// What is known of a scenario, or of several that share a prefix after which nothing more can change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The first of the scenarios.
    #[serde(with = "exact")]
    pub index: u128,
    /// How many of the requested scenarios it covers.
    #[serde(with = "exact")]
    pub count: u128,
    /// The letters that were chosen.
    pub prefix: Vec<u32>,
    /// The verdict of the scenarios.
    pub verdict: ScenarioVerdict,
    /// By property; empty if it failed.
    pub robustness: Vec<RobustnessInterval>,
    /// By property; empty if it failed.
    pub verdicts: Vec<Option<bool>>,
    /// The reason of a failure.
    pub failure: Option<String>,
}

impl Outcome {
    /// What the last letter of `prefix` led to.
    pub(crate) fn of_evaluation(prefix: &[u32], evaluation: PrefixEvaluation) -> Self {
        let verdict = ScenarioVerdict::of(&evaluation);
        let PrefixEvaluation { robustness, verdicts, .. } = evaluation;
        let prefix = prefix.to_vec();
        Self { index: 0, count: 1, prefix, verdict, robustness, verdicts, failure: None }
    }

    /// The last letter of `prefix` could not be taken.
    pub(crate) fn of_failure(prefix: &[u32], failure: String) -> Self {
        Self {
            index: 0,
            count: 1,
            prefix: prefix.to_vec(),
            verdict: ScenarioVerdict::Failed,
            robustness: Vec::new(),
            verdicts: Vec::new(),
            failure: Some(failure),
        }
    }

    /// The same, of `count` scenarios the first of which is `index`.
    #[must_use]
    pub(crate) fn covering(mut self, index: u128, count: u128) -> Self {
        (self.index, self.count) = (index, count);
        self
    }
}

/// How many scenarios met which fate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct VerdictTally {
    /// Number of scenarios in which all properties hold.
    #[serde(with = "exact")]
    pub holds: u128,
    /// A property does not hold.
    #[serde(with = "exact")]
    pub violated: u128,
    /// Number of scenarios without a verdict.
    #[serde(with = "exact")]
    pub undecided: u128,
    /// Could not be run.
    #[serde(with = "exact")]
    pub failed: u128,
}

impl VerdictTally {
    /// The number of all scenarios.
    pub fn total(&self) -> u128 {
        self.holds + self.violated + self.undecided + self.failed
    }

    pub(crate) fn add(&mut self, verdict: ScenarioVerdict, count: u128) {
        *match verdict {
            ScenarioVerdict::Holds => &mut self.holds,
            ScenarioVerdict::Violated => &mut self.violated,
            ScenarioVerdict::Undecided => &mut self.undecided,
            ScenarioVerdict::Failed => &mut self.failed,
        } += count;
    }
}

/// The least robust scenario of a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Worst {
    /// The robustness of that scenario.
    pub robustness: RobustnessInterval,
    /// The index of that scenario.
    #[serde(with = "exact")]
    pub index: u128,
    /// The letters of that scenario.
    pub prefix: Vec<u32>,
}

/// What is known of one property.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PropertySummary {
    /// The number of scenarios that violate it.
    #[serde(with = "exact")]
    pub violated: u128,
    /// The first of the least robust ones.
    pub worst: Option<Worst>,
}

/// What is known of a set of scenarios.
///
/// # Determinism
/// Summaries of parts, added in the order of the parts, give the summary of the whole, however many
/// made them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScenarioSummary {
    /// Counts of verdicts of scenarios.
    pub tally: VerdictTally,
    /// How many scenarios were judged by a decided prefix, without being run to their end.
    #[serde(with = "exact")]
    pub cut: u128,
    /// How many different prefixes were simulated: periods that show something new.
    #[serde(with = "exact")]
    pub nodes: u128,
    /// One summary per property.
    pub properties: Vec<PropertySummary>,
    /// The first ones, at most [`OUTCOMES_MAX`].
    pub violations: Vec<Outcome>,
    /// The first ones, at most [`OUTCOMES_MAX`].
    pub failures: Vec<Outcome>,
}

impl ScenarioSummary {
    /// Counts an outcome that comes after all that were counted before; `is_cut` if its prefix is not a
    /// whole scenario.
    pub(crate) fn count(&mut self, outcome: &Outcome, is_cut: bool) {
        self.tally.add(outcome.verdict, outcome.count);
        if is_cut {
            self.cut += outcome.count;
        }
        self.note_properties(outcome);
        let kept = match outcome.verdict {
            ScenarioVerdict::Violated => &mut self.violations,
            ScenarioVerdict::Failed => &mut self.failures,
            ScenarioVerdict::Holds | ScenarioVerdict::Undecided => return,
        };
        if kept.len() < OUTCOMES_MAX {
            kept.push(outcome.clone());
        }
    }

    fn note_properties(&mut self, outcome: &Outcome) {
        let known = self.properties.len().max(outcome.robustness.len());
        self.properties.resize_with(known, PropertySummary::default);
        let judged = outcome.robustness.iter().zip(&outcome.verdicts);
        for (property, (&robustness, verdict)) in self.properties.iter_mut().zip(judged) {
            if *verdict == Some(false) {
                property.violated += outcome.count;
            }
            let (index, prefix) = (outcome.index, &outcome.prefix);
            if property.worst.as_ref().is_none_or(|worst| is_worse(robustness, worst.robustness)) {
                property.worst = Some(Worst { robustness, index, prefix: prefix.clone() });
            }
        }
    }

    /// Adds what is known of the scenarios that come next.
    pub(crate) fn append(&mut self, next: ScenarioSummary) {
        self.tally.holds += next.tally.holds;
        self.tally.violated += next.tally.violated;
        self.tally.undecided += next.tally.undecided;
        self.tally.failed += next.tally.failed;
        self.cut += next.cut;
        self.nodes += next.nodes;
        let known = self.properties.len().max(next.properties.len());
        self.properties.resize_with(known, PropertySummary::default);
        for (property, next) in self.properties.iter_mut().zip(next.properties) {
            property.violated += next.violated;
            let Some(found) = next.worst else { continue };
            let is_first = property.worst.is_none();
            if is_first
                || property.worst.as_ref().is_some_and(|w| is_worse(found.robustness, w.robustness))
            {
                property.worst = Some(found);
            }
        }
        let room = |kept: usize| OUTCOMES_MAX.saturating_sub(kept);
        self.violations.extend(next.violations.into_iter().take(room(self.violations.len())));
        self.failures.extend(next.failures.into_iter().take(room(self.failures.len())));
    }

    /// The least robustness of any property, if something was judged.
    pub fn lowest(&self) -> Option<f64> {
        let worst = self.properties.iter().filter_map(|property| property.worst.as_ref());
        worst.map(|worst| worst.robustness.high).min_by(f64::total_cmp)
    }
}

/// What is surely lower comes first; of equals the one that may be lower.
fn is_worse(found: RobustnessInterval, known: RobustnessInterval) -> bool {
    let order = found.high.total_cmp(&known.high).then(found.low.total_cmp(&known.low));
    order.is_lt()
}
