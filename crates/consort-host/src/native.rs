//! States that the model saves itself, inside of its worker: here are their numbers only.

use super::protocol::Op;
use super::provider::{StateProvider, own};
use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Provider, SavedState};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives numbers to the states in a worker.
#[derive(Default)]
pub(super) struct Native {
    ids: Arc<Ids>,
}

/// Which numbers are free.
#[derive(Default)]
struct Ids {
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// The first number that was never used.
    next: u64,
    /// Numbers that can be used again.
    free: Vec<u64>,
    /// Dropped by us, not yet by the worker.
    dropped: Vec<u64>,
}

/// A state in a worker.
struct NativeState {
    owner: Arc<Ids>,
    id: u64,
}

impl Drop for NativeState {
    fn drop(&mut self) {
        // May happen on any thread, at any time: the worker drops it with the next command.
        let mut lists = self.owner.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.dropped.push(self.id);
    }
}

impl Native {
    /// A number for a new state, and what the worker can forget: it does so before it saves.
    fn numbers(&self) -> (u64, Vec<u64>) {
        let mut lists = self.ids.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = std::mem::take(&mut lists.dropped);
        lists.free.extend(&dropped);
        let id = lists.free.pop().unwrap_or_else(|| {
            lists.next += 1;
            lists.next - 1
        });
        (id, dropped)
    }

    fn made(&self, id: u64) -> SavedState {
        SavedState(Box::new(NativeState { owner: Arc::clone(&self.ids), id }))
    }

    fn id(&self, call: &'static str, state: &SavedState) -> CallResult<u64> {
        let state: &NativeState = own(call, state)?;
        if !Arc::ptr_eq(&state.owner, &self.ids) {
            let reason = "the state belongs to another instance".to_owned();
            return Err(CallError::new(call, CallStatus::Refused(reason)));
        }
        Ok(state.id)
    }

    fn keep(&self, worker: &mut Worker, op: Op, bytes: &[u8]) -> CallResult<SavedState> {
        let (id, dropped) = self.numbers();
        // If it fails the number comes back as that of any state that is dropped.
        let state = self.made(id);
        worker.ask(op, |to| {
            to.count(dropped.len());
            dropped.iter().for_each(|id| to.word(*id));
            to.word(id);
            to.part(bytes);
        })?;
        Ok(state)
    }
}

impl StateProvider for Native {
    fn provider(&self) -> Provider {
        Provider::Native
    }

    fn save(&mut self, worker: &mut Worker) -> CallResult<SavedState> {
        self.keep(worker, Op::Save, &[])
    }

    fn restore(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<()> {
        let id = self.id("restore a state", state)?;
        worker.ask(Op::Restore, |to| to.word(id)).map(|_| ())
    }

    fn serialize(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<Vec<u8>> {
        let id = self.id("serialize a state", state)?;
        let reply = worker.ask(Op::Serialize, |to| to.word(id))?;
        Ok(reply.rest().to_vec())
    }

    fn deserialize(&mut self, worker: &mut Worker, bytes: &[u8]) -> CallResult<SavedState> {
        self.keep(worker, Op::Deserialize, bytes)
    }

    fn unshared_bytes(&self, _state: &SavedState) -> u64 {
        // The size is not known.
        0
    }
}
