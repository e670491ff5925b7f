//! The providers that save and restore the state of an isolated instance.

use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Provider, SavedState};

/// Saves and restores the state of what lives in a worker.
///
/// A provider is made when the process is there and nothing is loaded yet; it may put another worker in
/// the place of the one it is given.
pub(crate) trait StateProvider: Send {
    /// Which one it is.
    fn provider(&self) -> Provider;

    /// The instance exists: whatever there is to prepare, before anything is done to it.
    ///
    /// # Errors
    /// If states can not be saved this way.
    fn begin(&mut self, _worker: &mut Worker) -> CallResult<()> {
        Ok(())
    }

    /// Something was done to the instance: a provider that repeats it later keeps
    /// [command](Worker::command) and [reply](Worker::reply).
    fn done(&mut self, _worker: &Worker) {}

    /// Saves the complete state.
    ///
    /// # Errors
    /// If it cannot be saved.
    fn save(&mut self, worker: &mut Worker) -> CallResult<SavedState>;

    /// Goes back to a state.
    ///
    /// # Errors
    /// If the state belongs to another instance, or cannot be restored.
    fn restore(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<()>;

    /// Turns a state into bytes.
    ///
    /// # Errors
    /// If that is not possible.
    fn serialize(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<Vec<u8>>;

    /// Turns bytes into a state.
    ///
    /// # Errors
    /// If they are no state of this model.
    fn deserialize(&mut self, worker: &mut Worker, bytes: &[u8]) -> CallResult<SavedState>;

    /// How many bytes giving up this state would free.
    fn unshared_bytes(&self, state: &SavedState) -> u64;
}

/// The state as the provider that made it knows it.
///
/// # Errors
/// If another kind of provider made it.
pub(crate) fn own<'s, T: 'static>(call: &'static str, state: &'s SavedState) -> CallResult<&'s T> {
    state.0.downcast_ref().ok_or_else(|| {
        let reason = "the state was saved from another kind of instance".to_owned();
        CallError::new(call, CallStatus::Refused(reason))
    })
}
