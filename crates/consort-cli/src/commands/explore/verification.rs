//! Scenarios that are run again from their start: what an exploration says does not rest on restored states
//! alone.

use super::Session;
use super::folder;
use crate::commands::campaign_worker;
use crate::outcome::CommandError;
use crate::output::diagnostics::plural;
use crate::output::printer::Printer;
use consort_core::Diagnostic;
use consort_engine::StateDiffers;
use consort_explore::chronicle::{Chronicle, Errands};
use consort_explore::coordinator::Ending;
use consort_explore::report::{self, Verified};
use consort_explore::run_world::Until;
use consort_explore::sample::{self, Difference, Explanation};
use consort_explore::strategy::{Strategy, Task};
use consort_explore::world::World;
use serde_json::json;

/// So many scenarios make a unit of work.
const UNIT: usize = 8;

/// Lets workers run a seeded share of the scenarios again.
///
/// # Errors
/// If one came to another place than by restored states; or if workers cannot be started.
pub(super) fn verify(
    session: &mut Session<'_>,
    chronicle: &Chronicle,
    ending: &Ending,
    printer: &Printer,
) -> Result<Option<Verified>, CommandError> {
    let ready = session.ready();
    let nodes = chronicle.summary().nodes;
    let leaves = sample::chosen(ready.campaign.seed, chronicle.leaves(), nodes, ready.verify_share);
    if *ending == Ending::Stopped || leaves.is_empty() {
        return Ok(None);
    }
    let periods = leaves.iter().map(|leaf| leaf.prefix.len() as u64).sum();
    let scenarios = leaves.len() as u64;
    let mut errands =
        Errands::new(leaves.chunks(UNIT).map(|leaves| Task::Again { leaves: leaves.to_vec() }));
    session.deadline = None;
    if session.follow("verify", &mut errands, printer)? == Ending::Stopped {
        return Ok(None);
    }
    let results = errands.into_results().into_iter().flatten();
    let differences: Vec<Difference> = results.flat_map(|result| result.differences).collect();
    match differences.first() {
        None => Ok(Some(Verified { scenarios, periods })),
        Some(first) => {
            let count = differences.len() as u64;
            let count =
                format!("so do {count} of {} that were run again", plural(scenarios, "scenario"));
            Err(different(session, first, Some(count)))
        }
    }
}

/// How much was run again, for a person.
pub(super) fn lines(verified: Option<Verified>) -> Vec<String> {
    let line = |verified: Verified| {
        let scenarios = plural(verified.scenarios, "scenario");
        format!("{scenarios} run again from the start without restored states: all agree")
    };
    verified.map(line).into_iter().collect()
}

/// A scenario that violates a property by restored states only.
pub(super) fn not_a_violation(session: &Session<'_>, letters: &[u32]) -> CommandError {
    let mut world = match campaign_worker::start(session.ready(), Until::Decided) {
        Ok(world) => world,
        Err(error) => return error,
    };
    let explanation = world.explain(letters, &[]);
    let found = Difference { prefix: letters.to_vec(), explanation };
    let why = "a property is violated by restored states, and is not from the start".to_owned();
    different(session, &found, Some(why))
}

/// The error for a difference; the report in the folder holds it instead of a verdict.
fn different(session: &Session<'_>, found: &Difference, more: Option<String>) -> CommandError {
    let ready = session.ready();
    let choices = report::choices(&ready.resolved, &found.prefix);
    let Explanation { message, notes } = found.explanation.clone();
    let shown = json!({
        "campaign": ready.campaign.name,
        "identity": ready.identity,
        "answer": "unknown",
        "ending": "states differ",
        "difference": {"message": message, "notes": notes, "choices": choices},
    });
    if let Err(error) = session.folder().write(folder::REPORT, &super::pretty(&shown)) {
        return error;
    }
    let diagnostic = Diagnostic::error("state::differs", message);
    let diagnostic = notes.into_iter().chain(more).fold(diagnostic, Diagnostic::with_note);
    let diagnostic = diagnostic.with_note(format!("the choices are {choices}"));
    CommandError::failed(diagnostic.help(StateDiffers::HELP))
}
