//! Model Exchange: what a solver may ask of an FMU, in both versions of the standard.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails, in its helpers too")]
#![expect(clippy::float_cmp, reason = "numbers are compared bit for bit")]

mod bitwise;
mod fixture;
mod life;
mod loading;
mod states;
