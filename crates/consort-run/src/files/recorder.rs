//! Writes the trace during the run, on two threads of its own: one for the files of the record, one
//! for the journal, which keeps the rows if this process is killed.
//!
//! The engine hands over chunks and gets emptied ones back; if a writer falls behind, the engine
//! waits, so memory stays bounded. Files are made when the run has started, not before.

mod file;

use super::folder::{self, RunFolder};
use crate::paths;
use crate::settings::RecordSettings;
use consort_engine::{ChunkSink, RowContent};
use consort_trace::{
    CheckSum, Chunk, CsvWriter, JournalWriter, McapWriter, ParquetWriter, Schema, Tee, TraceError,
    TraceWriter,
};
use file::SummedFile;
pub use file::check_sum;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// How many chunks may wait for a writer.
const WAITING_MAX: usize = 8;

/// Where the trace goes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceFiles {
    /// The path of the trace as Parquet.
    pub parquet: Option<PathBuf>,
    /// The path of the trace as CSV.
    pub csv: Option<PathBuf>,
    /// The path of the trace as MCAP.
    pub mcap: Option<PathBuf>,
    /// As a journal, which outlives its writer.
    pub journal: Option<JournalFile>,
}

/// Where a journal is, and what it holds about the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JournalFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The manifest of the run as it is known when it begins.
    pub about: String,
}

impl TraceFiles {
    /// Those that the settings want in the folder of a run, without a journal.
    pub fn of(settings: &RecordSettings, folder: &RunFolder) -> Self {
        // They are opened by another thread, while an FMU may leave the working folder.
        let file = |name| paths::whole(&folder.file(name));
        TraceFiles {
            parquet: Some(file(folder::TRACE)),
            csv: settings.csv.then(|| file(folder::TRACE_CSV)),
            mcap: settings.mcap.then(|| file(folder::TRACE_MCAP)),
            journal: None,
        }
    }

    /// Only this journal; without data about the run if its reader has that.
    pub fn only_journal(path: PathBuf, about: String) -> Self {
        TraceFiles { journal: Some(JournalFile { path, about }), ..TraceFiles::default() }
    }
}

/// The writing side of a recording.
pub struct Recorder {
    record: Lane,
    journal: Lane,
    failed: Arc<AtomicBool>,
    columns: Arc<Mutex<Vec<String>>>,
}

/// What came to the disk.
#[derive(Debug, Default)]
pub struct Written {
    /// How many rows are in the record; in the journal, if there is nothing else.
    pub rows: u64,
    /// Why there are no more rows in the record.
    pub failure: Option<TraceError>,
    /// Why there are no more rows in the journal.
    pub journal_failure: Option<TraceError>,
    /// The check sum of the Parquet file, if that is whole.
    pub check_sum: Option<String>,
}

enum Message {
    Schema(Arc<Schema>),
    Open(TraceFiles),
    Rows(Arc<Chunk>),
    /// Requests an answer when everything before was written.
    Flush(Sender<()>),
}

impl Recorder {
    /// Starts the writers; the sink is for the engine.
    pub fn start() -> (Self, Box<dyn ChunkSink>) {
        Self::of(RowContent::Values)
    }

    /// The same of rows that hold `content`.
    pub fn of(content: RowContent) -> (Self, Box<dyn ChunkSink>) {
        let (emptied, recycled) = channel();
        let failed = Arc::new(AtomicBool::new(false));
        let columns = Arc::new(Mutex::new(Vec::new()));
        let record = Lane::start(&emptied, &failed);
        let journal = Lane::start(&emptied, &failed);
        let lanes = [record.messages.clone(), journal.messages.clone()];
        let sink = Sink { lanes, recycled, columns: Arc::clone(&columns), content };
        (Recorder { record, journal, failed, columns }, Box::new(sink))
    }

    /// Makes the files; what was recorded so far is written to them.
    pub fn open(&self, mut files: TraceFiles) {
        let journal = TraceFiles { journal: files.journal.take(), ..TraceFiles::default() };
        self.record.send(Message::Open(files));
        self.journal.send(Message::Open(journal));
    }

    /// Waits until every chunk that was handed over is written.
    pub fn flush(&self) {
        let (done, answers) = channel();
        self.record.send(Message::Flush(done.clone()));
        self.journal.send(Message::Flush(done));
        // A writer that has ended does not answer.
        answers.iter().for_each(drop);
    }

    /// Whether a writer has given up.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The names of the recorded columns.
    pub fn columns(&self) -> Vec<String> {
        self.columns.lock().expect("no writer panics").clone()
    }

    /// Waits until everything is written, after the engine has dropped the sink.
    pub fn close(self) -> Written {
        let (record, journal) = (self.record.close(), self.journal.close());
        let rows = record.rows.max(if record.is_used { 0 } else { journal.rows });
        Written {
            rows,
            failure: record.failure,
            journal_failure: journal.failure,
            check_sum: record.check_sum,
        }
    }
}

/// A thread that writes some of the files.
struct Lane {
    messages: SyncSender<Message>,
    thread: JoinHandle<LaneWritten>,
}

impl Lane {
    fn start(emptied: &Sender<Chunk>, failed: &Arc<AtomicBool>) -> Self {
        let (messages, received) = sync_channel(WAITING_MAX);
        let (emptied, failed) = (emptied.clone(), Arc::clone(failed));
        let thread = std::thread::spawn(move || {
            let written = write_all(received, &emptied);
            failed.fetch_or(written.failure.is_some(), Ordering::Relaxed);
            written
        });
        Lane { messages, thread }
    }

    /// A writer that has ended has failed, which `close` reports.
    fn send(&self, message: Message) {
        let _ = self.messages.send(message);
    }

    fn close(self) -> LaneWritten {
        drop(self.messages);
        match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// The engine's side of a recording.
struct Sink {
    lanes: [SyncSender<Message>; 2],
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
        for lane in &self.lanes {
            let _ = lane.send(Message::Schema(Arc::clone(schema)));
        }
    }

    fn take(&mut self, full: Chunk) -> Chunk {
        let schema = Arc::clone(full.schema());
        let full = Arc::new(full);
        for lane in &self.lanes {
            // If the writer has failed, the caller sees that and ends the run.
            let _ = lane.send(Message::Rows(Arc::clone(&full)));
        }
        drop(full);
        self.recycled.try_recv().unwrap_or_else(|_| Chunk::new(&schema))
    }
}

/// What one thread wrote.
#[derive(Default)]
struct LaneWritten {
    rows: u64,
    /// Whether any file was written.
    is_used: bool,
    failure: Option<TraceError>,
    check_sum: Option<String>,
}

/// Receives until all senders are dropped, or until nothing can be written any more.
fn write_all(received: Receiver<Message>, emptied: &Sender<Chunk>) -> LaneWritten {
    let mut writer = Writer::default();
    let handled = received.iter().try_for_each(|message| writer.handle(message, emptied));
    // Ends the waits for an answer.
    drop(received);
    // What was written before a failure is closed so that it can be read.
    let finished = writer.files.as_mut().map_or(Ok(()), TraceWriter::finish);
    let failure = handled.and(finished).err();
    let check_sum = writer.sum.filter(|_| failure.is_none());
    let check_sum = check_sum.map(|sum| sum.lock().expect("no writer panics").to_string());
    LaneWritten { rows: writer.rows, is_used: writer.is_used, failure, check_sum }
}

/// The state of a thread that writes.
#[derive(Default)]
struct Writer {
    schema: Option<Arc<Schema>>,
    /// Files that are still to be made.
    wanted: Option<TraceFiles>,
    /// Rows from before there were files.
    waiting: Vec<Arc<Chunk>>,
    files: Option<Tee<'static>>,
    is_used: bool,
    /// The check sum of the Parquet file.
    sum: Option<Arc<Mutex<CheckSum>>>,
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
        self.is_used = *wanted != TraceFiles::default();
        let mut tee = Tee::default();
        self.sum = open(wanted, schema, &mut tee)?;
        self.files = Some(tee);
        self.wanted = None;
        for chunk in std::mem::take(&mut self.waiting) {
            self.write(chunk, emptied)?;
        }
        Ok(())
    }

    fn write(&mut self, chunk: Arc<Chunk>, emptied: &Sender<Chunk>) -> Result<(), TraceError> {
        let Some(files) = &mut self.files else {
            self.waiting.push(chunk);
            return Ok(());
        };
        files.write(&chunk)?;
        self.rows += chunk.rows() as u64;
        // The last of the writers gives it back.
        if let Some(mut chunk) = Arc::into_inner(chunk) {
            chunk.clear();
            // The run may have ended; then the chunk is not needed any more.
            let _ = emptied.send(chunk);
        }
        Ok(())
    }
}

/// Makes the files; returns where the check sum of the Parquet file comes about.
fn open(
    files: &TraceFiles,
    schema: &Schema,
    tee: &mut Tee<'static>,
) -> Result<Option<Arc<Mutex<CheckSum>>>, TraceError> {
    let mut sum = None;
    if let Some(path) = &files.parquet {
        let file = SummedFile::create(path)?;
        sum = Some(file.sum());
        tee.push(Box::new(ParquetWriter::new(BufWriter::new(file), schema)?));
    }
    if let Some(path) = &files.csv {
        tee.push(Box::new(CsvWriter::new(File::create(path)?, schema)?));
    }
    if let Some(path) = &files.mcap {
        tee.push(Box::new(McapWriter::new(BufWriter::new(File::create(path)?), schema)?));
    }
    if let Some(JournalFile { path, about }) = &files.journal {
        tee.push(Box::new(JournalWriter::new(File::create(path)?, schema, about)?));
    }
    Ok(sum)
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
            journal: Some(JournalFile {
                path: temp.path().join("trace.journal"),
                about: "a tank".to_owned(),
            }),
        };
        let (recorder, mut sink) = Recorder::start();
        let schema = schema();
        sink.begin(&schema);
        record(sink.as_mut(), &schema, 0, 3);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
        recorder.open(files.clone());
        record(sink.as_mut(), &schema, 6, 100);
        recorder.flush();
        let journal = File::open(files.journal.unwrap().path).unwrap();
        let journal = JournalReader::new(journal).unwrap();
        assert_eq!(journal.about(), "a tank");
        assert_eq!(journal.map(|rows| rows.unwrap().tags().len()).sum::<usize>(), 206);
        drop(sink);
        assert_eq!(recorder.columns(), ["tank.level"]);
        let written = recorder.close();
        assert_eq!((written.rows, written.failure.is_none()), (206, true));
        let bytes = std::fs::read(files.parquet.as_ref().unwrap()).unwrap();
        let mut sum = CheckSum::default();
        sum.update(&bytes);
        assert_eq!(written.check_sum, Some(sum.to_string()));
        let trace = read_parquet(File::open(files.parquet.unwrap()).unwrap()).unwrap();
        assert_eq!(trace.tags().len(), 206);
        let csv = std::fs::read_to_string(files.csv.unwrap()).unwrap();
        assert_eq!(csv.lines().count(), 207);
        assert!(files.mcap.unwrap().metadata().unwrap().len() > 206);
    }

    #[test]
    fn a_writer_that_fails_is_noticed_and_blocks_no_one_else() {
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
