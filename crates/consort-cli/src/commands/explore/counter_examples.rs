//! Counter-examples: chosen, shrunk, run again, validated with smaller steps, and written down.

use super::Session;
use super::folder::{self, CampaignFolder};
use super::prepare::{self, Ready};
use super::repeat::{self, Repeated};
use super::verification;
use crate::cli::{CampaignChanges, Global};
use crate::outcome::CommandError;
use crate::output::printer::{Printer, one_line};
use consort_explore::campaign::ResolvedCampaign;
use consort_explore::chronicle::{Chronicle, Errands};
use consort_explore::coordinator::Ending;
use consort_explore::report::{CounterExample, Role, Validation};
use consort_explore::strategy::{Strategy, Task};
use consort_explore::world::Bounds;
use consort_view::numbers::short;
use consort_view::plot::Figure;

/// A scenario that violates a property, before it was run again.
#[derive(Clone, Copy)]
struct Candidate {
    role: Role,
    property: usize,
    index: u128,
}

/// What shall be known of the scenarios that violate properties: at most three of each.
///
/// # Errors
/// If workers cannot be started, or files cannot be written.
pub(super) fn find(
    session: &mut Session<'_>,
    chronicle: &Chronicle,
    ending: &Ending,
    global: &Global,
    printer: &Printer,
) -> Result<(Vec<CounterExample>, Vec<Figure>), CommandError> {
    let mut candidates = candidates(chronicle);
    if candidates.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    if *ending != Ending::Stopped {
        candidates.extend(shrink(session, chronicle, printer)?);
        candidates.sort_by_key(|candidate| candidate.property);
    }
    let _waiting = printer.waiting("validating counter-examples");
    let ready = session.ready();
    let tighter = tighter(ready, global, printer);
    let (mut found, mut pictures) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let letters = ready.resolved.space.unrank(candidate.index);
        let repeated = repeat::run(ready, &letters, None)?;
        if repeated.standing.verdicts[candidate.property] != Some(false) {
            return Err(verification::not_a_violation(session, &letters));
        }
        let example = judge(ready, candidate, letters, &repeated, tighter.as_ref());
        let title = format!("{}: {}", question(ready, &example), example.role.name());
        let formula = &ready.campaign.properties[example.property].formula.value;
        pictures.push(repeat::figure(ready, &repeated, &title, formula));
        let place = session.folder().file(folder::COUNTER_EXAMPLES);
        let text = super::pretty(&repeat::to_json(ready, &example, &place));
        session.folder().write(&example.file, &text)?;
        found.push(example);
    }
    Ok((found, pictures))
}

fn question<'r>(ready: &'r Ready, example: &CounterExample) -> &'r str {
    &ready.resolved.questions[example.property].name
}

/// The first and the least robust scenario of each property that is violated.
fn candidates(chronicle: &Chronicle) -> Vec<Candidate> {
    let summary = chronicle.summary();
    let mut candidates = Vec::new();
    for (property, known) in summary.properties.iter().enumerate() {
        let is_violated = |outcome: &&consort_explore::visit::Outcome| {
            outcome.verdicts.get(property) == Some(&Some(false))
        };
        let first = summary.violations.iter().find(is_violated).map(|outcome| outcome.index);
        candidates.extend(first.map(|index| Candidate { role: Role::First, property, index }));
        let worst = known.worst.as_ref().filter(|_| 0 < known.violated);
        let worst = worst.map(|worst| worst.index).filter(|index| Some(*index) != first);
        candidates.extend(worst.map(|index| Candidate { role: Role::Worst, property, index }));
    }
    candidates
}

/// Lets workers shrink the first scenario of each property.
fn shrink(
    session: &mut Session<'_>,
    chronicle: &Chronicle,
    printer: &Printer,
) -> Result<Vec<Candidate>, CommandError> {
    let space = &session.ready().resolved.space;
    let firsts = candidates(chronicle);
    let firsts = firsts.into_iter().filter(|candidate| candidate.role == Role::First);
    let firsts: Vec<Candidate> = firsts.collect();
    let task = |first: &Candidate| Task::Shrink {
        prefix: space.unrank(first.index),
        property: first.property,
    };
    let mut errands = Errands::new(firsts.iter().map(task));
    session.deadline = None;
    session.follow("shrink", &mut errands, printer)?;
    let results = errands.into_results().into_iter().zip(firsts);
    let shrunk = results.filter_map(|(result, first)| {
        let shrunk = result?.shrunk?;
        let index = space.first_below(&shrunk.prefix)?;
        let is_new = index != first.index;
        is_new.then_some(Candidate { role: Role::Shrunk, property: first.property, index })
    });
    Ok(shrunk.collect())
}

/// The system with smaller steps and tolerances, or why it cannot be had; `None` if it is not wanted.
fn tighter(ready: &Ready, global: &Global, printer: &Printer) -> Option<Result<Ready, String>> {
    if !ready.campaign.tighter.is_wanted {
        return None;
    }
    let arguments = prepare::tightened(ready);
    let changes = CampaignChanges { seed: Some(ready.campaign.seed), ..Default::default() };
    let prepared = prepare::prepare(&ready.path, &changes, Some(arguments), global, printer);
    Some(prepared.map_err(|error| first_words(&error)))
}

/// What kept a command from answering, in a line.
fn first_words(error: &CommandError) -> String {
    match error {
        CommandError::Invalid { report } | CommandError::Failed { report } => {
            let first = report.diagnostics().first();
            first.map(|diagnostic| diagnostic.message.clone()).unwrap_or_default()
        }
        CommandError::Output { source } => source.to_string(),
    }
}

fn judge(
    ready: &Ready,
    candidate: Candidate,
    letters: Vec<u32>,
    repeated: &Repeated,
    tighter: Option<&Result<Ready, String>>,
) -> CounterExample {
    let Candidate { role, property, index } = candidate;
    let name = &ready.resolved.questions[property].name;
    let validation = tighter.map(|tighter| match tighter {
        Ok(tighter) => validate(tighter, &letters, property),
        Err(reason) => Validation::Failed(reason.clone()),
    });
    CounterExample {
        role,
        property,
        file: format!("{}/{}-{}.json", folder::COUNTER_EXAMPLES, slug(name, property), role.name()),
        index,
        changes: ready.resolved.space.changes(&letters),
        letters,
        robustness: repeated.standing.robustness[property],
        trace_hash: repeated.trace_hash.clone(),
        validation,
    }
}

fn validate(tighter: &Ready, letters: &[u32], property: usize) -> Validation {
    match repeat::run(tighter, letters, None) {
        Ok(again) => {
            let bounds = again.standing.robustness[property];
            match again.standing.verdicts[property] {
                Some(false) => Validation::Confirmed(bounds),
                _ => Validation::Refuted(bounds),
            }
        }
        Err(error) => Validation::Failed(first_words(&error)),
    }
}

/// A name as files may have it; the number keeps two apart that become alike.
fn slug(name: &str, number: usize) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let plain: String = name.chars().take(40).map(plain).collect();
    format!("{}-{}", number + 1, plain.trim_matches('-').to_lowercase())
}

/// `-0.5`, or `-0.5 to 1`.
#[expect(clippy::float_cmp, reason = "a point is an interval of no width at all")]
pub(super) fn interval(bounds: Bounds) -> String {
    match bounds.low == bounds.high {
        true => short(bounds.low),
        false => format!("{} to {}", short(bounds.low), short(bounds.high)),
    }
}

/// A counter-example in a line.
pub(super) fn line(
    found: &CounterExample,
    resolved: &ResolvedCampaign,
    folder: &CampaignFolder,
) -> String {
    let name = one_line(&resolved.questions[found.property].name);
    let validation = match &found.validation {
        None => String::new(),
        Some(Validation::Confirmed(tighter)) => format!(", confirmed at {}", interval(*tighter)),
        Some(Validation::Refuted(tighter)) => {
            format!(", NOT confirmed with smaller steps: {}", interval(*tighter))
        }
        Some(Validation::Failed(reason)) => format!(", could not be validated: {reason}"),
    };
    let robustness = interval(found.robustness);
    let role = found.role.name();
    let file = folder.file(&found.file);
    let file = file.display();
    format!("`{name}` violated ({role}): robustness {robustness}{validation}; {file}")
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
