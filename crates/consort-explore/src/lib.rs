//! Exploring the scenarios of a system: every choice of disturbances, or as many as there is time for.
//!
//! - [`space`]: which scenarios there are; each has an index, so that work is a range of numbers.
//! - [`world`]: what strategies drive: something that can take a choice, be saved and be restored.
//! - [`strategy`]: which scenarios to run, cut into units of work, and when enough is known.
//! - [`visit`]: a worker's side: units done over a world, each shared prefix simulated once; with
//!   [`archive`], the snapshots a search comes back to, and [`shrink`], counter-examples made simple.
//! - [`campaign`]: a campaign against its system; [`run_world`]: the system as a world that strategies drive.
//! - [`coordinator`] and [`worker`]: the two sides of a campaign, in processes of their own, over [`lease`]
//!   (work that is leased) and [`journal`] (what was done, on disk); [`history`] and [`report`] say what was found.
//! - [`sample`]: which scenarios are run again from their start, so that no answer rests on states alone.
//! - [`statistics`]: what numbers of scenarios say, and what trees of them cost.

pub mod archive;
mod budget;
pub mod campaign;
pub mod coordinator;
mod drive;
mod exact;
mod explanation;
pub mod history;
pub mod journal;
pub mod lease;
mod order;
mod outcome;
pub mod report;
pub mod run_world;
pub mod sample;
pub mod shrink;
pub mod space;
pub mod statistics;
pub mod strategy;
pub mod visit;
pub mod worker;
pub mod world;
