//! The invariants of ARCHITECTURE.md, checked. Each is an absence: something that must not be there.

mod arrows;
mod codes;
mod modules;
mod names;
mod orphans;
mod references;
mod text;
mod tokens;

use crate::ci::root;
use crate::say;
use std::fs;
use std::path::{Path, PathBuf};

/// Prints every violation; true if there is none.
pub(crate) fn run() -> bool {
    let found = violations();
    for violation in &found {
        say(violation);
    }
    say(&format!("tidy: {} violations", found.len()));
    found.is_empty()
}

/// Writes the index of all codes; true if it could.
pub(crate) fn write_index_of_codes() -> bool {
    codes::write_index()
}

fn violations() -> Vec<String> {
    let files = source_files();
    let mut found = arrows::violations();
    found.extend(modules::violations());
    found.extend(names::violations());
    found.extend(codes::violations());
    found.extend(references::violations());
    for path in &files {
        let source = fs::read_to_string(path).expect("a source file is readable");
        found.extend(orphans::violation(path));
        found.extend(text::violations(&relative(path), &source));
    }
    found.extend(example_violations());
    found.extend(document_violations());
    found
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("everything lies below the root");
    path.to_str().expect("our names are plain").replace('\\', "/")
}

/// Every Rust file of ours.
fn source_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root().join(folder), &mut files);
    }
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours is readable") {
        let path = entry.expect("an entry of ours is readable").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// An example has a README with its equations and a diagram, and the list of all leads to it.
fn example_violations() -> Vec<String> {
    let overview = fs::read_to_string(root().join("docs/examples.md")).unwrap_or_default();
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("examples")).expect("the examples folder is there") {
        let folder = entry.expect("an example is readable").path();
        if !folder.is_dir() {
            continue;
        }
        let name = relative(&folder);
        let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        if !(readme.contains("```") && readme.contains("cargo run --release -- run ")) {
            found.push(format!("{name}: no README.md with a diagram and the command"));
        }
        if !overview.contains(&format!("(../{name}/README.md)")) {
            found.push(format!("docs/examples.md: does not mention {name}"));
        }
    }
    found.sort();
    found
}

/// ARCHITECTURE.md mentions every crate.
fn document_violations() -> Vec<String> {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_default();
    let missing =
        arrows::crate_names().into_iter().filter(|name| !map.contains(&format!("`{name}`")));
    missing.map(|name| format!("ARCHITECTURE.md: does not mention `{name}`")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_architecture_is_as_documented() {
        let found = super::violations();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
