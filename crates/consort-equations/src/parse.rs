//! From text to the tree: every mistake at once, each with its place and a way out.
//!
//! A statement ends with its line, unless the line ends inside an expression. After a mistake reading
//! goes on at the next line. The grammar is in `docs/equations.md`.

mod experiment;
mod expression;
mod lexer;
mod statement;

use crate::builtin::Builtin;
use crate::tree::{Model, Name};
use consort_core::{Diagnostic, Report, SourceId, Span};
use lexer::{Token, TokenKind};

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
pub fn read(name: &str, text: &str, report: &mut Report) -> Option<Model> {
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
    let mut parser = Parser { text, source, tokens, next: 0, depth: 0, report };
    let model = parser.model();
    (report.error_count() == errors).then_some(model)
}

/// No model starts with `<`: this is a file of another kind, and one word says so.
fn is_xml(text: &str, source: SourceId) -> Diagnostic {
    let at = text.find('<').unwrap_or_default();
    Diagnostic::error("equations::xml", "this is XML, not a model written as equations")
        .at(Span::new(source, at..at + 1), "no statement starts so")
        .help("if it is SBML, let the name of the file end in `.sbml`")
}

/// The rest of a statement cannot be read; the reason was reported.
struct Unreadable;

type Parsed<T> = Result<T, Unreadable>;

struct Parser<'t> {
    text: &'t str,
    source: SourceId,
    tokens: Vec<Token>,
    next: usize,
    /// How deep the expression being read is nested.
    depth: usize,
    report: &'t mut Report,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    fn peek_text(&self) -> &'t str {
        &self.text[self.peek().range.clone()]
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn span(&self, token: &Token) -> Span {
        Span::new(self.source, token.range.clone())
    }

    /// From the start of `token` to the end of the last one taken.
    fn span_since(&self, start: usize) -> Span {
        let end = self.tokens[self.next.saturating_sub(1)].range.end;
        Span::new(self.source, start..end.max(start))
    }

    /// Whether the next token is this symbol or word.
    fn sees(&self, text: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Word | TokenKind::Symbol) && self.peek_text() == text
    }

    /// Takes the next token if it is this symbol or word.
    fn takes(&mut self, text: &str) -> bool {
        let found = self.sees(text);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, text: &str, help: &str) -> Parsed<()> {
        if self.takes(text) { Ok(()) } else { self.fail(&format!("`{text}`"), help) }
    }

    /// Reports that something else was expected here.
    fn fail<T>(&mut self, expected: &str, help: &str) -> Parsed<T> {
        let found = self.peek().clone();
        let label = if self.at_end() { "the text ends here" } else { "found this instead" };
        let diagnostic = Diagnostic::error("equations::syntax", format!("expected {expected}"))
            .at(self.span(&found), label)
            .help(help);
        self.report.push(diagnostic);
        Err(Unreadable)
    }

    /// A name that may be declared.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek().clone();
        let text = self.peek_text();
        let is_keyword = RESERVED.contains(&text);
        if token.kind != TokenKind::Word || is_keyword && token.starts_line {
            return self.fail(what, "names start with a letter and have letters, digits and `_`");
        }
        if is_keyword || CONSTANTS.contains(&text) || Builtin::function(text).is_some() {
            let message = format!("`{text}` has a meaning of its own");
            let diagnostic = Diagnostic::error("equations::reserved", message)
                .at(self.span(&token), "cannot be a name")
                .help("choose another name, such as one with a `_` behind it");
            self.report.push(diagnostic);
            return Err(Unreadable);
        }
        self.advance();
        Ok(Name { text: text.to_owned(), span: Some(self.span(&token)) })
    }

    /// Goes on at the next line, after a mistake.
    fn skip_line(&mut self) {
        while !self.at_end() {
            self.advance();
            if self.peek().starts_line {
                break;
            }
        }
    }
}
