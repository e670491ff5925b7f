//! What an MCAP file holds, read back by the library's reader.

use crate::common::{trace, traces};
use ::mcap::records::{MessageHeader, Metadata};
use ::mcap::write::NoSeek;
use ::mcap::{Channel, MessageStream, WriteOptions};
use consort_core::{Resolution, Tag, Time, ValueType, Values};
use consort_trace::{Cell, Chunk, Column, McapWriter, Schema, Trace, TraceError, TraceWriter};
use proptest::prelude::*;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::Arc;

fn to_mcap(trace: &Trace) -> Vec<u8> {
    let mut writer = McapWriter::new(Vec::new(), trace.schema()).unwrap();
    trace.write_to(&mut writer).unwrap();
    writer.into_inner().unwrap()
}

/// Topic, nanoseconds and text of every message, in the order of the file.
fn messages(file: &[u8]) -> Vec<(String, u64, String)> {
    let messages = MessageStream::new(file).unwrap().map(Result::unwrap);
    let reported = messages.map(|message| {
        assert_eq!(message.log_time, message.publish_time);
        let text = String::from_utf8(message.data.into_owned()).unwrap();
        (message.channel.topic.clone(), message.log_time, text)
    });
    reported.collect()
}

/// A file written again by the library: the same channels, messages and metadata.
fn rewritten(file: &[u8]) -> Vec<u8> {
    let options = WriteOptions::new()
        .compression(None)
        .chunk_size(Some(consort_trace::mcap::MCAP_CHUNK_BYTES))
        .disable_seeking(true)
        .library(concat!("consort version ", env!("CARGO_PKG_VERSION")));
    let mut writer = options.create(NoSeek::new(Vec::new())).unwrap();
    let summary = ::mcap::Summary::read(file).unwrap().unwrap();
    let metadata: Metadata = ::mcap::read::metadata(file, &summary.metadata_indexes[0]).unwrap();
    writer.write_metadata(&metadata).unwrap();
    let mut channels: Vec<&Arc<Channel<'_>>> = summary.channels.values().collect();
    channels.sort_by_key(|channel| channel.id);
    for channel in channels {
        let schema = channel.schema.as_ref().unwrap();
        let schema = writer.add_schema(&schema.name, &schema.encoding, &schema.data).unwrap();
        let (topic, encoding) = (&channel.topic, &channel.message_encoding);
        let id = writer.add_channel(schema, topic, encoding, &channel.metadata).unwrap();
        assert_eq!(id, channel.id);
    }
    for message in MessageStream::new(file).unwrap().map(Result::unwrap) {
        let header = MessageHeader {
            channel_id: message.channel.id,
            sequence: message.sequence,
            log_time: message.log_time,
            publish_time: message.publish_time,
        };
        writer.write_to_known_channel(&header, &message.data).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

fn small() -> Trace {
    let columns = vec![
        Column::new("valve", "open", ValueType::Boolean),
        Column::new("tank", "level", ValueType::Float64).with_unit("m"),
        Column::new("tank", "flows", ValueType::Float32).with_dimensions(&[2]),
        Column::new("tank", "note \"1\"", ValueType::String),
        Column::new("tank", "frame", ValueType::Binary),
        Column::new("tank", "count", ValueType::UInt64),
    ];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let late = Tag::at(Time::from_ticks(100_000_000));
    let tags = [Tag::at(Time::from_ticks(-500_000_000)), late, late.next_microstep()];
    let columns = [
        Values::Boolean(vec![true, false, true]),
        Values::Float64(vec![1.0, 0.1 + 0.2, f64::NAN]),
        Values::Float32(vec![0.1, -0.0, f32::NEG_INFINITY, 3.0, f32::INFINITY, 0.5]),
        Values::String(["plain", "a \"b\"\n", ""].map(str::to_owned).to_vec()),
        Values::Binary(vec![vec![0xCA, 0xFE], vec![], vec![0]]),
        Values::UInt64(vec![0, u64::MAX, 7]),
    ];
    trace(&schema, &tags, &columns)
}

#[test]
fn messages_are_json_in_the_order_of_tags_and_components() {
    let tank = [
        r#"{"time":-0.5,"tick":-500000000,"microstep":0,"values":{"level":1.0,"flows":[0.10000000149011612,-0.0],"note \"1\"":"plain","frame":"cafe","count":0}}"#,
        r#"{"time":0.1,"tick":100000000,"microstep":0,"values":{"level":0.30000000000000004,"flows":["-Infinity",3.0],"note \"1\"":"a \"b\"\n","frame":"","count":18446744073709551615}}"#,
        r#"{"time":0.1,"tick":100000000,"microstep":1,"values":{"level":"NaN","flows":["Infinity",0.5],"note \"1\"":"","frame":"00","count":7}}"#,
    ];
    let valve = [
        r#"{"time":-0.5,"tick":-500000000,"microstep":0,"values":{"open":true}}"#,
        r#"{"time":0.1,"tick":100000000,"microstep":0,"values":{"open":false}}"#,
        r#"{"time":0.1,"tick":100000000,"microstep":1,"values":{"open":true}}"#,
    ];
    let mut expected = Vec::new();
    for (row, time) in [0, 600_000_000, 600_000_000].into_iter().enumerate() {
        expected.push(("/tank".to_owned(), time, tank[row].replace("\n", "\\n")));
        expected.push(("/valve".to_owned(), time, valve[row].to_owned()));
    }
    assert_eq!(messages(&to_mcap(&small())), expected);
}

#[test]
fn the_file_says_what_its_values_are_and_how_its_times_were_shifted() {
    let file = to_mcap(&small());
    let summary = ::mcap::Summary::read(&file).unwrap().unwrap();
    assert_eq!(summary.stats.unwrap().message_count, 6);
    let tank = summary.channels.values().find(|channel| channel.topic == "/tank").unwrap();
    assert_eq!(tank.message_encoding, "json");
    let schema = tank.schema.as_ref().unwrap();
    assert_eq!((schema.name.as_str(), schema.encoding.as_str()), ("consort.tank", "jsonschema"));
    let schema: Value = serde_json::from_slice(&schema.data).unwrap();
    let values = &schema["properties"]["values"]["properties"];
    assert_eq!(values["level"], serde_json::json!({"type": "number", "unit": "m"}));
    let flows =
        serde_json::json!({"type": "array", "items": {"type": "number"}, "dimensions": [2]});
    assert_eq!(values["flows"], flows);
    let index = &summary.metadata_indexes[0];
    let metadata = ::mcap::read::metadata(&file, index).unwrap();
    let expected = [("resolution", "1/1000000000"), ("shift", "500000000"), ("version", "1")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(metadata.metadata, expected.into());
}

/// The value that a message holds, in the words of a [`Cell`].
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text == "Infinity" => "inf".to_owned(),
        Value::String(text) if text == "-Infinity" => "-inf".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap()),
        other => other.to_string(),
    }
}

/// Several components and more than two chunks.
#[test]
fn a_file_is_the_one_that_the_library_writes() {
    let names = ["tank", "valve", "pump"];
    let columns = names.map(|name| Column::new(name, "x", ValueType::Float64)).to_vec();
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let tags: Vec<Tag> = (0..20_000).map(|row| Tag::at(Time::from_ticks(row * 500))).collect();
    let values = Values::Float64((0..20_000).map(|row| f64::from(row) / 7.0).collect());
    let file = to_mcap(&trace(&schema, &tags, &[values.clone(), values.clone(), values]));
    let summary = ::mcap::Summary::read(&file).unwrap().unwrap();
    assert!(2 < summary.chunk_indexes.len(), "{} chunks", summary.chunk_indexes.len());
    assert!(file == rewritten(&file), "every byte is the same");
    let file = to_mcap(&small());
    assert!(file == rewritten(&file), "every byte is the same");
}

proptest! {
    #[test]
    fn every_file_is_the_one_that_the_library_writes(trace in traces()) {
        let file = to_mcap(&trace);
        prop_assert!(file == rewritten(&file));
    }

    #[test]
    fn every_value_of_a_trace_is_in_its_message(trace in traces()) {
        let messages = messages(&to_mcap(&trace));
        if trace.schema().columns().is_empty() {
            prop_assert!(messages.is_empty());
            return Ok(());
        }
        prop_assert_eq!(messages.len(), trace.tags().len());
        for (row, (_, _, text)) in messages.iter().enumerate() {
            let message: Value = serde_json::from_str(text).unwrap();
            prop_assert_eq!(message["tick"].as_i64(), Some(trace.tags()[row].time.ticks()));
            for (index, column) in trace.schema().columns().iter().enumerate() {
                let value = &message["values"][column.variable()];
                for element in 0..column.element_count() {
                    let value = if value.is_array() { &value[element] } else { value };
                    let cell = trace.cell(row, index, element);
                    let expected = match cell {
                        Cell::String("Infinity") => "inf".to_owned(),
                        cell => cell.to_string(),
                    };
                    prop_assert_eq!(shown(value), expected);
                }
            }
        }
    }

    #[test]
    fn a_file_is_the_same_whatever_pieces_it_was_written_in(trace in traces(), rows in 1_usize..50) {
        let mut writer = McapWriter::new(Vec::new(), trace.schema()).unwrap();
        let mut chunk = Chunk::with_rows(trace.schema(), rows);
        for (row, &tag) in trace.tags().iter().enumerate() {
            chunk.begin_row(tag);
            for (column, values) in trace.schema().columns().iter().zip(trace.columns()) {
                let count = column.element_count();
                chunk.extend(values.slice(row * count, count));
            }
            chunk.end_row();
            if chunk.is_full() {
                writer.write(&chunk).unwrap();
                chunk.clear();
            }
        }
        writer.write(&chunk).unwrap();
        writer.finish().unwrap();
        prop_assert_eq!(writer.into_inner().unwrap(), to_mcap(&trace));
    }
}

#[test]
fn a_trace_without_rows_is_a_sound_file() {
    let columns = vec![Column::new("", "h", ValueType::Float64)];
    let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
    let file = to_mcap(&trace(&schema, &[], &[Values::Float64(vec![])]));
    assert_eq!(messages(&file), []);
    let summary = ::mcap::Summary::read(&file).unwrap().unwrap();
    assert_eq!(summary.channels.values().next().unwrap().topic, "/model");
}

/// Takes so many bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("disk full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_disk_that_is_full_is_an_error_and_no_panic() {
    let trace = small();
    let length = to_mcap(&trace).len();
    let mut failed = 0;
    for room in 0..length {
        let written = McapWriter::new(Full(room), trace.schema()).and_then(|mut writer| {
            let written = trace.write_to(&mut writer);
            writer.finish().unwrap();
            written
        });
        failed += usize::from(matches!(written, Err(TraceError::Io { .. })));
    }
    assert_eq!(failed, length, "every byte is needed");
}

#[test]
fn nothing_is_written_after_the_end() {
    let trace = small();
    let mut writer = McapWriter::new(Vec::new(), trace.schema()).unwrap();
    trace.write_to(&mut writer).unwrap();
    let chunk = Chunk::new(trace.schema());
    assert!(matches!(writer.write(&chunk), Err(TraceError::Finished)));
}
