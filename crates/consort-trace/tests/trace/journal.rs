//! A journal gives back every row up to where it is torn.

use crate::common::{bits, trace, traces};
use consort_core::{Resolution, Tag, Time, ValueType, Values, ValuesRef};
use consort_trace::progress_mark::{ProgressMark, count_column, hash_column};
use consort_trace::{
    Chunk, Column, JournalReader, JournalWriter, Schema, Trace, TraceError, TraceWriter,
    VariableHash, read_journal,
};
use proptest::prelude::*;
use std::sync::Arc;

/// How many rows each record has.
const ROWS: usize = 7;

/// What it says of the run.
const ABOUT: &str = "a run of the tank";

/// The journal of a trace, and where each of its records ends.
fn journal(trace: &Trace) -> (Vec<u8>, Vec<usize>) {
    let rows: Vec<usize> = (0..trace.tags().len()).collect();
    let records = rows.len().div_ceil(ROWS);
    let files: Vec<Vec<u8>> = (0..=records).map(|count| written(trace, &rows, count)).collect();
    let ends = files.iter().map(Vec::len).collect();
    (files.into_iter().next_back().unwrap(), ends)
}

/// The journal of so many records.
fn written(trace: &Trace, rows: &[usize], records: usize) -> Vec<u8> {
    let mut journal = JournalWriter::new(Vec::new(), trace.schema(), ABOUT).unwrap();
    for rows in rows.chunks(ROWS).take(records) {
        let mut chunk = Chunk::with_rows(trace.schema(), ROWS);
        for &row in rows {
            chunk.begin_row(trace.tags()[row]);
            for (column, values) in trace.schema().columns().iter().zip(trace.columns()) {
                let count = column.element_count();
                chunk.extend(values.slice(row * count, count));
            }
            chunk.end_row();
        }
        journal.write(&chunk).unwrap();
    }
    journal.finish().unwrap();
    journal.into_inner()
}

/// All rows that can be read.
fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let reader = JournalReader::new(bytes)?;
    assert_eq!(reader.about(), ABOUT);
    let schema = Arc::clone(reader.schema());
    let parts: Vec<Trace> = reader.collect::<Result<_, _>>()?;
    let tags: Vec<Tag> = parts.iter().flat_map(Trace::tags).copied().collect();
    let mut columns: Vec<Values> =
        schema.columns().iter().map(|column| Values::zeros(column.value_type, 0)).collect();
    for part in &parts {
        let pairs = columns.iter_mut().zip(part.columns());
        pairs.for_each(|(all, more)| assert!(all.extend(more.view())));
    }
    let read = trace(&schema, &tags, &columns);
    assert_eq!(read_journal(bytes)?.hash(), read.hash(), "at once as in parts");
    Ok(read)
}

fn sound() -> Trace {
    let columns = ValueType::ALL.map(|value_type| Column::new("a", value_type.name(), value_type));
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns.to_vec()).unwrap());
    let tags: Vec<Tag> = (0..20).map(|ticks| Tag::at(Time::from_ticks(ticks))).collect();
    let columns = ValueType::ALL.map(|value_type| Values::zeros(value_type, tags.len()));
    trace(&schema, &tags, &columns)
}

proptest! {
    #[test]
    fn every_bit_comes_back(trace in traces()) {
        let read = read(&journal(&trace).0).unwrap();
        prop_assert_eq!(read.schema(), trace.schema());
        prop_assert_eq!(read.tags(), trace.tags());
        prop_assert_eq!(bits(&read, false), bits(&trace, false));
    }

    #[test]
    fn a_wrong_byte_costs_its_record_and_those_after_it(
        at in any::<prop::sample::Index>(), flip in 1_u8..,
    ) {
        let (mut bytes, ends) = journal(&sound());
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let before = ends.iter().filter(|end| **end <= at).count();
        match read(&bytes) {
            Ok(trace) => prop_assert_eq!(trace.tags().len(), (before - 1) * ROWS),
            Err(_) => prop_assert_eq!(before, 0),
        }
    }
}

#[test]
fn a_journal_torn_anywhere_gives_the_records_before() {
    let whole = sound();
    let (bytes, ends) = journal(&whole);
    for length in 0..=bytes.len() {
        let records = ends.iter().filter(|end| **end <= length).count();
        match read(&bytes[..length]) {
            Ok(trace) => {
                let rows = ((records - 1) * ROWS).min(whole.tags().len());
                assert_eq!(trace.tags(), &whole.tags()[..rows], "{length} bytes");
            }
            Err(_) => assert_eq!(records, 0, "{length} bytes"),
        }
    }
}

#[test]
fn rows_that_go_back_and_lengths_without_end_are_left_out() {
    let whole = sound();
    let (bytes, ends) = journal(&whole);
    let mut again = bytes[..ends[2]].to_vec();
    again.extend_from_slice(&bytes[ends[1]..ends[2]]);
    assert_eq!(read(&again).unwrap().tags().len(), 2 * ROWS);
    for length in [u64::MAX, 1 << 40, 1 << 31] {
        let mut endless = bytes[..ends[1]].to_vec();
        endless.extend_from_slice(&length.to_le_bytes());
        endless.extend_from_slice(&bytes[ends[1] + 8..]);
        assert_eq!(read(&endless).unwrap().tags().len(), ROWS, "{length}");
    }
}

#[test]
fn what_is_no_journal_is_named_as_such() {
    let check = |bytes: &[u8], reason: &str| {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    check(b"", "does not begin as a journal does");
    check(b"PAR1 and more", "does not begin as a journal does");
    check(b"CSTJRNL2", "ends before its columns");
}

#[test]
fn a_chunk_states_where_the_run_stood_at_its_last_row() {
    let columns = vec![
        Column::new("a", "x", ValueType::Float64).with_dimensions(&[2]),
        Column::new("a", "name", ValueType::String),
        Column::new("a", "y", ValueType::Float64),
    ];
    let mark = vec![hash_column("a.x", ValueType::Float64), count_column("tags")];
    let schema = Schema::new(Resolution::NANOSECOND, columns).unwrap().with_marks(mark);
    let schema = Arc::new(schema.with_row_order(&[2, 0, 1]));
    let mut journal = JournalWriter::new(Vec::new(), &schema, "").unwrap();
    for tick in 0..3 {
        let mut chunk = Chunk::with_rows(&schema, 1);
        chunk.begin_row(Tag::at(Time::from_ticks(tick)));
        chunk.extend(ValuesRef::Float64(&[9.0, 1.0, tick as f64]));
        chunk.extend(ValuesRef::String(&["ä".to_owned()]));
        chunk.end_row();
        if tick == 0 {
            chunk.set_mark([7, 0]);
        }
        journal.write(&chunk).unwrap();
        if tick == 1 {
            // Also one without rows.
            chunk.clear();
            chunk.set_mark([7, 1]);
            journal.write(&chunk).unwrap();
        }
    }
    let bytes = journal.into_inner();
    let mut reader = JournalReader::new(&bytes[..]).unwrap();
    assert_eq!(reader.mark(), None);
    for tick in 0..3 {
        let rows = reader.next().unwrap().unwrap();
        let x = rows.column("a.x").unwrap().view();
        assert!(x.is_same(ValuesRef::Float64(&[1.0, tick as f64])));
        if tick == 1 {
            assert_eq!(reader.mark(), None);
            assert!(reader.next().unwrap().unwrap().tags().is_empty());
        }
        let expected = (tick < 2).then(|| ProgressMark {
            tag: Tag::at(Time::from_ticks(tick)),
            hashes: vec![("a.x".to_owned(), ValueType::Float64, VariableHash::from_bits(7))],
            counts: vec![tick as u64],
        });
        assert_eq!(reader.mark(), expected, "only chunks that state it");
    }
}
