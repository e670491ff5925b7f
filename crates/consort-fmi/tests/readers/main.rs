//! The readers of archives, model descriptions and build descriptions: what they read, and what
//! they say about bad input.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

mod archives;
mod bad_archives;
mod bad_descriptions;
mod build_descriptions;
mod descriptions;
mod hostile_bytes;
mod raw_zip;
mod render;
