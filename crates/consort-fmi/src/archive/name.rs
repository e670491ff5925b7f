//! Names of entries: decoding, and whether they stay below the folder they are unpacked into.

use super::{ArchiveLimits, Problem};

/// The name is UTF-8 (general purpose flag bit 11).
const FLAG_UTF8: u16 = 1 << 11;

/// The characters of code page 437 from 0x80 on, which names without the UTF-8 flag are in.
const CODE_PAGE_437_HIGH: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The name as text, and whether its encoding was guessed.
///
/// Many tools write UTF-8 and forget the flag, so that is tried first.
pub(super) fn decode(raw: &[u8], flags: u16) -> Result<(String, bool), Problem> {
    if let Ok(text) = std::str::from_utf8(raw) {
        return Ok((text.to_owned(), false));
    }
    if flags & FLAG_UTF8 != 0 {
        let name = String::from_utf8_lossy(raw);
        let name = crate::xml::shorten(&name);
        return Err(Problem::damaged(format!("has an entry `{name}` whose name is not UTF-8")));
    }
    let high: Vec<char> = CODE_PAGE_437_HIGH.chars().collect();
    let decode = |&byte: &u8| match byte {
        0x80.. => high[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    Ok((raw.iter().map(decode).collect(), true))
}

/// A path as this archive's reader uses it: `/` between folders, also where tools for Windows write
/// backslashes, and no `.`, which some tools begin every name with.
///
/// What would leave the folder still does: it is for [`path_fault`] to find.
pub(crate) fn plain(path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_folder = path.ends_with('/') || path.ends_with("/.");
    let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
    let plain = parts.join("/");
    if is_folder && !plain.ends_with('/') && !plain.is_empty() { plain + "/" } else { plain }
}

/// Whether a name stands for the top of the archive: `./`.
pub(super) fn is_top(raw: &[u8]) -> bool {
    matches!(raw, b"." | b"./" | b".\\")
}

/// Longest name of one file or folder (bytes); file systems allow no more.
const COMPONENT_BYTES_MAX: usize = 255;

/// Why a path may not be unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathFault {
    /// About the path: `is absolute`.
    pub(crate) what: &'static str,
    /// It could write elsewhere; otherwise it is only too much.
    pub(crate) escapes: bool,
}

/// What is wrong with a path; `None` if it is relative, has `/` between its components, and never
/// leaves its folder.
pub(crate) fn path_fault(path: &str, limits: &ArchiveLimits) -> Option<PathFault> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let component = |is_bad: fn(&str) -> bool| path.split('/').any(is_bad);
    let escapes = [
        (path.is_empty(), "is empty"),
        (path.chars().any(char::is_control), "contains a control character"),
        (path.starts_with('/'), "is absolute"),
        (path.as_bytes().get(1) == Some(&b':'), "names a drive"),
        (path.contains('\\'), "contains a backslash"),
        (component(|name| name == ".."), "leads out of its folder"),
        (component(|name| name.is_empty() || name == "."), "has an empty component"),
    ];
    let exceeds = [
        (limits.name_bytes_max < path.len(), "is too long"),
        (component(|name| COMPONENT_BYTES_MAX < name.len()), "is too long"),
        (limits.depth_max < path.split('/').count(), "has too many folders within folders"),
    ];
    let first =
        |faults: &[(bool, &'static str)]| faults.iter().find(|(is_bad, _)| *is_bad).copied();
    match (first(&escapes), first(&exceeds)) {
        (Some((_, what)), _) => Some(PathFault { what, escapes: true }),
        (None, Some((_, what))) => Some(PathFault { what, escapes: false }),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_stay_inside_are_accepted() {
        let limits = ArchiveLimits::default();
        for path in ["modelDescription.xml", "resources/", "a/b/c.d", "..a/b..", "für/x", "a b/c"]
        {
            assert_eq!(path_fault(path, &limits), None, "{path}");
        }
        for path in ["", "/", "..", "a/../b", "/etc/passwd", "C:x", "a\\b", "a//b", "./a", "a\0b"] {
            assert!(path_fault(path, &limits).is_some(), "{path}");
        }
        assert!(path_fault(&"a/".repeat(40), &limits).is_some());
        assert!(path_fault(&"a".repeat(256), &limits).is_some());
    }

    #[test]
    fn names_are_made_plain_before_they_are_judged() {
        for (path, expected) in [
            ("./modelDescription.xml", "modelDescription.xml"),
            ("././a", "a"),
            ("a/./b", "a/b"),
            ("./resources/", "resources/"),
            ("resources/.", "resources/"),
            ("resources\\a.txt", "resources/a.txt"),
            (".\\binaries\\", "binaries/"),
            (".hidden/..a", ".hidden/..a"),
            ("..\\..\\evil.dll", "../../evil.dll"),
            ("\\\\server\\share", "//server/share"),
            ("C:\\evil.dll", "C:/evil.dll"),
            ("/./etc/passwd", "/etc/passwd"),
            (".//etc/passwd", "/etc/passwd"),
            ("a//b", "a//b"),
            ("./", ""),
            ("", ""),
        ] {
            assert_eq!(plain(path), expected, "{path}");
        }
    }

    #[test]
    fn names_of_old_tools_are_read_in_their_code_page() {
        assert_eq!(CODE_PAGE_437_HIGH.chars().count(), 128);
        let decoded = |raw: &[u8], flags| decode(raw, flags).ok();
        assert_eq!(decoded("für".as_bytes(), 0), Some(("für".to_owned(), false)));
        assert_eq!(decoded(b"f\x81r", 0), Some(("für".to_owned(), true)));
        assert_eq!(decoded(b"f\x81r", FLAG_UTF8), None);
    }
}
