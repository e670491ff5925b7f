//! `consort plan SYSTEM`: in which order it is computed, and what follows from that.

mod text;

use crate::cli::{ExperimentArgs, Global, PlanArgs, PlanFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::answer::answer;
use crate::output::printer::Printer;
use crate::pipeline;
use consort::Prepared;
use consort::distributed::deployment::project;
use consort_core::{Diagnostic, ModelDescription, Report};
use consort_system::scenario::Scenario;
use consort_system::{Plan, ResolvedSystem};
use consort_view::plan as view;
use std::path::Path;

/// Plans, and prints the plan.
pub(crate) fn execute(args: &PlanArgs, global: &Global, printer: &Printer) -> CommandResult {
    if consort::load::is_scenario(&args.system) {
        return plan_scenario(args, printer);
    }
    let prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
    printer.report(&prepared.report, "");
    let placement = prepared.resolved().placement.as_ref();
    let projection = placement.map(|placement| project(&prepared, placement)).transpose()?;
    let name = &prepared.resolved().name;
    let text = match format(args) {
        PlanFormat::Text => {
            text::page(&prepared, &prepared.explain(), projection.as_ref(), printer)
        }
        PlanFormat::Program => prepared.plan_text(),
        PlanFormat::Json => json(&prepared),
        PlanFormat::Dot => view::dot(name, &names(prepared.resolved()), &prepared.explain()),
        PlanFormat::Svg => view::svg(name, &names(prepared.resolved()), &prepared.explain()),
    };
    printer.data(text)?;
    Ok(Exit::Done)
}

fn json(prepared: &Prepared) -> String {
    let mut value = serde_json::to_value(prepared.explain()).expect("names and numbers only");
    value["system"] = prepared.resolved().name.clone().into();
    value["plan_hash"] = prepared.hashes.plan.clone().into();
    value["program"] = prepared.plan_text().into();
    answer("plan", Exit::Done, &prepared.report, value)
}

/// How the plan is shown.
fn format(args: &PlanArgs) -> PlanFormat {
    if args.json { PlanFormat::Json } else { args.format }
}

/// Reads a scenario, or says what is wrong with it.
pub(crate) fn read_scenario(path: &Path, report: &mut Report) -> Result<Scenario, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|e| CommandError::unreadable(path, &e))?;
    let name = path.display().to_string();
    let scenario = consort_formats::read_scenario(&name, &text, report);
    scenario.ok_or_else(|| CommandError::Invalid { report: std::mem::take(report) })
}

/// A scenario's own algorithm is left alone; one is made for it, and judged as any other.
///
/// # Panics
/// If the plan is wrong: nothing the user wrote can be the reason.
fn plan_scenario(args: &PlanArgs, printer: &Printer) -> CommandResult {
    refuse_options(&args.experiment)?;
    let mut report = Report::default();
    let scenario = read_scenario(&args.system, &mut report)?;
    let (system, models) = scenario.initial().to_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let plan = consort_planner::plan(&system, &models, &mut report);
    let plans = plans_of_configurations(&scenario, &mut report);
    let (Some(plan), Some(plans)) = (plan, plans) else {
        return Err(CommandError::Invalid { report });
    };
    note_configurations(&scenario, format(args), &mut report);
    printer.report(&report, "");
    let planned = match scenario.configurations.is_empty() {
        true => scenario.with_plan(&plan),
        false => scenario.with_plans(&plan, &plans),
    };
    if let Err(violation) = consort_check::check_scenario(&planned) {
        panic!("the plan of `{}` is wrong: {violation}", system.name);
    }
    let explain = || consort_planner::explain(&system, &models, &plan);
    let text = match format(args) {
        PlanFormat::Text => consort_formats::write_scenario(&planned),
        PlanFormat::Program => plan.to_text(&system, &models),
        PlanFormat::Json => answer("plan", Exit::Done, &report, serde_json::json!(explain())),
        PlanFormat::Dot => view::dot(&system.name, &names(&system), &explain()),
        PlanFormat::Svg => view::svg(&system.name, &names(&system), &explain()),
    };
    printer.data(text)?;
    Ok(Exit::Done)
}

/// One for each configuration, in which all of them are tried.
fn plans_of_configurations(scenario: &Scenario, report: &mut Report) -> Option<Vec<Plan>> {
    let mut plans = Vec::new();
    for configuration in &scenario.configurations {
        let (system, models) = scenario.configured(configuration).to_system();
        let models: Vec<&ModelDescription> = models.iter().collect();
        match consort_planner::plan(&system, &models, report) {
            Some(plan) => plans.push(plan),
            None => {
                let message = format!("there is no plan for `{}`", configuration.name);
                let diagnostic = Diagnostic::error("plan::configuration", message);
                report.push(diagnostic.help("change its connections or reactivity as said above"));
            }
        }
    }
    (plans.len() == scenario.configurations.len()).then_some(plans)
}

/// One plan is shown by a picture, and an adaptive scenario has several.
fn note_configurations(scenario: &Scenario, format: PlanFormat, report: &mut Report) {
    if scenario.configurations.is_empty() || matches!(format, PlanFormat::Text) {
        return;
    }
    let message = "this is the plan of the scenario's own reactivity and connections";
    let help = "`--format text` prints the algorithms of all configurations";
    report.push(Diagnostic::note("plan::configurations", message).help(help));
}

/// A scenario says everything about itself: there is no experiment to change.
fn refuse_options(args: &ExperimentArgs) -> Result<(), CommandError> {
    let given = [
        ("--start", args.start.is_some()),
        ("--stop", args.stop.is_some()),
        ("--step", args.step.is_some()),
        ("--seed", args.seed.is_some()),
        ("--set", !args.set.is_empty()),
        ("--order", args.order.is_some()),
        ("--continuous", args.continuous.is_some()),
        ("--loops", args.loops.is_some()),
        ("--hash", args.hash.is_some()),
        ("--delay", !args.delay.is_empty()),
        ("--input", args.input.is_some()),
        ("--record", !args.record.is_empty()),
        ("--with", !args.form.with.is_empty()),
        ("--variant", args.form.variant.is_some()),
    ];
    let mut report = Report::default();
    for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        let message = format!("`{option}` does not apply to a scenario");
        let help = "say it in the scenario: `reactivity` of inputs, `dependencies` of outputs";
        report.push(Diagnostic::error("cli::scenario-option", message).help(help));
    }
    CommandError::check(report)
}

/// Names of the components, in the order of the system.
fn names(system: &ResolvedSystem) -> Vec<&str> {
    system.components.iter().map(|component| component.name.as_str()).collect()
}
