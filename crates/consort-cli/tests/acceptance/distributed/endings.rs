//! Runs that end before their time: a component wants it, a node is killed, the user wants it.

use super::faults::{UnderWay, signal, words};
use super::quickstart;
use crate::world::{World, eventually};
use consort_testkit::fmus::{BuildOptions, Fmi};
use std::fs;
use std::time::Duration;

/// A stair that wants the end at its tenth step, what follows it, what feeds that, and what is on its own.
const FOLLOWED: &str = "\
    [components.wave]\nmodel = \"native:sine\"\n\
    [components.stair]\nmodel = \"stair.fmu\"\nparameters = { terminate = true, period = 0.7 }\n\
    [components.both]\nmodel = \"native:sum\"\n\
    [components.total]\nmodel = \"native:integrator\"\n\
    [components.alone]\nmodel = \"native:noise\"\n\
    [[connections]]\nfrom = \"wave.y\"\nto = \"both.u1\"\n\
    [[connections]]\nfrom = \"stair.count\"\nto = \"both.u2\"\n\
    [[connections]]\nfrom = \"both.y\"\nto = \"total.u\"\n";

/// Two that want the end, of which the second is the first; at different rates.
const RIVALS: &str = "\
    [components.late]\nmodel = \"stair.fmu\"\nparameters = { terminate = true, period = 0.8 }\n\
    [components.early]\nmodel = \"stair.fmu\"\nstep = 2\n\
    parameters = { terminate = true, period = 0.7 }\n\
    [components.wave]\nmodel = \"native:sine\"\n\
    [components.scaled]\nmodel = \"native:integrator\"\n\
    [[connections]]\nfrom = \"wave.y\"\nto = \"scaled.u\"\n";

/// Two that want it at once: the one that the system has first is named.
const TIED: &str = "\
    [components.wave]\nmodel = \"native:sine\"\n\
    [components.one]\nmodel = \"stair.fmu\"\nparameters = { terminate = true }\n\
    [components.two]\nmodel = \"stair.fmu\"\nparameters = { terminate = true }\n";

fn world(fmi: Fmi, system: &str) -> World {
    let world = World::new();
    world.archive("stair", fmi, &BuildOptions::archive());
    world.system(&format!("[experiment]\nstop = 40\nstep = 0.5\n{system}"));
    world
}

/// The last line that a run says, without what differs from run to run.
fn summary(said: &str) -> String {
    let line = said.lines().find(|line| line.contains("steps of")).unwrap_or_default();
    let (what, rest) = line.split_once(" in ").unwrap_or((line, ""));
    format!("{what}; {}", rest.split("; ").nth(1).unwrap_or_default())
}

/// Runs the system in one piece, then placed, by each link; all must end alike.
fn check(fmi: Fmi, system: &str, component: &str, places: &[&str]) {
    let world = world(fmi, system);
    let here = world.done(&["run", "s", "--csv", "--out", "here"]);
    let expected = world.manifest("here");
    assert_eq!(expected["exit"]["state"], "terminated", "{here}");
    assert_eq!(expected["exit"]["component"], component, "{here}");
    for (index, place) in places.iter().enumerate() {
        for (link, capacity) in [("unix", "1"), ("tcp", "64"), ("unix", "3"), ("simulated", "2")] {
            let what = format!("{place} by {link}, {capacity}");
            let isolated = ["--isolate"].repeat(usize::from(link == "simulated"));
            let line = ["run", "s", "--csv", "--place", place, "--link", link, "--out", "far"];
            let line = [&line[..], &["--capacity", capacity], &isolated].concat();
            let far = world.done(&line);
            let manifest = world.manifest("far");
            for part in ["exit", "hashes", "trace_hash", "recorded"] {
                assert_eq!(manifest[part], expected[part], "{what}");
            }
            assert_eq!(manifest["statistics"]["tags"], expected["statistics"]["tags"], "{what}");
            assert_eq!(summary(&far.stderr), summary(&here.stderr), "{what}");
            for file in ["trace.csv", "trace.parquet"] {
                let read = |run: &str| fs::read(world.path(&format!("{run}/{file}"))).unwrap();
                assert!(read("here") == read("far"), "{what}: {file}");
            }
            if index == 0 {
                let said = world.done(&["replay", "far"]);
                assert!(said.stdout.contains("identical"), "{what}: {said}");
            }
        }
    }
    let bare = ["run", "s", "--no-record", "--place", places[0], "--out", "bare"];
    world.done(&bare);
    assert_eq!(world.trace_hash("bare"), world.trace_hash("here"));
}

#[test]
fn a_component_ends_the_run_wherever_it_is() {
    let each = "wave=a,stair=b,both=c,total=d,alone=e";
    check(Fmi::V2, FOLLOWED, "stair", &[each, "*=a,stair=b", "*=z,both=b,total=a"]);
}

#[test]
fn of_two_that_want_the_end_the_first_counts() {
    check(Fmi::V3, RIVALS, "early", &["late=a,early=b,wave=c,scaled=d", "*=a,early=b,scaled=b"]);
    check(Fmi::V3, TIED, "one", &["two=a,one=b,wave=c"]);
}

/// Checks a run that was cut short: rows and hash are those of a run in one piece that ends there.
fn check_cut(world: &World, least: f64) {
    let manifest = world.manifest("far");
    let until = manifest["exit"]["time"].as_f64().unwrap();
    assert!(least <= until, "{until}");
    let csv = world.read("far/trace.csv");
    assert!(world.read("here/trace.csv").starts_with(&csv), "{csv}");
    let last = csv.lines().last().unwrap().split(',').next().unwrap();
    assert_eq!(last.parse(), Ok(until), "{csv}");
    let said = world.done(&["replay", "far"]);
    assert!(said.stdout.contains("identical"), "{said}");
}

/// A run on nodes that is on its way, after the same in one piece.
fn under_way(world: &World) -> UnderWay<'_> {
    world.done(&["run", "s", "--csv", "--out", "here"]);
    let run =
        UnderWay::start(world, "far", &["--csv", "--save-every", "3", "--save", "x.snapshot"]);
    eventually("it is on its way", || world.path("x.snapshot").exists());
    run
}

#[test]
fn what_a_killed_node_recorded_is_kept_and_the_hash_is_that_of_the_rows() {
    let world = quickstart();
    let run = under_way(&world);
    std::thread::sleep(Duration::from_millis(400));
    signal("-KILL", &run.pid("plant"));
    let output = run.end();
    assert_eq!(output.status.code(), Some(2));
    assert!(!words(&output).contains("lost"), "{}", words(&output));
    check_cut(&world, 1.0);
}

#[test]
fn a_run_that_is_interrupted_has_the_hash_of_its_rows() {
    let world = quickstart();
    let run = under_way(&world);
    signal("-INT", &run.child.id().to_string());
    assert_eq!(run.end().status.code(), Some(130));
    check_cut(&world, 3.0);
}
