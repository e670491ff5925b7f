//! A scenario that violates a property, as a file that can be repeated.

use super::{bounds, choices, count};
use crate::campaign::ResolvedCampaign;
use crate::world::RobustnessInterval;
use consort_core::named;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

named! {
    /// Why this scenario was kept, of all that violate a property.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CounterExampleRole {
        /// The first counter-example that was found.
        First => "first",
        /// The least robust counter-example.
        Worst => "worst",
        /// It is what is left of the first when all was left out that does not matter.
        Shrunk => "shrunk",
    }
}

/// A scenario that violates a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CounterExample {
    /// Why it was kept.
    pub role: CounterExampleRole,
    /// The property's place in the campaign.
    pub property: usize,
    /// The file, beside the report.
    pub file: String,
    /// The index of the scenario.
    #[serde(with = "crate::exact")]
    pub index: u128,
    /// The choices of the scenario.
    pub letters: Vec<u32>,
    /// The number of changes of its choices.
    pub changes: u32,
    /// By an ordinary run, without any snapshot, to the horizon.
    pub robustness: RobustnessInterval,
    /// The trace hash of its run.
    pub trace_hash: String,
    /// The same with smaller steps and tolerances; `None` if that was not wanted.
    pub validation: Option<Validation>,
}

/// What became of a counter-example with smaller steps and tolerances.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validation {
    /// It still violates the property.
    Confirmed(RobustnessInterval),
    /// It is no counter-example any more: it was an artifact of steps or tolerances, or lies at the very edge.
    Refuted(RobustnessInterval),
    /// The validation failed, for this reason.
    Failed(String),
}

impl CounterExample {
    /// How far from holding the property is, with whatever was computed: the smaller of the two.
    pub fn margin(&self) -> f64 {
        let found = -self.robustness.high;
        match &self.validation {
            Some(Validation::Confirmed(tighter) | Validation::Refuted(tighter)) => {
                found.min(-tighter.high)
            }
            Some(Validation::Failed(_)) | None => found,
        }
    }

    /// The counter-example as JSON, for the report.
    pub(super) fn to_json(&self, resolved: &ResolvedCampaign) -> Value {
        let validation = self.validation.as_ref().map(|validation| match validation {
            Validation::Confirmed(tighter) => {
                json!({"confirmed": true, "robustness": bounds(*tighter)})
            }
            Validation::Refuted(tighter) => {
                json!({"confirmed": false, "robustness": bounds(*tighter)})
            }
            Validation::Failed(reason) => json!({"confirmed": null, "reason": reason}),
        });
        json!({
            "role": self.role.name(),
            "property": resolved.questions[self.property].name,
            "file": self.file,
            "index": count(self.index),
            "changes": self.changes,
            "choices": choices(resolved, &self.letters),
            "robustness": bounds(self.robustness),
            "margin": super::number(self.margin()),
            "trace_hash": self.trace_hash,
            "tighter": validation,
        })
    }
}
