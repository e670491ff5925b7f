//! `consort plan SYSTEM`: in which order it is computed, and what follows from that.

mod dot;
mod picture;
mod text;

use crate::cli::{Global, PlanArgs, PlanFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use crate::pipeline::{self, Prepared};
use consort_core::{ModelDescription, Report};
use consort_planner::Explanation;
use consort_system::Plan;
use consort_system::scenario::Scenario;
use std::path::Path;

/// Plans, and prints the plan.
pub(crate) fn execute(args: &PlanArgs, global: &Global, printer: &Printer) -> CommandResult {
    if is_scenario(&args.system) {
        return plan_scenario(args, printer);
    }
    let prepared = pipeline::prepare(&args.system, &args.experiment, global, printer)?;
    printer.report(&prepared.report, "");
    let explanation = prepared.explain();
    let text = match args.format {
        PlanFormat::Text => text::page(&prepared, &explanation, printer),
        PlanFormat::Program => prepared.plan_text(),
        PlanFormat::Json => json(&prepared, &explanation),
        PlanFormat::Dot => dot::graph(&prepared.resolved.name, &explanation),
        PlanFormat::Svg => picture::svg(&prepared.resolved.name, &explanation),
    };
    printer.data(text)?;
    Ok(Exit::Done)
}

fn json(prepared: &Prepared, explanation: &Explanation) -> String {
    let mut value = serde_json::to_value(explanation).expect("names and numbers only");
    value["system"] = prepared.resolved.name.clone().into();
    value["plan_hash"] = prepared.plan_hash.clone().into();
    value["program"] = prepared.plan_text().into();
    format!("{value:#}\n")
}

/// Whether a file is a scenario of the Scenario-Verifier, by its name.
pub(crate) fn is_scenario(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("conf" | "hocon"))
}

/// Reads a scenario, or says what is wrong with it.
pub(crate) fn read_scenario(path: &Path, report: &mut Report) -> Result<Scenario, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|e| CommandError::unreadable(path, &e))?;
    let name = path.display().to_string();
    let scenario = consort_formats::read_scenario(&name, &text, report);
    scenario.ok_or_else(|| CommandError::Invalid { report: std::mem::take(report) })
}

/// A scenario's own algorithm is left alone; one is made for it.
fn plan_scenario(args: &PlanArgs, printer: &Printer) -> CommandResult {
    let mut report = Report::default();
    let scenario = read_scenario(&args.system, &mut report)?;
    let (system, models) = scenario.to_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let Some(plan) = consort_planner::plan(&system, &models, &mut report) else {
        return Err(CommandError::Invalid { report });
    };
    printer.report(&report, "");
    let explain = || consort_planner::explain(&system, &models, &plan);
    let text = match args.format {
        PlanFormat::Text => consort_formats::write_scenario(&planned(&scenario, &plan)),
        PlanFormat::Program => plan.to_text(&system, &models),
        PlanFormat::Json => format!("{:#}\n", serde_json::json!(explain())),
        PlanFormat::Dot => dot::graph(&system.name, &explain()),
        PlanFormat::Svg => picture::svg(&system.name, &explain()),
    };
    printer.data(text)?;
    Ok(Exit::Done)
}

fn planned(scenario: &Scenario, plan: &Plan) -> Scenario {
    scenario.with_plan(plan)
}
