//! `consort replay`.

use crate::bench::{Bench, LOOP, assert_said};

#[test]
fn a_run_is_repeated_to_the_bit_and_nothing_is_written() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--set", "plant.x0=0.5", "--stop", "1"]);
    let before = bench.list("out/loop");
    assert_said!(bench.done(&["replay", "out/loop", "--workers", "3"]));
    bench.done(&["replay", "out/loop/manifest.json"]);
    assert_eq!(bench.list("out/loop"), before);
    assert_eq!(bench.list(""), ["loop", "out"]);
}

#[test]
fn a_run_is_repeated_from_any_folder() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    let mut elsewhere = bench.command(&["replay", "."]);
    let output = elsewhere.current_dir(bench.path("out/loop")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_changed_file_is_named_and_so_is_what_it_changed() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    bench.write("loop/system.toml", &LOOP.replace("kp = 2", "kp = 3"));
    assert_said!(bench.consort(&["replay", "out/loop"]));
}

#[test]
fn a_change_that_changes_nothing_is_named_but_is_no_difference() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    bench.write("loop/system.toml", &format!("{LOOP}\n# a remark\n"));
    let said = bench.done(&["replay", "out/loop"]);
    assert!(said.stderr.contains("system `system.toml` has changed"), "{said}");
}

#[test]
fn another_machine_is_named_first() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    let manifest = bench.read("out/loop/manifest.json");
    let libc = manifest.lines().find(|line| line.contains("\"libc\"")).unwrap();
    bench.write("out/loop/manifest.json", &manifest.replace(libc, "\"libc\": \"glibc 1.0\""));
    bench.write("loop/system.toml", &LOOP.replace("kp = 2", "kp = 3"));
    let said = bench.consort(&["replay", "out/loop"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.starts_with("libc: glibc 1.0, now "), "{said}");
}

#[test]
fn the_second_run_can_be_kept() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    bench.done(&["replay", "out/loop", "--out", "again"]);
    bench.done(&["diff", "out/loop", "again"]);
    for run in ["out/loop", "out/loop/manifest.json"] {
        assert_eq!(bench.consort(&["replay", run, "--out", "out/loop"]).code, Some(2), "{run}");
    }
}

#[test]
fn what_is_no_run_cannot_be_repeated() {
    let bench = Bench::with_loop();
    assert_said!(bench.consort(&["replay", "loop"]));
    bench.write("bad/manifest.json", "{\"format\": \"something else\"}");
    assert_said!(bench.consort(&["replay", "bad"]));
    bench.done(&["run", "loop"]);
    std::fs::remove_file(bench.path("loop/system.toml")).unwrap();
    assert_eq!(bench.consort(&["replay", "out/loop"]).code, Some(2));
}
