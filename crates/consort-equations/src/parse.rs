//! From text to the tree: every mistake at once, each with its place and a help.
//!
//! A statement ends with its line, unless the line ends inside an expression. After a mistake reading
//! continues at the next line. The grammar is in `docs/equations.md`.

mod experiment;
mod expression;
mod lexer;
mod statement;

use crate::builtin::Builtin;
use crate::tree::{EquationModel, Name};
use consort_core::text::{Cursor, Readable, Token, TokenKind, Unreadable};
use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::{Deref, DerefMut};

/// How deep expressions may be nested.
pub(crate) const DEPTH_MAX: usize = 128;
/// The longest text that is read, in bytes.
pub const TEXT_MAX: usize = 64 << 20;

/// Words with a meaning of their own, which no variable may have as its name.
const RESERVED: [&str; 24] = [
    "model",
    "end",
    "parameter",
    "input",
    "state",
    "discrete",
    "output",
    "variable",
    "function",
    "when",
    "then",
    "if",
    "elseif",
    "else",
    "and",
    "or",
    "xor",
    "not",
    "implies",
    "der",
    "pre",
    "delay",
    "true",
    "false",
];
/// Names with a value of their own.
const CONSTANTS: [&str; 3] = ["time", "pi", "infinity"];

/// Reads a model written as text; `name` is what diagnostics call the text.
///
/// Mistakes of writing are reported; those of meaning are found by [`compile`](crate::compile()).
/// `None` if there was an error.
pub fn read(name: &str, text: &str, report: &mut Report) -> Option<EquationModel> {
    let errors = report.error_count();
    if TEXT_MAX < text.len() {
        let message = format!("`{name}` is longer than {TEXT_MAX} bytes");
        let diagnostic = Diagnostic::error("equations::too-long", message);
        report.push(diagnostic.help("split the model into several components"));
        return None;
    }
    let source = report.add_source(name, text);
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        report.push(is_xml(text, source));
        return None;
    }
    let tokens = lexer::tokens(text, source, report);
    let cursor = Cursor::new((source, text), tokens, "equations::syntax", report);
    let model = Parser(cursor).model();
    (report.error_count() == errors).then_some(model)
}

/// No model starts with `<`: this is a file of another kind, and one diagnostic says so.
fn is_xml(text: &str, source: SourceId) -> Diagnostic {
    let at = text.find('<').unwrap_or_default();
    Diagnostic::error("equations::xml", "this is XML, not a model written as equations")
        .at(Span::new(source, at..at + 1), "no statement starts so")
        .help("if it is SBML, let the name of the file end in `.sbml`")
}

/// A cursor, with the grammar as methods.
struct Parser<'t>(Cursor<'t>);

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.0
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Parser<'_> {
    /// From a place to the end of the last token taken.
    fn span_since(&self, start: usize) -> Span {
        self.span_of(self.since(start))
    }

    /// The value of a number; one that cannot be read was reported.
    fn number_of(&self, token: &Token) -> f64 {
        self.value_of(token).unwrap_or(1.0)
    }

    /// A name that may be declared.
    fn name(&mut self, what: &str) -> Readable<Name> {
        let token = self.peek().clone();
        let text = self.peek_text();
        let is_keyword = RESERVED.contains(&text);
        if token.kind != TokenKind::Word || is_keyword && token.starts_line {
            return self.fail(what, "names start with a letter and have letters, digits and `_`");
        }
        if is_keyword || CONSTANTS.contains(&text) || Builtin::function(text).is_some() {
            let message = format!("`{text}` is a reserved word");
            let diagnostic = Diagnostic::error("equations::reserved", message)
                .at(self.span(&token), "cannot be a name")
                .help("choose another name, such as one with a `_` behind it");
            self.report.push(diagnostic);
            return Err(Unreadable);
        }
        self.advance();
        Ok(Name { text: text.to_owned(), span: Some(self.span(&token)) })
    }

    /// Continues at the next line, after a mistake.
    fn skip_line(&mut self) {
        while !self.at_end() {
            self.advance();
            if self.peek().starts_line {
                break;
            }
        }
    }
}
