//! Which crate may know which. Arrows go down only.

use crate::ci::root;
use std::fs;

/// Each crate and all it may depend on; development dependencies are free.
const ARROWS: &[(&str, &[&str])] = &[
    ("consort-core", &[]),
    ("consort-xml", &["core"]),
    ("consort-toml", &["core"]),
    ("consort-trace", &["core"]),
    ("consort-system", &["core"]),
    ("consort-solve", &["core"]),
    ("consort-equations", &["core", "xml"]),
    ("consort-fmi", &["core", "xml"]),
    ("consort-export", &["core", "equations", "fmi", "xml"]),
    ("consort-formats", &["core", "system", "toml", "xml"]),
    ("consort-planner", &["core", "system"]),
    ("consort-check", &["core", "system", "trace"]),
    ("consort-models", &["core", "equations", "fmi", "solve", "toml"]),
    ("consort-engine", &["core", "solve", "system", "trace"]),
    ("consort-explore", &["core", "system", "engine", "check"]),
    ("consort-federation", &["core"]),
    ("consort-node", &["core", "system", "engine", "federation"]),
    ("consort-view", &["core", "trace", "system", "planner"]),
    (
        "consort-cli",
        &[
            "core",
            "trace",
            "system",
            "equations",
            "formats",
            "planner",
            "check",
            "fmi",
            "models",
            "engine",
            "explore",
            "export",
            "federation",
            "node",
            "view",
        ],
    ),
    ("consort-testkit", &["core", "system"]),
];

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
                found.push(format!("{name}: may not depend on consort-{used}"));
            }
        }
        if !manifest.contains("[lints") {
            found.push(format!("{name}: does not take the workspace's lints"));
        }
    }
    found
}

/// Our own crates under `[dependencies]`, without their prefix.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if let Some(rest) = line.strip_prefix("consort-")
            && section == "[dependencies]"
        {
            let end = rest.find(['.', ' ', '=']).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn development_dependencies_are_free() {
        let manifest = "[dependencies]\nconsort-core.workspace = true\nlibm = \"1\"\n\
                        [dev-dependencies]\nconsort-planner.workspace = true\n";
        assert_eq!(dependencies(manifest), ["core"]);
    }
}
