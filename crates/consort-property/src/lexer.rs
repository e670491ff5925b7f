//! From text to tokens.

use crate::words;
use consort_core::{Diagnostic, Report, SourceId, Span};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A keyword or the name of a signal: `always`, `tank.level`, `arm.angle[2]`.
    Word,
    /// A number without its unit.
    Number,
    /// A name in double quotes, whatever is in it.
    Quoted,
    /// An operator, a bracket or a comma.
    Symbol,
    /// After the last one.
    End,
}

/// A piece of the text that belongs together.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Where it stands, in bytes.
    pub(crate) range: Range<usize>,
}

const SYMBOLS: [&str; 26] = [
    "<->", "!==", "<=", ">=", "==", "!=", "->", "=>", "&&", "||", "&", "|", "!", "+", "-", "*",
    "/", "^", "(", ")", "[", "]", ",", "<", ">", ":",
];

/// All tokens, with one `End` behind them. What is no token is reported; `None` if so much is missing
/// then that reading on would only find more mistakes that are none.
pub(crate) fn tokens(text: &str, source: SourceId, report: &mut Report) -> Option<Vec<Token>> {
    let mut lexer = Lexer { text, at: 0, source, report, is_torn: false };
    let mut tokens = Vec::new();
    while let Some(next) = lexer.rest().chars().next() {
        let start = lexer.at;
        if next.is_whitespace() {
            lexer.at += next.len_utf8();
        } else if next == '#' || lexer.rest().starts_with("//") {
            lexer.skip_comment();
        } else if let Some(kind) = lexer.token(next) {
            tokens.push(Token { kind, range: start..lexer.at });
        }
    }
    let end = text.trim_end().len();
    tokens.push(Token { kind: TokenKind::End, range: end..end });
    (!lexer.is_torn).then_some(tokens)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    source: SourceId,
    report: &'t mut Report,
    /// Something is missing.
    is_torn: bool,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn token(&mut self, next: char) -> Option<TokenKind> {
        if next.is_alphabetic() || next == '_' {
            return Some(self.word());
        }
        if next.is_ascii_digit() || next == '.' && self.digit_at(1) {
            self.number();
            return Some(TokenKind::Number);
        }
        if next == '"' {
            return self.quoted();
        }
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return Some(TokenKind::Symbol);
        }
        self.unexpected(next);
        // What was meant by a single sign of equality is clear, and a semicolon does no harm.
        self.is_torn |= !matches!(next, '=' | ';');
        (next == '=').then_some(TokenKind::Symbol)
    }

    /// A name with dots, and the indices of an element of an array behind it.
    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.identifier();
        while self.rest().starts_with('.') && self.rest()[1..].starts_with(starts_name) {
            self.at += 1;
            self.identifier();
        }
        if !words::is_keyword(&self.text[start..self.at])
            && let Some(length) = indices(self.rest())
        {
            self.at += length;
        }
        TokenKind::Word
    }

    fn identifier(&mut self) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
    }

    fn digit_at(&self, offset: usize) -> bool {
        self.rest().as_bytes().get(offset).is_some_and(u8::is_ascii_digit)
    }

    fn digits(&mut self) {
        let end = self.rest().find(|c: char| !c.is_ascii_digit());
        self.at += end.unwrap_or(self.rest().len());
    }

    fn number(&mut self) {
        self.digits();
        if self.rest().starts_with('.') {
            self.at += 1;
            self.digits();
        }
        if self.rest().starts_with(['e', 'E']) {
            let sign = usize::from(self.rest()[1..].starts_with(['+', '-']));
            if self.digit_at(1 + sign) {
                self.at += 1 + sign;
                self.digits();
            }
        }
    }

    fn quoted(&mut self) -> Option<TokenKind> {
        let (start, inside) = (self.at, &self.rest()[1..]);
        let end = inside.find(['"', '\n']);
        if let Some(length) = end.filter(|end| inside[*end..].starts_with('"')) {
            self.at = start + length + 2;
            return Some(TokenKind::Quoted);
        }
        self.at = start + 1 + end.unwrap_or(inside.len());
        let diagnostic = Diagnostic::error("property::quote", "a name is not closed")
            .at(Span::new(self.source, start..self.at), "begins here")
            .help("put a `\"` at its end, on the same line");
        self.report.push(diagnostic);
        self.is_torn = true;
        None
    }

    fn unexpected(&mut self, next: char) {
        let start = self.at;
        self.at += next.len_utf8();
        let help = match next {
            '=' => "write `==` to compare",
            '{' | '}' => "intervals stand in square brackets, as in `always[0:10]`",
            ';' => "a property is one formula: leave it out",
            '%' => "comments start with `#`",
            '~' => "write `not`",
            _ => "leave it out; names with other characters stand in double quotes",
        };
        let message = format!("`{}` means nothing here", next.escape_default());
        let diagnostic = Diagnostic::error("property::character", message)
            .at(Span::new(self.source, start..self.at), "unknown character")
            .help(help);
        self.report.push(diagnostic);
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// How long `[2]` or `[1,3]` at the start of the text is: the interval of an operator looks alike, but
/// stands behind a keyword.
fn indices(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let length = inside.find(']')?;
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    inside[..length].split(',').all(is_index).then_some(length + 2)
}
