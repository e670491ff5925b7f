//! Columns for parameters: tunable ones change with the rows, fixed ones must stay as they are.

use crate::resolve::context::Context;
use crate::resolve::lookup::Found;
use crate::resolve::parameters::Settings;
use crate::resolved::{Feed, ResolvedIntervention, Target};
use crate::system::InputColumn;
use consort_core::{Diagnostic, Setting, Values, Variability};

/// The values of a parameter over time.
pub(super) struct Course<'v> {
    /// One value per row.
    pub(super) values: &'v Values,
    /// The row that holds at the start.
    pub(super) start: usize,
}

/// Gives a parameter the value that it has at the start.
pub(super) fn take(
    context: &mut Context<'_, '_>,
    column: &InputColumn,
    found: Found<'_>,
    course: &Course<'_>,
    settings: &mut [Settings],
) {
    let Course { values, start } = *course;
    let (id, span) = (found.port.component, column.name.span);
    let is_tunable = found.variable.variability == Variability::Tunable;
    let is_constant = (1..values.len()).all(|row| values.slice(row, 1).is_same(values.slice(0, 1)));
    if !is_tunable && !is_constant {
        report_change(context, column, found);
        return;
    }
    let settings = &mut settings[id.index()];
    let count = context.count(id, found.port.variable);
    let Some(mut all) = initial(settings, found, count, values) else {
        report_elements(context, column, found);
        return;
    };
    all.slice_mut(found.port.first as usize, 1).copy_from(values.slice(start, 1));
    if let Some(given) = settings.given.get(&found.port.variable) {
        let message = format!("the table gives `{}` its value", context.path(found));
        let note = Diagnostic::note("system::value-of-fed-parameter", message)
            .maybe_at(span, "this column counts");
        context.push_with_label(note, *given, "replaced by the table");
    }
    let setting = Setting { variable: found.port.variable, values: all, is_given: true };
    settings.put(setting, span, found.model);
}

/// What the elements are that the column does not give.
fn initial(settings: &Settings, found: Found<'_>, count: u32, values: &Values) -> Option<Values> {
    match count {
        1 => Some(values.slice(0, 1).to_values()),
        _ => settings.value(found.port.variable, found.variable, count),
    }
}

fn report_change(context: &mut Context<'_, '_>, column: &InputColumn, found: Found<'_>) {
    let path = context.path(found);
    let message = format!("the column `{}` changes `{path}`, a fixed parameter", column.name.value);
    context.push(
        Diagnostic::error("system::fixed-parameter", message)
            .maybe_at(column.name.span, "it cannot change while the system runs")
            .help("give it one value in all rows, or remove the column and set the parameter"),
    );
}

fn report_elements(context: &mut Context<'_, '_>, column: &InputColumn, found: Found<'_>) {
    let path = context.path(found);
    let message = format!("only one element of `{path}` is given, and it has no start value");
    context.push(
        Diagnostic::error("system::element-parameter", message)
            .maybe_at(column.name.span, "one element")
            .help(format!(
                "give all elements a value: `parameters = {{ \"{}\" = ... }}`",
                found.variable.name
            )),
    );
}

/// A parameter is changed by the table or by interventions, not by both.
pub(crate) fn check_interventions(
    context: &mut Context<'_, '_>,
    feed: Option<&Feed>,
    interventions: &[ResolvedIntervention],
) {
    for column in feed.iter().flat_map(|feed| &feed.parameters) {
        let is_it = |intervention: &ResolvedIntervention| match intervention.target {
            Target::Parameter(port) => {
                (port.component, port.variable) == (column.to.component, column.to.variable)
            }
            _ => false,
        };
        if interventions.iter().any(is_it) {
            let (component, variable) = (column.to.component, column.to.variable);
            let name =
                context.names.model(component).map(|model| &model.variables[variable.index()].name);
            let path = format!(
                "{}.{}",
                context.component_name(component),
                name.map_or("", String::as_str)
            );
            let message =
                format!("`{path}` is changed by the table of inputs and by an intervention");
            context.push(
                Diagnostic::error("system::two-sources", message)
                    .help("remove its column, or the intervention"),
            );
        }
    }
}
