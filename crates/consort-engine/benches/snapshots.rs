//! What a snapshot of a whole run costs beside the states of its instances: `cargo bench -p
//! consort-engine`. The minimum of many rounds; nothing is saved to disk.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use consort_core::{Instance, Instantiation, Model, Prng, Report, SavedState, Setup, Time};
use consort_engine::{Executable, Run, RunOptions, RunSnapshot};
use consort_formats::read_system;
use consort_models::loader::{Loader, LoaderOptions};
use consort_models::{GivenParameter, ModelRequest};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;
const TIMES: u32 = 100;

fn main() {
    println!(
        "{:24} {:>10} {:>10} {:>10} {:>10}  (us)",
        "system", "snapshot", "again", "restore", "states"
    );
    for count in [1, 4, 16] {
        report(&format!("{count} native blocks"), &chain(count));
        report(&format!("{count} x 10 equations"), &equations(count));
    }
}

/// `count` integrators, one behind the other.
fn chain(count: usize) -> String {
    let mut text = String::from("[experiment]\nstop = 100\nstep = 0.01\n");
    for index in 0..count {
        let _ = write!(text, "[components.c{index}]\nmodel = \"native:integrator\"\n");
    }
    for index in 1..count {
        let before = index - 1;
        let _ = write!(text, "[[connections]]\nfrom = \"c{before}.y\"\nto = \"c{index}.u\"\n");
    }
    text
}

/// `count` oscillators of ten states, each on its own.
fn equations(count: usize) -> String {
    let mut text = String::from("[experiment]\nstop = 100\nstep = 0.01\ncontinuous = \"apart\"\n");
    for index in 0..count {
        let _ = write!(text, "[components.c{index}]\nmodel = \"ring.eq\"\n");
    }
    text
}

fn ring() -> String {
    let mut text = String::from("model ring\n");
    for index in 0..10 {
        let _ =
            writeln!(text, "  state x{index} = {index}\n  der(x{index}) = -x{}", (index + 1) % 10);
    }
    text + "  output y = x0\nend\n"
}

#[expect(clippy::disallowed_methods, reason = "a benchmark writes its model")]
fn run(text: &str) -> (Run, Vec<Arc<dyn Model>>) {
    let folder = std::env::temp_dir().join(format!("consort-snapshots-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the models");
    std::fs::write(folder.join("ring.eq"), ring()).expect("a file for the equations");
    let mut report = Report::default();
    let system = read_system("bench", text, &mut report).expect("it can be read");
    let mut loader = Loader::new(LoaderOptions::new(folder.join("cache")));
    let models = system.components.iter().map(|component| {
        let parameters: [GivenParameter<'_>; 0] = [];
        let request = ModelRequest {
            component: &component.name.value,
            parameters: &parameters,
            ..ModelRequest::new(&component.model.value, &folder)
        };
        loader.load(&request, &mut report).expect("it is there").model
    });
    let models: Vec<Arc<dyn Model>> = models.collect();
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    let descriptions: Vec<_> = models.iter().map(|model| model.description()).collect();
    let found: Vec<_> = descriptions.iter().map(|it| Some(*it)).collect();
    let resolved = consort_system::resolve(&system, &found, &mut report).expect("it fits");
    let plan = consort_planner::plan(&resolved, &descriptions, &mut report).expect("it is planned");
    let options = RunOptions::quiet(1);
    let executable = Executable::new(resolved, plan, models.clone());
    let run = Run::start(&executable, options).expect("it starts");
    (run, models)
}

fn report(name: &str, text: &str) {
    let (mut run, models) = run(text);
    run.advance(run.system().experiment.resolution.from_f64(0.5).expect("a time"))
        .expect("it runs");
    let saved = run.snapshot().expect("it is saved");
    let snapshot = fastest(|| drop(run.snapshot().expect("it is saved")));
    let mut room = RunSnapshot::default();
    let again = fastest(|| run.snapshot_into(&mut room).expect("it is saved"));
    let restore = fastest(|| run.restore(&saved).expect("it is restored"));
    let states = states(&models);
    println!("{name:24} {snapshot:10.3} {again:10.3} {restore:10.3} {states:10.3}");
}

/// The saves of the instances alone.
fn states(models: &[Arc<dyn Model>]) -> f64 {
    let mut instances: Vec<Box<dyn Instance>> =
        models.iter().map(|model| alone(&**model)).collect();
    fastest(|| {
        let states: Vec<SavedState> =
            instances.iter_mut().map(|it| it.save().expect("it is saved")).collect();
        drop(states);
    })
}

fn alone(model: &dyn Model) -> Box<dyn Instance> {
    let mut instance =
        model.instantiate(&Instantiation::quiet("alone", Prng::new(1))).expect("it is made");
    let resolution = consort_core::Resolution::NANOSECOND;
    let setup = Setup { resolution, start: Time::ZERO, stop: None, tolerance: None };
    instance.enter_initialization(&setup).expect("it begins");
    instance.exit_initialization().expect("it is initialized");
    let step = consort_core::Step {
        from: consort_core::Tag::at(Time::ZERO),
        to: resolution.from_f64(0.5).expect("a time"),
        start: 0.0,
        length: 0.5,
    };
    instance.step(&step).expect("it steps");
    instance
}

/// The least time that something takes, in microseconds.
#[expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]
fn fastest(mut action: impl FnMut()) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        (0..TIMES).for_each(|_| action());
        least = least.min(began.elapsed() / TIMES);
    }
    least.as_secs_f64() * 1e6
}
