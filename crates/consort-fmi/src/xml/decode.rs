//! From bytes to text: UTF-8, UTF-16, ISO-8859-1 and windows-1252, as XML files of tools have them.

/// A text, and what had to be assumed to read it.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) repaired: Option<Repair>,
}

/// The bytes were not what they claim to be; they were read nevertheless.
pub(super) struct Repair {
    pub(super) message: String,
    pub(super) assumed: &'static str,
    /// Where in the decoded text the first doubtful character is.
    pub(super) offset: usize,
}

/// Decodes by byte order mark, then by the XML declaration, then as UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        _ => match declared(bytes).as_deref() {
            Some("iso-8859-1" | "latin1" | "latin-1" | "iso8859-1") => {
                exact(bytes.iter().map(|&byte| char::from(byte)).collect())
            }
            Some("windows-1252" | "cp1252" | "cp-1252") => exact(windows_1252(bytes)),
            _ => utf8(bytes),
        },
    }
}

fn exact(text: String) -> Decoded {
    Decoded { text, repaired: None }
}

/// The `encoding` of the XML declaration, in lower case.
fn declared(bytes: &[u8]) -> Option<String> {
    const DECLARATION_BYTES_MAX: usize = 256;
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let head: String = head.iter().map(|&byte| char::from(byte)).collect();
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
    Some(value[1..].split(quote).next()?.to_ascii_lowercase())
}

fn utf8(bytes: &[u8]) -> Decoded {
    match std::str::from_utf8(bytes) {
        Ok(text) => exact(text.to_owned()),
        Err(error) => {
            // Everything before is ASCII or valid UTF-8; the latter grows when read as 1252, so
            // count in the decoded text.
            let offset = windows_1252(&bytes[..error.valid_up_to()]).len();
            let repaired = Repair {
                message: "the text is not UTF-8 although it claims to be".to_owned(),
                assumed: "it was read as windows-1252",
                offset,
            };
            Decoded { text: windows_1252(bytes), repaired: Some(repaired) }
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut doubtful = None;
    for decoded in char::decode_utf16(units) {
        if decoded.is_err() && doubtful.is_none() {
            doubtful = Some(text.len());
        }
        text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let repaired = doubtful.map(|offset| Repair {
        message: "the text is not UTF-16 although its byte order mark says so".to_owned(),
        assumed: "unpaired surrogates were replaced",
        offset,
    });
    Decoded { text, repaired }
}

/// The characters of windows-1252 from 0x80 to 0x9F; five are undefined and stay control characters.
const WINDOWS_1252_HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn windows_1252(bytes: &[u8]) -> String {
    let decode = |&byte: &u8| match byte {
        0x80..=0x9F => WINDOWS_1252_HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    bytes.iter().map(decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str, repaired: bool) {
        let decoded = decode(bytes);
        assert_eq!(decoded.text, expected);
        assert_eq!(decoded.repaired.is_some(), repaired, "{expected}");
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
    fn the_first_doubtful_character_is_found_in_the_decoded_text() {
        let decoded = decode(b"\xC3\xA9 \xE9");
        let offset = decoded.repaired.expect("it is not UTF-8").offset;
        assert_eq!(&decoded.text[offset..], "é");
    }
}
