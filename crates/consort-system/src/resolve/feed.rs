//! The table of inputs: columns to ports, cells to values, times to ticks.

mod columns;
mod parameters;

use super::claims::Claim;
use super::clock::Timing;
use super::context::Context;
use super::parameters::Settings;
use super::units::{Fit, fit, unit_of};
use super::values::Purpose;
use crate::resolved::{ColumnFeed, Feed};
use crate::system::{InputColumn, InputTable, Spanned};
use columns::Column;
use consort_core::{
    Causality, Conversion, Diagnostic, Literal, Resolution, Time, Unit, ValueType, Values,
    Variability,
};
use parameters::Course;

pub(super) use parameters::check_interventions;

pub(super) fn resolve(
    context: &mut Context<'_, '_>,
    timing: Option<&Timing>,
    claims: &mut Vec<Claim>,
    settings: &mut [Settings],
) -> Option<Feed> {
    let table = context.system.inputs.as_ref()?;
    let times = timing.and_then(|timing| times(context, table, timing.resolution));
    let mut feed = Feed { times: times.unwrap_or_default(), ..Feed::default() };
    for written in &table.columns {
        let Some(column) = columns::find(context, written) else { continue };
        let found = column.found;
        claims.push(Claim { port: found.port, span: written.name.span, from_table: true });
        let Some(values) = values(context, table, written, &column) else { continue };
        if found.variable.causality == Causality::Input {
            let interpolate = found.variable.value_type.is_float()
                && found.variable.variability == Variability::Continuous;
            feed.columns.push(ColumnFeed { to: found.port, values, interpolate });
        } else if let Some(start) = start_row(&feed, timing) {
            let course = Course { values: &values, start };
            parameters::take(context, written, found, &course, settings);
            if found.variable.variability == Variability::Tunable {
                feed.parameters.push(ColumnFeed { to: found.port, values, interpolate: false });
            }
        }
    }
    let timing = timing.filter(|_| !feed.times.is_empty())?;
    note_late_jumps(context, table, &feed, timing);
    Some(feed)
}

/// The row that holds at the start.
fn start_row(feed: &Feed, timing: Option<&Timing>) -> Option<usize> {
    let start = timing?.start;
    let after = feed.times.partition_point(|time| *time <= start);
    (!feed.times.is_empty()).then(|| after.saturating_sub(1))
}

/// Rows may fall on one tick, be they written so or closer than that: their order stays.
fn times(
    context: &mut Context<'_, '_>,
    table: &InputTable,
    resolution: Resolution,
) -> Option<Vec<Time>> {
    let mut times: Vec<Time> = Vec::with_capacity(table.times.len());
    for &seconds in &table.times {
        match resolution.from_f64(seconds) {
            Ok(time) => times.push(time),
            Err(error) => {
                let message = format!("a time in `{}` cannot be used: {error}", table.name);
                context.push(
                    Diagnostic::error("time::table", message)
                        .help("give the experiment a `resolution` in which all times fit"),
                );
                return None;
            }
        }
    }
    Some(times)
}

/// Steps of one size end where they end: what jumps within one is seen at its end.
fn note_late_jumps(
    context: &mut Context<'_, '_>,
    table: &InputTable,
    feed: &Feed,
    timing: &Timing,
) {
    if timing.sizes.is_some() {
        return;
    }
    let inside = |time: &Time| timing.start < *time && *time < timing.stop;
    let on_grid = |time: Time| {
        let since = i128::from(time.ticks()) - i128::from(timing.start.ticks());
        timing.periods.iter().any(|period| since % i128::from(period.ticks().max(1)) == 0)
    };
    let late: Vec<Time> =
        feed.jumps().into_iter().filter(inside).filter(|time| !on_grid(*time)).collect();
    let Some(first) = late.first() else { return };
    let (name, at) = (&table.name, timing.resolution.to_f64(*first));
    let message = match late.len() {
        1 => format!("`{name}` jumps at {at} s, between two communication points"),
        count => {
            format!("`{name}` jumps {count} times between communication points, first at {at} s")
        }
    };
    context.push(
        Diagnostic::note("system::late-jump", format!("{message}: this is seen at the next one"))
            .help("choose a `step` that these times are multiples of, or steps of changing size"),
    );
}

fn values(
    context: &mut Context<'_, '_>,
    table: &InputTable,
    written: &InputColumn,
    column: &Column<'_>,
) -> Option<Values> {
    let found = column.found;
    let conversion = conversion(context, column)?;
    let value_type = found.variable.value_type;
    let items = found.variable.enumeration.and_then(|index| found.model.enumerations.get(index));
    let items = items.map_or(&[][..], |enumeration| &enumeration.items);
    let mut all = Values::zeros(value_type, 0);
    for (cell, time) in written.values.iter().zip(&table.times) {
        match adapted(cell, value_type).to_values(value_type, items) {
            Ok(one) => {
                all.extend(one.view());
            }
            Err(error) => {
                let name = &written.name.value;
                let message = format!("a value of `{name}` does not fit: {error}");
                context.push(
                    Diagnostic::error("system::wrong-value", message)
                        .maybe_at(written.name.span, format!("in this column, at time {time}"))
                        .help(format!("the input is of type {value_type}")),
                );
                return None;
            }
        }
    }
    convert(&mut all, conversion);
    Some(all)
}

/// From the column's unit to the variable's. What cannot be converted is passed on as it is, with a
/// warning: tables name units that no model declares.
fn conversion(context: &mut Context<'_, '_>, column: &Column<'_>) -> Option<Conversion> {
    let Some(unit) = &column.unit else { return Some(Conversion::IDENTITY) };
    let found = column.found;
    let path = context.path(found);
    if let Some(own) = unit_of(found.model, found.variable)
        && matches!(fit(&Unit::named(&unit.value), own), Fit::Unknown)
    {
        let Spanned { value, span } = unit;
        let message =
            format!("`{path}` is in `{own}`, its column is in `{value}`, which is unknown");
        context.push(
            Diagnostic::warning("system::unit-unknown", message)
                .maybe_at(*span, "values are passed as they are")
                .help(format!("give the values in `{own}`")),
        );
        return Some(Conversion::IDENTITY);
    }
    context.unit_conversion(found, &path, unit, Purpose::Value)
}

fn convert(values: &mut Values, conversion: Conversion) {
    match values {
        Values::Float64(list) => list.iter_mut().for_each(|it| *it = conversion.apply(*it)),
        Values::Float32(list) if !conversion.is_identity() => {
            list.iter_mut().for_each(|it| *it = conversion.apply(f64::from(*it)) as f32);
        }
        _ => {}
    }
}

/// CSV has no types: 0 and 1 may be meant as false and true, `2.0` as a whole number, and a number
/// as text.
fn adapted(cell: &Literal, value_type: ValueType) -> Literal {
    let cell = match cell {
        Literal::Float(it) if !value_type.is_float() => whole(*it).unwrap_or_else(|| cell.clone()),
        _ => cell.clone(),
    };
    match (&cell, value_type) {
        (Literal::Integer(0), ValueType::Boolean) => Literal::Boolean(false),
        (Literal::Integer(1), ValueType::Boolean) => Literal::Boolean(true),
        (Literal::Text(_), _) => cell,
        (_, ValueType::String | ValueType::Binary) => Literal::Text(cell.to_string()),
        _ => cell,
    }
}

/// A float that is a whole number, of those that floats count one by one.
fn whole(value: f64) -> Option<Literal> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let is_whole = value.trunc().to_bits() == value.to_bits() && value.abs() <= EXACT_MAX;
    is_whole.then_some(Literal::Integer(value as i128))
}
