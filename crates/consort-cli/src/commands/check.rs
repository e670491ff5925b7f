//! `consort check ...`: judges a plan, a scenario, or a recorded run.

mod line;
mod property;

use crate::cli::{CheckArgs, CheckPlanArgs, CheckScenarioArgs, CheckSubject, Global};
use crate::commands::plan::read_scenario;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::answer::answer;
use crate::output::printer::Printer;
use crate::pipeline;
use consort_core::{Diagnostic, ModelDescription, Report};
use consort_system::scenario::Scenario;
use consort_system::{Plan, ResolvedSystem};
use serde_json::json;

/// Carries out `consort check`.
pub(crate) fn execute(args: &CheckArgs, global: &Global, printer: &Printer) -> CommandResult {
    match &args.subject {
        CheckSubject::Plan(args) => check_plan(args, global, printer),
        CheckSubject::Scenario(args) => check_scenario(args, printer),
        CheckSubject::Property(args) => property::check(args, printer),
    }
}

/// A plan written by hand, or printed by `consort plan --format program`.
fn check_plan(args: &CheckPlanArgs, global: &Global, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let loaded = pipeline::load(&args.system, &args.experiment, global, &mut report)?;
    let resolved = loaded.as_ref().and_then(|loaded| loaded.resolve(&mut report));
    let (Some(loaded), Some(resolved)) = (loaded, resolved) else {
        return Err(CommandError::Invalid { report });
    };
    let models: Vec<&ModelDescription> = loaded.descriptions().into_iter().flatten().collect();
    let text = std::fs::read_to_string(&args.plan)
        .map_err(|error| CommandError::unreadable(&args.plan, &error))?;
    let name = args.plan.display().to_string();
    let Some(plan) = Plan::parse_named(&name, &text, &resolved, &models, &mut report) else {
        return Err(CommandError::Invalid { report });
    };
    note_other_order(&plan, &resolved, &mut report);
    printer.report(&report, "");
    let verdict = consort_check::check_plan(&resolved, &models, &plan);
    let refused = verdict.err().map(|violation| Refusal {
        place: line::of(&violation, &text).map_or(String::new(), |line| format!("line {line}, ")),
        said: violation.to_string(),
        help: violation.help(),
    });
    respond(
        JudgedSubject { command: "check plan", name: &name, json: args.json },
        refused,
        &report,
        printer,
    )
}

/// A plan is judged by the rules of the order it names, which may not be what the system asks for.
fn note_other_order(plan: &Plan, system: &ResolvedSystem, report: &mut Report) {
    let wanted = system.coupling.order.name();
    if plan.order == wanted {
        return;
    }
    let message = format!("the plan's order is `{}`, the system's is `{wanted}`", plan.order);
    let help = format!(
        "the plan is checked with its own order; `--order {}` makes them agree",
        plan.order
    );
    report.push(Diagnostic::note("check::other-order", message).help(help));
}

fn check_scenario(args: &CheckScenarioArgs, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let scenario = read_scenario(&args.scenario, &mut report)?;
    let name = args.scenario.display().to_string();
    if let Some(message) = without_algorithm(&scenario, &name) {
        let help = format!("`consort plan {name}` prints the scenario with one");
        report.push(Diagnostic::error("check::no-algorithm", message).help(help));
        return Err(CommandError::Invalid { report });
    }
    printer.report(&report, "");
    let refused = consort_check::check_scenario(&scenario).err().map(|violation| Refusal {
        place: String::new(),
        said: violation.to_string(),
        help: violation.help(),
    });
    let judged = JudgedSubject { command: "check scenario", name: &name, json: args.json };
    respond(judged, refused, &report, printer)
}

/// What says that there is nothing to judge: no algorithm at all, or none for some configurations.
fn without_algorithm(scenario: &Scenario, name: &str) -> Option<String> {
    let is_empty = scenario.steps.iter().all(|(_, step)| step.is_empty());
    if scenario.initialization.is_empty() && is_empty {
        return Some(format!("`{name}` has no algorithm to be judged"));
    }
    let lacks = |step: &String| !scenario.steps.iter().any(|(name, _)| name == step);
    let without = scenario.configurations.iter().filter(|it| lacks(&it.step));
    let names: Vec<String> = without.map(|it| format!("`{}`", it.name)).collect();
    let message =
        || format!("`{name}` has no algorithm for the configuration {}", names.join(", "));
    (!names.is_empty()).then(message)
}

/// Why something is not accepted.
struct Refusal {
    /// Where, if it has lines: `line 3, `.
    place: String,
    said: String,
    help: String,
}

/// What was judged, and how the answer is written.
struct JudgedSubject<'a> {
    command: &'static str,
    name: &'a str,
    json: bool,
}

/// Prints the verdict, and gives its exit code.
fn respond(
    JudgedSubject { command, name, json }: JudgedSubject<'_>,
    refused: Option<Refusal>,
    report: &Report,
    printer: &Printer,
) -> CommandResult {
    if json {
        let exit = if refused.is_none() { Exit::Done } else { Exit::No };
        let reason = refused.map(|it| json!({"place": it.place.trim_end_matches(", "), "message": it.said, "help": it.help}));
        let verdict = if exit == Exit::Done { "accepted" } else { "refused" };
        let found = json!({"subject": name, "verdict": verdict, "reason": reason});
        printer.data(answer(command, exit, report, found))?;
        return Ok(exit);
    }
    let Some(Refusal { place, said, help }) = refused else {
        printer.data(format!("{name}: accepted\n"))?;
        return Ok(Exit::Done);
    };
    printer.data(format!("{name}: refused\n{place}{said}\n"))?;
    printer.say(&format!("help: {help}"));
    Ok(Exit::No)
}
