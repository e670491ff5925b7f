//! The container of MCAP as <https://mcap.dev/spec> has it, as far as a trace needs it: messages in chunks
//! that are not compressed, an index of each chunk, and a summary at the end.
//!
//! A record is an operation code, the length of its content in 64 bits, and its content. Numbers are little-endian, texts and
//! maps have their length in bytes before them.

use crc32fast::Hasher;
use std::collections::BTreeMap;
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// What kind of record follows.
mod code {
    pub(super) const HEADER: u8 = 0x01;
    pub(super) const FOOTER: u8 = 0x02;
    pub(super) const SCHEMA: u8 = 0x03;
    pub(super) const CHANNEL: u8 = 0x04;
    pub(super) const MESSAGE: u8 = 0x05;
    pub(super) const CHUNK: u8 = 0x06;
    pub(super) const MESSAGE_INDEX: u8 = 0x07;
    pub(super) const CHUNK_INDEX: u8 = 0x08;
    pub(super) const STATISTICS: u8 = 0x0B;
    pub(super) const METADATA: u8 = 0x0C;
    pub(super) const METADATA_INDEX: u8 = 0x0D;
    pub(super) const SUMMARY_OFFSET: u8 = 0x0E;
    pub(super) const DATA_END: u8 = 0x0F;
}

/// A file that is being written. After an error it cannot be continued.
pub(super) struct Container<W: Write> {
    output: W,
    /// How many bytes were written.
    position: u64,
    /// The checksum of all of them.
    sum: Hasher,
    chunk: OpenChunk,
    /// A chunk is closed before the first message that finds it larger.
    chunk_bytes: usize,
    summary: Summary,
}

/// Schemas, channels and messages that are not written yet; none as long as no chunk was begun.
#[derive(Default)]
struct OpenChunk {
    records: Vec<u8>,
    times: Option<(u64, u64)>,
    /// By channel: the time of each message, and where it begins in the chunk.
    index: BTreeMap<u16, Vec<u8>>,
}

/// What is repeated and counted at the end of the file: the records of each group, as bytes.
#[derive(Default)]
struct Summary {
    schemas: Vec<u8>,
    channels: Vec<u8>,
    chunks: Vec<u8>,
    metadata: Vec<u8>,
    channel_count: u16,
    chunk_count: u32,
    metadata_count: u32,
    times: Option<(u64, u64)>,
    message_counts: BTreeMap<u16, u64>,
}

/// What stands before the content of a message.
#[derive(Clone, Copy)]
pub(super) struct MessageHeader {
    pub(super) channel: u16,
    pub(super) sequence: u32,
    pub(super) time: u64,
}

impl<W: Write> Container<W> {
    /// Begins a file; `library` is the program that writes it.
    pub(super) fn new(output: W, library: &str, chunk_bytes: usize) -> io::Result<Self> {
        let mut file = Container {
            output,
            position: 0,
            sum: Hasher::new(),
            chunk: OpenChunk::default(),
            chunk_bytes,
            summary: Summary::default(),
        };
        file.chunk.records.reserve(chunk_bytes);
        let mut head = MAGIC.to_vec();
        push_record(&mut head, code::HEADER, |content| {
            push_text(content, ""); // no profile
            push_text(content, library);
        });
        file.put(&head)?;
        Ok(file)
    }

    /// Writes facts about the file, beside the chunks.
    pub(super) fn write_metadata(
        &mut self,
        name: &str,
        facts: &[(&str, String)],
    ) -> io::Result<()> {
        self.close_chunk()?;
        let mut record = Vec::new();
        push_record(&mut record, code::METADATA, |content| {
            push_text(content, name);
            push_sized(content, |map| {
                for (key, value) in facts {
                    push_text(map, key);
                    push_text(map, value);
                }
            });
        });
        let offset = self.position;
        self.put(&record)?;
        self.summary.metadata_count += 1;
        push_record(&mut self.summary.metadata, code::METADATA_INDEX, |content| {
            content.extend(offset.to_le_bytes());
            content.extend((record.len() as u64).to_le_bytes());
            push_text(content, name);
        });
        Ok(())
    }

    /// Adds a channel of JSON messages with its schema; both have the number that is returned.
    pub(super) fn add_channel(&mut self, topic: &str, name: &str, schema: &str) -> u16 {
        self.summary.channel_count += 1;
        let id = self.summary.channel_count;
        let begin = self.summary.schemas.len();
        push_record(&mut self.summary.schemas, code::SCHEMA, |content| {
            content.extend(id.to_le_bytes());
            push_text(content, name);
            push_text(content, "jsonschema");
            push_text(content, schema);
        });
        self.chunk.records.extend_from_slice(&self.summary.schemas[begin..]);
        let begin = self.summary.channels.len();
        push_record(&mut self.summary.channels, code::CHANNEL, |content| {
            content.extend(id.to_le_bytes());
            content.extend(id.to_le_bytes());
            push_text(content, topic);
            push_text(content, "json");
            push_sized(content, |_| {}); // no metadata
        });
        self.chunk.records.extend_from_slice(&self.summary.channels[begin..]);
        id
    }

    /// Adds a message to a channel that was added.
    pub(super) fn write_message(&mut self, header: MessageHeader, text: &[u8]) -> io::Result<()> {
        if self.chunk_bytes < self.chunk.records.len() {
            self.close_chunk()?;
        }
        let MessageHeader { channel, sequence, time } = header;
        let offset = self.chunk.records.len() as u64;
        let index = self.chunk.index.entry(channel).or_default();
        index.extend(time.to_le_bytes());
        index.extend(offset.to_le_bytes());
        push_record(&mut self.chunk.records, code::MESSAGE, |content| {
            content.extend(channel.to_le_bytes());
            content.extend(sequence.to_le_bytes());
            content.extend(time.to_le_bytes());
            content.extend(time.to_le_bytes()); // published when logged
            content.extend_from_slice(text);
        });
        *self.summary.message_counts.entry(channel).or_default() += 1;
        self.chunk.times = widened(self.chunk.times, time);
        self.summary.times = widened(self.summary.times, time);
        Ok(())
    }

    /// Ends the file and gives the output back.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.close_chunk()?;
        let mut end = Vec::new();
        let sum = self.sum.clone().finalize();
        push_record(&mut end, code::DATA_END, |content| content.extend(sum.to_le_bytes()));
        self.put(&end)?;
        let summary = self.summary.as_bytes(self.position);
        self.put(&summary)?;
        self.put(MAGIC)?;
        Ok(self.output)
    }

    fn close_chunk(&mut self) -> io::Result<()> {
        if self.chunk.records.is_empty() {
            return Ok(());
        }
        let (first, last) = self.chunk.times.unwrap_or_default();
        let length = self.chunk.records.len() as u64;
        let sum = checksum(&self.chunk.records);
        let start = self.position;
        let mut head = vec![code::CHUNK];
        head.extend((40 + length).to_le_bytes());
        head.extend([first, last, length].iter().flat_map(|number| number.to_le_bytes()));
        head.extend(sum.to_le_bytes());
        push_text(&mut head, ""); // not compressed
        head.extend(length.to_le_bytes());
        self.put(&head)?;
        put(&mut self.output, &mut self.sum, &mut self.position, &self.chunk.records)?;
        let chunk_end = self.position;
        let offsets = self.put_message_indexes()?;
        let index_length = self.position - chunk_end;
        push_record(&mut self.summary.chunks, code::CHUNK_INDEX, |content| {
            let numbers = [first, last, start, chunk_end - start];
            content.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            push_sized(content, |map| map.extend_from_slice(&offsets));
            content.extend(index_length.to_le_bytes());
            push_text(content, ""); // not compressed
            content.extend(length.to_le_bytes());
            content.extend(length.to_le_bytes());
        });
        self.summary.chunk_count += 1;
        self.chunk.records.clear();
        self.chunk.times = None;
        Ok(())
    }

    /// Writes the index of every channel that has messages in the chunk; returns each channel with the
    /// place of its index.
    fn put_message_indexes(&mut self) -> io::Result<Vec<u8>> {
        let mut offsets = Vec::new();
        let mut record = Vec::new();
        for (channel, entries) in std::mem::take(&mut self.chunk.index) {
            offsets.extend(channel.to_le_bytes());
            offsets.extend(self.position.to_le_bytes());
            record.clear();
            push_record(&mut record, code::MESSAGE_INDEX, |content| {
                content.extend(channel.to_le_bytes());
                push_sized(content, |list| list.extend_from_slice(&entries));
            });
            self.put(&record)?;
        }
        Ok(offsets)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        put(&mut self.output, &mut self.sum, &mut self.position, bytes)
    }
}

impl Summary {
    /// The groups, where each begins, and the footer, for a summary that begins at `start`.
    fn as_bytes(&self, start: u64) -> Vec<u8> {
        let statistics = self.statistics();
        let groups = [
            (code::SCHEMA, &self.schemas),
            (code::CHANNEL, &self.channels),
            (code::STATISTICS, &statistics),
            (code::CHUNK_INDEX, &self.chunks),
            (code::METADATA_INDEX, &self.metadata),
        ];
        let mut bytes = Vec::new();
        let mut offsets = Vec::new();
        for (code, records) in groups.into_iter().filter(|(_, records)| !records.is_empty()) {
            push_record(&mut offsets, code::SUMMARY_OFFSET, |content| {
                content.push(code);
                content.extend((start + bytes.len() as u64).to_le_bytes());
                content.extend((records.len() as u64).to_le_bytes());
            });
            bytes.extend_from_slice(records);
        }
        let offsets_start = start + bytes.len() as u64;
        bytes.append(&mut offsets);
        // The checksum includes the footer up to the checksum itself.
        bytes.push(code::FOOTER);
        let numbers = [20, start, offsets_start];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    fn statistics(&self) -> Vec<u8> {
        let mut record = Vec::new();
        let (first, last) = self.times.unwrap_or_default();
        push_record(&mut record, code::STATISTICS, |content| {
            content.extend(self.message_counts.values().sum::<u64>().to_le_bytes());
            content.extend(self.channel_count.to_le_bytes()); // one schema each
            let no_attachments = 0;
            let counts =
                [self.channel_count.into(), no_attachments, self.metadata_count, self.chunk_count];
            content.extend(counts.iter().flat_map(|count: &u32| count.to_le_bytes()));
            content.extend(first.to_le_bytes());
            content.extend(last.to_le_bytes());
            push_sized(content, |map| {
                for (channel, count) in &self.message_counts {
                    map.extend(channel.to_le_bytes());
                    map.extend(count.to_le_bytes());
                }
            });
        });
        record
    }
}

fn put(
    output: &mut impl Write,
    sum: &mut Hasher,
    position: &mut u64,
    bytes: &[u8],
) -> io::Result<()> {
    output.write_all(bytes)?;
    sum.update(bytes);
    *position += bytes.len() as u64;
    Ok(())
}

/// Adds a record whose content `fill` writes.
fn push_record(bytes: &mut Vec<u8>, code: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    bytes.push(code);
    let begin = bytes.len() + size_of::<u64>();
    bytes.extend([0; size_of::<u64>()]);
    fill(bytes);
    let length = (bytes.len() - begin) as u64;
    bytes[begin - size_of::<u64>()..begin].copy_from_slice(&length.to_le_bytes());
}

/// Adds what `fill` writes, with its length in bytes before it.
fn push_sized(bytes: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let begin = bytes.len() + size_of::<u32>();
    bytes.extend([0; size_of::<u32>()]);
    fill(bytes);
    let length = (bytes.len() - begin) as u32;
    bytes[begin - size_of::<u32>()..begin].copy_from_slice(&length.to_le_bytes());
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_sized(bytes, |bytes| bytes.extend_from_slice(text.as_bytes()));
}

fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

fn widened(times: Option<(u64, u64)>, time: u64) -> Option<(u64, u64)> {
    let (first, last) = times.unwrap_or((time, time));
    Some((first.min(time), last.max(time)))
}
