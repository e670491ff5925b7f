//! A journal: rows on their way, in a form that can be read up to its last whole chunk, whatever became
//! of its writer.
//!
//! ```text
//! file    "CSTJRNL2", then records
//! record  length of the body: u64, its check sum: u64, body
//! body    of the first record: "CSTHEAD2", what was run: text, the schema as the metadata of our Parquet
//!         files have it: text, the schema of what chunks state beside their rows: text, per column its
//!         place in a row: u64
//!         of every other: "CSTROWS2", then a chunk: number of rows: u64, per row ticks: i64 and microstep: u64, per
//!         value type which elements differ from the row before and those that do, as the module `sparse`
//!         says, then where the run stood at the last row, if the chunk states it: number of words and
//!         words: u64
//! ```
//!
//! Numbers are little-endian. Texts and binaries are all their bytes, then where each ends. Whatever follows the first
//! record that is not whole is left out. Room is made for what is there only, however long a record claims to be.

mod chunk;
mod head;
mod sparse;

use crate::check_sum::CheckSum;
use crate::error::TraceError;
use crate::progress_mark::ProgressMark;
use crate::record::Chunk;
use crate::schema::Schema;
use crate::trace::Trace;
use crate::writer::TraceWriter;
use chunk::Before;
use consort_core::Tag;
use consort_core::bytes::{BytesError, Reader, Writer};
use std::io::{self, Read, Write};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"CSTJRNL2";
const ROWS: [u8; 8] = *b"CSTROWS2";
/// The longest record: beyond it a length is taken to be damaged.
const RECORD_MAX: u64 = 1 << 32;

/// Keeps rows chunk by chunk; each is on its way to the disk when [`TraceWriter::write`] returns.
#[derive(Debug)]
pub struct JournalWriter<W: Write> {
    out: W,
    /// Memory that is used again and again.
    body: Vec<u8>,
    before: Before,
}

impl<W: Write> JournalWriter<W> {
    /// Begins a journal of these columns; `about` says what was run, for who finds it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, schema: &Schema, about: &str) -> Result<Self, TraceError> {
        out.write_all(&MAGIC)?;
        let body = head::encode(schema, about);
        let mut writer = JournalWriter { out, body, before: Before::new(schema) };
        writer.record()?;
        Ok(writer)
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn record(&mut self) -> Result<(), TraceError> {
        let mut front = [0; 16];
        front[..8].copy_from_slice(&(self.body.len() as u64).to_le_bytes());
        front[8..].copy_from_slice(&CheckSum::of(&self.body).to_le_bytes());
        self.out.write_all(&front)?;
        self.out.write_all(&self.body)?;
        Ok(self.out.flush()?)
    }
}

impl<W: Write> TraceWriter for JournalWriter<W> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        if chunk.is_empty() && chunk.mark().is_empty() {
            return Ok(());
        }
        let mut body = Writer::reusing(std::mem::take(&mut self.body), ROWS);
        chunk::encode(chunk, &mut self.before, &mut body);
        self.body = body.finish();
        self.record()
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(self.out.flush()?)
    }
}

/// Reads a journal chunk by chunk: each is a trace of a few rows, or of none. It ends where the journal is torn.
#[derive(Debug)]
pub struct JournalReader<R: Read> {
    input: R,
    about: String,
    schema: Arc<Schema>,
    /// The tag of the last row.
    last: Option<Tag>,
    /// What the last chunk stated.
    mark: Vec<u64>,
    before: Before,
    is_over: bool,
}

impl<R: Read> JournalReader<R> {
    /// Reads what was recorded.
    ///
    /// # Errors
    /// If it is no journal, or torn before its first row.
    pub fn new(mut input: R) -> Result<Self, TraceError> {
        let not = |reason: &str| TraceError::NotATrace { reason: reason.to_owned() };
        let mut magic = Vec::new();
        input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic)?;
        if magic != MAGIC {
            return Err(not("it does not begin as a journal does"));
        }
        let body = record(&mut input)?.ok_or_else(|| not("the journal ends before its columns"))?;
        let (about, schema) = head::decode(&body)?;
        let (before, mark) = (Before::new(&schema), Vec::new());
        let (schema, last, is_over) = (Arc::new(schema), None, false);
        Ok(JournalReader { input, about, schema, last, mark, before, is_over })
    }

    /// What was run, as its writer said.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The recorded columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Where the run stood at the last row that was read, if its chunk states it.
    pub fn mark(&self) -> Option<ProgressMark> {
        let columns = self.schema.mark_columns();
        let tag = self.last.filter(|_| !columns.is_empty() && columns.len() == self.mark.len());
        tag.map(|tag| ProgressMark::at(tag, columns.iter().zip(self.mark.iter().copied())))
    }

    fn read(&mut self) -> Result<Option<Trace>, TraceError> {
        let Some(chunk) = self.read_chunk()? else { return Ok(None) };
        let mut rows = Trace::new(&self.schema);
        rows.write(&chunk)?;
        Ok(Some(rows))
    }

    fn read_chunk(&mut self) -> Result<Option<Chunk>, TraceError> {
        let Some(body) = record(&mut self.input)? else { return Ok(None) };
        let Ok(chunk) = rows(&body, &self.schema, &mut self.before) else { return Ok(None) };
        let first = chunk.tags().first().copied();
        if first.is_some_and(|first| self.last.is_some_and(|last| first <= last)) {
            return Ok(None);
        }
        self.last = chunk.tags().last().copied().or(self.last);
        self.mark.clear();
        self.mark.extend_from_slice(chunk.mark());
        Ok(Some(chunk))
    }
}

impl<R: Read> Iterator for JournalReader<R> {
    type Item = Result<Trace, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = self.read().transpose();
        self.is_over = !matches!(read, Some(Ok(_)));
        read
    }
}

/// All rows of a journal, up to where it is torn.
///
/// # Errors
/// If it is no journal.
pub fn read_journal(input: impl Read) -> Result<Trace, TraceError> {
    let mut reader = JournalReader::new(input)?;
    let mut trace = Trace::new(reader.schema());
    while let Some(chunk) = reader.read_chunk()? {
        trace.write(&chunk)?;
    }
    Ok(trace)
}

/// The body of the next record; none where the journal ends or is torn.
fn record(input: &mut impl Read) -> Result<Option<Vec<u8>>, TraceError> {
    let (Some(length), Some(check)) = (word(input)?, word(input)?) else { return Ok(None) };
    if RECORD_MAX < length {
        return Ok(None);
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    let is_whole = body.len() as u64 == length && CheckSum::of(&body) == check;
    Ok(is_whole.then_some(body))
}

fn word(input: &mut impl Read) -> Result<Option<u64>, TraceError> {
    let mut bytes = [0; 8];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(u64::from_le_bytes(bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The rows of a record.
fn rows(body: &[u8], schema: &Arc<Schema>, before: &mut Before) -> Result<Chunk, BytesError> {
    let mut reader = Reader::new(body, ROWS)?;
    let chunk = chunk::decode(&mut reader, schema, before)?;
    reader.end()?;
    Ok(chunk)
}
