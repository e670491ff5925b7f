//! A system before it runs: its description, its resolved form, and the plan to compute it.
//!
//! ```text
//! text --consort-formats--> System --resolve--> ResolvedSystem --consort-planner--> Plan
//! ```
//!
//! - [`SystemDescription`] is what was written: names, spans, optional everything. Any reader can make one.
//! - [`ResolvedSystem`] is what it means: ids, ticks, values of the right type and unit, element
//!   counts. [`resolve()`] makes it from a `SystemDescription` and the descriptions of its models, or says
//!   everything that is wrong.
//! - [`Plan`] is the order of computation as data, with a text form and a hash.
//! - [`Placement`] says which node of a distributed run each component is on, [`Projection`] which
//!   values cross between them when.
//! - [`Campaign`] is a system together with what may disturb it and what must hold.
//! - [`Scenario`] is a system of contracts together with an algorithm, for the Scenario-Verifier.
//!
//! What is said in several of these has a module of its own: [`coupling`] (orders, loops, sizes of steps),
//! [`solving`] (who integrates what) and [`isolation`] (who lives in a process of its own).
//!
//! Nothing here reads files, decides an order or holds live instances.

pub mod campaign;
pub mod conversion;
pub mod coupling;
pub mod isolation;
pub mod placement;
pub mod plan;
mod port;
pub mod projection;
pub mod resolve;
pub mod resolved;
pub mod scenario;
pub mod solving;
pub mod system;

pub use campaign::Campaign;
pub use conversion::{ConvertingBlock, TypeConversion, conversion};
pub use coupling::{
    Continuous, Coupling, Iteration, IterationMethod, IterationOptions, LoopChoice, LoopPolicy,
    LoopRule, OnDivergence, Order, ResolvedCoupling, ResolvedLoopRule, ResolvedStepConstraint,
    ResolvedVariableStep, StepConstraint, StepTolerances, VariableStep,
};
pub use isolation::Isolation;
pub use placement::Placement;
pub use plan::{Loop, Operation, Plan, Stage, Task, Together};
pub use projection::{Crossing, ProgramKind, Projection};
pub use resolve::resolve;
pub use resolved::{
    ColumnFeed, Comparison, Condition, Effect, Feed, Origin, Port, ResolvedComponent,
    ResolvedConnection, ResolvedExperiment, ResolvedIntervention, ResolvedSystem, Target, Trigger,
};
pub use scenario::Scenario;
pub use solving::{SolverDefaults, Solving};
pub use system::{
    Action, Component, Connection, DeclaredNode, Experiment, Hold, InputTable, Intervention,
    Linear, Parameter, Record, Spanned, StepLength, SystemDescription, When,
};
