//! Verdicts: how faithfully a provider saves the states of a model, and why.

use consort_core::{CallError, CallStatus, Fidelity, Provider};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::time::Duration;

/// What one provider does for one model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The provider that saved and restored.
    #[serde(serialize_with = "by_name", deserialize_with = "provider")]
    pub provider: Provider,
    /// The measured fidelity.
    #[serde(serialize_with = "by_name", deserialize_with = "fidelity")]
    pub fidelity: Fidelity,
    /// How often the state was restored and compared.
    pub trials: u32,
    /// What keeps it from being better.
    pub why: Option<Why>,
    /// What it costs; only where it can be used.
    pub costs: Option<Costs>,
    /// What was assumed on the way, for a person.
    pub notes: Vec<String>,
}

impl Verdict {
    /// A verdict without a trial.
    pub fn without(provider: Provider, why: Why) -> Self {
        let (fidelity, why, notes) = (Fidelity::None, Some(why), Vec::new());
        Verdict { provider, fidelity, trials: 0, why, costs: None, notes }
    }

    /// Whether a restored instance behaves as one that was never saved.
    pub fn is_exact(&self) -> bool {
        Fidelity::Exact <= self.fidelity
    }
}

/// What keeps a verdict from being better.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// The model or the instance cannot save its state at all.
    Unsupported {
        /// As text: `the model does not declare it`.
        reason: String,
    },
    /// The provider cannot be used here or for this model: an old kernel, a hazard.
    Refused {
        /// The reason as text.
        reason: String,
    },
    /// A call failed, or the process of the instance is gone.
    Failed {
        /// The call that failed, with its status.
        failure: Failure,
    },
    /// Two runs without any saving differ already.
    NotRepeatable {
        /// The first difference between the two runs.
        example: RestoreMismatch,
    },
    /// A restored instance behaves differently.
    Differs {
        /// The first trial that shows it.
        example: RestoreMismatch,
    },
    /// It is exact, but not by bytes in another process.
    NotPortable {
        /// The reason as text.
        reason: String,
    },
    /// There was no time to find it out.
    OutOfTime {
        /// The reason as text.
        reason: String,
    },
}

impl Why {
    /// Whether it says something about today's machine and not about the model: it is no verdict to be kept.
    pub fn is_of_today(&self) -> bool {
        match self {
            Why::OutOfTime { .. } => true,
            Why::Failed { failure } => failure.is_from_outside,
            _ => false,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Unsupported { reason } | Why::Refused { reason } | Why::OutOfTime { reason } => {
                f.write_str(reason)
            }
            Why::Failed { failure } => write!(f, "{failure}"),
            Why::NotRepeatable { example } => write!(f, "two runs differ: {example}"),
            Why::Differs { example } => write!(f, "{example}"),
            Why::NotPortable { reason } => write!(f, "not portable: {reason}"),
        }
    }
}

/// A call that failed while a model was on its course.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The call as its documentation names it.
    pub call: String,
    /// The failure as text.
    pub what: String,
    /// Where the instance was, in seconds.
    pub time: f64,
    /// The instance cannot do that at all.
    pub is_unsupported: bool,
    /// Not only the call failed: the process is gone.
    pub is_crash: bool,
    /// It was refused by the provider, or before anything ran.
    pub is_of_saving: bool,
    /// The provider refused, with a reason.
    pub is_refused: bool,
    /// It happened where the run that is compared never goes.
    pub is_on_excursion: bool,
    /// It refused to read a variable.
    pub is_of_reading: bool,
    /// The cause is not known to be the model: too slow, or ended from outside.
    pub is_from_outside: bool,
    /// There was no time left for the check.
    pub is_late: bool,
}

impl Failure {
    /// What it says about who saves states.
    pub(super) fn into_why(self) -> Why {
        if self.is_late {
            Why::OutOfTime { reason: self.what }
        } else if self.is_unsupported {
            Why::Unsupported { reason: "the model cannot save its state".to_owned() }
        } else if self.is_refused && self.is_of_saving {
            let reason = self.what.strip_prefix("was refused: ").unwrap_or(&self.what);
            Why::Refused { reason: reason.to_owned() }
        } else {
            Why::Failed { failure: self }
        }
    }

    pub(super) fn new(error: &CallError, time: f64) -> Self {
        let said = error.log.last().map(|line| format!("; it said: {line}"));
        Failure {
            call: error.call.to_owned(),
            what: format!("{}{}", error.status, said.unwrap_or_default()),
            time,
            is_unsupported: error.status == CallStatus::Unsupported,
            is_crash: matches!(
                error.status,
                CallStatus::Gone(_) | CallStatus::NoAnswer(_) | CallStatus::Killed(_)
            ),
            is_of_saving: false,
            is_refused: matches!(error.status, CallStatus::Refused(_)),
            is_on_excursion: false,
            is_of_reading: false,
            is_from_outside: is_from_outside(&error.status),
            is_late: false,
        }
    }

    /// The check took too long.
    pub(super) fn late(budget: Duration, time: f64) -> Self {
        let what = format!(
            "not found out within {} s: allow more with `--budget SECONDS`, or choose who saves it \
             (`state = \"image\"` of a component, `--providers image`)",
            budget.as_secs_f64()
        );
        let error = CallError::new("check", CallStatus::Cancelled);
        Failure { what, is_late: true, ..Failure::new(&error, time) }
    }
}

/// Whether a process is gone for reasons that need not be there tomorrow.
fn is_from_outside(status: &CallStatus) -> bool {
    matches!(status, CallStatus::Killed(_) | CallStatus::NoAnswer(_))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {} s {}", self.call, self.time, self.what)
    }
}

/// Where a restored instance went another way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RestoreMismatch {
    /// Which trial, from 1.
    pub trial: u32,
    /// Where the state was saved, in seconds.
    pub saved_at: f64,
    /// How long the excursion was before the state was restored: the paper's tau', in seconds.
    pub excursion: f64,
    /// Where the values differ, in seconds.
    pub time: f64,
    /// The first variable that differs.
    pub variable: String,
    /// Its value without saving.
    pub expected: String,
    /// Its value after the state was restored.
    pub found: String,
    /// Which state it was, if not the one that was saved last; as text.
    pub which: String,
}

impl fmt::Display for RestoreMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RestoreMismatch { variable, expected, found, time, .. } = self;
        write!(f, "`{variable}` is {found} instead of {expected} at {time} s")?;
        match self.trial {
            0 => Ok(()),
            trial => {
                let separator = if self.which.is_empty() { "" } else { ", " };
                let (excursion, which) = (self.excursion, &self.which);
                write!(f, " (trial {trial}, tau' = {excursion} s{separator}{which})")
            }
        }
    }
}

/// What saving and restoring cost, measured while it was tried.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Costs {
    /// Saving, per trial, in seconds.
    pub get: Vec<f64>,
    /// Restoring, per trial, in seconds.
    pub set: Vec<f64>,
    /// Moving on by tau after a restore, per trial, in seconds.
    pub sim: Vec<f64>,
    /// How many points of the run there are.
    pub points: u32,
    /// Moving on through all of them at once, never saved, in seconds.
    pub whole: f64,
    /// What a saved state holds that no other one holds, else how long its bytes are.
    pub bytes: Option<u64>,
}

impl Costs {
    /// The middle of saving, restoring and moving on by tau, in seconds.
    pub fn medians(&self) -> [f64; 3] {
        [&self.get, &self.set, &self.sim].map(|all| median(all))
    }
}

/// The middle one; robust against a machine that was busy elsewhere.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn by_name<S: Serializer>(value: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}

fn provider<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Provider, D::Error> {
    let name = String::deserialize(deserializer)?;
    Provider::from_name(&name).ok_or_else(|| de::Error::custom("not a provider"))
}

fn fidelity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fidelity, D::Error> {
    let name = String::deserialize(deserializer)?;
    let all = [Fidelity::None, Fidelity::Repeatable, Fidelity::Exact, Fidelity::Portable];
    let found = all.into_iter().find(|fidelity| fidelity.name() == name);
    found.ok_or_else(|| de::Error::custom("not a fidelity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_failures_are_distinguished_from_those_of_the_model() {
        let check = |status: fn(String) -> CallStatus, what: &str, expected: bool| {
            let failure = Failure::new(&CallError::new("step", status(what.to_owned())), 0.0);
            assert!(failure.is_crash, "{what}");
            assert_eq!(failure.into_why().is_of_today(), expected, "{what}");
        };
        check(CallStatus::NoAnswer, "no answer for 60 s", true);
        check(CallStatus::Killed, "its process crashed with SIGKILL", true);
        check(CallStatus::Gone, "its process crashed with SIGSEGV", false);
        check(CallStatus::Gone, "its process left with exit code 3", false);
        let late = Failure::late(Duration::from_secs(1), 0.0).into_why();
        assert!(late.is_of_today(), "{late}");
    }
}
