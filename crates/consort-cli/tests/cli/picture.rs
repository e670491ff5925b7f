//! `consort plot` and `consort inspect`.

use crate::bench::{Bench, assert_said};

#[test]
fn a_plot_is_put_beside_its_run() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    std::fs::remove_file(bench.path("out/loop/plot.svg")).unwrap();
    assert_said!(bench.done(&["plot", "out/loop", "--format", "svg,png,html"]));
    assert!(bench.read("out/loop/plot.svg").contains("plant.y"));
    assert!(bench.read("out/loop/plot.html").contains("controller.u"));
    let png = std::fs::read(bench.path("out/loop/plot.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
}

#[test]
fn what_is_drawn_can_be_chosen() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--csv"]);
    bench.done(&["plot", "out/loop", "setpoint.*", "--out", "s.svg"]);
    let picture = bench.read("s.svg");
    assert!(picture.contains("setpoint.y") && !picture.contains("plant.y"));
    let said = bench.done(&["plot", "out/loop/trace.csv", "plant.y", "--out", "-"]);
    assert!(said.stdout.starts_with("<svg") || said.stdout.starts_with("<?xml"), "{said}");
    assert_said!(bench.consort(&["plot", "out/loop", "plant.z"]));
}

#[test]
fn a_sketch_is_data() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    let said = bench.done(&["plot", "out/loop", "plant.y", "--format", "text"]);
    assert!(said.stdout.contains("plant.y"), "{said}");
    assert_eq!(said.stderr, "");
}

/// A valve without a unit that a source of percent opens: `gain.y` has none at all.
const PERCENT: &str = r#"
[experiment]
stop = 1
step = 0.1
plot = ["source.y", "gain.y"]

[components.source]
model = "native:pulse"
parameters = { high = 60, period = 1 }

[components.sampler]
model = "native:unit-delay"
step = 0.2

[components.gain]
model = "native:gain"

[components.valve]
model = "valve.eq"

[[connections]]
from = "source.y"
to = "valve.opening"

[[connections]]
from = "source.y"
to = "gain.u"

[[connections]]
from = "source.y"
to = "sampler.u"
"#;

const VALVE: &str =
    "model valve\n  input opening = 0 \"%\"\n  output flow = opening \"m3/s\"\nend\n";

#[test]
fn units_come_over_connections_and_are_in_the_manifest() {
    let bench = Bench::new();
    bench.write("s/system.toml", PERCENT);
    bench.write("s/valve.eq", VALVE);
    let said = bench.done(&["run", "s", "--out", "run"]);
    assert!(said.stderr.contains("  source.y 0 to 60, last 60 %\n"), "{said}");
    let manifest: serde_json::Value =
        serde_json::from_str(&bench.read("run/manifest.json")).unwrap();
    assert_eq!(manifest["signals"]["units"], serde_json::json!({ "source.y": "%" }));
    assert_eq!(manifest["signals"]["held"], serde_json::json!(["sampler"]));
    let drawn = bench.read("run/plot.svg");
    assert!(drawn.contains(">[%]<") && drawn.contains(">[-]<"), "{drawn}");
    bench.done(&["plot", "run", "--out", "again.svg"]);
    assert_eq!(bench.read("again.svg"), drawn, "the same from the record");
}

#[test]
fn runs_are_drawn_over_each_other() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "first"]);
    bench.done(&["run", "loop", "--set", "controller.kp=4", "--out", "second"]);
    bench.done(&["plot", "first", "second", "plant.y", "--out", "a.svg"]);
    bench.done(&["plot", "first", "second", "--var", "plant.y", "--out", "b.svg"]);
    let drawn = bench.read("a.svg");
    assert_eq!(drawn, bench.read("b.svg"));
    assert!(drawn.contains(">plant.y (first)<") && drawn.contains(">plant.y (second)<"), "{drawn}");
    assert!(!drawn.contains("controller.u"));
    let said = bench.done(&["plot", "first", "second", "--format", "svg"]);
    assert_eq!(said.stderr, "plot.svg\n");
    bench.done(&["run", "loop", "--out", "more/first"]);
    bench.done(&["plot", "first", "more/first", "plant.y", "--out", "c.svg"]);
    assert!(bench.read("c.svg").contains(">plant.y (more/first)<"));
}

#[test]
fn parts_of_a_run_and_variables_over_others_are_drawn() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "run"]);
    let sketch = |args: &[&str]| {
        bench.done(&[&["plot", "run", "plant.y", "--format", "text"], args].concat()).stdout
    };
    assert!(sketch(&["--from", "0.5", "--to", "3/2"]).contains("└0.5 "));
    assert!(sketch(&["--from", "0.5", "--to", "3/2"]).ends_with("1.5 s\n"));
    assert!(sketch(&["--x", "controller.u"]).ends_with("  controller.u [-]\n"));
    bench.done(&["plot", "run", "--x", "controller.u", "--out", "x.svg"]);
    let drawn = bench.read("x.svg");
    assert!(drawn.contains(">controller.u [-]<") && drawn.contains(">plant.y<"), "{drawn}");
    assert!(!drawn.contains(">controller.u<"), "the axis is no curve");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "run"]);
    for (args, words) in [
        (["--from", "1", "--to", "0.5"].as_slice(), "cli::empty-range"),
        (&["--from", "5"], "there are rows from 0 s to 2 s"),
        (&["--to", "soon"], "cli::bad-time"),
        (&["--x", "*"], "`*` is 3 variables"),
        (&["--x", "plant.x"], "did you mean `plant.y`?"),
        (&["--var", "plant.z"], "did you mean `plant.y`?"),
    ] {
        let said = bench.consort(&[&["plot", "run"], args].concat());
        assert_eq!(said.code, Some(2), "{said}");
        assert!(said.stderr.contains(words), "{said}");
    }
    assert!(!bench.list("run").contains(&"plot.txt".to_owned()));
}

#[test]
fn blocks_models_and_systems_can_be_looked_at() {
    let bench = Bench::with_loop();
    let blocks = bench.done(&["inspect", "native:"]).stdout;
    assert!(blocks.contains("native:gain  "), "{blocks}");
    let gain = bench.done(&["inspect", "native:gain"]).stdout;
    assert!(gain.contains("the factor"), "{gain}");
    let gain = bench.done(&["inspect", "native:gain", "--format", "json"]).stdout;
    assert!(serde_json::from_str::<serde_json::Value>(&gain).unwrap().is_object());
    let system = bench.done(&["inspect", "loop"]).stdout;
    assert!(system.contains("controller.measurement"), "{system}");
    let system = bench.done(&["inspect", "loop/system.toml", "--format", "json"]).stdout;
    assert!(serde_json::from_str::<serde_json::Value>(&system).unwrap().is_object());
}

#[test]
fn what_is_no_model_is_said() {
    let bench = Bench::new();
    let said = bench.consort(&["inspect", "native:gian"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said}");
    assert!(said.stderr.contains("did you mean `native:gain`?"), "{said}");
    assert_eq!(bench.consort(&["inspect", "nothing.fmu"]).code, Some(2));
}

#[test]
fn pictures_that_cannot_be_drawn_and_variables_not_recorded_are_named() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    for (args, words) in [
        (["out/loop", "--out", "x.bmp"].as_slice(), "`.bmp` is no known form of picture"),
        (&["out/loop", "plant.x"], "did you mean `plant.y`?"),
        (&["out/loop", "temperature"], "recorded are `setpoint.y`, `controller.u`, `plant.y`"),
    ] {
        let said = bench.consort(&[&["plot"], args].concat());
        assert_eq!(said.code, Some(2), "{said}");
        assert!(said.stderr.contains(words), "{said}");
    }
    assert_eq!(bench.list(""), ["loop", "out"]);
}
