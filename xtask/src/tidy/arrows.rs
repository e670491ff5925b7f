//! Which crate may depend on which. Arrows go down only.

use crate::ci::root;
use std::fs;

/// Each crate and all it may depend on; development dependencies are free.
const ARROWS: &[(&str, &[&str])] = &[
    ("consort-core", &[]),
    ("consort-process", &[]),
    ("consort-xml", &["core"]),
    ("consort-toml", &["core"]),
    ("consort-trace", &["core"]),
    ("consort-system", &["core"]),
    ("consort-solve", &["core"]),
    ("consort-property", &["core"]),
    ("consort-equations", &["core", "xml"]),
    ("consort-fmi", &["core", "xml"]),
    ("consort-host", &["core", "process"]),
    ("consort-export", &["core", "equations", "fmi", "xml"]),
    ("consort-formats", &["core", "system", "toml", "xml"]),
    ("consort-planner", &["core", "system"]),
    ("consort-check", &["core", "system"]),
    ("consort-models", &["core", "equations", "fmi", "host", "solve", "toml"]),
    ("consort-aircraft", &["core", "models", "solve"]),
    ("consort-engine", &["core", "solve", "system", "trace"]),
    ("consort-explore", &["core", "system", "engine", "process", "property"]),
    ("consort-federation", &["core"]),
    ("consort-node", &["core", "system", "engine", "federation"]),
    ("consort-view", &["core", "trace", "system", "planner"]),
    ("consort-run", &["core", "trace", "system", "formats", "planner", "models", "engine", "view"]),
    (
        "consort-distributed",
        &[
            "core", "trace", "system", "planner", "models", "engine", "node", "process", "run",
            "view",
        ],
    ),
    (
        "consort",
        &[
            "aircraft",
            "core",
            "trace",
            "system",
            "formats",
            "planner",
            "check",
            "models",
            "engine",
            "process",
            "node",
            "explore",
            "run",
            "distributed",
            "view",
        ],
    ),
    (
        "consort-cli",
        &[
            "consort",
            "core",
            "trace",
            "system",
            "equations",
            "formats",
            "planner",
            "check",
            "property",
            "fmi",
            "models",
            "engine",
            "explore",
            "export",
            "federation",
            "node",
            "process",
            "view",
        ],
    ),
    ("consort-py", &["consort", "core", "trace"]),
    ("consort-testkit", &["core", "system"]),
];

/// The one crate that knows of arguments.
const COMMAND_LINE: &str = "consort-cli";

/// The crates in `crates/`.
pub(super) fn crate_names() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates folder is there");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(super) fn violations() -> Vec<String> {
    let mut found = Vec::new();
    for name in crate_names() {
        let manifest = root().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a crate has a manifest");
        found.extend(judge(&name, &manifest));
    }
    found
}

/// What the manifest of a crate says that it may not.
fn judge(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!("crates/{name}: not in the map of xtask/src/tidy/arrows.rs")];
    };
    let mut found = Vec::new();
    for used in dependencies(manifest) {
        if let Some(crate_used) = used.strip_prefix("consort") {
            let short = crate_used.strip_prefix('-').unwrap_or("consort");
            if !allowed.contains(&short) {
                found.push(format!("{name}: may not depend on our crate `{short}`"));
            }
        }
        if used.starts_with("clap") && name != COMMAND_LINE {
            found.push(format!("{name}: parses arguments (clap), which only {COMMAND_LINE} does"));
        }
    }
    if !manifest.contains("[lints") {
        found.push(format!("{name}: does not take the workspace's lints"));
    }
    found
}

/// What a crate needs in all its builds but those of its tests, in every spelling of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            let (table, name) = section.rsplit_once('.').unwrap_or(("", section));
            if lists_dependencies(table) {
                found.push(name.to_owned());
            }
        } else if lists_dependencies(section) && line.starts_with(char::is_alphabetic) {
            let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
            found.push(line[..end].to_owned());
        }
    }
    found
}

/// Whether a table lists dependencies of the crate proper, on all platforms or on one.
fn lists_dependencies(table: &str) -> bool {
    let last = table.rsplit('.').next().unwrap_or(table);
    matches!(last, "dependencies" | "build-dependencies")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is wrong with a manifest that has these lines and the workspace's lints.
    fn check(name: &str, lines: &str, expected: &str) {
        let found = judge(name, &format!("{lines}\n[lints]\nworkspace = true\n"));
        assert_eq!(found.join("; "), expected, "{lines}");
    }

    #[test]
    fn an_arrow_that_is_not_in_the_map_is_found() {
        check("consort-trace", "[dependencies]\nconsort-core.workspace = true\nlibm = \"1\"", "");
        let up = "consort-trace: may not depend on our crate `engine`";
        check("consort-trace", "[dependencies]\nconsort-engine.workspace = true", up);
        check("consort-trace", "[dependencies.consort-engine]\nworkspace = true", up);
        check("consort-trace", "[target.'cfg(unix)'.dependencies]\nconsort-engine = {}", up);
        check("consort-trace", "[build-dependencies]\nconsort-engine = {}", up);
        let library = "consort-run: may not depend on our crate `consort`";
        check("consort-run", "[dependencies]\nconsort.workspace = true", library);
        check("left-over", "", "crates/left-over: not in the map of xtask/src/tidy/arrows.rs");
    }

    #[test]
    fn development_dependencies_are_free() {
        check(
            "consort-trace",
            "[dev-dependencies]\nconsort-engine.workspace = true\nclap = {}",
            "",
        );
    }

    #[test]
    fn arguments_are_parsed_by_the_command_line_only() {
        let clap = "[dependencies]\nclap = { version = \"4\" }";
        check("consort-cli", clap, "");
        check("consort", clap, "consort: parses arguments (clap), which only consort-cli does");
    }

    #[test]
    fn a_crate_without_lints_is_found() {
        let found = judge("consort-core", "[package]\n").join("");
        assert_eq!(found, "consort-core: does not take the workspace's lints");
    }
}
