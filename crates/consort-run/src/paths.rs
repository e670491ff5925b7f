//! Paths as they are seen from another place, and the working folder, which an FMU may leave.

use consort_core::ModelReference;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the program was started: relative paths are meant from there.
static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();
static WAS_LEFT: AtomicBool = AtomicBool::new(false);

/// Remembers the working folder, before any FMU can leave it.
pub fn keep_working_folder() {
    if let Ok(folder) = std::env::current_dir() {
        STARTED_IN.get_or_init(|| folder);
    }
}

/// Goes back to where the program was started, if an FMU in this process has left it.
pub fn return_to_working_folder() {
    let Some(started_in) = STARTED_IN.get() else { return };
    let is_there = std::env::current_dir().is_ok_and(|now| now == *started_in);
    if !is_there && std::env::set_current_dir(started_in).is_ok() {
        WAS_LEFT.store(true, Ordering::Relaxed);
    }
}

/// Whether that was necessary since the last call.
pub fn was_working_folder_left() -> bool {
    WAS_LEFT.swap(false, Ordering::Relaxed)
}

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

/// A word as a shell needs it.
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=+:,@%".contains(letter);
    match word {
        "" => "''".to_owned(),
        _ if word.chars().all(is_plain) => word.to_owned(),
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A path that was given in a folder: found there, or else from here.
pub fn found(folder: &str, path: &str) -> PathBuf {
    let there = Path::new(folder).join(path);
    if there.exists() { there } else { PathBuf::from(path) }
}

/// The system that was given in a folder.
pub fn found_system(folder: &str, path: &str) -> PathBuf {
    // The files of a native block are beside where it was typed.
    match ModelReference::is_native(path) {
        true => Path::new(folder).join(path),
        false => found(folder, path),
    }
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
