//! Recording on the stepping thread: rows are copied into chunks, and that is all.
//!
//! A [`Chunk`] holds many rows in one bank per value type, row by row, so that a row is recorded by
//! at most one copy of memory per batch of values. Full chunks go to a writer, which transposes
//! them; emptied ones come back. Nothing here allocates once a chunk has been through one round.

mod bank;

use crate::cell::Cell;
use crate::schema::Schema;
use consort_core::{Tag, ValueType, ValuesRef};
use std::sync::Arc;

pub(crate) use bank::{Bank, Elements};

/// The most rows a chunk holds.
pub const CHUNK_ROWS_MAX: usize = 4096;
/// About how many bytes a chunk holds at most, so that it stays in a core's cache until it is
/// written; a chunk of very wide rows holds at least one.
pub const CHUNK_BYTES: usize = 512 * 1024;

/// A block of recorded rows that is filled, written, cleared and filled again.
#[derive(Clone, Debug)]
pub struct Chunk {
    schema: Arc<Schema>,
    capacity: usize,
    tags: Vec<Tag>,
    banks: Vec<Bank>,
    /// Where the run stood at the last row, if that is stated.
    mark: Vec<u64>,
}

impl Chunk {
    /// An empty chunk with as many rows as are good for this schema.
    pub fn new(schema: &Arc<Schema>) -> Self {
        let rows = (CHUNK_BYTES / schema.row_bytes()).clamp(1, CHUNK_ROWS_MAX);
        Self::with_rows(schema, rows)
    }

    /// An empty chunk for `rows` rows.
    ///
    /// # Panics
    /// If `rows` is zero.
    pub fn with_rows(schema: &Arc<Schema>, rows: usize) -> Self {
        assert!(0 < rows, "a chunk holds at least one row");
        let banks = ValueType::ALL
            .map(|value_type| Bank::with_capacity(value_type, schema.width(value_type), rows));
        Chunk {
            schema: Arc::clone(schema),
            capacity: rows,
            tags: Vec::with_capacity(rows),
            banks: banks.into(),
            mark: Vec::new(),
        }
    }

    /// A chunk of what a reader found, which fits the schema.
    pub(crate) fn from_parts(
        schema: &Arc<Schema>,
        tags: Vec<Tag>,
        banks: Vec<Bank>,
        mark: Vec<u64>,
    ) -> Self {
        Chunk { schema: Arc::clone(schema), capacity: tags.len(), tags, banks, mark }
    }

    /// Starts the row of `tag`. Its values follow by [`Chunk::extend`], then [`Chunk::end_row`].
    ///
    /// # Panics
    /// If the chunk is full, or `tag` is not after the row before.
    #[inline]
    pub fn begin_row(&mut self, tag: Tag) {
        assert!(!self.is_full(), "a full chunk is handed over before the next row");
        assert!(self.tags.last().is_none_or(|last| *last < tag), "tags increase");
        self.tags.push(tag);
        self.mark.clear();
    }

    /// Copies values into the row. Values of one type must come in the order of that type's columns
    /// (or in that of [`Schema::with_row_order`]), in as many pieces as is convenient; the order
    /// between types is free.
    #[inline]
    pub fn extend(&mut self, values: ValuesRef<'_>) {
        self.banks[values.value_type() as usize].extend(values);
    }

    /// Ends the row.
    ///
    /// # Panics
    /// If values are missing or left over: a shifted row would be a wrong result.
    #[inline]
    pub fn end_row(&mut self) {
        let rows = self.tags.len();
        for bank in &self.banks {
            assert_eq!(bank.len(), rows * bank.width, "a row has a value for every element");
        }
    }

    /// Records a whole row given as batches of values, in the order of [`Chunk::extend`].
    ///
    /// # Panics
    /// As [`Chunk::begin_row`] and [`Chunk::end_row`].
    pub fn push_row(&mut self, tag: Tag, batches: &[ValuesRef<'_>]) {
        self.begin_row(tag);
        for &values in batches {
            self.extend(values);
        }
        self.end_row();
    }

    /// Notes where the run stands at the last row, of this chunk or before: a word per column of the schema.
    pub fn set_mark(&mut self, words: impl IntoIterator<Item = u64>) {
        self.mark.clear();
        self.mark.extend(words);
    }

    /// Where the run stood at the last row, if that was stated and there is none since.
    pub fn mark(&self) -> &[u64] {
        &self.mark
    }

    /// Whether the next row needs another chunk.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.capacity == self.tags.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.tags.len()
    }

    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.mark.clear();
        self.banks.iter_mut().for_each(Bank::clear);
    }

    /// The recorded columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The tags of the rows.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// One element of a column in a row.
    ///
    /// # Panics
    /// If there is no such row, column or element.
    pub fn cell(&self, row: usize, column: usize, element: usize) -> Cell<'_> {
        let place = self.schema.place(column);
        assert!(element < place.count, "a column has the elements its dimensions say");
        let bank = self.bank(column);
        bank.elements.cell(row * bank.width + place.offset + element)
    }

    /// The elements of all rows, by value type.
    pub(crate) fn banks(&self) -> &[Bank] {
        &self.banks
    }

    /// The bank that a column's elements are in.
    pub(crate) fn bank(&self, column: usize) -> &Bank {
        &self.banks[self.schema.columns()[column].value_type as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Column;
    use consort_core::{Resolution, Time};

    fn chunk() -> Chunk {
        let columns = vec![
            Column::new("a", "x", ValueType::Float64),
            Column::new("a", "name", ValueType::String),
            Column::new("b", "y", ValueType::Float64).with_dimensions(&[2]),
        ];
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
        Chunk::with_rows(&schema, 2)
    }

    fn fill(chunk: &mut Chunk) {
        for row in 0..2 {
            chunk.begin_row(Tag::at(Time::from_ticks(row)));
            chunk.extend(ValuesRef::String(&[format!("row {row}")]));
            chunk.extend(ValuesRef::Float64(&[row as f64]));
            chunk.extend(ValuesRef::Float64(&[10.0, 20.0]));
            chunk.end_row();
        }
    }

    #[test]
    fn what_was_recorded_is_found_again_also_after_a_round() {
        let mut chunk = chunk();
        for _ in 0..2 {
            fill(&mut chunk);
            assert!(chunk.is_full());
            assert_eq!(chunk.cell(1, 0, 0), Cell::Float64(1.0));
            assert_eq!(chunk.cell(1, 1, 0), Cell::String("row 1"));
            assert_eq!(chunk.cell(0, 2, 1), Cell::Float64(20.0));
            chunk.clear();
            assert!(chunk.is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "a row has a value for every element")]
    fn an_incomplete_row_is_a_mistake() {
        chunk().push_row(Tag::default(), &[ValuesRef::Float64(&[1.0])]);
    }

    #[test]
    #[should_panic(expected = "tags increase")]
    fn going_back_in_time_is_a_mistake() {
        let mut chunk = chunk();
        chunk.begin_row(Tag::default().next_microstep());
        chunk.begin_row(Tag::default());
    }

    #[test]
    fn chunks_of_wide_rows_are_short() {
        let wide = Column::new("a", "x", ValueType::Float64).with_dimensions(&[1 << 16]);
        let rows = |columns| {
            let schema = Schema::new(Resolution::NANOSECOND, columns).unwrap();
            Chunk::new(&Arc::new(schema)).capacity
        };
        assert_eq!(rows(vec![wide]), 1);
        assert_eq!(rows(vec![]), CHUNK_ROWS_MAX);
    }
}
