//! The limits of a kind of file, and the codes and texts of its diagnostics.

use crate::shorten;
use consort_core::{Diagnostic, Span};
use roxmltree::Error;

/// A kind of file: its limits, and the codes of its mistakes.
pub struct Format {
    /// What a file is, for messages: `a model description`.
    pub what: &'static str,
    /// What could exhaust time or memory.
    pub limits: Limits,
    /// The codes of mistakes.
    pub codes: Codes,
    /// The help of the diagnostics.
    pub help: Help,
    /// Attributes that every element may have; they are never suggested for others.
    pub attributes: &'static [&'static str],
}

/// How much of each a file may have.
pub struct Limits {
    /// Bytes; the caller compares them before anything is decoded.
    pub bytes: usize,
    /// Elements, texts and comments.
    pub nodes: u32,
    /// The depth of nested elements.
    pub depth: usize,
    /// Attributes of one element.
    pub attributes: usize,
    /// The number of namespace declarations.
    pub namespaces: usize,
    /// Namespace declarations that hold for one element: its own and those around it. `None` if
    /// `namespaces` is so small that it bounds these, too.
    pub namespaces_open: Option<usize>,
}

/// The codes under which mistakes are reported.
pub struct Codes {
    /// The text is not XML.
    pub syntax: &'static str,
    /// The text has a DTD or uses entities.
    pub entity: &'static str,
    /// A limit was reached.
    pub limit: &'static str,
    /// A required attribute is missing.
    pub missing: &'static str,
    /// A value is not of its type.
    pub value: &'static str,
    /// An attribute the standard does not know.
    pub attribute: &'static str,
    /// An element the standard does not know.
    pub element: &'static str,
}

/// What to do about mistakes.
pub struct Help {
    /// There is a DTD.
    pub doctype: &'static str,
    /// There are too many of something.
    pub crowd: &'static str,
    /// The whole is too large.
    pub size: &'static str,
    /// The code for text that is not XML.
    pub syntax: &'static str,
    /// A value is not of its type.
    pub value: &'static str,
}

impl Format {
    /// The error of a file with more bytes than are read; `called` is its name, or what it is.
    pub fn too_large(&self, called: &str) -> Diagnostic {
        let message = format!("{called} has more than {} bytes", self.limits.bytes);
        Diagnostic::error(self.codes.limit, message).help(self.help.size)
    }

    /// The error of an attribute `name` whose value is not of its type.
    pub fn bad_value(
        &self,
        name: &str,
        found: &str,
        expected: &str,
        span: Option<Span>,
    ) -> Diagnostic {
        let message = format!("`{name}` is `{}`, which is not {expected}", shorten(found));
        Diagnostic::error(self.codes.value, message)
            .maybe_at(span, format!("expected {expected}"))
            .help(self.help.value)
    }

    pub(crate) fn unparsed(&self, error: &Error, span: Span) -> Diagnostic {
        let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
        let words = words.replace('\'', "`");
        let what = self.what;
        let diagnostic = match error {
            Error::UnknownEntityReference(..) => {
                let message = format!("{what} uses an entity of its own");
                Diagnostic::error(self.codes.entity, message)
                    .help("only `&lt;`, `&gt;`, `&amp;`, `&apos;` and `&quot;` are read")
            }
            Error::NodesLimitReached => {
                let message = format!("{what} has more than {} nodes", self.limits.nodes);
                Diagnostic::error(self.codes.limit, message).help(self.help.size)
            }
            _ => Diagnostic::error(self.codes.syntax, format!("this is not XML: {words}"))
                .help(self.help.syntax),
        };
        diagnostic.at(span, words)
    }
}
