//! Patterns that choose variables: `tank.level`, `tank.*`, `*.level`.

/// Whether a pattern of `record`, `plot` or `unhashed` chooses a variable, given as
/// `component.variable`. A `*` matches any characters, dots included.
///
/// ```
/// use consort_system::resolve::pattern_matches;
///
/// assert!(pattern_matches("tank.*", "tank.level"));
/// assert!(pattern_matches("*.level", "tank.level"));
/// assert!(!pattern_matches("tank", "tank.level"));
/// ```
pub fn pattern_matches(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.as_bytes(), path.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Where to continue if what followed the last star does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while seen < path.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, seen));
                at += 1;
            }
            Some(byte) if *byte == path[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                (at, seen) = (star, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::pattern_matches;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, path, expected) in [
            ("*", "a.b", true),
            ("a.*", "a.b.c", true),
            ("*.c", "a.b.c", true),
            ("*.b", "a.b.c", false),
            ("a*c", "abc", true),
            ("a*b*c", "axxbyybzzc", true),
            ("a*b*c", "axxbyyb", false),
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("a.b*", "a.b", true),
            ("", "", true),
            ("", "a", false),
            ("*a", "aaab", false),
            ("*é", "é", true),
        ] {
            assert_eq!(pattern_matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
