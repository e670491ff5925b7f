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
const ORDERS: [&str; 3] = ["derived", "jacobi", "gauss-seidel"];

fn main() {
    doubles();
    mixed();
}

/// One output per FMU, a double.
#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn doubles() {
    let bench = Bench::of("gain", &[("y", "u")]);
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

/// Six outputs of four types per FMU, of which two are connected.
#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn mixed() {
    let bench = Bench::of("mixed", &[("y", "u"), ("count", "before")]);
    println!(
        "a chain of N FMUs with six outputs of four types, two of them connected; the C loop makes the same calls"
    );
    println!("connected: `hash = \"connected\"`, and a C loop that reads only what is connected");
    println!(
        "{:>7} {:>7} {:>12} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6}",
        "N", "steps", "order", "C loop", "consort", "ratio", "C loop", "connected", "ratio"
    );
    for (count, steps) in [(10, 50_000), (100, 5_000), (1_000, 1_000)] {
        for order in ORDERS {
            let [all, connected] = bench.measure_modes(count, steps, order);
            println!(
                "{count:>7} {steps:>7} {order:>12} {:>9.1} {:>9.1} {:>6.2} {:>9.1} {:>9.1} {:>6.2}",
                all[0],
                all[1],
                all[1] / all[0],
                connected[0],
                connected[1],
                connected[1] / connected[0],
            );
        }
    }
}

struct Bench {
    c_loop: PathBuf,
    model: &'static str,
    fmu: PathBuf,
    /// From an output of an instance to an input of the next one.
    wires: &'static [(&'static str, &'static str)],
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
    fn of(model: &'static str, wires: &'static [(&'static str, &'static str)]) -> Self {
        let fmu = fmus::build(model, Fmi::V2, &BuildOptions::binary());
        Bench { c_loop: compile_c_loop(), model, fmu, wires }
    }

    /// With every output and with those that are connected: the C loop, and Consort.
    fn measure_modes(&self, count: u32, steps: u32, order: &str) -> [[f64; 2]; 2] {
        let system = tempfile::tempdir().expect("a temporary folder");
        let text = self.chain(count, steps, order);
        fs::write(system.path().join("system.toml"), text).expect("writable");
        let scale = 1e9 / (f64::from(count) * f64::from(steps));
        let mut best = [[f64::MAX; 2]; 2];
        for _ in 0..ROUNDS {
            for (mode, best) in ["all", "connected"].into_iter().zip(&mut best) {
                best[0] = best[0].min(self.c_loop(count, steps, &[mode, order]));
                let run = consort(system.path(), &["--no-record", "--hash", mode]);
                best[1] = best[1].min(run.seconds * scale);
            }
        }
        best
    }

    fn measure(&self, count: u32, steps: u32) -> Measured {
        let system = tempfile::tempdir().expect("a temporary folder");
        let text = self.chain(count, steps, "derived");
        fs::write(system.path().join("system.toml"), text).expect("writable");
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
            best.c_loop = best.c_loop.min(self.c_loop(count, steps, &["double", "derived"]));
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
    fn chain(&self, count: u32, steps: u32, order: &str) -> String {
        let mut text = format!(
            "[experiment]\nstop = \"{steps}/1000\"\nstep = 0.001\nrecord = \"{}\"\norder = {order:?}\n",
            if self.model == "gain" { "all" } else { "nothing" }
        );
        for index in 0..count {
            let _ = writeln!(text, "[components.c{index}]\nmodel = {:?}", self.fmu);
        }
        for (index, (from, to)) in (1..count).flat_map(|it| self.wires.iter().map(move |w| (it, w)))
        {
            let (from, to) = (format!("c{}.{from}", index - 1), format!("c{index}.{to}"));
            let _ = writeln!(text, "[[connections]]\nfrom = {from:?}\nto = {to:?}");
        }
        text
    }

    /// `what` are the last arguments of the C loop.
    fn c_loop(&self, count: u32, steps: u32, what: &[&str]) -> f64 {
        let token = format!("consort-testkit-{}-1", self.model);
        let output = Command::new(&self.c_loop)
            .arg(fmus::library(&self.fmu))
            .args([&token, &count.to_string(), &steps.to_string()])
            .args(what)
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
