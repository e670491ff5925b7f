//! Inputs fed from a table over time.

use crate::compile::{Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{Time, Values, ValuesRef};

/// A table and the slots it fills.
#[derive(Clone, Debug)]
pub(crate) struct FeedProgram {
    pub(crate) times: Vec<Time>,
    pub(crate) columns: Vec<FeedColumn>,
    /// The row in force: where the search for the next one starts. Time goes back when a step is
    /// rejected.
    pub(crate) row: usize,
}

/// A column of the table and the slot it fills.
#[derive(Clone, Debug)]
pub(crate) struct FeedColumn {
    pub(crate) to: Slot,
    pub(crate) values: Values,
    pub(crate) interpolate: bool,
}

impl FeedProgram {
    /// The system's table, compiled; `None` if it has none.
    pub(crate) fn of(source: &Source<'_>, program: &Program) -> Option<Self> {
        let feed = source.system.feed.as_ref()?;
        let columns = feed.columns.iter().filter(|column| source.is_own(column.to.component));
        let columns = columns.map(|column| FeedColumn {
            to: program.port(column.to),
            values: column.values.clone(),
            interpolate: column.interpolate,
        });
        Some(FeedProgram { times: feed.times.clone(), columns: columns.collect(), row: 0 })
    }

    /// Fills the slots with the values at `time`; before the first row the first row holds, after
    /// the last the last.
    pub(crate) fn run(&mut self, time: Time, bank: &mut Bank) {
        while 0 < self.row && time < self.times[self.row] {
            self.row -= 1;
        }
        while self.row + 1 < self.times.len() && self.times[self.row + 1] <= time {
            self.row += 1;
        }
        let fraction = self.fraction(time);
        for column in &self.columns {
            match (&column.values, fraction) {
                (Values::Float64(values), Some(fraction)) if column.interpolate => {
                    let (low, high) = (values[self.row], values[self.row + 1]);
                    bank.put(column.to, ValuesRef::Float64(&[low + (high - low) * fraction]));
                }
                (values, _) => bank.put(column.to, values.slice(self.row, 1)),
            }
        }
    }

    /// How far `time` is on the way to the next row; `None` on a row and outside of the table.
    fn fraction(&self, time: Time) -> Option<f64> {
        let start = self.times[self.row];
        let end = *self.times.get(self.row + 1)?;
        let inside = start < time;
        inside.then(|| ticks_between(start, time) / ticks_between(start, end))
    }
}

/// Rows may lie further apart than a [`Time`] can count.
fn ticks_between(start: Time, end: Time) -> f64 {
    (i128::from(end.ticks()) - i128::from(start.ticks())) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::ValueType;

    #[test]
    fn floats_are_interpolated_and_the_ends_hold() {
        let mut bank = Bank::new();
        let to = bank.reserve(ValueType::Float64, 1);
        let values = Values::Float64(vec![1.0, 3.0, 3.0]);
        let columns = vec![FeedColumn { to, values, interpolate: true }];
        let times = [0, 10, 20].map(Time::from_ticks).to_vec();
        let mut feed = FeedProgram { times, columns, row: 0 };
        for (time, expected) in
            [(-5, 1.0), (0, 1.0), (5, 2.0), (10, 3.0), (99, 3.0), (5, 2.0), (0, 1.0)]
        {
            feed.run(Time::from_ticks(time), &mut bank);
            assert_eq!(bank.get(to), ValuesRef::Float64(&[expected]), "{time}");
        }
    }

    #[test]
    fn rows_at_the_two_ends_of_time_are_interpolated_like_any_others() {
        let mut bank = Bank::new();
        let to = bank.reserve(ValueType::Float64, 1);
        let values = Values::Float64(vec![1.0, 3.0]);
        let columns = vec![FeedColumn { to, values, interpolate: true }];
        let times = [i64::MIN, i64::MAX].map(Time::from_ticks).to_vec();
        let mut feed = FeedProgram { times, columns, row: 0 };
        feed.run(Time::ZERO, &mut bank);
        assert_eq!(bank.get(to), ValuesRef::Float64(&[2.0]));
    }
}
