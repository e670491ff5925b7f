//! Binaries that cannot be loaded, in every way there is: the reason and what to do are the same in this
//! process and in one of its own.

use crate::world::{Said, World, copy, filters};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to break the FMU in a folder.
struct Way {
    name: &'static str,
    model: (&'static str, Fmi),
    spoil: fn(&Path),
    /// A part of what is said.
    said: &'static str,
}

/// An FMU for this test alone.
fn broken(way: &Way) -> World {
    let world = World::new();
    let (model, fmi) = way.model;
    copy(&fmus::build(model, fmi, &BuildOptions::binary()), &world.path("s/bad"));
    // Sources would be compiled in place of a binary that is not there.
    let _ = fs::remove_dir_all(world.path("s/bad/sources"));
    (way.spoil)(&world.path("s/bad"));
    world.system("[experiment]\nstop = 1\nstep = 0.5\n[components.refuse]\nmodel = \"bad\"\n");
    world
}

fn library(folder: &Path) -> PathBuf {
    fmus::library(folder)
}

/// Puts a library of this C text in the place of the FMU's.
fn compile(folder: &Path, text: &str, more: &[&str]) {
    let source = folder.join("odd.c");
    fs::write(&source, text).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(library(folder)).arg(&source).args(more);
    assert!(compiler.status().unwrap().success());
}

fn missing_library(folder: &Path) {
    let ghost = folder.join("libghost.so");
    let source = folder.join("ghost.c");
    fs::write(&source, "int ghost(void) { return 1; }\n").unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&ghost).arg(&source);
    assert!(compiler.status().unwrap().success());
    let link = format!("-L{}", folder.display());
    compile(folder, "int ghost(void); int use(void) { return ghost(); }\n", &[&link, "-lghost"]);
    fs::remove_file(ghost).unwrap();
}

fn edit(folder: &Path, from: &str, to: &str) {
    let path = folder.join("modelDescription.xml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn patch(folder: &Path, change: fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(library(folder)).unwrap();
    change(&mut bytes);
    fs::write(library(folder), bytes).unwrap();
}

/// As on Windows only.
fn for_windows(folder: &Path) {
    let platform = library(folder).parent().unwrap().to_owned();
    let other = platform.with_file_name("win64");
    fs::rename(platform, &other).unwrap();
    fs::rename(other.join("gain.so"), other.join("gain.dll")).unwrap();
}

/// The one with the name that is looked for is gone, and there are two others.
fn two_others(folder: &Path) {
    let library = library(folder);
    fs::copy(&library, library.with_file_name("a.so")).unwrap();
    fs::rename(&library, library.with_file_name("b.so")).unwrap();
}

const GAIN: (&str, Fmi) = ("gain", Fmi::V2);
const GAIN_3: (&str, Fmi) = ("gain", Fmi::V3);
const BALL: (&str, Fmi) = ("exchange-ball", Fmi::V2);

fn way(
    name: &'static str,
    model: (&'static str, Fmi),
    spoil: fn(&Path),
    said: &'static str,
) -> Way {
    Way { name, model, spoil, said }
}

fn ways() -> Vec<Way> {
    unlinked().into_iter().chain(damaged()).chain(refused()).collect()
}

/// Something that the binary needs, or has to have, is not there.
fn unlinked() -> Vec<Way> {
    let nothing = |folder: &Path| compile(folder, "int nothing;\n", &[]);
    let unresolved = |folder: &Path| {
        compile(folder, "int ghost(void); int use(void) { return ghost(); }\n", &[]);
    };
    vec![
        way(
            "a missing library",
            GAIN,
            missing_library,
            "needs `libghost.so`, which is not installed",
        ),
        way("a missing library of FMI 3", GAIN_3, missing_library, "needs `libghost.so`"),
        way("a missing library of Model Exchange", BALL, missing_library, "needs `libghost.so`"),
        way("an unresolved symbol", GAIN, unresolved, "uses the undefined symbol `ghost`"),
        way("a missing function", GAIN, nothing, "has no function `fmi2"),
        way("a missing function of FMI 3", GAIN_3, nothing, "has no function `fmi3"),
        way("a missing function of Model Exchange", BALL, nothing, "has no function `fmi2"),
        way("for another platform", GAIN, for_windows, "it has binaries for `win64`"),
        way(
            "with another identifier",
            GAIN,
            two_others,
            "it has `a.so`, `b.so`, none of them `gain.so`",
        ),
    ]
}

/// The file is no library for this machine.
fn damaged() -> Vec<Way> {
    vec![
        way(
            "not an ELF",
            GAIN,
            |folder| fs::write(library(folder), "hello").unwrap(),
            "bad` cannot be loaded",
        ),
        way(
            "nothing in it",
            GAIN,
            |folder| fs::write(library(folder), "").unwrap(),
            "cannot be loaded",
        ),
        way(
            "cut short",
            GAIN,
            |folder| patch(folder, |bytes| bytes.truncate(bytes.len() / 2)),
            "cannot be loaded",
        ),
        // The machine of an ELF file, here AArch64.
        way(
            "for another machine",
            GAIN,
            |folder| {
                patch(folder, |bytes| {
                    bytes[18] = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
                });
            },
            "it is made for ",
        ),
    ]
}

/// The description or the instance says no.
fn refused() -> Vec<Way> {
    vec![
        way(
            "without an interface",
            GAIN,
            |folder| edit(folder, "CoSimulation", "CoSim"),
            "has no Co-Simulation interface",
        ),
        way(
            "without a description",
            GAIN,
            |folder| fs::write(folder.join("modelDescription.xml"), "<a").unwrap(),
            "modelDescription.xml",
        ),
        way(
            "with another token",
            GAIN,
            |folder| edit(folder, "testkit-gain-1", "testkit-gain-2"),
            "fmi2Instantiate",
        ),
        way("that refuses its name", ("misbehave", Fmi::V2), |_| (), "fmi2Instantiate"),
        way("that refuses its name in FMI 3", ("misbehave", Fmi::V3), |_| (), "fmi3Instantiate"),
        way(
            "of Model Exchange with another token",
            BALL,
            |folder| edit(folder, "-ball-1", "-ball-2"),
            "fmi2Instantiate",
        ),
    ]
}

/// What was said but how to repeat it, which names `--isolate`.
fn reason(said: &Said) -> String {
    let lines = said.stderr.lines().filter(|line| !line.starts_with("repeat with:"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_isolated_fmu_that_cannot_be_loaded_says_what_a_direct_one_says() {
    let mut text = String::new();
    for way in ways() {
        let world = broken(&way);
        for subject in ["s", "s/bad"] {
            let direct = world.consort(&["run", subject, "--out", "run"]);
            // A model alone has a name that none refuses.
            if direct.code == Some(0) && subject == "s/bad" {
                continue;
            }
            assert!(matches!(direct.code, Some(1 | 2)), "{}: {direct}", way.name);
            let isolated = world.consort(&["run", subject, "--out", "run", "--isolate"]);
            assert_eq!(reason(&isolated), reason(&direct), "{}", way.name);
            assert_eq!(isolated.code, direct.code, "{}", way.name);
            assert!(!world.path("run").exists(), "{}: nothing is written", way.name);
            assert!(direct.stderr.contains(way.said), "{}: {direct}", way.name);
            let is_loaded = direct.stderr.contains("its log: ");
            assert!(is_loaded || direct.stderr.contains("help: "), "{}: {direct}", way.name);
            if subject == "s" {
                text += &format!("==== {}: exit {:?}\n{}\n", way.name, direct.code, direct.stderr);
            }
        }
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

/// Every component that uses it is refused with one message, as in this process.
#[test]
fn a_broken_fmu_that_many_use_is_named_once() {
    let way = &ways()[0];
    let world = broken(way);
    let parts = (0..20).map(|n| format!("[components.c{n}]\nmodel = \"bad\"\n"));
    world.system(&format!("[experiment]\nstop = 1\nstep = 0.5\n{}", parts.collect::<String>()));
    let direct = world.consort(&["run", "s", "--out", "run"]);
    let isolated = world.consort(&["run", "s", "--out", "run", "--isolate"]);
    assert_eq!(reason(&isolated), reason(&direct));
    assert_eq!(isolated.stderr.matches("libghost.so").count(), 2, "{isolated}");
}

/// Saving measures FMUs in processes of their own: the reason is the same there.
#[test]
fn a_run_that_is_saved_says_the_same_reason() {
    let world = broken(&ways()[0]);
    let direct = world.consort(&["run", "s", "--out", "run"]);
    let saved = world.consort(&["run", "s", "--out", "run", "--save", "file"]);
    assert_eq!(reason(&saved), reason(&direct));
    let checked = world.consort(&["state-check", "s/bad"]);
    assert_eq!(checked.code, Some(2), "{checked}");
    assert!(checked.stderr.contains("needs `libghost.so`, which is not installed"), "{checked}");
}
