//! Inputs fed from a table over time.

use crate::program::{Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{Time, Values, ValuesRef, VariableId};

/// A table and the slots it fills.
#[derive(Clone, Debug)]
pub(crate) struct FeedProgram {
    pub(crate) times: Vec<Time>,
    pub(crate) columns: Vec<FeedColumn>,
    pub(crate) parameters: Vec<FeedParameter>,
    /// Where a value jumps: steps of changing size end there.
    jumps: Vec<Time>,
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

/// A tunable parameter that the table sets, and the slot that has its value.
#[derive(Clone, Debug)]
pub(crate) struct FeedParameter {
    pub(crate) component: usize,
    pub(crate) variable: VariableId,
    to: Slot,
    values: Values,
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
        let columns = columns.collect();
        let parameters = feed.parameters.iter().filter(|it| source.is_own(it.to.component));
        let parameters = parameters.map(|column| FeedParameter {
            component: column.to.component.index(),
            variable: column.to.variable,
            to: program.port(column.to),
            values: column.values.clone(),
        });
        let (parameters, times) = (parameters.collect(), feed.times.clone());
        Some(FeedProgram { times, columns, parameters, jumps: feed.jumps(), row: 0 })
    }

    /// The first jump after `time`.
    pub(crate) fn next_jump(&self, time: Time) -> Option<Time> {
        self.jumps.get(self.jumps.partition_point(|jump| *jump <= time)).copied()
    }

    /// Puts the value of a parameter in the row of the last [`run`](Self::run) into its slot; false if
    /// it is there already.
    pub(crate) fn put_parameter(&self, at: usize, bank: &mut Bank) -> bool {
        let parameter = &self.parameters[at];
        let value = parameter.values.slice(self.row, 1);
        let changes = !bank.get(parameter.to).is_same(value);
        if changes {
            bank.put(parameter.to, value);
        }
        changes
    }

    /// Fills the slots with the values at `time`; before the first row the first row holds, after
    /// the last the last, and of rows at one time the last from there on.
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
                (Values::Float32(values), Some(fraction)) if column.interpolate => {
                    let (low, high) =
                        (f64::from(values[self.row]), f64::from(values[self.row + 1]));
                    let value = (low + (high - low) * fraction) as f32;
                    bank.put(column.to, ValuesRef::Float32(&[value]));
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

    fn plain(times: Vec<Time>, columns: Vec<FeedColumn>) -> FeedProgram {
        FeedProgram { times, columns, parameters: Vec::new(), jumps: Vec::new(), row: 0 }
    }

    /// A ramp to 3 at 10, where it jumps to 7 by way of 5, then a ramp down to 1 at 20.
    #[test]
    fn of_rows_at_one_time_the_first_ends_a_line_and_the_last_begins_one() {
        let mut bank = Bank::new();
        let slots = [ValueType::Float64, ValueType::Float32, ValueType::Float64];
        let slots = slots.map(|value_type| bank.reserve(value_type, 1));
        let list = vec![1.0, 3.0, 5.0, 7.0, 1.0];
        let narrow = Values::Float32(list.iter().map(|&it| it as f32).collect());
        let columns = vec![
            FeedColumn { to: slots[0], values: Values::Float64(list.clone()), interpolate: true },
            FeedColumn { to: slots[1], values: narrow, interpolate: true },
            FeedColumn { to: slots[2], values: Values::Float64(list), interpolate: false },
        ];
        let times = [0, 10, 10, 10, 20].map(Time::from_ticks).to_vec();
        let mut feed = plain(times, columns);
        for (time, line, held) in [
            (5, 2.0, 1.0),
            (9, 2.8, 1.0),
            (10, 7.0, 7.0),
            (15, 4.0, 7.0),
            (20, 1.0, 1.0),
            (5, 2.0, 1.0),
        ] {
            feed.run(Time::from_ticks(time), &mut bank);
            assert_eq!(bank.get(slots[0]), ValuesRef::Float64(&[line]), "{time}");
            assert_eq!(bank.get(slots[1]), ValuesRef::Float32(&[line as f32]), "{time}");
            assert_eq!(bank.get(slots[2]), ValuesRef::Float64(&[held]), "{time}");
        }
    }

    #[test]
    fn floats_are_interpolated_and_the_ends_hold() {
        let mut bank = Bank::new();
        let to = bank.reserve(ValueType::Float64, 1);
        let values = Values::Float64(vec![1.0, 3.0, 3.0]);
        let columns = vec![FeedColumn { to, values, interpolate: true }];
        let times = [0, 10, 20].map(Time::from_ticks).to_vec();
        let mut feed = plain(times, columns);
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
        let mut feed = plain(times, columns);
        feed.run(Time::ZERO, &mut bank);
        assert_eq!(bank.get(to), ValuesRef::Float64(&[2.0]));
    }
}
