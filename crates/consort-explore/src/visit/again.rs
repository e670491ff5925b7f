//! Scenarios that are run again from the start, without any restored state.

use crate::drive::{Drive, Taken, WorkError};
use crate::sample::{DifferenceExplanation, Leaf, RerunDifference};
use crate::strategy::UnitResult;
use crate::world::{PrefixEvaluation, World};

/// Runs each leaf again, and reports those that came to another place.
pub(super) fn again<W: World>(
    drive: &mut Drive<'_, W>,
    leaves: &[Leaf],
) -> Result<UnitResult, WorkError<W::Error>> {
    let mut result = UnitResult::default();
    for leaf in leaves {
        let explanation = match run(drive, &leaf.prefix)? {
            Ok(evaluation) if leaf.is_where(&drive.marks(), &evaluation) => continue,
            Ok(_) => drive.explain(leaf),
            Err(reason) => DifferenceExplanation {
                message:
                    "a scenario that could be run by restored states cannot be run from its start"
                        .to_owned(),
                notes: vec![reason],
            },
        };
        result.differences.push(RerunDifference { prefix: leaf.prefix.clone(), explanation });
    }
    Ok(result)
}

/// Takes all letters; what the last one led to, or why one of them cannot be taken.
fn run<W: World>(
    drive: &mut Drive<'_, W>,
    prefix: &[u32],
) -> Result<Result<PrefixEvaluation, String>, WorkError<W::Error>> {
    drive.renew()?;
    let mut last = None;
    for length in 1..=prefix.len() {
        if let Some(reason) = drive.ask(&prefix[..length])? {
            return Ok(Err(reason));
        }
        match drive.take(&prefix[..length])? {
            Taken::Evaluation(evaluation) => last = Some(evaluation),
            Taken::Failed(reason) => return Ok(Err(reason)),
        }
    }
    Ok(last.ok_or_else(|| "it has no period".to_owned()))
}
