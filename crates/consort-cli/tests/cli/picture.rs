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
fn pictures_nobody_can_draw_and_variables_nobody_recorded_are_named() {
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
