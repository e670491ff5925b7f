//! Saved states: handles that identify the instance they belong to.

use super::calls::RawState;
use super::phase::Phase;
use std::sync::{Arc, Mutex, PoisonError};

/// A state saved by an instance.
pub(super) struct FmuState {
    owner: Arc<Owner>,
    state: RawState,
    /// A restored instance is in the mode it was in when it was saved.
    pub(super) phase: Phase,
}

/// The states an instance has given out and that came back.
///
/// A state may be dropped on any thread while its instance works on another, and FMUs are not
/// thread-safe: so dropping only puts the state here, and the instance frees it later itself.
/// States that outlive their instance, or whose instance has failed, are never freed: the
/// standard leaves no way.
#[derive(Default)]
pub(super) struct Owner {
    dropped: Mutex<Vec<Dropped>>,
}

struct Dropped(RawState);

// SAFETY: the pointer is only carried about; it is used by the instance alone.
unsafe impl Send for Dropped {}
// SAFETY: as above: nothing but the owner field and the number in the pointer is read elsewhere.
unsafe impl Send for FmuState {}

impl Owner {
    /// Wraps a state that the FMU has just made.
    pub(super) fn adopt(self: &Arc<Self>, state: RawState, phase: Phase) -> FmuState {
        FmuState { owner: Arc::clone(self), state, phase }
    }

    /// A state that is not needed any more and is still to be freed.
    pub(super) fn take_dropped(&self) -> Option<RawState> {
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        dropped.pop().map(|dropped| dropped.0)
    }

    /// The state's handle; `None` if it is another instance's.
    pub(super) fn open(self: &Arc<Self>, state: &FmuState) -> Option<RawState> {
        Arc::ptr_eq(self, &state.owner).then_some(state.state)
    }
}

impl Drop for FmuState {
    fn drop(&mut self) {
        let mut dropped = self.owner.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        dropped.push(Dropped(self.state));
    }
}
