//! `consort repeat` over nodes: the same bits, whatever is varied, and a finger on the spot where they are not.

use crate::world::{Said, World};
use consort_testkit::fmus::{self, BuildOptions, Fmi, example};
use std::fs;
use std::path::Path;

/// The settings that were tried, without times and hashes.
fn settings(said: &Said) -> Vec<String> {
    let lines = said.stderr.lines().filter(|line| line.starts_with("run "));
    lines.map(|line| line.split(", sha256:").next().unwrap().to_owned()).collect()
}

/// Repeats an example and compares with a run in one piece.
fn check(name: &str, options: &[&str]) -> Said {
    let world = World::new();
    let system = example(name).display().to_string();
    let stop = options[..2].to_vec();
    world.done(&[&["run", &system, "--local", "--out", "run"], &stop[..]].concat());
    let said = world.done(&[&["repeat", &system, "--verbose"], options].concat());
    let hash = world.trace_hash("run");
    assert!(said.stdout.contains(&format!(" runs, trace {hash}\n")), "{said}");
    said
}

#[test]
fn bodies_and_vehicle_are_the_same_over_every_link_and_placement() {
    for (name, stop) in [("nbody", "600"), ("uav", "1")] {
        let said = check(name, &["--stop", stop, "--runs", "7", "--load=2"]);
        for link in ["local: 1 run,", "thread: 2 runs,", "unix: 2 runs,", "tcp: 2 runs,"] {
            assert!(said.stdout.contains(link), "{link}: {said}");
        }
        assert_eq!(settings(&said).len(), 7, "{said}");
    }
}

/// Systems of the examples that are long, and where they end here.
const LONG: [(&str, &str); 3] =
    [("aircraft/system.toml", "4"), ("spring-damper/fixed.toml", "1"), ("uav/system.toml", "1")];

/// Every system of the examples, but for the one that is refused and those with programs in other languages.
fn systems() -> Vec<String> {
    let folders = fs::read_dir(example("")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let names =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "toml")).map(|file| {
            let folder = file.parent().and_then(Path::file_name).unwrap().display().to_string();
            format!("{folder}/{}", file.file_name().unwrap().display())
        });
    let others = ["campaign.toml", "refused.toml", "foreign-"];
    let mut names: Vec<String> =
        names.filter(|name| !others.iter().any(|other| name.contains(other))).collect();
    names.sort();
    names
}

#[test]
fn every_example_is_the_same_on_any_placement() {
    let systems = systems();
    assert!(30 < systems.len(), "{systems:?}");
    for name in systems {
        let world = World::new();
        let system = example(&name).display().to_string();
        let mut line = vec!["repeat", &system, "--runs", "5", "--placements", "3", "--no-load"];
        line.extend(["--links", "thread,unix"]);
        if let Some((_, stop)) = LONG.iter().find(|(long, _)| *long == name) {
            line.extend(["--stop", stop]);
        }
        let said = world.done(&line);
        assert!(said.stdout.contains("identical: 5 runs"), "{name}: {said}");
    }
}

#[test]
fn stops_cuts_and_losses_change_nothing() {
    let faults = ["--stops", "1", "--stop-most", "0.3", "--cuts", "3", "--no-load"];
    let links = ["--stop", "2000", "--runs", "4", "--links", "unix,tls,simulated"];
    let said = check("nbody", &[&links[..], &faults].concat());
    let disturbed = said.stdout.lines().find(|line| line.starts_with("disturbed: ")).unwrap();
    assert!(disturbed.contains(" of 2 runs, ") && disturbed.ends_with(" of 3 runs"), "{said}");
    assert!(!disturbed.contains(" 0 links"), "{said}");
    let counted = disturbed["disturbed: ".len()..].split(' ').next().unwrap();
    let reported: usize = settings(&said).iter().filter(|line| line.ends_with(" cut")).count();
    assert!(0 < reported && counted.parse::<u32>().is_ok_and(|stops| stops <= 2), "{said}");
}

#[test]
fn a_system_without_nodes_is_spread_if_asked_for() {
    let said = check("quickstart", &["--stop", "5", "--runs", "4", "--placements", "3"]);
    assert!(said.stdout.contains("varied: "), "{said}");
    let said = check("quickstart", &["--stop", "5", "--runs", "2"]);
    assert!(!said.stdout.contains("varied: "), "{said}");
}

#[test]
fn one_number_gives_one_sequence_of_settings() {
    let world = World::new();
    let system = example("nbody").display().to_string();
    let tried = |vary: &str| {
        let line = ["repeat", &system, "--stop", "40", "--runs", "5", "--links", "thread"];
        settings(&world.done(&[&line[..], &["--load=1", "--verbose", "--vary", vary]].concat()))
    };
    let first = tried("7");
    assert_eq!(first.len(), 5);
    assert_eq!(first, tried("7"));
    assert_ne!(first, tried("8"));
}

#[test]
fn the_first_difference_is_reported_with_its_time_its_variable_and_its_node() {
    let world = World::new();
    let hazard = fmus::build("hazard", Fmi::V3, &BuildOptions::binary());
    world.system(&format!(
        "[experiment]\nstop = 1\nstep = 0.1\n\
         [components.clock]\nmodel = {hazard:?}\nparameters = {{ kind = 11, at = 0.45 }}\n\
         [components.rest]\nmodel = \"native:gain\"\nparameters = {{ k = 2 }}\n\
         [[connections]]\nfrom = \"clock.y\"\nto = \"rest.u\"\n\
         [nodes]\nodd = [\"clock\"]\neven = [\"rest\"]\n"
    ));
    let line = ["repeat", "s", "--links", "unix", "--placements", "0", "--no-load"];
    let said = world.consort(&line);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stdout.starts_with("different: run 1 and run 2 (unix, 2 nodes, "), "{said}");
    assert!(said.stdout.contains("  first at 0.6 s in `clock.y` on node `odd`: "), "{said}");
    assert!(said.stdout.contains("  placed: clock=odd,rest=even\n"), "{said}");
}

#[test]
fn links_that_cannot_be_had_are_refused_before_anything_runs() {
    let world = World::new();
    let system = example("quickstart").display().to_string();
    if cfg!(feature = "zenoh") {
        return;
    }
    let said = world.consort(&["repeat", &system, "--links", "zenoh"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("error[cli::no-zenoh]"), "{said}");
    assert_eq!(said.stdout, "");
}
