//! How the system is coupled: `[experiment] order`, `continuous`, `loops` and `on-divergence`, `[experiment.iteration]`,
//! `[experiment.variable-step]` and `[[loops]]`.

use super::keys::{CONSTRAINT, ITERATION, LOOP, VARIABLE_STEP};
use consort_core::{Diagnostic, Span};
use consort_system::{
    Continuous, Coupling, IterationMethod, IterationOptions, LoopChoice, LoopRule, OnDivergence,
    Order, Spanned, StepConstraint, VariableStep,
};
use consort_toml::{DeTable, DeValue, Entry, TomlReader};

/// Reads a key of `[experiment]` that is about the coupling; the others are left alone.
pub(super) fn read_entry(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    coupling: &mut Coupling,
) -> bool {
    match entry.key {
        "order" => coupling.order = reader.spanned_choice(entry, &Order::ALL),
        "continuous" => coupling.continuous = reader.spanned_choice(entry, &Continuous::ALL),
        "on-divergence" => {
            coupling.on_divergence = reader.spanned_choice(entry, &OnDivergence::ALL);
        }
        "loops" => coupling.loops = reader.spanned_choice(entry, &LoopChoice::ALL),
        "iteration" => {
            if let Some(table) = table(reader, entry, "experiment.iteration") {
                coupling.iteration = iteration(reader, table);
            }
        }
        "variable-step" => {
            let table = table(reader, entry, "experiment.variable-step");
            coupling.variable_step = table.map(|table| variable_step(reader, table));
        }
        _ => return false,
    }
    true
}

fn table<'t, 'i>(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'t, 'i>,
    path: &str,
) -> Option<&'t DeTable<'i>> {
    if let DeValue::Table(table) = entry.value.get_ref() {
        return Some(table);
    }
    reader.wrong_kind(entry.key, entry.value, "a table", &format!("write `[{path}]` before it"));
    None
}

fn iteration(reader: &mut TomlReader<'_>, table: &DeTable<'_>) -> IterationOptions {
    let mut options = IterationOptions::default();
    for entry in &reader.settings(table, "the iteration", &ITERATION).entries {
        if !read_iteration(reader, entry, &mut options) {
            entry.is_not_read();
        }
    }
    options
}

fn read_iteration(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    options: &mut IterationOptions,
) -> bool {
    match entry.key {
        "method" => options.method = reader.spanned_choice(entry, &IterationMethod::ALL),
        "tolerance" => options.tolerance = reader.number(entry, "1e-9"),
        "limit" => options.limit = reader.count(entry, "100"),
        "relaxation" => options.relaxation = reader.number(entry, "0.5"),
        "accept-after" => options.accept_after = reader.count(entry, "5"),
        _ => return false,
    }
    true
}

fn variable_step(reader: &mut TomlReader<'_>, table: &DeTable<'_>) -> VariableStep {
    let mut step = VariableStep::default();
    for entry in &reader.settings(table, "the variable step", &VARIABLE_STEP).entries {
        match entry.key {
            "initial" => step.initial = reader.seconds(entry),
            "min" => step.min = reader.seconds(entry),
            "max" => step.max = reader.seconds(entry),
            "relative" => step.relative = reader.number(entry, "1e-4"),
            "absolute" => step.absolute = reader.number(entry, "1e-6"),
            "error-control" => {
                let span = reader.span(entry.value.span());
                let value = reader.boolean(entry);
                step.error_control = value.map(|value| Spanned::new(value, span));
            }
            "constraints" => {
                let tables = reader.tables(entry);
                let constraints =
                    tables.into_iter().filter_map(|(span, it)| constraint(reader, span, it));
                step.constraints = constraints.collect();
            }
            _ => entry.is_not_read(),
        }
    }
    step
}

/// `[[experiment.variable-step.constraints]]`.
fn constraint(
    reader: &mut TomlReader<'_>,
    span: Span,
    table: &DeTable<'_>,
) -> Option<StepConstraint> {
    let (mut kind, mut variables) = (None, Vec::new());
    let [mut tolerance, mut absolute, mut relative] = [None, None, None];
    let (mut start, mut period) = (None, None);
    let settings = reader.settings(table, "a constraint", &CONSTRAINT);
    for entry in &settings.entries {
        match entry.key {
            "kind" => {
                kind = reader.choice(entry, &StepConstraint::KINDS.map(|kind| (kind, kind)));
            }
            "variables" => variables = reader.texts(entry),
            "tolerance" => tolerance = reader.number(entry, "1e-3"),
            "absolute" => absolute = reader.number(entry, "1e-3"),
            "relative" => relative = reader.number(entry, "1e-2"),
            "start" => start = reader.seconds(entry),
            "period" => period = reader.seconds(entry),
            _ => entry.is_not_read(),
        }
    }
    match (kind, period) {
        (Some("zero-crossing"), _) => Some(StepConstraint::ZeroCrossing { variables, tolerance }),
        (Some("bounded-difference"), _) => {
            Some(StepConstraint::BoundedDifference { variables, absolute, relative })
        }
        (Some("component-max-step"), _) => Some(StepConstraint::ComponentMax),
        (Some(_), Some(period)) => Some(StepConstraint::Sampling { start, period }),
        (None, _) if settings.has("kind") => None,
        (kind, _) => {
            let (what, help) = match kind {
                Some(_) => ("period", "such as `period = 0.1`"),
                None => (
                    "kind",
                    "choose `zero-crossing`, `bounded-difference`, `sampling` or `component-max-step`",
                ),
            };
            let message = format!("a constraint has no `{what}`");
            let diagnostic = Diagnostic::error("system::bad-constraint", message);
            reader.loss(diagnostic.at(span, format!("no `{what}` in here")).help(help));
            None
        }
    }
}

/// `[[loops]]`.
pub(super) fn read_rules(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Vec<LoopRule> {
    let tables = reader.tables(entry);
    tables.into_iter().filter_map(|(span, table)| read_rule(reader, span, table)).collect()
}

fn read_rule(reader: &mut TomlReader<'_>, span: Span, table: &DeTable<'_>) -> Option<LoopRule> {
    let (mut through, mut policy) = (None, LoopChoice::Iterate);
    let mut iteration = IterationOptions::default();
    let settings = reader.settings(table, "a loop", &LOOP);
    for entry in &settings.entries {
        match entry.key {
            "through" => through = reader.text(entry),
            "policy" => policy = reader.choice(entry, &LoopChoice::ALL).unwrap_or(policy),
            _ if read_iteration(reader, entry, &mut iteration) => {}
            _ => entry.is_not_read(),
        }
    }
    if !settings.has("through") {
        reader.loss(
            Diagnostic::error("system::missing-variable", "a loop has no `through`")
                .at(span, "no `through` in here")
                .help("add `through = \"component.variable\"`: any variable on the loop"),
        );
    }
    Some(LoopRule { through: through?, policy, iteration })
}
