//! Counter-examples: chosen, shrunk, run again, validated with smaller steps, and written down.

use super::folder;
use super::prepare::Campaign;
use super::scenario::{self, ScenarioRun};
use super::session::Session;
use super::verification;
use consort_explore::coordinator::CampaignEnd;
use consort_explore::history::{CampaignHistory, FixedUnits};
use consort_explore::report::{CounterExample, CounterExampleRole, Validation};
use consort_explore::strategy::{Strategy as _, UnitTask};
use consort_run::{Context, Error};
use consort_view::plot::Figure;

/// A scenario that violates a property, before it was run again.
#[derive(Clone, Copy)]
struct UnverifiedViolation {
    role: CounterExampleRole,
    property: usize,
    index: u128,
}

/// The counter-examples, at most three of each property, and their pictures.
///
/// # Errors
/// If workers cannot be started, or files cannot be written.
pub(super) fn find(
    session: &mut Session<'_>,
    history: &CampaignHistory,
    ending: &CampaignEnd,
    context: &Context,
) -> Result<(Vec<CounterExample>, Vec<Figure>), Error> {
    let mut candidates = candidates(history);
    if candidates.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    if *ending != CampaignEnd::Stopped {
        candidates.extend(shrink(session, history, context)?);
        candidates.sort_by_key(|candidate| candidate.property);
    }
    let _waiting = context.monitor.waiting("validating counter-examples");
    let campaign = session.campaign;
    let tighter = tighter(session, context);
    let (mut found, mut pictures) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let letters = campaign.resolved.space.unrank(candidate.index);
        let run = scenario::run(campaign, &letters, None)?;
        if run.evaluation.verdicts[candidate.property] != Some(false) {
            return Err(verification::not_a_violation(session, &letters));
        }
        let example = judge(campaign, candidate, letters, &run, tighter.as_ref());
        let title = format!("{}: {}", property(campaign, &example), example.role.name());
        let formula = &campaign.written.properties[example.property].formula.value;
        pictures.push(scenario::figure(campaign, &run, &title, formula));
        let place = session.folder.file(folder::COUNTER_EXAMPLES);
        let text = super::pretty(&scenario::to_json(campaign, &example, &place));
        session.folder.write(&example.file, &text)?;
        found.push(example);
    }
    Ok((found, pictures))
}

fn property<'c>(campaign: &'c Campaign, example: &CounterExample) -> &'c str {
    &campaign.resolved.questions[example.property].name
}

/// The first and the least robust scenario of each property that is violated.
fn candidates(history: &CampaignHistory) -> Vec<UnverifiedViolation> {
    let summary = history.summary();
    let mut candidates = Vec::new();
    for (property, known) in summary.properties.iter().enumerate() {
        let is_violated = |outcome: &&consort_explore::visit::Outcome| {
            outcome.verdicts.get(property) == Some(&Some(false))
        };
        let first = summary.violations.iter().find(is_violated).map(|outcome| outcome.index);
        candidates.extend(first.map(|index| UnverifiedViolation {
            role: CounterExampleRole::First,
            property,
            index,
        }));
        let worst = known.worst.as_ref().filter(|_| 0 < known.violated);
        let worst = worst.map(|worst| worst.index).filter(|index| Some(*index) != first);
        candidates.extend(worst.map(|index| UnverifiedViolation {
            role: CounterExampleRole::Worst,
            property,
            index,
        }));
    }
    candidates
}

/// Lets workers shrink the first scenario of each property.
fn shrink(
    session: &mut Session<'_>,
    history: &CampaignHistory,
    context: &Context,
) -> Result<Vec<UnverifiedViolation>, Error> {
    let space = &session.campaign.resolved.space;
    let firsts = candidates(history);
    let firsts = firsts.into_iter().filter(|candidate| candidate.role == CounterExampleRole::First);
    let firsts: Vec<UnverifiedViolation> = firsts.collect();
    let task = |first: &UnverifiedViolation| UnitTask::Shrink {
        prefix: space.unrank(first.index),
        property: first.property,
    };
    let mut units = FixedUnits::new(firsts.iter().map(task));
    session.deadline = None;
    session.follow("shrink", &mut units, context)?;
    let results = units.into_results().into_iter().zip(firsts);
    let shrunk = results.filter_map(|(result, first)| {
        let shrunk = result?.shrunk?;
        let index = space.first_below(&shrunk.prefix)?;
        let is_new = index != first.index;
        is_new.then_some(UnverifiedViolation {
            role: CounterExampleRole::Shrunk,
            property: first.property,
            index,
        })
    });
    Ok(shrunk.collect())
}

/// The campaign with smaller steps and tolerances, or why it cannot be prepared; `None` if it is not wanted.
fn tighter(session: &Session<'_>, context: &Context) -> Option<Result<Campaign, String>> {
    let campaign = session.campaign;
    let wanted = campaign.written.tighter.is_wanted;
    let tightened = wanted.then(|| campaign.tightened(session.models, context));
    tightened.map(|prepared| prepared.map_err(first_message))
}

/// Why something could not be done, in a line.
fn first_message(error: Error) -> String {
    let first = error.errors().into_iter().next();
    first.map(|diagnostic| diagnostic.message).unwrap_or_default()
}

fn judge(
    campaign: &Campaign,
    candidate: UnverifiedViolation,
    letters: Vec<u32>,
    run: &ScenarioRun,
    tighter: Option<&Result<Campaign, String>>,
) -> CounterExample {
    let UnverifiedViolation { role, property, index } = candidate;
    let name = &campaign.resolved.questions[property].name;
    let validation = tighter.map(|tighter| match tighter {
        Ok(tighter) => validate(tighter, &letters, property),
        Err(reason) => Validation::Failed(reason.clone()),
    });
    CounterExample {
        role,
        property,
        file: format!("{}/{}-{}.json", folder::COUNTER_EXAMPLES, slug(name, property), role.name()),
        index,
        changes: campaign.resolved.space.changes(&letters),
        letters,
        robustness: run.evaluation.robustness[property],
        trace_hash: run.trace_hash.clone(),
        validation,
    }
}

fn validate(tighter: &Campaign, letters: &[u32], property: usize) -> Validation {
    match scenario::run(tighter, letters, None) {
        Ok(again) => {
            let bounds = again.evaluation.robustness[property];
            match again.evaluation.verdicts[property] {
                Some(false) => Validation::Confirmed(bounds),
                _ => Validation::Refuted(bounds),
            }
        }
        Err(error) => Validation::Failed(first_message(error)),
    }
}

/// A name as files may have it; the number keeps two apart that become alike.
fn slug(name: &str, number: usize) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let plain: String = name.chars().take(40).map(plain).collect();
    format!("{}-{}", number + 1, plain.trim_matches('-').to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_of_properties_become_names_of_files() {
        assert_eq!(slug("no overflow", 0), "1-no-overflow");
        assert_eq!(slug("../../etc/passwd", 1), "2-etc-passwd");
        assert_eq!(slug("", 2), "3-");
    }
}
