//! The library and the command line give the same results.

use crate::world::{World, shortened};
use consort::{Run, RunSettings, System};
use consort_testkit::fmus::example;
use std::fs;

/// Examples that are one piece: those on nodes run there, and their hash is the same.
fn examples() -> Vec<String> {
    let names = fs::read_dir(example("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let is_system = |name: &String| {
        ["system.toml", "mm.json"].iter().any(|file| example(name).join(file).is_file())
    };
    let mut names: Vec<String> = names.filter(is_system).collect();
    names.sort();
    names
}

/// The options of the command line as changes of a system.
fn system(world: &World, name: &str) -> System {
    let mut system = System::load(example(name)).unwrap();
    let options = shortened(name);
    if let [_, stop] = options {
        system.changes_mut().stop = Some(stop.parse().unwrap());
    }
    system.models_mut().loader.cache = world.cache().to_owned();
    system
}

fn finished(mut run: Run) -> String {
    run.advance_to_end().unwrap();
    run.finish().summary.trace_hash.to_string()
}

#[test]
fn every_example_has_one_hash_by_library_and_command_line() {
    let world = World::new();
    let names = examples();
    assert!(15 < names.len(), "{names:?}");
    for name in names {
        let path = example(&name).display().to_string();
        let line = ["run", &path, "--local", "--out", "run"];
        world.done(&[&line[..], shortened(&name)].concat());
        let prepared = system(&world, &name).prepare().unwrap();
        let settings = RunSettings { workers: 2, is_recorded: false, ..RunSettings::default() };
        let run = prepared.start_with(settings).unwrap();
        assert_eq!(finished(run), world.trace_hash("run"), "{name}");
    }
}

#[test]
fn runs_that_are_isolated_saved_and_branched_have_the_hash_of_the_command_line() {
    let world = World::new();
    let path = example("quickstart").display().to_string();
    world.done(&["run", &path, "--out", "run"]);
    let mut isolated = system(&world, "quickstart").saved();
    isolated.changes_mut().isolate = true;
    // The program that serves isolated models is not the one that runs this test.
    let host =
        isolated.models_mut().loader.host.as_mut().expect("`consort` is built beside its tests");
    host.program = env!("CARGO_BIN_EXE_consort").into();
    for system in [system(&world, "quickstart").saved(), isolated] {
        let mut run = system.prepare().unwrap().start().unwrap();
        run.advance(20.0).unwrap();
        let branch = run.branch().unwrap();
        let snapshot = run.save().unwrap();
        run.advance(33.0).unwrap();
        assert_eq!(run.time().to_bits(), 33.0_f64.to_bits());
        run.restore(&snapshot).unwrap();
        assert_eq!(run.time().to_bits(), 20.0_f64.to_bits());
        let hash = world.trace_hash("run");
        assert_eq!((finished(run), finished(branch)), (hash.clone(), hash));
    }
}

#[test]
fn mistakes_are_told_with_their_codes_and_cures() {
    let missing = System::load("no/such/system.toml").unwrap_err().to_string();
    assert!(
        missing.starts_with("cli::no-system: `no/such/system.toml` could not be read"),
        "{missing}"
    );
    let world = World::new();
    let wrong = system(&world, "quickstart").set("tank.aera", 2).stop("soon");
    let wrong = wrong.prepare().err().expect("two things are wrong").to_string();
    assert!(wrong.contains("cli::bad-time: ") && wrong.contains("did you mean `area`?"), "{wrong}");
    let run = system(&world, "quickstart").prepare().unwrap().start().unwrap();
    assert_eq!(run.number("tank.level").unwrap().to_bits(), 0.8_f64.to_bits());
    let unknown = run.get("tank.no").unwrap_err().to_string();
    assert!(unknown.contains("`tank.no` is not in this system"), "{unknown}");
}
