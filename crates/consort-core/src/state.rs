//! Saved states: who makes them, how faithful they are, and who else must be saved along.

use crate::time::Tag;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;

/// A saved state: opaque to everybody but the instance that made it.
pub struct SavedState(pub Box<dyn Any + Send>);

/// How the complete state of an instance is saved and brought back, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Provider {
    /// By the instance itself: a value, or FMI's get and set of states.
    Native,
    /// By the memory of the process it lives in: pages that were written since the last snapshot.
    Image,
    /// By a copy of the process it lives in.
    Fork,
    /// By doing again what was done to it since it was made.
    Replay,
}

impl Provider {
    /// All of them, with the names people use, best first.
    pub const ALL: [(Provider, &'static str); 4] = [
        (Provider::Native, "native"),
        (Provider::Image, "image"),
        (Provider::Fork, "fork"),
        (Provider::Replay, "replay"),
    ];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The provider of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(provider, _)| provider)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a restored instance was found to do, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fidelity {
    /// It cannot be restored, or goes on differently each time.
    None,
    /// It goes on differently from one that was never saved, but always in the same way.
    Repeatable,
    /// It goes on, bit for bit, as one that was never saved.
    Exact,
    /// The same, also in another process and from bytes.
    Portable,
}

impl Fidelity {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Fidelity::None => "none",
            Fidelity::Repeatable => "restore-repeatable",
            Fidelity::Exact => "exact",
            Fidelity::Portable => "portable",
        }
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who looks at a run while it goes, and is saved and restored with it: a monitor.
pub trait Observer: Send {
    /// The values asked for are known at `tag`: numbers as they are, Booleans as 0 and 1. Of several
    /// microsteps at one time each is shown.
    fn see(&mut self, tag: Tag, values: &[f64]) -> Sight;

    /// What it has seen so far, as a value.
    fn save(&self) -> SavedState;

    /// Goes back to what it had seen.
    ///
    /// # Panics
    /// If the state is not one of this kind of observer.
    fn restore(&mut self, state: &SavedState);

    /// What it has seen so far, as bytes.
    fn to_bytes(&self) -> Vec<u8>;

    /// Goes back to what it had seen.
    ///
    /// # Errors
    /// If the bytes are not those of such an observer; it is unchanged then.
    fn set_bytes(&mut self, bytes: &[u8]) -> Result<(), &'static str>;
}

/// What an observer wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// To see more.
    Continue,
    /// Nothing more: the run may end here.
    Stop,
}
