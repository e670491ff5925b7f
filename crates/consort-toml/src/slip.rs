//! Slips that people make in TOML, recognized in the line where the syntax is wrong.
//!
//! What the parser says of them is right and no help: of `step = 0,1` that a newline was expected.

use std::ops::Range;

/// What was written, and what should have been.
pub(crate) struct Slip {
    pub(crate) message: String,
    pub(crate) help: String,
    /// Where it is in the text.
    pub(crate) place: Range<usize>,
}

/// What the slip is in the line with a syntax error at `at`; `None` if it is another one.
pub(crate) fn find(text: &str, at: usize) -> Option<Slip> {
    let (start, line) = line_at(text, at);
    let code = without_texts(line);
    let found = comment(&code, line)
        .or_else(|| colon(&code, line))
        .or_else(|| values(&code).find_map(|begin| value(line, begin)))?;
    let (range, message, help) = found;
    Some(Slip { message, help, place: start + range.start..start + range.end })
}

type Found = (Range<usize>, String, String);

fn line_at(text: &str, at: usize) -> (usize, &str) {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    (start, &text[start..end])
}

/// The line with blanks for what is in quotes or behind a `#`, byte by byte.
fn without_texts(line: &str) -> Vec<u8> {
    let (mut quote, mut is_escaped, mut is_comment) = (None, false, false);
    let hide = |byte: u8| {
        let is_hidden = is_comment || quote.is_some();
        match quote {
            Some(b'"') if byte == b'\\' && !is_escaped => is_escaped = true,
            Some(open) if byte == open && !is_escaped => quote = None,
            Some(_) => is_escaped = false,
            None if matches!(byte, b'"' | b'\'') && !is_comment => quote = Some(byte),
            None => is_comment |= byte == b'#',
        }
        if is_hidden { b' ' } else { byte }
    };
    line.bytes().map(hide).collect()
}

/// `stop = 1 // seconds`.
fn comment(code: &[u8], line: &str) -> Option<Found> {
    let at = code.windows(2).position(|pair| pair == b"//")?;
    let is_address = 0 < at && code[at - 1] == b':';
    let help = format!("write `# {}`", line[at + 2..].trim());
    (!is_address).then(|| (at..line.len(), "`//` does not begin a comment".to_owned(), help))
}

/// `stop: 1`.
fn colon(code: &[u8], line: &str) -> Option<Found> {
    let at = code.iter().position(|&byte| byte == b':')?;
    let key = line[..at].trim();
    let is_key = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if key.is_empty() || !key.bytes().all(is_key) {
        return None;
    }
    let message = format!("`{key}` is followed by `:` instead of `=`");
    Some((at..at + 1, message, format!("write `{key} = {}`", line[at + 1..].trim())))
}

/// Where values begin: behind each `=`.
fn values(code: &[u8]) -> impl Iterator<Item = usize> {
    let signs = code.iter().enumerate().filter(|(_, byte)| **byte == b'=');
    signs.map(|(at, _)| at + 1 + blanks(&code[at + 1..]))
}

fn blanks(code: &[u8]) -> usize {
    code.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// What is wrong with the value that begins there.
fn value(line: &str, begin: usize) -> Option<Found> {
    let rest = &line[begin..];
    if rest.starts_with('"') {
        return backslash(rest, begin);
    }
    let is_end = |letter: char| letter.is_whitespace() || "[]{}#\"'".contains(letter);
    let word = rest.split(is_end).next().unwrap_or_default();
    let (message, help) = number(word).or_else(|| keyword(word)).or_else(|| unquoted(word))?;
    let length = word.trim_end_matches(',').len();
    Some((begin..begin + length, message, help))
}

/// `C:\Users` in double quotes.
fn backslash(rest: &str, begin: usize) -> Option<Found> {
    let end = rest[1..].find('"').map_or(rest.len(), |at| at + 2);
    let inside = rest[..end].trim_matches('"');
    let at = inside.find('\\')?;
    let message = "a backslash in double quotes begins an escape".to_owned();
    let path = inside.replace('\\', "/");
    let help = format!("write a path with `/`: `\"{path}\"`, or in single quotes: `'{inside}'`");
    Some((begin + 1 + at..begin + 2 + at, message, help))
}

/// `0,1`, `1/10`, `0.1s`, `.5`.
fn number(word: &str) -> Option<(String, String)> {
    let word = word.trim_end_matches(',');
    let (number, rest) = word.split_at(number_length(word));
    let mut letters = rest.chars();
    let (first, second) = (letters.next()?, letters.next());
    let is_digit = |letter: Option<char>| letter.is_some_and(|it| it.is_ascii_digit());
    let message = |what: &str| format!("`{what}` is not a number");
    if number.is_empty() {
        let is_bare = first == '.' && is_digit(second);
        return is_bare.then(|| (message(word), format!("write `0{word}`")));
    }
    match first {
        ',' if is_digit(second) => Some((
            message(word),
            format!("write a decimal point: `{}`", word.replacen(',', ".", 1)),
        )),
        '/' if is_digit(second) => {
            Some((message(word), format!("write a fraction in quotes: `\"{word}\"`")))
        }
        _ if first.is_alphabetic() || "°%µ".contains(first) => {
            let help = format!(
                "write `{number}`; times are in seconds, and a value with a unit is written \
                 `{{ value = {number}, unit = \"{rest}\" }}`"
            );
            Some((message(word), help))
        }
        _ => None,
    }
}

/// How much of a word is a decimal number.
fn number_length(word: &str) -> usize {
    let sign = usize::from(word.starts_with(['+', '-']));
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(&word[sign..]);
    if whole == 0 {
        return 0;
    }
    let mut end = sign + whole;
    if word[end..].starts_with('.') && 0 < digits(&word[end + 1..]) {
        end += 1 + digits(&word[end + 1..]);
    }
    let power = word[end..].strip_prefix(['e', 'E']);
    let power = power.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    match power.map(|text| (word.len() - text.len(), digits(text))) {
        Some((start, count)) if 0 < count => start + count,
        _ => end,
    }
}

/// `True`.
fn keyword(word: &str) -> Option<(String, String)> {
    let word = word.trim_end_matches(',');
    let lower = word.to_ascii_lowercase();
    let is_slip = ["true", "false", "inf", "nan"].contains(&lower.as_str()) && lower != word;
    is_slip.then(|| (format!("`{word}` is not a value"), format!("write `{lower}`")))
}

/// `source.y`.
fn unquoted(word: &str) -> Option<(String, String)> {
    let word = word.trim_end_matches(',');
    let is_value = ["true", "false", "inf", "nan"].contains(&word);
    let is_text =
        word.starts_with(|letter: char| letter.is_alphabetic() || "./~*_".contains(letter));
    let help = || format!("write text in quotes: `\"{word}\"`");
    (is_text && !is_value).then(|| (format!("`{word}` is text without quotes"), help()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, at: usize, expected: Option<(&str, &str, &str)>) {
        let text = format!("[a]\n{line}\nb = 1\n");
        let found = find(&text, 4 + at);
        let found = found.map(|slip| (text[slip.place].to_owned(), slip.message, slip.help));
        let expected =
            expected.map(|(place, message, help)| (place.into(), message.into(), help.into()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn numbers_are_repaired() {
        let wrong = |line: &str, word: &str, help: &str| {
            check(line, line.len(), Some((word, &format!("`{word}` is not a number"), help)));
        };
        wrong("a = 0,1", "0,1", "write a decimal point: `0.1`");
        wrong("a = { k = -0,5, b = 1 }", "-0,5", "write a decimal point: `-0.5`");
        wrong("a = 1/30 # x", "1/30", "write a fraction in quotes: `\"1/30\"`");
        wrong("a = .5", ".5", "write `0.5`");
        wrong(
            "a = 1e-3µs",
            "1e-3µs",
            "write `1e-3`; times are in seconds, and a value with a unit is written \
             `{ value = 1e-3, unit = \"µs\" }`",
        );
    }

    #[test]
    fn text_and_signs_are_repaired() {
        check(
            "a = b.y",
            4,
            Some(("b.y", "`b.y` is text without quotes", "write text in quotes: `\"b.y\"`")),
        );
        check("a = True", 4, Some(("True", "`True` is not a value", "write `true`")));
        check("a: 1", 1, Some((":", "`a` is followed by `:` instead of `=`", "write `a = 1`")));
        check("a = 1 // x", 6, Some(("// x", "`//` does not begin a comment", "write `# x`")));
        check(
            r#"a = "C:\Users\x""#,
            9,
            Some((
                "\\",
                "a backslash in double quotes begins an escape",
                r#"write a path with `/`: `"C:/Users/x"`, or in single quotes: `'C:\Users\x'`"#,
            )),
        );
    }

    #[test]
    fn other_mistakes_are_left_to_the_parser() {
        for line in ["a = ", "a = [1, 2", "a = {", "= 1", "a = 1 b", "a = \"x // y: z", "", "é = 1"]
        {
            check(line, line.len(), None);
        }
    }
}
