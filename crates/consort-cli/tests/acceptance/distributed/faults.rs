//! What happens to nodes and to those who start them: stops, deaths, saves, resumptions.

use super::quickstart;
use crate::world::{NEVER_SAID, World, children, eventually};
use consort_testkit::fmus::{BuildOptions, Fmi};
use serde_json::json;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PLACE: [&str; 2] = ["--place", "tank=plant,controller=control"];

/// A run that takes some seconds, under way.
pub(super) struct UnderWay<'a> {
    world: &'a World,
    pub(super) child: Child,
    out: String,
}

impl<'a> UnderWay<'a> {
    pub(super) fn start(world: &'a World, out: &str, more: &[&str]) -> Self {
        let line = ["run", "s", "--real-time", "15", "--out", out];
        let mut command = world.command(&[&line[..], &PLACE, more].concat());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let under_way = UnderWay { world, child, out: out.to_owned() };
        let list = world.path(&format!("{out}/nodes.json"));
        eventually("nodes are listed", || list.exists());
        under_way
    }

    /// The process of a node.
    pub(super) fn pid(&self, node: &str) -> String {
        let path = format!("{}/nodes.json", self.out);
        let list: serde_json::Value = serde_json::from_str(&self.world.read(&path)).unwrap();
        let nodes = list["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|known| known["name"] == node).unwrap();
        node["pid"].to_string()
    }

    pub(super) fn end(self) -> Output {
        self.child.wait_with_output().unwrap()
    }
}

pub(super) fn signal(name: &str, pid: &str) {
    assert!(Command::new("kill").args([name, pid]).status().unwrap().success());
}

pub(super) fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_node_that_is_stopped_keeps_all_waiting_and_changes_nothing() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    let run = UnderWay::start(&world, "far", &[]);
    let pid = run.pid("plant");
    signal("-STOP", &pid);
    std::thread::sleep(Duration::from_millis(1500));
    let said = world.done(&["node", "status", "far"]);
    assert!(said.stdout.contains("`plant` does not answer"), "{said}");
    let said = world.done(&["node", "status", "far", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let nodes = status["nodes"].as_array().unwrap();
    let control = nodes.iter().find(|node| node["node"] == "control").unwrap();
    assert_eq!(control["waits"]["node"], "plant", "{status}");
    signal("-CONT", &pid);
    let output = run.end();
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert_eq!(world.trace_hash("far"), world.trace_hash("here"));
}

#[test]
fn a_node_that_dies_is_named_and_the_run_resumes_from_its_last_snapshot() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    let saves = ["--save-every", "5", "--save", "s.snapshot"];
    let run = UnderWay::start(&world, "far", &saves);
    let snapshot = world.path("s.snapshot");
    eventually("a snapshot is there", || snapshot.exists());
    let (pid, began) = (run.pid("plant"), Instant::now());
    signal("-KILL", &pid);
    let output = run.end();
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let said = words(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in [
        "node `plant` was killed by signal 9 (SIGKILL)",
        "done everything up to",
        "consort run --resume s.snapshot",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(world.manifest("far")["exit"]["state"], "failed");
    assert!(world.path("far/trace.parquet").exists());
    world.done(&["run", "--resume", "s.snapshot", "--out", "rest"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("here"));
    let from = world.manifest("rest")["resumed_from"]["time"].as_f64().unwrap();
    assert!(5.0 <= from, "{from}");
}

/// Others that wait for a node, for a message or for it to come, hear of its death from who started it.
#[test]
fn a_node_that_dies_while_others_wait_for_it_is_known_dead_at_once() {
    let world = quickstart();
    let run = UnderWay::start(&world, "far", &[]);
    let pid = run.pid("plant");
    signal("-STOP", &pid);
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    signal("-KILL", &pid);
    let output = run.end();
    let said = words(&output);
    assert!(said.contains("node `plant` was killed by signal 9 (SIGKILL)"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[test]
fn a_wait_that_takes_long_is_said_and_in_the_log() {
    let world = quickstart();
    let run = UnderWay::start(&world, "far", &[]);
    let pid = run.pid("plant");
    signal("-STOP", &pid);
    std::thread::sleep(Duration::from_millis(7500));
    signal("-CONT", &pid);
    let output = run.end();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let line = "node `control` has waited for node `plant` for ";
    assert!(said.contains(line) && said.contains(" s: a message at "), "{said}");
    let waits = world.events("far", "wait");
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_eq!((&waits[0]["node"], &waits[0]["for_node"]), (&json!("control"), &json!("plant")));
    assert!(5.0 <= waits[0]["seconds"].as_f64().unwrap(), "{waits:?}");
    assert!(waits[0]["flow"].is_string() && waits[0]["at"].is_number(), "{waits:?}");
}

#[test]
fn a_run_that_is_saved_continues_bit_for_bit_with_the_same_placement_only() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "here"]);
    let saves =
        ["--save-at", "7.5", "--save", "a.snapshot", "--save-at", "21", "--save", "b.snapshot"];
    world.done(&[&["run", "s", "--out", "far"], &PLACE[..], &saves].concat());
    assert_eq!(world.trace_hash("far"), world.trace_hash("here"));
    for (file, link) in [("a.snapshot", "thread"), ("b.snapshot", "unix"), ("a.snapshot", "tcp")] {
        world.done(&["run", "--resume", file, "--link", link, "--out", "rest"]);
        assert_eq!(world.trace_hash("rest"), world.trace_hash("here"), "{file} by {link}");
    }
    for other in [&["--local"][..], &["--place", "tank=plant,controller=plant"]] {
        let said = world.consort(&[&["run", "--resume", "a.snapshot"], other].concat());
        assert_eq!(said.code, Some(1), "{said}");
        assert!(said.stderr.contains("snapshot::placement"), "{said}");
    }
    world.done(&["run", "s", "--stop", "9", "--save", "c.snapshot", "--out", "whole"]);
    let said = world.consort(&[&["run", "--resume", "c.snapshot"], &PLACE[..]].concat());
    assert!(said.stderr.contains("snapshot::placement"), "{said}");
}

#[test]
fn a_user_who_interrupts_ends_every_node() {
    let world = quickstart();
    let run = UnderWay::start(&world, "far", &[]);
    let nodes = children(run.child.id());
    assert_eq!(nodes.len(), 2, "{nodes:?}");
    std::thread::sleep(Duration::from_millis(500));
    signal("-INT", &run.child.id().to_string());
    let output = run.end();
    assert_eq!(output.status.code(), Some(130), "{}", words(&output));
    assert!(words(&output).contains("interrupted"), "{}", words(&output));
    assert_eq!(world.manifest("far")["exit"]["state"], "interrupted");
    eventually("all are gone", || nodes.iter().all(|process| !process.exists()));
}

#[test]
fn no_node_outlives_a_starter_that_is_killed() {
    let world = quickstart();
    let run = UnderWay::start(&world, "far", &[]);
    let nodes = children(run.child.id());
    signal("-STOP", &run.pid("plant"));
    signal("-KILL", &run.child.id().to_string());
    assert_eq!(run.end().status.code(), None);
    eventually("all are gone", || {
        nodes.iter().all(|process| !process.exists() || is_dead(process))
    });
}

/// Whether a process has ended and was not waited for yet.
fn is_dead(process: &std::path::Path) -> bool {
    fs::read_to_string(process.join("status")).is_ok_and(|status| status.contains("State:\tZ"))
}

/// A source on one node, a model that misbehaves on another; what is said.
fn misbehaving(parameters: &str) -> (World, String) {
    let world = World::new();
    world.archive("misbehave", Fmi::V2, &BuildOptions::archive());
    world.system(&format!(
        "[experiment]\nstop = 1\nstep = 0.1\n\
         [components.source]\nmodel = \"native:sine\"\n\
         [components.odd]\nmodel = \"misbehave.fmu\"\nparameters = {{ {parameters} }}\n\
         [[connections]]\nfrom = \"source.y\"\nto = \"odd.u\"\n\
         [nodes]\nfeed = [\"source\"]\nsick = [\"odd\"]\n"
    ));
    let said = world.consort(&["run", "s", "--csv", "--out", "run"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(NEVER_SAID.iter().all(|never| !said.stderr.contains(never)), "{said}");
    (world, said.stderr)
}

#[test]
fn a_model_that_fails_is_named_with_its_node_and_its_time() {
    let (world, said) = misbehaving("phase = 6, status = 3, at = 0.5");
    for part in ["node `sick`: ", "`odd`", "0.5 s", "done everything up to"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("node `feed`"), "{said}");
    assert_eq!(world.manifest("run")["exit"]["state"], "failed");
    let rows = world.read("run/trace.csv").lines().count() - 1;
    assert_eq!(rows, 6, "0 to 0.5 s: {said}");
}

#[test]
fn a_model_that_takes_its_node_along_is_named_by_the_signal() {
    let (_, said) = misbehaving("behavior = 8, at = 0.5");
    assert!(said.contains("node `sick` was killed by signal 11 (SIGSEGV)"), "{said}");
}

#[test]
fn a_run_that_cannot_begin_leaves_nothing() {
    let (world, said) = misbehaving("phase = 3, status = 3");
    assert!(said.contains("node `sick`: ") && said.contains("`odd`"), "{said}");
    assert!(!world.path("run").exists());
}

#[test]
fn a_run_in_one_piece_is_saved_over_and_over_too() {
    let world = quickstart();
    world.done(&["run", "s", "--save-every", "7", "--save", "s.snapshot", "--out", "here"]);
    let saved = world.manifest("here")["saved"].clone();
    let times: Vec<f64> =
        saved.as_array().unwrap().iter().map(|saved| saved["time"].as_f64().unwrap()).collect();
    assert_eq!(times, [7.0, 14.0, 21.0, 28.0, 35.0, 42.0, 49.0, 56.0]);
    world.done(&["run", "--resume", "s.snapshot", "--out", "rest"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("here"));
    assert_eq!(world.manifest("rest")["resumed_from"]["time"], 56.0);
}

#[test]
fn a_resumed_run_on_nodes_is_replayed_on_nodes() {
    let world = quickstart();
    let saves = ["--save-at", "30", "--save", "s.snapshot"];
    world.done(&[&["run", "s", "--out", "far"], &PLACE[..], &saves].concat());
    world.done(&["run", "--resume", "s.snapshot", "--out", "rest"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("far"));
    let said = world.done(&["replay", "rest"]);
    assert!(said.stdout.contains("identical"), "{said}");
    let said = world.done(&["replay", "rest", "--out", "again"]);
    assert!(said.stdout.contains("identical"), "{said}");
    assert_eq!(world.read("again/manifest.json").matches("\"placement\"").count(), 1);
}
