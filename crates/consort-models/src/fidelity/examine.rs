//! The verdicts of one model, by provider.

use super::given::Given;
use super::store::Verdicts;
use super::tools;
use super::verdict::{Verdict, Why};
use super::{Check, CheckOptions};
use crate::files::input_file::{InputFile, sha256};
use consort_core::{Fidelity, Model, ModelDescription, Provider};
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

/// What is known after a trial.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trial<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The provider that saves its states.
    pub provider: Provider,
    /// The number of trials.
    pub done: u32,
    /// How many there are at most, if nothing is found.
    pub trials: u32,
}

/// Called after each trial.
pub type OnTrial = Arc<dyn Fn(&Trial<'_>) + Send + Sync>;

/// Makes the model with instances that save their states by a provider; the error is the reason as text.
pub type Make<'a> = dyn FnMut(Provider) -> Result<Arc<dyn Model>, String> + 'a;

/// Which rules verdicts were found by: those of others are of no use.
const RULES: u32 = 4;

const TAKEN: &str = "a string takes everything";

/// What a verdict depends on besides provider and options: the model as it was asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Subject {
    /// The hashes of its files, and of what else was asked.
    hash: String,
    name: String,
    given: Given,
    /// Why its own states are the last choice, if that is known.
    losing: Option<&'static str>,
}

impl Subject {
    /// A model made of these files and described like this: by which interface it is used, by which solver it is
    /// integrated; given these parameters.
    pub fn new(inputs: &[InputFile], model: &ModelDescription, given: Given) -> Self {
        let files = inputs.iter().map(|input| format!("{} {}\n", input.role, input.sha256));
        let mut text: String = files.collect();
        writeln!(text, "{}\n{}", model.name, model.kind).expect(TAKEN);
        // Who saves it is not a part of what it is.
        for (name, fact) in model.facts.iter().filter(|(name, _)| name != "state") {
            writeln!(text, "{name}: {fact}").expect(TAKEN);
        }
        text.push_str(&given.describe());
        let (hash, name) = (sha256(text.as_bytes()), model.name.clone());
        Subject { hash, name, given, losing: tools::losing(model) }
    }

    /// Why its own states are the last choice, if that is known.
    pub(super) fn losing(&self) -> Option<&'static str> {
        self.losing
    }

    /// The name of a verdict: everything it depends on, hashed.
    fn key(&self, provider: Provider, options: &CheckOptions) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!("{version} {RULES}\n{}\n{provider}\n", self.hash);
        // Pages and processes are the kernel's.
        if matches!(provider, Provider::Image | Provider::Fork) {
            text.push_str(&kernel_release());
        }
        text.push_str(&options.describe());
        sha256(text.as_bytes())
    }
}

/// Whether a provider can be used here at all, or why not.
fn support(provider: Provider) -> Result<(), String> {
    if provider == Provider::Image { consort_host::image_support() } else { Ok(()) }
}

fn kernel_release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default()
}

/// Finds the verdicts of one model; what is known already is not found out again.
pub struct Examiner<'a> {
    subject: &'a Subject,
    options: CheckOptions,
    verdicts: Option<&'a Verdicts>,
    make: &'a mut Make<'a>,
    on_trial: Option<OnTrial>,
    /// Made for the first verdict that is not known.
    check: Option<Check>,
}

impl<'a> Examiner<'a> {
    /// An examiner of `subject`, with the verdicts that are known, if they may be used.
    pub fn new(
        subject: &'a Subject,
        options: CheckOptions,
        verdicts: Option<&'a Verdicts>,
        make: &'a mut Make<'a>,
    ) -> Self {
        Examiner { subject, options, verdicts, make, on_trial: None, check: None }
    }

    /// The same, which says how far it is.
    #[must_use]
    pub fn with_progress(self, on_trial: Option<OnTrial>) -> Self {
        Examiner { on_trial, ..self }
    }

    /// What a provider does for the model.
    pub fn verdict(&mut self, provider: Provider) -> Verdict {
        // Whatever was found before: a container may forbid what the kernel can.
        if let Err(reason) = support(provider) {
            return Verdict::without(provider, Why::Refused { reason });
        }
        let key = self.subject.key(provider, &self.options);
        if let Some(known) = self.verdicts.and_then(|verdicts| verdicts.find(&key)) {
            return known;
        }
        let verdict = match (self.make)(provider) {
            Ok(model) => self.judge(&*model, provider),
            // Another machine, or the same one tomorrow, may be able to.
            Err(reason) => return Verdict::without(provider, Why::Refused { reason }),
        };
        let is_cut = self.check.as_ref().is_some_and(Check::is_of_today);
        if is_cut || verdict.why.as_ref().is_some_and(Why::is_of_today) {
            return verdict;
        }
        // A verdict that cannot be kept is found out again.
        let kept = self.verdicts.and_then(|verdicts| verdicts.keep(&key, &verdict).ok());
        kept.unwrap_or(verdict)
    }

    fn judge(&mut self, model: &dyn Model, provider: Provider) -> Verdict {
        let is_in_question = self.check.as_ref().is_none_or(|check| check.failure().is_some());
        if is_in_question {
            self.check = Check::new(model, &self.options, &self.subject.given);
        }
        let on_done = |provider: Provider, [done, trials]: [u32; 2]| {
            if let Some(on_trial) = &self.on_trial {
                on_trial(&Trial { model: &self.subject.name, provider, done, trials });
            }
        };
        match &self.check {
            Some(check) => check.judge_with_progress(model, provider, &on_done),
            None => {
                let reason = "the times of its default experiment have no common tick".to_owned();
                Verdict::without(provider, Why::Unsupported { reason })
            }
        }
    }
}

/// The verdict to go by: the first exact one, else the first that repeats.
pub(super) fn best(verdicts: &[Verdict]) -> Option<&Verdict> {
    let exact = verdicts.iter().find(|verdict| verdict.is_exact());
    exact.or_else(|| verdicts.iter().find(|verdict| verdict.fidelity == Fidelity::Repeatable))
}
