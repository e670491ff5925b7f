//! Chooses the provider that saves the states of a model.

use super::CheckOptions;
use super::examine::{Examiner, Make, OnTrial, Subject, best};
use super::store::Verdicts;
use super::verdict::{Verdict, Why};
use consort_core::{Fidelity, Provider};

/// The provider that saves the states of a model, and the reason for this choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The best one; `None` if no provider can.
    pub provider: Option<Provider>,
    /// The fidelity of the chosen provider.
    pub fidelity: Fidelity,
    /// Why it is not a better one, for a person: `native: ...; image: ...`. Empty for an exact native one.
    pub why: String,
    /// There was no time to find out about one that comes before: on another day it might have been another.
    pub is_undecided: bool,
}

impl Chosen {
    /// Why it is this one, for a person.
    pub fn reason(&self) -> String {
        match (self.provider, &*self.why) {
            (Some(_), "") => "the first that was measured to be faithful enough".to_owned(),
            (_, why) => why.to_owned(),
        }
    }
}

/// Which providers may save the states of a model, and what is wanted of them.
pub struct Choice<'a> {
    /// The model and how it is made.
    pub subject: &'a Subject,
    /// The providers that may save its states, best first.
    pub allowed: &'a [Provider],
    /// The fidelity that is sufficient.
    pub wanted: Fidelity,
    /// The options of the measurement.
    pub options: CheckOptions,
    /// The earlier verdicts.
    pub verdicts: &'a Verdicts,
    /// Called with how far a measurement is.
    pub on_trial: Option<OnTrial>,
}

/// The best of the providers that are allowed, best first: the first that is as faithful as `wanted`, else
/// the first that is exact, else the first that repeats. Verdicts that are not known yet are found out and
/// kept. A model's own states come last if its tool is known to lose something.
///
/// # Determinism
/// It follows from the subject, the options, what is allowed and wanted, and what the machine can; not from what is
/// known already, nor from how fast it is.
pub fn choose<'a>(choice: Choice<'a>, make: &'a mut Make<'a>) -> Chosen {
    let Choice { subject, allowed, wanted, options, verdicts, on_trial } = choice;
    let mut examiner =
        Examiner::new(subject, options, Some(verdicts), make).with_progress(on_trial);
    let mut found: Vec<Verdict> = Vec::new();
    for provider in in_order(subject, allowed) {
        found.push(examiner.verdict(provider));
        if found.last().is_some_and(|verdict| wanted <= verdict.fidelity) {
            break;
        }
    }
    let enough = found.last().filter(|verdict| wanted <= verdict.fidelity);
    let (provider, fidelity) = match enough.or_else(|| best(&found)) {
        Some(verdict) => (Some(verdict.provider), verdict.fidelity),
        None => (None, Fidelity::None),
    };
    let is_worse = |verdict: &&Verdict| !verdict.is_exact();
    let said = found
        .iter()
        .filter(is_worse)
        .filter_map(|verdict| Some(format!("{}: {}", verdict.provider, verdict.why.as_ref()?)));
    let losing =
        subject.losing().map(|why| format!("provider `native` is tried last because {why}"));
    let why = losing.into_iter().chain(said).collect::<Vec<_>>().join("; ");
    let is_late = |verdict: &Verdict| matches!(verdict.why, Some(Why::OutOfTime { .. }));
    Chosen { provider, fidelity, why, is_undecided: found.iter().any(is_late) }
}

/// The allowed providers, best first.
fn in_order(subject: &Subject, allowed: &[Provider]) -> Vec<Provider> {
    let mut order = allowed.to_vec();
    if subject.losing().is_some() {
        order.sort_by_key(|provider| *provider == Provider::Native);
    }
    order
}
