//! From text to tokens.

use consort_core::text::{Scanner, Token, TokenKind, continues_name, starts_name};
use consort_core::{Diagnostic, Report, SourceId, Span};

const SYMBOLS: [&str; 17] =
    ["<=", ">=", "==", "!=", "+", "-", "*", "/", "^", "(", ")", ",", "=", "<", ">", ";", "."];

/// All tokens; what is no token is reported and left out.
pub(super) fn tokens(text: &str, source: SourceId, report: &mut Report) -> Vec<Token> {
    Scanner::new(text).without_mark().tokens(&["#"], |scanner, next| {
        let start = scanner.at();
        match take(scanner, next) {
            Ok(kind) => Some(kind),
            Err(mistake) => {
                let Mistake { diagnostic, label, stands_for } = *mistake;
                let span = Span::new(source, start..scanner.at());
                report.push(diagnostic.at(span, label));
                stands_for
            }
        }
    })
}

/// What is no token, and what may stand for it so that no second mistake is seen.
struct Mistake {
    diagnostic: Diagnostic,
    label: &'static str,
    stands_for: Option<TokenKind>,
}

fn take(scanner: &mut Scanner<'_>, next: char) -> Result<TokenKind, Box<Mistake>> {
    if starts_name(next) {
        scanner.identifier();
        return Ok(TokenKind::Word);
    }
    if scanner.starts_number() {
        return number(scanner);
    }
    if next == '"' {
        return if scanner.quoted() { Ok(TokenKind::Quoted) } else { Err(not_closed()) };
    }
    if scanner.symbol(&SYMBOLS) {
        return Ok(TokenKind::Symbol);
    }
    scanner.skip(next.len_utf8());
    Err(unexpected(next))
}

fn number(scanner: &mut Scanner<'_>) -> Result<TokenKind, Box<Mistake>> {
    let start = scanner.at();
    scanner.number();
    let is_followed = scanner.rest().starts_with(continues_name);
    scanner.identifier();
    let text = scanner.since(start);
    if !is_followed && text.parse().is_ok_and(|value: f64| value.is_finite()) {
        return Ok(TokenKind::Number);
    }
    let message = format!("`{text}` is no number");
    let diagnostic = Diagnostic::error("equations::number", message)
        .help("write numbers as in `9.81` or `1.5e-3`, and `*` between factors");
    let stands_for = Some(TokenKind::Number);
    Err(Box::new(Mistake { diagnostic, label: "cannot be read", stands_for }))
}

fn not_closed() -> Box<Mistake> {
    let diagnostic = Diagnostic::error("equations::quote", "a text is not closed")
        .help("put a `\"` at its end, on the same line");
    Box::new(Mistake { diagnostic, label: "begins here", stands_for: None })
}

fn unexpected(next: char) -> Box<Mistake> {
    let help = match next {
        '&' => "write `and`",
        '|' => "write `or`",
        '!' => "write `not`, or `!=` for different values",
        '[' | ']' | '{' | '}' => "only round brackets are used",
        '%' => "write `rem(a, b)`; comments start with `#`",
        _ => "leave it out; comments start with `#`",
    };
    let message = format!("`{}` means nothing here", next.escape_default());
    let diagnostic = Diagnostic::error("equations::character", message).help(help);
    Box::new(Mistake { diagnostic, label: "unknown character", stands_for: None })
}
