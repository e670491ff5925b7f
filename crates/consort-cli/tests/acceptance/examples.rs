//! The examples run on a machine that has nothing but a C compiler, from a clean cache.

use crate::record::Record;
use crate::world::{World, copy, filters};
use consort_testkit::fmus::example;
use std::fs;

/// Runs an example; what is in its record.
fn run(world: &World, name: &str) -> Vec<String> {
    let path = example(name).display().to_string();
    world.done(&["run", &path, "--csv"]);
    let entries = fs::read_dir(world.path(&format!("out/{name}"))).unwrap();
    let mut files: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    files
}

const FILES: [&str; 5] = ["log.jsonl", "manifest.json", "plot.svg", "trace.csv", "trace.parquet"];

#[test]
fn every_example_runs_and_leaves_its_record_and_a_picture() {
    let mut names: Vec<String> = fs::read_dir(example(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| example(name).join("system.toml").is_file())
        .collect();
    names.sort();
    for known in ["arrays", "multirate", "quickstart"] {
        assert!(names.iter().any(|name| name == known), "{names:?}");
    }
    for name in names {
        let world = World::with_clean_cache();
        assert_eq!(run(&world, &name), FILES, "{name}");
        assert!(world.read(&format!("out/{name}/plot.svg")).contains("</svg>"), "{name}");
        assert_eq!(world.manifest(&format!("out/{name}"))["exit"]["state"], "finished");
        let said = world.done(&["replay", &format!("out/{name}")]);
        assert!(said.stdout.contains("identical"), "{said}");
    }
}

#[test]
fn the_examples_folder_stays_as_it_is() {
    let world = World::with_clean_cache();
    let list = |name: &str| fs::read_dir(example(name)).unwrap().count();
    let before = (list("quickstart"), list("quickstart/tank"));
    run(&world, "quickstart");
    assert_eq!((list("quickstart"), list("quickstart/tank")), before);
}

/// The page of an example's FMU, from a copy whose place has a short name.
fn page(path: &str) -> String {
    let world = World::new();
    let name = path.rsplit('/').next().unwrap();
    copy(&example(path), &world.path(name));
    let mut filters = filters();
    filters.push((r"(?s)with cc .*$", "with [compiler]"));
    let said = world.done(&["inspect", name]);
    insta::with_settings!({filters => filters}, { insta::assert_snapshot!(name, said.stdout) });
    said.stdout
}

#[test]
fn fmus_are_shown_as_a_person_likes_to_read_them() {
    for path in ["quickstart/tank", "arrays/rod"] {
        let text = page(path);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// Water is neither made nor lost: what came in is in the tank or went out. The inflow is held
/// during a step; the outflow is known at the ends of steps only.
#[test]
fn the_quickstart_keeps_its_water() {
    let world = World::new();
    copy(&example("quickstart"), &world.path("s"));
    let text = world.read("s/system.toml");
    world.system(&text.replace("[experiment]\n", "[experiment]\nrecord = \"all\"\n"));
    world.done(&["run", "s", "--csv", "--out", "run"]);
    let record = Record::parse(&world.read("run/trace.csv"));
    let times = record.times();
    let lengths: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let sum = |flows: &[f64]| flows.iter().zip(&lengths).map(|(flow, h)| flow * h).sum::<f64>();
    let came = sum(&record.floats("tank.inflow"));
    let went = sum(&record.floats("tank.outflow")[1..]);
    let level = record.floats("tank.level");
    let stayed = record.floats("tank.area")[0] * (level.last().unwrap() - level[0]);
    assert!(0.1 < came && 0.1 < went, "{came} came, {went} went");
    assert!((came - went - stayed).abs() < 0.002 * came, "{came} - {went} is not {stayed}");
}
