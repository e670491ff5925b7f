//! What nodes recorded, made into one record: rows joined by tag, lines of logs by time.

use crate::output::recorder::{Recorder, TraceFiles, Written};
use consort_core::Tag;
use consort_trace::{Chunk, Column, Schema, Trace, TraceError};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The traces of several nodes as one.
pub(crate) struct Merged {
    schema: Arc<Schema>,
    parts: Vec<Trace>,
    /// Per column: the part that has it, and which of its columns it is.
    origin: Vec<(usize, usize)>,
    tags: Vec<Tag>,
}

impl Merged {
    /// Joins traces up to and including `until`. Columns are in the order of their components, which
    /// `rank` tells, and as the part has them.
    ///
    /// # Errors
    /// If two parts have a column of one name.
    pub(crate) fn new(
        parts: Vec<Trace>,
        rank: &dyn Fn(&str) -> usize,
        until: Option<Tag>,
    ) -> Result<Option<Self>, TraceError> {
        let Some(first) = parts.first() else { return Ok(None) };
        let resolution = first.schema().resolution();
        let mut origin: Vec<(usize, usize)> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            origin.extend((0..part.columns().len()).map(|column| (index, column)));
        }
        let column = |&(part, column): &(usize, usize)| -> &Column {
            &parts[part].schema().columns()[column]
        };
        origin.sort_by_key(|at| (rank(column(at).component()), at.1));
        let columns: Vec<Column> = origin.iter().map(|at| column(at).clone()).collect();
        let schema = Arc::new(Schema::new(resolution, columns)?);
        let mut tags: Vec<Tag> = parts.iter().flat_map(Trace::tags).copied().collect();
        tags.retain(|tag| until.is_none_or(|until| *tag <= until));
        tags.sort_unstable();
        tags.dedup();
        Ok(Some(Merged { schema, parts, origin, tags }))
    }

    /// Writes all rows; a part that has no row at a tag keeps the values it had.
    pub(crate) fn write(&self, files: TraceFiles) -> (Vec<String>, Written) {
        let (recorder, mut sink) = Recorder::start();
        sink.begin(&self.schema);
        recorder.open(files);
        let mut chunk = Chunk::new(&self.schema);
        self.each_row(|tag, rows| {
            chunk.begin_row(tag);
            for (&(part, column), described) in self.origin.iter().zip(self.schema.columns()) {
                let count = described.element_count();
                chunk.extend(self.parts[part].columns()[column].slice(rows[part] * count, count));
            }
            chunk.end_row();
            if chunk.is_full() {
                let full = std::mem::replace(&mut chunk, Chunk::with_rows(&self.schema, 1));
                chunk = sink.take(full);
            }
        });
        if !chunk.is_empty() {
            sink.take(chunk);
        }
        drop(sink);
        (recorder.columns(), recorder.close())
    }

    /// Calls `see` with each tag and the row of each part that holds there. A part that has begun
    /// later than others stands at its first row until then.
    fn each_row(&self, mut see: impl FnMut(Tag, &[usize])) {
        let mut rows = vec![0; self.parts.len()];
        for &tag in &self.tags {
            for (row, part) in rows.iter_mut().zip(&self.parts) {
                while part.tags().get(*row + 1).is_some_and(|next| *next <= tag) {
                    *row += 1;
                }
            }
            see(tag, &rows);
        }
    }
}

/// The lines of several logs as one: by the time they speak of, then by node. A line without a time
/// is of the time of the line before it. Each tells its node.
pub(crate) fn merge_logs(logs: &[(&str, &Path)]) -> Vec<Value> {
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
    use consort_core::{Resolution, Time, ValueType, ValuesRef};
    use consort_trace::{TraceWriter as _, read_parquet};
    use std::fs;

    fn tag(ticks: i64, microstep: u32) -> Tag {
        Tag { time: Time::from_ticks(ticks), microstep }
    }

    /// A trace of one variable.
    fn part(component: &str, rows: &[(Tag, f64)]) -> Trace {
        let column = Column::new(component, "x", ValueType::Float64);
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, vec![column]).unwrap());
        let mut chunk = Chunk::with_rows(&schema, rows.len().max(1));
        for (tag, value) in rows {
            chunk.push_row(*tag, &[ValuesRef::Float64(&[*value])]);
        }
        let mut trace = Trace::new(&schema);
        trace.write(&chunk).unwrap();
        trace
    }

    fn merged(parts: Vec<Trace>, until: Option<Tag>) -> Trace {
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
