//! One type name, one concept: no name twice within a crate, no `pub` name in two crates.

use super::tokens::{Token, tokens};
use super::{arrows, relative};
use crate::ci::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Names that may be defined twice, each with the reason.
const EXCEPTIONS: &[(&str, &str)] =
    &[("Run", "one concept in two layers: the run of the library drives that of the engine")];

/// A crate whose names are seen by its tests only.
const FOR_TESTS: &str = "consort-testkit";

/// Where a type is defined.
#[derive(Clone)]
struct Definition {
    name: String,
    /// The package, not the path of the file.
    package: String,
    /// Whether it is plainly `pub`; other packages can then meet it.
    is_public: bool,
    place: String,
}

pub(super) fn violations() -> Vec<String> {
    let mut all = Vec::new();
    for package in packages() {
        all.extend(definitions_of(&package));
    }
    judge(&all, EXCEPTIONS)
}

fn packages() -> Vec<String> {
    let product = arrows::crate_names().into_iter().filter(|name| name != FOR_TESTS);
    product.chain(["xtask".to_owned()]).collect()
}

fn definitions_of(package: &str) -> Vec<Definition> {
    let folder = if package == "xtask" { root() } else { root().join("crates") };
    let mut files = Vec::new();
    super::collect(&folder.join(package).join("src"), &mut files);
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        let place = relative(path);
        if !(place.ends_with("/tests.rs") || place.contains("/tests/")) {
            let source = fs::read_to_string(path).expect("a source file is readable");
            found.extend(definitions(package, &place, &source));
        }
    }
    found
}

/// The types that a file defines; associated types are not among them.
fn definitions(package: &str, file: &str, source: &str) -> Vec<Definition> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    // Whether each open brace is that of a module.
    let mut braces: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let in_module = braces.iter().all(|is_module| *is_module);
        match token.text {
            "{" => braces.push(2 <= at && tokens[at - 2].text == "mod"),
            "}" => _ = braces.pop(),
            "struct" | "enum" | "trait" | "union" => {}
            "type" if in_module => {}
            _ => continue,
        }
        let Some(name) = tokens.get(at + 1).filter(|next| is_type_name(next.text)) else {
            continue;
        };
        if !matches!(token.text, "{" | "}") {
            found.push(Definition {
                name: name.text.to_owned(),
                package: package.to_owned(),
                is_public: is_public(&tokens[..at]),
                place: format!("{file}:{}", name.line),
            });
        }
    }
    found
}

fn is_type_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether what stands before the keyword of a definition ends in a plain `pub`.
fn is_public(before: &[Token<'_>]) -> bool {
    let mut before = before.iter().rev().map(|token| token.text).filter(|text| *text != "unsafe");
    before.next() == Some("pub")
}

/// Names that are double and may not be, and exceptions that are not double.
fn judge(all: &[Definition], exceptions: &[(&str, &str)]) -> Vec<String> {
    let mut by_name: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
    for definition in all {
        by_name.entry(&definition.name).or_default().push(definition);
    }
    by_name.retain(|_, same| clashes(same));
    let mut found = Vec::new();
    for (name, same) in &by_name {
        if !exceptions.iter().any(|(known, _)| known == name) {
            let places: Vec<&str> = same.iter().map(|it| it.place.as_str()).collect();
            found.push(format!(
                "type `{name}` is defined in {}: give all but one a name that says of what it is",
                places.join(" and in ")
            ));
        }
    }
    let single = exceptions.iter().filter(|(name, _)| !by_name.contains_key(name));
    found.extend(single.map(|(name, _)| {
        format!("type `{name}` is defined once now: remove it from the exceptions of tidy")
    }));
    found
}

fn clashes(same: &[&Definition]) -> bool {
    let mut packages = BTreeSet::new();
    let mut public = BTreeSet::new();
    let mut is_twice_in_one = false;
    for definition in same {
        is_twice_in_one |= !packages.insert(&definition.package);
        if definition.is_public {
            public.insert(&definition.package);
        }
    }
    is_twice_in_one || 1 < public.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the names that are double in files of packages, none of them listed.
    fn check(files: &[(&str, &str)], expected: &str) {
        let all: Vec<Definition> = files
            .iter()
            .flat_map(|(package, source)| definitions(package, "f.rs", source))
            .collect();
        let found = judge(&all, &[]);
        let names: Vec<&str> = found.iter().filter_map(|text| text.split('`').nth(1)).collect();
        assert_eq!(names.join(" "), expected, "{files:?}");
    }

    #[test]
    fn a_name_twice_in_one_package_is_found() {
        check(&[("a", "struct X; mod m { enum X {} }")], "X");
        check(&[("a", "struct X;"), ("a", "fn f() { struct X; }")], "X");
        check(&[("a", "struct X;"), ("b", "pub struct X;")], "");
        check(&[("a", "struct X;\n#[cfg(test)]\nmod tests { struct X; }")], "");
    }

    #[test]
    fn a_public_name_in_two_packages_is_found() {
        check(&[("a", "pub struct X;"), ("b", "pub unsafe trait X {}")], "X");
        check(&[("a", "pub type X = u8;"), ("b", "pub(crate) struct X;")], "");
        check(&[("a", "pub struct X;"), ("b", "pub use a::X;")], "");
    }

    #[test]
    fn associated_types_and_texts_are_no_definitions() {
        check(&[("a", "struct X; trait T { type X; } impl T for u8 { type X = u8; }")], "");
        check(&[("a", "struct X; // struct X;\nconst A: &str = \"struct X\";")], "");
        check(&[("a", "struct X; macro_rules! m { () => { struct $X; } }")], "");
    }

    #[test]
    fn an_exception_is_for_a_name_that_is_double() {
        let all = [definitions("a", "f.rs", "struct X;"), definitions("a", "g.rs", "struct X;")];
        let exceptions = [("X", "a reason")];
        assert_eq!(judge(&all.concat(), &exceptions), [""; 0]);
        let found = judge(&all[0], &exceptions).join("");
        assert!(found.starts_with("type `X` is defined once now"), "{found}");
    }
}
