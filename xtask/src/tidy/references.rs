//! No text refers to something outside the repository.

use super::relative;
use crate::ci::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of files that are texts of ours.
const TEXTS: [&str; 12] =
    ["rs", "md", "toml", "c", "h", "py", "eq", "conf", "yml", "sh", "txt", "csv"];

/// What a reader of the repository cannot open. The halves are joined here so that this file does not
/// violate itself.
fn outside() -> [String; 7] {
    let join = |a: &str, b: &str| format!("{a}{b}");
    [
        join("seed ", "00"),
        join("seeds ", "00"),
        join("../", "shared/"),
        join("notes/", "flows"),
        join("notes/", "models"),
        join("notes/", "snapshots"),
        join("DESIGN ", "section"),
    ]
}

pub(super) fn violations() -> Vec<String> {
    let mut files = Vec::new();
    collect(&root(), &mut files);
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        // What is not UTF-8 is a test's input, no text of ours.
        if let Ok(text) = fs::read_to_string(path) {
            found.extend(judge(&relative(path), &text));
        }
    }
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours is readable") {
        let path = entry.expect("an entry of ours is readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, files);
        } else if TEXTS.iter().any(|extension| path.extension().is_some_and(|it| it == *extension))
        {
            files.push(path);
        }
    }
}

fn judge(file: &str, text: &str) -> Vec<String> {
    let outside = outside();
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(named) = outside.iter().find(|named| line.contains(*named)) {
            found.push(format!(
                "{file}:{}: `{named}` is outside the repository: cite the paper by author and year, \
                 or say here what it says",
                index + 1
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_the_outside_are_found() {
        for named in outside() {
            let found = judge("a.md", &format!("fine\nsee {named}1\n")).join("");
            assert!(found.starts_with(&format!("a.md:2: `{named}`")), "{found}");
        }
        assert_eq!(judge("a.md", "Chaudron et al. (2016); the seed 7; a shared/x"), [""; 0]);
    }
}
