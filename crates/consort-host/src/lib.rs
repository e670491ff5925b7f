//! Instances in processes of their own: a model that crashes, exits, hangs or overwrites memory ends its own process
//! only, and the whole memory of a process can be saved.
//!
//! An [`IsolatedModel`] starts one worker per instance: a program that calls [`serve()`] and does nothing
//! else. Both talk through memory they share (`channel`), in turns, one round trip per call
//! (`protocol`). The worker has a clean environment and file table, a folder of its own, limits, and
//! addresses that are the same each time (`process`). What it prints is captured (`output`); its death or
//! silence becomes a [`CallError`](consort_core::CallError) with the call that was being made.
//!
//! States are saved by one of four providers (`provider`): by the model itself inside of its worker, or
//! from outside.
//!
//! # Determinism
//!
//! An instance computes in its worker what it would compute here, bit for bit.

mod channel;
mod fork;
mod hazard;
mod image;
mod instance;
mod launch;
mod model;
mod native;
mod output;
mod process;
mod protocol;
mod provider;
mod replay;
mod scratch;
mod serve;
mod worker;

pub use hazard::{Hazard, HazardKind};
pub use image::image_support;
pub use instance::IsolatedInstance;
pub use model::IsolatedModel;
pub use serve::serve;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How worker processes are started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostOptions {
    /// The program that calls [`serve()`].
    pub program: PathBuf,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// How much a worker may use.
    pub limits: ProcessLimits,
    /// Where workers get folders to work in, removed afterwards.
    pub scratch: PathBuf,
}

/// How much a worker may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLimits {
    /// Bytes of address space.
    pub address_space: Option<u64>,
    /// Files open at one time.
    pub open_files: Option<u64>,
    /// How long a call may take before the worker is taken for hung.
    pub silence: Duration,
}

impl Default for ProcessLimits {
    /// Memory as the system gives it, 1,024 files, and a minute of silence.
    fn default() -> Self {
        let silence = Duration::from_secs(60);
        ProcessLimits { address_space: None, open_files: Some(1024), silence }
    }
}
