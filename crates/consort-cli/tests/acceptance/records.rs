//! Nothing that was recorded is lost: runs that are killed keep their rows.

mod moments;

use crate::record::Record;
use crate::world::{Said, World, eventually};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command};

/// Something that happens at every step, and events between steps.
const SYSTEM: &str = "\
    [experiment]\nstop = 40000\nstep = 0.01\n\
    [components.wave]\nmodel = \"native:sine\"\n\
    [components.noise]\nmodel = \"native:noise\"\n\
    [components.slow]\nmodel = \"native:ramp\"\nstep = 0.05\n\
    [components.both]\nmodel = \"native:sum\"\n\
    [components.total]\nmodel = \"native:integrator\"\n\
    [components.mixed]\nmodel = \"native:sum\"\n\
    [[connections]]\nfrom = \"wave.y\"\nto = \"both.u1\"\n\
    [[connections]]\nfrom = \"noise.y\"\nto = \"both.u2\"\n\
    [[connections]]\nfrom = \"both.y\"\nto = \"total.u\"\n\
    [[connections]]\nfrom = \"total.y\"\nto = \"mixed.u1\"\n\
    [[connections]]\nfrom = \"slow.y\"\nto = \"mixed.u2\"\n";

fn world() -> World {
    let world = World::new();
    world.system(SYSTEM);
    world
}

/// A run without an end, under way.
fn start(world: &World, more: &[&str]) -> Child {
    let line = ["run", "s", "--out", "run", "--quiet"];
    world.command(&[&line[..], more].concat()).spawn().unwrap()
}

/// More bytes than are written at once: a kill in the midst of the first write would leave no row.
const WELL_BEGUN: u64 = 600_000;

fn bytes(world: &World, file: &str) -> u64 {
    fs::metadata(world.path(file)).map_or(0, |data| data.len())
}

/// Kills a run once a file of it has so many bytes.
fn kill(world: &World, mut run: Child, (file, size): (&str, u64)) {
    eventually(file, || size <= bytes(world, file));
    run.kill().unwrap();
    run.wait().unwrap();
}

/// What is recovered is what an undisturbed run has up to there, row for row and in its hash.
fn check_prefix(world: &World, run: &str) -> Said {
    let said = world.done(&["recover", run]);
    let manifest = world.manifest(run);
    assert_eq!(manifest["exit"]["state"], "failed", "{said}");
    let again = world.done(&["replay", run, "--out", "again"]);
    assert!(again.stdout.contains("identical"), "{again}");
    let same = world.done(&["diff", run, "again"]);
    assert!(same.stdout.contains("same"), "{same}");
    let hash = world.trace_hash("again");
    assert_eq!(world.trace_hash(run), hash);
    assert!(said.stdout.contains(&hash), "{said}");
    let rows = |run: &str| world.manifest(run)["recorded"]["rows"].as_u64().unwrap();
    assert_eq!(rows(run), rows("again"));
    assert!(100 < rows(run));
    said
}

#[test]
fn a_run_that_is_killed_keeps_its_rows_and_resumes_from_its_last_snapshot() {
    let world = world();
    let saves = ["--csv", "--save-every", "5", "--save", "s.snapshot"];
    kill(&world, start(&world, &saves), ("run/trace.journal", WELL_BEGUN));
    let said = world.consort(&["replay", "run"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("consort recover run"), "{said}");
    // What was seen in the files is not lost.
    let csv = world.read("run/trace.csv");
    let seen: Vec<&str> = csv.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    let said = check_prefix(&world, "run");
    assert!(said.stderr.contains("consort run --resume"), "{said}");
    let recovered = world.read("run/trace.csv");
    let both = recovered.lines().zip(&seen).filter(|(now, before)| *now == before.trim_end());
    assert_eq!(both.count(), seen.len().min(recovered.lines().count()));
    for left in ["trace.journal", "manifest.json.partial"] {
        assert!(!world.path("run").join(left).exists(), "{left}");
    }
    let end = world.manifest("run")["exit"]["time"].as_f64().unwrap();
    let stop = (end + 30.0).ceil().to_string();
    world.done(&["run", "--resume", "s.snapshot", "--stop", &stop, "--csv", "--out", "rest"]);
    world.done(&["run", "s", "--stop", &stop, "--csv", "--out", "whole"]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("whole"));
    // The rows before the kill and those after the save are all that there are.
    let (first, rest) = (Record::parse(&recovered), Record::parse(&world.read("rest/trace.csv")));
    let last = *first.times().last().unwrap();
    assert!(rest.times()[0] <= last + 0.011, "{last} {}", rest.times()[0]);
}

#[test]
fn a_run_that_is_spread_and_whose_starter_is_killed_keeps_its_rows() {
    let world = World::with_clean_cache();
    world.system(SYSTEM);
    let place = ["--place", "*=a,total=b,mixed=b,slow=c", "--cache-dir", "cache"];
    let mut run = start(&world, &place);
    let list = world.path("run/nodes.json");
    eventually("nodes are listed", || list.exists());
    let nodes: Value = serde_json::from_str(&fs::read_to_string(list).unwrap()).unwrap();
    let scratch = world.path(nodes["scratch"].as_str().unwrap());
    eventually("rows are there", || {
        let size = |node: &str| fs::metadata(scratch.join(format!("parts/{node}.journal")));
        ["a", "b", "c"].iter().all(|node| size(node).is_ok_and(|data| WELL_BEGUN <= data.len()))
    });
    run.kill().unwrap();
    run.wait().unwrap();
    check_prefix(&world, "run");
    assert!(!scratch.exists() && !world.path("run/nodes.json").exists());
}

#[test]
fn another_run_in_the_folder_moves_what_is_left_of_one_that_was_killed() {
    let world = world();
    for kept in ["run/killed", "run/killed-2"] {
        kill(&world, start(&world, &[]), ("run/trace.journal", WELL_BEGUN));
        let said = world.done(&["run", "s", "--stop", "1", "--out", "run"]);
        assert!(said.stderr.contains(&format!("consort recover {kept}")), "{said}");
        assert!(said.stderr.contains("warning[run::killed-before]"), "{said}");
        check_prefix(&world, kept);
    }
    let said = world.done(&["run", "s", "--stop", "1", "--out", "run"]);
    assert!(!said.stderr.contains("killed"), "once is enough: {said}");
}

#[test]
fn what_is_whole_or_no_run_is_not_recovered() {
    let world = world();
    world.done(&["run", "s", "--stop", "1", "--out", "run"]);
    let said = world.done(&["recover", "run"]);
    assert!(said.stderr.contains("nothing to recover"), "{said}");
    assert!(!world.path("run/trace.journal").exists());
    let said = world.consort(&["recover", "s"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("recover::nothing"), "{said}");
    let mut run = start(&world, &[]);
    eventually("rows are there", || WELL_BEGUN <= bytes(&world, "run/trace.journal"));
    let said = world.consort(&["recover", "run"]);
    assert!(said.stderr.contains("another run writes to it"), "{said}");
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn without_a_journal_there_is_none() {
    let world = world();
    let mut run = start(&world, &["--no-journal", "--csv"]);
    eventually("rows are there", || WELL_BEGUN <= bytes(&world, "run/trace.csv"));
    assert!(!world.path("run/trace.journal").exists());
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Rows of a paced run are in its files soon after they are made.
#[test]
fn files_can_be_followed_while_a_run_goes() {
    let world = world();
    let mut run = start(&world, &["--csv", "--real-time", "1"]);
    let csv = world.path("run/trace.csv");
    eventually("the first rows are there", || 1_000 <= bytes(&world, "run/trace.csv"));
    let began = std::time::Instant::now();
    let last = || {
        let text = fs::read_to_string(&csv).unwrap();
        let line = text.split_inclusive('\n').rfind(|line| line.ends_with('\n')).unwrap();
        line.split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let first = last();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let (passed, seen) = (began.elapsed().as_secs_f64(), last() - first);
    assert!(passed - 1.0 < seen, "{seen} s of {passed} s");
    let journal = bytes(&world, "run/trace.journal");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(journal < bytes(&world, "run/trace.journal"));
    let drawn = world.done(&["plot", "run", "total.y", "--format", "text"]);
    assert!(!drawn.stdout.is_empty(), "what is there so far can be drawn: {drawn}");
    run.kill().unwrap();
    run.wait().unwrap();
}

/// A trace that was changed, or that was cut, is not taken for the recorded one.
#[test]
fn a_trace_that_is_not_the_recorded_one_is_refused() {
    let world = world();
    for run in ["run", "other"] {
        world.done(&["run", "s", "--stop", "5", "--out", run]);
    }
    let file = world.path("run/trace.parquet");
    let whole = fs::read(&file).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        for line in [
            &["replay", "run"][..],
            &["replay", "run/manifest.json"],
            &["diff", "run", "other"],
            &["diff", "other", "run/trace.parquet"],
            &["plot", "run", "wave.y"],
            &["check", "property", "always wave.y < 2", "run"],
        ] {
            let said = world.consort(line);
            assert_eq!(said.code, Some(2), "{line:?}: {said}");
            assert!(said.stderr.contains("error[cli::trace-changed]"), "{line:?}: {said}");
        }
    };
    let mut changed = whole.clone();
    changed[whole.len() / 3] ^= 1;
    check(&changed);
    check(&whole[..whole.len() - 1]);
    check(&[]);
    // Elsewhere it is a trace like any other.
    fs::copy(world.path("other/trace.parquet"), &file).unwrap();
    world.done(&["diff", "run", "other"]);
    world.write("alone.parquet", &changed);
    let said = world.consort(&["diff", "alone.parquet", "other"]);
    assert!(!said.stderr.contains("trace-changed"), "{said}");
    fs::remove_file(&file).unwrap();
    world.done(&["replay", "run"]);
}

/// The program where no file may have more than so many bytes: a disk that is full then.
fn with_room(world: &World, bytes: u64, line: &[&str]) -> Said {
    let program = env!("CARGO_BIN_EXE_consort");
    let script = format!("trap '' XFSZ; ulimit -f {}; exec {program} \"$@\"", bytes / 512);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh"]).args(line).current_dir(world.path(""));
    let output = shell.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// One error, which says what to do.
fn check_full(said: &Said) {
    assert_eq!(said.code, Some(2), "{said}");
    assert_eq!(said.stderr.matches("error[").count(), 1, "{said}");
    assert!(said.stderr.contains("make room on the disk"), "{said}");
}

#[test]
fn a_full_disk_leaves_a_record_and_one_error() {
    let world = world();
    let saves = ["--save-every", "5", "--save", "s.snapshot"];
    for more in [&[][..], &["--csv"], &saves] {
        let line = [&["run", "s", "--out", "run"], more].concat();
        let said = with_room(&world, 1 << 19, &line);
        check_full(&said);
        assert_eq!(world.manifest("run")["exit"]["state"], "failed");
        assert!(world.done(&["replay", "run"]).stdout.contains("identical"));
        if world.path("run/trace.journal").exists() {
            world.done(&["diff", "run", "run"]);
            check_prefix(&world, "run");
        }
        let rows = world.manifest("run")["recorded"]["rows"].as_u64().unwrap();
        assert!(1000 < rows, "{rows}");
    }
}

#[test]
fn a_full_cache_leaves_a_record_of_a_distributed_run_and_one_error() {
    let world = world();
    let line = ["run", "s", "--out", "run", "--place", "*=a,total=b,mixed=b,slow=c"];
    check_full(&with_room(&world, 1 << 19, &line));
    assert!(world.done(&["replay", "run"]).stdout.contains("identical"));
    assert!(100 < world.manifest("run")["recorded"]["rows"].as_u64().unwrap());
}

#[test]
fn a_trace_that_cannot_be_joined_leaves_the_journals_of_the_nodes() {
    let world = world();
    let place = ["--place", "*=a,total=b,mixed=b,slow=c", "--stop", "30", "--real-time", "20"];
    let mut run = start(&world, &place);
    let list = world.path("run/nodes.json");
    eventually("nodes are listed", || list.exists());
    let nodes: Value = serde_json::from_str(&fs::read_to_string(&list).unwrap()).unwrap();
    // There is no file where there is a folder.
    fs::create_dir(world.path("run/trace.parquet")).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(2));
    let scratch = world.path(nodes["scratch"].as_str().unwrap());
    assert!(scratch.exists() && list.exists());
    fs::remove_dir(world.path("run/trace.parquet")).unwrap();
    let said = check_prefix(&world, "run");
    assert!(said.stdout.contains("up to 30 s"), "{said}");
    assert!(!scratch.exists() && !list.exists());
}
