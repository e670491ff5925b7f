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
mod deadline;
mod examine;
mod given;
mod held;
mod portable;
mod reference;
mod signals;
mod store;
mod tools;
mod trial_instance;
mod trials;
mod verdict;
mod watch;

pub use crate::request::Conditions;
pub use choose::{Choice, Chosen, choose};
pub use course::Course;
pub use examine::{Examiner, Make, OnTrial, Subject, Trial};
pub use given::Given;
pub use store::Verdicts;
pub use verdict::{Costs, Failure, RestoreMismatch, Verdict, Why};

use consort_core::{Model, Provider, Seconds};
use deadline::Deadline;
use reference::Reference;
use signals::{Path, Signals, Varied};
use std::time::Duration;
use trial_instance::{TrialInstance, TrialSetup};
use trials::Baseline;
use watch::Watch;

const UNTUNED: &str = "tunable parameters keep their values: others make the model fail";
const CHOSEN: &str =
    "tunable parameters that are no real numbers keep their values: others make the model fail";
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
    /// What the run does whose states are to be saved.
    pub conditions: Conditions,
    /// How long one provider may take, instead of what follows from a run that is never saved. It decides whether
    /// there is a verdict, never which.
    pub budget: Option<Duration>,
}

impl Default for CheckOptions {
    /// The paper's: 100 trials.
    fn default() -> Self {
        let (trials, tau, bound, horizon) = (None, None, None, None);
        let (conditions, budget) = (Conditions::default(), None);
        let (epsilon, delta, seed) = (0.025, 0.08, 0);
        CheckOptions { epsilon, delta, trials, tau, bound, horizon, seed, conditions, budget }
    }
}

impl CheckOptions {
    /// How many trials there are: ln(delta) / ln(1 - epsilon), rounded up, unless they are given.
    pub fn trials(&self) -> u32 {
        let needed = (libm::log(self.delta) / libm::log(1.0 - self.epsilon)).ceil();
        self.trials.unwrap_or(needed as u32).max(1)
    }

    /// Everything that decides a verdict, as text. How long it may take decides nothing.
    fn describe(&self) -> String {
        let CheckOptions {
            epsilon,
            delta,
            trials,
            tau,
            bound,
            horizon,
            seed,
            conditions,
            budget: _,
        } = self;
        let seconds = |time: &Option<Seconds>| time.map_or(String::new(), |time| time.to_string());
        let trials = trials.map_or(String::new(), |trials| trials.to_string());
        let [tau, bound, horizon] = [tau, bound, horizon].map(seconds);
        let [epsilon, delta] = [epsilon, delta].map(|it| it.to_bits());
        let conditions = conditions.describe();
        format!(
            "epsilon {epsilon:016x} delta {delta:016x} trials {trials} tau {tau} bound {bound} \
             horizon {horizon} seed {seed} {conditions}"
        )
    }
}

/// A model on its course, and what it does there if it is never saved.
pub struct Check {
    trial_setup: TrialSetup,
    reference: Result<Reference, Failure>,
    /// What was assumed on the way.
    notes: Vec<String>,
}

impl Check {
    /// Runs `model`, given these parameters, twice without saving; `None` if the times of its default experiment have no common tick.
    pub fn new(model: &dyn Model, options: &CheckOptions, given: &Given) -> Option<Self> {
        let description = model.description();
        let course = Course::new(description, options)?;
        let signals = Signals::new(description, given, options.seed);
        let (watch, given) = (Watch::new(description), given.clone());
        let mut notes = given.notes().to_vec();
        let has_events = options.conditions.event_mode && description.capabilities.event_mode;
        let deadline = Deadline::new(options.budget);
        let mut trial_setup = TrialSetup { course, watch, signals, given, has_events, deadline };
        trial_setup.deadline.begin_plain();
        let reference = record(model, &mut trial_setup, &mut notes);
        notes.extend(reference.iter().flat_map(|reference| reference.hazards.clone()));
        Some(Check { trial_setup, reference, notes })
    }

    /// The times at which trials save and restore.
    pub fn course(&self) -> &Course {
        &self.trial_setup.course
    }

    /// The number of compared variables.
    pub fn variable_count(&self) -> usize {
        self.trial_setup.watch.len()
    }

    /// What went wrong in a run without any saving.
    pub fn failure(&self) -> Option<&Failure> {
        self.reference.as_ref().err()
    }

    /// Whether what ended the run without any saving may not be there tomorrow.
    pub fn is_of_today(&self) -> bool {
        self.reference.as_ref().is_ok_and(Reference::is_of_today)
    }

    /// Where two runs without any saving differ.
    pub fn unequal(&self) -> Option<&RestoreMismatch> {
        self.reference.as_ref().ok().and_then(|reference| reference.unequal.as_ref())
    }

    /// What `provider` does for the model; `model` is the same one with instances that save their states by it.
    pub fn judge(&self, model: &dyn Model, provider: Provider) -> Verdict {
        self.judge_with_progress(model, provider, &|_, _| ())
    }

    fn judge_with_progress(
        &self,
        model: &dyn Model,
        provider: Provider,
        on_done: trials::OnDone<'_>,
    ) -> Verdict {
        let reference = match &self.reference {
            Ok(reference) => reference,
            Err(failure) => {
                let why = failure.clone().into_why();
                return Verdict { notes: self.notes.clone(), ..Verdict::without(provider, why) };
            }
        };
        let baseline = Baseline { trial_setup: &self.trial_setup, reference };
        self.trial_setup.deadline.begin(reference.whole, provider == Provider::Replay);
        let mut verdict = trials::judge(model, provider, baseline, false, on_done);
        let is_lost = |why: &Why| matches!(why, Why::Failed { failure } if failure.is_on_excursion);
        if verdict.why.as_ref().is_some_and(is_lost) {
            // The author did not have these inputs or times in mind: it is no fault of saving.
            verdict = trials::judge(model, provider, baseline, true, on_done);
            verdict.notes.insert(0, TAME.to_owned());
        }
        verdict.notes = self.notes.iter().cloned().chain(verdict.notes).collect();
        verdict
    }
}

/// Two runs without saving, with as much varied as the model takes: what was moved where it does not work says nothing
/// about its states.
fn record(
    model: &dyn Model,
    trial_setup: &mut TrialSetup,
    notes: &mut Vec<String>,
) -> Result<Reference, Failure> {
    let ladder = trial_setup.signals.ladder();
    let (mut first, mut longest) = (None, None::<(Varied, Reference)>);
    for &varied in &ladder {
        trial_setup.signals.vary(varied);
        let reference = match record_what_is_readable(model, trial_setup, notes) {
            Ok(reference) => reference,
            // What is not the model's doing says nothing about what it takes: no clock decides which verdict it is.
            Err(failure) if failure.is_late || failure.is_from_outside => return Err(failure),
            Err(failure) => {
                first = first.or(Some(failure));
                continue;
            }
        };
        if reference.is_of_today() {
            longest = Some((varied, reference));
            break;
        }
        let is_whole = reference.failure.is_none();
        let is_longer = |(_, best): &(_, Reference)| best.points() < reference.points();
        if longest.as_ref().is_none_or(is_longer) {
            longest = Some((varied, reference));
        }
        if is_whole {
            break;
        }
    }
    let Some((varied, reference)) = longest else {
        return Err(first.expect("there is a rung at least"));
    };
    trial_setup.signals.vary(varied);
    notes.extend(left_out(varied, &ladder));
    let ended = reference.failure.as_ref();
    notes.extend(ended.map(|failure| format!("{failure}; states are checked up to there")));
    Ok(reference)
}

/// What is not varied though it could be.
fn left_out(varied: Varied, ladder: &[Varied]) -> Option<String> {
    let left = match varied {
        _ if ladder.first() == Some(&varied) => return None,
        Varied::RealParameters => CHOSEN,
        Varied::Inputs => UNTUNED,
        Varied::Nothing | Varied::All => HELD,
    };
    Some(left.to_owned())
}

/// The same; variables that the model refuses to read are left out.
fn record_what_is_readable(
    model: &dyn Model,
    trial_setup: &mut TrialSetup,
    notes: &mut Vec<String>,
) -> Result<Reference, Failure> {
    loop {
        let failure = match Reference::record(model, trial_setup) {
            Err(failure) if failure.is_of_reading => failure,
            recorded => return recorded,
        };
        let left_out = unreadable(model, trial_setup)?;
        let Some(name) = left_out.first() else { return Err(failure) };
        notes.push(match left_out.len() - 1 {
            0 => format!("`{name}` cannot be read, and is not compared"),
            more => format!("`{name}` and {more} more cannot be read, and are not compared"),
        });
        trial_setup.watch.leave_out(&left_out);
    }
}

/// What the model refuses to read at its start, else one tau later.
fn unreadable(model: &dyn Model, trial_setup: &TrialSetup) -> Result<Vec<String>, Failure> {
    let mut trial_instance = TrialInstance::start(model, trial_setup)?;
    let at_start = trial_instance.unreadable();
    if !at_start.is_empty() {
        return Ok(at_start);
    }
    trial_instance.sim(trial_setup.course.point(1), Path::Main)?;
    Ok(trial_instance.unreadable())
}
