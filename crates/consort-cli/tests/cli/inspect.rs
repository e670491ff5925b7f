//! `consort inspect`.

use crate::bench::{Bench, LOOP, assert_said, chain};

#[test]
fn what_is_not_there_is_not_called_a_component() {
    let bench = Bench::new();
    for (subject, said) in [
        ("tank.fmu", "the model `tank.fmu` is not there"),
        ("no/tank.fmu", "there is no folder `no`\n"),
        ("native:gian", "there is no block `native:gian`"),
    ] {
        let answer = bench.consort(&["inspect", subject]);
        assert_eq!(answer.code, Some(1), "{answer}");
        assert!(answer.stderr.contains(said), "{answer}");
        assert!(!answer.stderr.contains("nothing was run"), "{answer}");
    }
    bench.write("folder/notes.txt", "");
    let answer = bench.consort(&["inspect", "folder"]);
    assert!(answer.stderr.contains("a system's has `system.toml`"), "{answer}");
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
