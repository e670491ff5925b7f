//! What saving and restoring costs: by the size of the state and by depth, each provider beside plain
//! copies of memory.
//!
//! The model has a table of that size and changes one page of it per step. Times are in microseconds,
//! the least and the median of many. `--check` exits with 1 if an image costs more than it may.

use consort_core::{
    Diagnostic, Instance, Instantiation, Model, Prng, Provider, Reference, Report, Resolution,
    SavedState, Setup, Step, Tag, Time, ValuesRef,
};
use consort_fmi::fmu::{Fmu, FmuModel, LoadOptions};
use consort_host::{HostOptions, IsolatedModel, ProcessLimits, serve};
use consort_testkit::fmus::{BuildOptions, Fmi, build};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// What makes this program a worker.
const WORKER: &str = "serve-as-a-worker";
const TABLE: i32 = 4;
const SIZES_KB: [usize; 4] = [1, 1024, 10 * 1024, 100 * 1024];
const DEPTHS: [usize; 6] = [1, 50, 100, 200, 300, 400];
/// Sizes and the most that an image of them may cost [us].
const LIMITS: [(usize, f64); 2] = [(1024, 40.0), (100 * 1024, 150.0)];
/// How much dearer an image may be at the greatest depth than at the least: noise.
const DEPTH_RATIO_MAX: f64 = 1.5;
/// The most that saving or restoring a small state by the model itself may cost [us].
const NATIVE_MAX: f64 = 2.0;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == WORKER) {
        return serve(&load);
    }
    let mut failures = Vec::new();
    by_size(&mut failures);
    by_depth(&mut failures);
    native(&mut failures);
    let is_check = std::env::args().any(|argument| argument == "--check");
    report(&failures);
    if is_check && !failures.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn report(failures: &[String]) {
    failures.iter().for_each(|failure| println!("over the limit: {failure}"));
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn by_size(failures: &mut Vec<String>) {
    println!("one page changed per step; restored after five steps [us, least/median]");
    println!(
        "      kB  image save    restore       kB each  fork save     restore       copy out      copy in"
    );
    for size in SIZES_KB {
        let rounds = if 10 * 1024 < size { 60 } else { 200 };
        let image = cost(size, Provider::Image, rounds);
        let fork = cost(size, Provider::Fork, rounds.min(100));
        let [out, back] = copies(size * 1024, rounds.min(50));
        println!(
            "{size:>8}  {}  {}  {:>7}  {}  {}  {out}  {back}",
            image.save, image.restore, image.kilobytes, fork.save, fork.restore
        );
        for (of, most) in LIMITS {
            if of == size && most < image.save.least {
                failures.push(format!("an image at {size} kB takes {}", image.save));
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn by_depth(failures: &mut Vec<String>) {
    println!("\nimages of 1 MB in a chain: save, restore, step [us, least/median of 20]");
    println!("   depth  save          restore");
    let mut instance = table(1024, Provider::Image);
    let (mut states, mut first) = (Vec::new(), None);
    for depth in 0..DEPTHS[DEPTHS.len() - 1] {
        states.push(instance.save().expect("an image is taken"));
        instance.restore(&states[depth]).expect("an image is put back");
        advance(&mut *instance, depth..depth + 1);
        if !DEPTHS.contains(&(depth + 1)) {
            continue;
        }
        let [mut saves, mut restores] = [Vec::new(), Vec::new()];
        for _ in 0..20 {
            restores
                .push(timed(|| instance.restore(&states[depth]).expect("an image is put back")));
            advance(&mut *instance, depth..depth + 1);
            saves.push(timed(|| drop(instance.save().expect("an image is taken"))));
        }
        let (save, restore) = (Times::of(saves), Times::of(restores));
        println!("{:>8}  {save}  {restore}", depth + 1);
        let least = *first.get_or_insert(save.least);
        if least * DEPTH_RATIO_MAX < save.least {
            failures.push(format!("an image at depth {} takes {save}, not {least:.1}", depth + 1));
        }
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn native(failures: &mut Vec<String>) {
    let folder = build("oscillator", Fmi::V2, &BuildOptions::binary());
    let model = load(folder.to_str().expect("a path of ours").as_bytes()).expect("it loads");
    let mut instance = model.instantiate(&instantiation()).expect("it is made");
    initialize(&mut *instance);
    let [mut saves, mut restores] = [Vec::new(), Vec::new()];
    for index in 0..1000 {
        let mut state = None;
        saves.push(timed(|| state = Some(instance.save())));
        instance.step(&step(index)).expect("a step");
        let state = state.expect("it was asked for").expect("a state is saved");
        restores.push(timed(|| instance.restore(&state).expect("a state is restored")));
        instance.step(&step(index)).expect("a step");
    }
    let (save, restore) = (Times::of(saves), Times::of(restores));
    println!("\na small model by itself, in this process: save {save}, restore {restore}");
    if NATIVE_MAX < save.least.max(restore.least) {
        failures.push(format!("a small model saves in {save} and restores in {restore}"));
    }
}

struct Cost {
    save: Times,
    restore: Times,
    kilobytes: u64,
}

fn cost(size: usize, provider: Provider, rounds: usize) -> Cost {
    let mut instance = table(size, provider);
    let mut older: SavedState = instance.save().expect("a state is saved");
    let [mut saves, mut restores, mut bytes] = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..rounds {
        let first = round;
        advance(&mut *instance, first..first + 1);
        let mut state = None;
        saves.push(timed(|| state = Some(instance.save())));
        let state = state.expect("it was asked for").expect("a state is saved");
        advance(&mut *instance, first + 1..first + 6);
        restores.push(timed(|| instance.restore(&state).expect("a state is restored")));
        bytes.push(instance.unshared_bytes(&older) as f64);
        older = state;
    }
    // The first of all copies everything.
    let (save, restore) = (Times::of(saves), Times::of(restores));
    let kilobytes = (Times::of(bytes.split_off(1)).median / 1024.0) as u64;
    Cost { save, restore, kilobytes }
}

/// Copies of that many bytes, into memory that was used before, and back.
fn copies(bytes: usize, rounds: usize) -> [Times; 2] {
    let (mut one, mut other) = (vec![1_u8; bytes], vec![2_u8; bytes]);
    let [mut out, mut back] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        out.push(timed(|| {
            std::hint::black_box(&mut other).copy_from_slice(std::hint::black_box(&one));
        }));
        back.push(timed(|| {
            std::hint::black_box(&mut one).copy_from_slice(std::hint::black_box(&other));
        }));
    }
    [Times::of(out), Times::of(back)]
}

/// How long something took [us].
struct Times {
    least: f64,
    median: f64,
}

impl Times {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Times { least: times[0], median: times[times.len() / 2] }
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let places = if self.least < 10.0 { 2 } else { 0 };
        f.pad(&format!("{:>5.places$}/{:<6.places$}", self.least, self.median))
    }
}

fn timed(action: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    action();
    begin.elapsed().as_secs_f64() * 1e6
}

/// The assignment of a worker: the folder of the FMU.
fn load(recipe: &[u8]) -> Result<Arc<dyn Model>, Box<Diagnostic>> {
    let folder = std::str::from_utf8(recipe).expect("paths of tests are UTF-8");
    let fmu = Fmu::open(Path::new(folder), "bench.fmu", None, &mut Report::default());
    let fmu = fmu.expect("the FMU can be opened");
    let load = |binary: std::path::PathBuf| {
        FmuModel::load(Arc::clone(&fmu), &binary, "lane".to_owned(), &LoadOptions::default())
    };
    let loaded = fmu.binary().and_then(load);
    match loaded {
        Ok(model) => Ok(Arc::new(model)),
        Err(error) => Err(Box::new(error.diagnostic("bench.fmu", None))),
    }
}

/// The model with a table of that many kilobytes in a process of its own.
fn table(kilobytes: usize, provider: Provider) -> Box<dyn Instance> {
    let folder = build("hidden", Fmi::V2, &BuildOptions::binary());
    let fmu = Fmu::open(&folder, "bench.fmu", None, &mut Report::default()).expect("it opens");
    let host = HostOptions {
        program: std::env::current_exe().expect("this program has a path"),
        arguments: vec![WORKER.into()],
        limits: ProcessLimits::default(),
        scratch: Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-workers"),
    };
    let recipe = folder.to_str().expect("a path of ours").as_bytes().to_vec();
    let description = fmu.description().model.clone();
    let model = IsolatedModel::new(description, recipe, Arc::new(host), provider);
    let mut instance = model.instantiate(&instantiation()).expect("it is made");
    let size = i32::try_from(kilobytes).expect("a size of ours");
    let parameters = ValuesRef::Int32(&[TABLE, size]);
    instance.set(&[Reference(2), Reference(3)], parameters).expect("parameters are set");
    initialize(&mut *instance);
    instance
}

fn instantiation() -> Instantiation<'static> {
    Instantiation::quiet("bench", Prng::new(0))
}

const SETUP: Setup =
    Setup { resolution: Resolution::NANOSECOND, start: Time::ZERO, stop: None, tolerance: None };

fn initialize(instance: &mut dyn Instance) {
    instance.enter_initialization(&SETUP).expect("initialization begins");
    instance.exit_initialization().expect("initialization ends");
}

fn step(index: usize) -> Step {
    let ticks = |index: usize| Time::from_ticks(100_000_000 * index as i64);
    let start = SETUP.resolution.to_f64(ticks(index));
    Step { from: Tag::at(ticks(index)), to: ticks(index + 1), start, length: 0.1 }
}

fn advance(instance: &mut dyn Instance, steps: std::ops::Range<usize>) {
    for index in steps {
        instance.step(&step(index)).expect("a step");
    }
}
