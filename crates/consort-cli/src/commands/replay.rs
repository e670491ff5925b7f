//! `consort replay DIR`: runs a recorded run again and says whether every bit is the same.

use super::explore::interval;
use crate::cli::{Global, ReplayArgs};
use crate::outcome::{CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use crate::{interrupt, pipeline};
use consort::campaign::{ScenarioAnswer, ScenarioReplay, is_counter_example};
use consort::run::End;
use consort::{Context, Replay, Replayed};
use consort_core::Report;
use consort_view::numbers::duration;

/// Runs it again and compares.
pub(crate) fn execute(args: &ReplayArgs, global: &Global, printer: &Printer) -> CommandResult {
    let context = interrupt::context(printer);
    if is_counter_example(&args.run) {
        return execute_scenario(args, global, &context, printer);
    }
    let replay = Replay::prepare(&args.run, args.workers, pipeline::models(global), &context)?;
    replay.changes().iter().for_each(|change| printer.insist(change));
    let replayed = replay.run(args.out.as_deref(), &context)?;
    let answer = answer(&replay, &replayed, printer)?;
    let mut report = Report::default();
    replayed.run.problems.iter().for_each(|problem| report.push(problem.clone()));
    printer.report(&report, "");
    Ok(if replayed.run.is_incomplete() { Exit::Failed } else { answer })
}

/// Runs the scenario of a counter-example again and compares.
fn execute_scenario(
    args: &ReplayArgs,
    global: &Global,
    context: &Context,
    printer: &Printer,
) -> CommandResult {
    let scenario = ScenarioReplay::prepare(&args.run, &pipeline::models(global), context)?;
    for change in scenario.changes() {
        printer.insist(&format!("since then, {change} has changed"));
    }
    let ScenarioAnswer { is_identical, trace_hash, robustness, property, is_violated } =
        scenario.run(args.out.as_deref())?;
    let ([before, after], [was, now]) = (trace_hash, robustness.map(interval));
    printer.data(match is_identical {
        true => format!("identical: trace {before}\n"),
        false => {
            format!("different: trace {before}, now {after}\n  robustness {was}, now {now}\n")
        }
    })?;
    let verdict = if is_violated { "violated" } else { "not violated" };
    printer.say(&format!("`{property}` is {verdict}: robustness {now}"));
    Ok(if is_identical { Exit::Done } else { Exit::No })
}

fn answer(replay: &Replay, replayed: &Replayed, printer: &Printer) -> CommandResult {
    let (manifest, outcome) = (&replay.manifest, &replayed.run.outcome);
    if outcome.end == End::Interrupted {
        printer.insist("interrupted: nothing was compared");
        return Ok(Exit::Failed);
    }
    let now = &outcome.summary.trace_hash;
    if replayed.is_identical {
        let took = duration(outcome.timing.run.as_secs_f64());
        printer.data(format!("identical: trace {now}\n"))?;
        printer.say(&format!("{}: run again in {took}", one_line(manifest.name())));
        return Ok(Exit::Done);
    }
    let differences = replayed.differences.iter().map(|line| format!("  {line}\n"));
    let differences: String = differences.collect();
    let before = manifest.trace_hash();
    printer.data(format!("different: trace {before}, now {now}\n{differences}"))?;
    if let End::Failed { error } = &outcome.end {
        let mut report = Report::default();
        report.push(error.diagnostic(replay.prepared.resolved().experiment.resolution));
        printer.report(&report, "");
    }
    Ok(Exit::No)
}
