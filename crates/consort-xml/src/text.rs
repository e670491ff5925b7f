//! XML as it is written: indented, escaped.

use std::fmt::Write as _;

/// Elements one below the other; those without content are closed at once.
#[derive(Default)]
pub struct Text {
    out: String,
    depth: usize,
    /// The last opening has no content yet, so it may still become `<a/>`.
    is_open: bool,
}

impl Text {
    /// Goes one level in without an element.
    pub fn indent(&mut self) {
        self.depth += 1;
    }

    /// Begins an element; what follows is in it.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.line(name, attributes);
        self.is_open = true;
        self.depth += 1;
    }

    /// Ends the element of this name, which was opened last.
    pub fn close(&mut self, name: &str) {
        self.depth -= 1;
        if self.is_open {
            self.out.push_str("/>\n");
            self.is_open = false;
            return;
        }
        let _ = writeln!(self.out, "{:1$}</{name}>", "", 2 * self.depth);
    }

    /// An element without content.
    pub fn leaf(&mut self, name: &str, attributes: &[(&str, &str)]) {
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
    pub fn finish(mut self) -> String {
        self.end_opening();
        self.out
    }
}

/// Attributes as [`Text`] takes them.
pub fn borrowed<'a>(attributes: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Whether XML can hold the character at all.
pub fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text for an attribute, or between tags. What XML cannot hold becomes the replacement character.
pub fn escaped(text: &str) -> String {
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
pub fn float(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if 0.0 < value { "INF".to_owned() } else { "-INF".to_owned() }
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_say_is_escaped_or_replaced() {
        for (text, written) in [
            ("a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;"),
            ("tab\tline\n", "tab&#9;line&#10;"),
            ("\u{0}\u{1b}\u{FFFE}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("größe ☃", "größe ☃"),
        ] {
            assert_eq!(escaped(text), written);
        }
    }

    #[test]
    fn numbers_are_read_back_as_they_were() {
        for value in [0.1, -0.0, 1e300, f64::MIN_POSITIVE, 1.0 / 3.0] {
            assert_eq!(float(value).parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(float);
        assert_eq!(odd, ["NaN", "INF", "-INF"]);
    }

    #[test]
    fn elements_without_content_are_closed_at_once() {
        let mut text = Text::default();
        text.open("a", &[("b", "<")]);
        text.leaf("c", &[]);
        text.open("d", &[]);
        text.leaf("e", &[]);
        text.close("d");
        text.close("a");
        let text = text.finish();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, ["<a b=\"&lt;\">", "  <c/>", "  <d>", "    <e/>", "  </d>", "</a>"]);
    }
}
