//! `consort inspect`.

use crate::bench::{Bench, LOOP, assert_said, chain};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;
use std::path::Path;

#[test]
fn what_is_not_there_is_not_called_a_component() {
    let bench = Bench::new();
    for (subject, code, said) in [
        ("tank.fmu", 2, "the model `tank.fmu` is not there"),
        ("no/tank.fmu", 2, "there is no folder `no`\n"),
        ("native:gian", 1, "there is no block `native:gian`"),
    ] {
        let answer = bench.consort(&["inspect", subject]);
        assert_eq!(answer.code, Some(code), "{answer}");
        assert!(answer.stderr.contains(said), "{answer}");
        assert!(!answer.stderr.contains("nothing was run"), "{answer}");
    }
    bench.write("folder/notes.txt", "");
    let answer = bench.consort(&["inspect", "folder"]);
    assert!(answer.stderr.contains("neither a system nor an FMU"), "{answer}");
    let run = bench.consort(&["run", "folder"]);
    assert_eq!((answer.code, answer.stderr), (Some(2), run.stderr), "as `run` says it");
    bench.write("tanks.fmu", "");
    let answer = bench.consort(&["inspect", "tank.fmu"]);
    assert!(answer.stderr.contains("did you mean `tanks.fmu`?"), "{answer}");
}

#[test]
fn blocks_that_need_parameters_are_shown_without() {
    let bench = Bench::new();
    assert_said!(bench.done(&["inspect", "native:state-space"]));
    let said = bench.done(&["inspect", "native:table", "--format", "json"]);
    let block: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(block["name"], "native:table");
}

#[test]
fn the_coupling_is_shown() {
    let bench = Bench::new();
    let said = "order = \"gauss-seidel\"\nloops = \"iterate\"\n[experiment.iteration]\nmethod = \"newton\"\n\
        tolerance = 1e-10\n[experiment.variable-step]\nmin = 1e-4\nmax = \"1/3\"\n\n[components.setpoint]";
    let text = LOOP.replacen("[components.setpoint]", said, 1);
    let text = text.replacen("[components.plant]\n", "[components.plant]\nreactive = [\"u\"]\n", 1);
    let rule = "[[loops]]\nthrough = \"plant.y\"\npolicy = \"error\"\n";
    bench.write("loop/system.toml", &format!("{text}delay = true\nfactor = 2\n{rule}"));
    assert_said!(bench.consort(&["inspect", "loop"]));
    let json = bench.consort(&["inspect", "loop", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    insta::assert_snapshot!("coupling", format!("{:#}", json["experiment"]["coupling"]));
    assert_eq!(json["connections"][2]["delay"], true);
    assert_eq!(json["connections"][2]["factor"], 2.0);
}

#[test]
fn large_systems_stay_readable() {
    let bench = Bench::new();
    bench.write("big/system.toml", &chain("native:gain", 2000));
    let said = bench.done(&["inspect", "big"]);
    assert!(said.stdout.lines().count() < 250, "{}", said.stdout.lines().count());
    assert!(said.stdout.contains("Components (2000)"), "{said}");
    assert!(said.stdout.contains("  and 1900 more; `--verbose` shows them\n"), "{said}");
    let all = bench.done(&["inspect", "big", "--verbose"]);
    assert!(4000 < all.stdout.lines().count());
    bench.done(&["run", "big"]);
    let said = bench.done(&["plot", "out/big"]);
    assert!(said.stderr.starts_with("40 of 2000 variables are drawn"), "{said}");
    let said = bench.done(&["plot", "out/big", "c1*.y", "--out", "some.svg"]);
    assert_eq!(said.stderr, "some.svg\n");
}

/// An FMU folder `models/fmu` that was changed.
fn changed(model: &str, fmi: Fmi, change: &dyn Fn(&Path)) -> Bench {
    let bench = Bench::new();
    let folder = bench.path("models/fmu");
    copy(&fmus::build(model, fmi, &BuildOptions::binary()), &folder);
    change(&folder);
    bench
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// No sources, and binaries for others only.
fn for_others(folder: &Path) {
    let _ = fs::remove_dir_all(folder.join("sources"));
    fs::remove_dir_all(folder.join("binaries")).unwrap();
    for platform in ["win64", "darwin64"] {
        fs::create_dir_all(folder.join("binaries").join(platform)).unwrap();
        fs::write(folder.join("binaries").join(platform).join("gain.dll"), "MZ").unwrap();
    }
}

/// Sources that do not compile, and no binaries.
fn broken_sources(folder: &Path) {
    fs::remove_dir_all(folder.join("binaries")).unwrap();
    fs::create_dir_all(folder.join("sources")).unwrap();
    fs::write(folder.join("sources/model.c"), "#error not today\n").unwrap();
}

fn broken_binary(folder: &Path) {
    fs::write(fmus::library(folder), "hello").unwrap();
}

fn no_binaries(folder: &Path) {
    let _ = fs::remove_dir_all(folder.join("sources"));
    fs::remove_dir_all(folder.join("binaries")).unwrap();
}

#[test]
fn an_fmu_that_cannot_run_here_is_shown() {
    for (model, fmi, change, said) in [
        ("gain", Fmi::V2, &for_others as &dyn Fn(&Path), "darwin64, win64\n"),
        ("gain", Fmi::V3, &for_others, "darwin64, win64\n"),
        ("exchange-ball", Fmi::V2, &for_others, "darwin64, win64\n"),
        ("gain", Fmi::V2, &no_binaries, "none\n"),
        ("gain", Fmi::V2, &broken_sources, "none; it has sources\n"),
        ("gain", Fmi::V2, &broken_binary, "runs here"),
    ] {
        let bench = changed(model, fmi, change);
        let answer = bench.consort(&["inspect", "models/fmu"]);
        assert_eq!(answer.code, Some(0), "{answer}");
        let output = if model == "gain" { "y " } else { "h " };
        assert!(answer.stdout.contains(&format!("\n  {output}")), "its variables: {answer}");
        assert!(answer.stdout.contains("runs here"), "{answer}");
        assert!(answer.stdout.contains(said), "{answer}");
        assert!(answer.stderr.starts_with("warning["), "{answer}");
        assert!(answer.stderr.contains("help: "), "{answer}");
        let json = bench.done(&["inspect", "models/fmu", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert!(json["facts"]["runs here"].as_str().unwrap().starts_with("no: "), "{json}");
        let run = bench.consort(&["run", "models/fmu"]);
        assert_eq!(run.code, Some(1), "it cannot run: {run}");
    }
    assert_said!(changed("gain", Fmi::V2, &for_others).consort(&["inspect", "models/fmu"]));
}

#[test]
fn an_fmu_of_the_first_version_is_refused_with_a_help() {
    let first = "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"1.0\" modelName=\"m\" \
        modelIdentifier=\"m\" guid=\"{1}\" numberOfContinuousStates=\"1\" numberOfEventIndicators=\"0\">\n\
        <ModelVariables><ScalarVariable name=\"x\" valueReference=\"1\" variability=\"continuous\" \
        causality=\"output\"><Real/></ScalarVariable></ModelVariables>\n</fmiModelDescription>\n";
    let change = |folder: &Path| fs::write(folder.join("modelDescription.xml"), first).unwrap();
    let bench = changed("gain", Fmi::V2, &change);
    for verb in ["inspect", "run"] {
        let said = bench.consort(&[verb, "models/fmu"]);
        assert_eq!(said.code, Some(1), "{said}");
        assert!(said.stderr.starts_with("error[description::fmi-1]"), "{said}");
        assert!(said.stderr.contains("export the model as FMI 2.0 or 3.0"), "{said}");
        assert_eq!(said.stderr.matches("error[").count(), 1, "{said}");
    }
}
