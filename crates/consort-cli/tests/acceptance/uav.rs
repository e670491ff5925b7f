//! `examples/uav` against what can be said of a quadrotor with a pencil.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::example;

const MASS: f64 = 0.65;
const GRAVITY: f64 = 9.81;
const THRUST: f64 = 3.13e-5;
const DRAG: f64 = 0.1;

fn run(options: &[&str]) -> Record {
    let world = World::new();
    let system = example("uav").display().to_string();
    let line = [&["run", &system, "--csv", "--out", "run"], options].concat();
    world.done(&line);
    Record::parse(&world.read("run/trace.csv"))
}

fn last(record: &Record, name: &str) -> f64 {
    *record.floats(name).last().unwrap()
}

/// In a steady wind it leans against it so that thrust, weight and drag are in balance.
#[test]
fn in_a_steady_wind_it_hovers_as_the_balance_of_forces_says() {
    let calm = ["--set", "wind.sigma=0", "--set", "imu_noise.deviation=0", "--stop", "90"];
    let record = run(&calm);
    let (wind_x, wind_y) = (last(&record, "wind.wind_x"), last(&record, "wind.wind_y"));
    assert_eq!((wind_x, wind_y), (4.0, -2.0));
    let (weight, push) = (MASS * GRAVITY, [DRAG * wind_x, DRAG * wind_y]);
    let check = |what: &str, found: f64, expected: f64, most: f64| {
        assert!((found - expected).abs() < most, "{what}: {found}, expected {expected}");
    };
    // Yawed by the bias of the gyro, a thousandth.
    check("pitch", last(&record, "airframe.pitch"), -(push[0] / weight).atan(), 2e-4);
    let leaning = (weight.powi(2) + push[0].powi(2)).sqrt();
    check("roll", last(&record, "airframe.roll"), (push[1] / leaning).atan(), 2e-4);
    let thrust = (leaning.powi(2) + push[1].powi(2)).sqrt();
    let speed = (thrust / (4.0 * THRUST)).sqrt();
    for rotor in ["w1", "w2", "w3", "w4"] {
        check(rotor, last(&record, &format!("rotors.{rotor}")), speed, 0.05);
    }
    // As well as a satellite sees it.
    check("x", last(&record, "airframe.x"), 0.0, 0.02);
    check("z", last(&record, "airframe.z"), 1.0, 0.02);
}

#[test]
fn in_gusts_it_comes_near_every_place_of_its_route() {
    let record = run(&[]);
    let times = record.times();
    let place = ["airframe.x", "airframe.y", "airframe.z"].map(|name| record.floats(name));
    let corners = [
        (8.0, [0.0, 0.0, 2.0]),
        (16.0, [5.0, 0.0, 2.0]),
        (24.0, [5.0, 5.0, 3.0]),
        (32.0, [0.0, 5.0, 2.0]),
        (40.0, [0.0, 0.0, 1.0]),
    ];
    for (time, corner) in corners {
        let row = times.iter().rposition(|&it| it <= time).unwrap();
        let off = (0..3).map(|axis| (place[axis][row] - corner[axis]).powi(2)).sum::<f64>().sqrt();
        assert!(off < 0.5, "{off} m from {corner:?} at {time} s");
    }
    let gusts = record.floats("wind.wind_x");
    let (least, most) = gusts.iter().fold((9.0_f64, 0.0_f64), |(a, b), &v| (a.min(v), b.max(v)));
    assert!(1.0 < most - least, "gusts from {least} to {most}");
}

/// Sensors answer at once: what they say at a tag is what is there at that tag.
#[test]
fn sensors_see_the_present() {
    let record = run(&["--stop", "2"]);
    let (seen, there) = (record.floats("imu.seen_roll"), record.floats("airframe.roll"));
    let mut looked = 0;
    for (row, time) in record.times().iter().enumerate() {
        if (time * 100.0).fract() == 0.0 {
            assert_eq!(seen[row].to_bits(), (there[row] + 0.002).to_bits(), "at {time}");
            looked += 1;
        }
    }
    assert!(50 < looked, "{looked}");
}
