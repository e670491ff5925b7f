//! `consort state-check`: models that are right, models that lie, models that die; what is said, drawn and remembered.

use crate::world::{Said, World};
use consort_testkit::fmus::{self, BuildOptions, Fmi, example};
use consort_testkit::python;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A test FMU whose saved states have a fault: see the README of `keeper`.
fn keeper(world: &World, fault: u32) -> String {
    let options =
        BuildOptions { flags: vec![format!("-DFAULT={fault}")], ..BuildOptions::archive() };
    let name = format!("keeper-{fault}.fmu");
    fs::copy(fmus::build("keeper", Fmi::V2, &options), world.path(&name)).unwrap();
    name
}

/// The report about one model.
fn found(said: &Said) -> Value {
    let all: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said}"));
    all["models"][0].clone()
}

/// The provider's verdict and why it is not a better one.
fn verdict(model: &Value, provider: &str) -> (String, String) {
    let all = model["providers"].as_array().unwrap();
    let own = all.iter().find(|it| it["provider"] == provider).unwrap();
    let why = own["why"]["text"].as_str().unwrap_or_default();
    (own["fidelity"].as_str().unwrap().to_owned(), why.to_owned())
}

/// The verdicts by provider, a part of why the first is no better, and the exit code.
fn check(fault: u32, expected: &[(&str, &str)], why: &str, code: i32) {
    let world = World::new();
    let model = keeper(&world, fault);
    let providers: Vec<&str> = expected.iter().map(|(provider, _)| *provider).collect();
    let providers = providers.join(",");
    let line = ["state-check", &model, "--format", "json", "--providers", &providers];
    let options = ["--trials", "20", "--call-limit", "2", "--fresh"];
    let said = world.consort(&[&line[..], &options[..]].concat());
    assert_eq!(said.code, Some(code), "{fault}: {said}");
    let model = found(&said);
    for (provider, fidelity) in expected {
        assert_eq!(verdict(&model, provider).0, *fidelity, "{fault}, {provider}: {said}");
    }
    let reason = verdict(&model, expected[0].0).1;
    assert!(reason.contains(why), "{fault}: {reason}");
}

/// On kernels without images the next provider is as good.
fn outside() -> (&'static str, &'static str) {
    match consort_host::image_support() {
        Ok(()) => ("image", "portable"),
        Err(_) => ("fork", "exact"),
    }
}

#[test]
fn a_capability_flag_is_no_proof() {
    check(0, &[("native", "portable"), outside()], "", 0);
    check(1, &[("native", "none"), outside()], "`x` is ", 0);
    check(2, &[("native", "restore-repeatable"), outside()], "`x` is ", 0);
    check(6, &[("native", "none")], "no room for a state", 1);
    check(7, &[("native", "none"), ("replay", "none")], "two runs differ: `x` is ", 1);
    check(8, &[("native", "exact"), outside()], "not portable: `x` is ", 0);
}

#[test]
fn who_dies_while_it_is_saved_has_a_verdict() {
    check(
        3,
        &[("native", "none")],
        "`fmi2GetFMUstate` at 0 s did not return: its process crashed with SIGSEGV",
        1,
    );
    check(4, &[("native", "none")], "`fmi2SetFMUstate` at ", 1);
    check(
        5,
        &[("native", "none")],
        "`fmi2GetFMUstate` at 0 s did not return: no answer for 2 s",
        1,
    );
}

#[test]
fn hidden_state_is_saved_from_outside() {
    check(
        1,
        &[("fork", "exact")],
        "not portable: a copy of a process cannot be written as bytes",
        0,
    );
    check(1, &[("replay", "portable")], "", 0);
}

/// A model in which every kind of cost is left out.
fn without_costs(mut model: Value) -> Value {
    for provider in model["providers"].as_array_mut().unwrap() {
        provider["costs"].take();
    }
    model
}

#[test]
fn the_same_seed_finds_the_same_and_the_cache_knows_it() {
    let world = World::with_clean_cache();
    let model = keeper(&world, 2);
    let find = |more: &[&str]| {
        let line =
            ["state-check", &model, "--format", "json", "--providers", "native", "--trials", "10"];
        let said = world.consort(&[&line[..], more].concat());
        assert_eq!(said.code, Some(1), "{said}");
        said.stdout
    };
    let first = find(&[]);
    assert_eq!(find(&[]), first, "costs included: nothing was measured again");
    let one =
        |text: &str| -> Value { serde_json::from_str::<Value>(text).unwrap()["models"][0].clone() };
    let again = find(&["--fresh"]);
    assert_eq!(without_costs(one(&again)), without_costs(one(&first)));
    assert_eq!(find(&[]), again, "what was found out again is what is known now");
    let other = find(&["--seed", "7"]);
    assert_ne!(verdict(&one(&other), "native").1, verdict(&one(&first), "native").1);
}

#[test]
fn a_whole_python_is_saved_by_its_image() {
    let is_new = consort_host::image_support().is_ok();
    let provider = if is_new { "image" } else { "replay" };
    let providers = format!("native,fork,{provider}");
    let world = World::new();
    let archive = python::pythonfmu_archive();
    let mut line =
        vec!["state-check", archive.to_str().unwrap(), "--format", "json", "--trials", "20"];
    let library = python::libpython();
    let library = library.as_deref().and_then(Path::to_str);
    line.extend(library.into_iter().flat_map(|path| ["--python-library", path]));
    line.extend(["--providers", &providers, "--fresh"]);
    let said = world.consort(&line);
    assert_eq!(said.code, Some(0), "{said}");
    let model = found(&said);
    assert_eq!(verdict(&model, provider).0, "portable", "{model:#}");
    assert_eq!(verdict(&model, "native").0, "none", "{model:#}");
    let (fork, why) = verdict(&model, "fork");
    assert!(fork == "none" && why.contains("a second thread"), "{model:#}");
    let notes = model["providers"][1]["notes"].to_string();
    assert!(notes.contains("a second thread exists, which sleeps; this rules out fork"), "{notes}");
}

#[test]
fn a_corpus_is_summed_up_and_drawn() {
    let world = World::new();
    for fault in [0, 3] {
        let name = keeper(&world, fault);
        world.write(&format!("models/fmus/{name}"), fs::read(world.path(&name)).unwrap());
    }
    world.write(
        "models/biology/glycolysis.sbml",
        fs::read(example("glycolysis/glycolysis.sbml")).unwrap(),
    );
    world.write("models/ball.eq", fs::read(example("bouncing-ball/ball.eq")).unwrap());
    world.write("models/README.md", "no model");
    let line = ["state-check", "--corpus", "models", "--out", "found", "--trials", "20"];
    let providers = format!("native,{}", outside().0);
    let said = world.consort(&[&line[..], &["--providers", &providers]].concat());
    assert_eq!(said.code, Some(0), "{said}");
    let lines: Vec<&str> = said.stdout.lines().collect();
    let names: Vec<&str> = lines[..4].iter().map(|line| line.split(':').next().unwrap()).collect();
    let expected = ["ball.eq", "biology/glycolysis.sbml", "fmus/keeper-0.fmu", "fmus/keeper-3.fmu"];
    assert_eq!(names, expected.map(|name| format!("models/{name}")));
    let summary = "4 models: 4 exact, 0 restore-repeatable, 0 refused, 0 crashed, 0 not loaded";
    assert_eq!(lines[4], summary, "{said}");
    for figure in [
        "05-psi",
        "07-simulation-times",
        "08-set-times",
        "09-ratio",
        "10-mean-speed-up",
        "11-speed-up",
    ] {
        let drawn = world.read(&format!("found/figure-{figure}.svg"));
        assert!(drawn.starts_with("<svg") && !drawn.contains("NaN"), "{figure}");
    }
    let found: Value = serde_json::from_str(&world.read("found/state-check.json")).unwrap();
    assert_eq!(found["summary"]["exact"], 4);
    assert_eq!(found["summary"]["providers"][0]["crashed"], 1, "{:#}", found["summary"]);
}

#[test]
fn the_table_reads_well() {
    let world = World::new();
    let models = [keeper(&world, 1), keeper(&world, 2)];
    let line = [
        "state-check",
        &models[0],
        &models[1],
        "native:pid",
        "--providers",
        "native",
        "--trials",
        "20",
    ];
    let said = world.consort(&line);
    assert_eq!(said.code, Some(1), "{said}");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(provider  verdict) .*", "$1 [headings]");
    settings.add_filter(r"(portable|exact|repeatable) .*", "$1 [costs]");
    settings.add_filter(r"native    (\d).*", "native    $1 [means]");
    settings.bind(|| insta::assert_snapshot!(said.stdout));
}

#[test]
fn what_cannot_be_checked_is_said() {
    let world = World::new();
    world.write("empty/README.md", "no model");
    let check = |line: &[&str], code: i32, words: &str| {
        let said = world.consort(&[&["state-check"], line].concat());
        assert_eq!(said.code, Some(code), "{line:?}: {said}");
        assert!(said.stderr.contains(words), "{line:?}: {said}");
    };
    check(&["missing.fmu"], 2, "`missing.fmu` is not there");
    check(&["--corpus", "empty"], 2, "there is no model below `empty`");
    check(&["--corpus", "nowhere"], 2, "`nowhere` could not be read");
    check(&["native:pid", "missing.eq"], 2, "`missing.eq` is not there");
    check(&["native:pid", "--epsilon", "2"], 2, "expected a probability between 0 and 1");
    check(&["native:pid", "--tau", "0"], 2, "expected seconds, more than zero");
    check(&[], 2, "MODEL");
}

/// Verdicts belong to an interface: the cache of one does not answer for the other.
#[test]
fn the_interface_of_an_fmu_is_chosen() {
    let world = World::with_clean_cache();
    for (model, fmi) in [("dahlquist", Fmi::V2), ("dahlquist", Fmi::V3)] {
        let archive = fmus::build(model, fmi, &BuildOptions::archive());
        fs::copy(archive, world.path("both.fmu")).unwrap();
        let find = |more: &[&str]| {
            let line = ["state-check", "both.fmu", "--format", "json", "--providers", "native"];
            let said = world.consort(&[&line[..], &["--trials", "5"], more].concat());
            assert_eq!(said.code, Some(0), "{said}");
            (found(&said), said.stdout)
        };
        let (default, text) = find(&[]);
        assert!(default["kind"].as_str().unwrap().ends_with("Co-Simulation"), "{default}");
        let (exchange, _) = find(&["--interface", "model-exchange"]);
        let kind = exchange["kind"].as_str().unwrap();
        assert!(kind.contains("Model Exchange"), "{kind}");
        // What is known already is said as it was found, costs included.
        assert_eq!(find(&["--interface", "co-simulation"]).1, text);
        assert_eq!(find(&["--interface", "model-exchange"]).0, exchange);
    }
}

#[test]
fn an_interface_that_is_not_there_is_an_error() {
    let world = World::new();
    world.write("ball.eq", fs::read(example("bouncing-ball/ball.eq")).unwrap());
    for (model, name) in [("gain", "gain.fmu"), ("exchange-ball", "ball.fmu")] {
        let archive = fmus::build(model, Fmi::V2, &BuildOptions::archive());
        fs::copy(archive, world.path(name)).unwrap();
    }
    for (model, interface, said) in [
        ("gain.fmu", "model-exchange", "`gain.fmu` has no Model Exchange"),
        ("ball.fmu", "co-simulation", "`ball.fmu` has no Co-Simulation"),
        ("ball.eq", "co-simulation", "only FMUs have interfaces"),
    ] {
        let answer = world.consort(&["state-check", model, "--interface", interface]);
        assert_eq!(answer.code, Some(2), "{answer}");
        assert!(answer.stderr.contains(said), "{answer}");
        assert!(answer.stderr.contains(&format!("--interface {interface}")), "{answer}");
    }
}
