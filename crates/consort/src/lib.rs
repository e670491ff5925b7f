//! Consort as a library: load, plan and run coupled models from a program of your own.
//!
//! A [`System`] is what is written at a path, in any form. [`System::prepare`] loads its models and plans the order of
//! computation: [`Prepared`]. A [`Run`] is a value its caller drives: it advances, is looked at, interfered with, saved,
//! taken back and branched. [`Run::finish`] gives the hash of what happened and the recorded [`Trace`].
//!
//! ```
//! # fn main() -> Result<(), consort::Error> {
//! # let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");
//! // `saved`: the models are loaded in such a way that their states can be saved.
//! let system = consort::System::load(quickstart)?.set("tank.area", 2).saved();
//! let prepared = system.prepare()?;
//! let mut run = prepared.start()?;
//! run.advance(20.0)?;
//! // A second run from here, with another set point.
//! let mut other = run.branch()?;
//! other.set("controller.setpoint", 1.5)?;
//! other.advance_to_end()?;
//! // The first one goes back once, and then to its end.
//! let snapshot = run.save()?;
//! run.advance(30.0)?;
//! run.restore(&snapshot)?;
//! run.advance_to_end()?;
//! let (run, other) = (run.finish(), other.finish());
//! assert_ne!(run.summary.trace_hash, other.summary.trace_hash);
//! let trace = other.trace.expect("rows are kept");
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
//! Workers, the log of models and cancellation are [`RunSettings`] of [`Prepared::start_with`].
//!
//! A run can also be carried out as a whole and leave a record: manifest, trace, log, plot. What is asked for is a
//! [`request`], as data; a [`Context`] says who hears of progress, and cancels.
//!
//! ```
//! # fn main() -> Result<(), consort::Error> {
//! # let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");
//! # let temp = tempfile::tempdir().expect("a folder");
//! # let folder = temp.path().join("out");
//! let request = consort::RunRequest { out: Some(folder), ..Default::default() };
//! let mut ready = consort::System::load(quickstart)?.stop(10).recorded(request)?;
//! let recorded = ready.record(&consort::Context::default())?;
//! assert!(!recorded.run.is_incomplete());
//! # Ok(())
//! # }
//! ```
//!
//! Likewise: [`Replay`] runs a record again and compares, [`Repeat`] runs a system many times under changing load,
//! [`ReadyCampaign`] explores scenarios, [`ReadyNode`] computes a part of a distributed run.
//!
//! The crates that it is made of are there for what is not re-exported by name: [`run`] (runs and records),
//! [`distributed`] (placements, nodes), [`description`] (systems as they are written), [`program`] (which executable is
//! started for nodes, workers and isolated models).
//!
//! No part of it prints, reads arguments or ends the process. What is wrong comes as an [`Error`] with every
//! diagnostic, and places in the texts that they are about.
//!
//! # Determinism
//! The same system, changes and models give the same trace hash as the command line, bit for bit, for any number of
//! workers, and with a save, restore or branch on the way.

pub mod campaign;
pub mod diagnostics;
pub mod explain;
pub mod load;
mod models;
mod node;
pub mod picture;
pub mod recording;
pub mod reference;
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
pub use consort_view::plot::{self, PlotColumn, Signals};
pub use load::{Loaded, prepare};
pub use models::{ForeignProgram, ModelOptions, ModelSettings};
pub use node::ReadyNode;
pub use picture::{Picture, PictureFormat, PlotRequest, Plotted};
pub use recording::{ReadyRun, RecordedRun};
pub use repeat::{Repeat, RepeatAnswer, RepeatRequest};
pub use replay::{Replay, Replayed};
pub use request::{Changes, FormOptions, RunRequest};
pub use system::{System, SystemBuilder};

/// What the README shows is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
