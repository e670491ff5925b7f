//! Text in pictures: how wide it is, how it is cut to fit, how it is written in XML.

/// Advance widths of `' '..='~'` in DejaVu Sans, in hundredths of the font size. It is the widest
/// of the common fonts: what fits in it fits in the others.
const WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75,
    79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,
    63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// How wide a text is, in pixels.
pub fn width(text: &str, font_size: f64) -> f64 {
    let hundredths: u32 = text.chars().map(char_width).sum();
    f64::from(hundredths) * font_size / 100.0
}

fn char_width(character: char) -> u32 {
    let index = (character as usize).wrapping_sub(' ' as usize);
    match WIDTHS.get(index) {
        Some(&width) => u32::from(width),
        None if '\u{1100}' <= character && !('\u{2000}'..'\u{2e80}').contains(&character) => 100,
        None if matches!(character, '…' | '→' | '←' | '×' | '\u{2212}') => 100,
        None => 70,
    }
}

/// The text, or its beginning and its end around an ellipsis where it is wider than `limit`.
/// Names differ at both ends: `plant.tank_1.level`, `plant.tank_2.level`.
pub fn fit_middle(text: &str, font_size: f64, limit: f64) -> String {
    if width(text, font_size) <= limit {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let (head, tail) = (kept / 2, kept - kept / 2);
        let end = &characters[characters.len() - tail..];
        characters[..head].iter().chain(&['…']).chain(end).collect()
    };
    let fits = |kept: &usize| width(&shortened(*kept), font_size) <= limit;
    shortened((1..characters.len()).rev().find(fits).unwrap_or(0))
}

/// The text, or as much of its beginning as fits, ending in an ellipsis.
pub(super) fn fit_end(text: &str, font_size: f64, limit: f64) -> String {
    if width(text, font_size) <= limit {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = limit - width("…", font_size);
    for character in text.chars() {
        room -= f64::from(char_width(character)) * font_size / 100.0;
        if room < 0.0 {
            break;
        }
        kept.push(character);
    }
    format!("{}…", kept.trim_end())
}

/// The text on at most `lines` lines, broken between words; the last line is cut to fit.
pub(super) fn wrap(text: &str, font_size: f64, limit: f64, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = wrapped.len() == lines;
        match wrapped.last_mut() {
            Some(line) if is_full || width(&format!("{line} {word}"), font_size) <= limit => {
                *line = format!("{line} {word}");
            }
            _ => wrapped.push(word.to_owned()),
        }
    }
    wrapped.iter().map(|line| fit_end(line, font_size, limit)).collect()
}

/// The text as XML may hold it; characters that XML forbids become the replacement character.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The text without characters that would steer a terminal.
pub(super) fn escape_terminal(text: &str) -> String {
    let plain = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(fit_middle("tank.level", 12.0, 100.0), "tank.level");
        let cut = fit_middle("plant.reactor.very_long_name.tank_2.level", 12.0, 120.0);
        assert!(cut.starts_with("plant.") && cut.ends_with(".level"), "{cut}");
        assert!(width(&cut, 12.0) <= 120.0);
        assert_eq!(fit_middle("tank", 12.0, 1.0), "…");
    }

    #[test]
    fn titles_break_between_words_and_end_in_an_ellipsis() {
        assert_eq!(wrap("one two three", 10.0, 60.0, 3), ["one two", "three"]);
        assert_eq!(wrap("", 10.0, 60.0, 2), [""; 0]);
        let two = wrap("one two three four five six seven", 10.0, 60.0, 2);
        assert_eq!(two.len(), 2);
        assert!(two[1].ends_with('…'), "{two:?}");
    }

    #[test]
    fn nothing_in_a_name_can_break_the_markup() {
        assert_eq!(escape("a<b>&\"c'\u{0}\n"), "a&lt;b&gt;&amp;&quot;c&#39;\u{fffd} ");
    }
}
