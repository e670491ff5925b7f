//! Bad inputs of every kind: reported with help, and nothing is left behind, not even in the cache.

use crate::world::{NEVER_SAID, World, filters};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A system without mistakes, to be spoiled.
pub(crate) const GOOD: &str = r#"[experiment]
stop = 1
step = 0.1
[components.source]
model = "native:sine"
[components.gain]
model = "native:gain"
parameters = { k = 2 }
[[connections]]
from = "source.y"
to = "gain.u"
"#;

/// Files only: an empty folder of the cache is harmless.
fn files(world: &World) -> Vec<PathBuf> {
    world.contents().into_iter().filter(|path| path.is_file()).collect()
}

/// The program must refuse; what was said.
fn refuse(world: &World, args: &[&str]) -> String {
    let before = files(world);
    let said = world.consort(args);
    assert!(matches!(said.code, Some(1 | 2)), "{args:?}: {said}");
    assert_eq!(said.stdout, "", "{args:?}");
    for never in NEVER_SAID {
        assert!(!said.stderr.contains(never), "{said}");
    }
    assert!(said.stderr.contains("help"), "{args:?} is not helped: {said}");
    assert_eq!(files(world), before, "{args:?} left something behind: {said}");
    format!("exit {}\n{}\n", said.code.unwrap(), said.stderr)
}

fn check(name: &str, cases: Vec<(&str, World, Vec<&str>)>) {
    let mut text = String::new();
    for (what, world, args) in cases {
        let run = ["run", "s"].into_iter().chain(args);
        text += &format!("==== {what}: {}", refuse(&world, &run.collect::<Vec<_>>()));
    }
    let mut filters = filters();
    // The compiler's messages and command differ from machine to machine.
    filters.push((r"(?s)the compiler says:.*?\nhelp", "the compiler says: [...]\nhelp"));
    insta::with_settings!({filters => filters}, { insta::assert_snapshot!(name, text) });
}

fn system(text: &str) -> World {
    let world = World::with_clean_cache();
    world.system(text);
    world
}

fn spoiled(from: &str, to: &str) -> World {
    assert!(GOOD.contains(from));
    system(&GOOD.replace(from, to))
}

#[test]
fn bad_systems_leave_nothing() {
    check(
        "systems",
        vec![
            ("no TOML", spoiled("[experiment]", "[experiment"), vec![]),
            ("an unknown key", spoiled("step = 0.1", "stepp = 0.1"), vec![]),
            ("an unknown component", spoiled("gain.u", "gian.u"), vec![]),
            ("an unknown variable", spoiled("gain.u", "gain.w"), vec![]),
            ("an unknown block", spoiled("native:sine", "native:sinus"), vec![]),
            ("an unknown parameter", spoiled("k = 2", "gain = 2"), vec![]),
            ("a wrong type", spoiled("k = 2", "k = \"two\""), vec![]),
            ("a wrong direction", spoiled("from = \"source.y\"", "from = \"gain.u\""), vec![]),
            ("two sources", system(&(GOOD.to_owned() + TWICE)), vec![]),
            ("several mistakes", several(), vec![]),
            ("no system at all", World::with_clean_cache(), vec![]),
        ],
    );
}

const TWICE: &str = "[[connections]]\nfrom = \"gain.y\"\nto = \"gain.u\"\n";

fn several() -> World {
    let text = GOOD.replace("gain.u", "gain.w").replace("k = 2", "q = 2");
    system(&text.replace("step = 0.1", "step = 0.3").replace("native:sine", "missing.fmu"))
}

#[test]
fn bad_options_leave_nothing() {
    let good = || system(GOOD);
    let table = |text: &str| {
        let world = system(&GOOD[..GOOD.find("[[").unwrap()]);
        world.write("in.csv", text);
        world
    };
    check(
        "options",
        vec![
            ("a stop that is none", good(), vec!["--stop", "soon"]),
            ("a step that does not fit", good(), vec!["--step", "0.3"]),
            ("a variable that is not there", good(), vec!["--set", "gain.kk=3"]),
            ("a value that is none", good(), vec!["--set", "gain.k=blue"]),
            ("no value", good(), vec!["--set", "gain.k"]),
            ("an unknown option", good(), vec!["--sotp", "3"]),
            ("no workers", good(), vec!["--workers", "0"]),
            ("a missing table", good(), vec!["--input", "nowhere.csv"]),
            ("an empty table", table(""), vec!["--input", "in.csv"]),
            ("a table without numbers", table("time,gain.u\n0,x\n"), vec!["--input", "in.csv"]),
            ("a table going back", table("time,gain.u\n1,1\n0,2\n"), vec!["--input", "in.csv"]),
            ("a table without a target", table("time,gain.w\n0,1\n"), vec!["--input", "in.csv"]),
            ("a table with holes", table("time,gain.u\n0,1\n1\n"), vec!["--input", "in.csv"]),
            ("a fed input with a source", fed_twice(), vec!["--input", "in.csv"]),
        ],
    );
}

fn fed_twice() -> World {
    let world = system(GOOD);
    world.write("in.csv", "time,gain.u\n0,1\n");
    world
}

/// A system of one FMU, `x.fmu` or the folder `x`, which is in the folder.
fn one(model: &str) -> World {
    system(&format!("[experiment]\nstop = 1\nstep = 0.1\n[components.x]\nmodel = {model:?}\n"))
}

fn archive(bytes: &[u8]) -> World {
    let world = one("x.fmu");
    world.write("s/x.fmu", bytes);
    world
}

fn good_archive() -> Vec<u8> {
    fs::read(fmus::build("gain", Fmi::V2, &BuildOptions::archive())).unwrap()
}

/// A source FMU with its description or its source replaced.
fn source(description: Option<&str>, model: Option<&str>) -> World {
    let world = one("x");
    let folder = fmus::source_fmu_folder("gain", Fmi::V2);
    for name in [
        "modelDescription.xml",
        "sources/consort_instance.h",
        "sources/model.c",
        "sources/consort_model.h",
        "sources/consort_fmi2.c",
    ] {
        world.write(&format!("s/x/{name}"), fs::read(folder.join(name)).unwrap());
    }
    if let Some(text) = description {
        world.write("s/x/modelDescription.xml", text);
    }
    if let Some(text) = model {
        world.write("s/x/sources/model.c", text);
    }
    world
}

/// Names inside an archive have a fixed length: another of the same length is put in their place.
fn renamed(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = good_archive();
    let mut found = 0;
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            found += 1;
        }
    }
    assert!(2 <= found, "the local and the central name");
    bytes
}

#[test]
fn bad_fmus_leave_nothing() {
    let good = good_archive();
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE f [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">\
                <!ENTITY c \"&b;&b;&b;&b;\">]><fmiModelDescription>&c;</fmiModelDescription>";
    let missing = "<?xml version=\"1.0\"?><fmiModelDescription fmiVersion=\"2.0\"/>";
    let future = "<?xml version=\"1.0\"?><fmiModelDescription fmiVersion=\"4.0\"/>";
    check(
        "fmus",
        vec![
            ("a missing FMU", one("x.fmu"), vec![]),
            ("an empty archive", archive(b""), vec![]),
            ("half an archive", archive(&good[..good.len() / 2]), vec![]),
            ("no archive", archive(b"this is not an FMU"), vec![]),
            (
                "a path that leaves the archive",
                archive(&renamed("sources/model.c", "../../../evil.c")),
                vec![],
            ),
            ("an absolute path", archive(&renamed("sources/model.c", "/etc/cron.d/e.c")), vec![]),
            (
                "no description",
                archive(&renamed("modelDescription.xml", "ModelDescription.xmL")),
                vec![],
            ),
            ("a bomb of entities", source(Some(bomb), None), vec![]),
            ("broken XML", source(Some("<fmiModelDescription"), None), vec![]),
            ("nothing described", source(Some(missing), None), vec![]),
            ("a version to come", source(Some(future), None), vec![]),
            ("sources that do not compile", source(None, Some("int f( { return x; }\n")), vec![]),
            ("a directory that is no FMU", empty_folder(), vec![]),
        ],
    );
}

fn empty_folder() -> World {
    let world = one("x");
    world.write("s/x/readme.txt", "nothing here");
    world
}

/// The promise is sixty bad inputs with their words kept; most are kept by the crates that find them.
#[test]
fn the_words_for_many_bad_inputs_are_kept() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut said = BTreeSet::new();
    collect(crates, &mut said);
    assert!(60 <= said.len(), "{} distinct errors", said.len());
    for words in said {
        assert!(NEVER_SAID.iter().all(|never| !words.contains(never)), "{words}");
    }
}

/// The first line of every error in every snapshot below a folder.
fn collect(folder: &Path, said: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, said);
        } else if path.extension().is_some_and(|ending| ending == "snap") {
            let text = fs::read_to_string(path).unwrap();
            let errors = text.lines().filter(|line| line.starts_with("error["));
            said.extend(errors.map(str::to_owned));
        }
    }
}
