//! Who saves the states of a model.

use super::CheckOptions;
use super::examine::{Examiner, Make, Subject, best};
use super::store::Verdicts;
use super::verdict::Verdict;
use consort_core::{Fidelity, Provider};

/// Who saves the states of a model, and what that was decided by.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The best one; `None` if no provider can.
    pub provider: Option<Provider>,
    /// How faithfully.
    pub fidelity: Fidelity,
    /// Why it is not a better one, for a person: `native: ...; image: ...`. Empty for an exact native one.
    pub why: String,
}

/// The best of the providers that are allowed, best first: the first that is as faithful as `wanted`, else
/// the first that is exact, else the first that repeats. Verdicts that are not known yet are found out and
/// kept.
pub fn choose<'a>(
    subject: &'a Subject,
    allowed: &[Provider],
    wanted: Fidelity,
    verdicts: &'a Verdicts,
    make: &'a mut Make<'a>,
) -> Chosen {
    let mut examiner = Examiner::new(subject, CheckOptions::default(), Some(verdicts), make);
    let mut found: Vec<Verdict> = Vec::new();
    for &provider in allowed {
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
    Chosen { provider, fidelity, why: said.collect::<Vec<_>>().join("; ") }
}
