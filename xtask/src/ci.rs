//! What CI runs, in the order in which a mistake is cheapest to find.

mod python;

use crate::say;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The size of the release build of the command line, in bytes, that is too large.
const PROGRAM_BYTES_MAX: u64 = 30_000_000;

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
    let is_fine = steps.iter().all(|(name, arguments)| step(name, arguments));
    is_fine && examples() && size() && campaigns() && python() && zenoh()
}

/// The program stays small. The examples have just built it.
fn size() -> bool {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let program = folder.join("release/consort");
    let bytes = program.metadata().map_or(u64::MAX, |metadata| metadata.len());
    say(&format!("== size: {} has {bytes} bytes", program.display()));
    bytes < PROGRAM_BYTES_MAX
}

/// The Python package.
pub(crate) fn python() -> bool {
    python::run()
}

/// The one heavy option, which is not built by default: last, and by itself.
fn zenoh() -> bool {
    // Both crates at once: by itself each would want Zenoh's parts built in another way.
    let with = ["-p", "consort-node", "-p", "consort-cli", "--features", "zenoh", "--quiet"];
    let tests = ["--lib", "--test", "zenoh", "--test", "namespaces"];
    step("zenoh", &[&["test"], &with[..], &tests].concat())
}

/// Every example runs from the release build, as the README describes.
fn examples() -> bool {
    let folders = [examples_with("system.toml"), examples_with("mm.json")].concat();
    folders.iter().all(|folder| step(folder, &["run", "--release", "--quiet", "--", "run", folder]))
}

/// Every example's campaign is explored; that it finds a violation is an answer too.
fn campaigns() -> bool {
    examples_with("campaign.toml").iter().all(|folder| {
        say(&format!("== explore {folder}"));
        let arguments = ["run", "--release", "--quiet", "--", "explore", folder];
        let status = cargo(&arguments).status();
        status.is_ok_and(|status| matches!(status.code(), Some(0 | 1)))
    })
}

/// The examples that have a file of this name, by their paths below the root.
fn examples_with(name: &str) -> Vec<String> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root().join("examples"))
        .expect("the examples folder is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(name).is_file())
        .collect();
    folders.sort();
    let below = |folder: &PathBuf| {
        let folder = folder.strip_prefix(root()).expect("examples lie below the root");
        folder.to_str().expect("example names are plain").to_owned()
    };
    folders.iter().map(below).collect()
}

pub(crate) fn bless() -> bool {
    let mut command = cargo(&["test", "--workspace", "--quiet"]);
    command.env("INSTA_UPDATE", "always");
    succeeds("bless", command)
}

/// The test that compares the references with the lists of keys writes them instead.
pub(crate) fn write_reference() -> bool {
    let mut command = cargo(&["test", "--package", "consort", "--test", "reference", "current"]);
    command.env("CONSORT_WRITE_REFERENCE", "1");
    succeeds("reference", command)
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
