//! Paths as they are seen from another place.

use std::path::{Component, Path, PathBuf};

/// Absolute and without `..`; links are followed as far as it exists.
pub fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = Vec::new();
    for ancestor in absolute.ancestors() {
        if let Ok(found) = ancestor.canonicalize() {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        rest.extend(ancestor.file_name());
    }
    absolute
}

/// From one folder to a file, with `/`.
pub fn relative(from: &Path, to: &Path) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let up = a[common..].iter().map(|_| "..".to_owned());
    let down = b[common..]
        .iter()
        .map(|part: &Component<'_>| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::relative;
    use std::path::Path;

    #[test]
    fn paths_are_relative_to_where_they_are_read() {
        for (from, to, path) in [
            ("/a/b", "/a/b/c.fmu", "c.fmu"),
            ("/a/b", "/a/c/d.fmu", "../c/d.fmu"),
            ("/a/b/c", "/a/d.fmu", "../../d.fmu"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), path);
        }
    }
}
