//! Paths in a Rust file: which modules it declares, and what it names from the root of its crate.

use crate::tidy::tokens::{Token, tokens};

/// What one file says about modules.
#[derive(Default)]
pub(super) struct File {
    /// Modules with a file of their own, as paths from the root of the crate.
    pub(super) children: Vec<Vec<String>>,
    pub(super) named: Vec<Named>,
    /// In the root only: names that are brought there, and the first part of the path they come from.
    pub(super) imports: Vec<(String, String)>,
}

/// A name at the root of the crate that some module uses.
pub(super) struct Named {
    /// The top-level module that the path is in.
    pub(super) by: String,
    /// The first part of the path below the root; a star for all.
    pub(super) name: String,
    pub(super) line: usize,
}

/// One path of a tree of paths, and the name it gets.
struct Leaf<'s> {
    parts: Vec<&'s str>,
    name: &'s str,
    line: usize,
}

/// Reads the file of the module with this path; that of the root is empty.
pub(super) fn read(source: &str, module: &[String]) -> File {
    let tokens = tokens(source);
    let mut file = File::default();
    let mut module = module.to_vec();
    // The depths of braces at which inline modules end.
    let mut ends: Vec<usize> = Vec::new();
    let (mut at, mut depth) = (0, 0);
    while at < tokens.len() {
        let text = |offset: usize| tokens.get(at + offset).map_or("", |token| token.text);
        let mut length = 1;
        match text(0) {
            "mod" if text(2) == ";" => {
                file.children.push([&module[..], &[text(1).to_owned()]].concat());
            }
            "mod" if text(2) == "{" => {
                ends.push(depth);
                module.push(text(1).to_owned());
                depth += 1;
                length = 3;
            }
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if ends.last() == Some(&depth) {
                    ends.pop();
                    module.pop();
                }
            }
            "use" if module.is_empty() => {
                let (leaves, end) = tree(&tokens, at + 1, &[]);
                file.imports.extend(leaves.iter().filter_map(import));
                length = end - at;
            }
            "crate" | "super" | "self" if is_path(&tokens, at) => {
                let (leaves, end) = tree(&tokens, at, &[]);
                file.named.extend(leaves.iter().filter_map(|leaf| named(leaf, &module)));
                length = end - at;
            }
            _ => {}
        }
        at += length;
    }
    file
}

/// True at the beginning of a path, but not of one that says who may see an item.
fn is_path(tokens: &[Token<'_>], at: usize) -> bool {
    let text =
        |index: Option<usize>| index.and_then(|index| tokens.get(index)).map_or("", |t| t.text);
    let before = |count: usize| text(at.checked_sub(count));
    let sight = before(1) == "in" && before(2) == "(" && before(3) == "pub";
    text(Some(at + 1)) == "::" && before(1) != "::" && !sight
}

/// The paths of the tree that begins at a token, and the token behind it.
fn tree<'s>(tokens: &[Token<'s>], mut at: usize, prefix: &[&'s str]) -> (Vec<Leaf<'s>>, usize) {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    let mut parts = prefix.to_vec();
    while text(at) != "{" {
        let line = tokens.get(at).map_or(0, |token| token.line);
        if text(at) == "*" || text(at).starts_with(|c: char| c.is_alphabetic() || c == '_') {
            parts.push(text(at));
            at += 1;
        }
        if text(at) != "::" {
            let renamed = text(at) == "as";
            let own = parts.iter().rfind(|part| **part != "self").copied().unwrap_or("");
            let name = if renamed { text(at + 1) } else { own };
            let leaf = Leaf { parts, name, line };
            return (vec![leaf], if renamed { at + 2 } else { at });
        }
        at += 1;
    }
    let mut leaves = Vec::new();
    at += 1;
    while at < tokens.len() && text(at) != "}" {
        let (below, end) = tree(tokens, at, &parts);
        leaves.extend(below);
        // A comma; anything else is no tree, and is left behind.
        at = end + usize::from(text(end) != "}");
    }
    (leaves, at + 1)
}

fn import(leaf: &Leaf<'_>) -> Option<(String, String)> {
    let first = leaf.parts.iter().find(|part| !matches!(**part, "crate" | "self"))?;
    Some((leaf.name.to_owned(), (*first).to_owned()))
}

/// The name at the root that a path in a module goes through, if it does.
fn named(leaf: &Leaf<'_>, module: &[String]) -> Option<Named> {
    let by = module.first()?.clone();
    let mut depth = module.len();
    for part in &leaf.parts {
        match *part {
            "crate" => depth = 0,
            "self" => {}
            "super" => depth = depth.checked_sub(1)?,
            name if depth == 0 => {
                return Some(Named { by, name: name.to_owned(), line: leaf.line });
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what a file of the module `m::n` names at the root.
    fn check(source: &str, expected: &str) {
        let file = read(source, &["m".to_owned(), "n".to_owned()]);
        let names: Vec<String> =
            file.named.iter().map(|named| format!("{}:{}", named.name, named.line)).collect();
        assert_eq!(names.join(" "), expected, "{source}");
    }

    #[test]
    fn names_at_the_root_are_found() {
        check("use crate::a;", "a:1");
        check("use crate::{a, b::{c, d}};", "a:1 b:1 b:1");
        check("use crate::{\n    a::{self, X},\n    b as c,\n};", "a:2 a:2 b:3");
        check("fn f(x: &crate::a::X<crate::b::Y>) {}", "a:1 b:1");
        check("fn f() { for x in crate::a::all() {} }", "a:1");
        check("use crate::*;", "*:1");
    }

    #[test]
    fn super_counts_where_it_is_the_root() {
        check("use super::o;", "");
        check("use super::super::o;", "o:1");
        check("use super::{x, super::{o, p::Q}};", "o:1 p:1");
        check(
            "mod k { use super::super::o; use super::super::super::p; } use super::super::q;",
            "p:1 q:1",
        );
        check("use self::k::L;", "");
    }

    #[test]
    fn what_is_no_use_does_not_count() {
        check("// use crate::a;\n/// [`crate::a`]\nconst A: &str = \"crate::a\";", "");
        check("#[cfg(test)]\nmod tests {\n    use crate::a;\n}", "");
        check("pub(crate) fn f() {}\npub(in crate::m) fn g() {}", "");
        check("use other::a;\nlet x = self.a;", "");
    }

    #[test]
    fn modules_and_imports_of_a_file_are_found() {
        let source = "pub mod a;\nmod b { mod c; }\n#[cfg(test)]\nmod tests;\n\
                      pub use a::{X, y::Z as W};\npub(crate) use crate::b::V;";
        let file = read(source, &[]);
        let children: Vec<String> = file.children.iter().map(|path| path.join("::")).collect();
        assert_eq!(children, ["a", "b::c"]);
        let imports: Vec<String> =
            file.imports.iter().map(|(name, first)| format!("{name} {first}")).collect();
        assert_eq!(imports, ["X a", "W a", "V b"]);
    }
}
