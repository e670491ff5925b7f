//! `consort state-check` over FMUs of which the truth is known: what their saved states lack is chosen when they are
//! compiled (see the README of `forgetful`). No verdict is better or worse than the truth, and each says why.

use crate::world::{Said, World};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use serde_json::Value;
use std::fs;

/// What was compiled in.
#[derive(Clone, Copy)]
enum Fault {
    Honest,
    Slow,
    History,
    Slot,
    Undo,
    Shallow,
    Alias,
    Tuned,
    Held,
    Next,
    Random,
    Generator,
    FilePlace,
    Thread,
    Unreadable,
    Leak,
    CountsSaves,
    CountsRestores,
    Grid,
    Resizes,
    Ends,
    Chosen,
    Address,
}

const CO_SIMULATION: &[(Fmi, &str)] = &[(Fmi::V2, "co-simulation"), (Fmi::V3, "co-simulation")];
const ALL: &[(Fmi, &str)] = &[
    (Fmi::V2, "co-simulation"),
    (Fmi::V3, "co-simulation"),
    (Fmi::V2, "model-exchange"),
    (Fmi::V3, "model-exchange"),
];

/// The FMU as an archive in the world's folder.
fn forgetful(world: &World, fault: Fault, fmi: Fmi) -> String {
    let flags = vec![format!("-DFAULT={}", fault as u32)];
    let options = BuildOptions { flags, ..BuildOptions::archive() };
    let name = format!("forgetful-{fmi:?}-{}.fmu", fault as u32);
    fs::copy(fmus::build("forgetful", fmi, &options), world.path(&name)).unwrap();
    name
}

fn checked(world: &World, fault: Fault, (fmi, interface): (Fmi, &str), more: &[&str]) -> Said {
    let model = forgetful(world, fault, fmi);
    let line = ["state-check", &model, "--format", "json", "--interface", interface, "--fresh"];
    world.consort(&[&line[..], more].concat())
}

/// The verdicts of the providers, each with all that is said about it.
fn verdicts(said: &Said) -> Vec<(String, String, String)> {
    let all: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said}"));
    let providers = all["models"][0]["providers"].as_array().unwrap_or_else(|| panic!("{said}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notes = |it: &Value| it["notes"].as_array().unwrap().iter().map(text).collect::<Vec<_>>();
    let words = |it: &Value| format!("{}\n{}", text(&it["why"]["text"]), notes(it).join("\n"));
    providers.iter().map(|it| (text(&it["provider"]), text(&it["fidelity"]), words(it))).collect()
}

/// The true verdict of the model's own saving, by each interface, and words that are said.
fn check(fault: Fault, interfaces: &[(Fmi, &str)], expected: &str, words: &str) {
    let world = World::new();
    for &interface in interfaces {
        let said = checked(&world, fault, interface, &["--providers", "native"]);
        let (_, fidelity, why) = verdicts(&said)[0].clone();
        let case = format!("fault {}, {interface:?}: {why}", fault as u32);
        assert_eq!(fidelity, expected, "{case}\n{said}");
        assert!(why.contains(words), "{case}");
    }
}

#[test]
fn complete_states_are_portable_whatever_else_is_odd() {
    check(Fault::Honest, ALL, "portable", "");
    check(Fault::Slow, CO_SIMULATION, "portable", "");
    check(Fault::Resizes, ALL, "portable", "");
    check(Fault::CountsSaves, ALL, "portable", "");
}

#[test]
fn bytes_that_differ_are_a_note_where_every_variable_stays_equal() {
    let words = "bytes of a restored state differ";
    check(Fault::CountsRestores, ALL, "portable", words);
}

#[test]
fn what_cannot_be_read_is_left_out_and_said() {
    check(Fault::Unreadable, ALL, "portable", "`u` cannot be read");
}

#[test]
fn memory_that_grows_by_saving_is_said() {
    check(Fault::Leak, ALL, "portable", "per save");
}

/// Processes of ours have the same memory layout, where images need it: here that would hide the truth.
#[test]
fn states_that_hold_addresses_are_not_portable() {
    check(Fault::Address, ALL, "exact", "not portable: ");
    let world = World::new();
    let model = forgetful(&world, Fault::Address, Fmi::V2);
    let line = ["run", &model, "--stop", "2", "--save-at", "1", "--save", "s", "--out", "out"];
    world.done(&line);
    world.done(&["run", "--resume", "s", "--verify", "--out", "rest"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("out"));
}

#[test]
fn an_integrator_that_begins_anew_is_seen_though_inputs_make_it_do_so_too() {
    check(Fault::History, CO_SIMULATION, "restore-repeatable", "`x` is ");
}

#[test]
fn a_state_that_is_complete_at_the_default_step_is_so_there_only() {
    check(Fault::Grid, CO_SIMULATION, "portable", "");
}

#[test]
fn states_that_are_not_apart_from_each_other_are_none() {
    check(Fault::Slot, ALL, "none", "an older state than the last one saved");
    check(Fault::Undo, ALL, "none", "the last state saved, after an older one was restored");
    check(Fault::Alias, ALL, "none", "an older state than the last one saved");
}

#[test]
fn what_is_left_as_it_was_is_found() {
    check(Fault::Shallow, ALL, "none", " instead of ");
    check(Fault::Tuned, ALL, "none", "`k` is ");
    check(Fault::Chosen, ALL, "none", " instead of ");
    check(Fault::Held, ALL, "none", "`u` is ");
    check(Fault::Next, ALL, "none", " instead of ");
}

#[test]
fn what_is_kept_outside_of_the_instance_is_found() {
    check(Fault::Random, ALL, "none", " instead of ");
    check(Fault::Generator, ALL, "none", " instead of ");
    check(Fault::FilePlace, ALL, "none", " instead of ");
    check(Fault::Thread, ALL, "none", " instead of ");
}

#[test]
fn a_model_that_ends_at_once_has_a_verdict() {
    check(Fault::Ends, ALL, "portable", "");
}

/// A kernel without images passes with the others.
fn has_images() -> bool {
    consort_host::image_support().is_ok()
}

/// What providers from outside do with an FMU whose own states are of no use.
#[test]
fn what_a_model_forgets_is_saved_from_outside() {
    let world = World::new();
    let complete = ["portable", "exact", "portable"];
    for (fault, truth) in [
        (Fault::History, complete),
        (Fault::Undo, complete),
        (Fault::Generator, complete),
        // A fork would share the place in the file, and bytes do not open it.
        (Fault::FilePlace, ["exact", "none", "portable"]),
        // A fork has one thread, and an image none that moves on.
        (Fault::Thread, ["none", "none", "portable"]),
    ] {
        let providers = ["--providers", "image,fork,replay", "--trials", "40"];
        let said = checked(&world, fault, CO_SIMULATION[0], &providers);
        for ((provider, fidelity, why), truth) in verdicts(&said).iter().zip(truth) {
            let is_there = provider != "image" || has_images();
            let case = format!("fault {}, {provider}: {why}", fault as u32);
            assert!(!is_there || fidelity == truth, "{fidelity}: {case}\n{said}");
        }
    }
}

/// The step of a run decides, and its manifest says who saves and why.
#[test]
fn the_provider_follows_from_the_step_of_the_run() {
    let world = World::new();
    let model = forgetful(&world, Fault::Grid, Fmi::V2);
    let at_step = |step: &str| {
        let line = ["state-check", &model, "--format", "json", "--providers", "native"];
        verdicts(&world.consort(&[&line[..], &["--step", step]].concat()))[0].1.clone()
    };
    assert_eq!(
        (at_step("0.05").as_str(), at_step("0.03").as_str()),
        ("portable", "restore-repeatable")
    );
    let outside = if has_images() { "image" } else { "replay" };
    for (step, expected) in [("0.05", "native"), ("0.03", outside), ("0.05", "native")] {
        let line =
            ["run", &model, "--stop", "3", "--step", step, "--save-at", "0.9", "--save", "s"];
        world.done(&[&line[..], &["--out", "out"]].concat());
        let manifest = world.manifest("out");
        let states = manifest["states"].as_object().unwrap().values().next().unwrap().clone();
        assert_eq!(states["provider"], expected, "{step}: {states}");
        assert_eq!(states["fidelity"], "portable", "{step}: {states}");
        let reason = states["reason"].as_str().unwrap();
        let words = if expected == "native" { "the first" } else { "native: `x` is " };
        assert!(reason.starts_with(words), "{step}: {reason}");
        // What follows is what would have followed.
        world.done(&["run", &model, "--stop", "3", "--step", step, "--out", "plain"]);
        world.done(&["run", "--resume", "s", "--out", "rest"]);
        assert_eq!(world.trace_hash("rest"), world.trace_hash("plain"), "{step}");
    }
}

#[test]
fn a_replay_saves_by_the_providers_of_the_run() {
    let world = World::new();
    let model = forgetful(&world, Fault::Honest, Fmi::V3);
    let line = ["run", &model, "--stop", "1", "--save-at", "0.5", "--save", "s", "--out", "out"];
    world.done(&[&line[..], &["--providers", "replay"]].concat());
    world.done(&["replay", "out", "--out", "again"]);
    for folder in ["out", "again"] {
        let manifest = world.manifest(folder);
        let states = manifest["states"].as_object().unwrap().values().next().unwrap().clone();
        assert_eq!(states["provider"], "replay", "{folder}: {states}");
    }
}

#[test]
fn a_check_without_time_has_no_verdict_and_says_what_to_do() {
    let world = World::with_clean_cache();
    let model = forgetful(&world, Fault::Slow, Fmi::V2);
    let line = ["state-check", &model, "--format", "json", "--providers", "native"];
    let said = world.consort(&[&line[..], &["--budget", "0.02"]].concat());
    assert_eq!(said.code, Some(1), "{said}");
    let (_, fidelity, why) = verdicts(&said)[0].clone();
    assert_eq!(fidelity, "none");
    assert!(why.starts_with("not found out within 0.02 s") && why.contains("--budget"), "{why}");
    let line = ["run", &model, "--stop", "1", "--save", "s", "--budget", "0.02"];
    let said = world.consort(&line);
    assert_eq!(said.code, Some(1), "{said}");
    for words in ["model::no-time", "--budget SECONDS", "state = \"image\""] {
        assert!(said.stderr.contains(words), "{words}: {said}");
    }
    // Nothing of that is remembered.
    let line = ["state-check", &model, "--format", "json", "--providers", "native"];
    assert_eq!(verdicts(&world.consort(&line))[0].1, "portable");
}

#[test]
fn what_today_brought_about_is_not_remembered_and_nothing_is_left() {
    let world = World::with_clean_cache();
    let left = |folder: &str| {
        let entries = fs::read_dir(world.path("cache").join(folder)).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };
    // One hangs, one is killed in the midst of its run.
    let accidents =
        [("keeper", "-DFAULT=5", "no answer for 1 s"), ("fickle", "-DFAULT=4", "SIGKILL")];
    for (name, fault, expected) in accidents {
        let flags = vec![fault.to_owned()];
        let options = BuildOptions { flags, ..BuildOptions::archive() };
        fs::copy(fmus::build(name, Fmi::V2, &options), world.path("dies.fmu")).unwrap();
        let line = ["state-check", "dies.fmu", "--format", "json", "--providers", "native"];
        let said = world.consort(&[&line[..], &["--call-limit", "1"]].concat());
        assert!(verdicts(&said)[0].2.contains(expected), "{said}");
        assert_eq!((left("verdicts"), left("workers")), (vec![], vec![]), "{said}");
    }
    let model = forgetful(&world, Fault::Honest, Fmi::V2);
    world.done(&["state-check", &model, "--trials", "10", "--providers", "native,replay"]);
    assert_eq!((left("verdicts").len(), left("workers")), (2, vec![]));
}
