//! The C code of exported FMUs: compiled, loaded and driven, against the same model in Rust.
#![expect(clippy::unwrap_used, reason = "a helper that cannot continue fails its test")]
#![expect(clippy::print_stdout, reason = "measurements print what they found")]

mod bench;
mod cosimulation;
mod drivers;
mod exchange;
mod operations;
mod random;
mod saving;
mod size;
mod written;
