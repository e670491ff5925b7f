//! Exploring the scenarios of a system: every choice of disturbances, or as many as there is time for.
//!
//! - [`space`]: which scenarios there are; each has an index, so that work is a range of numbers.
//! - [`world`]: what strategies drive: something that can take a choice, be saved and be restored.

pub mod space;
pub mod world;
