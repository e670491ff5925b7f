//! Four components of four kinds, each saved in its own way, at any point: the whole is exact.
//!
//! ```text
//! stair (FMI 3, native, announces its events) --count--> wave (equations, a delay, a waiting event)
//! wave --y--> mass (Model Exchange, with its solver) --x--> hidden (FMI 2, by image, static data)
//! hidden --y--> wave
//! ```

use crate::world::World;
use consort_core::{Prng, Provider, Report, Resolution, Time};
use consort_engine::{Executable, Run, RunOptions};
use consort_formats::read_system;
use consort_models::loader::{HostOptions, Loader, LoaderOptions, ProcessLimits};
use consort_models::{Asked, GivenParameter, ModelRequest};
use consort_testkit::fmus::{BuildOptions, Fmi};

const SEED: u64 = 11;
const POINTS: usize = 100;

const WAVE: &str = "model wave
  parameter lag = 0.37
  input u = 0
  input count = 0
  state x = 1
  discrete kicks = 0
  der(x) = -0.8*delay(x, lag) + 0.1*sin(time) + 0.01*u
  when count > 2.5*(kicks + 1) after 0.29 then
    x = x + 0.5
    kicks = kicks + 1
  end
  output y = x
  output kicked = kicks
end
";

const SYSTEM: &str = r#"
[experiment]
stop = 10
step = 0.05
[components.stair]
model = "stair.fmu"
state = "native"
parameters = { period = 0.73 }
[components.wave]
model = "wave.eq"
[components.mass]
model = "exchange-mass.fmu"
parameters = { c = 0.1, x0 = 1 }
[components.hidden]
model = "hidden.fmu"
state = "image"
parameters = { kind = 1 }
[[connections]]
from = "stair.count"
to = "wave.count"
[[connections]]
from = "wave.y"
to = "mass.f"
[[connections]]
from = "mass.x"
to = "hidden.u"
[[connections]]
from = "hidden.y"
to = "wave.u"
"#;

fn world() -> World {
    let world = World::new();
    world.archive("stair", Fmi::V3, &BuildOptions::archive());
    world.archive("exchange-mass", Fmi::V2, &BuildOptions::archive());
    world.archive("hidden", Fmi::V2, &BuildOptions::archive());
    world.write("s/wave.eq", WAVE);
    world.system(&system());
    world
}

/// On a kernel that is too old for images, another one saves the fourth.
fn system() -> String {
    match consort_host::image_support() {
        Ok(()) => SYSTEM.to_owned(),
        Err(why) => {
            println!("by replay instead of image: {why}");
            SYSTEM.replace("\"image\"", "\"replay\"")
        }
    }
}

/// The system, its plan and its models, by the library alone.
struct Whole {
    executable: Executable,
}

impl Whole {
    fn new(world: &World) -> Self {
        let mut report = Report::default();
        let system = read_system("s", &system(), &mut report).unwrap();
        let mut options = LoaderOptions::new(world.path("cache"));
        options.host = Some(HostOptions {
            program: env!("CARGO_BIN_EXE_consort").into(),
            arguments: vec!["host".into()],
            limits: ProcessLimits::default(),
            scratch: world.path("scratch"),
        });
        let (mut loader, base) = (Loader::new(options), world.path("s"));
        let load = |component: &consort_system::Component| {
            let parameters = component.parameters.iter().map(|parameter| GivenParameter {
                name: &parameter.name.value,
                value: &parameter.value.value,
                has_unit: parameter.unit.is_some(),
                span: None,
            });
            let parameters: Vec<GivenParameter<'_>> = parameters.collect();
            let by = |value: Provider| Asked { value, span: None };
            let request = ModelRequest {
                component: &component.name.value,
                parameters: &parameters,
                state: component.isolation.state.as_ref().map(|state| by(state.value)),
                ..ModelRequest::new(&component.model.value, &base)
            };
            loader.load(&request, &mut report).unwrap().model
        };
        let models: Vec<_> = system.components.iter().map(load).collect();
        let descriptions: Vec<_> = models.iter().map(|model| model.description()).collect();
        let found: Vec<_> = descriptions.iter().map(|it| Some(*it)).collect();
        let resolved = consort_system::resolve(&system, &found, &mut report).unwrap();
        let plan = consort_planner::plan(&resolved, &descriptions, &mut report).unwrap();
        assert!(!report.has_errors(), "{report:?}");
        Whole { executable: Executable::new(resolved, plan, models) }
    }

    fn start(&self) -> Run {
        Run::start(&self.executable, RunOptions::quiet(1)).unwrap()
    }

    fn resume(&self, bytes: &[u8], workers: usize) -> Run {
        Run::resume(&self.executable, RunOptions::quiet(workers), bytes).unwrap()
    }

    fn resolution(&self) -> Resolution {
        self.executable.system().experiment.resolution
    }
}

/// Random times of the run, in ticks.
fn times(whole: &Whole, count: usize) -> Vec<Time> {
    println!("seed {SEED}");
    let mut prng = Prng::new(SEED);
    let stop = whole.executable.system().experiment.stop.ticks().unsigned_abs();
    let draw = |_| Time::from_ticks(i64::try_from(prng.below(stop)).unwrap());
    (0..count).map(draw).collect()
}

#[test]
fn a_hundred_random_points_are_exact_in_one_process() {
    let world = world();
    let whole = Whole::new(&world);
    let mut run = whole.start();
    let start = run.snapshot().unwrap();
    run.advance(Time::MAX).unwrap();
    let hash = run.trace_hash();
    let mut prng = Prng::new(SEED).split("way");
    for time in times(&whole, POINTS) {
        run.restore(&start).unwrap();
        run.advance(time).unwrap();
        let saved = run.snapshot().unwrap();
        let further = Time::from_ticks(i64::try_from(prng.below(500)).unwrap());
        run.advance(time + further).unwrap();
        run.restore(&saved).unwrap();
        run.advance(Time::MAX).unwrap();
        assert_eq!(run.trace_hash(), hash, "saved at {} s", whole.resolution().to_f64(time));
        run.restore(&saved).unwrap();
        run.advance(Time::MAX).unwrap();
        assert_eq!(run.trace_hash(), hash, "again, at {} s", whole.resolution().to_f64(time));
    }
}

#[test]
fn random_points_are_exact_in_new_instances_and_new_processes() {
    let world = world();
    let whole = Whole::new(&world);
    let mut run = whole.start();
    let mut pieces = Vec::new();
    let mut sorted = times(&whole, POINTS);
    sorted.sort();
    for time in &sorted {
        run.advance(*time).unwrap();
        let saved = run.snapshot().unwrap();
        pieces.push(run.serialize(&saved).unwrap());
    }
    run.advance(Time::MAX).unwrap();
    let hash = run.trace_hash();
    // New instances, and a new process for each that is saved from outside.
    for (index, bytes) in pieces.iter().enumerate().step_by(4) {
        let mut resumed = whole.resume(bytes, [1, 2, 8][index % 3]);
        resumed.advance(Time::MAX).unwrap();
        assert_eq!(resumed.trace_hash(), hash, "point {index}");
    }
    world.done(&["run", "s", "--out", "plain"]);
    assert_eq!(world.trace_hash("plain"), hash.to_string());
    let seconds = |time: &Time| whole.resolution().seconds(*time).unwrap().to_string();
    let some: Vec<String> = sorted.iter().step_by(POINTS / 5).map(seconds).collect();
    let mut line = vec!["run".to_owned(), "s".to_owned(), "--out".to_owned(), "saved".to_owned()];
    for (index, time) in some.iter().enumerate() {
        let pair = ["--save-at", time, "--save", &format!("{index}.snapshot")];
        line.extend(pair.map(str::to_owned));
    }
    world.done(&line.iter().map(String::as_str).collect::<Vec<_>>());
    for (index, time) in some.iter().enumerate() {
        world.done(&["run", "--resume", &format!("{index}.snapshot"), "--out", "resumed"]);
        assert_eq!(world.trace_hash("resumed"), hash.to_string(), "saved at {time} s");
    }
}
