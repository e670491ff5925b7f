//! `consort diff`.

use crate::bench::{Bench, assert_said};

fn two_runs() -> Bench {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "a", "--csv"]);
    bench.done(&["run", "loop", "--out", "b", "--csv", "--set", "plant.x0=1e-9"]);
    bench
}

#[test]
fn equal_runs_are_the_same() {
    let bench = two_runs();
    assert_said!(bench.done(&["diff", "a", "a"]));
    bench.done(&["diff", "a", "a/trace.csv"]);
    bench.done(&["diff", "a/trace.csv", "a/trace.parquet"]);
}

#[test]
fn the_first_difference_is_named_with_what_else_differs() {
    assert_said!(two_runs().consort(&["diff", "a", "b"]));
}

#[test]
fn tolerances_forgive_small_differences() {
    let bench = two_runs();
    bench.done(&["diff", "a", "b", "--absolute", "1e-6"]);
    assert_eq!(bench.consort(&["diff", "a", "b", "--absolute", "1e-12"]).code, Some(1));
    assert_eq!(bench.consort(&["diff", "a", "b", "--relative", "1e-6"]).code, Some(1));
    bench.done(&["diff", "a", "b", "--variables", "setpoint.*"]);
    assert_eq!(bench.consort(&["diff", "a", "b", "--variables", "*.y"]).code, Some(1));
    assert_eq!(bench.consort(&["diff", "a", "b", "--variables", "nothing.*"]).code, Some(2));
}

#[test]
fn programs_get_json() {
    let bench = two_runs();
    let said = bench.consort(&["diff", "a", "b", "--format", "json"]);
    assert_eq!(said.code, Some(1));
    let answer: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(answer["same"], false);
    assert_eq!(answer["first_difference"]["variable"], "controller.u");
    assert_eq!(answer["first_difference"]["time"], 0.0);
    assert_eq!(answer["differing"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_no_trace_cannot_be_compared() {
    let bench = two_runs();
    bench.write("noise.parquet", "not Parquet at all");
    bench.write("noise.csv", "time,x\n0,1\n0.5\n");
    bench.write("empty/manifest.json", "{}");
    for other in ["noise.parquet", "noise.csv", "nowhere", "loop", "empty"] {
        let said = bench.consort(&["diff", "a", other]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{other}: {said}");
        assert!(said.stderr.starts_with("error["), "{other}: {said}");
    }
}

#[test]
fn runs_without_a_trace_are_compared_by_their_hashes() {
    let bench = two_runs();
    bench.done(&["run", "loop", "--out", "c", "--no-record"]);
    bench.done(&["diff", "a", "c"]);
    assert_said!(bench.consort(&["diff", "c", "b"]));
    assert_eq!(bench.consort(&["diff", "c", "b", "--absolute", "1"]).code, Some(2));
}
