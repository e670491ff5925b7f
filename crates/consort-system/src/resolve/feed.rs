//! The table of inputs: columns to ports, cells to values, times to ticks.

use super::claims::Claim;
use super::context::{Context, Written};
use super::lookup::Found;
use crate::resolved::{ColumnFeed, Feed};
use crate::system::{InputColumn, InputTable};
use consort_core::{
    Causality, Diagnostic, Literal, ModelDescription, Resolution, Time, ValueType, Values,
    Variability, VariableId,
};

pub(super) fn resolve(
    context: &mut Context<'_, '_>,
    resolution: Option<Resolution>,
    claims: &mut Vec<Claim>,
) -> Option<Feed> {
    let table = context.system.inputs.as_ref()?;
    let times = resolution.and_then(|resolution| times(context, table, resolution));
    let mut columns = Vec::new();
    for column in &table.columns {
        let Some(found) = find_column(context, column) else { continue };
        claims.push(Claim { port: found.port, span: column.name.span, from_table: true });
        let values = values(context, table, column, found);
        columns.extend(values.map(|values| ColumnFeed {
            to: found.port,
            values,
            interpolate: found.variable.value_type.is_float()
                && found.variable.variability == Variability::Continuous,
        }));
    }
    Some(Feed { times: times?, columns })
}

fn times(
    context: &mut Context<'_, '_>,
    table: &InputTable,
    resolution: Resolution,
) -> Option<Vec<Time>> {
    let mut times: Vec<Time> = Vec::with_capacity(table.times.len());
    for (row, &seconds) in table.times.iter().enumerate() {
        let problem = match resolution.from_f64(seconds) {
            Ok(time) if times.last().is_none_or(|last| *last < time) => {
                times.push(time);
                continue;
            }
            Ok(_) => format!(
                "{} s and {seconds} s in `{}` are the same tick of {resolution}",
                table.times[row.saturating_sub(1)],
                table.name
            ),
            Err(error) => format!("a time in `{}` cannot be used: {error}", table.name),
        };
        context.push(
            Diagnostic::error("time::table", problem)
                .help("give the experiment a `resolution` in which all times differ and fit"),
        );
        return None;
    }
    Some(times)
}

/// The input a column is for, by path or by a name that only one component has.
fn find_column<'a>(context: &mut Context<'a, '_>, column: &InputColumn) -> Option<Found<'a>> {
    let written = Written::new(&column.name);
    let component = written.text.split('.').next().and_then(|name| context.names.component(name));
    let found = if component.is_none() || !written.text.contains('.') {
        find_bare(context, written)?
    } else {
        context.find(written, Some(Causality::Input))?
    };
    let path = format!("{}.{}", context.component_name(found.port.component), found.variable.name);
    if found.variable.causality != Causality::Input {
        let message = format!("the column `{}` is for `{path}`, which is no input", written.text);
        let at = format!("this is of causality {}", found.variable.causality);
        context.push(
            Diagnostic::error("system::not-an-input", message)
                .maybe_at(written.span, at)
                .help("a table feeds inputs only"),
        );
        return None;
    }
    if found.port.count != 1 {
        let message = format!("`{path}` has {} elements, a column has one", found.port.count);
        context.push(
            Diagnostic::error("system::size-mismatch", message)
                .maybe_at(written.span, "one column per element")
                .help(format!("write `{path}[1]`, `{path}[2]` and so on as headers")),
        );
        return None;
    }
    Some(found)
}

fn find_bare<'a>(context: &mut Context<'a, '_>, written: Written<'_>) -> Option<Found<'a>> {
    let is_input = |model: &ModelDescription, id: VariableId| {
        model.variables[id.index()].causality == Causality::Input
    };
    let components = context.names.components_with(written.text, is_input);
    let &[component] = components.as_slice() else {
        report_column(
            context,
            written,
            components
                .first()
                .zip(components.get(1))
                .map(|(a, b)| (context.component_name(*a), context.component_name(*b))),
        );
        return None;
    };
    let variable = context.names.variable(component, written.text)?;
    let model = context.names.model(component)?;
    Some(context.whole(component, model, variable))
}

fn report_column(context: &mut Context<'_, '_>, written: Written<'_>, both: Option<(&str, &str)>) {
    if let Some((first, second)) = both {
        let name = written.text;
        let message = format!("the column `{name}` fits several components");
        context.push(
            Diagnostic::error("system::ambiguous-column", message)
                .maybe_at(written.span, format!("`{first}` and `{second}` have such an input"))
                .help(format!("name the component too: `{first}.{name}`")),
        );
        return;
    }
    if !context.names.all_loaded() {
        return;
    }
    let inputs = input_paths(context);
    let help = context.name_help(written.text, inputs.iter().map(String::as_str), "inputs");
    let message = format!("the column `{}` is for no input of the system", written.text);
    context.push(
        Diagnostic::error("system::unknown-column", message)
            .maybe_at(written.span, "not found")
            .help(help),
    );
}

/// As many paths of inputs as are worth comparing with a wrong header.
fn input_paths(context: &Context<'_, '_>) -> Vec<String> {
    const PATHS_MAX: usize = 1000;
    let components = context.names.component_names().filter_map(|name| {
        let model = context.names.model(context.names.component(name)?)?;
        Some((name, model))
    });
    let paths = components.flat_map(|(name, model)| {
        let inputs = model.variables.iter().filter(|it| it.causality == Causality::Input);
        inputs.map(move |input| format!("{name}.{}", input.name))
    });
    paths.take(PATHS_MAX).collect()
}

fn values(
    context: &mut Context<'_, '_>,
    table: &InputTable,
    column: &InputColumn,
    found: Found<'_>,
) -> Option<Values> {
    let value_type = found.variable.value_type;
    let items = found.variable.enumeration.and_then(|index| found.model.enumerations.get(index));
    let items = items.map_or(&[][..], |enumeration| &enumeration.items);
    let mut all = Values::zeros(value_type, 0);
    for (cell, time) in column.values.iter().zip(&table.times) {
        match adapted(cell, value_type).to_values(value_type, items) {
            Ok(one) => {
                all.extend(one.view());
            }
            Err(error) => {
                let name = &column.name.value;
                let message = format!("a value of `{name}` does not fit: {error}");
                context.push(
                    Diagnostic::error("system::wrong-value", message)
                        .maybe_at(column.name.span, format!("in this column, at time {time}"))
                        .help(format!("the input is of type {value_type}")),
                );
                return None;
            }
        }
    }
    Some(all)
}

/// CSV has no types: 0 and 1 may be meant as false and true, and a number as text.
fn adapted(cell: &Literal, value_type: ValueType) -> Literal {
    match (cell, value_type) {
        (Literal::Integer(0), ValueType::Boolean) => Literal::Boolean(false),
        (Literal::Integer(1), ValueType::Boolean) => Literal::Boolean(true),
        (Literal::Text(_), _) => cell.clone(),
        (_, ValueType::String | ValueType::Binary) => Literal::Text(cell.to_string()),
        _ => cell.clone(),
    }
}
