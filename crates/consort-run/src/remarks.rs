//! Remarks before a run: values that arrive late, inputs that are not fed.

use crate::prepared::Prepared;
use consort_core::{Causality, ComponentId, Diagnostic, ModelDescription, ValueType, VariableId};
use consort_planner::LateConnection;
use consort_view::numbers::{plural, short};

/// The most names in a line.
const NAMED_MAX: usize = 5;

/// Finds late values and inputs that are not fed.
pub fn remarks(prepared: &Prepared) -> Vec<Diagnostic> {
    let models = prepared.descriptions();
    let late = consort_planner::late_connections(prepared.resolved(), &models);
    let remarks = [late_line(prepared, &late), unfed_line(&unfed(prepared, &models))];
    remarks.into_iter().flatten().collect()
}

/// `3 connections are one step (0.1 s) late: ...`
fn late_line(prepared: &Prepared, late: &[LateConnection]) -> Option<Diagnostic> {
    let resolution = prepared.resolved().experiment.resolution;
    let least = late.iter().min_by_key(|it| it.by)?;
    let most = late.iter().max_by_key(|it| it.by)?;
    let seconds = |it: &LateConnection| short(resolution.to_f64(it.by));
    let is_variable = prepared.resolved().coupling.variable_step.is_some();
    let by = match (least, most) {
        (one, _) if is_variable && most.steps == 1 => plural(one.steps.into(), "step"),
        _ if is_variable => format!("up to {} steps", most.steps),
        (least, most) if least.by < most.by => {
            format!("{} s to {} s", seconds(least), seconds(most))
        }
        (one, _) => format!("{} ({} s)", plural(one.steps.into(), "step"), seconds(one)),
    };
    let names = named(late.iter().map(|it| format!("`{} -> {}`", it.from, it.to)));
    let are = if late.len() == 1 { "is" } else { "are" };
    let count = plural(late.len() as u64, "connection");
    let message = format!("{count} {are} late by {by}: {names}; `consort plan` shows why");
    Some(Diagnostic::note("run::late", message))
}

fn unfed_line(unfed: &[String]) -> Option<Diagnostic> {
    let (is, keep) = match unfed.len() {
        0 => return None,
        1 => ("is", "keeps its start value"),
        _ => ("are", "keep their start values"),
    };
    let (count, names) = (plural(unfed.len() as u64, "input"), named(unfed.iter().cloned()));
    let message = format!("{count} {is} fed by nothing and {keep}: {names}");
    Some(Diagnostic::note("run::unfed-inputs", message))
}

/// Inputs without a connection, a column of the table, an intervention or a value from the user. Clocks
/// that never tick are warned of elsewhere.
fn unfed(prepared: &Prepared, models: &[&ModelDescription]) -> Vec<String> {
    let system = prepared.resolved();
    let wires = system.connections.iter().map(|wire| wire.to);
    let columns = system.feed.iter().flat_map(|feed| &feed.columns).map(|column| column.to);
    let mut fed: Vec<(ComponentId, VariableId)> =
        wires.chain(columns).map(|port| (port.component, port.variable)).collect();
    fed.extend(system.interventions.iter().filter_map(|it| match it.target {
        consort_system::Target::Input(port) => Some((port.component, port.variable)),
        _ => None,
    }));
    fed.sort_unstable();
    let mut unfed = Vec::new();
    for (index, (component, model)) in system.components.iter().zip(models).enumerate() {
        for (variable, described) in model.variables.iter().enumerate() {
            let id = VariableId::from_index(variable);
            let is_input =
                described.causality == Causality::Input && described.value_type != ValueType::Clock;
            let is_given = || component.settings.iter().any(|setting| setting.variable == id);
            let is_fed = || fed.binary_search(&(ComponentId::from_index(index), id)).is_ok();
            if is_input && !is_fed() && !is_given() {
                unfed.push(format!("`{}.{}`", component.name, described.name));
            }
        }
    }
    unfed
}

/// The first ones, and how many more.
fn named(names: impl ExactSizeIterator<Item = String>) -> String {
    let count = names.len();
    let shown: Vec<String> = names.take(NAMED_MAX).collect();
    match count.saturating_sub(NAMED_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
