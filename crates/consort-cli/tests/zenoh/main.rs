//! Runs over Zenoh, as a user starts them: the bits of a run in one piece, in peace and when nodes are stopped and
//! links break. A program of its own: Zenoh is built only where it is asked for.

use consort_testkit::fmus::example;
use std::process::{Command, Stdio};

/// Runs the program in an empty folder; it must succeed. What it said to other programs.
fn consort(args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_consort"));
    command.args(args).args(["--cache-dir", "cache"]).current_dir(folder.path());
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it says text");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{stdout}{stderr}");
    let manifest = std::fs::read_to_string(folder.path().join("out/manifest.json"));
    stdout + &manifest.unwrap_or_default()
}

/// The line of a manifest that has the hash of the trace.
fn trace_hash(said: &str) -> &str {
    said.lines().find(|line| line.contains("\"trace_hash\"")).expect("a run has a trace")
}

#[test]
fn a_run_over_zenoh_is_the_run_in_one_piece() {
    for (name, stop) in [("nbody", "600"), ("uav", "0.5")] {
        let system = example(name).display().to_string();
        let run = |how: &[&str]| {
            consort(&[&["run", &system, "--stop", stop, "--out", "out"], how].concat())
        };
        let (whole, spread) = (run(&["--local"]), run(&["--link", "zenoh"]));
        assert_eq!(trace_hash(&whole), trace_hash(&spread), "{name}");
        assert!(spread.contains("\"link\": \"zenoh\""), "{spread}");
    }
}

#[test]
fn every_link_gives_the_same_bits_when_nodes_stop_and_links_break() {
    let system = example("nbody").display().to_string();
    let how = ["--stop", "4000", "--runs", "7", "--no-load", "--links", "all"];
    let faults = ["--placements", "1", "--stops", "1", "--stop-most", "0.6", "--cuts", "3"];
    let said = consort(&[&["repeat", &system], &how[..], &faults].concat());
    for link in ["zenoh", "tls", "tcp", "unix", "thread", "simulated"] {
        assert!(said.contains(&format!("{link}: 1 run, ")), "{link}: {said}");
    }
    assert!(said.contains("\nidentical: 7 runs, trace sha256:"), "{said}");
    let disturbed = said.lines().find(|line| line.starts_with("disturbed: ")).expect("a line");
    assert!(!disturbed.contains("disturbed: 0 stops") && !disturbed.contains(" 0 links"), "{said}");
}
