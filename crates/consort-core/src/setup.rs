//! The settings that an instance gets before its run begins.

use crate::call::LogSink;
use crate::prng::Prng;
use crate::time::{Resolution, Time};
use std::sync::Arc;

/// The settings of a new instance.
pub struct Instantiation<'a> {
    /// The component's name, for messages.
    pub name: &'a str,
    /// Its own random numbers.
    pub prng: Prng,
    /// Receives its log.
    pub log: LogSink,
    /// Whether it shall log everything it can.
    pub verbose: bool,
    /// Whether the caller will use event mode.
    pub event_mode: bool,
    /// Whether the caller can handle steps that end early.
    pub early_return: bool,
    /// Whether a process of its own shall have its memory elsewhere than others have: what is no more than an address in a
    /// saved state means nothing there.
    pub elsewhere: bool,
}

impl<'a> Instantiation<'a> {
    /// For whole steps without event mode; what the instance logs is dropped.
    pub fn quiet(name: &'a str, prng: Prng) -> Self {
        Instantiation {
            name,
            prng,
            log: Arc::new(|_| {}),
            verbose: false,
            event_mode: false,
            early_return: false,
            elsewhere: false,
        }
    }
}

/// The experiment as an instance needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Setup {
    /// How long a tick is.
    pub resolution: Resolution,
    /// Where the run starts.
    pub start: Time,
    /// Where it ends, if that is known.
    pub stop: Option<Time>,
    /// Relative tolerance for internal solvers.
    pub tolerance: Option<f64>,
}
