//! Prepared systems: runs that a caller drives, and runs that leave a record.
//!
//! - [`prepared`]: a system that can run, with its models and its plan.
//! - [`Run`]: a run that its caller drives: it advances, is looked at, interfered with, saved, restored and branched.
//! - [`record()`]: drives a run from its start to its end, in one process; [`driver`] is the loop, [`monitor`] is who
//!   reports it, [`cancel`] is how it is ended early.
//! - [`files`]: what it leaves: folder, manifest, log, trace, journals.
//! - [`saving`], [`resume`], [`verify`]: snapshots of a run, and runs that are resumed from them.
//! - [`recover`]: a record of what a killed run left.
//!
//! Nothing here prints, reads arguments or ends the process.

pub mod cancel;
pub mod driver;
pub mod error;
pub mod files;
mod history;
pub mod monitor;
mod observers;
pub mod paths;
pub mod prepared;
pub mod record;
pub mod recover;
pub mod remarks;
pub mod resume;
mod run;
pub mod run_id;
pub mod saving;
pub mod settings;
pub mod verify;

pub use cancel::CancelToken;
pub use driver::{End, RunOutcome, RunTiming};
pub use error::Error;
pub use files::folder::RunFolder;
pub use files::manifest::Manifest;
pub use monitor::{Context, Monitor, Silent};
pub use prepared::{
    InputHash, Prepared, PreparedComponent, PreparedData, PreparedHashes, PreparedModel,
    PreparedSource,
};
pub use record::{RecordOutcome, RunTask, record, run_unrecorded};
pub use resume::Resumed;
pub use run::{FinishedRun, Run, RunSettings, Snapshot};
pub use run_id::RunId;
pub use saving::Saving;
pub use settings::{RecordSettings, SaveRequest};
