//! A run without saving: what all others are compared with.

use super::signals::Path;
use super::trial_instance::{TrialInstance, TrialSetup};
use super::trials::{TrialPlace, example};
use super::verdict::{Failure, RestoreMismatch};
use super::watch::Observed;
use consort_core::{Model, Time};

/// What a model does if its state is never saved.
pub(super) struct Reference {
    /// At the start and after each point; fewer if the model asked to end.
    pub(super) observed: Vec<Observed>,
    /// Where the first difference to a second run is.
    pub(super) unequal: Option<RestoreMismatch>,
    /// How long the faster of the two took, in seconds.
    pub(super) whole: f64,
    /// What the model does that some providers do not save.
    pub(super) hazards: Vec<String>,
    /// What ended it before its time, if something did.
    pub(super) failure: Option<Failure>,
}

/// One run without saving.
struct UnsavedRun {
    observed: Vec<Observed>,
    seconds: f64,
    hazards: Vec<String>,
    failure: Option<Failure>,
}

impl Reference {
    /// Runs the model twice. Where it fails in the midst of its run, that is the end of it: what came before can be
    /// saved.
    pub(super) fn record(model: &dyn Model, trial_setup: &TrialSetup) -> Result<Self, Failure> {
        let first = uninterrupted(model, trial_setup, trial_setup.course.points)?;
        let points = u32::try_from(first.observed.len() - 1).unwrap_or(u32::MAX);
        let second = uninterrupted(model, trial_setup, points.min(trial_setup.course.points))?;
        // Of two times of the same work the longer one holds more of what others did.
        let whole = first.seconds.min(second.seconds);
        let mut pairs = first.observed.iter().zip(&second.observed).enumerate();
        let unequal = pairs.find_map(|(index, (first, second))| {
            let difference = trial_setup.watch.difference(first, second)?;
            let end = trial_setup.course.point(u32::try_from(index).ok()?);
            let trial = TrialPlace { number: 0, saved_at: end, excursion: Time::ZERO };
            Some(example(trial_setup, &trial, end, difference))
        });
        let UnsavedRun { observed, hazards, failure, .. } = first;
        Ok(Reference { observed, unequal, whole, hazards, failure })
    }

    /// Whether it was ended by what may not be there tomorrow.
    pub(super) fn is_of_today(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.is_from_outside)
    }

    /// How many points there are to save at: none if the model ended at once and cannot be read any more.
    pub(super) fn points(&self) -> u32 {
        let points = self.observed.len().saturating_sub(1);
        u32::try_from(points).expect("there are as many points as trials at most")
    }
}

/// The values at the start and after each point, that of the end included.
fn uninterrupted(
    model: &dyn Model,
    trial_setup: &TrialSetup,
    points: u32,
) -> Result<UnsavedRun, Failure> {
    let mut trial_instance = TrialInstance::start(model, trial_setup)?;
    let (observed, hazards) = (vec![trial_instance.observe()?], Vec::new());
    let mut run = UnsavedRun { observed, seconds: 0.0, hazards, failure: None };
    for index in 0..points {
        match trial_instance.sim(trial_setup.course.point(index + 1), Path::Main) {
            Ok(seconds) => run.seconds += seconds,
            Err(failure) if failure.is_late || index == 0 => return Err(failure),
            Err(failure) => {
                run.failure = Some(failure);
                return Ok(run);
            }
        }
        match trial_instance.observe() {
            Ok(observed) => run.observed.push(observed),
            // Who has ended need not answer any more.
            Err(_) if trial_instance.is_over() => break,
            Err(failure) => return Err(failure),
        }
        if trial_instance.is_over() {
            break;
        }
    }
    run.hazards = trial_instance.hazards();
    Ok(run)
}
