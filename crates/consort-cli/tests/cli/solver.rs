//! Choosing solvers: what is shown, what is kept, and what is said about mistakes.

use crate::bench::{Bench, assert_said};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;

/// A folder with `s/system.toml` and FMUs for Co-Simulation, Model Exchange, and both.
fn bench(text: &str) -> Bench {
    let bench = Bench::new();
    bench.write("s/system.toml", text);
    for name in ["gain", "dahlquist", "exchange-ball"] {
        let archive = fmus::build(name, Fmi::V3, &BuildOptions::archive());
        fs::copy(archive, bench.path(&format!("s/{name}.fmu"))).unwrap();
    }
    bench
}

const HEAD: &str = "[experiment]\nstop = 1\nstep = 0.1\n";

#[test]
fn keys_without_an_effect_are_refused_all_at_once() {
    let bench = bench(
        r#"[experiment]
stop = 1
step = 0.1

[components.block]
model = "native:gain"
solver = "bdf"
parameters = { u = 1 }

[components.stepping]
model = "gain.fmu"
interface = "model-exchange"
tolerance = 1e-8
parameters = { u = 1 }

[components.both]
model = "dahlquist.fmu"
solver-step = 0.001

[components.torn]
model = "dahlquist.fmu"
interface = "co-simulation"
solver = "adams"

[components.ball]
model = "exchange-ball.fmu"
interface = "co-simulation"
solver = "rk4"
tolerance = 1e-8
"#,
    );
    assert_said!(bench.consort(&["run", "s"]));
    assert_eq!(bench.list(""), ["s"], "nothing is written");
}

#[test]
fn a_solver_for_all_that_none_needs_is_refused() {
    let block = "[components.block]\nmodel = \"native:gain\"\nparameters = { u = 1 }\n";
    let bench = bench(&format!("{HEAD}solver = \"rk4\"\n{block}"));
    assert_said!(bench.consort(&["run", "s", "--solver-step", "0.01"]));
}

#[test]
fn mistakes_on_the_command_line_are_shown_there() {
    let ball = "[components.ball]\nmodel = \"exchange-ball.fmu\"\n";
    let bench = bench(&format!("{HEAD}{ball}"));
    let cases: [&[&str]; 6] = [
        &["s", "--solver", "dopri"],
        &["s", "--tolerance", "small", "--solver-step", "short"],
        &["s", "--tolerance", "2", "--solver-step", "-1"],
        &["s/gain.fmu", "--solver", "bdf", "--set", "u=1"],
        &["s/dahlquist.fmu", "--solver-step", "0.01"],
        &["native:sine", "--solver", "bdf", "--stop", "1", "--step", "0.1"],
    ];
    let mut all = String::new();
    for options in cases {
        let said = bench.consort(&[&["run"], options].concat());
        assert!(matches!(said.code, Some(1 | 2)), "{options:?}: {said}");
        all += &format!("## {}\n{said}\n", options.join(" "));
    }
    assert_said!(all);
}

#[test]
fn an_fmu_alone_is_integrated_by_the_solver_that_is_named() {
    let bench = bench(HEAD);
    let fmu = "s/dahlquist.fmu";
    bench.done(&["run", fmu, "--out", "own", "--quiet"]);
    let exact = ["--solver", "dop853", "--tolerance", "1e-10"];
    bench.done(&[&["run", fmu, "--out", "ours", "--quiet"], &exact[..]].concat());
    assert_ne!(bench.trace_hash("own"), bench.trace_hash("ours"));
    let manifest = bench.json("ours/manifest.json");
    assert_eq!(manifest["solvers"]["dahlquist"]["solver"], "dop853");
    assert_eq!(manifest["solvers"]["dahlquist"]["tolerance"], 1e-10);
    assert_eq!(manifest["options"]["solver"], "dop853");
    assert_eq!(bench.json("own/manifest.json")["solvers"], serde_json::json!({}));
    bench.done(&["replay", "ours"]);
    let repeat = ["repeat", fmu, "--runs", "3", "--no-load"];
    bench.done(&[&repeat[..], &exact].concat());
}

#[test]
fn interfaces_and_solvers_are_shown() {
    let parts = "[components.ball]\nmodel = \"exchange-ball.fmu\"\nsolver-step = 0.01\n\
                 [components.decay]\nmodel = \"dahlquist.fmu\"\nsolver = \"adams\"\ntolerance = 1e-9\n\
                 [components.stepping]\nmodel = \"dahlquist.fmu\"\n";
    let bench = bench(&format!("{HEAD}solver = \"dopri5\"\nsolver-step = 0.05\n{parts}"));
    assert_said!(bench.done(&["inspect", "s"]));
    let both = bench.done(&["inspect", "s/dahlquist.fmu"]).stdout;
    assert!(both.contains("Co-Simulation, Model Exchange"), "{both}");
    let ball = bench.done(&["inspect", "s/exchange-ball.fmu"]).stdout;
    assert!(ball.contains("  solver") && ball.contains("`auto`"), "{ball}");
    assert!(ball.contains("handle events") && !ball.contains("cannot"), "{ball}");
    let json = bench.done(&["inspect", "s", "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["experiment"]["solver"], "dopri5");
    assert_eq!(json["components"][1]["tolerance"], 1e-9);
}

#[test]
fn an_exported_system_keeps_its_solvers() {
    let parts = "[components.ball]\nmodel = \"exchange-ball.fmu\"\nsolver = \"rk4\"\nsolver-step = 0.01\n\
                 [components.decay]\nmodel = \"dahlquist.fmu\"\ninterface = \"model-exchange\"\n";
    let bench = bench(&format!("{HEAD}solver = \"adams\"\n{parts}"));
    bench.done(&["run", "s", "--out", "first", "--quiet"]);
    bench.done(&["export", "s", "moved.ssp"]);
    bench.done(&["run", "moved.ssp", "--out", "second", "--quiet"]);
    assert_eq!(bench.trace_hash("first"), bench.trace_hash("second"));
    let solvers = &bench.json("second/manifest.json")["solvers"];
    assert_eq!(
        (&solvers["ball"]["solver"], &solvers["decay"]["solver"]),
        (&"rk4".into(), &"adams".into())
    );
    let said = bench.done(&["export", "s", "moved.json"]);
    assert!(said.stderr.contains("a multi-model cannot say `solver`: `adams`, `ball`"), "{said}");
}

/// A motor that is switched on, and a lag behind it.
const SWITCHED: &str = "model switched
  experiment stop 2 step 0.1
  output state i = 0
  output state w = 0
  der(i) = ((if time >= 1 then 12 else 0) - i - 0.05*w)/1e-3
  der(w) = (0.05*i - 1e-4*w)/1e-3
end
";

/// Runs it by a solver with one worker, with two, and resumed in the middle; the statistics that all of them report alike.
fn statistics_of(solver: &str) -> serde_json::Value {
    let bench = Bench::new();
    bench.write("switched.eq", SWITCHED);
    let runs = [
        ("one", &["--workers", "1", "--save-at", "1.3", "--save", "middle"][..]),
        ("two", &["--workers", "2"][..]),
        ("rest", &["--resume", "middle"][..]),
    ];
    let statistics = runs.map(|(out, options)| {
        let common = ["run", "switched.eq", "--solver", solver, "--out", out, "--verbose"];
        let said = bench.done(&[&common[..], options].concat()).stderr;
        assert!(said.contains("solver steps) in "), "{said}");
        assert!(said.contains("solver of switched: "), "{said}");
        bench.json(&format!("{out}/manifest.json"))["statistics"]["solvers"]["switched"].clone()
    });
    assert_eq!((&statistics[1], &statistics[2]), (&statistics[0], &statistics[0]));
    let [statistics, ..] = statistics;
    statistics
}

#[test]
fn what_a_solver_did_is_reported_alike_for_any_number_of_workers_and_after_a_resume() {
    let statistics = statistics_of("bdf");
    for name in ["steps", "rejected", "evaluations", "jacobians", "factorizations", "order"] {
        assert!(0 < statistics[name].as_u64().unwrap(), "{name}: {statistics}");
    }
    assert_eq!(
        (&statistics["events"], &statistics["in-use"]),
        (&1.into(), &serde_json::Value::Null)
    );
}

#[test]
fn an_automatic_choice_reports_the_method_in_use_and_how_often_it_was_switched() {
    let statistics = statistics_of("auto");
    assert_eq!((&statistics["switches"], &statistics["in-use"]), (&3.into(), &"bdf".into()));
}
