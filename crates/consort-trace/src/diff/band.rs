//! Rows of a trace between its rows, and the band around a reference: a tube, after the comparison of
//! reference results in the Modelica and FMI projects.

use super::Tolerance;
use super::align::{Leaf, Row};
use super::values;
use crate::cell::Cell;
use crate::trace::Trace;

/// The value of an element in a row, or between two of them: floats lie on the line between both, all
/// else holds until the second.
pub(super) fn cell<'t>(trace: &'t Trace, row: Row, leaf: &Leaf) -> Cell<'t> {
    let at = |row: usize| trace.cell(row, leaf.column, leaf.element);
    match row {
        Row::At(row) => at(row),
        Row::Between { before, part } => match (at(before), at(before + 1)) {
            (Cell::Float64(a), Cell::Float64(b)) => Cell::Float64(between(a, b, part)),
            (Cell::Float32(a), Cell::Float32(b)) => {
                Cell::Float32(between(a.into(), b.into(), part) as f32)
            }
            (held, _) => held,
        },
    }
}

fn between(a: f64, b: f64, part: f64) -> f64 {
    if a.to_bits() == b.to_bits() { a } else { a + (b - a) * part }
}

/// What the values of a column are over time, in seconds.
pub(super) struct Band {
    points: Vec<(f64, f64)>,
}

impl Band {
    /// `None` if the column is not one of numbers with distances.
    pub(super) fn new(trace: &Trace, leaf: &Leaf) -> Option<Self> {
        let value = |row: usize| {
            let cell = trace.cell(row, leaf.column, leaf.element);
            values::measure(cell).filter(|value| value.is_finite())
        };
        let points = trace.times().enumerate().map(|(row, time)| Some((time, value(row)?)));
        Some(Band { points: points.collect::<Option<_>>()? })
    }

    /// How far a value at a time lies outside what the column is within the time tolerance, if that is
    /// more than the tolerance allows.
    pub(super) fn distance(
        &self,
        (time, value): (f64, f64),
        within: f64,
        tolerance: Tolerance,
    ) -> Option<f64> {
        let (low, high) = self.range(time - within, time + within)?;
        let distance = (low - value).max(value - high).max(0.0);
        let magnitude = value.abs().max(low.abs()).max(high.abs());
        let allowed = tolerance.absolute + tolerance.relative * magnitude;
        (allowed < distance || distance.is_nan()).then_some(distance)
    }

    /// The least and the greatest value between two times.
    fn range(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let first = self.points.partition_point(|(time, _)| *time < from);
        let end = self.points.partition_point(|(time, _)| *time <= to);
        let inside = self.points[first..end].iter().map(|(_, value)| *value);
        let values = inside.chain([self.at(from), self.at(to)].into_iter().flatten());
        values.fold(None, |range: Option<(f64, f64)>, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }

    /// The value at a time, on the line between two points.
    fn at(&self, time: f64) -> Option<f64> {
        let next = self.points.partition_point(|(point, _)| *point < time);
        let (after, before) = (self.points.get(next)?, self.points.get(next.checked_sub(1)?)?);
        Some(between(before.1, after.1, (time - before.0) / (after.0 - before.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_what_the_reference_is_nearby() {
        let band = Band { points: vec![(0.0, 0.0), (1.0, 10.0), (2.0, 10.0)] };
        let check = |time: f64, value: f64, within: f64, expected: Option<f64>| {
            let tolerance = Tolerance { absolute: 0.5, relative: 0.0 };
            assert_eq!(band.distance((time, value), within, tolerance), expected, "{time} {value}");
        };
        check(0.5, 5.25, 0.0, None);
        check(0.5, 6.0, 0.0, Some(1.0));
        check(0.5, 6.0, 0.125, None);
        check(0.5, 8.25, 0.25, Some(0.75));
        check(1.5, 9.0, 0.25, Some(1.0));
        check(1.0, 8.0, 0.25, None);
        check(0.0, 1.0, 0.125, None);
        check(9.0, 1.0, 0.125, None);
    }
}
