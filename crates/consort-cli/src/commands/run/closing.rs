//! The closing messages of a run: how it ended, what was noticed, and where its record is.

use crate::outcome::Exit;
use crate::output::answer as output;
use crate::output::printer::{Printer, one_line};
use consort::Prepared;
use consort::run::{End, RecordOutcome, RunFolder};
use consort_core::{Diagnostic, Report};
use consort_engine::RunError;
use consort_view::numbers::{duration, plural, short, short_hash};
use consort_view::plot;
use serde_json::json;

/// The most variables whose ranges are shown.
const RANGES_MAX: usize = 6;

/// Says what was seen, what is drawn of it, and what went wrong.
pub(crate) fn say(
    prepared: &Prepared,
    recorded: &RecordOutcome,
    columns: &[plot::PlotColumn],
    folder: &RunFolder,
    printer: &Printer,
) -> Exit {
    report_problems(prepared, recorded, printer);
    printer.say(&summary(prepared, recorded, folder));
    say_lateness(recorded, printer);
    say_solvers(recorded, printer);
    for line in recorded.outcome.saving.lines() {
        printer.say(&format!("  {}", one_line(&line)));
    }
    for column in columns.iter().take(RANGES_MAX) {
        printer.say(&format!("  {}", plot::range(column)));
    }
    if RANGES_MAX < columns.len() {
        printer.say(&format!("  and {} more", columns.len() - RANGES_MAX));
    }
    exit(recorded)
}

/// What the end of a run means for the exit code; what could not be written counts.
fn exit(recorded: &RecordOutcome) -> Exit {
    let is_complete = !recorded.is_incomplete();
    match &recorded.outcome.end {
        End::Finished | End::Terminated { .. } if is_complete => Exit::Done,
        End::Failed { error: RunError::Diverged(_) } if is_complete => Exit::No,
        End::Lost { failure } if is_complete && is_divergence(failure) => Exit::No,
        _ => Exit::Failed,
    }
}

/// Whether a node ended because a value diverged.
fn is_divergence(failure: &Diagnostic) -> bool {
    ["run::diverged", "run::not-finite"].contains(&failure.code)
}

/// Whether real time was kept.
fn say_lateness(recorded: &RecordOutcome, printer: &Printer) {
    let timing = &recorded.outcome.timing;
    if 0 < timing.late {
        let most = duration(timing.late_max.as_secs_f64());
        printer.say(&format!("  {} late, by up to {most}", plural(timing.late, "step")));
    }
}

/// What each solver did, for `--verbose`: `  tank: 141 steps, 7 rejected, 230 evaluations, ...`.
fn say_solvers(recorded: &RecordOutcome, printer: &Printer) {
    for (name, work) in &recorded.outcome.summary.solvers {
        let counts = work.named().map(|(what, count)| match what {
            "order" => format!("order {count}"),
            _ => format!("{count} {what}"),
        });
        let in_use = work.in_use.map(|kind| format!("{} in use, ", kind.name()));
        let counts = in_use.unwrap_or_default() + &counts.join(", ");
        printer.detail(&format!("  solver of {}: {counts}", one_line(name)));
    }
}

/// How many steps solvers took, if there are any: ` (141 solver steps)`.
fn solver_steps(recorded: &RecordOutcome) -> String {
    let solvers = recorded.outcome.summary.solvers.iter();
    match solvers.map(|(_, work)| work.steps).sum() {
        0 => String::new(),
        steps => format!(" ({})", plural(steps, "solver step")),
    }
}

/// `tank: 600 steps of 3 components to 60 s in 12 ms; trace sha256:1a2b…; out/tank (plot.svg)`.
fn summary(prepared: &Prepared, recorded: &RecordOutcome, folder: &RunFolder) -> String {
    let outcome = &recorded.outcome;
    let resolution = prepared.resolved().experiment.resolution;
    let (steps, end) = match &outcome.end {
        End::Finished => (0, String::new()),
        End::Terminated { component } => (0, format!(", where `{component}` ended the run,")),
        End::Interrupted => (0, ", then interrupted,".to_owned()),
        End::Failed { error: RunError::Diverged(_) } => (0, ", then ended by it,".to_owned()),
        // The step that failed was begun, but not made.
        End::Failed { .. } => (1, ", then failed,".to_owned()),
        End::RecordingFailed | End::Lost { .. } => (0, ", then failed,".to_owned()),
    };
    let steps = outcome.summary.statistics.tags.saturating_sub(steps);
    let logged = match recorded.logged {
        (0, 0) => String::new(),
        (warnings, 0) => format!(" ({} logged)", plural(warnings, "warning")),
        (0, errors) => format!(" ({} logged)", plural(errors, "error")),
        (warnings, errors) => {
            format!(" ({}, {} logged)", plural(errors, "error"), plural(warnings, "warning"))
        }
    };
    let hash = outcome.summary.trace_hash.to_string();
    format!(
        "{}: {} of {} to {} s{}{end} in {}; trace {}; {} ({}){logged}",
        one_line(&prepared.resolved().name),
        plural(steps, "step"),
        plural(outcome.summary.statistics.components as u64, "component"),
        short(resolution.to_f64(outcome.summary.tag.time)),
        solver_steps(recorded),
        duration(outcome.timing.run.as_secs_f64()),
        short_hash(&hash),
        one_line(&folder.path().display().to_string()),
        folder.files().join(", "),
    )
}

fn report_problems(prepared: &Prepared, recorded: &RecordOutcome, printer: &Printer) {
    let mut report = Report::default();
    problems(prepared, recorded).into_iter().for_each(|problem| report.push(problem));
    printer.report(&report, "what was recorded before is kept");
}

/// What ended the run, and what could not be written.
fn problems(prepared: &Prepared, recorded: &RecordOutcome) -> Vec<Diagnostic> {
    let resolution = prepared.resolved().experiment.resolution;
    let end = match &recorded.outcome.end {
        End::Failed { error } => Some(error.diagnostic(resolution)),
        End::Lost { failure } => Some((**failure).clone()),
        _ => None,
    };
    end.into_iter().chain(recorded.problems.iter().cloned()).collect()
}

/// The same for a program.
pub(super) fn answer(
    exit: Exit,
    prepared: &Prepared,
    recorded: &RecordOutcome,
    folder: &RunFolder,
) -> String {
    let (outcome, resolved) = (&recorded.outcome, prepared.resolved());
    let mut report = prepared.report.clone();
    problems(prepared, recorded).into_iter().for_each(|problem| report.push(problem));
    let found = json!({
        "system": resolved.name,
        "state": outcome.end.name(),
        "time": resolved.experiment.resolution.to_f64(outcome.summary.tag.time),
        "steps": outcome.summary.statistics.tags,
        "components": outcome.summary.statistics.components,
        "trace_hash": outcome.summary.trace_hash.to_string(),
        "plan_hash": prepared.hashes.plan,
        "wall_seconds": outcome.timing.run.as_secs_f64(),
        "folder": folder.path().display().to_string(),
        "files": folder.files(),
    });
    output::answer("run", exit, &report, found)
}
