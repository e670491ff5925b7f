//! FMUs in processes of their own: the same traces, and nothing they do ends more than their run.

use crate::record::Record;
use crate::world::{NEVER_SAID, Said, World, children, eventually, filters, shortened};
use consort_testkit::fmus::{self, BuildOptions, EXCHANGE_MODELS, Fmi, MODELS, example};
use consort_testkit::python;
use std::fs;

/// Runs `what` here and apart, with each number of workers; all traces are the same.
fn check_same(world: &World, what: &str, more: &[&str]) {
    let run = |out: &str, options: &[&str]| {
        let args = [&["run", what, "--out", out, "--no-record"], more, options].concat();
        world.done(&args);
        world.trace_hash(out)
    };
    let here = run("here", &["--workers", "2"]);
    for workers in ["1", "2", "8"] {
        let apart = run("apart", &["--isolate", "--workers", workers]);
        assert_eq!(apart, here, "{what} with {workers} workers");
    }
}

#[test]
fn examples_are_the_same_in_processes_of_their_own() {
    let names = fs::read_dir(example("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| example(name).join("system.toml").is_file());
    assert!(7 < names.len(), "{names:?}");
    for name in names {
        // Equations that are connected are integrated as one here, which they cannot be from process
        // to process: there each is integrated on its own, as the option says.
        let more: &[&str] = match name.as_str() {
            "coupled-exchange" => &["--continuous", "apart"],
            name => shortened(name),
        };
        check_same(&World::new(), &example(&name).display().to_string(), more);
    }
}

#[test]
fn every_test_model_is_the_same_in_a_process_of_its_own() {
    let models = MODELS.iter().chain(EXCHANGE_MODELS);
    for (model, fmi) in models.flat_map(|it| it.versions.iter().map(move |fmi| (it, *fmi))) {
        let world = World::new();
        world.archive(model.name, fmi, &BuildOptions::archive());
        let path = format!("s/{}.fmu", model.name);
        let run = |out: &str, more: &[&str]| {
            let options = ["--out", out, "--stop", "1", "--step", "0.05", "--no-record"];
            world.done(&[&["run", &path], &options[..], more].concat());
            world.trace_hash(out)
        };
        assert_eq!(run("apart", &["--isolate"]), run("here", &[]), "{} {fmi:?}", model.name);
    }
}

#[test]
fn events_and_several_instances_of_one_binary_are_the_same() {
    let world = World::new();
    world.archive("stair", Fmi::V3, &BuildOptions::archive());
    world.system(
        "[experiment]\nstop = 6\nstep = 0.3\n\
         [components.a]\nmodel = \"stair.fmu\"\n\
         [components.b]\nmodel = \"stair.fmu\"\nstep = 0.6\n\
         [components.c]\nmodel = \"stair.fmu\"\nevent-mode = false\n\
         [components.d]\nmodel = \"native:sine\"\n",
    );
    check_same(&world, "s", &[]);
}

#[test]
fn a_whole_python_lives_in_a_process_of_its_own() {
    for archive in [python::pythonfmu_archive(), python::pythonfmu3_archive()] {
        let world = World::new();
        fs::create_dir_all(world.path("s")).unwrap();
        fs::copy(archive, world.path("s/model.fmu")).unwrap();
        let library = python::libpython().map(|path| path.display().to_string());
        let more: Vec<&str> =
            library.iter().flat_map(|path| ["--python-library", path.as_str()]).collect();
        let more = [&["--stop", "1", "--step", "0.1"], &more[..]].concat();
        check_same(&world, "s/model.fmu", &more);
    }
}

/// A source, the misbehaving one, and one that behaves.
fn misbehaving(parameters: &str) -> World {
    let world = World::new();
    world.archive("misbehave", Fmi::V2, &BuildOptions::archive());
    world.system(&format!(
        "[experiment]\nstop = 1\nstep = 0.1\nisolate = true\n\
         [components.source]\nmodel = \"native:sine\"\n\
         [components.odd]\nmodel = \"misbehave.fmu\"\nparameters = {{ {parameters} }}\n\
         [components.good]\nmodel = \"misbehave.fmu\"\n\
         [[connections]]\nfrom = \"source.y\"\nto = [\"odd.u\", \"good.u\"]\n"
    ));
    world
}

/// What is said of a run that fails at 0.5 s; what was recorded before is there.
fn failed(parameters: &str) -> Said {
    let world = misbehaving(&format!("{parameters}, at = 0.5"));
    let args = ["run", "s", "--out", "run", "--csv", "--call-limit", "0.4"];
    let said = world.consort(&args);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(NEVER_SAID.iter().all(|never| !said.stderr.contains(never)), "{said}");
    assert_eq!(world.manifest("run")["exit"]["state"], "failed", "{said}");
    let mut times = Record::parse(&world.read("run/trace.csv")).times();
    times.dedup();
    assert_eq!(times.len(), 6, "{said}");
    said
}

#[test]
fn whatever_an_fmu_does_is_reported_and_what_was_recorded_is_kept() {
    let mut text = String::new();
    for (what, parameters) in [
        ("leaves in a step", "phase = 6, status = 100"),
        ("crashes in a step", "phase = 6, status = 101"),
        ("never comes back from a step", "phase = 6, status = 102"),
        ("leaves while an input is set", "phase = 4, status = 100"),
        ("aborts in a step", "behavior = 7"),
        ("says error in a step", "phase = 6, status = 3"),
    ] {
        text += &format!("==== {what}\n{}\n", failed(parameters).stderr);
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

#[test]
fn an_fmu_that_does_not_answer_is_reported_while_it_is_waited_for() {
    let world = misbehaving("phase = 6, status = 102, at = 0.5");
    let said = world.consort(&["run", "s", "--out", "run", "--call-limit", "7"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("still waiting for `odd` after "), "{said}");
    assert!(said.stderr.contains(" s: fmi2DoStep"), "{said}");
    let log = world.events("run", "log");
    assert!(log.iter().any(|line| line["category"] == "wait"), "{log:?}");
    assert_eq!(world.manifest("run")["exit"]["state"], "failed");
    assert!(said.stderr.contains("no answer for 7 s"), "{said}");
}

#[test]
fn an_fmu_that_ends_before_it_begins_leaves_nothing() {
    let mut text = String::new();
    for parameters in ["phase = 2, status = 100", "phase = 3, status = 101"] {
        let world = misbehaving(parameters);
        let before = world.contents();
        let said = world.consort(&["run", "s", "--out", "run"]);
        assert_eq!(said.code, Some(2), "{said}");
        assert_eq!(world.contents(), before, "{said}");
        text += &format!("==== {parameters}\n{}\n", said.stderr);
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

#[test]
fn the_binary_is_loaded_in_its_own_process_only() {
    let world = World::new();
    let folder = fmus::build("gain", Fmi::V2, &BuildOptions::binary());
    crate::world::copy(&folder, &world.path("s/gain"));
    spoil_library(&world);
    world.system("[experiment]\nstop = 1\nstep = 1\n[components.g]\nmodel = \"gain\"\n");
    let said = world.consort(&["run", "s", "--out", "run"]);
    assert_eq!(said.code, Some(77), "the library ends the process that loads it: {said}");
    let said = world.consort(&["run", "s", "--out", "run", "--isolate"]);
    assert_eq!(said.code, Some(2), "{said}");
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(said.stderr) });
    world.done(&["plan", "s", "--isolate"]);
}

/// Puts a library in place of the gain's that leaves as soon as it is loaded.
fn spoil_library(world: &World) {
    let library = fmus::library(&world.path("s/gain"));
    let source = world.path("leave.c");
    let text = "#include <stdlib.h>\n\
                __attribute__((constructor)) static void leave(void) { _Exit(77); }\n";
    fs::write(&source, text).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().unwrap().success());
}

#[test]
fn what_cannot_be_isolated_or_saved_so_is_reported() {
    let mut text = String::new();
    for (what, keys, options) in [
        ("a block", "[components.a]\nmodel = \"native:sine\"\nisolate = true\n", &[][..]),
        ("a block by image", "[components.a]\nmodel = \"native:sine\"\nstate = \"image\"\n", &[]),
        (
            "against itself",
            "[components.a]\nmodel = \"misbehave.fmu\"\nisolate = false\nstate = \"fork\"\n",
            &[],
        ),
        (
            "ruled out",
            "[components.a]\nmodel = \"misbehave.fmu\"\nstate = \"image\"\n",
            &["--providers", "native,replay"],
        ),
        (
            "an option that is none",
            "[components.a]\nmodel = \"misbehave.fmu\"\n",
            &["--providers", "native,snapshot"],
        ),
        ("no time at all", "[components.a]\nmodel = \"misbehave.fmu\"\n", &["--call-limit", "0"]),
    ] {
        let world = World::new();
        world.archive("misbehave", Fmi::V2, &BuildOptions::archive());
        world.system(&format!("[experiment]\nstop = 1\nstep = 0.1\n{keys}"));
        let said = world.consort(&[&["run", "s"], options].concat());
        assert!(matches!(said.code, Some(1 | 2)), "{said}");
        text += &format!("==== {what}\n{}\n", said.stderr);
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(text) });
}

/// An FMU that says it can save itself and crashes when it is asked to.
#[test]
fn an_fmu_that_cannot_be_trusted_with_its_state_is_isolated_without_being_asked() {
    let world = World::with_clean_cache();
    let flags = vec!["-DFAULT=3".to_owned()];
    let folder = fmus::build("keeper", Fmi::V2, &BuildOptions { flags, ..BuildOptions::binary() });
    crate::world::copy(&folder, &world.path("s/keeper"));
    world.system(
        "[experiment]\nstop = 1\nstep = 0.1\n[components.k]\nmodel = \"keeper\"\n\
         [components.source]\nmodel = \"native:sine\"\n\
         [[connections]]\nfrom = \"source.y\"\nto = \"k.u\"\n",
    );
    world.done(&["run", "s", "--out", "plain"]);
    let save = ["--save-at", "0.5", "--save", "half", "--providers", "native,replay"];
    let said = world.done(&[&["run", "s", "--out", "saved"], &save[..]].concat());
    assert!(said.stderr.contains("states of `keeper` are saved by `replay`: native: "), "{said}");
    assert_eq!(world.trace_hash("saved"), world.trace_hash("plain"));
    let resume = ["run", "--resume", "half", "--out", "rest", "--providers", "native,replay"];
    world.done(&resume);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("plain"));
}

#[test]
fn no_worker_outlives_a_run_that_is_killed() {
    let world = misbehaving("phase = 6, status = 102");
    let mut command = world.command(&["run", "s", "--out", "run", "--quiet"]);
    let mut run = command.arg("--cache-dir").arg(world.path("cache")).spawn().unwrap();
    // One of the two never comes back from its first step.
    let mut workers = Vec::new();
    eventually("both FMUs have their processes", || {
        workers = children(run.id());
        workers.len() == 2
    });
    run.kill().unwrap();
    run.wait().unwrap();
    eventually("their processes are gone", || !workers.iter().any(|worker| worker.exists()));
}

/// A source FMU is compiled into a cache that is found from here only.
#[test]
fn a_cache_with_a_short_name_is_found_by_workers() {
    let world = World::new();
    crate::world::copy(&fmus::source_fmu_folder("gain", Fmi::V2), &world.path("s/gain"));
    world.system("[experiment]\nstop = 1\nstep = 0.5\n[components.g]\nmodel = \"gain\"\n");
    let mut command = world.command(&["run", "s", "--isolate", "--cache-dir", "cache"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_record_of_isolated_models_is_repeated_in_isolation() {
    let world = misbehaving("behavior = 2");
    world.done(&["run", "s", "--out", "run"]);
    let said = world.done(&["replay", "run"]);
    assert!(said.stdout.contains("identical"), "{said}");
    let said = world.done(&["repeat", "s", "--runs", "3", "--isolate", "--no-load"]);
    assert!(said.stdout.contains("identical"), "{said}");
}
