//! The report of a campaign, as JSON that does not depend on how the campaign was carried out.
//!
//! Nothing here depends on the number of workers, on time or on interruptions: those belong to
//! `timing.json`.

mod counter_example;

pub use counter_example::{CounterExample, CounterExampleRole, Validation};

use crate::campaign::ResolvedCampaign;
use crate::coordinator::CampaignEnd;
use crate::history::Moment;
use crate::strategy::{Conclusion, ExplorationProgress};
use crate::visit::{Outcome, ScenarioSummary};
use crate::world::RobustnessInterval;
use consort_core::named;
use consort_system::Campaign;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The form of the report.
const FORMAT: u64 = 1;

/// The endings of campaigns that can continue.
pub const UNFINISHED: [&str; 2] = ["stopped", "out of time"];

named! {
    /// The answer of a campaign.
    pub enum Answer {
        /// No property is violated in any scenario that was judged.
        Holds => "holds",
        /// Some property is violated in some scenario.
        Violated => "violated",
        /// No violation was found, but scenarios could not be judged, or the campaign did not end.
        Unknown => "unknown",
    }
}

/// Everything in a report.
pub struct Account<'a> {
    /// The campaign as written.
    pub campaign: &'a Campaign,
    /// The campaign, resolved.
    pub resolved: &'a ResolvedCampaign,
    /// Hashes of everything that decides the results.
    pub identity: &'a Value,
    /// The providers that save the states of models, where they are worth reporting.
    pub saving: &'a [String],
    /// How the campaign ended.
    pub ending: &'a CampaignEnd,
    /// The progress of the campaign.
    pub progress: &'a ExplorationProgress,
    /// The summary of all scenarios.
    pub summary: &'a ScenarioSummary,
    /// What was known after each unit.
    pub moments: &'a [Moment],
    /// The scenarios that violate properties, in their files.
    pub counter_examples: &'a [CounterExample],
    /// What was run again; `None` if nothing was.
    pub verified: Option<Verified>,
}

/// Scenarios that were run again from their start, without restored states, and came to the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The number of scenarios.
    pub scenarios: u64,
    /// How many periods they have together.
    pub periods: u64,
}

impl Account<'_> {
    /// The answer of a campaign.
    pub fn answer(&self) -> Answer {
        let tally = &self.summary.tally;
        let is_whole = matches!(self.ending, CampaignEnd::Concluded(_));
        match tally.violated {
            0 if is_whole && tally.failed == 0 && tally.undecided == 0 => Answer::Holds,
            0 => Answer::Unknown,
            _ => Answer::Violated,
        }
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "format": FORMAT,
            "campaign": self.campaign.name,
            "identity": self.identity,
            "answer": self.answer().name(),
            "ending": ending(self.ending),
            "strategy": self.campaign.strategy.kind.value.name(),
            "seed": self.campaign.seed,
            "saving": self.saving,
            "space": self.space(),
            "scenarios": self.scenarios(),
            "omission": self.progress.omission.map(number),
            "estimate": self.progress.estimate.map(|estimate| json!({
                "low": number(estimate.low),
                "high": number(estimate.high),
                "confidence": number(estimate.confidence),
            })),
            "properties": self.properties(),
            "verified": self.verified.map(|it| json!({
                "scenarios": it.scenarios,
                "periods": it.periods,
                "agreed": true,
            })),
            "counter_examples": self.counter_examples.iter().map(|it| it.to_json(self.resolved)).collect::<Vec<_>>(),
            "failures": self.summary.failures.iter().map(|it| self.failure(it)).collect::<Vec<_>>(),
            "failing": failing(self.summary),
            "history": self.moments.iter().map(moment).collect::<Vec<_>>(),
        })
    }

    fn space(&self) -> Value {
        let inputs = self.resolved.inputs.iter().zip(&self.campaign.disturbances);
        let inputs: Vec<Value> = inputs
            .map(|(input, written)| {
                let values = written.values.iter().map(|value| value.value.to_string());
                let changes_max = written.changes_max.as_ref().map(|count| count.value);
                json!({"input": input.path, "values": values.collect::<Vec<_>>(), "changes_max": changes_max})
            })
            .collect();
        let constraints = self.campaign.constraints.iter().map(|text| &text.value);
        json!({
            "period": self.campaign.period.value.to_string(),
            "horizon": self.campaign.horizon.value.to_string(),
            "choices": self.resolved.space.horizon(),
            "letters": self.resolved.space.letters(),
            "scenarios": count(self.resolved.space.count()),
            "changes_max": self.campaign.changes_max.as_ref().map(|count| count.value),
            "constraints": constraints.collect::<Vec<_>>(),
            "inputs": inputs,
        })
    }

    fn scenarios(&self) -> Value {
        let tally = &self.summary.tally;
        json!({
            "done": count(self.progress.done),
            "total": self.progress.total.map(count),
            "holds": count(tally.holds),
            "violated": count(tally.violated),
            "undecided": count(tally.undecided),
            "failed": count(tally.failed),
            "decided_early": count(self.summary.cut),
            "periods": count(self.summary.nodes),
        })
    }

    fn properties(&self) -> Value {
        let found = |index: usize| self.summary.properties.get(index).cloned().unwrap_or_default();
        let written = self.campaign.properties.iter().enumerate();
        written
            .map(|(index, written)| {
                let found = found(index);
                let worst = found.worst.map(|worst| {
                    json!({
                        "robustness": bounds(worst.robustness),
                        "index": count(worst.index),
                        "choices": choices(self.resolved, &worst.prefix),
                    })
                });
                json!({
                    "name": written.name.value,
                    "formula": written.formula.value,
                    "reading": written.reading.name(),
                    "violated": count(found.violated),
                    "worst": worst,
                })
            })
            .collect()
    }

    fn failure(&self, outcome: &Outcome) -> Value {
        json!({
            "index": count(outcome.index),
            "scenarios": count(outcome.count),
            "choices": choices(self.resolved, &outcome.prefix),
            "reason": outcome.failure,
        })
    }
}

/// How often each reason to fail was met, among the failures that were kept.
fn failing(summary: &ScenarioSummary) -> Value {
    let mut reasons: BTreeMap<&str, u128> = BTreeMap::new();
    for failure in &summary.failures {
        let reason = failure.failure.as_deref().unwrap_or_default();
        // What differs from scenario to scenario follows the name of the component.
        *reasons.entry(reason.lines().next().unwrap_or_default()).or_default() += failure.count;
    }
    let entry = |(reason, scenarios): (&str, u128)| json!({"reason": reason, "scenarios": count(scenarios)});
    reasons.into_iter().map(entry).collect()
}

fn moment(moment: &Moment) -> Value {
    let lowest: Vec<Value> =
        moment.lowest.iter().map(|it| it.map_or(Value::Null, number)).collect();
    json!({"done": count(moment.done), "lowest": lowest, "violated": count(moment.violated)})
}

fn ending(ending: &CampaignEnd) -> &'static str {
    match ending {
        CampaignEnd::Concluded(Conclusion::Complete) => "complete",
        CampaignEnd::Concluded(Conclusion::Violations) => "violation found",
        CampaignEnd::Concluded(Conclusion::Limit) => "limit",
        CampaignEnd::Concluded(Conclusion::Exhausted) => "exhausted",
        CampaignEnd::Concluded(Conclusion::Accepted) => "accepted",
        CampaignEnd::Concluded(Conclusion::Rejected) => "rejected",
        CampaignEnd::Stopped => UNFINISHED[0],
        CampaignEnd::OutOfTime => UNFINISHED[1],
    }
}

/// The values chosen in each period.
pub fn choices(resolved: &ResolvedCampaign, letters: &[u32]) -> Value {
    let choice = |letter: &u32| {
        let values = resolved.values(*letter);
        let named = values.map(|(path, values)| (path.to_owned(), value(values)));
        Value::Object(named.collect::<Map<String, Value>>())
    };
    letters.iter().map(choice).collect()
}

fn value(values: &consort_core::Values) -> Value {
    use consort_core::Values;
    match values {
        Values::Boolean(list) | Values::Clock(list) => json!(list.first()),
        Values::String(list) => json!(list.first()),
        Values::Int64(list) => json!(list.first()),
        Values::UInt64(list) => json!(list.first()),
        other => other.view().as_f64(0).map_or(Value::Null, number),
    }
}

/// A number, also where JSON has none.
pub fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

/// A count: a number as long as every reader can hold it.
pub(crate) fn count(value: u128) -> Value {
    match u64::try_from(value) {
        Ok(value) if value < 1 << 53 => json!(value),
        _ => json!(value.to_string()),
    }
}

/// An interval; a point is a single number.
#[expect(clippy::float_cmp, reason = "a point is an interval of no width at all")]
pub fn bounds(bounds: RobustnessInterval) -> Value {
    match bounds.low == bounds.high {
        true => number(bounds.low),
        false => json!([number(bounds.low), number(bounds.high)]),
    }
}
