//! `consort explore CAMPAIGN`: explores the scenarios of a system and reports what was found.

use crate::cli::{CampaignWorkerArgs, ExploreArgs, Global};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use crate::{interrupt, pipeline};
use consort::campaign::{Answer, CampaignEnd, CounterExample, Validation, serve_worker};
use consort::{CampaignOutcome, CampaignRequest, ReadyCampaign};
use consort_explore::world::RobustnessInterval;
use consort_process::{end_with_parent, program};
use consort_view::numbers::{plural, short};
use std::io::{self, Write};

/// Explores it and says what was found.
pub(crate) fn execute(args: &ExploreArgs, global: &Global, printer: &Printer) -> CommandResult {
    let context = interrupt::context(printer);
    let request = CampaignRequest {
        campaign: args.campaign.clone(),
        changes: args.changes.changes(),
        out: args.out.clone(),
        resume: args.resume.clone(),
        workers: args.workers,
        time: args.time,
    };
    let campaign = ReadyCampaign::prepare(&request, pipeline::models(global), &context)?;
    printer.report(&campaign.prepared().report, "");
    let outcome = campaign.explore(&context)?;
    say(&campaign, &outcome, printer);
    let (file, folder) = (args.campaign.display(), campaign.folder().display());
    let resume = format!("consort explore {file} --resume {folder}");
    match outcome.ending {
        CampaignEnd::Concluded(_) => {}
        CampaignEnd::Stopped => printer.insist(&format!("stopped; resume it with: {resume}")),
        CampaignEnd::OutOfTime => printer.insist(&format!("out of time; resume it with: {resume}")),
    }
    Ok(match outcome.answer {
        Answer::Holds => Exit::Done,
        Answer::Violated => Exit::No,
        Answer::Unknown => Exit::Failed,
    })
}

/// `consort campaign-worker`: a worker process of `consort explore`.
pub(crate) fn work(args: &CampaignWorkerArgs, printer: &Printer) -> CommandResult {
    // A model that never comes back would not notice that the campaign has ended.
    end_with_parent().map_err(|source| CommandError::Output { source })?;
    let context = consort::Context::default();
    let (program, input) = (program::running(), io::stdin().lock());
    serve_worker(&args.assignment, program, input, &mut Lines { printer }, &context)?;
    Ok(Exit::Done)
}

/// Standard output, which models cannot write to.
struct Lines<'p> {
    printer: &'p Printer,
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.printer.data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was found, in a few lines.
fn say(campaign: &ReadyCampaign, outcome: &CampaignOutcome, printer: &Printer) {
    let tally = &outcome.tally;
    let name = one_line(campaign.name());
    let total = campaign.scenario_count();
    let mut counts = vec![format!("{} hold", tally.holds), format!("{} violated", tally.violated)];
    for (count, what) in [(tally.undecided, "undecided"), (tally.failed, "failed")] {
        if 0 < count {
            counts.push(format!("{count} {what}"));
        }
    }
    let counts = counts.join(", ");
    printer.say(&format!("{name}: {} of {total} scenarios: {counts}", tally.total()));
    for line in certainty(outcome) {
        printer.say(&format!("  {line}"));
    }
    for found in &outcome.counter_examples {
        printer.say(&format!("  {}", counter_example(campaign, found)));
    }
    printer.say(&format!("  report: {}", campaign.page().display()));
}

/// How sure the answer is.
fn certainty(outcome: &CampaignOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(verified) = outcome.verified {
        let scenarios = plural(verified.scenarios, "scenario");
        lines.push(format!(
            "{scenarios} run again from the start without restored states: all agree"
        ));
    }
    if let Some(omission) = outcome.progress.omission {
        lines.push(format!("probability to have missed a violation: at most {}", short(omission)));
    }
    if let Some(estimate) = outcome.progress.estimate {
        let percent = estimate.confidence * 100.0;
        let (low, high) = (short(estimate.low), short(estimate.high));
        lines.push(format!("probability of a violation: {low} to {high} ({percent} % confidence)"));
    }
    lines
}

/// A counter-example in a line.
fn counter_example(campaign: &ReadyCampaign, found: &CounterExample) -> String {
    let name = one_line(campaign.property(found.property));
    let validation = match &found.validation {
        None => String::new(),
        Some(Validation::Confirmed(tighter)) => format!(", confirmed at {}", interval(*tighter)),
        Some(Validation::Refuted(tighter)) => {
            format!(", NOT confirmed with smaller steps: {}", interval(*tighter))
        }
        Some(Validation::Failed(reason)) => format!(", could not be validated: {reason}"),
    };
    let (robustness, role) = (interval(found.robustness), found.role.name());
    let file = campaign.folder().join(&found.file);
    let file = file.display();
    format!("`{name}` violated ({role}): robustness {robustness}{validation}; {file}")
}

/// `-0.5`, or `-0.5 to 1`.
#[expect(clippy::float_cmp, reason = "a point is an interval of no width at all")]
pub(super) fn interval(bounds: RobustnessInterval) -> String {
    match bounds.low == bounds.high {
        true => short(bounds.low),
        false => format!("{} to {}", short(bounds.low), short(bounds.high)),
    }
}
