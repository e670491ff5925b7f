//! States as copies of a worker's process, which sleep until they are restored.
//!
//! A copy shares its memory with the original until either writes. It is dearer than an image, the more
//! so the deeper copies of copies go, and takes a place in the table of processes: it serves where images
//! are not to be had.

pub(crate) mod child;

use super::hazard::Probe;
use super::protocol::Op;
use super::provider::{StateProvider, own};
use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Provider, SavedState};
use std::sync::{Arc, Mutex, PoisonError};

/// How many copies one instance may have at a time: tables of processes are small.
const COPIES_MAX: u32 = 8192;

const SAVE: &str = "save its state";
const RESTORE: &str = "restore a state";

/// Saves states as copies of the process.
pub(super) struct Fork {
    slots: Arc<Slots>,
    probe: Probe,
    /// The slot of the worker that continues.
    live: Slot,
}

/// Which slots of the shared memory are free.
struct Slots {
    lists: Mutex<SlotLists>,
}

struct SlotLists {
    /// The first that was never used.
    next: u32,
    free: Vec<u32>,
}

/// A slot that is given back when dropped.
struct Slot {
    number: u32,
    slots: Arc<Slots>,
}

impl Slots {
    fn take(self: &Arc<Self>) -> Option<Slot> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let number = lists.free.pop().or_else(|| {
            let fresh = (lists.next <= COPIES_MAX).then_some(lists.next)?;
            lists.next += 1;
            Some(fresh)
        })?;
        Some(Slot { number, slots: Arc::clone(self) })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut lists = self.slots.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.free.push(self.number);
    }
}

/// A state: a process that sleeps.
struct ForkState {
    of: Arc<Slots>,
    frozen: Mutex<Frozen>,
}

struct Frozen {
    worker: Option<Worker>,
    // Given back after the process has ended.
    _slot: Slot,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.end();
        }
    }
}

impl Fork {
    /// For a worker that has nothing loaded yet.
    pub(super) fn new(worker: &mut Worker) -> CallResult<Self> {
        let probe = Probe::new(worker)?;
        let lists = Mutex::new(SlotLists { next: worker.channel().slot() + 1, free: Vec::new() });
        let slots = Arc::new(Slots { lists });
        let live = Slot { number: worker.channel().slot(), slots: Arc::clone(&slots) };
        Ok(Fork { slots, probe, live })
    }

    /// A copy of a worker that sleeps.
    fn copy(&self, call: &'static str, worker: &mut Worker) -> CallResult<(Worker, Slot)> {
        let none = || refused(call, &format!("one instance has at most {COPIES_MAX} copies"));
        let slot = self.slots.take().ok_or_else(none)?;
        let sibling = worker.channel().sibling(slot.number);
        let channel = sibling.map_err(|error| refused(call, &error))?;
        channel.reset();
        let pid = worker.ask(Op::Split, |to| to.word32(slot.number))?.word32();
        let pid = pid.map_err(|_| worker.invalid_reply(Op::Split))?.cast_signed();
        // It is ended by its own group: not with the one it was copied from.
        // SAFETY: a setting of a child of ours, which has not ended: it was not waited for.
        unsafe { libc::setpgid(pid, pid) };
        Ok((worker.copy(pid, channel), slot))
    }

    /// Refuses a process that a copy would not be the same as.
    fn look(&mut self, pid: i32) -> CallResult<()> {
        self.probe.follow(pid);
        let hazards = self.probe.look()?;
        match hazards.iter().find(|hazard| hazard.refuses.contains(&Provider::Fork)) {
            Some(hazard) => Err(refused(
                SAVE,
                &format!("a copy of its process does not contain everything: {hazard}"),
            )),
            None => Ok(()),
        }
    }
}

fn refused(call: &'static str, reason: &impl ToString) -> Box<CallError> {
    CallError::new(call, CallStatus::Refused(reason.to_string()))
}

impl StateProvider for Fork {
    fn provider(&self) -> Provider {
        Provider::Fork
    }

    fn save(&mut self, worker: &mut Worker) -> CallResult<SavedState> {
        self.look(worker.pid())?;
        let (copy, slot) = self.copy(SAVE, worker)?;
        let frozen = Mutex::new(Frozen { worker: Some(copy), _slot: slot });
        Ok(SavedState(Box::new(ForkState { of: Arc::clone(&self.slots), frozen })))
    }

    fn restore(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<()> {
        let state: &ForkState = own(RESTORE, state)?;
        if !Arc::ptr_eq(&state.of, &self.slots) {
            return Err(refused(RESTORE, &"the state belongs to another instance"));
        }
        let mut frozen = state.frozen.lock().unwrap_or_else(PoisonError::into_inner);
        let sleeper = frozen.worker.as_mut().expect("a frozen worker is there until it is dropped");
        let (copy, slot) = self.copy(RESTORE, sleeper)?;
        std::mem::replace(worker, copy).end();
        // The slot of the worker that has just ended is free from now on.
        self.live = slot;
        Ok(())
    }

    fn serialize(&mut self, _worker: &mut Worker, _state: &SavedState) -> CallResult<Vec<u8>> {
        Err(refused(
            "serialize a state",
            &"a copy of a process cannot be written as bytes: use `image` or `replay`",
        ))
    }

    fn deserialize(&mut self, _worker: &mut Worker, _bytes: &[u8]) -> CallResult<SavedState> {
        Err(refused(
            "deserialize a state",
            &"a copy of a process cannot be written as bytes: use `image` or `replay`",
        ))
    }

    fn unshared_bytes(&self, _state: &SavedState) -> u64 {
        PROCESS_BYTES
    }
}

/// What a process costs the kernel at least: page tables, structures, a stack.
const PROCESS_BYTES: u64 = 105 << 10;
