//! TOML that users write: taken apart entry by entry, and every mistake reported with its place.
//!
//! Systems, campaigns and the interfaces of programs are written in it. How a text becomes entries, and
//! the diagnostics of unknown keys and of values of the wrong kind are written once, here; what a key
//! *means* is read elsewhere.
//!
//! A reader states its [`TomlFormat`]: codes and hints; and its keys, as [`KeyTable`]s, of which the reference and the
//! JSON schema of the files are made as well. [`read`] parses a text and hands its table to the
//! caller with a [`TomlReader`], which takes tables apart into [`Entry`]s and values out of those. Numbers are
//! read from their text ([`literal()`], [`integer`], [`float`]), so that nothing is rounded that need not be.
//!
//! ```
//! use consort_core::Report;
//! use consort_toml::{Key, KeyKind, KeyTable, TomlCodes, TomlFormat};
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
//! static KEYS: KeyTable = KeyTable {
//!     heading: "",
//!     meaning: "A note.",
//!     keys: &[Key {
//!         name: "author",
//!         kind: KeyKind::Text,
//!         default: Some("unknown"),
//!         meaning: "Who wrote it.",
//!         example: "'Ada'",
//!     }],
//!     exactly_one: &[],
//!     example: "author = 'Ada'",
//! };
//!
//! let mut report = Report::default();
//! let author = consort_toml::read(&NOTE, "n.toml", "autor = 'Ada'", &mut report, |reader, table| {
//!     for entry in reader.settings(table, "a note", &KEYS).entries {
//!         match entry.key {
//!             "author" => return reader.text(&entry),
//!             _ => entry.is_not_read(),
//!         };
//!     }
//!     None
//! });
//! assert!(matches!(author, Some(Some(_))), "it is read as the key that was meant");
//! assert_eq!(report.diagnostics()[0].help.as_deref(), Some("did you mean `author`?"));
//! ```

mod format;
mod keys;
mod number;
mod reader;
mod slip;
mod syntax;

pub use format::{TomlCodes, TomlFormat};
pub use keys::{Key, KeyKind, KeyTable, NumberRange, choice_names};
pub use number::{LiteralProblem, float, integer, literal, parse_literal};
pub use reader::{Entry, KnownEntries, Mismatch, TomlReader, Value};
pub use syntax::{SYNTAX_ERRORS_MAX, read};
pub use toml::de::{DeTable, DeValue};
