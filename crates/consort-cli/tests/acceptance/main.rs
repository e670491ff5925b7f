//! Acceptance: the whole product against what it promises, with independent oracles.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world has failed")]
#![expect(clippy::print_stdout, reason = "what was measured is there to be read")]

mod aircraft;
mod alone;
mod answers;
mod bad_inputs;
mod conversions;
mod coupling;
mod distributed;
mod documents;
mod equations;
mod examples;
mod exchange;
mod explore;
mod export_fmu;
mod fmpy;
mod foreign;
mod forgetful;
mod forms;
mod hash_modes;
mod imports;
mod instants;
mod isolation;
mod liars;
mod library;
mod linear;
mod loading;
mod loops;
mod mcap;
mod misbehave;
mod mistakes;
mod nbody;
mod oracle;
mod others;
mod packed;
mod patterns;
mod places;
mod predicted;
mod providers;
mod ranges;
mod record;
mod records;
mod repeat;
mod repeatability;
mod resume;
mod state_check;
mod tables;
mod time;
mod together;
mod uav;
mod variable_step;
mod verified;
mod water_tanks;
mod world;
