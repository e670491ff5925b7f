//! Runs of FMUs that misbehave: nothing recorded is lost, and everything is said.

use crate::bench::{Bench, assert_said};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A sine into an FMU that does what its parameters say.
fn bench(parameters: &str) -> Bench {
    let bench = Bench::new();
    let fmu = fmus::build("misbehave", Fmi::V2, &BuildOptions::archive());
    std::fs::create_dir_all(bench.path("odd")).unwrap();
    std::fs::copy(fmu, bench.path("odd/misbehave.fmu")).unwrap();
    bench.write(
        "odd/system.toml",
        &format!(
            "[experiment]\nstop = 1\nstep = 0.1\n\n\
             [components.source]\nmodel = \"native:sine\"\n\n\
             [components.odd]\nmodel = \"misbehave.fmu\"\nparameters = {{ {parameters} }}\n\n\
             [[connections]]\nfrom = \"source.y\"\nto = \"odd.u\"\n"
        ),
    );
    bench
}

#[test]
fn a_failing_run_keeps_what_was_recorded_and_says_how_to_repeat_it() {
    let bench = bench(FAIL_IN_STEP);
    let said = bench.consort(&["run", "odd", "--csv"]);
    assert_said!(said);
    let manifest = bench.json("out/odd/manifest.json");
    assert_eq!(manifest["exit"]["state"], "failed");
    assert_eq!(bench.list("out/odd"), ["log.jsonl", "manifest.json", "trace.csv", "trace.parquet"]);
    let rows = bench.read("out/odd/trace.csv").lines().count();
    assert_eq!(rows, 1 + 6, "the header and the tags from 0 to 0.5");
    bench.done(&["diff", "out/odd/trace.csv", "out/odd/trace.parquet"]);
    assert!(!bench.events("out/odd/log.jsonl", "log").is_empty());
    let replayed = bench.consort(&["replay", "out/odd"]);
    assert_eq!(replayed.code, Some(0), "it fails in the same way: {replayed}");
}

/// The call that steps fails with an error from 0.5 s on.
const FAIL_IN_STEP: &str = "phase = 6, status = 3, at = 0.5";

#[test]
fn a_run_that_cannot_start_leaves_nothing() {
    let bench = bench("");
    let text = bench.read("odd/system.toml").replace("components.odd", "components.refuse");
    bench.write("odd/system.toml", &text.replace("odd.u", "refuse.u"));
    assert_said!(bench.consort(&["run", "odd"]));
    assert_eq!(bench.list(""), ["odd"]);
}

#[test]
fn what_an_fmu_prints_never_spoils_data() {
    let bench = bench("behavior = 2");
    let said = bench.done(&["repeat", "odd", "--runs", "2", "--no-load"]);
    assert!(!said.stdout.contains("misbehave"), "{said}");
    assert!(said.stderr.contains("misbehave prints at 0"), "{said}");
}

#[test]
fn what_an_fmu_logs_is_in_the_log() {
    let bench = bench("behavior = 1");
    let said = bench.done(&["run", "odd"]);
    assert!(said.stderr.contains("warnings logged)"), "{said}");
    assert!(!said.stderr.contains("100% odd"), "{said}");
    let log = bench.events("out/odd/log.jsonl", "log");
    let message = log[0]["message"].as_str().unwrap();
    assert!(message.starts_with("100% odd: %s %n\nsecond line"), "{message}");
    assert_eq!((&log[0]["component"], &log[0]["level"]), (&"odd".into(), &"warning".into()));
    let said = bench.done(&["run", "odd", "--verbose"]);
    assert!(said.stderr.contains("100% odd"), "{said}");
}

#[test]
fn an_fmu_that_changed_is_named() {
    let bench = bench("");
    bench.done(&["run", "odd"]);
    let other = fmus::build("misbehave", Fmi::V3, &BuildOptions::archive());
    std::fs::copy(other, bench.path("odd/misbehave.fmu")).unwrap();
    let said = bench.consort(&["replay", "out/odd"]);
    assert!(said.stderr.contains("fmu `misbehave.fmu` has changed"), "{said}");
}

#[test]
fn a_second_interrupt_ends_the_program_at_once() {
    // Each step sleeps for ten minutes, so the first request is never heard.
    let bench = bench("behavior = 10, amount = 600000");
    let mut child = bench.command(&["run", "odd"]).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id().to_string();
    let interrupt =
        || assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("misbehave sleeps")), "it never started");
    interrupt();
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "the first waits for the step");
    interrupt();
    assert_eq!(child.wait().unwrap().code(), None, "killed by a signal");
}
