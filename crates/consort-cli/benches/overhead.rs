//! What Consort costs beside a hand-written C loop that makes the same FMI calls, as ratios of times
//! measured alternately in one run. Best of several rounds: the least disturbed one. What the journal adds is the median
//! over pairs of runs with and without it, in turns.
//!
//! ```sh
//! cargo bench
//! ```

use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 15;
const TOKEN: &str = "consort-testkit-gain-1";

#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn main() {
    let folder = fmus::build("gain", Fmi::V2, &BuildOptions::binary());
    let bench = Bench { c_loop: compile_c_loop(), fmu: folder };
    println!(
        "a chain of N trivial FMUs; nanoseconds per instance and step, and ratios to the C loop"
    );
    println!("recorded: every variable, until the file is closed; journal: what it adds to that");
    println!(
        "{:>7} {:>7} {:>9} {:>9} {:>6} {:>9} {:>6} {:>9}",
        "N", "steps", "C loop", "consort", "ratio", "recorded", "ratio", "journal"
    );
    let mut memory = Vec::new();
    for (count, steps) in [(10, 200_000), (100, 20_000), (1_000, 4_000), (10_000, 400)] {
        let measured = bench.measure(count, steps);
        memory.push((count, measured.memory));
        println!(
            "{count:>7} {steps:>7} {:>9.1} {:>9.1} {:>6.2} {:>9.1} {:>6.2} {:>7.1} %",
            measured.c_loop,
            measured.plain,
            measured.plain / measured.c_loop,
            measured.recorded,
            measured.recorded / measured.c_loop,
            100.0 * (measured.journal - 1.0),
        );
    }
    let (few, many) = (memory[0], memory[memory.len() - 1]);
    let per_instance = (many.1 - few.1) / f64::from(many.0 - few.0);
    println!(
        "memory: {:.1} kB per instance (peak of the process, {} against {})",
        per_instance / 1e3,
        many.0,
        few.0
    );
}

struct Bench {
    c_loop: PathBuf,
    fmu: PathBuf,
}

/// Nanoseconds per instance and step; bytes.
struct Measured {
    c_loop: f64,
    plain: f64,
    recorded: f64,
    /// How many times as long a recorded run takes with a journal.
    journal: f64,
    memory: f64,
}

impl Bench {
    fn measure(&self, count: u32, steps: u32) -> Measured {
        let system = tempfile::tempdir().expect("a temporary folder");
        fs::write(system.path().join("system.toml"), self.chain(count, steps)).expect("writable");
        let mut best = Measured {
            c_loop: f64::MAX,
            plain: f64::MAX,
            recorded: f64::MAX,
            journal: 1.0,
            memory: f64::MAX,
        };
        let mut ratios = Vec::new();
        for round in 0..ROUNDS {
            let scale = 1e9 / (f64::from(count) * f64::from(steps));
            let plain = consort(system.path(), &["--no-record"]);
            best.c_loop = best.c_loop.min(self.c_loop(count, steps));
            best.plain = best.plain.min(plain.seconds * scale);
            best.memory = best.memory.min(plain.memory);
            let whole = |timing: Timing| (timing.seconds + timing.seconds_to_write) * scale;
            let options: [&[&str]; 2] = [&[], &["--no-journal"]];
            let mut both = [0.0; 2];
            for turn in [round, round + 1].map(|it| it % 2) {
                both[turn] = whole(consort(system.path(), options[turn]));
            }
            best.recorded = best.recorded.min(both[0]);
            ratios.push(both[0] / both[1]);
        }
        ratios.sort_by(f64::total_cmp);
        best.journal = ratios[ROUNDS / 2];
        best
    }

    /// The system as a user would write it.
    fn chain(&self, count: u32, steps: u32) -> String {
        let mut text =
            format!("[experiment]\nstop = \"{steps}/1000\"\nstep = 0.001\nrecord = \"all\"\n");
        for index in 0..count {
            let _ = writeln!(text, "[components.c{index}]\nmodel = {:?}", self.fmu);
        }
        for index in 1..count {
            let _ =
                writeln!(text, "[[connections]]\nfrom = \"c{}.y\"\nto = \"c{index}.u\"", index - 1);
        }
        text
    }

    fn c_loop(&self, count: u32, steps: u32) -> f64 {
        let output = Command::new(&self.c_loop)
            .arg(fmus::library(&self.fmu))
            .args([TOKEN, &count.to_string(), &steps.to_string()])
            .output()
            .expect("the C loop runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = text.split_whitespace().next().and_then(|number| number.parse().ok());
        first.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// What the manifest says of a run.
struct Timing {
    /// From the first step to the last.
    seconds: f64,
    /// From there until the trace is on the disk.
    seconds_to_write: f64,
    memory: f64,
}

fn consort(system: &Path, options: &[&str]) -> Timing {
    let out = system.join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_consort"))
        .arg("run")
        .arg(system)
        .args(["--workers", "1", "--out"])
        .arg(&out)
        .args(options)
        .output()
        .expect("consort runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = fs::read_to_string(out.join("manifest.json")).expect("a run leaves a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("valid JSON");
    let number = |name: &str| manifest["timing"][name].as_f64().expect("a number");
    Timing {
        seconds: number("seconds"),
        seconds_to_write: number("seconds_to_write"),
        memory: number("memory_peak_bytes"),
    }
}

fn compile_c_loop() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/c_loop.c");
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_loop");
    let status = Command::new("cc")
        .args(["-O2", "-o"])
        .arg(&binary)
        .arg(source)
        .arg("-ldl")
        .status()
        .expect("a C compiler is installed");
    assert!(status.success(), "the C loop compiles");
    binary
}
