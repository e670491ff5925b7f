//! Blocks and the loader, seen from outside.
#![expect(clippy::unwrap_used, reason = "a helper that cannot continue fails its test")]
#![expect(clippy::float_cmp, reason = "exact bits are what we promise")]
#![expect(clippy::print_stdout, reason = "random tests print their seed")]

mod allocation;
mod blocks;
mod c_models;
mod continuous;
mod diagnostics;
mod harness;
mod life_cycle;
mod loader;
mod native_equations;
mod samples;
mod solvers;
mod solving;
mod source_fmu;
mod source_lists;
mod ssp;
mod states;
mod structure;
