//! How faithfully the states of a model can be saved and restored: measured, never believed.
//!
//! A capability flag is no proof, and a saved state that is not complete is worse than none. So a model is put through
//! Algorithm 1 of Sinisi et al., *Reconciling interoperability with efficient verification and validation within open
//! source simulation environments* (2021), for each [`Provider`] that could save its states:
//!
//! - [`Course`]: how long it runs, in which steps, where it is saved; by default as in the paper: tau is 1 % of the
//!   horizon, excursions are up to the horizon, 100 trials.
//! - [`Check`]: a model's uninterrupted run, done twice; [`Check::judge`] compares a provider with it.
//! - [`Verdict`]: the fidelity, what keeps it from being better, and what saving costs.
//! - [`Examiner`]: the verdicts of one model, by provider; those that [`Verdicts`] knows are not found out again.
//! - [`choose()`]: the best provider for a model whose states will be saved.
//!
//! # Determinism
//! Verdicts and counter-examples follow from the model, the options and the seed; costs are measured.

mod choose;
mod course;
mod examine;
mod given;
mod rig;
mod signals;
mod store;
mod trials;
mod verdict;
mod watch;

pub use choose::{Chosen, choose};
pub use course::Course;
pub use examine::{Examiner, Make, Subject};
pub use given::Given;
pub use store::Verdicts;
pub use verdict::{Costs, CounterExample, Failure, Verdict, Why};

use consort_core::{Model, Provider, Seconds};
use rig::Circumstances;
use signals::Signals;
use trials::Reference;
use watch::Watch;

const HELD: &str = "inputs keep their start values: others make the model fail";
const TAME: &str =
    "excursions have the inputs of the run and end with it: others make the model fail";

/// What may be asked of a check.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CheckOptions {
    /// A difference that is more probable than this is to be found.
    pub epsilon: f64,
    /// With this probability it may stay unseen.
    pub delta: f64,
    /// How often the state is restored and compared, instead of what follows from epsilon and delta.
    pub trials: Option<u32>,
    /// What `sim(tau)` moves on by, instead of 1 % of the horizon.
    pub tau: Option<Seconds>,
    /// The longest excursion, instead of the horizon.
    pub bound: Option<Seconds>,
    /// The horizon, instead of the model's own.
    pub horizon: Option<Seconds>,
    /// The root of all randomness.
    pub seed: u64,
}

impl Default for CheckOptions {
    /// The paper's: 100 trials.
    fn default() -> Self {
        let (trials, tau, bound, horizon) = (None, None, None, None);
        CheckOptions { epsilon: 0.025, delta: 0.08, trials, tau, bound, horizon, seed: 0 }
    }
}

impl CheckOptions {
    /// How many trials there are: ln(delta) / ln(1 - epsilon), rounded up, unless they are given.
    pub fn trials(&self) -> u32 {
        let needed = (libm::log(self.delta) / libm::log(1.0 - self.epsilon)).ceil();
        self.trials.unwrap_or(needed as u32).max(1)
    }
}

/// A model on its course, and what it does there if nobody saves it.
pub struct Check {
    around: Circumstances,
    reference: Result<Reference, Failure>,
    /// What was assumed on the way.
    notes: Vec<String>,
}

impl Check {
    /// Runs `model`, given these parameters, twice without saving; `None` if the times of its default experiment have no common tick.
    pub fn new(model: &dyn Model, options: &CheckOptions, given: &Given) -> Option<Self> {
        let description = model.description();
        let course = Course::new(description, options)?;
        let signals = Signals::new(description, options.seed);
        let (watch, given) = (Watch::new(description), given.clone());
        let mut notes = given.notes().to_vec();
        let mut around = Circumstances { course, watch, signals, given };
        let mut reference = Reference::record(model, &around);
        if reference.is_err() && !around.signals.is_empty() {
            // Inputs were moved where the model does not work: it may still be saved.
            let held = around.signals.held();
            let varied = std::mem::replace(&mut around.signals, held);
            match Reference::record(model, &around) {
                Ok(recorded) => {
                    notes.push(HELD.to_owned());
                    reference = Ok(recorded);
                }
                Err(_) => around.signals = varied,
            }
        }
        notes.extend(reference.iter().flat_map(|reference| reference.hazards.clone()));
        Some(Check { around, reference, notes })
    }

    /// The run.
    pub fn course(&self) -> &Course {
        &self.around.course
    }

    /// How many variables are compared.
    pub fn variable_count(&self) -> usize {
        self.around.watch.len()
    }

    /// What went wrong in a run without any saving.
    pub fn failure(&self) -> Option<&Failure> {
        self.reference.as_ref().err()
    }

    /// Where two runs without any saving differ.
    pub fn unequal(&self) -> Option<&CounterExample> {
        self.reference.as_ref().ok().and_then(Reference::unequal)
    }

    /// What `provider` does for the model; `model` is the same one with instances that save their states by it.
    pub fn judge(&mut self, model: &dyn Model, provider: Provider) -> Verdict {
        let reference = match &self.reference {
            Ok(reference) => reference,
            Err(failure) => {
                return Verdict::without(provider, failure.clone().into_why());
            }
        };
        let mut verdict = trials::judge(model, provider, &self.around, reference);
        match &verdict.why {
            Some(Why::Failed { failure })
                if failure.is_on_excursion && !self.around.course.is_tame =>
            {
                // The author did not have these inputs or times in mind: it is no fault of saving.
                self.around.course.is_tame = true;
                self.notes.push(TAME.to_owned());
                self.judge(model, provider)
            }
            _ => {
                verdict.notes.clone_from(&self.notes);
                verdict
            }
        }
    }
}
