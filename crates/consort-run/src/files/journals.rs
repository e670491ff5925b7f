//! What nodes recorded, made into one record: rows joined by tag, lines of logs by time.

use super::recorder::{Recorder, TraceFiles, Written};
use consort_core::{Resolution, Tag};
use consort_trace::progress_mark::{ProgressMark, is_mark};
use consort_trace::{Chunk, Column, JournalReader, Schema, Trace, TraceError};
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

type RowReader = JournalReader<BufReader<File>>;

/// A journal, and the row of it that holds just now. A chunk or two of it are in memory.
pub struct JournalCursor {
    reader: RowReader,
    chunk: Trace,
    row: usize,
    /// The chunk after that, once the row is the last one.
    ahead: Option<Trace>,
    /// The row has been reached: before that its values are not known yet.
    has_begun: bool,
}

impl JournalCursor {
    /// Opens the journal at `path`.
    ///
    /// # Errors
    /// If it is not a journal.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let mut reader = JournalReader::new(BufReader::new(File::open(path)?))?;
        let chunk = match next_rows(&mut reader)? {
            Some(chunk) => chunk,
            None => Trace::new(reader.schema()),
        };
        let mut journal = JournalCursor { reader, chunk, row: 0, ahead: None, has_begun: false };
        journal.look_ahead()?;
        Ok(journal)
    }

    /// What was run, from the journal.
    pub fn about(&self) -> &str {
        self.reader.about()
    }

    /// Whether there is a row: a run that is resumed from its end has none.
    pub fn has_rows(&self) -> bool {
        !self.chunk.tags().is_empty()
    }

    fn look_ahead(&mut self) -> Result<(), TraceError> {
        if self.row + 1 == self.chunk.tags().len() {
            self.ahead = next_rows(&mut self.reader)?;
        }
        Ok(())
    }

    /// The tag of the row that is reached next.
    fn next(&self) -> Option<Tag> {
        if !self.has_begun {
            return self.chunk.tags().get(self.row).copied();
        }
        let ahead = self.ahead.as_ref().map(|ahead| ahead.tags()[0]);
        self.chunk.tags().get(self.row + 1).copied().or(ahead)
    }

    /// Goes to the next row, which there is.
    fn advance(&mut self) -> Result<(), TraceError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        match self.ahead.take() {
            Some(ahead) => (self.chunk, self.row) = (ahead, 0),
            None => self.row += 1,
        }
        self.look_ahead()
    }

    /// Where the run stood at the last row up to and including `until`; nothing if there is no row.
    ///
    /// # Errors
    /// If the file fails.
    pub fn mark(mut self, until: Tag) -> Result<Option<ProgressMark>, TraceError> {
        while self.next().is_some_and(|next| next <= until) {
            self.advance()?;
        }
        Ok(self.has_begun.then(|| ProgressMark::of(&self.chunk, self.row)))
    }
}

/// The next chunk that has rows.
fn next_rows(reader: &mut RowReader) -> Result<Option<Trace>, TraceError> {
    reader.find(|read| read.as_ref().map_or(true, |rows| !rows.tags().is_empty())).transpose()
}

/// Where a run stood at the last time of its journal that is done with all of its rows; nothing if there is no row.
///
/// # Errors
/// If it is no journal, or the file fails.
pub fn last_mark(path: &Path) -> Result<Option<ProgressMark>, TraceError> {
    let mut reader = JournalReader::new(BufReader::new(File::open(path)?))?;
    let mut last = None;
    while reader.next().transpose()?.is_some() {
        last = reader.mark().or(last);
    }
    Ok(last)
}

/// The traces of several nodes as one.
pub struct Merged {
    schema: Arc<Schema>,
    parts: Vec<JournalCursor>,
    /// Per column: the part that has it, and which of its columns it is.
    origin: Vec<(usize, usize)>,
    until: Option<Tag>,
}

impl Merged {
    /// Joins journals up to and including `until`. Columns are in the order of their components, which
    /// `rank` says, and as the part has them.
    ///
    /// # Errors
    /// If two parts have a column of one name.
    pub fn new(
        parts: Vec<JournalCursor>,
        rank: &dyn Fn(&str) -> usize,
        until: Option<Tag>,
    ) -> Result<Option<Self>, TraceError> {
        let Some(first) = parts.first() else { return Ok(None) };
        let resolution = first.reader.schema().resolution();
        let column = |&(part, column): &(usize, usize)| -> &Column {
            &parts[part].reader.schema().columns()[column]
        };
        let mut origin: Vec<(usize, usize)> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let columns = 0..part.reader.schema().columns().len();
            origin.extend(columns.map(|column| (index, column)));
        }
        origin.retain(|at| !is_mark(column(at)));
        origin.sort_by_key(|at| (rank(column(at).component()), at.1));
        let columns: Vec<Column> = origin.iter().map(|at| column(at).clone()).collect();
        let schema = Arc::new(Schema::new(resolution, columns)?);
        Ok(Some(Merged { schema, parts, origin, until }))
    }

    /// The length of a tick.
    pub fn resolution(&self) -> Resolution {
        self.schema.resolution()
    }

    /// Writes all rows; a part that has no row at a tag keeps the values it had, and one that has begun
    /// later than others is at its first row until then.
    pub fn write(mut self, files: TraceFiles) -> (Vec<String>, Written) {
        let (recorder, mut sink) = Recorder::start();
        sink.begin(&self.schema);
        recorder.open(files);
        let mut chunk = Chunk::new(&self.schema);
        let mut read = Ok(());
        while let Some(tag) = self.next().filter(|_| read.is_ok()) {
            read = self.advance(tag);
            self.put(tag, &mut chunk);
            if chunk.is_full() {
                chunk = sink.take(chunk);
            }
        }
        if !chunk.is_empty() {
            sink.take(chunk);
        }
        drop(sink);
        let (columns, mut written) = (recorder.columns(), recorder.close());
        written.failure = written.failure.or(read.err());
        (columns, written)
    }

    /// The next tag at which a part has a row.
    fn next(&self) -> Option<Tag> {
        let next = self.parts.iter().filter_map(JournalCursor::next).min();
        next.filter(|next| self.until.is_none_or(|until| *next <= until))
    }

    fn advance(&mut self, tag: Tag) -> Result<(), TraceError> {
        let mut parts = self.parts.iter_mut().filter(|part| part.next() == Some(tag));
        parts.try_for_each(JournalCursor::advance)
    }

    fn put(&self, tag: Tag, chunk: &mut Chunk) {
        chunk.begin_row(tag);
        for (&(part, column), described) in self.origin.iter().zip(self.schema.columns()) {
            let (count, part) = (described.element_count(), &self.parts[part]);
            chunk.extend(part.chunk.columns()[column].slice(part.row * count, count));
        }
        chunk.end_row();
    }
}

/// The lines of several logs as one: by the time they speak of, then by node. A line without a time
/// is of the time of the line before it. Each names its node.
pub fn merge_logs(logs: &[(&str, &Path)]) -> Vec<Value> {
    let mut lines: Vec<(f64, usize, Value)> = Vec::new();
    for (index, (node, path)) in logs.iter().enumerate() {
        let mut now = f64::NEG_INFINITY;
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for line in text.lines() {
            // A node that was killed may have left half a line.
            let Ok(mut value) = serde_json::from_str::<Value>(line) else { continue };
            now = value["t"].as_f64().unwrap_or(now);
            value["node"] = (*node).into();
            lines.push((now, index, value));
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    lines.into_iter().map(|(_, _, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{Time, ValueType, ValuesRef};
    use consort_trace::progress_mark::hash_column;
    use consort_trace::{JournalWriter, TraceWriter as _, VariableHash, read_parquet};
    use std::fs;

    fn tag(ticks: i64, microstep: u32) -> Tag {
        Tag { time: Time::from_ticks(ticks), microstep }
    }

    /// A journal of one variable, in chunks of two rows, and of a hash that counts rows.
    fn part(component: &str, rows: &[(Tag, f64)]) -> JournalCursor {
        let columns = vec![
            Column::new(component, "x", ValueType::Float64),
            hash_column(&format!("{component}.x"), ValueType::Float64),
        ];
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut journal = JournalWriter::new(&file, &schema, "").unwrap();
        for (pair, rows) in rows.chunks(2).enumerate() {
            let mut chunk = Chunk::with_rows(&schema, 2);
            for (row, (tag, value)) in rows.iter().enumerate() {
                let hash = [(2 * pair + row) as u64];
                let batches = [ValuesRef::Float64(&[*value]), ValuesRef::UInt64(&hash)];
                chunk.push_row(*tag, &batches);
            }
            journal.write(&chunk).unwrap();
        }
        JournalCursor::open(file.path()).unwrap()
    }

    fn merged(parts: Vec<JournalCursor>, until: Option<Tag>) -> Trace {
        let rank = |name: &str| ["a", "b"].iter().position(|known| *known == name).unwrap();
        let merged = Merged::new(parts, &rank, until).unwrap().unwrap();
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("trace.parquet");
        let files = TraceFiles { parquet: Some(path.clone()), ..TraceFiles::default() };
        let (columns, written) = merged.write(files);
        assert_eq!((columns, written.failure.is_none()), (vec!["a.x".into(), "b.x".into()], true));
        read_parquet(fs::File::open(path).unwrap()).unwrap()
    }

    #[test]
    fn a_journal_states_where_the_run_stood_at_any_row() {
        let rows: Vec<(Tag, f64)> = (0..5).map(|row| (tag(2 * row, 0), row as f64)).collect();
        for (until, row) in [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (7, 3), (8, 4), (9, 4)] {
            let mark = part("a", &rows).mark(tag(until, u32::MAX)).unwrap().unwrap();
            assert_eq!(mark.tag, tag(2 * row, 0), "{until}");
            let hash = VariableHash::from_bits(row as u64);
            assert_eq!(mark.hashes, [("a.x".to_owned(), ValueType::Float64, hash)]);
        }
        assert_eq!(part("a", &rows).mark(tag(-1, 0)).unwrap(), None);
    }

    #[test]
    fn rows_are_joined_by_tag_and_values_held_where_a_node_has_none() {
        let b = part("b", &[(tag(0, 0), 1.0), (tag(0, 1), 2.0), (tag(5, 0), 3.0)]);
        let a = part("a", &[(tag(0, 0), 10.0), (tag(5, 0), 20.0)]);
        let whole = merged(vec![b, a], None);
        assert_eq!(whole.tags(), [tag(0, 0), tag(0, 1), tag(5, 0)]);
        let values = |path| whole.column(path).unwrap().view();
        assert_eq!(values("a.x"), ValuesRef::Float64(&[10.0, 10.0, 20.0]));
        assert_eq!(values("b.x"), ValuesRef::Float64(&[1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_run_without_rows_still_has_its_columns() {
        let whole = merged(vec![part("b", &[]), part("a", &[])], None);
        assert_eq!((whole.tags().len(), whole.columns().len()), (0, 2));
    }

    #[test]
    fn what_only_some_nodes_have_done_is_left_out() {
        let b = part("b", &[(tag(0, 0), 1.0), (tag(5, 0), 2.0), (tag(10, 0), 3.0)]);
        let a = part("a", &[(tag(0, 0), 10.0)]);
        assert_eq!(merged(vec![a, b], Some(tag(0, 0))).tags(), [tag(0, 0)]);
    }

    #[test]
    fn logs_are_joined_by_time_then_node() {
        let temp = tempfile::tempdir().unwrap();
        let (a, b) = (temp.path().join("a"), temp.path().join("b"));
        fs::write(&a, "{\"m\":1}\n{\"t\":2,\"m\":2}\n{\"m\":3}\n{\"m\":").unwrap();
        fs::write(&b, "{\"m\":4}\n{\"t\":1,\"m\":5}\n{\"t\":2,\"m\":6}\n").unwrap();
        let lines = merge_logs(&[("left", &a), ("right", &b)]);
        let order: Vec<i64> = lines.iter().map(|line| line["m"].as_i64().unwrap()).collect();
        assert_eq!(order, [1, 4, 5, 2, 3, 6]);
        assert_eq!(lines[0]["node"], "left");
    }
}
