//! A part of a curve: what lies between two times.

use super::PlotColumn;

/// The times to be drawn; a missing end is that of the data.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TimeRange {
    /// The first, in seconds.
    pub from: Option<f64>,
    /// The last, in seconds.
    pub to: Option<f64>,
}

impl TimeRange {
    fn contains(&self, time: f64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time <= to)
    }

    /// The rows of a column within the range. Where an end lies between two rows, there is a row with the value
    /// that the curve has there: held or on the line.
    pub fn part_of(&self, column: &PlotColumn) -> PlotColumn {
        let mut part = PlotColumn { times: Vec::new(), values: Vec::new(), ..column.clone() };
        let mut add = |time: f64, value: f64| {
            part.times.push(time);
            part.values.push(value);
        };
        let rows: Vec<usize> =
            (0..column.times.len()).filter(|&row| self.contains(column.times[row])).collect();
        let next = rows.first().copied().unwrap_or_else(|| self.place(&column.times));
        if let Some(from) = self.from.and_then(|from| Some((from, between(column, next, from)?))) {
            add(from.0, from.1);
        }
        rows.iter().for_each(|&row| add(column.times[row], column.values[row]));
        let next = rows.last().map_or(next, |last| last + 1);
        if let Some(to) = self.to.and_then(|to| Some((to, between(column, next, to)?))) {
            add(to.0, to.1);
        }
        part
    }

    /// The row before which a range lies that has none.
    fn place(&self, times: &[f64]) -> usize {
        let from = self.from.or(self.to).unwrap_or(f64::NEG_INFINITY);
        times.partition_point(|&time| time < from)
    }
}

/// The value at a time strictly between the row before `next` and that row.
fn between(column: &PlotColumn, next: usize, time: f64) -> Option<f64> {
    let before = next.checked_sub(1)?;
    let (first, last) = (*column.times.get(before)?, *column.times.get(next)?);
    let (a, b) = (column.values[before], column.values[next]);
    if !(first < time && time < last) {
        return None;
    }
    let share = (time - first) / (last - first);
    Some(if column.is_discrete { a } else { a + share * (b - a) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is_discrete: bool, from: Option<f64>, to: Option<f64>, expected: &[(f64, f64)]) {
        let column = PlotColumn {
            name: String::new(),
            unit: None,
            is_discrete,
            times: vec![0.0, 1.0, 2.0, 3.0],
            values: vec![0.0, 10.0, 10.0, 30.0],
        };
        let part = TimeRange { from, to }.part_of(&column);
        let pairs: Vec<(f64, f64)> = part.times.into_iter().zip(part.values).collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn ends_between_rows_have_the_value_of_the_curve() {
        check(false, Some(0.5), Some(1.0), &[(0.5, 5.0), (1.0, 10.0)]);
        check(true, Some(0.5), Some(1.0), &[(0.5, 0.0), (1.0, 10.0)]);
        check(false, Some(2.0), None, &[(2.0, 10.0), (3.0, 30.0)]);
        check(false, None, Some(0.5), &[(0.0, 0.0), (0.5, 5.0)]);
    }

    #[test]
    fn a_range_within_one_step_has_its_two_ends() {
        check(false, Some(2.25), Some(2.5), &[(2.25, 15.0), (2.5, 20.0)]);
        check(true, Some(2.25), Some(2.5), &[(2.25, 10.0), (2.5, 10.0)]);
    }

    #[test]
    fn beyond_the_data_there_is_nothing() {
        check(false, Some(4.0), Some(5.0), &[]);
        check(false, Some(-2.0), Some(-1.0), &[]);
        check(false, Some(2.5), Some(9.0), &[(2.5, 20.0), (3.0, 30.0)]);
    }
}
