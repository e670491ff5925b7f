//! Small languages as text: a scanner that finds tokens, and a cursor that takes them one by one.
//!
//! A language defines its symbols, comments and identifiers, and what to report about
//! the rest; numbers, quotes, places and the messages of a cursor are the same for all.

use crate::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number without its unit.
    Number,
    /// What stands in double quotes, they included.
    Quoted,
    /// An operator, a bracket or a comma.
    Symbol,
    /// After the last one.
    End,
}

/// A piece of the text that belongs together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Whether only blanks stand before it on its line.
    pub starts_line: bool,
}

/// Reads a text from its start.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// At the start of a text.
    pub fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    /// Skips the mark by which some editors begin a text in UTF-8.
    #[must_use]
    pub fn without_mark(mut self) -> Self {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self
    }

    /// All tokens, with one `End` behind them. A comment begins with one of some signs and ends with its
    /// line. Whatever else is no blank is taken by `take`, which has at least one character to take and
    /// reports what is no token.
    pub fn tokens(
        mut self,
        comments: &[&str],
        mut take: impl FnMut(&mut Self, char) -> Option<TokenKind>,
    ) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut starts_line = true;
        while let Some(next) = self.rest().chars().next() {
            starts_line |= next == '\n';
            let start = self.at;
            if next.is_whitespace() {
                self.at += next.len_utf8();
            } else if comments.iter().any(|sign| self.rest().starts_with(sign)) {
                self.skip_while(|c| c != '\n');
            } else if let Some(kind) = take(&mut self, next) {
                tokens.push(Token { kind, range: start..self.at, starts_line });
                starts_line = false;
            }
        }
        let end = self.text.trim_end().len();
        tokens.push(Token { kind: TokenKind::End, range: end..end, starts_line: true });
        tokens
    }

    /// Where it is, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is still to be read.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// What was read since a place.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    /// Takes so many bytes, which end with a character.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    fn skip_while(&mut self, is_part: impl Fn(char) -> bool) {
        self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
    }

    /// Takes letters, digits and `_`.
    pub fn identifier(&mut self) {
        self.skip_while(continues_name);
    }

    /// Whether a number begins here.
    pub fn starts_number(&self) -> bool {
        self.is_digit(0) || self.rest().starts_with('.') && self.is_digit(1)
    }

    /// Takes a number: digits, a fraction and an exponent.
    pub fn number(&mut self) {
        self.skip_while(|c| c.is_ascii_digit());
        if self.rest().starts_with('.') {
            self.at += 1;
            self.skip_while(|c| c.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            let sign = usize::from(self.rest()[1..].starts_with(['+', '-']));
            if self.is_digit(1 + sign) {
                self.at += 1 + sign;
                self.skip_while(|c| c.is_ascii_digit());
            }
        }
    }

    fn is_digit(&self, offset: usize) -> bool {
        self.rest().as_bytes().get(offset).is_some_and(u8::is_ascii_digit)
    }

    /// Takes a quoted text, which begins here; false if it does not end on its line.
    pub fn quoted(&mut self) -> bool {
        let inside = &self.rest()[1..];
        let end = inside.find(['"', '\n']).unwrap_or(inside.len());
        let is_closed = inside[end..].starts_with('"');
        self.at += 1 + end + usize::from(is_closed);
        is_closed
    }

    /// Takes the first of some symbols that stands here, if one does.
    pub fn symbol(&mut self, symbols: &[&str]) -> bool {
        let found = symbols.iter().find(|symbol| self.rest().starts_with(**symbol));
        self.at += found.map_or(0, |symbol| symbol.len());
        found.is_some()
    }
}

/// Whether a name may begin with a character.
pub fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether a name may have a character behind its first.
pub fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The rest of a group or statement cannot be read; the reason was reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreadable;

/// What was read, if it could be.
pub type Readable<T> = Result<T, Unreadable>;

/// Takes tokens one by one and reports where another one was expected.
pub struct Cursor<'t> {
    text: &'t str,
    source: SourceId,
    tokens: Vec<Token>,
    next: usize,
    /// How deep what is being read is nested.
    pub depth: usize,
    /// Where mistakes are reported.
    pub report: &'t mut Report,
    syntax: &'static str,
}

impl<'t> Cursor<'t> {
    /// At the first of the tokens of a text; `syntax` is the code of what cannot be read.
    ///
    /// # Panics
    /// If there is no token at all: [`Scanner::tokens`] gives at least one.
    pub fn new(
        source: (SourceId, &'t str),
        tokens: Vec<Token>,
        syntax: &'static str,
        report: &'t mut Report,
    ) -> Self {
        assert!(!tokens.is_empty(), "there is an end");
        let (source, text) = source;
        Cursor { text, source, tokens, next: 0, depth: 0, report, syntax }
    }

    /// The next token.
    pub fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    /// The text of the next token.
    pub fn peek_text(&self) -> &'t str {
        self.text_of(self.peek())
    }

    /// The text of a token.
    pub fn text_of(&self, token: &Token) -> &'t str {
        &self.text[token.range.clone()]
    }

    /// What a quoted token has between its quotes.
    pub fn unquoted(&self, token: &Token) -> &'t str {
        &self.text[token.range.start + 1..token.range.end - 1]
    }

    /// How many tokens were taken.
    pub fn taken(&self) -> usize {
        self.next
    }

    /// The value of a number; `None` if it cannot be read or is too large.
    pub fn value_of(&self, token: &Token) -> Option<f64> {
        self.text_of(token).parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The token behind the next one.
    pub fn follower(&self) -> &Token {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    /// Whether all tokens were taken.
    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// The place of a token.
    pub fn span(&self, token: &Token) -> Span {
        self.span_of(token.range.clone())
    }

    /// A place in the text.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    /// From a place to the end of the last token taken.
    pub fn since(&self, start: usize) -> Range<usize> {
        let end = self.tokens[self.next.saturating_sub(1)].range.end;
        start..end.max(start)
    }

    /// Whether the next token is this symbol or word.
    pub fn sees(&self, text: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Word | TokenKind::Symbol) && self.peek_text() == text
    }

    /// Takes the next token if it is this symbol or word.
    pub fn takes(&mut self, text: &str) -> bool {
        let found = self.sees(text);
        if found {
            self.advance();
        }
        found
    }

    /// Takes this symbol or word.
    ///
    /// # Errors
    /// If another token is next, which is reported.
    pub fn expect(&mut self, text: &str, help: &str) -> Readable<()> {
        if self.takes(text) { Ok(()) } else { self.fail(&format!("`{text}`"), help) }
    }

    /// Reports that something else was expected here.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T>(&mut self, expected: &str, help: &str) -> Readable<T> {
        let label = if self.at_end() { "the text ends here" } else { "found this instead" };
        let diagnostic = Diagnostic::error(self.syntax, format!("expected {expected}"))
            .at(self.span(self.peek()), label)
            .help(help);
        self.report.push(diagnostic);
        Err(Unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, TokenKind)]) {
        let take = |scanner: &mut Scanner<'_>, next: char| {
            let start = scanner.at();
            if starts_name(next) {
                scanner.identifier();
                Some(TokenKind::Word)
            } else if scanner.starts_number() {
                scanner.number();
                Some(TokenKind::Number)
            } else if next == '"' {
                scanner.quoted().then_some(TokenKind::Quoted)
            } else {
                let is_symbol = scanner.symbol(&["<=", "<", "."]);
                scanner.skip(if scanner.at() == start { next.len_utf8() } else { 0 });
                is_symbol.then_some(TokenKind::Symbol)
            }
        };
        let tokens = Scanner::new(text).without_mark().tokens(&["#"], take);
        let found: Vec<_> = tokens.iter().map(|it| (&text[it.range.clone()], it.kind)).collect();
        let (end, found) = found.split_last().unwrap();
        assert_eq!((found, *end), (expected, ("", TokenKind::End)), "{text}");
    }

    #[test]
    fn a_text_falls_into_words_numbers_quotes_and_symbols() {
        use TokenKind::{Number, Quoted, Symbol, Word};
        check("\u{feff}a_1<=.5e-3 # b", &[("a_1", Word), ("<=", Symbol), (".5e-3", Number)]);
        check("1.e5e 2.x", &[("1.e5", Number), ("e", Word), ("2.", Number), ("x", Word)]);
        check("\"a # b\" \"open\n<", &[("\"a # b\"", Quoted), ("<", Symbol)]);
        check("ä%", &[("ä", Word)]);
        check("", &[]);
    }
}
