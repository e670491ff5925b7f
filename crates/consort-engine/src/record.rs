//! Recording during a run: a hash per variable, and rows for the writers of traces.

use crate::statistics::Statistics;
use crate::store::{Bank, Slot};
use consort_core::{Tag, ValueType, ValuesRef};
use consort_trace::{Chunk, Schema, VariableHash, absorb_values, tag_word};
use std::sync::Arc;

/// What the rows of a run hold. Beside them a chunk states where the run stands, if everything up to its last
/// row is done then (`Run::hand_over_rows`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowContent {
    /// The values of the recorded variables.
    #[default]
    Values,
    /// These, and where the run stands ([`consort_trace::progress_mark`]): it can be cut at any row.
    ValuesAndMarks,
    /// Only where the run stands.
    Marks,
}

impl RowContent {
    pub(crate) fn has_values(self) -> bool {
        self != RowContent::Marks
    }

    pub(crate) fn has_marks(self) -> bool {
        self != RowContent::Values
    }
}

/// Takes full chunks of rows and gives empty ones back; a writer thread is behind it.
pub trait ChunkSink: Send {
    /// The required content of rows.
    fn content(&self) -> RowContent {
        RowContent::Values
    }

    /// Receives the schema of what is recorded, once, before the first chunk.
    fn begin(&mut self, schema: &Arc<Schema>);

    /// Whether its owner brings rows back to where a run is restored. Otherwise a record is of one way: it ends where a
    /// run goes back.
    fn is_rewound(&self) -> bool {
        false
    }

    /// Takes a chunk to be written and gives one with no rows. One without rows says where the run stands at
    /// the last row before it.
    fn take(&mut self, full: Chunk) -> Chunk;
}

/// Copies rows into chunks.
pub(crate) struct Recorder {
    chunk: Option<Chunk>,
    sink: Box<dyn ChunkSink>,
    /// What makes up a row: per type in the schema's row order, joined where side by side.
    slots: Vec<Slot>,
    /// Each row states where the run stands, not chunks alone.
    has_marks: bool,
    /// The progress mark, as numbers.
    mark: Vec<u64>,
    /// The tag of the last row.
    last: Option<Tag>,
    /// The tag of the last row at which a chunk stated where the run stands.
    stated: Option<Tag>,
}

impl Recorder {
    pub(crate) fn new(schema: Schema, slots: Vec<Slot>, mut sink: Box<dyn ChunkSink>) -> Self {
        let schema = Arc::new(schema);
        sink.begin(&schema);
        let has_marks = sink.content().has_marks();
        let chunk = Some(Chunk::new(&schema));
        let (slots, mark) = (joined(slots), Vec::new());
        Recorder { chunk, sink, slots, has_marks, mark, last: None, stated: None }
    }

    pub(crate) fn record(
        &mut self,
        tag: Tag,
        bank: &Bank,
        hashes: &Hashes,
        statistics: &Statistics,
    ) {
        let chunk = self.chunk.as_mut().expect("the chunk is back after every hand-over");
        chunk.begin_row(tag);
        self.last = Some(tag);
        for &slot in &self.slots {
            chunk.extend(bank.get(slot));
        }
        if self.has_marks {
            note(hashes, statistics, &mut self.mark);
            chunk.extend(ValuesRef::UInt64(&self.mark));
        }
        chunk.end_row();
        if chunk.is_full() {
            self.hand_over();
        }
    }

    /// The run is restored at a tag. False if the record ends here: rows after the tag were recorded already, and
    /// cannot be taken back.
    pub(crate) fn rewind(&mut self, tag: Tag) -> bool {
        let is_rewound = self.sink.is_rewound();
        if is_rewound || self.last.is_some_and(|last| tag < last) {
            self.hand_over();
            (self.last, self.stated) = (None, None);
            return is_rewound;
        }
        true
    }

    /// Hands over what is there, and where the run stands: everything up to the last row is done. Rows may
    /// have been handed over before; then a chunk without rows states it.
    pub(crate) fn hand_over_done(&mut self, hashes: &Hashes, statistics: &Statistics) {
        if self.stated == self.last {
            return;
        }
        self.stated = self.last;
        note(hashes, statistics, &mut self.mark);
        let mut chunk = self.chunk.take().expect("the chunk is back after every hand-over");
        chunk.set_mark(self.mark.iter().copied());
        self.chunk = Some(self.sink.take(chunk));
    }

    /// Hands over what is there, full or not.
    pub(crate) fn hand_over(&mut self) {
        let chunk = self.chunk.take().expect("the chunk is back after every hand-over");
        self.chunk = Some(if chunk.is_empty() { chunk } else { self.sink.take(chunk) });
    }
}

/// Where the run stands, in the order of its columns.
fn note(hashes: &Hashes, statistics: &Statistics, words: &mut Vec<u64>) {
    words.clear();
    words.extend(hashes.hashes.iter().map(|hash| hash.to_bits()));
    words.extend(statistics.counts());
}

/// Joins neighbors of one type, keeping the order within each type.
fn joined(mut slots: Vec<Slot>) -> Vec<Slot> {
    slots.sort_by_key(|slot| slot.value_type);
    let mut joined: Vec<Slot> = Vec::new();
    for slot in slots {
        match joined.last_mut() {
            Some(last) if last.value_type == slot.value_type && last.at + last.count == slot.at => {
                last.count += slot.count;
            }
            _ => joined.push(slot),
        }
    }
    joined
}

/// A hashed variable.
#[derive(Clone, Debug)]
pub(crate) struct Hashed {
    pub(crate) path: String,
    pub(crate) slot: Slot,
    pub(crate) rate: usize,
    pub(crate) component: usize,
    pub(crate) is_array: bool,
}

/// The rolling hashes of a run.
pub(crate) struct Hashes {
    entries: Vec<Hashed>,
    hashes: Vec<VariableHash>,
    /// Per rate, what to absorb: scalars that lie side by side at once, arrays one by one.
    batches: Vec<Vec<HashBatch>>,
}

#[derive(Clone, Copy, Debug)]
struct HashBatch {
    slot: Slot,
    first: usize,
    is_array: bool,
}

impl Hashes {
    /// Sorts the variables by place, so that neighbors are hashed together.
    pub(crate) fn new(mut entries: Vec<Hashed>, rates: usize) -> Self {
        entries.sort_by_key(|entry| (entry.rate, entry.slot.value_type, entry.slot.at));
        let mut batches: Vec<Vec<HashBatch>> = vec![Vec::new(); rates];
        for (index, entry) in entries.iter().enumerate() {
            let batch = HashBatch { slot: entry.slot, first: index, is_array: entry.is_array };
            let list = &mut batches[entry.rate];
            match list.last_mut() {
                Some(last) if last.is_continued_by(&batch) => last.slot.count += 1,
                _ => list.push(batch),
            }
        }
        let hashes = vec![VariableHash::default(); entries.len()];
        Hashes { entries, hashes, batches }
    }

    /// Takes in the values of the components of one rate.
    pub(crate) fn absorb_rate(&mut self, rate: usize, tag: Tag, bank: &Bank) {
        let word = tag_word(tag);
        for batch in &self.batches[rate] {
            let values = bank.get(batch.slot);
            if batch.is_array {
                self.hashes[batch.first].absorb_array(word, values);
            } else {
                let range = batch.first..batch.first + batch.slot.count();
                absorb_values(&mut self.hashes[range], word, values);
            }
        }
    }

    /// Takes in the values of some components, at a microstep.
    pub(crate) fn absorb_components(&mut self, components: &[usize], tag: Tag, bank: &Bank) {
        let word = tag_word(tag);
        for (entry, hash) in self.entries.iter().zip(&mut self.hashes) {
            if components.binary_search(&entry.component).is_ok() {
                hash.absorb_array(word, bank.get(entry.slot));
            }
        }
    }

    /// What is hashed, in the order of the states.
    pub(crate) fn entries(&self) -> &[Hashed] {
        &self.entries
    }

    /// The states of the rolling hashes.
    pub(crate) fn states(&self) -> &[VariableHash] {
        &self.hashes
    }

    /// Continues from elsewhere.
    pub(crate) fn set_states(&mut self, states: &[VariableHash]) {
        self.hashes.copy_from_slice(states);
    }

    /// Path, type and hash of every hashed variable.
    pub(crate) fn list(&self) -> Vec<(String, ValueType, VariableHash)> {
        let pairs = self.entries.iter().zip(&self.hashes);
        pairs.map(|(entry, &hash)| (entry.path.clone(), entry.slot.value_type, hash)).collect()
    }
}

impl HashBatch {
    fn is_continued_by(&self, next: &HashBatch) -> bool {
        !self.is_array
            && !next.is_array
            && self.slot.value_type == next.slot.value_type
            && self.slot.at + self.slot.count == next.slot.at
    }
}
