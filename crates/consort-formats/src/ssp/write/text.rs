//! XML as text: indented, escaped.

use consort_core::Seconds;
use std::fmt::Write as _;

/// Elements one below the other; those without content are closed at once.
#[derive(Default)]
pub(super) struct Text {
    out: String,
    depth: usize,
    /// The last opening has no content yet, so it may still become `<a/>`.
    is_open: bool,
}

impl Text {
    /// Goes one level in without an element.
    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.line(name, attributes);
        self.is_open = true;
        self.depth += 1;
    }

    pub(super) fn close(&mut self, name: &str) {
        self.depth -= 1;
        if self.is_open {
            self.out.push_str("/>\n");
            self.is_open = false;
            return;
        }
        let _ = writeln!(self.out, "{:1$}</{name}>", "", 2 * self.depth);
    }

    pub(super) fn leaf(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.close(name);
    }

    fn line(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.end_opening();
        let _ = write!(self.out, "{:1$}<{name}", "", 2 * self.depth);
        for (name, value) in attributes {
            let _ = write!(self.out, " {name}=\"{}\"", escaped(value));
        }
    }

    fn end_opening(&mut self) {
        if self.is_open {
            self.out.push_str(">\n");
            self.is_open = false;
        }
    }

    /// Everything written; what is open stays open.
    pub(super) fn finish(mut self) -> String {
        self.end_opening();
        self.out
    }
}

/// Attributes as [`Text`] takes them.
pub(super) fn borrowed<'a>(attributes: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Whether XML can hold the character at all.
pub(super) fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text for an attribute. What XML cannot hold becomes the replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c if is_allowed(c) => out.push(c),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out
}

/// The shortest text that is read back as the same double, as XML Schema has it.
pub(super) fn float(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if 0.0 < value { "INF".to_owned() } else { "-INF".to_owned() }
    } else {
        format!("{value:?}")
    }
}

/// A time as a decimal, rounded if no decimal is exact.
pub(super) fn decimal(time: Seconds) -> String {
    let exact = time.to_string();
    if exact.contains('/') { float(time.to_f64()) } else { exact }
}
