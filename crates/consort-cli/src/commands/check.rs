//! `consort check ...`: judges a plan or a scenario.

use crate::cli::{CheckArgs, CheckPlanArgs, CheckScenarioArgs, CheckSubject, Global};
use crate::commands::plan::read_scenario;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use crate::pipeline;
use consort_check::Violation;
use consort_core::{ModelDescription, Report};
use consort_system::Plan;

/// Judges.
pub(crate) fn execute(args: &CheckArgs, global: &Global, printer: &Printer) -> CommandResult {
    match &args.subject {
        CheckSubject::Plan(args) => check_plan(args, global, printer),
        CheckSubject::Scenario(args) => check_scenario(args, printer),
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
    printer.report(&report, "");
    let verdict = consort_check::check_plan(&resolved, &models, &plan);
    answer(&name, verdict, printer)
}

fn check_scenario(args: &CheckScenarioArgs, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let scenario = read_scenario(&args.scenario, &mut report)?;
    printer.report(&report, "");
    let name = args.scenario.display().to_string();
    answer(&name, consort_check::check_scenario(&scenario), printer)
}

fn answer(name: &str, verdict: Result<(), Violation>, printer: &Printer) -> CommandResult {
    match verdict {
        Ok(()) => {
            printer.data(format!("{name}: accepted\n"))?;
            Ok(Exit::Done)
        }
        Err(violation) => {
            printer.data(format!("{name}: refused\n{violation}\n"))?;
            printer.say(&format!("help: {}", violation.help()));
            Ok(Exit::No)
        }
    }
}
