//! FMUs of both versions, written for the purpose, driven through `dyn Instance`.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails, in its helpers too")]

mod fixture;
mod fmi2;
mod fmi3;
mod loading;
