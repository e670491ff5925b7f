//! A model without a system: run, planned, repeated, replayed, exported, or shown.

use crate::bench::{Bench, Said, assert_said};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use serde_json::Value;
use std::fs;

/// A folder with a test model's archive, as `NAME.fmu`.
fn with_fmu(name: &str, fmi: Fmi) -> Bench {
    let bench = Bench::new();
    let archive = fmus::build(name, fmi, &BuildOptions::archive());
    fs::copy(archive, bench.path(&format!("{name}.fmu"))).unwrap();
    bench
}

/// A folder with the source FMU `gain`, its description changed.
fn with_folder(change: impl Fn(&str) -> String) -> Bench {
    let bench = Bench::new();
    let folder = fmus::source_fmu_folder("gain", Fmi::V2);
    for entry in fs::read_dir(folder.join("sources")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        bench.write(&format!("gain/sources/{name}"), &fs::read_to_string(&path).unwrap());
    }
    let description = fs::read_to_string(folder.join("modelDescription.xml")).unwrap();
    bench.write("gain/modelDescription.xml", &change(&description));
    bench
}

const DEFAULTS: &str = r#"<DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>"#;

fn with_defaults(defaults: &str) -> Bench {
    with_folder(|description| {
        assert!(description.contains(DEFAULTS), "{description}");
        description.replace(DEFAULTS, defaults)
    })
}

fn experiment(bench: &Bench, run: &str) -> Value {
    bench.json(&format!("{run}/manifest.json"))["experiment"].clone()
}

/// Start, stop, step and tolerance of the last run of `gain`.
fn times(bench: &Bench) -> [String; 4] {
    let experiment = experiment(bench, "out/gain");
    ["start", "stop", "step", "tolerance"].map(|key| experiment[key].to_string().replace('"', ""))
}

#[test]
fn an_fmu_runs_its_default_experiment_and_its_outputs_are_drawn() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let bench = with_fmu("oscillator", fmi);
        let said = bench.done(&["run", "oscillator.fmu"]);
        let files = ["log.jsonl", "manifest.json", "plot.svg", "trace.parquet"];
        assert_eq!(bench.list("out/oscillator"), files);
        assert_eq!(bench.list(""), ["oscillator.fmu", "out"]);
        let experiment = experiment(&bench, "out/oscillator");
        assert_eq!((&experiment["stop"], &experiment["step"]), (&"10".into(), &"0.01".into()));
        let columns = bench.json("out/oscillator/manifest.json")["recorded"]["columns"].clone();
        assert_eq!(columns, serde_json::json!(["oscillator.x", "oscillator.v", "oscillator.a"]));
        assert!(bench.read("out/oscillator/plot.svg").contains("oscillator.v"));
        assert_said!(said);
    }
}

#[test]
fn the_default_experiment_is_taken_as_it_is_written() {
    for (defaults, expected) in [
        (DEFAULTS, ["0", "1", "0.1", "null"]),
        (
            r#"<DefaultExperiment startTime="-0.5" stopTime="2.5e-1" tolerance="1e-4" stepSize="0.05"/>"#,
            ["-0.5", "0.25", "0.05", "0.0001"],
        ),
        (r#"<DefaultExperiment stopTime="3"/>"#, ["0", "3", "0.005", "null"]),
        (r#"<DefaultExperiment startTime="2" stepSize="0.25"/>"#, ["2", "3", "0.25", "null"]),
        (r#"<DefaultExperiment tolerance="0" stepSize="0"/>"#, ["0", "1", "0.002", "null"]),
        (
            r#"<DefaultExperiment stopTime="1" stepSize="0.033333333333333333333"/>"#,
            ["0", "1", "1/30", "null"],
        ),
        ("", ["0", "1", "0.002", "null"]),
    ] {
        let bench = with_defaults(defaults);
        bench.done(&["run", "gain"]);
        assert_eq!(times(&bench), expected, "{defaults}");
    }
}

#[test]
fn options_go_before_the_default_experiment() {
    let bench = with_fmu("gain", Fmi::V3);
    for (options, expected) in [
        (vec!["--stop", "2"], ["0", "2", "0.1", "null"]),
        (vec!["--step", "1/30"], ["0", "1", "1/30", "null"]),
        (vec!["--start", "0.5"], ["0.5", "1", "0.1", "null"]),
        (vec!["--start", "5"], ["5", "6", "0.1", "null"]),
        (vec!["--step", "0.3"], ["0", "0.9", "0.3", "null"]),
        (vec!["--step", "0.5", "--stop", "0.5"], ["0", "0.5", "0.5", "null"]),
    ] {
        bench.done(&[&["run", "gain.fmu"], &options[..]].concat());
        assert_eq!(times(&bench), expected, "{options:?}");
    }
}

#[test]
fn a_step_that_is_no_short_decimal_ends_at_any_stop() {
    let bench =
        with_defaults(r#"<DefaultExperiment stopTime="1" stepSize="0.03333333333333333"/>"#);
    bench.done(&["run", "gain", "--stop", "2"]);
    assert_eq!(times(&bench), ["0", "2", "1/30", "null"]);
    bench.done(&["run", "gain", "--step", "0.03333333333333333"]);
    assert_eq!(times(&bench)[2], "3333333333333333/100000000000000000", "as it was typed");
}

#[test]
fn what_is_assumed_is_said() {
    let mut text = String::new();
    for defaults in [
        "",
        r#"<DefaultExperiment stopTime="3"/>"#,
        r#"<DefaultExperiment stepSize="0.25"/>"#,
        r#"<DefaultExperiment startTime="3" stopTime="2" stepSize="0.25"/>"#,
        r#"<DefaultExperiment stopTime="1" stepSize="0.3"/>"#,
        r#"<DefaultExperiment stopTime="1" stepSize="2"/>"#,
        r#"<DefaultExperiment stopTime="1" stepSize="1e300"/>"#,
    ] {
        let said = with_defaults(defaults).done(&["run", "gain"]);
        text += &format!("==== {defaults}\n{}\n", said.stderr);
    }
    let said = with_folder(|text| text.replace("causality=\"output\"", "causality=\"local\""));
    text += &format!("==== no outputs\n{}", said.done(&["run", "gain"]).stderr);
    insta::with_settings!({filters => crate::bench::filters()}, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn variables_need_no_component() {
    let bench = with_fmu("gain", Fmi::V2);
    bench.write("bare.csv", "time,u\n0,1\n1,3\n");
    bench.write("full.csv", "time,gain.u\n0,1\n1,3\n");
    for (run, table, set) in [("a", "bare.csv", "k=0.5"), ("b", "full.csv", "gain.k=0.5")] {
        let options = ["--input", table, "--set", set, "--csv", "--out", run];
        bench.done(&[&["run", "gain.fmu"], &options[..]].concat());
    }
    assert_eq!(bench.trace_hash("a"), bench.trace_hash("b"));
    let csv = bench.read("a/trace.csv");
    assert_eq!(csv.lines().next(), Some("\"time\",\"gain.y\""));
    assert_eq!(csv.lines().last(), Some("1.0,1.4"), "a step has the input of its start");
}

#[test]
fn elements_of_arrays_are_columns() {
    let bench = Bench::new();
    bench.write("u.csv", "time,u[1],gain.u[2]\n0,1,10\n1,2,20\n");
    let options = ["--set", "size=2", "--set", "k=2", "--input", "u.csv", "--csv"];
    let times = ["--stop", "1", "--step", "0.5"];
    let said = bench.done(&[&["run", "native:gain"], &options[..], &times].concat());
    assert!(!said.stderr.contains("note"), "nothing was assumed: {said}");
    let csv = bench.read("out/gain/trace.csv");
    assert_eq!(csv.lines().last(), Some("1.0,4.0,40.0"), "{csv}");
}

/// The model's own name wins where a variable begins like the component.
#[test]
fn a_variable_may_begin_like_its_model() {
    let bench = with_folder(|text| {
        text.replace("name=\"k\"", "name=\"gain.k\"").replace("name=\"u\"", "name=\"gain.u\"")
    });
    bench.write("u.csv", "time,gain.u\n0,4\n");
    for (run, set) in [("a", "gain.k=3"), ("b", "gain.gain.k=3")] {
        let options = ["--set", set, "--input", "u.csv", "--csv", "--out", run];
        bench.done(&[&["run", "gain"], &options[..]].concat());
        assert_eq!(bench.read(&format!("{run}/trace.csv")).lines().last(), Some("1.0,12.0"));
    }
}

#[test]
fn a_block_runs_with_its_parameters() {
    let bench = Bench::new();
    let options = ["--set", "amplitude=2", "--set", "offset=3", "--stop", "1/2", "--step", "1/8"];
    assert_said!(bench.done(&[&["run", "native:sine"], &options[..]].concat()));
    assert_eq!(bench.list("out"), ["sine"]);
    bench.done(&["repeat", "native:noise", "--runs", "3", "--no-load", "--seed", "5"]);
}

#[test]
fn a_model_is_repeated_and_replayed_to_the_bit() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let bench = with_fmu("bouncing-ball", fmi);
        bench.done(&["run", "bouncing-ball.fmu", "--set", "h0=0.5", "--workers", "2"]);
        let elsewhere = |bench: &Bench| {
            let mut command = bench.command(&["replay"]);
            let output = command.arg(bench.path("out/bouncing-ball")).current_dir("/").output();
            Said::from(output.unwrap())
        };
        let said = elsewhere(&bench);
        assert_eq!(said.code, Some(0), "{said}");
        let hash = bench.trace_hash("out/bouncing-ball");
        assert_eq!(said.stdout, format!("identical: trace {hash}\n"));
        assert!(!said.stderr.contains("gone") && !said.stderr.contains("new"), "{said}");
        let options = ["--set", "h0=0.5", "--runs", "4", "--no-load"];
        let said = bench.done(&[&["repeat", "bouncing-ball.fmu"], &options[..]].concat());
        assert!(said.stdout.contains(&hash), "{said}");
    }
}

#[test]
fn models_of_all_kinds_of_variables_run_alone() {
    for (name, fmi) in [
        ("clocks", Fmi::V3),
        ("counter-static", Fmi::V2),
        ("feedthrough", Fmi::V2),
        ("feedthrough", Fmi::V3),
        ("resource", Fmi::V2),
        ("stair", Fmi::V3),
        ("statespace", Fmi::V3),
    ] {
        let bench = with_fmu(name, fmi);
        bench.done(&["run", &format!("{name}.fmu")]);
        assert!(bench.list(&format!("out/{name}")).contains(&"plot.svg".to_owned()), "{name}");
        bench.done(&["replay", &format!("out/{name}")]);
    }
}

#[test]
fn a_folder_is_named_by_where_it_is() {
    let bench = with_defaults(DEFAULTS);
    let mut inside = bench.command(&["run", ".", "--out", "../inside"]);
    assert!(inside.current_dir(bench.path("gain")).output().unwrap().status.success());
    bench.done(&["run", "gain/", "--out", "outside"]);
    for key in ["trace_hash", "plan_hash", "experiment_hash", "inputs"] {
        let value = |run: &str| bench.json(&format!("{run}/manifest.json"))[key].clone();
        assert_eq!(value("inside"), value("outside"), "{key}");
    }
    let said = bench.done(&["replay", "inside"]);
    assert!(!said.stderr.contains("gone"), "{said}");
}

#[test]
fn the_files_of_a_block_are_found_where_it_was_run() {
    let bench = Bench::new();
    bench.write("data/level.csv", "time,level\n0,1\n1,2\n");
    let options = ["--set", "file=data/level.csv", "--stop", "1", "--step", "0.5"];
    bench.done(&[&["run", "native:table"], &options[..]].concat());
    let mut replay = bench.command(&["replay"]);
    let replayed = replay.arg(bench.path("out/table")).current_dir("/").output().unwrap();
    let said = Said::from(replayed);
    assert_eq!(said.code, Some(0), "{said}");
    bench.write("data/level.csv", "time,level\n0,1\n1,3\n");
    let said = bench.consort(&["replay", "out/table"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("table `data/level.csv` has changed"), "{said}");
}

#[test]
fn a_model_is_exported_as_a_system_that_does_the_same() {
    let bench = with_fmu("oscillator", Fmi::V2);
    bench.done(&["run", "oscillator.fmu", "--set", "x0=2"]);
    let hash = bench.trace_hash("out/oscillator");
    for out in ["one.ssp", "two/system.toml", "three.json"] {
        bench.done(&["export", "oscillator.fmu", out, "--set", "x0=2"]);
        bench.done(&["run", out, "--out", "again"]);
        assert_eq!(bench.trace_hash("again"), hash, "{out}");
    }
    insta::assert_snapshot!(bench.read("two/system.toml"));
}

#[test]
fn the_manifest_has_the_system_that_was_made() {
    let bench = with_fmu("oscillator", Fmi::V2);
    bench.done(&["run", "oscillator.fmu", "--set", "x0=2", "--stop", "1"]);
    let manifest = bench.json("out/oscillator/manifest.json");
    bench.write("system.toml", manifest["system"]["text"].as_str().unwrap());
    bench.done(&["run", "system.toml", "--out", "again"]);
    assert_eq!(bench.trace_hash("again"), bench.trace_hash("out/oscillator"));
    let again = bench.json("again/manifest.json");
    assert_eq!(again["experiment_hash"], manifest["experiment_hash"]);
}

#[test]
fn a_model_has_a_plan_and_every_order_gives_the_same() {
    let bench = with_fmu("oscillator", Fmi::V3);
    assert_said!(bench.done(&["plan", "oscillator.fmu"]));
    let text = bench.done(&["plan", "oscillator.fmu", "--format", "program"]).stdout;
    bench.write("plan.txt", &text);
    bench.done(&["check", "plan", "oscillator.fmu", "plan.txt"]);
    let mut hashes = Vec::new();
    for order in ["derived", "jacobi", "gauss-seidel"] {
        bench.done(&["run", "oscillator.fmu", "--order", order, "--out", order]);
        hashes.push(bench.trace_hash(order));
    }
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}

#[test]
fn a_folder_that_is_both_is_taken_as_the_system() {
    let bench = with_defaults(DEFAULTS);
    bench.write(
        "gain/system.toml",
        "[experiment]\nstop = 1\nstep = 0.5\n[components.g]\nmodel = \".\"\n",
    );
    let said = bench.done(&["run", "gain", "--csv"]);
    assert_eq!(bench.read("out/gain/trace.csv").lines().next(), Some("\"time\",\"g.y\""));
    assert_said!(said);
}

/// The program must refuse, say why and leave nothing.
fn refuse(bench: &Bench, args: &[&str], code: i32) -> String {
    let before = bench.list("");
    let said = bench.consort(args);
    assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{args:?}: {said}");
    assert!(said.stderr.contains("help: "), "{args:?}: {said}");
    assert_eq!(bench.list(""), before, "{args:?}");
    format!("==== {}: exit {code}\n{}\n", args.join(" "), said.stderr)
}

#[test]
fn what_cannot_be_run_is_reported() {
    let bench = with_fmu("oscillator", Fmi::V2);
    bench.write("empty/readme.txt", "nothing here");
    bench.write("notes.txt", "nothing here");
    bench.write("tank/modelDescription.xml", "<nothing/>");
    bench.write("broken.fmu", "no archive");
    bench.write("cart.conf", "name = cart");
    let mut text = String::new();
    for (args, code) in [
        (vec!["run", "osillator.fmu"], 2),
        (vec!["run", "models/oscillator.fmu"], 2),
        (vec!["plan", "oscillator.fmi"], 2),
        (vec!["run", "empty"], 2),
        (vec!["run", "notes.txt"], 1),
        (vec!["run", "tank/modelDescription.xml"], 1),
        (vec!["run", "tank"], 1),
        (vec!["run", "broken.fmu"], 1),
        (vec!["run", "native:gian"], 1),
        (vec!["run", "natve:gain"], 1),
        (vec!["run", "native:"], 1),
        (vec!["run", "native:table"], 1),
        (vec!["run", "native:gain", "--set", "k=[1, 2]"], 2),
        (vec!["run", "cart.conf"], 2),
        (vec!["check", "plan", "cart.conf", "notes.txt"], 2),
        (vec!["export", "cart.conf", "cart.ssp"], 2),
    ] {
        text += &refuse(&bench, &args, code);
    }
    insta::assert_snapshot!(text);
}

#[test]
fn options_that_do_not_fit_a_model_are_reported() {
    let bench = with_fmu("oscillator", Fmi::V2);
    bench.write("in.csv", "time,froce\n0,1\n");
    bench.write("out.csv", "time,oscillator.x\n0,1\n");
    let mut text = String::new();
    for options in [
        vec!["--set", "mas=2"],
        vec!["--set", "oscillator.mas=2"],
        vec!["--set", "mass"],
        vec!["--set", "=2"],
        vec!["--set", "mass=heavy"],
        vec!["--set", "a=2"],
        vec!["--input", "in.csv"],
        vec!["--input", "out.csv"],
        vec!["--input", "gone.csv"],
        vec!["--stop", "0.055"],
        vec!["--step", "20"],
        vec!["--start", "2", "--stop", "1"],
        vec!["--stop", "soon"],
        vec!["--delay", "x -> force"],
        vec!["--variant", "a.ssd", "--with", "coe.json"],
    ] {
        // A table that is wrong is a mistake in what is run, not in what was typed.
        let code = if ["in.csv", "out.csv"].contains(&options[1]) { 1 } else { 2 };
        text += &refuse(&bench, &[&["run", "oscillator.fmu"], &options[..]].concat(), code);
    }
    insta::assert_snapshot!(text);
}
