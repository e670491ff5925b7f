//! The types shared by all Consort crates: time, values, units, variables, models, diagnostics.
//!
//! Nothing here does IO, reads a clock, starts a thread or iterates a hash map, so nothing here
//! can make two runs differ. The tour:
//!
//! - [`time`]: [`Time`] counts ticks, a [`Resolution`] is the length of a tick, a [`Tag`] adds the
//!   microstep of superdense time. Conversions to and from `f64` are correctly rounded.
//! - [`value`]: the fifteen value types of FMI 3 and typed slices of them; [`literal`]: values as a user
//!   writes them, before their type is known.
//! - [`variable`]: what a model's variables are, and which of them depend on which.
//! - [`model`]: the [`Model`] and [`Instance`] traits that FMUs and native blocks implement, over
//!   [`LiveModel`].
//! - [`continuous`]: the same for models given by their equations, which a solver integrates;
//!   [`solving`]: which solver that is, and its settings.
//! - [`state`]: how states are saved, how faithfully, and what is saved along with a run.
//! - [`bytes`]: states as bytes: exact, and read back without trust.
//! - [`copying`]: cheap copies of what is saved and restored again and again.
//! - [`id`]: typed indices of components, variables, connections and nodes.
//! - [`mod@unit`]: units as exponents of base units, parsing, and conversion.
//! - [`diagnostic`]: errors, warnings and notes for the user: code, span, labels, help.
//! - [`rolling`]: a hash of what a variable did or a flow carried.
//! - [`graph`]: strongly connected components, for the loops of plans and the circuits of flows.
//! - [`prng`]: a seeded generator that is split by name, so that adding a component never changes
//!   another one's random numbers.
//!
//! ```
//! use consort_core::{Resolution, Seconds};
//!
//! let frame: Seconds = "1/30".parse()?;
//! let control: Seconds = "0.01".parse()?;
//! let resolution = Resolution::for_all(&[frame, control])?;
//! assert_eq!(resolution.to_string(), "1/300 s");
//! assert_eq!(resolution.ticks(frame)?.ticks(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bytes;
mod call;
pub mod cancel;
mod comparison;
pub mod continuous;
pub mod copying;
mod description;
pub mod diagnostic;
pub mod graph;
mod hash_mode;
pub mod id;
pub mod literal;
mod live;
pub mod long_wait;
pub mod model;
mod named;
pub mod prng;
mod reference;
pub mod rolling;
mod setup;
pub mod solving;
pub mod state;
pub mod text;
pub mod time;
pub mod unit;
pub mod value;
pub mod variable;

pub use cancel::CancelFlag;
pub use comparison::Comparison;
pub use continuous::{
    CompletedStep, ContinuousDescription, ContinuousEvent, ContinuousInstance, ContinuousModel,
    CoupledEvents, Sizes,
};
pub use copying::{Room, Shared};
pub use diagnostic::{Diagnostic, Label, Report, Severity, SourceId, Span, Spanned};
pub use hash_mode::HashMode;
pub use id::{ComponentId, ConnectionId, NodeId, Reference, VariableId};
pub use literal::{Literal, LiteralError};
pub use live::Direction;
pub use long_wait::LongWait;
pub use model::{
    CallError, CallStatus, Capabilities, EventUpdate, Instance, Instantiation, Kept, LiveModel,
    LogEntry, LogLevel, LogSink, Model, ModelDescription, Preparation, Refresh, SavedState,
    Setting, Setup, SetupOrder, SolvedBy, Step, StepOutcome, StepReason,
};
pub use named::Named;
pub use prng::Prng;
pub use reference::ModelReference;
pub use solving::{Interface, SolverKind, SolverSettings, SolverWork};
pub use state::{Fidelity, Observer, ObserverDecision, Provider};
pub use time::{Resolution, Seconds, Tag, Time, TimeError, TimeMistake};
pub use unit::{Conversion, Unit};
pub use value::{ValueType, Values, ValuesMut, ValuesRef};
pub use variable::{
    Causality, DependencyKind, DependsOn, Dimension, Initial, ModelStructure, Unknown, Variability,
    Variable,
};
