//! A trace in memory.

use crate::record::ChunkSink;
use consort_trace::{Chunk, Schema, Trace, TraceWriter};
use std::sync::{Arc, Mutex};

/// Keeps the whole trace in memory, to be read afterwards: one clone goes into the run, the other
/// stays outside.
#[derive(Clone, Default)]
pub struct Recorded(Arc<Mutex<Option<Trace>>>);

impl Recorded {
    /// What was recorded so far.
    ///
    /// # Panics
    /// If no run has begun.
    pub fn trace(&self) -> Trace {
        self.0.lock().expect("no thread panicked").clone().expect("a run began")
    }
}

impl ChunkSink for Recorded {
    fn begin(&mut self, schema: &Arc<Schema>) {
        *self.0.lock().expect("no thread panicked") = Some(Trace::new(schema));
    }

    fn take(&mut self, mut full: Chunk) -> Chunk {
        let mut trace = self.0.lock().expect("no thread panicked");
        trace.as_mut().expect("a run began").write(&full).expect("memory takes all");
        full.clear();
        full
    }
}
