//! `consort run`.

use crate::bench::{Bench, LOOP, assert_said};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_run_says_what_was_seen_and_leaves_its_record() {
    let bench = Bench::with_loop();
    assert_said!(bench.done(&["run", "loop"]));
    let files = ["log.jsonl", "manifest.json", "plot.svg", "trace.parquet"];
    assert_eq!(bench.list("out/loop"), files);
    assert_eq!(bench.list(""), ["loop", "out"]);
}

#[test]
fn the_manifest_says_what_was_run() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--stop", "1", "--seed", "7", "--set", "plant.x0=0.5"]);
    let mut manifest = bench.json("out/loop/manifest.json");
    assert_eq!(manifest["system"]["text"], LOOP);
    for (section, key) in [("system", "text"), ("system", "folder")] {
        manifest[section][key] = "[...]".into();
    }
    for section in ["host", "timing", "hashes"] {
        assert!(manifest[section].as_object().is_some_and(|section| 2 < section.len()));
        manifest[section] = "[...]".into();
    }
    insta::with_settings!({filters => vec![(r"[0-9a-f]{64}", "[hash]")]}, {
        insta::assert_snapshot!(format!("{manifest:#}"));
    });
}

#[test]
fn the_experiment_hash_covers_seed_and_interventions_but_not_what_is_drawn() {
    let bench = Bench::with_loop();
    let hash = |text: &str, options: &[&str]| {
        bench.write("loop/system.toml", text);
        bench.done(&[&["run", "loop"], options].concat());
        bench.json("out/loop/manifest.json")["experiment_hash"].as_str().unwrap().to_owned()
    };
    let plain = hash(LOOP, &[]);
    let fault = "\n[[interventions]]\nat = 1\ntarget = \"plant.y\"\nfreeze = true\n";
    assert_ne!(hash(&format!("{LOOP}{fault}"), &[]), plain);
    assert_ne!(hash(LOOP, &["--seed", "9"]), plain);
    assert_eq!(hash(&LOOP.replace("plot = [", "# plot = ["), &[]), plain);
    assert_eq!(hash(LOOP, &["--workers", "1"]), plain);
}

#[test]
fn the_file_and_its_folder_are_the_same_system() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop/system.toml", "--out", "a"]);
    let mut inside = bench.command(&["run", ".", "--out", "b"]);
    assert!(inside.current_dir(bench.path("loop")).output().unwrap().status.success());
    assert_eq!(bench.trace_hash("a"), bench.trace_hash("loop/b"));
    assert_eq!(bench.json("loop/b/manifest.json")["system"]["name"], "loop");
}

#[test]
fn the_number_of_workers_does_not_change_the_trace() {
    let bench = Bench::with_loop();
    let mut hashes = Vec::new();
    for workers in ["1", "2", "8"] {
        bench.done(&["run", "loop", "--out", workers, "--workers", workers]);
        hashes.push(bench.trace_hash(workers));
        let log = bench.events(&format!("{workers}/log.jsonl"), "workers");
        let busy = log[0]["busy_max"].as_u64().unwrap();
        assert!(1 <= busy && busy <= workers.parse().unwrap(), "{busy} of {workers}");
    }
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
    let bytes = |run: &str| std::fs::read(bench.path(&format!("{run}/trace.parquet"))).unwrap();
    assert!(bytes("1") == bytes("8"), "the files are the same to the byte");
}

#[test]
fn options_change_the_experiment() {
    let bench = Bench::with_loop();
    let csv = |args: &[&str]| {
        let fixed = ["run", "loop", "--csv", "--out", "x"];
        bench.done(&[&fixed, args].concat());
        bench.read("x/trace.csv")
    };
    let plain = csv(&[]);
    assert_eq!(plain.lines().count(), 202);
    assert_eq!(plain.lines().next(), Some(r#""time","setpoint.y","controller.u","plant.y""#));
    assert_eq!(csv(&["--stop", "1"]).lines().count(), 102);
    assert_eq!(csv(&["--step", "1/10", "--stop", "1"]).lines().count(), 12);
    let negative = csv(&["--start", "-1", "--stop", "0", "--step", "0.5"]);
    assert!(negative.lines().nth(1).unwrap().starts_with("-1.0,"), "{negative}");
    let moved = csv(&["--set", "plant.x0=0.25"]);
    assert!(moved.lines().nth(1).unwrap().ends_with(",0.25"), "{moved}");
}

#[test]
fn a_table_on_the_command_line_feeds_inputs() {
    let bench = Bench::new();
    let text = "[experiment]\nstop = 2\nstep = 1\n[components.g]\nmodel = \"native:gain\"\nparameters = { k = 3 }\n";
    bench.write("gain/system.toml", text);
    bench.write("u.csv", "time,g.u\n0,1\n1,2\n2,5\n");
    bench.done(&["run", "gain", "--input", "u.csv", "--csv", "--out", "x"]);
    let inputs = bench.json("x/manifest.json")["inputs"].to_string();
    assert!(inputs.contains("u.csv"), "{inputs}");
    bench.done(&["replay", "x"]);
    bench.write("u.csv", "time,g.u\n0,1\n1,4\n2,5\n");
    let said = bench.consort(&["replay", "x"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("table `u.csv` has changed"), "{said}");
}

#[test]
fn mistakes_are_shown_at_once_and_nothing_is_written() {
    let bench = Bench::new();
    let wrong = LOOP
        .replace("plant.u", "plant.w")
        .replace("native:pid", "native:pit")
        .replace("step = 0.01", "step = -1");
    bench.write("loop/system.toml", &wrong);
    let said = bench.consort(&["run", "loop", "--set", "plan.x0=1", "--stop", "soon"]);
    assert_said!(said);
    assert_eq!(bench.list(""), ["loop"]);
}

#[test]
fn what_is_not_there_cannot_be_run() {
    let bench = Bench::new();
    assert_said!(bench.consort(&["run", "nowhere"]));
    assert_eq!(bench.list(""), Vec::<String>::new());
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let bench = Bench::with_loop();
    bench.write("thesis/chapter1.tex", "ten years of work");
    let said = bench.consort(&["run", "loop", "--out", "thesis"]);
    assert_said!(said);
    assert_eq!(bench.list("thesis"), ["chapter1.tex"]);
}

#[test]
fn a_run_replaces_an_earlier_one() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--csv"]);
    bench.done(&["plot", "out/loop", "--format", "html"]);
    bench.done(&["run", "loop"]);
    let files = ["log.jsonl", "manifest.json", "plot.svg", "trace.parquet"];
    assert_eq!(bench.list("out/loop"), files);
}

#[test]
fn without_a_record_there_is_still_a_hash() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "a"]);
    bench.done(&["run", "loop", "--out", "b", "--no-record"]);
    assert_eq!(bench.list("b"), ["log.jsonl", "manifest.json"]);
    assert_eq!(bench.trace_hash("a"), bench.trace_hash("b"));
}

#[test]
fn the_call_log_has_every_step() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--log-calls", "--stop", "1/10"]);
    let steps = bench.events("out/loop/log.jsonl", "step");
    assert_eq!(steps.len(), 30);
    let plant: Vec<_> = steps.iter().filter(|step| step["component"] == "plant").collect();
    assert_eq!(plant[3]["t_bits"], format!("{:#018x}", 0.03f64.to_bits()));
    assert_eq!(plant[3]["h_bits"], format!("{:#018x}", 0.01f64.to_bits()));
}

#[test]
fn pacing_takes_its_time_and_leaves_the_trace_alone() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop", "--out", "a"]);
    let began = Instant::now();
    bench.done(&["run", "loop", "--out", "b", "--real-time", "10"]);
    assert!(Duration::from_millis(200) <= began.elapsed());
    assert_eq!(bench.trace_hash("a"), bench.trace_hash("b"));
}

#[test]
fn an_interrupted_run_keeps_its_record() {
    let bench = Bench::with_loop();
    let args = ["run", "loop", "--real-time", "1", "--stop", "600", "--csv", "--progress", "json"];
    let mut child = bench.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(|| bench.list("out/loop").contains(&"log.jsonl".to_owned()));
    std::thread::sleep(Duration::from_millis(300));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(status.code(), Some(130), "{stderr}");
    let manifest = bench.json("out/loop/manifest.json");
    assert_eq!(manifest["exit"]["state"], "interrupted");
    let rows = manifest["recorded"]["rows"].as_u64().unwrap();
    assert!(10 < rows && rows < 50_000, "{rows}");
    assert_eq!(bench.read("out/loop/trace.csv").lines().count() as u64, rows + 1);
    bench.done(&["diff", "out/loop/trace.parquet", "out/loop/trace.csv"]);
    let replayed = bench.done(&["replay", "out/loop"]);
    assert!(replayed.stdout.starts_with("identical"), "it is repeated as far as it came");
    assert!(stderr.contains("once more ends the program at once"), "{stderr}");
    let last = stderr.lines().last().unwrap();
    assert_eq!(last, "repeat with: consort run loop --stop 600 --real-time 1 --csv", "{stderr}");
}

#[test]
fn an_interrupted_run_does_not_wait_for_the_end_of_a_long_step() {
    let bench = Bench::new();
    let spring =
        "model spring\n  output state x = 1\n  state v = 0\n  der(x) = v\n  der(v) = -1e8*x\nend\n";
    bench.write("long/spring.eq", spring);
    let system = "name = \"long\"\n[experiment]\nstop = 1e6\nstep = 1e6\n\n[components.spring]\nmodel = \"spring.eq\"\n";
    bench.write("long/system.toml", system);
    let mut child = bench.command(&["run", "long"]).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(|| bench.list("out/long").contains(&"log.jsonl".to_owned()));
    let began = Instant::now();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(status.code(), Some(130), "{stderr}");
    let manifest = bench.json("out/long/manifest.json");
    assert_eq!(manifest["exit"]["state"], "interrupted");
    assert_eq!(manifest["recorded"]["rows"], 1, "that of the start");
}

fn wait_until(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}
