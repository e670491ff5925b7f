//! TOML that users write: taken apart entry by entry, and every mistake reported with its place.
//!
//! Systems, campaigns and the interfaces of programs are written in it. How a text becomes entries, and
//! the diagnostics of unknown keys and of values of the wrong kind are written once, here; what a key
//! *means* is read elsewhere.
//!
//! A reader states its [`TomlFormat`]: codes and hints. [`read`] parses a text and hands its table to the
//! caller with a [`TomlReader`], which takes tables apart into [`Entry`]s and values out of those. Numbers are
//! read from their text ([`literal()`], [`integer`], [`float`]), so that nothing is rounded that need not be.
//!
//! ```
//! use consort_core::Report;
//! use consort_toml::{TomlCodes, TomlFormat};
//!
//! static NOTE: TomlFormat = TomlFormat {
//!     what: "a note",
//!     codes: TomlCodes {
//!         unknown_key: "note::unknown-key",
//!         wrong_kind: "note::wrong-kind",
//!         unknown_choice: "note::unknown-choice",
//!     },
//!     hints: &[],
//!     certain: &[],
//! };
//!
//! let mut report = Report::default();
//! let author = consort_toml::read(&NOTE, "n.toml", "autor = 'Ada'", &mut report, |reader, table| {
//!     for entry in reader.entries(table) {
//!         match entry.key {
//!             "author" => return reader.text(&entry),
//!             _ => reader.unknown_key(&entry, "a note", &["author"]),
//!         };
//!     }
//!     None
//! });
//! assert_eq!(author, Some(None), "it is TOML, but names no author");
//! assert_eq!(report.diagnostics()[0].help.as_deref(), Some("did you mean `author`?"));
//! ```

mod format;
mod number;
mod reader;
mod syntax;

pub use format::{TomlCodes, TomlFormat};
pub use number::{LiteralProblem, float, integer, literal, parse_literal};
pub use reader::{Entry, Mismatch, TomlReader, Value};
pub use syntax::{SYNTAX_ERRORS_MAX, read};
pub use toml::de::{DeTable, DeValue};
