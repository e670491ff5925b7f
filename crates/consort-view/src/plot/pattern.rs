//! Patterns for names of variables: `tank.level`, `tank.*`, `*.level`.

/// Whether `name` is what `pattern` says; `*` matches any text.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name) in [
            ("tank.level", "tank.level"),
            ("tank.*", "tank.level"),
            ("*.level", "tank.level"),
            ("*", "tank.level"),
            ("t*k.*l", "tank.level"),
            ("*.x[*]", "rod.x[3]"),
            ("**", ""),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("tank", "tank.level"),
            ("tank.*", "tank"),
            ("*.level", "tank.levels"),
            ("a*a", "a"),
            ("", "tank"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
