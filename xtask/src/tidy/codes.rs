//! Every code of a diagnostic has its section in `docs/codes`, and every section its code.

mod index;
mod pages;

use super::relative;
use super::tokens::{Token, tokens_and_strings};
use crate::ci::root;
use pages::Area;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Where the pages are.
const FOLDER: &str = "docs/codes";
/// The library's module that carries them.
const CARRIER: &str = "crates/consort/src/explain.rs";
/// A crate whose diagnostics are seen by tests only.
const FOR_TESTS: &str = "consort-testkit";
const WRITE_INDEX: &str = "run `cargo xtask codes`";

pub(super) fn violations() -> Vec<String> {
    let (areas, mut found) = read_areas();
    found.extend(judge(&areas, &codes_in_source()));
    let carrier = fs::read_to_string(root().join(CARRIER)).unwrap_or_default();
    for area in areas.iter().filter(|area| !carrier.contains(&format!("\"{}\"", area.name))) {
        found.push(format!("{CARRIER}: does not include {}", area.file()));
    }
    if fs::read_to_string(index_file()).unwrap_or_default() != index::text(&areas) {
        found.push(format!("{FOLDER}/README.md: is not up to date: {WRITE_INDEX}"));
    }
    found
}

/// Writes the index; true if it could.
pub(super) fn write_index() -> bool {
    fs::write(index_file(), index::text(&read_areas().0)).is_ok()
}

fn index_file() -> PathBuf {
    root().join(FOLDER).join("README.md")
}

/// The pages by area, and what is wrong with their form.
fn read_areas() -> (Vec<Area>, Vec<String>) {
    let entries = fs::read_dir(root().join(FOLDER)).expect("the folder of codes is readable");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| *path != index_file());
    files.sort();
    let (mut areas, mut faults) = (Vec::new(), Vec::new());
    for path in &files {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let text = fs::read_to_string(path).expect("a page of ours is readable");
        areas.push(pages::read(name, &text, &mut faults));
    }
    (areas, faults)
}

/// The codes that the product gives, each with its first place.
fn codes_in_source() -> BTreeMap<String, String> {
    let mut codes = BTreeMap::new();
    for path in super::source_files() {
        let file = relative(&path);
        if is_product(&file) {
            let source = fs::read_to_string(&path).expect("a source file is readable");
            for (code, line) in codes_of(&source) {
                codes.entry(code).or_insert_with(|| format!("{file}:{line}"));
            }
        }
    }
    codes
}

fn is_product(file: &str) -> bool {
    let is_for_tests = file.ends_with("/tests.rs") || file.contains("/tests/");
    let is_shipped = file.starts_with("crates/") && !file.contains(FOR_TESTS);
    is_shipped && file.contains("/src/") && !is_for_tests
}

/// The strings of the form of a code, and their lines; those of serde name functions.
fn codes_of(source: &str) -> Vec<(String, usize)> {
    let tokens = tokens_and_strings(source);
    let names_function = |before: &[Token<'_>]| match before {
        [.., with, equals] => equals.text == "=" && with.text.ends_with("with"),
        _ => false,
    };
    let strings = tokens.iter().enumerate().filter(|(at, _)| !names_function(&tokens[..*at]));
    let code = |(_, token): (usize, &Token<'_>)| {
        let text = token.text.strip_prefix('"')?.strip_suffix('"')?;
        is_code(text).then(|| (text.to_owned(), token.line))
    };
    strings.filter_map(code).collect()
}

/// `area::name` in small letters, digits and hyphens.
fn is_code(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
    text.split_once("::").is_some_and(|(area, name)| {
        is_name(area) && is_name(name) && (area.to_owned() + name).chars().all(is_letter)
    })
}

fn judge(areas: &[Area], given: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let has_section =
        |code: &str| areas.iter().any(|area| area.sections.iter().any(|it| it.code == code));
    for (code, place) in given.iter().filter(|(code, _)| !has_section(code)) {
        let area = code.split_once("::").map_or("", |(area, _)| area);
        found.push(format!("{place}: `{code}` has no section in {FOLDER}/{area}.md"));
    }
    for area in areas {
        for section in area.sections.iter().filter(|it| !given.contains_key(&it.code)) {
            let place = format!("{}:{}", area.file(), section.line);
            found.push(format!("{place}: nothing gives the code `{}`", section.code));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_code_only() {
        let source = r#"
            //! "doc::comment"
            Diagnostic::error("run::call", "std::fs and a::b");
            #[serde(with = "crate::exact", deserialize_with = "named::number")]
            const CODE: &str = "cli::bad-time";
            #[cfg(test)]
            mod tests { fn f() { g("test::odd"); } }
        "#;
        let codes: Vec<String> = codes_of(source).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["run::call", "cli::bad-time"]);
        for wrong in ["a_b::c", "a::", "::b", "a::b::c", "A::b", "tcp::80"] {
            assert!(!is_code(wrong), "{wrong}");
        }
    }

    #[test]
    fn codes_without_section_and_sections_without_code_are_found() {
        let page = "# `run::...`: while a system runs\n\nA run failed.\n\n## run::call\n\n\
                    A call failed.\n\n**Example.**\n\n```text\nx\n```\n\n**Cure.** Mend it.\n";
        let mut faults = Vec::new();
        let areas = [pages::read("run", page, &mut faults)];
        assert_eq!(faults, [""; 0]);
        let check = |codes: &[&str], expected: &[&str]| {
            let given = codes.iter().map(|code| ((*code).to_owned(), "a.rs:7".to_owned()));
            assert_eq!(judge(&areas, &given.collect()), expected);
        };
        check(&["run::call"], &[]);
        check(
            &["run::odd"],
            &[
                "a.rs:7: `run::odd` has no section in docs/codes/run.md",
                "docs/codes/run.md:5: nothing gives the code `run::call`",
            ],
        );
    }
}
