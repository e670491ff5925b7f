//! From text to tokens.

use crate::words;
use consort_core::text::{Scanner, Token, TokenKind, starts_name};
use consort_core::{Diagnostic, Report, SourceId, Span};

const SYMBOLS: [&str; 26] = [
    "<->", "!==", "<=", ">=", "==", "!=", "->", "=>", "&&", "||", "&", "|", "!", "+", "-", "*",
    "/", "^", "(", ")", "[", "]", ",", "<", ">", ":",
];

/// All tokens. What is no token is reported; `None` if so much is missing then that reading on would only
/// find more mistakes that are none.
pub(crate) fn tokens(text: &str, source: SourceId, report: &mut Report) -> Option<Vec<Token>> {
    let mut is_torn = false;
    let tokens = Scanner::new(text).tokens(&["#", "//"], |scanner, next| {
        let start = scanner.at();
        if let Some(kind) = take(scanner, next) {
            return Some(kind);
        }
        // What was meant by a single sign of equality is clear, and a semicolon does no harm.
        is_torn |= !matches!(next, '=' | ';');
        let span = |scanner: &Scanner<'_>| Span::new(source, start..scanner.at());
        let diagnostic = match next {
            '"' => Diagnostic::error("property::quote", "a name is not closed")
                .at(span(scanner), "begins here")
                .help("put a `\"` at its end, on the same line"),
            _ => {
                scanner.skip(next.len_utf8());
                unexpected(next, span(scanner))
            }
        };
        report.push(diagnostic);
        (next == '=').then_some(TokenKind::Symbol)
    });
    (!is_torn).then_some(tokens)
}

/// What begins here, if it is a token.
fn take(scanner: &mut Scanner<'_>, next: char) -> Option<TokenKind> {
    if starts_name(next) {
        word(scanner);
        return Some(TokenKind::Word);
    }
    if scanner.starts_number() {
        scanner.number();
        return Some(TokenKind::Number);
    }
    if next == '"' {
        return scanner.quoted().then_some(TokenKind::Quoted);
    }
    scanner.symbol(&SYMBOLS).then_some(TokenKind::Symbol)
}

/// A name with dots, and the indices of an element of an array behind it.
fn word(scanner: &mut Scanner<'_>) {
    let start = scanner.at();
    scanner.identifier();
    while scanner.rest().starts_with('.') && scanner.rest()[1..].starts_with(starts_name) {
        scanner.skip(1);
        scanner.identifier();
    }
    if !words::is_keyword(scanner.since(start))
        && let Some(length) = indices(scanner.rest())
    {
        scanner.skip(length);
    }
}

fn unexpected(next: char, span: Span) -> Diagnostic {
    let help = match next {
        '=' => "write `==` to compare",
        '{' | '}' => "intervals stand in square brackets, as in `always[0:10]`",
        ';' => "a property is one formula: leave it out",
        '%' => "comments start with `#`",
        '~' => "write `not`",
        _ => "leave it out; names with other characters stand in double quotes",
    };
    let message = format!("`{}` means nothing here", next.escape_default());
    Diagnostic::error("property::character", message).at(span, "unknown character").help(help)
}

/// How long `[2]` or `[1,3]` at the start of the text is: the interval of an operator looks alike, but
/// stands behind a keyword.
fn indices(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let length = inside.find(']')?;
    let is_index = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    inside[..length].split(',').all(is_index).then_some(length + 2)
}
