//! Somebody's wish that a computation be given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether what is computed is not wanted any more: whoever computes for long looks at it now and then, and
/// gives up. It never changes what is computed, only whether that comes to its end. Clones are one wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on nothing is wanted.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
