//! What a run leaves behind when something is odd: nothing is lost, nothing is hidden.

use crate::bench::{Bench, Said, assert_said, chain};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::time::{Duration, Instant};

/// A loop that grows until its numbers end.
const DIVERGING: &str = r#"
[experiment]
stop = 400
step = 0.5

[components.store]
model = "native:integrator"
parameters = { x0 = 1 }

[components.gain]
model = "native:gain"
parameters = { k = 50 }

[components.rest]
model = "native:sum"
parameters = { signs = "+-" }

[[connections]]
from = "store.y"
to = "gain.u"

[[connections]]
from = "gain.y"
to = "store.u"

[[connections]]
from = "gain.y"
to = "rest.u1"

[[connections]]
from = "store.y"
to = "rest.u2"
"#;

#[test]
fn numbers_that_end_are_reported_with_the_first_of_them() {
    let bench = Bench::new();
    bench.write("bang/system.toml", DIVERGING);
    let said = bench.done(&["run", "bang"]);
    assert_said!(said);
    let manifest = bench.json("out/bang/manifest.json");
    let problem = manifest["exit"]["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("`gain.y` became 2.591e31 at"), "{problem}");
    let logged = bench.events("out/bang/log.jsonl", "diagnostic");
    assert_eq!(logged[0]["code"], "run::diverged");
    let quiet = bench.done(&["run", "bang", "--stop", "10"]);
    assert!(!quiet.stderr.contains("warning"), "{quiet}");
}

/// The answer is no, what was recorded is kept, and the rows up to there are the same.
#[test]
fn a_run_may_end_where_a_value_diverges() {
    let bench = Bench::new();
    bench.write("bang/system.toml", DIVERGING);
    bench.done(&["run", "bang", "--stop", "10.5", "--csv"]);
    let whole = bench.read("out/bang/trace.csv");
    let written = DIVERGING.replace("[experiment]", "[experiment]\non-divergence = \"error\"");
    bench.write("end/system.toml", &written);
    for (system, option) in [("bang", Some(["--on-divergence", "error"])), ("end", None)] {
        let mut args = vec!["run", system, "--csv"];
        args.extend(option.into_iter().flatten());
        let said = bench.consort(&args);
        assert_eq!(said.code, Some(1), "{said}");
        assert!(said.stderr.contains("error[run::diverged]: `gain.y` became"), "{said}");
        assert!(said.stderr.contains("to 10.5 s, then ended by it,"), "{said}");
        assert_eq!(bench.read(&format!("out/{system}/trace.csv")), whole);
        let exit = &bench.json(&format!("out/{system}/manifest.json"))["exit"];
        assert_eq!(exit["state"], "failed", "{exit}");
    }
    let said = bench.done(&["run", "end", "--on-divergence", "warn", "--no-record"]);
    assert!(said.stderr.contains("warning[run::diverged]"), "{said}");
}

/// A gain around a gain, as FMUs for Co-Simulation: every turn takes two steps, and nine times as much comes
/// back. Solved, it would be a tenth of a ramp.
#[test]
fn a_loop_over_co_simulation_is_not_iterated_in_silence() {
    let bench = Bench::new();
    let fmu = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    std::fs::create_dir_all(bench.path("grow")).unwrap();
    std::fs::copy(&fmu, bench.path("grow/gain.fmu")).unwrap();
    let part = |name: &str, k: f64| {
        format!("[components.{name}]\nmodel = \"gain.fmu\"\nparameters = {{ k = {k} }}\n")
    };
    let wire =
        |from: &str, to: &str| format!("[[connections]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    let text = [
        "[experiment]\nstop = 100\nstep = 1\nloops = \"iterate\"\n".to_owned(),
        "[components.ramp]\nmodel = \"native:integrator\"\nparameters = { u = 1 }\n".to_owned(),
        "[components.sum]\nmodel = \"native:sum\"\nparameters = { signs = \"++\" }\n".to_owned(),
        part("a", 3.0),
        part("b", -3.0),
        wire("ramp.y", "sum.u1"),
        wire("b.y", "sum.u2"),
        wire("sum.y", "a.u"),
        wire("a.y", "b.u"),
    ]
    .concat();
    bench.write("grow/system.toml", &text);
    let refused = bench.consort(&["run", "grow"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    for part in ["error[plan::loop-not-iterated]", "`a.u`, `b.u`", "loops = \"delay\""] {
        assert!(refused.stderr.contains(part), "{part}: {refused}");
    }
    let late = bench.done(&["run", "grow", "--loops", "delay"]);
    assert!(late.stderr.contains("2 connections are late by 1 step (1 s)"), "{late}");
    assert!(late.stderr.contains("warning[run::diverged]"), "{late}");
    let spread = ["ramp=one", "sum=two", "a=two", "b=two"].map(|place| ["--place", place]).concat();
    for more in [vec![], vec!["--isolate"], spread] {
        let args = ["run", "grow", "--loops", "delay", "--on-divergence", "error"];
        let ended = bench.consort(&[args.to_vec(), more.clone()].concat());
        assert_eq!(ended.code, Some(1), "{more:?}: {ended}");
        assert!(ended.stderr.contains("error[run::diverged]"), "{more:?}: {ended}");
    }
}

/// A ramp from -0.5005 on, from a file: every sample is a row, and so is where it crosses zero.
#[test]
fn steps_follow_the_constraints_of_the_file() {
    let bench = Bench::new();
    let text = r#"
[experiment]
stop = 1
step = 0.1
[experiment.variable-step]
min = 1e-4
max = 0.1
error-control = false
[[experiment.variable-step.constraints]]
kind = "sampling"
period = 0.03
start = 0.01
[[experiment.variable-step.constraints]]
kind = "zero-crossing"
variables = ["ramp.y"]
tolerance = 1e-6
[components.ramp]
model = "native:integrator"
parameters = { x0 = -0.5005, u = 1 }
"#;
    bench.write("steps/system.toml", text);
    bench.done(&["run", "steps", "--csv"]);
    let csv = bench.read("out/steps/trace.csv");
    let row =
        |line: &str| -> Vec<f64> { line.split(',').filter_map(|cell| cell.parse().ok()).collect() };
    let rows: Vec<Vec<f64>> = csv.lines().skip(1).map(row).collect();
    let has = |time: f64| rows.iter().any(|row| (row[0] - time).abs() < 1e-12);
    let samples = (0..34).map(|count| 0.01 + 0.03 * f64::from(count)).filter(|time| *time <= 1.0);
    assert!(samples.clone().all(has), "{csv}");
    assert!(rows.iter().any(|row| row.last().is_some_and(|y| y.abs() <= 1e-4)), "{csv}");
    assert!(rows.len() <= samples.count() + 6, "{csv}");
}

/// One line for values that arrive late, one for inputs that nothing feeds, and neither if there are none.
#[test]
fn what_is_late_or_fed_by_nothing_is_one_line() {
    let bench = Bench::new();
    let parts: String =
        (0..9).map(|index| format!("[components.g{index}]\nmodel = \"native:gain\"\n")).collect();
    let wires: String = (1..9)
        .map(|index| format!("[[connections]]\nfrom = \"g{}.y\"\nto = \"g{index}.u\"\n", index - 1))
        .collect();
    let start = "[experiment]\nstop = 1\nstep = 0.5\n";
    for (name, text, lines) in [
        (
            "nothing",
            format!("{start}{parts}"),
            &[
                "9 inputs are fed by nothing and keep their start values: `g0.u`, `g1.u`, `g2.u`, `g3.u`, `g4.u` and 4 more",
            ][..],
        ),
        (
            "chain",
            format!("{start}{parts}{wires}"),
            &["1 input is fed by nothing and keeps its start value: `g0.u`"],
        ),
        (
            "jacobi",
            format!("{start}order = \"jacobi\"\n{parts}{wires}"),
            &[
                "8 connections are late by 1 step (0.5 s): `g0.y -> g1.u`, `g1.y -> g2.u`, `g2.y -> g3.u`, `g3.y -> g4.u`, `g4.y -> g5.u` and 3 more; `consort plan` shows why",
                "1 input is fed by nothing and keeps its start value: `g0.u`",
            ],
        ),
        (
            "given",
            format!(
                "{start}{}",
                "[components.g]\nmodel = \"native:gain\"\nparameters = { u = 2 }\n"
            ),
            &[],
        ),
        (
            "delay",
            format!(
                "{start}loops = \"delay\"\n{}",
                "[components.g]\nmodel = \"native:gain\"\nparameters = { k = 0.5 }\n[[connections]]\nfrom = \"g.y\"\nto = \"g.u\"\n"
            ),
            &["1 connection is late by 1 step (0.5 s): `g.y -> g.u`; `consort plan` shows why"],
        ),
    ] {
        bench.write(&format!("{name}/system.toml"), &text);
        let said = bench.done(&["run", name]);
        let found: Vec<&str> =
            said.stderr.lines().take_while(|line| !line.contains(": 2 steps")).collect();
        assert_eq!(found, lines, "{name}: {said}");
        let logged = bench.events(&format!("out/{name}/log.jsonl"), "diagnostic");
        assert_eq!(logged.len(), lines.len(), "{name}");
        let quiet = bench.done(&["run", name, "--quiet"]);
        assert_eq!(quiet.stderr, "", "{name}: {quiet}");
    }
}

#[test]
fn the_manifest_says_what_it_cost() {
    let bench = Bench::with_loop();
    for record in [vec![], vec!["--no-record"]] {
        bench.done(&[vec!["run", "loop"], record].concat());
        let timing = bench.json("out/loop/manifest.json")["timing"].clone();
        let number = |name: &str| timing[name].as_f64().unwrap();
        assert!(0.0 < number("seconds") && 0.0 <= number("seconds_to_write"), "{timing}");
        assert!(1e6 < number("memory_peak_bytes"), "{timing}");
    }
}

/// Runs it where no file may have more than `blocks` of 512 bytes: a disk that is full early.
fn run_with_little_room(bench: &Bench, blocks: u32) -> Said {
    let program = env!("CARGO_BIN_EXE_consort");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} run loop");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(bench.path(""));
    Said::from(shell.output().unwrap())
}

#[test]
fn a_full_disk_is_one_error_and_a_failure() {
    let bench = Bench::with_loop();
    for blocks in [2, 8, 16] {
        let said = run_with_little_room(&bench, blocks);
        assert_eq!(said.code, Some(2), "{said}");
        assert_eq!(said.stderr.matches("error[").count(), 1, "{said}");
        assert!(said.stderr.contains("make room on the disk"), "{said}");
        if blocks == 16 {
            assert_eq!(bench.json("out/loop/manifest.json")["exit"]["state"], "failed");
            bench.done(&["replay", "out/loop"]);
        }
    }
}

#[test]
fn two_runs_do_not_mix_in_one_folder() {
    let bench = Bench::with_loop();
    let endless = ["run", "loop", "--stop", "1000", "--real-time", "1", "--quiet"];
    let mut first = bench.command(&endless).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(20);
    while bench.list("out/loop").is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = bench.consort(&["run", "loop"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(2), "{second}");
    assert!(second.stderr.contains("another run writes to it"), "{second}");
    bench.done(&["run", "loop"]);
}

#[test]
fn an_fmu_that_cannot_end_is_in_the_manifest() {
    let bench = Bench::new();
    let fmu = fmus::build("misbehave", Fmi::V2, &BuildOptions::archive());
    bench.write(
        "odd/system.toml",
        "[experiment]\nstop = 1\nstep = 0.1\n[components.odd]\nmodel = \"misbehave.fmu\"\n\
         parameters = { phase = 7, status = 3 }\n",
    );
    std::fs::copy(fmu, bench.path("odd/misbehave.fmu")).unwrap();
    let said = bench.done(&["run", "odd"]);
    assert!(said.stderr.contains("warning[run::"), "{said}");
    let exit = bench.json("out/odd/manifest.json")["exit"].clone();
    assert_eq!(exit["state"], "finished");
    assert!(exit["problems"][0].as_str().unwrap().contains("`odd`"), "{exit}");
}

#[test]
fn names_do_not_steer_the_terminal() {
    let bench = Bench::with_loop();
    let text = bench.read("loop/system.toml");
    bench.write("loop/system.toml", &format!("name = \"red\\u001b[31m\\nline\"\n{text}"));
    let said = bench.done(&["run", "loop"]);
    assert!(!said.stderr.contains('\u{1b}'), "{said}");
    assert_eq!(bench.list("out"), ["red-[31m-line"]);
    bench.done(&["replay", "out/red-[31m-line"]);
}

#[test]
fn a_run_says_how_to_repeat_it_to_who_wants_to_know() {
    let bench = Bench::with_loop();
    let line = "repeat with: consort run loop --stop 1";
    let said = bench.done(&["run", "loop", "--stop", "1", "--verbose"]);
    assert_eq!(said.stderr.lines().last(), Some(line), "{said}");
    let said = bench.done(&["run", "loop", "--stop", "1"]);
    assert!(!said.stderr.contains("repeat with"), "{said}");
}

#[test]
fn a_paced_run_says_how_late_it_was() {
    let bench = Bench::with_loop();
    // No machine takes 200 steps in two microseconds.
    let said = bench.done(&["run", "loop", "--real-time", "1000000"]);
    let late = bench.json("out/loop/manifest.json")["timing"]["late_steps"].as_u64().unwrap();
    assert_eq!(0 < late, said.stderr.contains("late, by up to"), "{late} {said}");
}

#[test]
fn a_value_for_an_input_that_is_connected_is_not_taken_silently() {
    let bench = Bench::with_loop();
    let said = bench.done(&["run", "loop", "--set", "plant.u=3"]);
    assert!(said.stderr.contains("note[system::value-of-connected-input]"), "{said}");
    assert!(said.stderr.contains("--set plant.u=3"), "{said}");
}

#[test]
fn a_cache_that_cannot_be_used_is_no_mistake_of_the_system() {
    let bench = Bench::new();
    let fmu = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    bench.write("s/system.toml", "[experiment]\nstop = 1\n[components.a]\nmodel = \"gain.fmu\"\n");
    bench.write("file", "");
    std::fs::copy(fmu, bench.path("s/gain.fmu")).unwrap();
    let said = bench.consort(&["run", "s", "--cache-dir", "file"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("error[model::cache]"), "{said}");
    assert!(said.stderr.contains("--cache-dir"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_made_is_reported_with_a_help() {
    let bench = Bench::with_loop();
    bench.write("file", "");
    for out in ["file", "file/below"] {
        let said = bench.consort(&["run", "loop", "--out", out]);
        assert_eq!(said.code, Some(2), "{said}");
        assert!(said.stderr.contains(&format!("the run cannot be written to `{out}`")), "{said}");
        assert!(said.stderr.contains("choose another folder with `--out DIR`"), "{said}");
    }
}

#[test]
fn ten_thousand_instances_load_plan_and_run() {
    const COUNT: usize = 10_000;
    let bench = Bench::new();
    let fmu = fmus::build("gain", Fmi::V2, &BuildOptions::archive());
    for (name, model) in [("native", "native:gain"), ("fmu", "gain.fmu")] {
        bench.write(&format!("{name}/system.toml"), &chain(model, COUNT));
        std::fs::copy(&fmu, bench.path(&format!("{name}/gain.fmu"))).unwrap();
        let said = bench.done(&["run", name, "--no-record"]);
        assert!(said.stderr.contains(": 10 steps of 10000 components to 0.01 s"), "{said}");
        // What it is, the input that nothing feeds and, of FMUs, what is late.
        assert!(said.stderr.lines().count() <= 3, "{said}");
        let manifest = bench.read(&format!("out/{name}/manifest.json"));
        assert!(manifest.len() < 250 * COUNT, "{} bytes", manifest.len());
    }
    assert_eq!(bench.trace_hash("out/native"), bench.trace_hash("out/fmu"));
}
