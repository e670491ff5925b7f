//! From text to tokens.

use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number(f64),
    /// A text in double quotes.
    Text,
    /// An operator, a bracket or a comma: at most two characters.
    Symbol,
    /// After the last one.
    End,
}

/// A piece of the text that belongs together.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Where it stands, in bytes.
    pub(super) range: Range<usize>,
    /// Whether nothing but blanks stands before it on its line.
    pub(super) starts_line: bool,
}

const SYMBOLS: [&str; 17] =
    ["<=", ">=", "==", "!=", "+", "-", "*", "/", "^", "(", ")", ",", "=", "<", ">", ";", "."];

/// All tokens, with one `End` behind them; what is no token is reported and left out.
pub(super) fn tokens(text: &str, source: SourceId, report: &mut Report) -> Vec<Token> {
    // Some editors mark a text in UTF-8 by its first character.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { text, at, source, report };
    let mut tokens = Vec::new();
    let mut line_start = true;
    while let Some(next) = lexer.text[lexer.at..].chars().next() {
        if next == '\n' {
            line_start = true;
        }
        if next.is_whitespace() {
            lexer.at += next.len_utf8();
        } else if next == '#' {
            lexer.skip_comment();
        } else {
            let start = lexer.at;
            if let Some(kind) = lexer.token(next) {
                tokens.push(Token { kind, range: start..lexer.at, starts_line: line_start });
                line_start = false;
            }
        }
    }
    let end = text.trim_end().len();
    tokens.push(Token { kind: TokenKind::End, range: end..end, starts_line: true });
    tokens
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    source: SourceId,
    report: &'t mut Report,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn token(&mut self, next: char) -> Option<TokenKind> {
        if next.is_alphabetic() || next == '_' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
            return Some(TokenKind::Word);
        }
        if next.is_ascii_digit() || next == '.' && self.digit_follows(1) {
            return self.number();
        }
        if next == '"' {
            return self.quoted();
        }
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return Some(TokenKind::Symbol);
        }
        self.unexpected(next);
        None
    }

    fn digit_follows(&self, offset: usize) -> bool {
        self.rest().as_bytes().get(offset).is_some_and(u8::is_ascii_digit)
    }

    fn digits(&mut self) {
        let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        self.at += end;
    }

    fn number(&mut self) -> Option<TokenKind> {
        let start = self.at;
        self.digits();
        if self.rest().starts_with('.') {
            self.at += 1;
            self.digits();
        }
        if self.rest().starts_with(['e', 'E']) {
            let sign = usize::from(self.rest()[1..].starts_with(['+', '-']));
            if self.digit_follows(1 + sign) {
                self.at += 1 + sign;
                self.digits();
            }
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        if self.rest().starts_with(is_part) {
            self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
            return self.bad_number(start);
        }
        let value = self.text[start..self.at].parse().ok().filter(|value: &f64| value.is_finite());
        value.map(TokenKind::Number).or_else(|| self.bad_number(start))
    }

    /// Reports; a number stands in, so that no second mistake is seen.
    fn bad_number(&mut self, start: usize) -> Option<TokenKind> {
        let text = &self.text[start..self.at];
        let message = format!("`{text}` is no number");
        let span = Span::new(self.source, start..self.at);
        let diagnostic = Diagnostic::error("equations::number", message)
            .at(span, "cannot be read")
            .help("write numbers as in `9.81` or `1.5e-3`, and `*` between factors");
        self.report.push(diagnostic);
        Some(TokenKind::Number(1.0))
    }

    fn quoted(&mut self) -> Option<TokenKind> {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let end = inside.find(['"', '\n']);
        if let Some(length) = end.filter(|end| inside[*end..].starts_with('"')) {
            self.at = start + length + 2;
            return Some(TokenKind::Text);
        }
        self.at = start + 1 + end.unwrap_or(inside.len());
        let diagnostic = Diagnostic::error("equations::quote", "a text is not closed")
            .at(Span::new(self.source, start..self.at), "begins here")
            .help("put a `\"` at its end, on the same line");
        self.report.push(diagnostic);
        None
    }

    fn unexpected(&mut self, next: char) {
        let start = self.at;
        self.at += next.len_utf8();
        let help = match next {
            '&' => "write `and`",
            '|' => "write `or`",
            '!' => "write `not`, or `!=` for different values",
            '[' | ']' | '{' | '}' => "only round brackets are used",
            '%' => "write `rem(a, b)`; comments start with `#`",
            _ => "leave it out; comments start with `#`",
        };
        let message = format!("`{}` means nothing here", next.escape_default());
        let diagnostic = Diagnostic::error("equations::character", message)
            .at(Span::new(self.source, start..self.at), "unknown character")
            .help(help);
        self.report.push(diagnostic);
    }
}
