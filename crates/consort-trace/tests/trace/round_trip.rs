//! What is written is what is read.

use crate::common::{bits, trace, traces};
use consort_core::{Resolution, Tag, Time, ValueType, Values};
use consort_trace::{
    Chunk, Column, CsvOptions, CsvWriter, ParquetWriter, Schema, Tee, Trace, TraceError,
    TraceWriter, read_csv, read_parquet,
};
use proptest::prelude::*;
use std::io::{self, Write};
use std::sync::Arc;

pub(crate) fn to_parquet(trace: &Trace, row_group: usize) -> Vec<u8> {
    let (mut file, schema) = (Vec::new(), trace.schema());
    let mut writer = ParquetWriter::with_row_group(&mut file, schema, row_group).unwrap();
    trace.write_to(&mut writer).unwrap();
    drop(writer);
    file
}

pub(crate) fn to_csv(trace: &Trace) -> Vec<u8> {
    let mut writer = CsvWriter::new(Vec::new(), trace.schema()).unwrap();
    trace.write_to(&mut writer).unwrap();
    writer.into_inner()
}

proptest! {
    #[test]
    fn parquet_keeps_every_bit(trace in traces(), row_group in 1_usize..50) {
        let read = read_parquet(bytes::Bytes::from(to_parquet(&trace, row_group))).unwrap();
        prop_assert_eq!(read.schema(), trace.schema());
        prop_assert_eq!(read.tags(), trace.tags());
        prop_assert_eq!(bits(&read, false), bits(&trace, false));
    }

    #[test]
    fn csv_keeps_every_bit_but_the_payload_of_nans(trace in traces()) {
        let schema = Some(Arc::clone(trace.schema()));
        let options = CsvOptions { schema, ..CsvOptions::default() };
        let read = read_csv(&to_csv(&trace), &options).unwrap();
        prop_assert_eq!(read.tags(), trace.tags());
        prop_assert_eq!(bits(&read, true), bits(&trace, true));
        prop_assert_eq!(read.hash(), trace.hash());
    }
}

fn small() -> Trace {
    let columns = vec![
        Column::new("tank", "level", ValueType::Float64).with_unit("m"),
        Column::new("tank", "flows", ValueType::Float32).with_dimensions(&[2]),
        Column::new("tank", "open", ValueType::Boolean),
        Column::new("tank", "note", ValueType::String),
        Column::new("tank", "frame", ValueType::Binary),
        Column::new("tank", "count", ValueType::UInt64),
    ];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let late = Tag::at(Time::from_ticks(100_000_000));
    let tags = [Tag::at(Time::from_ticks(-500_000_000)), late, late.next_microstep()];
    let columns = [
        Values::Float64(vec![1.0, 0.1 + 0.2, f64::NAN]),
        Values::Float32(vec![0.1, -0.0, 1e30, 3.0, f32::INFINITY, 0.5]),
        Values::Boolean(vec![true, false, true]),
        Values::String(["plain", "a \"b\", c", ""].map(str::to_owned).to_vec()),
        Values::Binary(vec![vec![0xCA, 0xFE], vec![], vec![0]]),
        Values::UInt64(vec![0, u64::MAX, 7]),
    ];
    trace(&schema, &tags, &columns)
}

#[test]
fn csv_has_the_column_form_of_fmpy() {
    let expected = r#""time","tank.level","tank.flows[1]","tank.flows[2]","tank.open","tank.note","tank.frame","tank.count"
-0.5,1.0,0.10000000149011612,-0.0,1,plain,cafe,0
0.1,0.30000000000000004,1.0000000150474662e30,3.0,0,"a ""b"", c",,18446744073709551615
0.1,NaN,inf,0.5,1,,00,7
"#;
    assert_eq!(String::from_utf8(to_csv(&small())).unwrap(), expected);
}

#[test]
fn the_same_trace_gives_the_same_file_to_the_byte() {
    assert_eq!(to_parquet(&small(), 2), to_parquet(&small(), 2));
    let whole = small();
    let in_pieces = |size: usize| {
        let mut file = Vec::new();
        let mut writer = ParquetWriter::with_row_group(&mut file, whole.schema(), 2).unwrap();
        let mut chunk = Chunk::with_rows(whole.schema(), size);
        for (row, &tag) in whole.tags().iter().enumerate() {
            chunk.begin_row(tag);
            for (column, values) in whole.schema().columns().iter().zip(whole.columns()) {
                chunk.extend(values.slice(row * column.element_count(), column.element_count()));
            }
            chunk.end_row();
            if chunk.is_full() {
                writer.write(&chunk).unwrap();
                chunk.clear();
            }
        }
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        drop(writer);
        file
    };
    assert!(2 < whole.tags().len());
    for size in 1..9 {
        assert_eq!(in_pieces(size), in_pieces(100), "{size}");
    }
}

#[test]
fn a_tee_writes_both_forms() {
    let (trace, mut csv, mut parquet) = (small(), Vec::new(), Vec::new());
    let mut tee = Tee::default();
    tee.push(Box::new(CsvWriter::new(&mut csv, trace.schema()).unwrap()));
    tee.push(Box::new(ParquetWriter::new(&mut parquet, trace.schema()).unwrap()));
    trace.write_to(&mut tee).unwrap();
    drop(tee);
    assert_eq!(csv, to_csv(&trace));
    assert_eq!(read_parquet(bytes::Bytes::from(parquet)).unwrap().hash(), trace.hash());
}

#[test]
fn a_variable_named_as_a_fixed_column_is_refused() {
    let columns = vec![Column::new("", "tick", ValueType::Float64)];
    let schema = Schema::new(Resolution::NANOSECOND, columns).unwrap();
    let error = ParquetWriter::new(Vec::new(), &schema).err().unwrap();
    assert_eq!(error.to_string(), "`tick` is the name of a column that every trace has");
}

#[test]
fn rows_after_the_end_are_refused() {
    let (mut file, trace) = (Vec::new(), small());
    let mut writer = ParquetWriter::new(&mut file, trace.schema()).unwrap();
    trace.write_to(&mut writer).unwrap();
    assert!(matches!(trace.write_to(&mut writer), Err(TraceError::Finished)));
    drop(writer);
    assert!(read_parquet(bytes::Bytes::from(file)).is_ok());
}

/// Takes so many bytes, then the disk is full.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_of_the_disk_and_can_still_be_finished() {
    let trace = small();
    let size = to_parquet(&trace, 1).len();
    for room in (4..size).step_by(7) {
        let mut writer = ParquetWriter::with_row_group(Disk(room), trace.schema(), 1).unwrap();
        let error = trace.write_to(&mut writer).unwrap_err();
        assert!(matches!(error, TraceError::Io { .. }), "{room} bytes: {error:?}");
        assert!(writer.finish().is_ok(), "the error has been reported");
    }
    for room in 200..to_csv(&trace).len() {
        let mut writer = CsvWriter::new(Disk(room), trace.schema()).unwrap();
        assert!(matches!(trace.write_to(&mut writer), Err(TraceError::Io { .. })));
    }
}

#[test]
fn a_trace_without_rows_or_columns_is_a_trace() {
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, vec![]).unwrap());
    let empty = Trace::new(&schema);
    let file = bytes::Bytes::from(to_parquet(&empty, 1));
    assert_eq!(read_parquet(file).unwrap(), empty);
    assert_eq!(to_csv(&empty), b"\"time\"\n");
}
