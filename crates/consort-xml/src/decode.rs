//! From bytes to text: UTF-8, UTF-16, ISO-8859-1 and windows-1252, as XML files of tools have them.

use std::ops::Range;

/// A text, and what was doubtful about its bytes.
pub struct Decoded {
    /// The text without a byte order mark.
    pub text: String,
    /// Set if the bytes were not what they claim to be; they were read nevertheless.
    pub doubt: Option<Doubt>,
}

/// Bytes that are not what they claim to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// The encoding that the bytes claim.
    pub claim: Claim,
    /// Where in the decoded text the first doubtful character is.
    pub at: Range<usize>,
}

/// What bytes claim to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// UTF-8, for want of anything else; they were read one character per byte.
    Utf8,
    /// UTF-16, by their byte order mark; unpaired surrogates were replaced.
    Utf16,
}

/// Whether the `encoding` of an XML declaration counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// What is declared is used.
    Used,
    /// The format knows UTF-8 and UTF-16 only, whatever is declared.
    Ignored,
}

/// Encodings of one byte per character: how bytes are read that are no UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Narrow {
    /// ISO-8859-1.
    Latin1,
    /// windows-1252: ISO-8859-1 with printable characters from 0x80 to 0x9F.
    Windows1252,
}

/// Decodes by byte order mark, then by the XML declaration if that counts, then as UTF-8; bytes that are
/// no UTF-8 are read as `otherwise` has them.
pub fn decode(bytes: &[u8], declaration: Declaration, otherwise: Narrow) -> Decoded {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, otherwise),
        _ => match declared(bytes).filter(|_| declaration == Declaration::Used) {
            Some(encoding) => Decoded { text: narrow(bytes, encoding), doubt: None },
            None => utf8(bytes, otherwise),
        },
    }
}

/// The encoding that the XML declaration names, if it is one of one byte per character.
fn declared(bytes: &[u8]) -> Option<Narrow> {
    const DECLARATION_BYTES_MAX: usize = 256;
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let head = narrow(head, Narrow::Latin1);
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
    match value[1..].split(quote).next()?.to_ascii_lowercase().as_str() {
        "iso-8859-1" | "latin1" | "latin-1" | "iso8859-1" => Some(Narrow::Latin1),
        "windows-1252" | "cp1252" | "cp-1252" => Some(Narrow::Windows1252),
        _ => None,
    }
}

fn utf8(bytes: &[u8], otherwise: Narrow) -> Decoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.to_owned(), doubt: None },
        Err(error) => {
            // Everything before is ASCII or valid UTF-8; the latter grows when read byte by byte, so
            // count in the decoded text.
            let start = narrow(&bytes[..error.valid_up_to()], otherwise).len();
            doubted(narrow(bytes, otherwise), Claim::Utf8, Some(start))
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let units = bytes.as_chunks().0.iter().copied().map(unit);
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut doubtful = None;
    for decoded in char::decode_utf16(units) {
        if decoded.is_err() && doubtful.is_none() {
            doubtful = Some(text.len());
        }
        text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    doubted(text, Claim::Utf16, doubtful)
}

fn doubted(text: String, claim: Claim, start: Option<usize>) -> Decoded {
    let doubt = start.map(|at| Doubt { claim, at: at..text.ceil_char_boundary(at + 1) });
    Decoded { text, doubt }
}

/// The characters of windows-1252 from 0x80 to 0x9F; five are undefined and stay control characters.
const WINDOWS_1252_HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn narrow(bytes: &[u8], encoding: Narrow) -> String {
    let decode = |&byte: &u8| match (encoding, byte) {
        (Narrow::Windows1252, 0x80..=0x9F) => WINDOWS_1252_HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    bytes.iter().map(decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str, doubtful: bool) {
        let decoded = decode(bytes, Declaration::Used, Narrow::Windows1252);
        assert_eq!(decoded.text, expected);
        assert_eq!(decoded.doubt.is_some(), doubtful, "{expected}");
    }

    #[test]
    fn each_encoding_is_read() {
        check("<a>°C</a>".as_bytes(), "<a>°C</a>", false);
        check(b"\xEF\xBB\xBF<a/>", "<a/>", false);
        check(b"\xFF\xFE<\0a\0/\0>\0", "<a/>", false);
        check(b"\xFE\xFF\0<\0a\0/\0>", "<a/>", false);
        let latin = b"<?xml version='1.0' encoding = \"ISO-8859-1\"?><a>\xB0\x80</a>";
        check(latin, "<?xml version='1.0' encoding = \"ISO-8859-1\"?><a>°\u{80}</a>", false);
        let windows = b"<?xml version=\"1.0\" encoding='Windows-1252'?>\x80";
        check(windows, "<?xml version=\"1.0\" encoding='Windows-1252'?>€", false);
    }

    #[test]
    fn wrong_claims_are_repaired_and_said() {
        check(b"<a>\xB0C</a>", "<a>°C</a>", true);
        check(b"\xFF\xFE\x00\xD8<\0", "\u{FFFD}<", true);
    }

    #[test]
    fn a_declaration_can_be_ignored() {
        let text = b"<?xml version='1.0' encoding='windows-1252'?>\x80";
        let decoded = decode(text, Declaration::Ignored, Narrow::Latin1);
        assert!(decoded.text.ends_with('\u{80}'));
        assert_eq!(decoded.doubt.expect("it is not UTF-8").claim, Claim::Utf8);
    }

    #[test]
    fn the_first_doubtful_character_is_found_in_the_decoded_text() {
        let decoded = decode(b"\xC3\xA9 \xE9!", Declaration::Used, Narrow::Windows1252);
        let at = decoded.doubt.expect("it is not UTF-8").at;
        assert_eq!(&decoded.text[at], "é");
    }
}
