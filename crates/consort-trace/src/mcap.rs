//! Traces as MCAP, the container that Foxglove and PlotJuggler open without a plug-in.
//!
//! There is one channel per component, `/tank` (`/model` in a trace of one model), and one message per
//! row and channel, in the order of tags, then of the components' names. Messages are JSON, described by a JSON
//! Schema:
//!
//! ```json
//! {"time":0.01,"tick":10000000,"microstep":0,"values":{"level":0.98,"flows":[1.0,2.5],"open":true}}
//! ```
//!
//! - floats have the shortest form that reads back to the same bits (`Float32` is widened first);
//!   what JSON has no number for is text, as in the JSON form of Protocol Buffers: `"NaN"`,
//!   `"Infinity"`, `"-Infinity"`;
//! - arrays are flat lists in row-major order; the schema has their `dimensions`, and all `unit`s;
//! - enumerations are their number, clock activations truth values, binaries hexadecimal digits.
//!
//! Both `log_time` and `publish_time` are the simulated time in nanoseconds, rounded down; the message has it
//! exactly. MCAP has no negative times: where a trace begins before zero, it is shifted so that its
//! first row is at zero, and the metadata `consort.trace` says by how much (`shift`, in nanoseconds).
//!
//! A file is the same to the byte for the same trace: chunks have a fixed size and are not compressed.

mod container;
mod json;

use crate::error::TraceError;
use crate::record::Chunk;
use crate::schema::Schema;
use crate::writer::TraceWriter;
use consort_core::{Resolution, Time};
use container::{Container, MessageHeader};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How many bytes of messages a chunk of the file holds, about; part of the form, as it shows in the
/// bytes of a file.
pub const MCAP_CHUNK_BYTES: u64 = 1 << 20;
/// The most components a file can hold: its channels are numbered by 16 bits.
pub const MCAP_CHANNELS_MAX: usize = u16::MAX as usize - 1;

/// The name of the metadata of a trace.
const METADATA: &str = "consort.trace";
/// The version of the form above; raised when an old reader could misread a new file.
const VERSION: u32 = 1;
/// What the channel of a trace of one model is called.
const MODEL: &str = "model";

/// Writes a trace as MCAP during a run.
pub struct McapWriter<W: Write> {
    file: State<W>,
    channels: Vec<Channel>,
    resolution: Resolution,
    /// How much is added to simulated nanoseconds; known from the first row on.
    shift: Option<i128>,
    rows: u32,
    line: Vec<u8>,
}

/// How far a file has come.
enum State<W: Write> {
    Open(Box<Container<W>>),
    /// Finished, or given up.
    Closed(Option<W>),
}

/// The variables of one component.
struct Channel {
    topic: String,
    id: u16,
    schema: String,
    columns: Vec<json::Member>,
}

impl<W: Write> McapWriter<W> {
    /// Starts a file in `output`, which should have a buffer.
    ///
    /// # Errors
    /// If `output` fails, or there are more than [`MCAP_CHANNELS_MAX`] components.
    pub fn new(output: W, schema: &Schema) -> Result<Self, TraceError> {
        let library = concat!("consort version ", env!("CARGO_PKG_VERSION"));
        let channels = channels(schema)?;
        let file = Container::new(output, library, MCAP_CHUNK_BYTES as usize)?;
        Ok(McapWriter {
            file: State::Open(Box::new(file)),
            channels,
            resolution: schema.resolution(),
            shift: None,
            rows: 0,
            line: Vec::new(),
        })
    }

    /// Gives the output back, after [`TraceWriter::finish`]; nothing before it, or after a failure.
    pub fn into_inner(self) -> Option<W> {
        match self.file {
            State::Open(_) => None,
            State::Closed(output) => output,
        }
    }

    fn write_rows(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        let State::Open(file) = &mut self.file else { return Err(TraceError::Finished) };
        for (row, &tag) in chunk.tags().iter().enumerate() {
            let nanoseconds = nanoseconds(tag.time, self.resolution);
            let shift = match self.shift {
                Some(shift) => shift,
                None => begin(file, &mut self.channels, self.resolution, nanoseconds)?,
            };
            self.shift = Some(shift);
            let log_time = clamp(nanoseconds + shift);
            let sequence = self.rows;
            self.rows = self.rows.wrapping_add(1);
            for channel in &self.channels {
                self.line.clear();
                channel.push_message(&mut self.line, chunk, row);
                let header = MessageHeader { channel: channel.id, sequence, time: log_time };
                file.write_message(header, &self.line)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> TraceWriter for McapWriter<W> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        let written = self.write_rows(chunk);
        if written.is_err() {
            // What was written in part cannot be taken back, so the file ends here.
            self.file = State::Closed(None);
        }
        written
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        let State::Open(mut file) = std::mem::replace(&mut self.file, State::Closed(None)) else {
            return Ok(());
        };
        if self.shift.is_none() {
            begin(&mut file, &mut self.channels, self.resolution, 0)?;
        }
        let mut output = file.finish()?;
        output.flush()?;
        self.file = State::Closed(Some(output));
        Ok(())
    }
}

impl Channel {
    fn push_message(&self, line: &mut Vec<u8>, chunk: &Chunk, row: usize) {
        json::push_tag(line, chunk.tags()[row], chunk.schema().resolution());
        for (index, member) in self.columns.iter().enumerate() {
            if 0 < index {
                line.push(b',');
            }
            member.push(line, chunk, row);
        }
        line.extend_from_slice(b"}}");
    }
}

/// The components in the order of their names, each with its columns in theirs.
fn channels(schema: &Schema) -> Result<Vec<Channel>, TraceError> {
    let mut components: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, column) in schema.columns().iter().enumerate() {
        components.entry(column.component()).or_default().push(index);
    }
    if MCAP_CHANNELS_MAX < components.len() {
        let limit = MCAP_CHANNELS_MAX as u64;
        return Err(TraceError::TooLarge { what: "components in an MCAP file", limit });
    }
    let channels = components.into_iter().map(|(component, columns)| Channel {
        topic: format!("/{}", if component.is_empty() { MODEL } else { component }),
        id: 0,
        schema: json::schema(columns.iter().map(|&index| &schema.columns()[index])),
        columns: columns.into_iter().map(|index| json::Member::new(schema, index)).collect(),
    });
    Ok(channels.collect())
}

/// Writes what stands before the first message, once it is known when that is; returns the shift.
fn begin<W: Write>(
    file: &mut Container<W>,
    channels: &mut [Channel],
    resolution: Resolution,
    first: i128,
) -> io::Result<i128> {
    let shift = (-first).max(0);
    let tick = resolution.tick();
    let facts = [
        ("resolution", format!("{}/{}", tick.numerator(), tick.denominator())),
        ("shift", shift.to_string()),
        ("version", VERSION.to_string()),
    ];
    file.write_metadata(METADATA, &facts)?;
    for channel in channels {
        let name = format!("consort.{}", &channel.topic[1..]);
        channel.id = file.add_channel(&channel.topic, &name, &channel.schema);
    }
    Ok(shift)
}

/// A time in nanoseconds, rounded down.
fn nanoseconds(time: Time, resolution: Resolution) -> i128 {
    let tick = resolution.tick();
    // Up to 2^63 ticks of up to 2^63 seconds are more nanoseconds than 128 bits hold; they end at the
    // last one, as a file's times do anyhow.
    let scaled = i128::from(time.ticks()) * i128::from(tick.numerator());
    let (whole, rest) = (
        scaled.div_euclid(tick.denominator().into()),
        scaled.rem_euclid(tick.denominator().into()),
    );
    whole
        .saturating_mul(NANOSECONDS)
        .saturating_add(rest * NANOSECONDS / i128::from(tick.denominator()))
}

const NANOSECONDS: i128 = 1_000_000_000;

/// As a file holds it.
fn clamp(nanoseconds: i128) -> u64 {
    u64::try_from(nanoseconds.max(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Seconds;

    #[test]
    fn times_are_rounded_down_to_nanoseconds() {
        let check = |ticks, (numerator, denominator): (i64, u64), expected: i128| {
            let tick = Seconds::new(numerator, denominator).unwrap();
            let resolution = Resolution::new(tick).unwrap();
            let found = nanoseconds(Time::from_ticks(ticks), resolution);
            assert_eq!(found, expected, "{ticks} of {tick:?}");
        };
        check(1, (1, 3), 333_333_333);
        check(-1, (1, 3), -333_333_334);
        check(7, (1, 1_000_000_000), 7);
        check(-7, (1, 1_000_000_000), -7);
        check(3, (2, 1), 6_000_000_000);
        check(1, (1, 1_000_000_000_000), 0);
        check(i64::MAX, (1, 1_000_000_000), i64::MAX.into());
        check(i64::MAX, (i64::MAX, 1), i128::MAX);
        assert_eq!(clamp(i128::MAX), u64::MAX);
    }
}
