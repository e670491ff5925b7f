//! Runs that are saved and resumed, in other processes: always the same run.

mod refused;
mod whole;

use crate::world::{World, copy, shortened};
use consort_core::Prng;
use consort_testkit::fmus::{BuildOptions, Fmi, example};
use std::fs;
use std::process::Command;

/// Examples that are systems, by name.
pub(crate) fn examples() -> Vec<String> {
    let entries = fs::read_dir(example("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| example(name).join("system.toml").is_file()).collect();
    names.sort();
    names
}

/// The rows of a run's CSV without its header.
fn rows(world: &World, run: &str) -> Vec<String> {
    world.read(&format!("{run}/trace.csv")).lines().skip(1).map(str::to_owned).collect()
}

/// Where the run of `out` ends, in seconds.
fn end(world: &World, run: &str) -> f64 {
    world.manifest(run)["exit"]["time"].as_f64().unwrap()
}

#[test]
fn every_example_resumes_bit_for_bit_with_any_number_of_workers() {
    const SEED: u64 = 5;
    println!("seed {SEED}");
    let mut prng = Prng::new(SEED);
    for name in examples() {
        let world = World::new();
        let path = example(&name).display().to_string();
        let short = shortened(&name);
        world.done(&[&["run", &path, "--csv", "--out", "plain"], short].concat());
        let (hash, end) = (world.trace_hash("plain"), end(&world, "plain"));
        let times = [prng.next_f64() * end, prng.next_f64() * end, end];
        let mut line = vec!["run".to_owned(), path, "--out".to_owned(), "saved".to_owned()];
        for (index, time) in times.iter().enumerate() {
            let pair = ["--save-at", &format!("{time:.9}"), "--save", &format!("{index}.snapshot")];
            line.extend(pair.map(str::to_owned));
        }
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        world.done(&[&line[..], short].concat());
        assert_eq!(world.trace_hash("saved"), hash, "{name}: saving leaves no trace");
        for (index, workers) in ["1", "2", "8"].into_iter().enumerate() {
            let file = format!("{index}.snapshot");
            let out = format!("from-{index}");
            world.done(&["run", "--resume", &file, "--csv", "--workers", workers, "--out", &out]);
            let said = format!("{name}, saved at {} s, {workers} workers", times[index]);
            assert_eq!(world.trace_hash(&out), hash, "{said}");
            let (whole, rest) = (rows(&world, "plain"), rows(&world, &out));
            assert_eq!(rest, whole[whole.len() - rest.len()..], "{said}");
            let from = &world.manifest(&out)["resumed_from"];
            assert_eq!(from["path"], file);
            let whole = world.manifest("plain");
            assert_eq!(world.manifest(&out)["statistics"], whole["statistics"], "{said}");
        }
    }
}

/// A copy of the quickstart in the folder `s`.
fn quickstart() -> World {
    let world = World::new();
    copy(&example("quickstart"), &world.path("s"));
    world
}

#[test]
fn a_chain_of_saves_is_the_whole_run_in_pieces() {
    let world = quickstart();
    world.done(&["run", "s", "--csv", "--out", "plain"]);
    world.done(&["run", "s", "--csv", "--stop", "20", "--out", "0", "--save", "0.snapshot"]);
    for (part, stop) in [(1, "25.3"), (2, "25.3"), (3, "60")] {
        let (from, to) = (format!("{}.snapshot", part - 1), format!("{part}.snapshot"));
        let out = part.to_string();
        world.done(&[
            "run", "--resume", &from, "--csv", "--stop", stop, "--out", &out, "--save", &to,
        ]);
    }
    assert_eq!(world.trace_hash("3"), world.trace_hash("plain"));
    let pieces: Vec<String> =
        ["0", "1", "2", "3"].iter().flat_map(|run| rows(&world, run)).collect();
    assert_eq!(pieces, rows(&world, "plain"));
    assert_eq!(world.manifest("3")["saved"][0]["time"], 60.0);
    let said = world.done(&["replay", "3"]);
    assert!(said.stdout.contains("identical"), "{said}");
    let said = world.done(&["replay", "2", "--out", "again", "--workers", "2"]);
    assert!(said.stdout.contains("identical"), "{said}");
    let from = |run: &str| world.manifest(run)["resumed_from"]["sha256"].clone();
    assert_eq!(from("again"), from("2"));
    fs::remove_file(world.path("1.snapshot")).unwrap();
    let said = world.consort(&["replay", "2"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("`"), "{said}");
    world.done(&["replay", "0"]);
}

#[test]
fn a_system_may_be_elsewhere_and_say_more_about_its_pictures() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "plain"]);
    world.done(&["run", "s", "--save-at", "7", "--save", "s.snapshot", "--out", "saved"]);
    fs::rename(world.path("s"), world.path("moved")).unwrap();
    let text = world.read("moved/system.toml");
    world.write("moved/system.toml", format!("# a comment\n{text}"));
    world.done(&["run", "moved", "--resume", "s.snapshot", "--out", "resumed"]);
    assert_eq!(world.trace_hash("resumed"), world.trace_hash("plain"));
}

#[test]
fn an_interrupted_run_is_saved_and_resumed() {
    let world = quickstart();
    world.done(&["run", "s", "--out", "plain"]);
    let mut command = world.command(&[
        "run",
        "s",
        "--real-time",
        "20",
        "--save",
        "s.snapshot",
        "--out",
        "cut",
        "--quiet",
    ]);
    let mut child = command.spawn().unwrap();
    let pid = child.id().to_string();
    let log = world.path("cut/log.jsonl");
    while !log.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let stopped = end(&world, "cut");
    assert!(stopped < 60.0, "{stopped}");
    assert_eq!(world.manifest("cut")["saved"][0]["time"], stopped);
    world.done(&["run", "--resume", "s.snapshot", "--out", "rest"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("plain"));
}

/// An FMU whose restore is noticed: its integrator begins anew.
fn restarts() -> World {
    keeper(2)
}

/// An FMU that has something wrong with its states.
fn keeper(fault: u32) -> World {
    let world = World::new();
    let flags = vec![format!("-DFAULT={fault}")];
    world.archive("keeper", Fmi::V2, &BuildOptions { flags, ..BuildOptions::archive() });
    world.system(
        "[experiment]\nstop = 5\nstep = 0.1\n[components.keeper]\nmodel = \"keeper.fmu\"\n\
         [components.sine]\nmodel = \"native:sine\"\n\
         [[connections]]\nfrom = \"sine.y\"\nto = \"keeper.u\"\n",
    );
    world
}

#[test]
fn where_a_restore_is_noticed_a_save_belongs_to_the_experiment() {
    let world = restarts();
    let native = ["--providers", "native"];
    let run = |line: &[&str]| world.done(&[line, &native[..]].concat());
    run(&["run", "s", "--out", "plain"]);
    let saves =
        ["--save-at", "2", "--save", "2.snapshot", "--save-at", "4", "--save", "4.snapshot"];
    let said = run(&[&["run", "s", "--out", "saved"], &saves[..]].concat());
    assert!(said.stderr.contains("always in the same way"), "{said}");
    let hash = world.trace_hash("saved");
    assert_ne!(hash, world.trace_hash("plain"), "its restore is noticed");
    run(&["run", "--resume", "4.snapshot", "--out", "from-4"]);
    assert_eq!(world.trace_hash("from-4"), hash);
    let again = ["--save-at", "4", "--save", "again.snapshot", "--out", "from-2"];
    run(&[&["run", "--resume", "2.snapshot"], &again[..]].concat());
    assert_eq!(world.trace_hash("from-2"), hash);
    let experiment = |run: &str| world.manifest(run)["experiment_hash"].clone();
    assert_eq!(experiment("from-4"), experiment("saved"));
    assert_eq!(experiment("from-2"), experiment("saved"));
    assert_ne!(experiment("plain"), experiment("saved"));
    for name in ["saved", "from-4", "from-2"] {
        let said = run(&["replay", name]);
        assert!(said.stdout.contains("identical"), "{said}");
    }
}

#[test]
fn what_its_own_saving_would_change_is_saved_from_outside() {
    // Restarts its integrator; keeps its states where no other process finds them.
    for fault in [2, 8] {
        let world = keeper(fault);
        world.done(&["run", "s", "--out", "plain"]);
        world.done(&["run", "s", "--save-at", "2", "--save", "2.snapshot", "--out", "saved"]);
        world.done(&["run", "--resume", "2.snapshot", "--out", "resumed"]);
        for run in ["saved", "resumed"] {
            assert_eq!(world.trace_hash(run), world.trace_hash("plain"), "{run} {fault}");
        }
    }
}
