//! The long runs. CI drives the same fuzz targets for a moment on stable Rust (see
//! `consort_testkit::fuzz`); here they run with coverage guidance for minutes or hours. So do random
//! systems: their plans (`plans`), their runs on several nodes (`parts`) and their flows (`flows`), with
//! seeds that CI does not see, FMUs that misbehave (`behaviors`) and FMUs whose saved states lack
//! something (`states`), links that flip, lose or double a byte (`links`), and crowds of strangers, with
//! and without which nine pairs of runs are timed (`strangers`). `records` ends runs at any moment and looks
//! for what they recorded; `repeat` runs systems a hundred times each over all links, Zenoh included.

use crate::ci::{cargo, root, succeeds};
use crate::say;

/// Every fuzz target, as named in `fuzz/Cargo.toml`.
const TARGETS: [&str; 15] = [
    "campaign",
    "description",
    "archive",
    "build-description",
    "system",
    "inputs",
    "multimodel",
    "ssp",
    "scenario",
    "snapshot",
    "plan",
    "property",
    "equations",
    "sbml",
    "frames",
];
const MINUTES_DEFAULT: u64 = 10;

/// A target that is no fuzz target: a test of random systems.
struct Rounds {
    name: &'static str,
    package: &'static str,
    test: &'static str,
    /// Says how many systems are looked at.
    count_variable: &'static str,
    systems_per_round: u64,
}

const ROUNDS: [Rounds; 7] = [
    Rounds {
        name: "plans",
        package: "consort-testkit",
        test: "random_plans",
        count_variable: "CONSORT_RANDOM_SYSTEMS",
        systems_per_round: 50_000,
    },
    Rounds {
        name: "parts",
        package: "consort-testkit",
        test: "parts",
        count_variable: "CONSORT_RANDOM_PARTS",
        systems_per_round: 10_000,
    },
    Rounds {
        name: "flows",
        package: "consort-federation",
        test: "analysis",
        count_variable: "CONSORT_RANDOM_FLOWS",
        systems_per_round: 5_000,
    },
    Rounds {
        name: "behaviors",
        package: "consort-cli",
        test: "behaviors",
        count_variable: "CONSORT_BEHAVIORS",
        systems_per_round: 5_000,
    },
    Rounds {
        name: "states",
        package: "consort-cli",
        test: "states",
        count_variable: "CONSORT_STATES",
        systems_per_round: 5_000,
    },
    Rounds {
        name: "links",
        package: "consort-node",
        test: "links",
        count_variable: "CONSORT_LINK_FAULTS",
        systems_per_round: 2_000,
    },
    Rounds {
        name: "strangers",
        package: "consort-node",
        test: "strangers",
        count_variable: "CONSORT_STRANGERS",
        systems_per_round: 9,
    },
];
/// The target that repeats runs; it takes as long as it takes.
const REPEAT: &str = "repeat";
/// What it repeats, and until which second, so that stops and cuts come in time.
const REPEATED: [(&str, &str); 2] = [("examples/nbody", "20000"), ("examples/uav", "20")];

/// The target that ends runs at moments drawn by chance, and how many moments of each kind.
const RECORDS: &str = "records";
const MOMENTS: &str = "50";

/// Where the seeds of the first round start: beyond those of CI.
const ROUNDS_SEED: u64 = 1 << 32;

pub(crate) fn run(arguments: &[String]) -> bool {
    let (minutes, targets) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(problem) => {
            say(&problem);
            return false;
        }
    };
    let fuzzes = targets.iter().any(|target| TARGETS.contains(&target.as_str()));
    if fuzzes
        && !has_cargo_fuzz()
        && !succeeds("install cargo-fuzz", cargo(&["install", "cargo-fuzz"]))
    {
        return false;
    }
    targets.iter().all(|target| match rounds(target) {
        Some(rounds) => random_systems(rounds, minutes),
        None if target == RECORDS => records(),
        None if target == REPEAT => REPEATED.iter().all(|(system, stop)| repeat(system, stop)),
        None => fuzz(target, minutes),
    })
}

/// A hundred runs over every link, with nodes that are stopped for 1 to 15 s and links that break.
fn repeat(system: &str, stop: &str) -> bool {
    let consort = ["run", "--release", "-p", "consort-cli", "--features", "zenoh", "--"];
    let mut command = cargo(&consort);
    command.args(["repeat", system, "--stop", stop, "--runs", "100", "--links", "all"]);
    command.args(["--placements", "10", "--stops", "1", "--stop-most", "15", "--cuts", "2"]);
    command.arg("--verbose");
    succeeds(&format!("repeat {system}"), command)
}

/// Runs that are killed, or have no memory or disk any more: what they recorded must be there.
fn records() -> bool {
    let test = ["test", "--release", "-p", "consort-cli", "--test", "acceptance"];
    let mut command = cargo(&test);
    command.args(["records::moments", "--", "--nocapture"]);
    command.env("CONSORT_RECORDS", MOMENTS);
    succeeds("records of runs that end at any moment", command)
}

fn rounds(target: &str) -> Option<&'static Rounds> {
    ROUNDS.iter().find(|rounds| rounds.name == target)
}

/// Rounds of new systems until the time is over; a failure prints its seed.
fn random_systems(rounds: &Rounds, minutes: u64) -> bool {
    let started = std::time::Instant::now();
    let mut seed = ROUNDS_SEED;
    while started.elapsed().as_secs() < minutes * 60 {
        let test = ["test", "--release", "-p", rounds.package, "--test", rounds.test];
        let mut command = cargo(&test);
        command.args(["--", "--nocapture"]);
        command.env(rounds.count_variable, rounds.systems_per_round.to_string());
        command.env("CONSORT_RANDOM_SEED", seed.to_string());
        if !succeeds(&format!("{} of random systems from seed {seed}", rounds.name), command) {
            return false;
        }
        seed += 2 * rounds.systems_per_round;
    }
    true
}

fn parse(arguments: &[String]) -> Result<(u64, Vec<String>), String> {
    let mut minutes = MINUTES_DEFAULT;
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--minutes" {
            let given = rest.next().and_then(|text| text.parse().ok());
            minutes = given.ok_or("--minutes takes a whole number")?;
        } else if all_targets().any(|target| target == argument) {
            targets.push(argument.clone());
        } else {
            let known: Vec<&str> = all_targets().collect();
            return Err(format!("no target `{argument}`; there are {}", known.join(", ")));
        }
    }
    if targets.is_empty() {
        targets = all_targets().map(str::to_owned).collect();
    }
    Ok((minutes, targets))
}

fn all_targets() -> impl Iterator<Item = &'static str> {
    TARGETS.into_iter().chain(ROUNDS.iter().map(|rounds| rounds.name)).chain([RECORDS, REPEAT])
}

fn has_cargo_fuzz() -> bool {
    cargo(&["fuzz", "--version"]).output().is_ok_and(|output| output.status.success())
}

/// libFuzzer needs unstable compiler flags; `RUSTC_BOOTSTRAP` allows them on stable. What it finds
/// goes to `fuzz/work`; the committed corpus is read, not changed.
fn fuzz(target: &str, minutes: u64) -> bool {
    let (work, corpus) = (format!("fuzz/work/{target}"), format!("fuzz/corpus/{target}"));
    if let Err(error) = std::fs::create_dir_all(root().join(&work)) {
        say(&format!("cannot make {work}: {error}"));
        return false;
    }
    let seconds = format!("-max_total_time={}", minutes * 60);
    let mut command = cargo(&["fuzz", "run", "--sanitizer", "none", target, &work, &corpus]);
    command.args(["--", &seconds, "-rss_limit_mb=4096", "-timeout=20", "-print_final_stats=1"]);
    command.env("RUSTC_BOOTSTRAP", "1");
    succeeds(&format!("fuzz {target} for {minutes} minutes"), command)
}
