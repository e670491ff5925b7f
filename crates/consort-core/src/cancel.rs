//! Cancellation of long computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared flag that cancels a long computation: the computation checks it now and then, and ends with
/// [`CallStatus::Cancelled`](crate::CallStatus::Cancelled).
///
/// Clones share one flag.
///
/// # Determinism
/// The flag decides whether a computation comes to its end, never what it computes.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Cancels, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
