//! Names of components: those of all systems around them, separated by `/`.

use super::super::document::{Content, Element};
use super::super::xml::Session;
use super::{Part, Tree};
use crate::is_name_letter;
use consort_core::Diagnostic;
use consort_system::Spanned;
use std::collections::BTreeSet;

/// Puts the root and everything in it into the tree.
pub(super) fn flatten<'e>(session: &mut Session<'_>, tree: &mut Tree<'e>, root: &'e Element) {
    let mut used = BTreeSet::new();
    tree.parts.push(Part::new(root, None, String::new()));
    add_children(session, tree, 0, &mut used);
}

fn add_children<'e>(
    session: &mut Session<'_>,
    tree: &mut Tree<'e>,
    parent: usize,
    used: &mut BTreeSet<String>,
) {
    let element: &'e Element = tree.parts[parent].element;
    let Content::System(inside) = &element.content else { return };
    for dictionary in &inside.dictionaries {
        let index = tree.parts.len();
        let name = dictionary.name.value.as_str();
        tree.parts.push(Part::new(dictionary, Some(parent), name.to_owned()));
        tree.parts[parent].dictionaries.entry(name).or_insert(index);
    }
    for child in &inside.elements {
        let around = &tree.parts[parent].path;
        let own = plain(&child.name.value);
        let path = if around.is_empty() { own } else { format!("{around}/{own}") };
        let index = tree.parts.len();
        let siblings = &mut tree.parts[parent].children;
        // A duplicate name was reported already.
        let is_first = *siblings.entry(child.name.value.as_str()).or_insert(index) == index;
        tree.parts.push(Part::new(child, Some(parent), path));
        match &child.content {
            Content::System(..) => {
                check(session, child, &tree.parts[index].path);
                add_children(session, tree, index, used);
            }
            Content::Reference(_) | Content::Dictionary => {}
            Content::Component(component) => {
                let path = unused(&tree.parts[index].path, used);
                if is_first {
                    check(session, child, &path);
                }
                let mut component = component.as_ref().clone();
                component.name = Spanned { value: path.clone(), span: child.name.span };
                tree.parts[index].component = Some(tree.components.len());
                tree.parts[index].path = path;
                tree.components.push(component);
            }
        }
    }
}

/// A name with `_` in place of everything that names cannot have.
fn plain(name: &str) -> String {
    let plain = |part: &str| part.replace(|c: char| !is_name_letter(c), "_");
    let parts: Vec<String> = name.split('/').map(plain).collect();
    if parts.iter().any(String::is_empty) { parts.join("_") } else { parts.join("/") }
}

/// The path itself, or with the first number behind it that makes it different from all others.
fn unused(path: &str, used: &mut BTreeSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{path}_{number}"));
    let mut candidates = std::iter::once(path.to_owned()).chain(numbered);
    candidates.find(|path| used.insert(path.clone())).expect("there are more numbers than names")
}

fn check(session: &mut Session<'_>, child: &Element, path: &str) {
    let name = &child.name.value;
    if path == name || path.ends_with(&format!("/{name}")) {
        return;
    }
    let what = if matches!(child.content, Content::System(..)) { "system" } else { "component" };
    session.report(
        Diagnostic::warning("ssp::renamed", format!("the {what} `{name}` is called `{path}` here"))
            .maybe_at(child.name.span, "names consist of letters, digits, `_`, `-` and `/`")
            .help("values for it and its connections are found by the name as written"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_plain() {
        for (name, expected) in
            [("tank", "tank"), ("a b.c", "a_b_c"), ("a/b", "a/b"), ("/a", "_a"), ("ä[1]", "ä_1_")]
        {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn names_become_different() {
        let mut used = BTreeSet::new();
        let names: Vec<String> = (0..3).map(|_| unused("a", &mut used)).collect();
        assert_eq!(names, ["a", "a_2", "a_3"]);
    }
}
