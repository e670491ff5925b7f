//! XML from other tools: decoded, bounded, parsed, and every mistake reported with its place.
//!
//! Model descriptions, SSPs and SBML come from unknown tools. What keeps them from exhausting
//! time or memory is written once, here; what a format's elements *mean* is read elsewhere.
//!
//! A reader states its [`Format`]: limits, codes and texts. Bytes become text with [`decode()`]; a text
//! becomes a [`File`] by [`File::check`], which refuses what a parser must not be given, so that only
//! checked text is ever parsed; [`File::parse`] makes a document of it. A [`File`] knows the [`Span`] of
//! each element and attribute, a [`Reporter`] passes diagnostics on, a bounded number of each code.
//!
//! [`root_name`] finds the kind of a file without reading it. [`Text`] is for what is written.
//!
//! ```
//! use consort_core::Report;
//! use consort_xml::{Codes, File, Format, Help, Limits, Reporter};
//!
//! static NOTE: Format = Format {
//!     what: "a note",
//!     limits: Limits {
//!         bytes: 1 << 20, nodes: 1000, depth: 10, attributes: 10, namespaces: 10, namespaces_open: None,
//!     },
//!     codes: Codes {
//!         syntax: "note::syntax", entity: "note::entity", limit: "note::limit", missing: "note::missing",
//!         value: "note::value", attribute: "note::attribute", element: "note::element",
//!     },
//!     help: Help {
//!         doctype: "remove it", crowd: "write less", size: "write less", syntax: "write XML", value: "look it up",
//!     },
//!     attributes: &[],
//! };
//!
//! let text = "<note author='Ada'><line/></note>";
//! let mut report = Report::default();
//! let source = report.add_source("note.xml", text);
//! let mut reporter = Reporter::new(&mut report);
//! let file = File::check(source, text, &NOTE, &mut reporter).expect("harmless");
//! let document = file.parse(&mut reporter).expect("well-formed");
//! let note = document.root_element();
//! assert_eq!(file.place(note, "author").range(), 14..17);
//! file.known_attributes(note, &["autor"], &mut reporter);
//! assert!(reporter.finish(), "a warning is no error");
//! assert_eq!(report.diagnostics()[0].message, "`note` has an unknown attribute `author`");
//! ```
//!
//! [`Span`]: consort_core::Span

mod decode;
mod file;
mod format;
mod guard;
mod node;
mod reporter;
mod text;

pub use decode::{Claim, Declaration, Decoded, Doubt, Narrow, decode};
pub use file::{File, Undeclared};
pub use format::{Codes, Format, Help, Limits};
pub use guard::root_name;
pub use node::{XmlNode, boolean, elements, shorten};
pub use reporter::Reporter;
pub use roxmltree::{Attribute, Document};
pub use text::{Text, borrowed, escaped, float, is_allowed};
