//! Consort as a library: load, plan and run coupled models from a program of your own.
//!
//! A [`System`] is what is written at a path, in any form. [`System::prepare`] loads its models and plans the order of
//! computation: [`Prepared`]. A [`Run`] is a value its caller drives: it advances, is looked at, interfered with, saved,
//! taken back and branched. [`Run::finish`] gives the hash of what happened and the recorded [`Trace`].
//!
//! ```
//! # fn main() -> Result<(), consort::Error> {
//! # let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");
//! let system = consort::System::load(quickstart)?.set("tank.area", 2).saved();
//! let prepared = system.prepare()?;
//! let mut run = prepared.start()?;
//! run.advance(20.0)?;
//! // Two ways on from here: one as it was planned, one with another set point.
//! let mut other = run.branch()?;
//! let snapshot = run.save()?;
//! run.advance(30.0)?;
//! run.restore(&snapshot)?;
//! run.advance_to_end()?;
//! other.advance_to_end()?;
//! let (one, two) = (run.finish(), other.finish());
//! assert_eq!(one.summary.trace_hash, two.summary.trace_hash);
//! let trace = two.trace.expect("rows are kept");
//! let (level, opening) = (trace.numbers("tank.level"), trace.numbers("controller.u"));
//! let (level, opening) = (level.expect("it is recorded"), opening.expect("it is recorded"));
//! assert_eq!((level.len(), opening.len()), (trace.times().count(), trace.times().count()));
//! # Ok(())
//! # }
//! ```
//!
//! A system can be built in code, too, and a run's values be read and written in batches:
//!
//! ```
//! # fn main() -> Result<(), consort::Error> {
//! let builder = consort::System::build("loop", ".")
//!     .component("plant", "native:integrator")
//!     .component("gain", "native:gain")
//!     .connect("plant.y", "gain.u")
//!     .connect("gain.y", "plant.u");
//! let system = builder.finish().set("plant.x0", 1.0).set("gain.k", -0.5).step(0.01).stop(2);
//! let mut run = system.prepare()?.start()?;
//! let handles = [run.handle("plant.y")?, run.handle("gain.y")?];
//! let mut values = [0.0; 2];
//! run.advance_to_end()?;
//! run.read(&handles, &mut values)?;
//! assert!((values[0] - (-1.0_f64).exp()).abs() < 0.01);
//! # Ok(())
//! # }
//! ```
//!
//! Runs that leave a record, replays, repetitions, campaigns and nodes are [requests](request) that are prepared and
//! carried out: [`System::recorded`], [`ReadyRun`], [`Replay`], [`Repeat`], [`ReadyCampaign`], [`ReadyNode`].
//!
//! No part of it prints, reads arguments or ends the process. What is wrong comes as an [`Error`] with every
//! diagnostic, and places in the texts that they are about.
//!
//! # Determinism
//! The same system, changes and models give the same trace hash as the command line, bit for bit, for any number of
//! workers, and with a save, restore or branch on the way.

pub mod campaign;
pub mod explain;
pub mod load;
mod models;
mod node;
pub mod picture;
pub mod recording;
pub mod repeat;
pub mod replay;
pub mod request;
mod system;

pub use campaign::{CampaignOutcome, CampaignRequest, ReadyCampaign};
pub use consort_core::model::{LogEntry, LogSink};
pub use consort_core::{
    Diagnostic, Literal, Provider, Report, Seconds, SolverKind, Spanned, Values,
};
pub use consort_distributed as distributed;
pub use consort_engine::{Advance, Summary, VariableHandle};
pub use consort_process::program;
pub use consort_run as run;
pub use consort_run::files::traces::{read as read_trace, write as write_trace};
pub use consort_run::{
    CancelToken, Context, Error, FinishedRun, InputHash, Monitor, Prepared, PreparedData, Run,
    RunSettings, Snapshot,
};
pub use consort_system as description;
pub use consort_system::SystemDescription;
pub use consort_trace::{Trace, TraceHash};
pub use consort_view::plot::PlotColumn;
pub use load::{Loaded, prepare};
pub use models::{ForeignProgram, ModelOptions, ModelSettings};
pub use node::ReadyNode;
pub use picture::{Picture, PictureFormat};
pub use recording::{ReadyRun, RecordedRun};
pub use repeat::{Repeat, RepeatAnswer, RepeatRequest};
pub use replay::{Replay, Replayed};
pub use request::{Changes, FormOptions, RunRequest};
pub use system::{System, SystemBuilder};

/// What the README shows is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
