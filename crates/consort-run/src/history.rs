//! The rows of a run that is saved, restored and branched: each branch has the rows that led to it.

use consort_engine::ChunkSink;
use consort_trace::{Chunk, Schema, Trace, TraceWriter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The rows of a run so far. One clone takes the rows of the engine, the other stays with the run.
#[derive(Clone, Default)]
pub(crate) struct History(Arc<Mutex<Rows>>);

#[derive(Clone, Default)]
struct Rows {
    schema: Option<Arc<Schema>>,
    /// Up to the last save, oldest first; snapshots and branches share them.
    before: Vec<Arc<Trace>>,
    /// The rows since the last snapshot.
    since: Option<Trace>,
}

/// The rows up to a save.
#[derive(Clone, Default)]
pub(crate) struct SavedRows(Vec<Arc<Trace>>);

impl History {
    /// That of a branch: it continues from saved rows.
    pub(crate) fn continuing(saved: &SavedRows) -> Self {
        let rows = Rows { before: saved.0.clone(), ..Rows::default() };
        History(Arc::new(Mutex::new(rows)))
    }

    /// The rows so far, to be kept with a snapshot.
    pub(crate) fn save(&self) -> SavedRows {
        let mut rows = self.lock();
        let since = rows.since.take().filter(|trace| !trace.tags().is_empty());
        rows.before.extend(since.map(Arc::new));
        SavedRows(rows.before.clone())
    }

    /// Back to the rows of a snapshot.
    pub(crate) fn restore(&self, saved: &SavedRows) {
        let mut rows = self.lock();
        (rows.before, rows.since) = (saved.0.clone(), None);
    }

    /// All of them; nothing if no run has begun.
    pub(crate) fn trace(&self) -> Option<Trace> {
        let rows = self.lock();
        let mut trace = Trace::new(rows.schema.as_ref()?);
        rows.before.iter().map(|part| &**part).chain(&rows.since).for_each(|it| trace.append(it));
        Some(trace)
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChunkSink for History {
    fn begin(&mut self, schema: &Arc<Schema>) {
        self.lock().schema = Some(Arc::clone(schema));
    }

    fn is_rewound(&self) -> bool {
        true
    }

    fn take(&mut self, mut full: Chunk) -> Chunk {
        let mut rows = self.lock();
        if let Some(schema) = rows.schema.clone() {
            let trace = rows.since.get_or_insert_with(|| Trace::new(&schema));
            trace.write(&full).expect("memory takes every row");
        }
        full.clear();
        full
    }
}
