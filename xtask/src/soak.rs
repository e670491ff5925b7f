//! The long runs. CI drives the same fuzz targets for a moment on stable Rust (see
//! `consort_testkit::fuzz`); here they run with coverage guidance for minutes or hours. So do random
//! systems and their plans (`plans`), with seeds that CI does not see.

use crate::ci::{cargo, root, succeeds};
use crate::say;

/// Every fuzz target, as named in `fuzz/Cargo.toml`.
const TARGETS: [&str; 14] = [
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
];
const MINUTES_DEFAULT: u64 = 10;

/// The target that is no fuzz target: plans of random systems.
const PLANS: &str = "plans";
/// Systems per round, and where the seeds of the first round start: beyond those of CI.
const PLANS_PER_ROUND: u64 = 50_000;
const PLANS_SEED: u64 = 1 << 32;

pub(crate) fn run(arguments: &[String]) -> bool {
    let (minutes, targets) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(problem) => {
            say(&problem);
            return false;
        }
    };
    let fuzzes = targets.iter().any(|target| target != PLANS);
    if fuzzes
        && !has_cargo_fuzz()
        && !succeeds("install cargo-fuzz", cargo(&["install", "cargo-fuzz"]))
    {
        return false;
    }
    targets.iter().all(|target| match target.as_str() {
        PLANS => plans(minutes),
        target => fuzz(target, minutes),
    })
}

/// Rounds of new systems until the time is over; a failure prints its seed.
fn plans(minutes: u64) -> bool {
    let started = std::time::Instant::now();
    let mut seed = PLANS_SEED;
    while started.elapsed().as_secs() < minutes * 60 {
        let test = ["test", "--release", "-p", "consort-testkit", "--test", "random_plans"];
        let mut command = cargo(&test);
        command.args(["--", "--nocapture"]);
        command.env("CONSORT_RANDOM_SYSTEMS", PLANS_PER_ROUND.to_string());
        command.env("CONSORT_RANDOM_SEED", seed.to_string());
        if !succeeds(&format!("plans of random systems from seed {seed}"), command) {
            return false;
        }
        seed += 2 * PLANS_PER_ROUND;
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
        } else if TARGETS.contains(&argument.as_str()) || argument == PLANS {
            targets.push(argument.clone());
        } else {
            let known = TARGETS.join(", ");
            return Err(format!("no target `{argument}`; there are {known} and {PLANS}"));
        }
    }
    if targets.is_empty() {
        targets = TARGETS.map(str::to_owned).to_vec();
        targets.push(PLANS.to_owned());
    }
    Ok((minutes, targets))
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
