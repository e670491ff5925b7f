//! What CI runs, in the order in which a mistake is cheapest to find.

use crate::say;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask lies in the workspace").to_owned()
}

pub(crate) fn run() -> bool {
    let steps: [(&str, &[&str]); 4] = [
        ("formatting", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
        ("tests", &["test", "--workspace", "--quiet"]),
        (
            "documentation",
            &["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"],
        ),
    ];
    steps.iter().all(|(name, arguments)| step(name, arguments)) && examples()
}

/// Every example runs from the release build, as the README tells a newcomer.
fn examples() -> bool {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join("examples"))
        .expect("the examples folder is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("system.toml").is_file())
        .collect();
    folders.sort();
    folders.iter().all(|folder| {
        let folder = folder.strip_prefix(root()).expect("examples lie below the root");
        let folder = folder.to_str().expect("example names are plain");
        step(folder, &["run", "--release", "--quiet", "--", "run", folder])
    })
}

pub(crate) fn bless() -> bool {
    let mut command = cargo(&["test", "--workspace", "--quiet"]);
    command.env("INSTA_UPDATE", "always");
    succeeds("bless", command)
}

fn step(name: &str, arguments: &[&str]) -> bool {
    succeeds(name, cargo(arguments))
}

pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root()).env("RUSTDOCFLAGS", "-D warnings");
    command
}

pub(crate) fn succeeds(name: &str, mut command: Command) -> bool {
    say(&format!("== {name}"));
    let started = std::time::Instant::now();
    let success = command.status().is_ok_and(|status| status.success());
    let verdict = if success { "done" } else { "FAILED" };
    say(&format!("== {name}: {verdict} in {} s", started.elapsed().as_secs()));
    success
}
