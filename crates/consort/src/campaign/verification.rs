//! Scenarios that are run again from the start: what an exploration says does not rest on restored states alone.

use super::folder;
use super::session::Session;
use super::worker::start;
use consort_core::Diagnostic;
use consort_engine::{RunOptions, StateDiffers};
use consort_explore::coordinator::CampaignEnd;
use consort_explore::history::{CampaignHistory, FixedUnits};
use consort_explore::report::{self, Verified};
use consort_explore::run_world::RunUntil;
use consort_explore::sample::{self, DifferenceExplanation, RerunDifference};
use consort_explore::strategy::{Strategy as _, UnitTask};
use consort_explore::world::World as _;
use consort_run::{Context, Error};
use consort_view::numbers::plural;
use serde_json::json;

/// How many scenarios make a unit of work.
const UNIT: usize = 8;

/// Lets workers run a seeded share of the scenarios again.
///
/// # Errors
/// If one came to another place than by restored states; or if workers cannot be started.
pub(super) fn verify(
    session: &mut Session<'_>,
    history: &CampaignHistory,
    ending: &CampaignEnd,
    context: &Context,
) -> Result<Option<Verified>, Error> {
    let campaign = session.campaign;
    let (seed, share) = (campaign.written.seed, campaign.changes.verify_share);
    let leaves = sample::chosen(seed, history.leaves(), history.summary().nodes, share);
    if *ending == CampaignEnd::Stopped || leaves.is_empty() {
        return Ok(None);
    }
    let periods = leaves.iter().map(|leaf| leaf.prefix.len() as u64).sum();
    let scenarios = leaves.len() as u64;
    let mut units = FixedUnits::new(
        leaves.chunks(UNIT).map(|leaves| UnitTask::Again { leaves: leaves.to_vec() }),
    );
    session.deadline = None;
    if session.follow("verify", &mut units, context)? == CampaignEnd::Stopped {
        return Ok(None);
    }
    let results = units.into_results().into_iter().flatten();
    let differences: Vec<RerunDifference> = results.flat_map(|result| result.differences).collect();
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

/// A scenario that violates a property by restored states only.
pub(super) fn not_a_violation(session: &Session<'_>, letters: &[u32]) -> Error {
    let mut world = match start(session.campaign, RunOptions::quiet(1), RunUntil::Decided) {
        Ok(world) => world,
        Err(error) => return error,
    };
    let explanation = world.explain(letters, &[]);
    let found = RerunDifference { prefix: letters.to_vec(), explanation };
    let why = "a property is violated by restored states, and is not from the start".to_owned();
    different(session, &found, Some(why))
}

/// The error for a difference; the report in the folder holds it instead of a verdict.
fn different(session: &Session<'_>, found: &RerunDifference, more: Option<String>) -> Error {
    let campaign = session.campaign;
    let choices = report::choices(&campaign.resolved, &found.prefix);
    let DifferenceExplanation { message, notes } = found.explanation.clone();
    let shown = json!({
        "campaign": campaign.written.name,
        "identity": campaign.identity,
        "answer": "unknown",
        "ending": "states differ",
        "difference": {"message": message, "notes": notes, "choices": choices},
    });
    if let Err(error) = session.folder.write(folder::REPORT, &super::pretty(&shown)) {
        return error;
    }
    let diagnostic = Diagnostic::error("state::differs", message);
    let diagnostic = notes.into_iter().chain(more).fold(diagnostic, Diagnostic::with_note);
    let diagnostic = diagnostic.with_note(format!("the choices are {choices}"));
    Error::failed(diagnostic.help(StateDiffers::HELP))
}
