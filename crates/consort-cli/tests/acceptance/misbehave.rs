//! FMUs that fail, each in its way: what is said, the exit code, and what is kept.

use crate::record::Record;
use crate::world::{NEVER_SAID, Said, World, filters};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What a case must come to.
enum End {
    /// The run finishes; with how many times recorded.
    Finished(usize),
    /// The run fails and keeps its times.
    Failed(usize),
    /// Nothing ran and nothing is left.
    Nothing,
}
use End::{Failed, Finished, Nothing};

struct Case {
    what: &'static str,
    component: &'static str,
    parameters: &'static str,
    end: End,
}

const fn case(what: &'static str, parameters: &'static str, end: End) -> Case {
    Case { what, component: "odd", parameters, end }
}

/// In a run from 0 to 1 s by 0.1 s: eleven times, six of them from 0 to 0.5 s.
fn cases() -> Vec<Case> {
    vec![
        Case { component: "refuse", ..case("is not made", "", Nothing) },
        case("enter initialization: warning", "phase = 2, status = 1", Finished(11)),
        case("enter initialization: error", "phase = 2, status = 3", Nothing),
        case("enter initialization: fatal", "phase = 2, status = 4", Nothing),
        case("exit initialization: discard", "phase = 3, status = 2", Nothing),
        case("exit initialization: error", "phase = 3, status = 3", Nothing),
        case("exit initialization: fatal", "phase = 3, status = 4", Nothing),
        case("set: warning", "phase = 4, status = 1, at = 0.5", Finished(11)),
        case("set: discard", "phase = 4, status = 2, at = 0.5", Failed(6)),
        case("set: error", "phase = 4, status = 3, at = 0.5", Failed(6)),
        case("set: fatal", "phase = 4, status = 4, at = 0.5", Failed(6)),
        case("get: warning", "phase = 5, status = 1, at = 0.45", Finished(11)),
        case("get: discard", "phase = 5, status = 2, at = 0.45", Failed(5)),
        case("get: error", "phase = 5, status = 3, at = 0.45", Failed(5)),
        case("get: fatal", "phase = 5, status = 4, at = 0.45", Failed(5)),
        case("get during initialization: error", "phase = 5, status = 3", Nothing),
        case("step: warning", "phase = 6, status = 1, at = 0.5", Finished(11)),
        case("step: discard", "phase = 6, status = 2, at = 0.5", Failed(6)),
        case("step: error", "phase = 6, status = 3, at = 0.5", Failed(6)),
        case("step: fatal", "phase = 6, status = 4, at = 0.5", Failed(6)),
        case("step: pending", "phase = 6, status = 5, at = 0.5", Failed(6)),
        case("step: a status that is none", "phase = 6, status = 99, at = 0.5", Failed(6)),
        case("step: an error in the first", "phase = 6, status = 3", Failed(1)),
        case("terminate: warning", "phase = 7, status = 1", Finished(11)),
        case("terminate: error", "phase = 7, status = 3", Finished(11)),
        case("terminate: fatal", "phase = 7, status = 4", Finished(11)),
        case("is not a number", "behavior = 5, at = 0.5", Finished(11)),
        case("logs without end", "behavior = 9, amount = 2000, at = 0.85", Finished(11)),
        case("logs each status", "behavior = 11, at = 0.85", Finished(11)),
        case("prints", "behavior = 2, at = 0.85", Finished(11)),
    ]
}

fn world(fmi: Fmi, case: &Case) -> World {
    let world = World::new();
    world.archive("misbehave", fmi, &BuildOptions::archive());
    let (name, parameters) = (case.component, case.parameters);
    // What it does in set-up must be known there.
    let setup = if case.what.starts_with("set up") { "setup = \"after-parameters\"\n" } else { "" };
    world.system(&format!(
        "[experiment]\nstop = 1\nstep = 0.1\n\
         [components.source]\nmodel = \"native:sine\"\n\
         [components.{name}]\nmodel = \"misbehave.fmu\"\n{setup}parameters = {{ {parameters} }}\n\
         [[connections]]\nfrom = \"source.y\"\nto = \"{name}.u\"\n"
    ));
    world
}

/// Runs a case and checks all of it but the words.
fn run(fmi: Fmi, case: &Case) -> Said {
    let world = world(fmi, case);
    let before = world.contents();
    let said = world.consort(&["run", "s", "--out", "run", "--csv"]);
    let place = format!("{fmi:?} {}: {said}", case.what);
    assert_eq!(said.stdout, "", "{place}");
    let (code, state, rows) = match case.end {
        Finished(rows) => (0, "finished", rows),
        Failed(rows) => (2, "failed", rows),
        Nothing => {
            assert_eq!(said.code, Some(2), "{place}");
            assert_eq!(world.contents(), before, "{place}");
            return said;
        }
    };
    assert_eq!(said.code, Some(code), "{place}");
    assert_eq!(world.manifest("run")["exit"]["state"], state, "{place}");
    let mut times = Record::parse(&world.read("run/trace.csv")).times();
    times.dedup();
    assert_eq!(times.len(), rows, "{place}");
    world.done(&["diff", "run/trace.csv", "run/trace.parquet"]);
    world.done(&["plot", "run", "--out", "-"]);
    said
}

fn messages(fmi: Fmi, cases: &[Case]) -> String {
    let mut text = String::new();
    for case in cases {
        let said = run(fmi, case);
        assert!(NEVER_SAID.iter().all(|never| !said.stderr.contains(never)), "{said}");
        let code = said.code.unwrap();
        text += &format!("==== {} (exit {code})\n{}\n", case.what, said.stderr);
    }
    text
}

#[test]
fn every_failure_of_fmi_2_is_reported() {
    let mut cases = cases();
    cases.push(case("set up: warning", "phase = 1, status = 1", Finished(11)));
    cases.push(case("set up: error", "phase = 1, status = 3", Nothing));
    cases.push(case("set up: fatal", "phase = 1, status = 4", Nothing));
    insta::with_settings!({filters => filters()}, {
        insta::assert_snapshot!(messages(Fmi::V2, &cases));
    });
}

#[test]
fn every_failure_of_fmi_3_is_reported() {
    let mut cases = cases();
    cases.push(case("update discrete states: error", "phase = 11, status = 3", Nothing));
    cases.push(case("update discrete states: fatal", "phase = 11, status = 4", Nothing));
    cases.push(case("reaches too far", "behavior = 3, at = 0.5", Finished(11)));
    cases.push(case("stops short", "behavior = 4, at = 0.5", Finished(11)));
    insta::with_settings!({filters => filters()}, {
        insta::assert_snapshot!(messages(Fmi::V3, &cases));
    });
}

/// A stair that asks for the end at its tenth step, at 9 s of 20.
#[test]
fn an_fmu_may_ask_for_the_end() {
    let mut text = String::new();
    for fmi in [Fmi::V2, Fmi::V3] {
        let world = World::new();
        world.archive("stair", fmi, &BuildOptions::archive());
        world.system(
            "[experiment]\nstop = 20\nstep = 0.5\n\
             [components.stair]\nmodel = \"stair.fmu\"\nparameters = { terminate = true }\n",
        );
        let said = world.consort(&["run", "s", "--out", "run", "--csv"]);
        text += &format!("==== {fmi:?}\n{said}\n");
        let exit = &world.manifest("run")["exit"];
        text += &format!("{exit:#}\n");
        let record = Record::parse(&world.read("run/trace.csv"));
        text += &format!("last count {:?}\n", record.column("stair.count").last());
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

/// What a binary may be instead of a library with the functions of the standard.
fn bad_binaries(fmi: Fmi) -> Vec<(&'static str, Vec<u8>)> {
    let good = fmus::build("gain", fmi, &BuildOptions::binary());
    let good = fs::read(fmus::library(&good)).unwrap();
    let mut foreign = good.clone();
    foreign[18] = 0xB7;
    let step = match fmi {
        Fmi::V2 => b"\0fmi2DoStep\0",
        Fmi::V3 => b"\0fmi3DoStep\0",
    };
    let mut without = good.clone();
    let at = without.windows(step.len()).position(|name| name == step).expect("it has steps");
    without[at + 5] = b'N';
    vec![
        ("an empty file", Vec::new()),
        ("a text", b"#!/bin/sh\necho this is no library, however long it is made\n".repeat(4)),
        ("half a library", good[..good.len() / 2].to_vec()),
        ("a library for another processor", foreign),
        ("a library without a function", without),
        ("a library with an unresolved symbol", unresolved()),
    ]
}

fn unresolved() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("a.c"), folder.path().join("a.so"));
    fs::write(&source, "void nobody_has(void); void fmi2DoStep(void) { nobody_has(); }").unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().unwrap().success());
    fs::read(library).unwrap()
}

/// A gain in the folder `s/gain`, ready to be spoiled, and the path of its binary.
fn spoilable(fmi: Fmi) -> (World, PathBuf) {
    let world = World::new();
    let folder = fmus::build("gain", fmi, &BuildOptions::binary());
    let library = fmus::library(&folder);
    let library = library.strip_prefix(&folder).unwrap();
    let description = fs::read(folder.join("modelDescription.xml")).unwrap();
    world.write("s/gain/modelDescription.xml", description);
    let path = format!("s/gain/{}", library.display());
    world.write(&path, fs::read(folder.join(library)).unwrap());
    world.system("[experiment]\nstop = 1\nstep = 1\n[components.g]\nmodel = \"gain\"\n");
    (world, PathBuf::from(path))
}

/// A run that must not begin; what was said.
fn refused(world: &World) -> String {
    let before = world.contents();
    let said = world.consort(&["run", "s"]);
    assert!(matches!(said.code, Some(1 | 2)), "{said}");
    assert!(said.stderr.contains("error[") && !said.stderr.contains("panicked"), "{said}");
    assert_eq!(world.contents(), before, "{said}");
    format!("exit {}\n{}", said.code.unwrap(), said.stderr)
}

#[test]
fn binaries_that_are_none_are_reported() {
    let mut text = String::new();
    for fmi in [Fmi::V2, Fmi::V3] {
        for (what, bytes) in bad_binaries(fmi) {
            let (world, library) = spoilable(fmi);
            world.write(&library.display().to_string(), bytes);
            text += &format!("==== {fmi:?}: {what}: {}\n", refused(&world));
        }
        let (world, library) = spoilable(fmi);
        fs::remove_file(world.path(&library.display().to_string())).unwrap();
        text += &format!("==== {fmi:?}: no library: {}\n", refused(&world));
        let (world, _) = spoilable(fmi);
        let description = world.read("s/gain/modelDescription.xml");
        let other = description.replace("consort-testkit-gain-1", "consort-testkit-gain-2");
        world.write("s/gain/modelDescription.xml", other);
        text += &format!("==== {fmi:?}: another token: {}\n", refused(&world));
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

#[test]
fn what_an_fmu_prints_never_reaches_data() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let world = world(fmi, &case("", "behavior = 2", Finished(11)));
        let said = world.done(&["inspect", "s", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&said.stdout).unwrap();
        let said = world.done(&["repeat", "s", "--runs", "2", "--no-load"]);
        assert!(!said.stdout.contains("misbehave prints"), "{said}");
        assert!(said.stderr.contains("misbehave prints"), "{said}");
    }
}

/// What is not done is said.
#[test]
fn a_clock_that_is_never_ticked_is_reported() {
    let world = World::new();
    world.archive("clocks", Fmi::V3, &BuildOptions::archive());
    world.system("[experiment]\nstop = 1\nstep = 0.1\n[components.c]\nmodel = \"clocks.fmu\"\n");
    let said = world.done(&["run", "s"]);
    assert!(said.stderr.contains("the clock `c.tick` never ticks"), "{said}");
}
