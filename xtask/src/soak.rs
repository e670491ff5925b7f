//! The long runs. CI drives the same fuzz targets for a moment on stable Rust (see
//! `consort_testkit::fuzz`); here they run with coverage guidance for minutes or hours.

use crate::ci::{cargo, root, succeeds};
use crate::say;

/// Every fuzz target, as named in `fuzz/Cargo.toml`.
const TARGETS: [&str; 5] = ["description", "archive", "build-description", "system", "inputs"];
const MINUTES_DEFAULT: u64 = 10;

pub(crate) fn run(arguments: &[String]) -> bool {
    let (minutes, targets) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(problem) => {
            say(&problem);
            return false;
        }
    };
    if !has_cargo_fuzz() && !succeeds("install cargo-fuzz", cargo(&["install", "cargo-fuzz"])) {
        return false;
    }
    targets.iter().all(|target| fuzz(target, minutes))
}

fn parse(arguments: &[String]) -> Result<(u64, Vec<String>), String> {
    let mut minutes = MINUTES_DEFAULT;
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--minutes" {
            let given = rest.next().and_then(|text| text.parse().ok());
            minutes = given.ok_or("--minutes takes a whole number")?;
        } else if TARGETS.contains(&argument.as_str()) {
            targets.push(argument.clone());
        } else {
            return Err(format!("no fuzz target `{argument}`; there are {}", TARGETS.join(", ")));
        }
    }
    if targets.is_empty() {
        targets = TARGETS.map(str::to_owned).to_vec();
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
