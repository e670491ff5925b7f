//! Saved states: what makes them, how faithful they are, and what else is saved with them.

use crate::named;
use crate::time::Tag;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// A saved state: opaque except to the instance that made it.
pub struct SavedState(pub Box<dyn Any + Send>);

named! {
    /// How the complete state of an instance is saved and brought back, best first.
    #[derive(Serialize, Deserialize)]
    pub enum Provider {
        /// By the instance itself: a value, or FMI's get and set of states.
        Native => "native",
        /// By the memory of the process it lives in: pages that were written since the last snapshot.
        Image => "image",
        /// By a copy of the process it lives in.
        Fork => "fork",
        /// By doing again what was done to it since it was made.
        Replay => "replay",
    }
}

named! {
    /// What a restored instance was found to do, worst first.
    #[derive(Serialize, Deserialize)]
    pub enum Fidelity {
        /// It cannot be restored, or a restored instance behaves differently each time.
        None => "none",
        /// A restored instance behaves differently from one that was never saved, but always in the same way.
        Repeatable => "restore-repeatable",
        /// A restored instance behaves, bit for bit, as one that was never saved.
        Exact => "exact",
        /// The same, also in another process and from bytes.
        Portable => "portable",
    }
}

/// Receives values while a run goes and may end it, as monitors do. It is saved and restored with the run.
pub trait Observer: Send {
    /// Receives the observed values at `tag`: numbers as they are, Booleans as 0 and 1. It is called for every
    /// microstep.
    fn see(&mut self, tag: Tag, values: &[f64]) -> ObserverDecision;

    /// Its state, as a value.
    fn save(&self) -> SavedState;

    /// Goes back to a saved state.
    ///
    /// # Panics
    /// If the state is not one of this kind of observer.
    fn restore(&mut self, state: &SavedState);

    /// Its state, as bytes.
    fn to_bytes(&self) -> Vec<u8>;

    /// Goes back to a state given as bytes.
    ///
    /// # Errors
    /// If the bytes are not those of such an observer; it is unchanged then.
    fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str>;
}

/// Whether a run continues, as an observer decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObserverDecision {
    /// The run continues.
    Continue,
    /// The observer needs no more values: the run may end here.
    Stop,
}
