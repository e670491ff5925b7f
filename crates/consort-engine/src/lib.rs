//! Interprets a [`Plan`](consort_system::Plan): instances live here, values move, time advances.
//!
//! A [`Run`] is a value its caller drives: [`Run::start`] makes and initializes the instances,
//! [`Run::advance`] moves on to a given time, [`Run::get`] and [`Run::set`] look and interfere,
//! [`Run::finish`] ends every instance and gives the hash of what happened. [`RunOptions`] say what
//! receives its trace; [`Recorded`] keeps the whole trace in memory.
//!
//! # How a plan is interpreted
//! `compile` turns the plan's programs into a `program`: stages over preallocated places. The
//! `interpreter` executes them, the same way in initialization, at a tag and between tags. Around it a run
//! has a `clock` (tag, rates, steps), `external` inputs (table and interventions), `events`, a `trace`
//! (hashes, rows, what was noticed) and an `ending`. A work stage hands
//! values to *lanes* (groups of instances that run one after another), lets them work side by side
//! and takes back what they read; an exchange moves values along connections; `iterate` solves
//! loops; `attempt` takes steps that may be rejected; `together` integrates components that are given by
//! their equations as one. What `advance` computes belongs to the next
//! tags: if it has several stages they work on a copy of the shared values, so that no
//! component sees anything before its time.
//!
//! # How it is fast
//! Values that components share live in one store on the caller's thread; each lane has a copy of
//! its own part, so lanes need nothing from each other while they work. Names are never looked up
//! and nothing is allocated per step. A stage of one lane is run at once, without waking a worker.
//!
//! # Determinism guarantees
//! 1. What a lane computes depends only on its own instances and the values copied to it before the
//!    work starts. So the number of workers, and which worker runs which lane, cannot be seen.
//! 2. Everything else (exchange, loops, saving and restoring, interventions, events, hash, record)
//!    happens on one thread, in an order fixed by the plan and by component ids.
//! 3. Instances that may share static data (same binary) are in one lane, in id order.
//! 4. If several instances fail in one stage, the one with the smallest component id is reported; if
//!    several reject a step, the earliest counts.
//! 5. Evaluations of loops and rejected steps leave nothing behind but their number.
//!
//! # Saving and restoring
//! Between two calls of `advance`, [`Run::snapshot`] keeps everything that decides how the run continues,
//! and [`Run::restore`] goes back there, as often as one likes; [`Run::serialize`] and [`Run::resume`] do
//! the same over bytes, with new instances. An [`Observation`] sees every row and is saved along.
//!
//! # Parts of a run
//! A run can be spread over nodes: each is a [`Run`] with a [`Part`], carries out the same plan through the
//! same tags, and has instances of its own components only. Before an exchange each node hands what
//! others need to its [`Courier`], then waits for what it needs itself. Hashes compose
//! ([`Summary::compose`]), so the trace hash is that of the run on one node. A snapshot of the whole is
//! one of each node at the same time: nothing is on its way then.
//!
//! # At each tag
//! ```text
//! steps that end here are collected -> table feeds -> interventions whose time has come begin
//!   -> the plan's `present`: exchange, at-once outputs, loops
//!   -> interventions whose conditions hold begin, and `present` runs again, until none is left
//!   -> hash, record -> event iteration (microsteps, each hashed and recorded)
//!   -> delayed connections take what their sources have -> the plan's `advance`
//! ```
//! Interventions act on outputs as soon as they are read and on inputs as soon as they are fed.

mod clock;
mod collect;
mod comparison;
mod compile;
mod courier;
mod error;
mod exchange;
mod executable;
mod external;
mod feed;
mod interpreter;
mod intervene;
mod lane;
mod pool;
mod program;
mod record;
mod run;
mod snapshot;
mod statistics;
mod store;
mod timing;
mod trail;
mod transfer;

pub use collect::Recorded;
pub use comparison::TagRecord;
pub use courier::{Courier, CourierError, Part};
pub use error::{
    AcceptedLoops, DifferentValue, Diverged, LoopFailure, LostParameter, Noticed, OutOfRange,
    RunError, StateCall, StateDiffers, StepFailure,
};
pub use executable::Executable;
pub use record::{ChunkSink, RowContent};
pub use run::{Advance, CallSink, Observation, Run, RunOptions, Summary, VariableHandle};
pub use snapshot::RunSnapshot;
pub use statistics::Statistics;
pub use trail::Trail;
