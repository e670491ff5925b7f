//! Reading Parquet that may be damaged.

use super::{layout, metadata};
use crate::error::TraceError;
use crate::schema::Schema;
use crate::trace::Trace;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{ChunkReader, FileReader};
use ::parquet::file::serialized_reader::SerializedFileReader;
use consort_core::{Tag, Time, ValueType, Values};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The most values a file may hold: beyond it, it is taken to be damaged.
pub const CELLS_MAX: u64 = 1 << 31;
/// How many values are decoded at once, so that a false count of rows allocates little.
const BATCH: usize = 8192;

/// Reads a trace from Parquet: a `File`, or `Bytes` in memory.
///
/// # Errors
/// If the file is not a trace of Consort, or is damaged.
pub fn read_parquet<R: ChunkReader + 'static>(input: R) -> Result<Trace, TraceError> {
    // The Parquet library asserts some of what a sound file must hold. A damaged file is the
    // world's mistake, so its panic becomes an error here.
    catch_unwind(AssertUnwindSafe(|| read(input))).unwrap_or_else(|_| {
        let source = ParquetError::General("its pages contradict each other".to_owned());
        Err(TraceError::Parquet { source })
    })
}

fn read<R: ChunkReader + 'static>(input: R) -> Result<Trace, TraceError> {
    let file = SerializedFileReader::new(input)?;
    let schema = Arc::new(schema(&file)?);
    check_layout(&file, &schema)?;
    let rows = row_counts(&file)?;
    let mut ticks = Values::Int64(Vec::new());
    read_leaf(&file, &rows, 1, &mut ticks)?;
    let mut microsteps = Values::UInt32(Vec::new());
    read_leaf(&file, &rows, 2, &mut microsteps)?;
    let tags = tags(&ticks, &microsteps);
    let mut columns = Vec::with_capacity(schema.columns().len());
    let mut leaf = layout::FIRST.len();
    for column in schema.columns() {
        let count = column.element_count();
        columns.push(read_column(&file, &rows, leaf..leaf + count, column.value_type)?);
        leaf += count;
    }
    Trace::from_parts(schema, tags, columns)
}

fn not_a_trace(reason: &str) -> TraceError {
    TraceError::NotATrace { reason: reason.to_owned() }
}

fn schema(file: &dyn FileReader) -> Result<Schema, TraceError> {
    let entries = file.metadata().file_metadata().key_value_metadata();
    let entry = entries.into_iter().flatten().find(|entry| entry.key == metadata::KEY);
    let text = entry.and_then(|entry| entry.value.as_deref());
    metadata::decode(text.ok_or_else(|| not_a_trace("the file has no key `consort.trace`"))?)
}

/// Checks that the file has exactly the columns that a trace of `schema` has.
fn check_layout(file: &dyn FileReader, schema: &Schema) -> Result<(), TraceError> {
    let found = file.metadata().file_metadata().schema_descr();
    let expected = layout::message(schema)?;
    let expected = expected.get_fields();
    if found.num_columns() != expected.len() {
        return Err(not_a_trace("its columns are not those of its schema"));
    }
    for (found, expected) in found.columns().iter().zip(expected) {
        let same = found.name() == expected.name()
            && found.physical_type() == expected.get_physical_type()
            && found.max_def_level() == 0
            && found.max_rep_level() == 0;
        if !same {
            let (expected, found) = (expected.name().to_owned(), found.path().string());
            return Err(TraceError::ColumnMismatch { expected, found });
        }
    }
    Ok(())
}

/// How many rows each group has, once its columns are known to lie in the file.
fn row_counts(file: &dyn FileReader) -> Result<Vec<usize>, TraceError> {
    let width = file.metadata().file_metadata().schema_descr().num_columns() as u64;
    let (mut cells, mut counts) = (0_u64, Vec::new());
    for group in file.metadata().row_groups() {
        let rows = u64::try_from(group.num_rows());
        let rows = rows.map_err(|_| not_a_trace("a group has less than no rows"))?;
        cells = cells.saturating_add(rows.saturating_mul(width));
        if CELLS_MAX < cells {
            return Err(TraceError::TooLarge { what: "values in a file", limit: CELLS_MAX });
        }
        group.columns().iter().try_for_each(check_place)?;
        counts.push(rows as usize);
    }
    Ok(counts)
}

/// Checks what the Parquet library asserts: offsets and lengths are not negative.
fn check_place(column: &ColumnChunkMetaData) -> Result<(), TraceError> {
    let dictionary = column.dictionary_page_offset().unwrap_or(0);
    let lowest = column.data_page_offset().min(dictionary).min(column.compressed_size());
    if lowest < 0 { Err(not_a_trace("a column lies outside of the file")) } else { Ok(()) }
}

fn tags(ticks: &Values, microsteps: &Values) -> Vec<Tag> {
    let (Values::Int64(ticks), Values::UInt32(microsteps)) = (ticks, microsteps) else {
        unreachable!("tags are read as ticks and microsteps")
    };
    let pairs = ticks.iter().zip(microsteps);
    pairs.map(|(&ticks, &microstep)| Tag { time: Time::from_ticks(ticks), microstep }).collect()
}

fn read_column(
    file: &dyn FileReader,
    rows: &[usize],
    leaves: std::ops::Range<usize>,
    value_type: ValueType,
) -> Result<Values, TraceError> {
    let mut read = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let mut values = Values::zeros(value_type, 0);
        read_leaf(file, rows, leaf, &mut values)?;
        read.push(values);
    }
    Ok(match read.len() {
        1 => read.remove(0),
        _ => interleave(&read, value_type),
    })
}

/// From one array per element to all elements of the first row, then the next.
fn interleave(leaves: &[Values], value_type: ValueType) -> Values {
    let rows = leaves.first().map_or(0, Values::len);
    let mut values = Values::zeros(value_type, 0);
    for row in 0..rows {
        for leaf in leaves {
            values.extend(leaf.slice(row, 1));
        }
    }
    values
}

fn read_leaf(
    file: &dyn FileReader,
    rows: &[usize],
    leaf: usize,
    values: &mut Values,
) -> Result<(), TraceError> {
    for (group, &rows) in rows.iter().enumerate() {
        let reader = file.get_row_group(group)?.get_column_reader(leaf)?;
        read_values(reader, rows, values)?;
    }
    Ok(())
}

fn read_values(reader: ColumnReader, rows: usize, values: &mut Values) -> Result<(), TraceError> {
    use ColumnReader::{
        BoolColumnReader, ByteArrayColumnReader, DoubleColumnReader, FloatColumnReader,
        Int32ColumnReader, Int64ColumnReader,
    };
    match (reader, values) {
        (DoubleColumnReader(from), Values::Float64(to)) => take(from, rows, to, Some),
        (FloatColumnReader(from), Values::Float32(to)) => take(from, rows, to, Some),
        (Int32ColumnReader(from), Values::Int8(to)) => take(from, rows, to, |v| v.try_into().ok()),
        (Int32ColumnReader(from), Values::UInt8(to)) => take(from, rows, to, |v| v.try_into().ok()),
        (Int32ColumnReader(from), Values::Int16(to)) => take(from, rows, to, |v| v.try_into().ok()),
        (Int32ColumnReader(from), Values::UInt16(to)) => {
            take(from, rows, to, |v| v.try_into().ok())
        }
        (Int32ColumnReader(from), Values::Int32(to)) => take(from, rows, to, Some),
        (Int32ColumnReader(from), Values::UInt32(to)) => take(from, rows, to, |v| Some(v as u32)),
        (Int64ColumnReader(from), Values::Int64(to) | Values::Enumeration(to)) => {
            take(from, rows, to, Some)
        }
        (Int64ColumnReader(from), Values::UInt64(to)) => take(from, rows, to, |v| Some(v as u64)),
        (BoolColumnReader(from), Values::Boolean(to) | Values::Clock(to)) => {
            take(from, rows, to, Some)
        }
        (ByteArrayColumnReader(from), Values::String(to)) => take(from, rows, to, text),
        (ByteArrayColumnReader(from), Values::Binary(to)) => {
            take(from, rows, to, |bytes| Some(bytes.data().to_vec()))
        }
        _ => Err(not_a_trace("a column is not of the type its schema says")),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "stands for a conversion of values")]
fn text(bytes: ByteArray) -> Option<String> {
    bytes.as_utf8().ok().map(str::to_owned)
}

/// Appends `rows` values of a column, each turned into its type.
fn take<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    values: &mut Vec<V>,
    convert: impl Fn(T::T) -> Option<V>,
) -> Result<(), TraceError> {
    let mut left = rows;
    let mut batch = Vec::new();
    while 0 < left {
        batch.clear();
        let (records, ..) = reader.read_records(BATCH.min(left), None, None, &mut batch)?;
        if records == 0 || batch.len() != records {
            return Err(not_a_trace("a column has fewer values than the file has rows"));
        }
        left -= records;
        for value in batch.drain(..) {
            let value = convert(value);
            values.push(value.ok_or_else(|| not_a_trace("a value is out of its type's range"))?);
        }
    }
    Ok(())
}
