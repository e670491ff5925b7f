//! Values one after another, apart by type: what a snapshot keeps of many banks in a few lists.

use crate::store::Bank;
use consort_core::{ValueType, Values, ValuesRef};

/// Values in the order in which they were put.
#[derive(Debug)]
pub(super) struct Tape {
    pub(super) columns: [Values; 15],
}

impl Default for Tape {
    fn default() -> Self {
        Tape { columns: ValueType::ALL.map(|value_type| Values::zeros(value_type, 0)) }
    }
}

impl Tape {
    /// Forgets the values, but keeps the room.
    pub(super) fn clear(&mut self) {
        macro_rules! clear_any {
            ($(($variant:ident, $element:ty, $name:literal),)*) => {
                |column: &mut Values| match column { $(Values::$variant(list) => list.clear(),)* }
            };
        }
        self.columns.iter_mut().for_each(consort_core::for_each_value_type!(clear_any));
    }

    pub(super) fn push(&mut self, values: ValuesRef<'_>) {
        let column = &mut self.columns[values.value_type() as usize];
        assert!(column.extend(values), "a column keeps its type");
    }

    pub(super) fn push_bank(&mut self, bank: &Bank) {
        for column in bank.columns() {
            if !column.is_empty() {
                self.push(column.view());
            }
        }
    }

    /// How many values there are, by type.
    pub(super) fn lengths(&self) -> [usize; 15] {
        std::array::from_fn(|index| self.columns[index].len())
    }

    /// How much room they take, texts apart.
    pub(super) fn bytes(&self) -> u64 {
        self.columns.iter().map(|column| column.bytes() as u64).sum()
    }
}

/// A tape being read from its start.
pub(super) struct Playback<'a> {
    tape: &'a Tape,
    at: [usize; 15],
}

impl<'a> Playback<'a> {
    pub(super) fn new(tape: &'a Tape) -> Self {
        Playback { tape, at: [0; 15] }
    }

    /// Fills values with the next ones of their type.
    pub(super) fn fill(&mut self, values: &mut Values) {
        let (column, count) = (values.value_type() as usize, values.len());
        let next = self.tape.columns[column].slice(self.at[column], count);
        values.slice_mut(0, count).copy_from(next);
        self.at[column] += count;
    }

    pub(super) fn fill_bank(&mut self, bank: &mut Bank) {
        for column in bank.columns_mut() {
            if !column.is_empty() {
                self.fill(column);
            }
        }
    }
}
