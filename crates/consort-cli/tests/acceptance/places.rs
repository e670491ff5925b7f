//! Where FMUs are, in which form, and what their paths are called makes no difference.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::process::Stdio;

const FORMS: [fn() -> BuildOptions; 4] = [
    BuildOptions::binary,
    BuildOptions::archive,
    BuildOptions::source,
    BuildOptions::source_archive,
];

fn system(model: &str, fmi: Fmi, options: &BuildOptions) -> String {
    let path = fmus::build(model, fmi, options);
    format!("[experiment]\nstop = 1\nstep = 0.01\n[components.x]\nmodel = {path:?}\n")
}

#[test]
fn folders_archives_and_sources_give_the_same_bits() {
    for model in ["oscillator", "stair", "resource", "bouncing-ball"] {
        for fmi in [Fmi::V2, Fmi::V3] {
            let hashes = FORMS.map(|form| {
                let world = World::new();
                world.system(&system(model, fmi, &form()));
                world.done(&["run", "s", "--out", "run"]);
                world.trace_hash("run")
            });
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{model} {fmi:?}: {hashes:?}");
        }
    }
}

#[test]
fn resources_are_found_wherever_they_are() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for options in [BuildOptions::archive(), BuildOptions::source_archive()] {
            let world = World::new();
            let place = "a folder, 100% ü #1";
            let fmu = std::fs::read(fmus::build("resource", fmi, &options)).unwrap();
            world.write(&format!("{place}/my résumé.fmu"), fmu);
            let text = "[experiment]\nstop = 1\nstep = 1\n\
                        [components.x]\nmodel = \"my résumé.fmu\"\n";
            world.write(&format!("{place}/system.toml"), text);
            let cache = format!("{place}/cache %20");
            let command = &mut world.command(&["run", place, "--out", "run", "--csv"]);
            let done = command.arg("--cache-dir").arg(&cache).stderr(Stdio::inherit()).status();
            assert!(done.unwrap().success(), "{fmi:?}");
            let record = Record::parse(&world.read("run/trace.csv"));
            assert_eq!(record.column("x.number"), ["42", "42"]);
            assert_eq!(record.column("x.text"), ["hello", "hello"]);
        }
    }
}

/// Several programs find a clean cache at once: each makes what it needs, none sees half a binary.
#[test]
fn one_cache_serves_many_at_once() {
    let world = World::with_clean_cache();
    world.system(&system("oscillator", Fmi::V3, &BuildOptions::source_archive()));
    let names = ["a", "b", "c", "d"];
    let started = names.map(|name| {
        let mut command = world.command(&["run", "s", "--out", name]);
        command.arg("--cache-dir").arg(world.path("cache")).stderr(Stdio::null()).spawn().unwrap()
    });
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let hashes = names.map(|name| world.trace_hash(name));
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}
