//! Runs that end at moments drawn by chance: killed, without memory, on a full disk, in one piece and on nodes.
//! `cargo xtask soak records` looks at fifty moments of each; `CONSORT_RECORDS` says how many.

use super::SYSTEM;
use crate::world::{World, children};
use consort_core::Prng;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PLACE: [&str; 2] = ["--place", "*=a,total=b,mixed=b,slow=c"];

/// What befalls a run.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mishap {
    Killed,
    OutOfMemory,
    DiskFull,
}

/// What was left of it.
#[derive(PartialEq, Debug)]
enum Left {
    /// It had no row yet.
    Nothing,
    /// A record, at once.
    Record,
    /// Journals, which became one.
    Recovered,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[expect(clippy::print_stderr, reason = "the figures of a soak")]
fn check(mishap: Mishap, is_spread: bool) {
    let seed = number("CONSORT_RANDOM_SEED", 1);
    let count = number("CONSORT_RECORDS", 1);
    let mut found = [0; 3];
    for moment in 0..count {
        let at = seed + moment;
        let left = look(mishap, is_spread, &mut Prng::new(at));
        found[left as usize] += 1;
        eprintln!("{mishap:?} {is_spread} seed {at}");
    }
    let [nothing, records, recovered] = found;
    eprintln!(
        "{mishap:?}, on nodes: {is_spread}: {records} records, {recovered} recovered, {nothing} before a row"
    );
}

/// Lets it happen at a moment by chance, and looks at what is left.
fn look(mishap: Mishap, is_spread: bool, prng: &mut Prng) -> Left {
    let world = World::with_clean_cache();
    world.system(SYSTEM);
    let mut run = start(&world, mishap, is_spread, prng);
    if mishap != Mishap::DiskFull {
        std::thread::sleep(Duration::from_millis(50 + prng.next_u64() % 1200));
        let victim = victim(&run, is_spread && prng.next_u64().is_multiple_of(2));
        if mishap == Mishap::OutOfMemory {
            // There is no more memory than it has now.
            call("prlimit", &["--pid", &victim, "--as=4096"]);
            std::thread::sleep(Duration::from_secs(1));
        }
        // It may be over, or have needed no more memory.
        call("kill", &["-KILL", &victim]);
    }
    let code = run.wait().unwrap().code();
    assert_ne!(code, Some(0), "it has no end");
    let left = judge(&world);
    if world.path("s.snapshot").exists() {
        check_resumed(&world);
    }
    left
}

fn start(world: &World, mishap: Mishap, is_spread: bool, prng: &mut Prng) -> Child {
    let program = env!("CARGO_BIN_EXE_consort");
    let limit = match mishap {
        Mishap::Killed | Mishap::OutOfMemory => String::new(),
        Mishap::DiskFull => format!("trap '' XFSZ; ulimit -f {};", 8 + prng.next_u64() % 2_000),
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limit} exec {program} \"$@\""), "sh"]);
    shell.args(["run", "s", "--out", "run", "--save-every", "5", "--save", "s.snapshot"]);
    shell.args(["--cache-dir", "cache", "--quiet"]);
    shell.args(PLACE.iter().filter(|_| is_spread)).current_dir(world.path(""));
    shell.stderr(Stdio::null()).spawn().unwrap()
}

/// The process of the run, or of one of its nodes.
fn victim(run: &Child, is_node: bool) -> String {
    let node = children(run.id()).into_iter().next().filter(|_| is_node);
    let pid = node.and_then(|process| Some(process.file_name()?.to_string_lossy().into_owned()));
    pid.unwrap_or(run.id().to_string())
}

fn call(program: &str, line: &[&str]) {
    Command::new(program).args(line).stderr(Stdio::null()).status().unwrap();
}

/// Everything up to some time is there, with the hash of an undisturbed run.
fn judge(world: &World) -> Left {
    let is_whole = |world: &World| {
        let manifest = world.path("run/manifest.json");
        manifest.exists() && world.manifest("run")["recorded"]["check_sum"].is_string()
    };
    let was_whole = is_whole(world);
    let said = world.consort(&["recover", "run"]);
    if said.code == Some(2) {
        assert!(said.stderr.contains("recover::nothing"), "{said}");
        let journal = world.path("run/trace.journal");
        assert!(fs::metadata(journal).map_or(0, |data| data.len()) < 100_000, "{said}");
        return Left::Nothing;
    }
    assert_eq!(said.code, Some(0), "{said}");
    assert!(is_whole(world));
    let again = world.done(&["replay", "run", "--out", "again"]);
    assert!(again.stdout.contains("identical"), "{again}");
    world.done(&["diff", "run", "again"]);
    if was_whole { Left::Record } else { Left::Recovered }
}

/// The last snapshot continues to the hash of an undisturbed run.
fn check_resumed(world: &World) {
    let resumed = ["run", "--resume", "s.snapshot", "--out", "rest"];
    let from = world.consort(&[&resumed[..], &["--stop", "0.05"]].concat()).stderr;
    let at = from.split("saved at ").nth(1).and_then(|rest| rest.split(' ').next());
    let at: f64 = at.unwrap_or_else(|| panic!("{from}")).parse().unwrap();
    let stop = (at + 5.0).to_string();
    world.done(&[&resumed[..], &["--stop", &stop]].concat());
    world.done(&["run", "s", "--local", "--out", "whole", "--stop", &stop]);
    assert_eq!(world.trace_hash("rest"), world.trace_hash("whole"), "from {at} s");
}

#[test]
fn a_run_that_is_killed_at_any_moment() {
    check(Mishap::Killed, false);
}

#[test]
fn a_run_on_nodes_that_is_killed_at_any_moment() {
    check(Mishap::Killed, true);
}

#[test]
fn a_run_that_runs_out_of_memory_at_any_moment() {
    check(Mishap::OutOfMemory, false);
}

#[test]
fn a_run_on_nodes_that_runs_out_of_memory_at_any_moment() {
    check(Mishap::OutOfMemory, true);
}

#[test]
fn a_run_whose_disk_is_full_at_any_moment() {
    check(Mishap::DiskFull, false);
}

#[test]
fn a_run_on_nodes_whose_disk_is_full_at_any_moment() {
    check(Mishap::DiskFull, true);
}
