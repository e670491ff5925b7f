//! Model Exchange FMUs with our solvers against FMPy with CVODE, alone and beside other components.

use crate::record::Record;
use crate::world::World;
use consort_core::SolverKind;
use consort_testkit::fmus::{self, BuildOptions, EXCHANGE_MODELS, Fmi};
use consort_testkit::python;
use serde_json::Value;
use std::fs;

/// A model of the test kit, what is compared, and how long.
struct Case {
    name: &'static str,
    versions: &'static [Fmi],
    outputs: &'static [&'static str],
    stop: f64,
}

const BOTH: &[Fmi] = &[Fmi::V2, Fmi::V3];

/// State events, time events, step events with changing nominals, a sparse and a plain Jacobian, a state
/// that is an array. FMPy cannot follow a number of states that changes.
const CASES: [Case; 7] = [
    Case { name: "dahlquist", versions: BOTH, outputs: &["x"], stop: 2.0 },
    Case { name: "exchange-ball", versions: BOTH, outputs: &["h", "v"], stop: 2.5 },
    Case { name: "exchange-rescaled", versions: BOTH, outputs: &["x", "scale"], stop: 5.0 },
    Case { name: "exchange-stair", versions: BOTH, outputs: &["level", "count"], stop: 5.0 },
    Case { name: "exchange-vanderpol", versions: BOTH, outputs: &["x", "v"], stop: 5.0 },
    Case {
        name: "exchange-rod",
        versions: &[Fmi::V3],
        outputs: &["T[1]", "T[2]", "T[3]", "T[4]"],
        stop: 5.0,
    },
    Case { name: "exchange-wall", versions: BOTH, outputs: &["inside"], stop: 5.0 },
];

/// A power of two, so that both tools report the same times.
const STEP: f64 = 1.0 / 64.0;

/// FMPy's rows, by name, at the points of the grid: the last of each, after events.
struct Theirs {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Theirs {
    fn simulate(world: &World, case: &Case) -> Theirs {
        let fmu = world.path(&format!("{}.fmu", case.name));
        let answer = python::simulate_exchange(&fmu, case.stop, STEP, 1e-9);
        let rows = answer["rows"].as_array().unwrap();
        let names = answer["names"].as_array().unwrap().iter().zip(rows[0].as_array().unwrap());
        let name = |(name, cell): (&Value, &Value)| {
            let name = name.as_str().unwrap().to_owned();
            match cell.as_array() {
                Some(list) => (1..=list.len()).map(|index| format!("{name}[{index}]")).collect(),
                None => vec![name],
            }
        };
        let cells = |cell: &Value| match cell.as_array() {
            Some(list) => list.iter().map(number).collect(),
            None => vec![number(cell)],
        };
        let row = |row: &Value| row.as_array().unwrap().iter().flat_map(cells).collect();
        Theirs { names: names.flat_map(name).collect(), rows: rows.iter().map(row).collect() }
    }

    fn at(&self, output: &str, time: f64) -> f64 {
        let column = self.names.iter().position(|name| name == output).unwrap();
        let row = self.rows.iter().rfind(|row| (row[0] - time).abs() < 1e-12);
        row.unwrap_or_else(|| panic!("no row at {time}"))[column]
    }

    /// When events happened: there is a row before and one after.
    fn events(&self) -> Vec<f64> {
        let pairs = self.rows.windows(2);
        pairs
            .filter(|pair| pair[0][0].to_bits() == pair[1][0].to_bits())
            .map(|it| it[0][0])
            .collect()
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| python::float(value))
}

fn with_archive(name: &str, fmi: Fmi) -> World {
    let world = World::new();
    let archive = fmus::build(name, fmi, &BuildOptions::archive());
    fs::copy(archive, world.path(&format!("{name}.fmu"))).unwrap();
    world
}

fn run(world: &World, case: &Case, options: &[&str]) -> Record {
    let (fmu, stop, step) = (format!("{}.fmu", case.name), case.stop.to_string(), STEP.to_string());
    let line = ["run", &fmu, "--out", "run", "--csv", "--quiet", "--stop", &stop, "--step", &step];
    world.done(&[&line, options].concat());
    Record::parse(&world.read("run/trace.csv"))
}

fn assert_agree(case: &Case, theirs: &Theirs, ours: &Record, tolerance: f64, what: &str) {
    let times = ours.times();
    assert_eq!(times.len(), (case.stop / STEP) as usize + 1, "{what}");
    for output in case.outputs {
        let values = ours.floats(&format!("{}.{output}", case.name));
        for (time, ours) in times.iter().zip(values) {
            let theirs = theirs.at(output, *time);
            let allowed = tolerance * theirs.abs().max(1.0);
            let is_near = (ours - theirs).abs() <= allowed;
            assert!(is_near, "{what}: {output} at {time} is {ours}, of FMPy {theirs}");
        }
    }
}

#[test]
fn fmpy_finds_no_problem_in_any_of_our_exchange_models() {
    let build = |name, fmi| fmus::build(name, fmi, &BuildOptions::archive());
    let models = EXCHANGE_MODELS.iter();
    let archives: Vec<_> =
        models.flat_map(|it| it.versions.iter().map(|fmi| build(it.name, *fmi))).collect();
    for (archive, problems) in archives.iter().zip(python::validate_all(&archives)) {
        assert!(problems.is_empty(), "{}: {problems:?}", archive.display());
    }
}

#[test]
fn every_model_is_what_fmpy_integrates_by_cvode() {
    for case in &CASES {
        for fmi in case.versions {
            let world = with_archive(case.name, *fmi);
            let theirs = Theirs::simulate(&world, case);
            // The only one that has its own solver must be set to use ours.
            let solver: &[&str] = match case.name {
                "dahlquist" => &["--solver", "bdf", "--tolerance", "1e-9"],
                _ => &["--tolerance", "1e-9"],
            };
            let ours = run(&world, case, solver);
            assert_agree(case, &theirs, &ours, 1e-6, &format!("{} {fmi:?}", case.name));
        }
    }
}

/// How far from FMPy's CVODE a solver may be, of steps of a millisecond if they are fixed.
fn tolerance(kind: SolverKind) -> f64 {
    match kind {
        SolverKind::Euler => 1e-1,
        SolverKind::AdamsBashforth2 => 1e-4,
        _ => 1e-5,
    }
}

#[test]
fn every_solver_agrees_with_cvode() {
    for case in &CASES {
        let world = with_archive(case.name, Fmi::V3);
        let theirs = Theirs::simulate(&world, case);
        for (kind, name) in SolverKind::ALL {
            let steps: &[&str] = match kind.has_fixed_step() {
                true => &["--solver-step", "0.001"],
                false => &["--tolerance", "1e-8"],
            };
            let ours = run(&world, case, &[&["--solver", name], steps].concat());
            let what = format!("{} by {name}", case.name);
            // The speed jumps at a bounce, and Euler bounces late.
            let first = Case { outputs: &case.outputs[..1], ..*case };
            let compared = if kind == SolverKind::Euler { &first } else { case };
            assert_agree(compared, &theirs, &ours, tolerance(kind), &what);
            let solvers = &world.manifest("run")["solvers"][case.name];
            assert_eq!(solvers["solver"], name, "{what}");
        }
    }
}

/// Between a bounce and the next the ball is on a parabola, which gives the time of the bounce.
#[test]
fn bounces_happen_when_cvode_finds_them() {
    let case = &CASES[1];
    let gravity = 9.81;
    for fmi in case.versions {
        let world = with_archive(case.name, *fmi);
        let theirs = Theirs::simulate(&world, case).events();
        assert!(5 <= theirs.len(), "{theirs:?}");
        let ours = run(&world, case, &["--tolerance", "1e-9"]);
        let (times, h, v) =
            (ours.times(), ours.floats("exchange-ball.h"), ours.floats("exchange-ball.v"));
        let mut compared = 0;
        for (at, event) in theirs.iter().enumerate() {
            let next = theirs.get(at + 1).copied().unwrap_or(case.stop);
            let Some(row) = times.iter().position(|time| event < time && *time < next) else {
                continue;
            };
            // h = v s + g s^2 / 2, s seconds after the bounce.
            let since = ((v[row] * v[row] + 2.0 * gravity * h[row]).sqrt() - v[row]) / gravity;
            let bounce = times[row] - since;
            assert!((bounce - event).abs() < 1e-7, "{fmi:?}: {bounce}, of FMPy {event}");
            compared += 1;
        }
        assert!(4 <= compared, "{fmi:?}: {compared} bounces were compared");
    }
}

/// A wall by Model Exchange between a native source and a gain by Co-Simulation.
fn mixed(fmi: Fmi, wall: &str) -> World {
    let world = World::new();
    world.archive("exchange-wall", fmi, &BuildOptions::archive());
    world.archive("dahlquist", fmi, &BuildOptions::archive());
    world.archive("gain", fmi, &BuildOptions::archive());
    world.system(&format!(
        r#"[experiment]
stop = 3
step = 0.05
record = "all"
[components.weather]
model = "native:sine"
parameters = {{ amplitude = 10, frequency = 0.5, offset = 290 }}
[components.wall]
model = "exchange-wall.fmu"
{wall}
[components.decay]
model = "dahlquist.fmu"
interface = "model-exchange"
solver = "dop853"
tolerance = 1e-10
[components.stepping]
model = "dahlquist.fmu"
[components.scale]
model = "gain.fmu"
parameters = {{ k = 0.5 }}
[components.sum]
model = "native:integrator"
[[connections]]
from = "weather.y"
to = "wall.outside"
[[connections]]
from = "wall.inside"
to = "scale.u"
[[connections]]
from = "scale.y"
to = "sum.u"
"#
    ));
    world
}

#[test]
fn model_exchange_stands_beside_co_simulation_and_native_blocks() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let world = mixed(fmi, "solver = \"rk4\"\nsolver-step = 0.01");
        let mut hashes = Vec::new();
        for workers in ["1", "2", "8"] {
            world.done(&["run", "s", "--out", workers, "--csv", "--quiet", "--workers", workers]);
            hashes.push(world.trace_hash(workers));
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
        let record = Record::parse(&world.read("1/trace.csv"));
        let (decay, stepping) = (record.floats("decay.x"), record.floats("stepping.x"));
        let exact = (-3.0_f64).exp();
        assert!((decay.last().unwrap() - exact).abs() < 1e-9, "{decay:?}");
        assert!((stepping.last().unwrap() - 0.95_f64.powi(60)).abs() < 1e-12, "{stepping:?}");
        let solvers = &world.manifest("1")["solvers"];
        assert_eq!(solvers["wall"]["solver"], "rk4");
        assert_eq!(solvers["wall"]["step"], "0.01");
        assert_eq!(solvers["decay"]["tolerance"], 1e-10);
        assert!(solvers["stepping"].is_null(), "{solvers}");
        world.done(&["replay", "1", "--quiet"]);
    }
}

#[test]
fn a_solver_for_all_is_that_of_components_that_ask_for_none() {
    let world = mixed(Fmi::V3, "");
    let line = ["run", "s", "--quiet", "--solver", "ab3", "--solver-step", "1/300", "--out", "all"];
    world.done(&line);
    let solvers = &world.manifest("all")["solvers"];
    assert_eq!(
        (&solvers["wall"]["solver"], &solvers["wall"]["step"]),
        (&"ab3".into(), &"1/300".into())
    );
    assert_eq!(solvers["decay"]["solver"], "dop853");
    world.done(&["run", "s", "--quiet", "--out", "default"]);
    assert_ne!(world.trace_hash("all"), world.trace_hash("default"));
    world.done(&["replay", "all", "--quiet"]);
    let own = mixed(Fmi::V3, "");
    let text = own.read("s/system.toml");
    own.system(&text.replacen(
        "stop = 3",
        "stop = 3\nsolver = \"ab3\"\nsolver-step = \"1/300\"",
        1,
    ));
    own.done(&["run", "s", "--quiet", "--out", "own"]);
    assert_eq!(own.trace_hash("own"), world.trace_hash("all"), "however it was said");
}
