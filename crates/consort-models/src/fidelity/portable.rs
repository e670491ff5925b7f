//! Whether a state can also be brought to a fresh instance, which lives in a process of its own where models do.

use super::reference::Reference;
use super::signals::Path;
use super::trial_instance::{TrialInstance, TrialSetup};
use super::trials::{Ended, TrialPlace, example};
use super::verdict::{Costs, Why};
use consort_core::{Fidelity, Model, Time};

/// At how many points a state is brought to a fresh instance, and for how many tau it is followed there.
const FRESH_POINTS: u32 = 5;
const FOLLOWED_PARTS: u32 = 4;

/// What to say of a state that is exact where it was saved.
pub(super) fn judge(
    model: &dyn Model,
    trial_setup: &TrialSetup,
    reference: &Reference,
    costs: &mut Costs,
) -> (Fidelity, Option<Why>) {
    match brought_over(model, trial_setup, reference, costs) {
        Ok(()) => (Fidelity::Portable, None),
        Err(Ended::Failed(failure)) if failure.is_late || failure.is_from_outside => {
            (Fidelity::None, Some(failure.into_why()))
        }
        Err(Ended::Failed(failure)) => {
            let reason = match failure.into_why() {
                Why::Unsupported { .. } => "its states cannot be turned into bytes".to_owned(),
                other => other.to_string(),
            };
            (Fidelity::Exact, Some(Why::NotPortable { reason }))
        }
        Err(Ended::Differs(example)) => {
            (Fidelity::Exact, Some(Why::NotPortable { reason: example.to_string() }))
        }
    }
}

fn brought_over(
    model: &dyn Model,
    trial_setup: &TrialSetup,
    reference: &Reference,
    costs: &mut Costs,
) -> Result<(), Ended> {
    let mut trial_instance = TrialInstance::start(model, trial_setup)?;
    let points = reference.points();
    let every = points.div_ceil(FRESH_POINTS).max(1);
    for index in 0..points {
        if index % every == every - 1 {
            let (point, _) = trial_instance.save()?;
            let bytes = trial_instance.serialize(&point)?;
            costs.bytes = costs.bytes.or(Some(bytes.len() as u64));
            let mut fresh = TrialInstance::start_elsewhere(model, trial_setup)?;
            fresh.revive(&bytes, &trial_instance)?;
            follow(&mut fresh, index, trial_setup, reference)?;
        }
        trial_instance.sim(trial_setup.course.point(index + 1), Path::Main)?;
    }
    Ok(())
}

/// Moves on from a point and compares.
fn follow(
    fresh: &mut TrialInstance<'_>,
    from: u32,
    trial_setup: &TrialSetup,
    reference: &Reference,
) -> Result<(), Ended> {
    let saved_at = fresh.now();
    for index in from..reference.points().min(from + FOLLOWED_PARTS) {
        let end = trial_setup.course.point(index + 1);
        fresh.sim(end, Path::Main)?;
        let (expected, found) = (&reference.observed[index as usize + 1], fresh.observe()?);
        if let Some(difference) = trial_setup.watch.difference(expected, &found) {
            let trial = TrialPlace { number: 0, saved_at, excursion: Time::ZERO };
            return Err(Ended::Differs(Box::new(example(trial_setup, &trial, end, difference))));
        }
    }
    Ok(())
}
