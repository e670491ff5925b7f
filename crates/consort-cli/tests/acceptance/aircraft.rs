//! The airplane of Chaudron et al. (2016), section 5.3: position first, then the atmosphere there, then
//! the rest; as native components without a delay, as FMUs with one or with iteration.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::example;
use std::fs;

/// Puts a file of the example into the folder `s`, changed, with the example's tables and FMUs.
fn put(world: &World, file: &str, changes: &[(&str, &str)]) {
    let mut text = fs::read_to_string(example(&format!("aircraft/{file}"))).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    for fmu in ["flight", "environment"] {
        let place = format!("{:?}", example(&format!("aircraft/fmi2/{fmu}")));
        text = text.replace(&format!("\"fmi2/{fmu}\""), &place);
    }
    for table in ["pilot.csv", "controls.csv"] {
        world
            .write(&format!("s/{table}"), fs::read(example(&format!("aircraft/{table}"))).unwrap());
    }
    world.system(&text);
}

fn run(world: &World, file: &str, changes: &[(&str, &str)]) -> Record {
    put(world, file, changes);
    world.done(&["run", "s", "--csv", "--out", "run"]);
    Record::parse(&world.read("run/trace.csv"))
}

/// The density of the standard atmosphere below 11 km, from the table's numbers alone.
fn density_at(altitude: f64) -> f64 {
    let geopotential = 6_356_766.0 * altitude / (6_356_766.0 + altitude);
    let temperature = 288.15 - 0.0065 * geopotential;
    let gas = 8314.32 / 28.9644;
    101_325.0 * (temperature / 288.15).powf(9.80665 / (gas * 0.0065)) / (gas * temperature)
}

/// The largest distance of two lists, by the size of the second.
fn distance(ours: impl Iterator<Item = f64>, theirs: impl Iterator<Item = f64>) -> f64 {
    ours.zip(theirs).map(|(a, b)| ((a - b) / b).abs()).fold(0.0, f64::max)
}

/// How far density is from that at the altitude `late` steps before, and dynamic pressure from that
/// of the density `later` steps before.
fn air(record: &Record, late: usize, later: usize) -> [f64; 2] {
    let (altitude, density) =
        (record.floats("flight.altitude"), record.floats("environment.density"));
    let (pressure, speed) =
        (record.floats("flight.dynamic_pressure"), record.floats("flight.airspeed"));
    let expected = altitude.iter().map(|altitude| density_at(*altitude));
    let pressed = density.iter().zip(&speed[later..]).map(|(density, v)| 0.5 * density * v * v);
    [
        distance(density[late..].iter().copied(), expected),
        distance(pressure[later..].iter().copied(), pressed),
    ]
}

fn assert_air(record: &Record, late: usize, later: usize, tolerance: f64) {
    let [density, pressure] = air(record, late, later);
    assert!(density < tolerance && pressure < tolerance, "{density:e}, {pressure:e}");
}

/// What it ends with, to the bit. `aircraft/whole.rs` of the models' tests has the same numbers from a
/// coupling by hand: all wires copied at every tag until nothing changes.
const LAST: [(&str, f64); 4] = [
    ("flight.altitude", 2_435.624_068_923_074_4),
    ("flight.load_factor", 1.001_826_950_350_911),
    ("sensors.true_airspeed", 81.785_240_993_162_93),
    ("left.thrust", 1_527.589_131_235_756_4),
];

/// No step of delay anywhere, and the trace does not know how many workers there were.
#[test]
fn the_air_is_that_of_the_airplanes_place_at_the_same_time() {
    let world = World::new();
    let record = run(&world, "system.toml", &[]);
    assert_eq!(record.times().len(), 10_001);
    assert_air(&record, 0, 0, 1e-12);
    for (name, value) in LAST {
        assert_eq!(record.floats(name).last(), Some(&value), "{name}");
    }
    same_picture(&world);
    let first = world.trace_hash("run");
    for workers in ["1", "8"] {
        world.done(&["run", "s", "--workers", workers, "--out", workers]);
        assert_eq!(world.trace_hash(workers), first);
    }
}

/// The picture in the example's README is that of the run; `cargo xtask bless` draws it anew.
fn same_picture(world: &World) {
    let (drawn, path) = (world.read("run/plot.svg"), example("aircraft/flight.svg"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(drawn == kept, "{} is out of date: run `cargo xtask bless`", path.display());
}

/// The naive order exchanges everything once in a step: the density is that of the place before, and
/// the dynamic pressure that of the density before. So say Chaudron et al. (2016).
#[test]
fn in_the_naive_order_the_air_is_late() {
    let world = World::new();
    let jacobi = [("stop = 100", "stop = 20\norder = \"jacobi\""), ("at = 60", "at = 20")];
    let record = run(&world, "system.toml", &jacobi);
    let [density, pressure] = air(&record, 0, 0);
    assert!(1e-7 < density && 1e-7 < pressure, "{density:e}, {pressure:e}");
    assert_air(&record, 1, 1, 1e-12);
}

/// A co-simulation FMU shows what its last step left: late by one step, unless both are stepped again
/// until they agree.
#[test]
fn fmus_are_late_by_one_step_or_iterated() {
    let world = World::new();
    let late = run(&world, "fmi2.toml", &[]);
    assert_air(&late, 1, 1, 1e-12);
    let [density, pressure] = air(&late, 0, 0);
    assert!(1e-6 < density && 1e-6 < pressure, "{density:e}, {pressure:e}");
    let iterated = run(&world, "fmi2-iterated.toml", &[]);
    // The tolerance of the iteration is 1e-9, that of a solved loop much better.
    assert_air(&iterated, 0, 0, 1e-9);
}

/// The plan says what each form of the pair needs: nothing, a delay, an iteration.
#[test]
fn the_plan_says_which_delay_or_iteration_the_pair_needs() {
    let world = World::new();
    let plan = |file: &str, options: &[&str]| {
        let path = example(&format!("aircraft/{file}")).display().to_string();
        world.done(&[&["plan", &path], options].concat()).stdout
    };
    let native = plan("system.toml", &[]);
    assert!(native.contains("5 levels, no loop, no delay"), "{native}");
    let late = plan("fmi2.toml", &[]);
    let reasons =
        ["11 delays", "flight.altitude -> environment.altitude", "reactive = [\"density\""];
    for reason in reasons {
        assert!(late.contains(reason), "no `{reason}` in {late}");
    }
    let iterated = plan("fmi2-iterated.toml", &["--format", "program"]);
    let loops = "rollback flight, environment unknowns flight.altitude -> environment.altitude";
    assert!(iterated.contains(loops), "{iterated}");
}

/// What reacts to what is a loop through two steps; iteration was not requested, so it is named.
#[test]
fn fmus_that_wait_for_each_other_are_refused_by_name_unless_iterated() {
    let world = World::new();
    put(&world, "fmi2-iterated.toml", &[("loops = \"iterate\"\n", "")]);
    let said = world.consort(&["run", "s"]);
    assert_eq!(said.code, Some(1), "{said}");
    for part in ["plan::algebraic-loop", "flight.altitude", "environment.density", "reactive"] {
        assert!(said.stderr.contains(part), "no `{part}` in {said}");
    }
}

/// `fmi2.toml` with blocks in the place of the FMUs.
fn native(step: &str) -> Record {
    let system = fs::read_to_string(example("aircraft/system.toml")).unwrap();
    let (_, rest) = system.split_once("[components.flight.parameters]").unwrap();
    let (parameters, _) = rest.split_once("[components.sensors]").unwrap();
    let flight = format!("\"native:flight-dynamics\"\n[components.flight.parameters]{parameters}");
    let gusts = "gust_east = 3, gust_down = -2";
    let changes = [
        ("\"fmi2/flight\"", flight.as_str()),
        ("\"fmi2/environment\"", "\"native:atmosphere\""),
        (gusts, "gust = [0, 3, -2]"),
        ("step = 0.01", step),
    ];
    run(&World::new(), "fmi2.toml", &changes)
}

/// Blocks hold the air at the start of a step, iterated FMUs that at its end. So their flights differ
/// by a shift of the air by one step: halving the step halves what they differ by.
#[test]
fn iterated_fmus_fly_as_the_blocks_do_but_for_the_held_air() {
    let differ = |step: &str| -> f64 {
        let changes = [("step = 0.01", step)];
        let fmus = run(&World::new(), "fmi2-iterated.toml", &changes);
        let blocks = native(step);
        assert_air(&blocks, 0, 0, 1e-12);
        let lists = [&fmus, &blocks].map(|record| record.floats("flight.altitude"));
        lists[0].iter().zip(&lists[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (differ("step = 0.02"), differ("step = 0.01"));
    println!("altitudes differ by {coarse:.3e} and {fine:.3e} m");
    assert!((1.9..2.1).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    // The air moves by at most 3 m/s to the side and 2 m/s up in 4 s: shifted by 0.01 s this moves the
    // airplane by less than that wind does in a step, times what it can be carried away in 30 s.
    assert!(fine < 0.1, "{fine}");
}

#[test]
fn iteration_does_not_know_how_many_workers_there_are() {
    let world = World::new();
    put(&world, "fmi2-iterated.toml", &[]);
    crate::linear::one_hash(&world);
}
