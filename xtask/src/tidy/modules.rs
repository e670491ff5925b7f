//! No cycles between the top-level modules of a crate: each can be read after those it uses.

mod paths;

use super::{arrows, relative};
use crate::ci::root;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

const WHAT_TO_DO: &str = "move what both need into a module below them, \
                          or make a helper a child of its only user";

/// The modules of one crate, and which uses which.
#[derive(Default)]
struct Graph {
    modules: BTreeSet<String>,
    /// From module to used module, with the first place of that use.
    arrows: BTreeMap<String, BTreeMap<String, String>>,
    /// Modules whose file is not where it should be.
    missing: Vec<String>,
}

pub(super) fn violations() -> Vec<String> {
    let mut folders: Vec<String> =
        arrows::crate_names().iter().map(|name| format!("crates/{name}")).collect();
    folders.push("xtask".to_owned());
    let mut found = Vec::new();
    for folder in &folders {
        let src = root().join(folder).join("src");
        let graph = graph(&relative(&src), &|path| fs::read_to_string(src.join(path)).ok());
        let name = Path::new(folder).file_name().and_then(|name| name.to_str());
        found.extend(judge(name.expect("our names are plain"), &graph));
    }
    found
}

/// Reads a crate from the file of its root on, as the compiler does. `read` gives the text of a file in
/// the folder `src`, which is named in messages.
fn graph(src: &str, read: &dyn Fn(&str) -> Option<String>) -> Graph {
    let mut graph = Graph::default();
    let (main, source) = ["lib.rs", "main.rs"]
        .iter()
        .find_map(|name| Some((*name, read(name)?)))
        .expect("a crate has a root");
    let root = paths::read(&source, &[]);
    let imports: BTreeMap<String, String> = root.imports.iter().cloned().collect();
    graph.modules.extend(root.children.iter().map(|path| path[0].clone()));
    graph.modules.extend(root.named.iter().map(|named| named.by.clone()));
    graph.add(&format!("{src}/{main}"), &root.named, &imports);
    let mut waiting = VecDeque::from(root.children);
    while let Some(module) = waiting.pop_front() {
        let path = format!("{}.rs", module.join("/"));
        let Some(source) = read(&path) else {
            graph.missing.push(format!("{src}/{path}: a module without its file"));
            continue;
        };
        let file = paths::read(&source, &module);
        graph.add(&format!("{src}/{path}"), &file.named, &imports);
        waiting.extend(file.children);
    }
    graph
}

impl Graph {
    fn add(&mut self, file: &str, all: &[paths::Named], imports: &BTreeMap<String, String>) {
        for named in all {
            let behind = imports.get(&named.name).unwrap_or(&named.name);
            let used: Vec<String> = match named.name.as_str() {
                "*" => imports.values().chain(&self.modules).cloned().collect(),
                name if self.modules.contains(name) => vec![name.to_owned()],
                _ => vec![behind.clone()],
            };
            let of_ours = |other: &String| *other != named.by && self.modules.contains(other);
            for other in used.into_iter().filter(of_ours) {
                let place = || format!("{file}:{}", named.line);
                let arrows = self.arrows.entry(named.by.clone()).or_default();
                arrows.entry(other).or_insert_with(place);
            }
        }
    }

    /// The shortest way from a module back to itself, with it at both ends.
    fn cycle(&self, start: &str) -> Option<Vec<&str>> {
        let mut ways = VecDeque::from([vec![self.modules.get(start)?.as_str()]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop_front() {
            let last = *way.last().expect("a way has a beginning");
            for next in self.arrows.get(last).into_iter().flat_map(BTreeMap::keys) {
                let longer = [&way[..], &[next.as_str()]].concat();
                if next == start {
                    return Some(longer);
                }
                if seen.insert(next) {
                    ways.push_back(longer);
                }
            }
        }
        None
    }

    /// A cycle as a reader follows it: each arrow has its place.
    fn describe(&self, cycle: &[&str]) -> String {
        let places = cycle.windows(2).map(|pair| {
            format!("\n    {}: `{}` uses `{}`", self.arrows[pair[0]][pair[1]], pair[0], pair[1])
        });
        format!("{}{}", cycle.join(" -> "), places.collect::<String>())
    }
}

/// What is wrong with the modules of a crate.
fn judge(name: &str, graph: &Graph) -> Vec<String> {
    let mut found = graph.missing.clone();
    let cycles: Vec<Vec<&str>> =
        graph.modules.iter().filter_map(|module| graph.cycle(module)).collect();
    let Some(shortest) = cycles.iter().min_by_key(|cycle| cycle.len()) else {
        return found;
    };
    let modules: Vec<&str> = cycles.iter().map(|cycle| cycle[0]).collect();
    let described = graph.describe(shortest);
    found.push(format!(
        "{name}: a cycle of modules, {described}\n  {WHAT_TO_DO}; in a cycle are {}",
        modules.join(", ")
    ));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    type Files<'f> = &'f [(&'f str, &'f str)];

    fn graph_of(files: Files<'_>) -> Graph {
        let read = |path: &str| {
            let file = files.iter().find(|(name, _)| *name == path);
            file.map(|(_, source)| (*source).to_owned())
        };
        graph("src", &read)
    }

    /// Checks the shortest cycle of a crate; an empty one if there is none.
    fn check(files: Files<'_>, expected: &str) {
        let found = judge("it", &graph_of(files)).join("\n");
        let shown = found.strip_prefix("it: a cycle of modules, ").unwrap_or(&found);
        let shown = shown.split("\n  move").next().unwrap_or_default();
        assert_eq!(shown, expected);
    }

    const ROOT: (&str, &str) =
        ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::{Thing, inner::Other};");

    #[test]
    fn a_cycle_is_reported_with_its_places() {
        let files = [ROOT, ("a.rs", "use crate::b;"), ("b.rs", "\nuse crate::c::X;"), ("c.rs", "")];
        check(&files, "");
        let files = [ROOT, files[1], files[2], ("c.rs", "fn f() { crate::a::g() }")];
        check(
            &files,
            "a -> b -> c -> a\n    src/a.rs:1: `a` uses `b`\n    src/b.rs:2: `b` uses `c`\n    \
             src/c.rs:1: `c` uses `a`",
        );
    }

    #[test]
    fn the_shortest_cycle_is_reported() {
        let files = [
            ROOT,
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::{a, c};"),
            ("c.rs", "use crate::a;"),
        ];
        check(&files, "a -> b -> a\n    src/a.rs:1: `a` uses `b`\n    src/b.rs:1: `b` uses `a`");
    }

    #[test]
    fn submodules_count_for_their_parents() {
        let files = [
            ROOT,
            ("a.rs", "mod low;\nuse crate::b;"),
            ("a/low.rs", "use super::super::c;"),
            ("b.rs", ""),
            ("c.rs", "mod deep { use crate::a; }"),
        ];
        check(
            &files,
            "a -> c -> a\n    src/a/low.rs:1: `a` uses `c`\n    src/c.rs:1: `c` uses `a`",
        );
    }

    #[test]
    fn names_at_the_root_lead_to_their_module() {
        let files =
            [ROOT, ("a.rs", "use crate::Other;"), ("b.rs", ""), ("c.rs", "use crate::a::f;")];
        check(&files, "a -> c -> a\n    src/a.rs:1: `a` uses `c`\n    src/c.rs:1: `c` uses `a`");
    }

    #[test]
    fn comments_tests_and_oneself_do_not_count() {
        let b = "// use crate::a;\n/* crate::a */\n//! crate::a\nuse crate::b::inner::X;\nmod inner;\n\
                 #[cfg(test)]\nmod tests { use crate::a; }\n#[cfg(test)]\nmod more;";
        let files = [
            ROOT,
            ("a.rs", "use crate::{b, c};"),
            ("b.rs", b),
            ("b/inner.rs", "pub struct X;"),
            ("b/more.rs", "use crate::a;"),
            ("c.rs", ""),
        ];
        check(&files, "");
    }

    #[test]
    fn a_module_without_its_file_is_reported() {
        check(&[("main.rs", "mod a;")], "src/a.rs: a module without its file");
    }
}
