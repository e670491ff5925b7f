//! A whole trace in memory: what the readers give and what is compared and plotted.

use crate::cell::Cell;
use crate::error::TraceError;
use crate::hash::{TraceHash, VariableHash, tag_word, trace_hash};
use crate::record::{Chunk, Elements};
use crate::schema::Schema;
use crate::writer::TraceWriter;
use consort_core::{HashMode, Tag, Values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that was recorded: tags, and one array of values per column.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    schema: Arc<Schema>,
    tags: Vec<Tag>,
    columns: Vec<Values>,
}

impl Trace {
    /// A trace without rows, to be filled as a [`TraceWriter`].
    pub fn new(schema: &Arc<Schema>) -> Self {
        let columns = schema.columns().iter();
        let columns = columns.map(|column| Values::zeros(column.value_type, 0)).collect();
        Trace { schema: Arc::clone(schema), tags: Vec::new(), columns }
    }

    /// A trace of what a reader found.
    pub(crate) fn from_parts(
        schema: Arc<Schema>,
        tags: Vec<Tag>,
        columns: Vec<Values>,
    ) -> Result<Self, TraceError> {
        if let Some(index) = tags.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(TraceError::NotIncreasing { row: index as u64 + 2 });
        }
        for (column, values) in schema.columns().iter().zip(&columns) {
            assert_eq!(values.value_type(), column.value_type, "a column has its type");
            assert_eq!(values.len(), tags.len() * column.element_count(), "columns have all rows");
        }
        Ok(Trace { schema, tags, columns })
    }

    /// The same trace, with other names for some columns: by path, from the present one to the new one.
    ///
    /// # Errors
    /// If two columns would have one name.
    pub fn renamed(self, names: &BTreeMap<String, String>) -> Result<Self, TraceError> {
        let mut columns = self.schema.columns().to_vec();
        for column in &mut columns {
            if let Some(name) = names.get(column.path()) {
                *column = column.clone().with_path(name);
            }
        }
        let schema = Arc::new(Schema::new(self.schema.resolution(), columns)?);
        Ok(Trace { schema, ..self })
    }

    /// The recorded columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The rows' tags, increasing.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The rows' times in seconds.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        let resolution = self.schema.resolution();
        self.tags.iter().map(move |tag| resolution.to_f64(tag.time))
    }

    /// The values of the column with this path: all elements of the first row, then the next.
    pub fn column(&self, path: &str) -> Option<&Values> {
        self.schema.position(path).map(|index| &self.columns[index])
    }

    /// The numbers (and Booleans, as 0 and 1) of the column with this path; `None` if there is no such column, or it is
    /// text.
    pub fn numbers(&self, path: &str) -> Option<Vec<f64>> {
        let values = self.column(path)?.view();
        (0..values.len()).map(|index| values.as_f64(index)).collect()
    }

    /// The values of every column, in the order of the schema.
    pub fn columns(&self) -> &[Values] {
        &self.columns
    }

    /// One element of a column in a row.
    ///
    /// # Panics
    /// If there is no such row, column or element.
    pub fn cell(&self, row: usize, column: usize, element: usize) -> Cell<'_> {
        let place = self.schema.place(column);
        assert!(element < place.count, "a column has the elements its dimensions say");
        Cell::of(self.columns[column].view(), row * place.count + element)
    }

    /// Adds the rows of another trace with the same columns.
    ///
    /// # Panics
    /// If it has others.
    pub fn append(&mut self, other: &Trace) {
        assert!(self.schema == other.schema, "both have the same columns");
        self.tags.extend_from_slice(&other.tags);
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.extend(more.view());
        }
    }

    /// Writes all rows to `writer` and finishes it, to turn one form of file into another.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_to(&self, writer: &mut dyn TraceWriter) -> Result<(), TraceError> {
        let mut chunk = Chunk::new(&self.schema);
        for (row, &tag) in self.tags.iter().enumerate() {
            chunk.begin_row(tag);
            for (index, values) in self.columns.iter().enumerate() {
                let count = self.schema.place(index).count;
                chunk.extend(values.slice(row * count, count));
            }
            chunk.end_row();
            if chunk.is_full() {
                writer.write(&chunk)?;
                chunk.clear();
            }
        }
        writer.write(&chunk)?;
        writer.finish()
    }

    /// The hash of the recorded values. It equals the `trace_hash` of the run where every hashed
    /// variable was recorded at every tag.
    pub fn hash(&self) -> TraceHash {
        let mut hashes = vec![VariableHash::default(); self.columns.len()];
        for (row, &tag) in self.tags.iter().enumerate() {
            let word = tag_word(tag);
            for (index, hash) in hashes.iter_mut().enumerate() {
                let count = self.schema.place(index).count;
                hash.absorb_array(word, self.columns[index].slice(row * count, count));
            }
        }
        let columns = self.schema.columns().iter().zip(hashes);
        trace_hash(
            HashMode::All,
            columns.map(|(column, hash)| (column.path(), column.value_type, hash)),
        )
    }
}

/// Records into memory.
impl TraceWriter for Trace {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        for (row, &tag) in chunk.tags().iter().enumerate() {
            if self.tags.last().is_some_and(|last| tag <= *last) {
                return Err(TraceError::NotIncreasing { row: self.tags.len() as u64 + 1 });
            }
            self.tags.push(tag);
            for (index, values) in self.columns.iter_mut().enumerate() {
                let (bank, place) = (chunk.bank(index), self.schema.place(index));
                append(values, &bank.elements, row * bank.width + place.offset, place.count);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Appends the elements `start..start + count` of a bank of the same type.
fn append(values: &mut Values, elements: &Elements, start: usize, count: usize) {
    let range = start..start + count;
    match (elements, values) {
        (Elements::Variable { .. }, Values::String(list)) => {
            list.extend(range.map(|index| match elements.cell(index) {
                Cell::String(text) => text.to_owned(),
                _ => String::new(),
            }));
        }
        (Elements::Variable { .. }, Values::Binary(list)) => {
            list.extend(range.map(|index| elements.bytes(index).to_vec()));
        }
        (Elements::Variable { .. }, _) => {}
        (Elements::Fixed(bank), values) => {
            let same = values.extend(bank.slice(start, count));
            assert!(same, "a chunk and its trace have one schema");
        }
    }
}
