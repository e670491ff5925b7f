//! SSP: what is read, what is said about mistakes, and what others read of what is written.
#![expect(clippy::unwrap_used, reason = "a helper that cannot continue fails its test")]

mod bad;
mod cases;
mod files;
mod good;
mod nested;
mod oracle;
mod robustness;
mod round_trip;
