//! A journal: rows on their way, in a form that can be read up to its last whole chunk, whatever became
//! of its writer.
//!
//! ```text
//! file    "CSTJRNL1", then records
//! record  length of the body: u64, its check sum: u64, body
//! body    of the first record: the schema, as the metadata of our Parquet files have it
//!         of every other: "CSTROWS1", number of rows: u64, per row ticks: i64 and microstep: u64, then
//!         per column its values, row by row, with their number before them
//! ```
//!
//! Numbers are little-endian. Whatever follows the first record that is not whole is left out. Room is
//! made for what is there only, however long a record claims to be.

use crate::error::TraceError;
use crate::hash::VariableHash;
use crate::parquet::metadata;
use crate::record::Chunk;
use crate::schema::Schema;
use crate::trace::Trace;
use crate::writer::TraceWriter;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Tag, Time};
use std::io::{self, Read, Write};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"CSTJRNL1";
const ROWS: [u8; 8] = *b"CSTROWS1";
/// The longest record: beyond it a length is taken to be damaged.
const RECORD_MAX: u64 = 1 << 32;

/// Keeps rows chunk by chunk; each is on its way to the disk when [`TraceWriter::write`] returns.
#[derive(Debug)]
pub struct JournalWriter<W: Write> {
    out: W,
}

impl<W: Write> JournalWriter<W> {
    /// Begins a journal of these columns.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, schema: &Schema) -> Result<Self, TraceError> {
        out.write_all(&MAGIC)?;
        let mut writer = JournalWriter { out };
        writer.record(metadata::encode(schema).as_bytes())?;
        Ok(writer)
    }

    /// What it was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn record(&mut self, body: &[u8]) -> Result<(), TraceError> {
        let mut record = Vec::with_capacity(16 + body.len());
        record.extend_from_slice(&(body.len() as u64).to_le_bytes());
        record.extend_from_slice(&check_sum(body).to_le_bytes());
        record.extend_from_slice(body);
        self.out.write_all(&record)?;
        Ok(self.out.flush()?)
    }
}

impl<W: Write> TraceWriter for JournalWriter<W> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        if chunk.is_empty() {
            return Ok(());
        }
        let mut rows = Trace::new(chunk.schema());
        rows.write(chunk)?;
        let mut body = Writer::new(ROWS);
        body.count(rows.tags().len());
        for tag in rows.tags() {
            body.whole(tag.time.ticks());
            body.word(u64::from(tag.microstep));
        }
        rows.columns().iter().for_each(|values| body.values(values.view()));
        self.record(&body.finish())
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(self.out.flush()?)
    }
}

/// Reads a journal chunk by chunk: each is a trace of a few rows. It ends where the journal is torn.
#[derive(Debug)]
pub struct JournalReader<R: Read> {
    input: R,
    schema: Arc<Schema>,
    /// The tag of the last row.
    last: Option<Tag>,
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
        let text = std::str::from_utf8(&body).map_err(|_| not("its schema is no text"))?;
        let schema = Arc::new(metadata::decode(text)?);
        Ok(JournalReader { input, schema, last: None, is_over: false })
    }

    /// What was recorded.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn read(&mut self) -> Result<Option<Trace>, TraceError> {
        let Some(body) = record(&mut self.input)? else { return Ok(None) };
        let rows = rows(&body, &self.schema).ok();
        let rows = rows.filter(|rows| self.last.is_none_or(|last| last < rows.tags()[0]));
        self.last = rows.as_ref().and_then(|rows| rows.tags().last().copied());
        Ok(rows)
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

/// The body of the next record; none where the journal ends or is torn.
fn record(input: &mut impl Read) -> Result<Option<Vec<u8>>, TraceError> {
    let (Some(length), Some(check)) = (word(input)?, word(input)?) else { return Ok(None) };
    if RECORD_MAX < length {
        return Ok(None);
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    let is_whole = body.len() as u64 == length && check_sum(&body) == check;
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

fn check_sum(body: &[u8]) -> u64 {
    let mut hash = VariableHash::default();
    hash.absorb_bytes(body);
    hash.to_bits()
}

/// The rows of a record: at least one.
fn rows(body: &[u8], schema: &Arc<Schema>) -> Result<Trace, BytesError> {
    let impossible = |what| BytesError::Impossible { what };
    let mut reader = Reader::new(body, ROWS)?;
    let count = reader.count(16)?;
    let mut tags = Vec::with_capacity(count);
    for _ in 0..count {
        let time = Time::from_ticks(reader.whole()?);
        let microstep = reader.word()?.try_into().map_err(|_| impossible("microstep"))?;
        tags.push(Tag { time, microstep });
    }
    let mut columns = Vec::with_capacity(schema.columns().len());
    for column in schema.columns() {
        let values = reader.values(column.value_type)?;
        if count.checked_mul(column.element_count()) != Some(values.len()) {
            return Err(impossible("column"));
        }
        columns.push(values);
    }
    reader.end()?;
    if count == 0 {
        return Err(impossible("number of rows"));
    }
    Trace::from_parts(Arc::clone(schema), tags, columns).map_err(|_| impossible("order of tags"))
}
