//! Writing Parquet during a run.

use super::{layout, metadata};
use crate::error::TraceError;
use crate::record::{Chunk, Elements};
use crate::schema::Schema;
use crate::writer::TraceWriter;
use ::parquet::basic::{Compression, Encoding, Type as Physical};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use consort_core::ValuesRef;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

/// After how many rows a row group is written.
pub const ROW_GROUP_ROWS: usize = 65_536;
/// After about how many bytes a row group is written, where rows are wide.
pub const ROW_GROUP_BYTES: usize = 64 * 1024 * 1024;

/// Writes a trace as Parquet during a run.
///
/// Rows are collected by column and written group by group. A file is complete only after
/// [`TraceWriter::finish`]: Parquet keeps its table of contents at the end.
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    leaves: Vec<ParquetLeaf>,
    rows: usize,
    rows_max: usize,
    finished: bool,
}

/// A column of the file that is being collected.
enum ParquetLeaf {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Starts a file in `output`; `&mut Vec<u8>` will do.
    ///
    /// # Errors
    /// If `output` fails, or a variable is named as a column that every trace has.
    pub fn new(output: W, schema: &Schema) -> Result<Self, TraceError> {
        let rows = (ROW_GROUP_BYTES / schema.row_bytes()).clamp(1, ROW_GROUP_ROWS);
        Self::with_row_group(output, schema, rows)
    }

    /// Starts a file whose row groups have `rows` rows, whatever pieces they come in.
    ///
    /// # Errors
    /// As [`ParquetWriter::new`].
    pub fn with_row_group(output: W, schema: &Schema, rows: usize) -> Result<Self, TraceError> {
        let message = layout::message(schema)?;
        let fields = message.get_fields().iter();
        let leaves = fields.map(|field| ParquetLeaf::new(field.get_physical_type())).collect();
        let file = SerializedFileWriter::new(output, message, Arc::new(properties(schema)))?;
        Ok(ParquetWriter { file, leaves, rows: 0, rows_max: rows, finished: false })
    }

    fn collect(&mut self, chunk: &Chunk, rows: Range<usize>) {
        let (first, leaves) = self.leaves.split_at_mut(layout::FIRST.len());
        collect_tags(first, chunk, rows.clone());
        for (leaf, (column, index)) in leaves.iter_mut().zip(chunk.schema().elements()) {
            leaf.collect(chunk, Element { column, index }, rows.clone());
        }
        self.rows += rows.len();
    }

    fn write_row_group(&mut self) -> Result<(), TraceError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let mut group = self.file.next_row_group()?;
        for leaf in &mut self.leaves {
            let column = group.next_column()?;
            leaf.write(column.expect("the file has a column for every leaf"))?;
        }
        group.close()?;
        Ok(())
    }
}

/// Plain encoding without statistics or dictionaries: a trace is written once, as fast as the run
/// makes it, and read whole.
fn properties(schema: &Schema) -> WriterProperties {
    let entry = KeyValue::new(metadata::KEY.to_owned(), metadata::encode(schema));
    WriterProperties::builder()
        .set_created_by(concat!("consort version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![entry]))
        .set_encoding(Encoding::PLAIN)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_compression(Compression::SNAPPY)
        .build()
}

impl<W: Write + Send> TraceWriter for ParquetWriter<W> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        if self.finished {
            return Err(TraceError::Finished);
        }
        let mut from = 0;
        while from < chunk.rows() {
            let until = chunk.rows().min(from + self.rows_max - self.rows);
            self.collect(chunk, from..until);
            from = until;
            if self.rows == self.rows_max {
                // A group that was written in part cannot be taken back, so the file ends here.
                self.write_row_group().inspect_err(|_| self.finished = true)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        if self.finished {
            return Ok(());
        }
        self.finished = true;
        self.write_row_group()?;
        self.file.finish()?;
        Ok(())
    }
}

fn collect_tags(first: &mut [ParquetLeaf], chunk: &Chunk, rows: Range<usize>) {
    let [ParquetLeaf::Double(times), ParquetLeaf::Int64(ticks), ParquetLeaf::Int32(microsteps)] =
        first
    else {
        unreachable!("the first columns are time, tick and microstep")
    };
    let (resolution, tags) = (chunk.schema().resolution(), &chunk.tags()[rows]);
    times.extend(tags.iter().map(|tag| resolution.to_f64(tag.time)));
    ticks.extend(tags.iter().map(|tag| tag.time.ticks()));
    microsteps.extend(tags.iter().map(|tag| tag.microstep as i32));
}

/// One element of the values of a column.
#[derive(Clone, Copy)]
struct Element {
    column: usize,
    index: usize,
}

impl ParquetLeaf {
    fn new(physical: Physical) -> Self {
        match physical {
            Physical::BOOLEAN => ParquetLeaf::Bool(Vec::new()),
            Physical::INT32 => ParquetLeaf::Int32(Vec::new()),
            Physical::INT64 => ParquetLeaf::Int64(Vec::new()),
            Physical::FLOAT => ParquetLeaf::Float(Vec::new()),
            Physical::DOUBLE => ParquetLeaf::Double(Vec::new()),
            _ => ParquetLeaf::Bytes(Vec::new()),
        }
    }

    /// Takes one element of some rows: the transposition from rows to columns.
    fn collect(&mut self, chunk: &Chunk, element: Element, rows: Range<usize>) {
        let bank = chunk.bank(element.column);
        let start = chunk.schema().place(element.column).offset + element.index;
        let indices = (start + rows.start * bank.width..).step_by(bank.width).take(rows.len());
        match (&bank.elements, self) {
            (Elements::Fixed(values), leaf) => leaf.collect_fixed(values.view(), indices),
            (elements @ Elements::Variable { .. }, ParquetLeaf::Bytes(leaf)) => {
                leaf.extend(indices.map(|index| ByteArray::from(elements.bytes(index))));
            }
            _ => unreachable!("texts and binaries are byte arrays"),
        }
    }

    fn collect_fixed(&mut self, values: ValuesRef<'_>, at: impl Iterator<Item = usize>) {
        match (values, self) {
            (ValuesRef::Float64(from), ParquetLeaf::Double(to)) => {
                gather(from, at, to, |value| value);
            }
            (ValuesRef::Float32(from), ParquetLeaf::Float(to)) => {
                gather(from, at, to, |value| value);
            }
            (ValuesRef::Int8(from), ParquetLeaf::Int32(to)) => gather(from, at, to, i32::from),
            (ValuesRef::UInt8(from), ParquetLeaf::Int32(to)) => gather(from, at, to, i32::from),
            (ValuesRef::Int16(from), ParquetLeaf::Int32(to)) => gather(from, at, to, i32::from),
            (ValuesRef::UInt16(from), ParquetLeaf::Int32(to)) => gather(from, at, to, i32::from),
            (ValuesRef::Int32(from), ParquetLeaf::Int32(to)) => gather(from, at, to, |value| value),
            (ValuesRef::UInt32(from), ParquetLeaf::Int32(to)) => {
                gather(from, at, to, u32::cast_signed);
            }
            (ValuesRef::Int64(from) | ValuesRef::Enumeration(from), ParquetLeaf::Int64(to)) => {
                gather(from, at, to, |value| value);
            }
            (ValuesRef::UInt64(from), ParquetLeaf::Int64(to)) => {
                gather(from, at, to, u64::cast_signed);
            }
            (ValuesRef::Boolean(from) | ValuesRef::Clock(from), ParquetLeaf::Bool(to)) => {
                gather(from, at, to, |value| value);
            }
            _ => unreachable!("the layout gives every type its leaf"),
        }
    }

    /// Writes what was collected and keeps the memory for the next group.
    fn write(&mut self, mut column: SerializedColumnWriter<'_>) -> Result<(), TraceError> {
        macro_rules! write_as {
            ($type:ty, $values:expr) => {{
                let written = column.typed::<$type>().write_batch($values, None, None);
                $values.clear();
                written?
            }};
        }
        match self {
            ParquetLeaf::Bool(values) => write_as!(BoolType, values),
            ParquetLeaf::Int32(values) => write_as!(Int32Type, values),
            ParquetLeaf::Int64(values) => write_as!(Int64Type, values),
            ParquetLeaf::Float(values) => write_as!(FloatType, values),
            ParquetLeaf::Double(values) => write_as!(DoubleType, values),
            ParquetLeaf::Bytes(values) => write_as!(ByteArrayType, values),
        };
        Ok(column.close()?)
    }
}

fn gather<T: Copy, U>(
    from: &[T],
    at: impl Iterator<Item = usize>,
    to: &mut Vec<U>,
    convert: impl Fn(T) -> U,
) {
    to.extend(at.map(|index| convert(from[index])));
}
