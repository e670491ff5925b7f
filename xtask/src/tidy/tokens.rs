//! The tokens of a Rust file: words, signs and strings, without comments, characters and what is there for tests only.

/// A word, a sign or a string, and the line it is on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token<'s> {
    pub(crate) text: &'s str,
    pub(crate) line: usize,
}

/// Everything that is compiled into the crate proper.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut all = tokens_and_strings(source);
    all.retain(|token| !token.text.contains('"'));
    all
}

/// The same with strings, which keep their quotes.
pub(crate) fn tokens_and_strings(source: &str) -> Vec<Token<'_>> {
    let (mut at, mut line) = (0, 1);
    let mut found = Vec::new();
    while at < source.len() {
        let (kind, length) = next(&source[at..]);
        let text = &source[at..at + length];
        if kind == Kind::Kept {
            found.push(Token { text, line });
        }
        line += text.matches('\n').count();
        at += length;
    }
    without_tests(&found)
}

#[derive(PartialEq)]
enum Kind {
    Kept,
    Skipped,
}

/// What the rest of a file begins with, and its length in bytes.
fn next(rest: &str) -> (Kind, usize) {
    let first = rest.chars().next().expect("the rest is not empty");
    if rest.starts_with("//") {
        (Kind::Skipped, rest.find('\n').unwrap_or(rest.len()))
    } else if rest.starts_with("/*") {
        (Kind::Skipped, block_comment(rest))
    } else if let Some(length) = string(rest) {
        (Kind::Kept, length)
    } else if first == '\'' {
        (Kind::Skipped, character(rest))
    } else if first.is_alphanumeric() || first == '_' {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        (Kind::Kept, end.unwrap_or(rest.len()))
    } else if rest.starts_with("::") {
        (Kind::Kept, 2)
    } else if first.is_whitespace() {
        (Kind::Skipped, first.len_utf8())
    } else {
        (Kind::Kept, first.len_utf8())
    }
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of the string that `rest` begins with: plain, raw, of bytes or for C.
fn string(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']);
    let raw = body.strip_prefix('r');
    let body = raw.unwrap_or(body);
    let fence = body.len() - body.trim_start_matches('#').len();
    let prefix = rest.len() - body.len();
    if 2 < prefix || !body[fence..].starts_with('"') || (raw.is_none() && 0 < fence) {
        return None;
    }
    let inside = prefix + fence + 1;
    if raw.is_some() {
        let close = format!("\"{}", "#".repeat(fence));
        let end = rest[inside..].find(&close).map(|end| inside + end + close.len());
        return Some(end.unwrap_or(rest.len()));
    }
    Some(inside + until_quote(&rest[inside..], '"'))
}

/// How far it is to behind the closing quote; what follows a backslash does not close.
fn until_quote(inside: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    inside.len()
}

/// A character with its quotes, or the quote and the name of a lifetime.
fn character(rest: &str) -> usize {
    let mut inside = rest[1..].chars();
    let (first, second) = (inside.next(), inside.next());
    if first == Some('\\') || second == Some('\'') {
        return 1 + until_quote(&rest[1..], '\'');
    }
    let name = rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
    1 + name.unwrap_or(rest.len() - 1)
}

fn without_tests<'s>(all: &[Token<'s>]) -> Vec<Token<'s>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if is_for_tests(&all[at..]) {
            at += item(&all[at..]);
        } else {
            kept.push(all[at].clone());
            at += 1;
        }
    }
    kept
}

fn is_for_tests(rest: &[Token<'_>]) -> bool {
    let starts = |words: &[&str]| {
        let texts = rest.iter().map(|token| token.text);
        words.len() <= rest.len() && texts.zip(words).all(|(text, word)| text == *word)
    };
    starts(&["#", "[", "cfg", "(", "test", ")", "]"])
        || starts(&["#", "[", "cfg", "(", "all", "(", "test", ","])
}

/// The length of an item with its attributes: to the first semicolon or closed brace.
fn item(rest: &[Token<'_>]) -> usize {
    let mut depth = 0;
    for (at, token) in rest.iter().enumerate() {
        match token.text {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
        if depth == 0 && matches!(token.text, ";" | "}") {
            return at + 1;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_kept() {
        let check = |source: &str, expected: &str| {
            let texts: Vec<&str> = tokens(source).iter().map(|token| token.text).collect();
            assert_eq!(texts.join(" "), expected, "{source}");
        };
        check("a // b\nc /* d /* e */ f */ g", "a c g");
        check("/// crate::a\n//! crate::b\nfn f() {}", "fn f ( ) { }");
        check(r##"x("a \" b", r#"c " d"#, b"e", br"f\") y"##, "x ( , , , ) y");
        check(r"a('\'', 'b', '/', '\u{1F600}') c", "a ( , , , ) c");
        check("fn f<'a>(x: &'a str) {}", "fn f < > ( x : & str ) { }");
        check("crate::a::B", "crate :: a :: B");
        check("bc(r)", "bc ( r )");
        check("#[cfg(test)]\n#[rustfmt::skip]\nmod t { fn f() { g(); } } mod u;", "mod u ;");
        check("#[cfg(test)]\nmod t; mod u;", "mod u ;");
        check("#[cfg(all(test, unix))]\nmod t; #[cfg(unix)] mod u;", "# [ cfg ( unix ) ] mod u ;");
    }

    #[test]
    fn strings_are_kept_on_request() {
        let all = tokens_and_strings("a(\"b // c\", '\"') // \"d\"\n#[cfg(test)] mod t { \"e\" }");
        let texts: Vec<&str> = all.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["a", "(", "\"b // c\"", ",", ")"]);
    }

    #[test]
    fn lines_are_counted_through_everything_that_is_skipped() {
        let all = tokens("/*\n*/ a \"\n\n\" b // c\nd");
        let lines: Vec<_> = all.iter().map(|token| (token.text, token.line)).collect();
        assert_eq!(lines, [("a", 2), ("b", 4), ("d", 5)]);
    }
}
