//! `consort repeat`.

use crate::bench::{Bench, assert_said};

#[test]
fn many_runs_under_load_are_identical_and_nothing_is_written() {
    let bench = Bench::with_loop();
    let args = ["repeat", "loop", "--runs", "6", "--workers", "1,2,8", "--load=3"];
    assert_said!(bench.done(&args));
    assert_eq!(bench.list(""), ["loop"]);
}

#[test]
fn options_of_the_experiment_count_here_too() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--stop", "1", "--set", "plant.x0=2"]);
    let args = ["repeat", "loop", "--runs", "2", "--no-load", "--stop", "1", "--set", "plant.x0=2"];
    let said = bench.done(&args);
    assert!(said.stdout.contains(&bench.trace_hash("out/loop")), "{said}");
}

#[test]
fn a_wrong_system_is_not_run_at_all() {
    let bench = Bench::new();
    bench.write("loop/system.toml", "[components.a]\nmodel = \"native:nothing\"\n");
    let said = bench.consort(&["repeat", "loop"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.trim_end().ends_with("nothing was run"), "{said}");
}

#[test]
fn progress_says_which_run_it_is() {
    let bench = Bench::with_loop();
    let args =
        ["repeat", "loop", "--runs", "3", "--workers", "1,2", "--no-load", "--progress", "json"];
    let said = bench.done(&args);
    for name in ["run 1 of 3 (1 worker)", "run 2 of 3 (2 workers)", "run 3 of 3 (1 worker)"] {
        assert!(said.stderr.contains(&format!("\"system\":\"loop, {name}\"")), "{name}: {said}");
    }
}
