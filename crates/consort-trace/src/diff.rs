//! What two traces have in common, and where they first differ.
//!
//! Rows are matched by tag, columns by name, element by element, so that a trace read from CSV can
//! be compared with one read from Parquet. Without tolerances values must be equal to the bit (all
//! NaNs are one, `0.0` and `-0.0` are two); values of different number types must be equal as
//! numbers. The comparison is symmetric: swapping the traces swaps the sides of the result.

mod align;
mod band;
mod report;
mod values;

use crate::cell::Cell;
use crate::trace::Trace;
use align::{Leaf, Pairing, Row};
use band::Band;
use consort_core::{Resolution, Tag};
use std::collections::BTreeMap;

/// How far two numbers may lie apart: `|a - b| <= absolute + relative * max(|a|, |b|)`.
///
/// Both zero means: equal to the bit. Tolerances apply to floats and whole numbers, not to
/// enumerations, truth values, texts and binaries.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// In the unit of the variable.
    pub absolute: f64,
    /// As a fraction of the larger magnitude.
    pub relative: f64,
}

/// How to compare two traces.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiffOptions {
    /// For every variable without a tolerance of its own.
    pub tolerance: Tolerance,
    /// For single variables, by path or by the name of an element.
    pub overrides: BTreeMap<String, Tolerance>,
    /// Only variables that one of these matches, by path or by the name of an element; `*` stands
    /// for any text. Empty: all.
    pub variables: Vec<String>,
    /// Which rows are compared.
    pub rows: ComparedRows,
    /// The second trace is a reference: variables that only the first has do not count.
    pub is_reference: bool,
    /// How far in time, in seconds, a value of the first trace may be from one like it in the second: the
    /// values of the second within this form a band, and tolerances are measured from its edge. `None`
    /// compares values of one time.
    pub time_tolerance: Option<f64>,
}

/// Which rows of two traces are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ComparedRows {
    /// All: a row that only one of them has is a difference.
    #[default]
    All,
    /// Those at times that both have.
    Common,
    /// Those of the second, within the time of the first; between two rows of the first its floats lie on a
    /// line and everything else holds.
    Interpolated,
}

impl DiffOptions {
    /// Every variable, equal to the bit.
    pub fn exact() -> Self {
        Self::default()
    }

    fn tolerance_of(&self, leaf: &Leaf) -> Tolerance {
        let own = self.overrides.get(&leaf.name).or_else(|| self.overrides.get(&leaf.path));
        own.copied().unwrap_or(self.tolerance)
    }
}

/// One value that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// When, in ticks of the first trace's resolution.
    pub tag: Tag,
    /// The time of the row, in seconds.
    pub time: f64,
    /// Which variable, or which element of an array.
    pub variable: String,
    /// The value in the first trace, as text.
    pub first: String,
    /// The value in the second trace, as text.
    pub second: String,
    /// How far apart: infinite where that has no number.
    pub distance: f64,
}

/// What a variable's values differ in, over the whole trace.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableDifference {
    /// The variable, or the element of an array.
    pub variable: String,
    /// How many of its values differ.
    pub count: u64,
    /// The greatest distance: infinite where a difference has no number.
    pub largest: f64,
    /// The first of the differences.
    pub first: Difference,
}

/// Rows that only one of the traces has.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LoneRows {
    /// The number of rows.
    pub count: u64,
    /// The tag of the first, in ticks of its own trace's resolution.
    pub first: Option<Tag>,
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceComparison {
    /// The resolutions of the first and the second trace.
    pub resolutions: [Resolution; 2],
    /// How many rows have a counterpart.
    pub rows: u64,
    /// How many variables, or elements of arrays, were compared.
    pub variables: u64,
    /// The variables with differences, in the order of the columns.
    pub differing: Vec<VariableDifference>,
    /// Columns of the first and of the second trace that the other has not.
    pub lone_columns: [Vec<String>; 2],
    /// Rows of the first and of the second trace that the other has not.
    pub lone_rows: [LoneRows; 2],
}

impl TraceComparison {
    /// Whether nothing differs: values, columns and rows.
    pub fn is_same(&self) -> bool {
        self.differing.is_empty()
            && self.lone_columns.iter().all(Vec::is_empty)
            && self.lone_rows.iter().all(|rows| rows.count == 0)
    }

    /// The first differing value by tag, then by column.
    pub fn first(&self) -> Option<&Difference> {
        self.differing.iter().map(|variable| &variable.first).min_by_key(|first| first.tag)
    }
}

/// Compares two traces.
pub fn compare(a: &Trace, b: &Trace, options: &DiffOptions) -> TraceComparison {
    let pairing = Pairing::new(a, b, options.rows);
    let mut columns = align::columns(a, b, options);
    if options.is_reference {
        columns.lone[0].clear();
    }
    let mut differing = Vec::new();
    for (left, right) in &columns.common {
        differing.extend(compare_variable([a, b], [left, right], &pairing.rows, options));
    }
    TraceComparison {
        resolutions: [a.schema().resolution(), b.schema().resolution()],
        rows: pairing.rows.len() as u64,
        variables: columns.common.len() as u64,
        differing,
        lone_columns: columns.lone,
        lone_rows: pairing.lone,
    }
}

fn compare_variable(
    [a, b]: [&Trace; 2],
    [left, right]: [&Leaf; 2],
    rows: &[(Row, usize)],
    options: &DiffOptions,
) -> Option<VariableDifference> {
    let tolerance = options.tolerance_of(left);
    let band = options.time_tolerance.and_then(|within| Some((within, Band::new(b, right)?)));
    let mut found: Option<VariableDifference> = None;
    for &(row_a, row_b) in rows {
        let first = band::cell(a, row_a, left);
        let second = b.cell(row_b, right.column, right.element);
        let Some(mut distance) = values::distance_beyond(first, second, tolerance) else {
            continue;
        };
        if let (Some((within, band)), Some(value)) = (&band, values::measure(first)) {
            let time = b.schema().resolution().to_f64(b.tags()[row_b].time);
            match band.distance((time, value), *within, tolerance) {
                Some(outside) => distance = outside,
                None => continue,
            }
        }
        match &mut found {
            Some(found) => {
                found.count += 1;
                found.largest = found.largest.max(distance);
            }
            None => {
                let (trace, row) = match row_a {
                    Row::At(row) => (a, row),
                    Row::Between { .. } => (b, row_b),
                };
                found = Some(first_difference(trace, row, left, [first, second], distance));
            }
        }
    }
    found
}

fn first_difference(
    trace: &Trace,
    row: usize,
    leaf: &Leaf,
    [first, second]: [Cell<'_>; 2],
    distance: f64,
) -> VariableDifference {
    let tag = trace.tags()[row];
    let first = Difference {
        tag,
        time: trace.schema().resolution().to_f64(tag.time),
        variable: leaf.name.clone(),
        first: shown(first),
        second: shown(second),
        distance,
    };
    VariableDifference { variable: leaf.name.clone(), count: 1, largest: distance, first }
}

/// A value in a message: texts in quotes.
fn shown(cell: Cell<'_>) -> String {
    match cell {
        Cell::String(text) => format!("{text:?}"),
        cell => cell.to_string(),
    }
}
