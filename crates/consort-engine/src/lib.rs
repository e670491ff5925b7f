//! Interprets a [`Plan`](consort_system::Plan): instances live here, values move, time advances.
//!
//! A [`Run`] is a value its caller drives: [`Run::start`] makes and initializes the instances,
//! [`Run::advance`] moves on to a given time, [`Run::get`] and [`Run::set`] look and interfere,
//! [`Run::finish`] ends every instance and gives the hash of what happened.
//!
//! # How it is fast
//! The plan is compiled to a program of batched operations over preallocated buffers. Values that
//! components share live in one store on the caller's thread; each *lane* (a group of
//! instances that run one after another) has a copy of its own part, so lanes need nothing from each
//! other while they work. Names are never looked up and nothing is allocated per step.
//!
//! # Determinism guarantees
//! 1. What a lane computes depends only on its own instances and the values copied to it before the
//!    work starts. So the number of workers, and which worker runs which lane, cannot be seen.
//! 2. Everything else (exchange, interventions, events, hash, record) happens on one thread, in an
//!    order fixed by the plan and by component ids.
//! 3. Instances that may share static data (same binary) are in one lane, in id order.
//! 4. If several instances fail at one tag, the one with the smallest component id is reported.
//!
//! # At each tag
//! ```text
//! steps that end here are collected -> interventions that are due begin -> outputs are adjusted
//!   -> exchange along connections, table feeds -> inputs are adjusted -> hash, record
//!   -> event iteration (microsteps, each hashed and recorded) -> lanes set inputs and step on
//! ```

mod calls;
mod compile;
mod error;
mod events;
mod exchange;
mod feed;
mod initialize;
mod intervene;
mod lane;
mod pool;
mod record;
mod run;
mod store;
mod timing;
mod transfer;

pub use error::RunError;
pub use record::ChunkSink;
pub use run::{Advance, CallSink, Run, RunOptions, Statistics, Summary};
