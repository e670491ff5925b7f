//! Numbers and names as C spells them.

/// A double as an expression that stands for exactly this value.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        "NAN".to_owned()
    } else if value.is_infinite() {
        if value < 0.0 { "(-INFINITY)".to_owned() } else { "INFINITY".to_owned() }
    } else if value.is_sign_negative() {
        format!("({value:?})")
    } else {
        // The shortest digits that give the same bits; always with a point or an exponent.
        format!("{value:?}")
    }
}

/// A text as a string literal, whatever is in it.
pub(super) fn string(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for byte in text.bytes() {
        let is_plain = byte == b' ' || byte.is_ascii_graphic();
        // A question mark could begin a trigraph.
        if is_plain && !matches!(byte, b'"' | b'\\' | b'?') {
            literal.push(char::from(byte));
        } else {
            literal.push_str(&format!("\\{byte:03o}"));
        }
    }
    literal.push('"');
    literal
}

/// A table of constants; C has no empty ones.
pub(super) fn table(kind: &str, name: &str, values: &[String]) -> String {
    let mut text = format!("static const {kind} {name}[{}] = {{", values.len().max(1));
    for line in values.chunks(8) {
        text.push_str("\n    ");
        text.push_str(&line.join(", "));
        text.push(',');
    }
    if values.is_empty() {
        text.push_str(" 0 ");
    } else {
        text.push('\n');
    }
    text + "};\n"
}

/// FNV-1a, 64 bits: distinguishes contents.
pub(super) fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_doubles_in_c() {
        for (value, expected) in [
            (1.0, "1.0"),
            (-0.0, "(-0.0)"),
            (0.1, "0.1"),
            (-2.5e-9, "(-2.5e-9)"),
            (1e300, "1e300"),
            (f64::MIN_POSITIVE / 4.0, "5.562684646268003e-309"),
            (f64::INFINITY, "INFINITY"),
            (f64::NEG_INFINITY, "(-INFINITY)"),
            (f64::NAN, "NAN"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn names_cannot_leave_their_string() {
        assert_eq!(string("h"), "\"h\"");
        assert_eq!(string("a\"b\\c??/\n"), "\"a\\042b\\134c\\077\\077/\\012\"");
        assert_eq!(string("ä1"), "\"\\303\\2441\"");
    }
}
