//! States as recorded commands: restoring repeats the commands in a new process.
//!
//! It always works for a model that does the same each time, and costs the whole run up to the state.
//! Replies are compared with those of the first time: a model that does not do the same is found out.

use super::launch::Launch;
use super::provider::{StateProvider, own};
use super::worker::Worker;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Provider, SavedState};
use std::sync::Arc;

const RESTORE: &str = "restore a state";
const DESERIALIZE: &str = "deserialize a state";
/// The first bytes of a journal.
const MAGIC: [u8; 8] = *b"replay 1";

/// Remembers what is done to an instance.
pub(super) struct Replay {
    launch: Arc<Launch>,
    /// What was done to the instance as it is now.
    journal: Journal,
    /// Calls that have failed in the worker as it is now: they are in no journal.
    failures: u64,
}

/// What was done, last first: journals share their beginnings.
#[derive(Clone, Default)]
struct Journal(Option<Arc<Entry>>);

struct Entry {
    /// How many there are up to this one.
    count: u64,
    command: Box<[u8]>,
    /// The hash of the reply.
    hash: u64,
    before: Journal,
}

impl Drop for Journal {
    fn drop(&mut self) {
        // One after the other: a long list dropped by recursion would end the stack.
        let mut next = self.0.take();
        while let Some(mut entry) = next.and_then(Arc::into_inner) {
            next = entry.before.0.take();
        }
    }
}

impl Journal {
    /// A journal that no other one begins with.
    fn unknown() -> Self {
        let mut journal = Journal::default();
        journal.push(&[], 0);
        journal
    }

    fn push(&mut self, command: &[u8], hash: u64) {
        let count = self.count() + 1;
        let before = std::mem::take(self);
        self.0 = Some(Arc::new(Entry { count, command: command.into(), hash, before }));
    }

    fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, |entry| entry.count)
    }

    fn is(&self, other: &Journal) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// What comes after `start`, in order; everything if this journal does not begin with it.
    fn since(&self, start: &Journal) -> (bool, Vec<&Entry>) {
        let (mut entries, mut journal) = (Vec::new(), self);
        while let Some(entry) = journal.0.as_deref().filter(|_| !journal.is(start)) {
            entries.push(entry);
            journal = &entry.before;
        }
        entries.reverse();
        (journal.is(start), entries)
    }
}

/// A state: how to get there.
struct ReplayState(Journal);

impl Replay {
    pub(super) fn new(launch: &Arc<Launch>) -> Self {
        Replay { launch: Arc::clone(launch), journal: Journal::default(), failures: 0 }
    }

    fn go(&mut self, worker: &mut Worker, to: &Journal) -> CallResult<()> {
        let is_whole = !worker.is_gone() && worker.failures() == self.failures;
        let start = if is_whole { self.journal.clone() } else { Journal::unknown() };
        let (is_further, entries) = to.since(&start);
        if !is_further {
            let mut fresh = self.launch.start()?;
            self.launch.load(&mut fresh)?;
            std::mem::replace(worker, fresh).end();
            self.journal = Journal::default();
        }
        let total = entries.len();
        for (index, entry) in entries.into_iter().enumerate() {
            // A call that failed then shall fail now: its reply is compared like any other.
            let repeated = worker.repeat(&entry.command).map(|_| ());
            if let Err(error) = repeated
                && worker.is_gone()
            {
                return Err(error);
            }
            if hash(worker.reply()) != entry.hash {
                let error = not_repeatable(index, total);
                worker.abandon(error.to_string());
                return Err(error);
            }
        }
        self.journal = to.clone();
        self.failures = worker.failures();
        Ok(())
    }
}

#[cold]
fn not_repeatable(index: usize, total: usize) -> Box<CallError> {
    let reason =
        format!("the model is not repeatable: call {} of {total} had another result", index + 1);
    CallError::new(RESTORE, CallStatus::Refused(reason))
}

impl StateProvider for Replay {
    fn provider(&self) -> Provider {
        Provider::Replay
    }

    fn done(&mut self, worker: &Worker) {
        self.journal.push(worker.command(), hash(worker.reply()));
    }

    fn save(&mut self, _worker: &mut Worker) -> CallResult<SavedState> {
        Ok(SavedState(Box::new(ReplayState(self.journal.clone()))))
    }

    fn restore(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<()> {
        let ReplayState(journal) = own(RESTORE, state)?;
        self.go(worker, journal)
    }

    fn serialize(&mut self, _worker: &mut Worker, state: &SavedState) -> CallResult<Vec<u8>> {
        let ReplayState(journal) = own("serialize a state", state)?;
        let mut writer = Writer::new(MAGIC);
        for entry in journal.since(&Journal::default()).1 {
            writer.word(entry.hash);
            writer.part(&entry.command);
        }
        Ok(writer.finish())
    }

    fn deserialize(&mut self, _worker: &mut Worker, bytes: &[u8]) -> CallResult<SavedState> {
        let journal = read(bytes).map_err(|error| {
            let reason = format!("invalid list of calls: {error}");
            CallError::new(DESERIALIZE, CallStatus::Refused(reason))
        })?;
        Ok(SavedState(Box::new(ReplayState(journal))))
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        let mut journal = state.0.downcast_ref::<ReplayState>().map(|state| &state.0);
        let mut bytes = 0;
        while let Some(entry) = journal.and_then(|journal| journal.0.as_ref()) {
            if 1 < Arc::strong_count(entry) {
                break;
            }
            bytes += (entry.command.len() + size_of::<Entry>()) as u64;
            journal = Some(&entry.before);
        }
        bytes
    }
}

fn read(bytes: &[u8]) -> Result<Journal, BytesError> {
    let mut reader = Reader::new(bytes, MAGIC)?;
    let mut journal = Journal::default();
    while !reader.rest().is_empty() {
        let hash = reader.word()?;
        journal.push(reader.part()?, hash);
    }
    Ok(journal)
}

/// FNV-1a over words: replies are compared, not kept.
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let all = words.chain(rest.iter().map(|byte| u64::from(*byte))).chain([bytes.len() as u64]);
    all.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        mixed ^ (mixed >> 29)
    })
}
