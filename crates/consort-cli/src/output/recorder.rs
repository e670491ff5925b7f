//! Writes the trace while the run goes on, on a thread of its own.
//!
//! The engine hands over full chunks and gets emptied ones back; if the writer falls behind, the
//! engine waits, so memory stays bounded. Files are made when the run has started, not before.

use super::folder::{self, RunFolder};
use crate::cli::RunArgs;
use crate::paths;
use consort_engine::{ChunkSink, RowContent};
use consort_trace::{
    Chunk, CsvWriter, JournalWriter, McapWriter, ParquetWriter, Schema, Tee, TraceError,
    TraceWriter,
};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// How many full chunks may wait for the writer.
const WAITING_MAX: usize = 8;

/// Where the trace goes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TraceFiles {
    /// As Parquet.
    pub(crate) parquet: Option<PathBuf>,
    /// As CSV.
    pub(crate) csv: Option<PathBuf>,
    /// As MCAP.
    pub(crate) mcap: Option<PathBuf>,
    /// As a journal, which outlives its writer.
    pub(crate) journal: Option<PathBuf>,
}

impl TraceFiles {
    /// Those that the options want in the folder of a run.
    pub(crate) fn of(args: &RunArgs, folder: &RunFolder) -> Self {
        // They are opened by another thread, while an FMU may leave the working folder.
        let file = |name| paths::whole(&folder.file(name));
        TraceFiles {
            parquet: Some(file(folder::TRACE)),
            csv: args.csv.then(|| file(folder::TRACE_CSV)),
            mcap: args.mcap.then(|| file(folder::TRACE_MCAP)),
            journal: None,
        }
    }
}

/// The writing side of a recording.
pub(crate) struct Recorder {
    messages: SyncSender<Message>,
    thread: JoinHandle<Written>,
    failed: Arc<AtomicBool>,
    columns: Arc<Mutex<Vec<String>>>,
}

/// What came to the disk.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// How many rows.
    pub(crate) rows: u64,
    /// Why there are no more rows.
    pub(crate) failure: Option<TraceError>,
}

enum Message {
    Schema(Arc<Schema>),
    Open(TraceFiles),
    Rows(Chunk),
    /// Whoever asks wants to know when everything before was written.
    Flush(Sender<()>),
}

impl Recorder {
    /// Starts the writer; the sink is for the engine.
    pub(crate) fn start() -> (Self, Box<dyn ChunkSink>) {
        Self::of(RowContent::Values)
    }

    /// The same of rows that hold `content`.
    pub(crate) fn of(content: RowContent) -> (Self, Box<dyn ChunkSink>) {
        let (messages, received) = sync_channel(WAITING_MAX);
        let (emptied, recycled) = channel();
        let failed = Arc::new(AtomicBool::new(false));
        let columns = Arc::new(Mutex::new(Vec::new()));
        let flag = Arc::clone(&failed);
        let thread = std::thread::spawn(move || {
            let written = write_all(&received, &emptied);
            flag.store(written.failure.is_some(), Ordering::Relaxed);
            written
        });
        let names = Arc::clone(&columns);
        let sink = Sink { messages: messages.clone(), recycled, columns: names, content };
        (Recorder { messages, thread, failed, columns }, Box::new(sink))
    }

    /// Makes the files; what was recorded so far is written to them.
    pub(crate) fn open(&self, files: TraceFiles) {
        // A writer that is gone has failed, which `close` tells.
        let _ = self.messages.send(Message::Open(files));
    }

    /// Waits until every chunk that was handed over is written.
    pub(crate) fn flush(&self) {
        let (done, answer) = channel();
        // A writer that is gone answers as little as it writes.
        if self.messages.send(Message::Flush(done)).is_ok() {
            let _ = answer.recv();
        }
    }

    /// Whether the writer has given up.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The names of the recorded columns.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.columns.lock().expect("no writer panics").clone()
    }

    /// Waits until everything is written, after the engine has dropped the sink.
    pub(crate) fn close(self) -> Written {
        drop(self.messages);
        match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// The engine's side of a recording.
struct Sink {
    messages: SyncSender<Message>,
    recycled: Receiver<Chunk>,
    columns: Arc<Mutex<Vec<String>>>,
    content: RowContent,
}

impl ChunkSink for Sink {
    fn content(&self) -> RowContent {
        self.content
    }

    fn begin(&mut self, schema: &Arc<Schema>) {
        let names = schema
            .elements()
            .map(|(column, element)| schema.columns()[column].element_name(element));
        *self.columns.lock().expect("no writer panics") = names.collect();
        let _ = self.messages.send(Message::Schema(Arc::clone(schema)));
    }

    fn take(&mut self, full: Chunk) -> Chunk {
        let schema = Arc::clone(full.schema());
        match self.messages.send(Message::Rows(full)) {
            Ok(()) => self.recycled.try_recv().unwrap_or_else(|_| Chunk::new(&schema)),
            // The writer has failed; the caller sees that and ends the run.
            Err(_) => Chunk::new(&schema),
        }
    }
}

/// Receives until everybody has hung up, or until nothing can be written any more.
fn write_all(received: &Receiver<Message>, emptied: &Sender<Chunk>) -> Written {
    let mut writer = Writer::default();
    let received = received.iter().try_for_each(|message| writer.handle(message, emptied));
    // What was written before a failure is closed so that it can be read.
    let finished = writer.files.map_or(Ok(()), |mut files| files.finish());
    Written { rows: writer.rows, failure: received.and(finished).err() }
}

/// The writing thread's state.
#[derive(Default)]
struct Writer {
    schema: Option<Arc<Schema>>,
    /// Files that are still to be made.
    wanted: Option<TraceFiles>,
    /// Rows from before there were files.
    waiting: Vec<Chunk>,
    files: Option<Tee<'static>>,
    rows: u64,
}

impl Writer {
    fn handle(&mut self, message: Message, emptied: &Sender<Chunk>) -> Result<(), TraceError> {
        match message {
            Message::Schema(known) => self.schema = Some(known),
            Message::Open(files) => self.wanted = Some(files),
            Message::Rows(chunk) => return self.write(chunk, emptied),
            Message::Flush(done) => {
                // Who asked may have ended.
                let _ = done.send(());
            }
        }
        self.open_wanted(emptied)
    }

    /// Makes the files once it is known which, and what is in them.
    fn open_wanted(&mut self, emptied: &Sender<Chunk>) -> Result<(), TraceError> {
        let (Some(schema), Some(wanted)) = (&self.schema, &self.wanted) else { return Ok(()) };
        self.files = Some(open(wanted, schema)?);
        self.wanted = None;
        for chunk in std::mem::take(&mut self.waiting) {
            self.write(chunk, emptied)?;
        }
        Ok(())
    }

    fn write(&mut self, mut chunk: Chunk, emptied: &Sender<Chunk>) -> Result<(), TraceError> {
        let Some(files) = &mut self.files else {
            self.waiting.push(chunk);
            return Ok(());
        };
        files.write(&chunk)?;
        self.rows += chunk.rows() as u64;
        chunk.clear();
        // The run may have ended; then nobody needs the chunk any more.
        let _ = emptied.send(chunk);
        Ok(())
    }
}

fn open(files: &TraceFiles, schema: &Schema) -> Result<Tee<'static>, TraceError> {
    let mut tee = Tee::default();
    if let Some(path) = &files.parquet {
        tee.push(Box::new(ParquetWriter::new(BufWriter::new(File::create(path)?), schema)?));
    }
    if let Some(path) = &files.csv {
        tee.push(Box::new(CsvWriter::new(File::create(path)?, schema)?));
    }
    if let Some(path) = &files.mcap {
        tee.push(Box::new(McapWriter::new(BufWriter::new(File::create(path)?), schema)?));
    }
    if let Some(path) = &files.journal {
        tee.push(Box::new(JournalWriter::new(File::create(path)?, schema)?));
    }
    Ok(tee)
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Resolution, Tag, Time, ValueType, ValuesRef};
    use consort_trace::{Column, JournalReader, read_parquet};

    fn schema() -> Arc<Schema> {
        let column = Column::new("tank", "level", ValueType::Float64);
        Arc::new(Schema::new(Resolution::NANOSECOND, vec![column]).unwrap())
    }

    /// Hands over `count` chunks of two rows each, from tick `first` on.
    fn record(sink: &mut dyn ChunkSink, schema: &Arc<Schema>, first: i64, count: i64) {
        let mut chunk = Chunk::with_rows(schema, 2);
        for pair in 0..count {
            for row in 0..2 {
                let tag = Tag::at(Time::from_ticks(first + 2 * pair + row));
                chunk.push_row(tag, &[ValuesRef::Float64(&[row as f64])]);
            }
            chunk = sink.take(chunk);
            assert!(chunk.is_empty());
        }
    }

    #[test]
    fn rows_from_before_there_was_a_file_are_in_the_file() {
        let temp = tempfile::tempdir().unwrap();
        let files = TraceFiles {
            parquet: Some(temp.path().join("trace.parquet")),
            csv: Some(temp.path().join("trace.csv")),
            mcap: Some(temp.path().join("trace.mcap")),
            journal: Some(temp.path().join("trace.journal")),
        };
        let (recorder, mut sink) = Recorder::start();
        let schema = schema();
        sink.begin(&schema);
        record(sink.as_mut(), &schema, 0, 3);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
        recorder.open(files.clone());
        record(sink.as_mut(), &schema, 6, 100);
        recorder.flush();
        let journal = JournalReader::new(File::open(files.journal.unwrap()).unwrap()).unwrap();
        assert_eq!(journal.map(|rows| rows.unwrap().tags().len()).sum::<usize>(), 206);
        drop(sink);
        assert_eq!(recorder.columns(), ["tank.level"]);
        let written = recorder.close();
        assert_eq!((written.rows, written.failure.is_none()), (206, true));
        let trace = read_parquet(File::open(files.parquet.unwrap()).unwrap()).unwrap();
        assert_eq!(trace.tags().len(), 206);
        let csv = std::fs::read_to_string(files.csv.unwrap()).unwrap();
        assert_eq!(csv.lines().count(), 207);
        assert!(files.mcap.unwrap().metadata().unwrap().len() > 206);
    }

    #[test]
    fn a_writer_that_fails_is_noticed_and_blocks_nobody() {
        let (recorder, mut sink) = Recorder::start();
        let schema = schema();
        sink.begin(&schema);
        recorder.open(TraceFiles {
            parquet: Some("/no/such/folder/x".into()),
            ..TraceFiles::default()
        });
        record(sink.as_mut(), &schema, 0, 100);
        drop(sink);
        assert!(recorder.has_failed());
        assert!(recorder.close().failure.is_some());
    }
}
