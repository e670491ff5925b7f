//! What was recorded, on its way into a figure.

use super::{PlotColumn, Signals, pattern};
use crate::numbers::short;
use crate::units::readable_unit;
use consort_core::Variability;
use consort_trace::Trace;
use std::collections::BTreeSet;

/// The recorded numbers that match, in the order of the patterns, ready to be drawn; `signals` is what the
/// system says about them.
pub fn columns(trace: &Trace, patterns: &[String], signals: &Signals) -> Vec<PlotColumn> {
    let times: Vec<f64> = trace.times().collect();
    let (mut taken, mut seen) = (Vec::new(), BTreeSet::new());
    for pattern in patterns {
        for (column, element) in trace.schema().elements() {
            let described = &trace.schema().columns()[column];
            let name = described.element_name(element);
            let wanted =
                pattern::matches(pattern, &name) || pattern::matches(pattern, described.path());
            if wanted && seen.insert((column, element)) {
                taken.push((column, element));
            }
        }
    }
    let drawn = |(column, element)| {
        let drawable = drawable(trace, column, element, &times)?;
        Some(completed(drawable, trace.schema().columns()[column].component(), signals))
    };
    taken.into_iter().filter_map(drawn).collect()
}

fn drawable(trace: &Trace, column: usize, element: usize, times: &[f64]) -> Option<PlotColumn> {
    let described = &trace.schema().columns()[column];
    let values = trace.columns()[column].view();
    let stride = described.element_count();
    let rows = (0..trace.tags().len()).map(|row| values.as_f64(row * stride + element));
    Some(PlotColumn {
        name: described.element_name(element),
        unit: described.unit.clone(),
        is_discrete: is_discrete(described),
        times: times.to_vec(),
        values: rows.collect::<Option<_>>()?,
    })
}

fn is_discrete(column: &consort_trace::Column) -> bool {
    column.variability != Variability::Continuous || !column.value_type.is_float()
}

/// With the unit of what it is connected to, if it has none, and held if its component or its values say so.
fn completed(mut column: PlotColumn, component: &str, signals: &Signals) -> PlotColumn {
    column.is_discrete |= signals.is_held(component) || only_jumps(&column.times, &column.values);
    if column.unit.as_deref().is_none_or(|unit| unit.trim().is_empty()) {
        column.unit = signals.unit(&column.name).map(str::to_owned).or(column.unit);
    }
    column
}

/// Whether values only ever jump: they are the same for some rows, then the same again. Rows of one time are
/// events, and say nothing.
fn only_jumps(times: &[f64], values: &[f64]) -> bool {
    let is_same = |a: usize, b: usize| values[a].to_bits() == values[b].to_bits();
    let (mut jumps, last) = (0, values.len().saturating_sub(1));
    for row in (1..values.len()).filter(|&row| !is_same(row - 1, row)) {
        if times[row] <= times[row - 1] {
            continue;
        }
        let is_held =
            (row == 1 || is_same(row - 2, row - 1)) && (row == last || is_same(row, row + 1));
        if !is_held {
            return false;
        }
        jumps += usize::from(1 < row && row < last);
    }
    0 < jumps
}

/// `tank.level 0.2 to 0.8, last 0.5 m`: what a variable did, in a few words.
pub fn range(column: &PlotColumn) -> String {
    let finite = || column.values.iter().copied().filter(|value| value.is_finite());
    let (least, greatest) = (finite().reduce(f64::min), finite().reduce(f64::max));
    let unit = column.unit.as_deref().map(readable_unit);
    let unit = unit.map_or(String::new(), |unit| format!(" {unit}"));
    match (least, greatest, column.values.last()) {
        (Some(least), Some(greatest), Some(last)) if least < greatest => format!(
            "{} {} to {}, last {}{unit}",
            column.name,
            short(least),
            short(greatest),
            short(*last)
        ),
        (_, _, Some(last)) => format!("{} {}{unit}", column.name, short(*last)),
        _ => format!("{} without values", column.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_only_jump_are_held() {
        let check = |values: &[f64], expected: bool| {
            let times: Vec<f64> = (0..values.len()).map(|row| row as f64).collect();
            assert_eq!(only_jumps(&times, values), expected, "{values:?}");
        };
        check(&[0.0, 0.0, 1.0, 1.0], true);
        check(&[0.0, 0.0, 1.0, 1.0, 0.5], true);
        check(&[0.0, 0.0, 1.0, 2.0, 2.0], false);
        check(&[0.0, 0.0, 0.0], false);
        check(&[0.0, 1.0], false);
        check(&[0.0, 1.0, 1.0], false);
        check(&[], false);
        // A value at one instant between two events is no slope.
        assert!(only_jumps(
            &[0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0],
            &[0.0, 0.0, 7.0, 3.0, 3.0, 1.0, 1.0]
        ));
    }

    #[test]
    fn ranges_say_least_greatest_and_last() {
        let column = |values: &[f64]| PlotColumn {
            name: "tank.level".to_owned(),
            unit: Some("m".to_owned()),
            is_discrete: false,
            times: vec![0.0; values.len()],
            values: values.to_vec(),
        };
        assert_eq!(range(&column(&[0.2, 0.8, 0.5])), "tank.level 0.2 to 0.8, last 0.5 m");
        assert_eq!(range(&column(&[3.0, 3.0])), "tank.level 3 m");
        assert_eq!(range(&column(&[f64::NAN])), "tank.level NaN m");
        assert_eq!(range(&column(&[])), "tank.level without values");
    }
}
