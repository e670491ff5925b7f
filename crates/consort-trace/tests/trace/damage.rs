//! Damaged files give errors, never panics.

use crate::common::{trace, traces};
use crate::round_trip::{to_csv, to_parquet};
use consort_core::{Resolution, Tag, Time, ValueType, Values};
use consort_trace::{Column, CsvOptions, Schema, Trace, read_csv, read_parquet};
use proptest::prelude::*;
use std::sync::Arc;

fn parquet(bytes: Vec<u8>) -> Result<Trace, consort_trace::TraceError> {
    read_parquet(bytes::Bytes::from(bytes))
}

fn sound() -> Vec<u8> {
    let columns = ValueType::ALL.map(|value_type| Column::new("a", value_type.name(), value_type));
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns.to_vec()).unwrap());
    let tags: Vec<Tag> = (0..20).map(|ticks| Tag::at(Time::from_ticks(ticks))).collect();
    let columns = ValueType::ALL.map(|value_type| Values::zeros(value_type, tags.len()));
    to_parquet(&trace(&schema, &tags, &columns), 8)
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let sound = sound();
    assert!(parquet(sound.clone()).is_ok());
    for length in 0..sound.len() {
        assert!(parquet(sound[..length].to_vec()).is_err(), "{length} of {} bytes", sound.len());
    }
}

#[test]
fn any_byte_may_be_wrong() {
    let sound = sound();
    for index in 0..sound.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = sound.clone();
            damaged[index] ^= flip;
            // A flipped value is still a value: only the absence of panics is certain.
            let _ = parquet(damaged);
        }
    }
}

#[test]
fn foreign_parquet_is_named_as_such() {
    let error = parquet(b"PAR1 and no more".to_vec()).unwrap_err().to_string();
    assert!(error.starts_with("not a sound Parquet file"), "{error}");
}

proptest! {
    #[test]
    fn several_bytes_may_be_wrong(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut damaged = sound();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        let _ = parquet(damaged);
    }

    #[test]
    fn any_text_is_a_trace_or_an_error(text in any::<Vec<u8>>(), text_columns: bool) {
        let options = CsvOptions { text_columns, ..CsvOptions::default() };
        let _ = read_csv(&text, &options);
    }

    #[test]
    fn damaged_csv_is_a_trace_or_an_error(
        trace in traces(), at in any::<prop::sample::Index>(), byte: u8, typed: bool,
    ) {
        let mut text = to_csv(&trace);
        let at = at.index(text.len());
        text[at] = byte;
        let schema = typed.then(|| Arc::clone(trace.schema()));
        let _ = read_csv(&text, &CsvOptions { schema, ..CsvOptions::default() });
    }
}
