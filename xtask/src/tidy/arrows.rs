//! Which crate may know which. Arrows go down only.

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
    ("consort-export", &["core", "equations", "fmi", "xml"]),
    ("consort-formats", &["core", "system", "toml", "xml"]),
    ("consort-planner", &["core", "system"]),
    ("consort-check", &["core", "system"]),
    ("consort-models", &["core", "equations", "fmi", "solve", "toml"]),
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
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            found.push(format!("crates/{name}: not in the map of xtask/src/tidy/arrows.rs"));
            continue;
        };
        let manifest = root().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a crate has a manifest");
        for used in dependencies(&manifest) {
            if !allowed.contains(&used.as_str()) {
                found.push(format!("{name}: may not depend on our crate `{used}`"));
            }
        }
        if name != COMMAND_LINE && has_clap(&manifest) {
            found.push(format!("{name}: parses arguments (clap), which only {COMMAND_LINE} does"));
        }
        if !manifest.contains("[lints") {
            found.push(format!("{name}: does not take the workspace's lints"));
        }
    }
    found
}

/// Whether a crate parses arguments.
fn has_clap(manifest: &str) -> bool {
    manifest.lines().any(|line| line.starts_with("clap"))
}

/// Our own crates under `[dependencies]`, without their prefix; the library has none.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if line.starts_with("consort") && section == "[dependencies]" {
            let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
            let name = &line[..end];
            found.push(name.strip_prefix("consort-").unwrap_or(name).to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn development_dependencies_are_free() {
        let manifest = "[dependencies]\nconsort.workspace = true\nconsort-core.workspace = true\nlibm = \"1\"\n\
                        [dev-dependencies]\nconsort-planner.workspace = true\n";
        assert_eq!(dependencies(manifest), ["consort", "core"]);
        assert!(!has_clap(manifest) && has_clap("[dependencies]\nclap = \"4\"\n"));
    }
}
