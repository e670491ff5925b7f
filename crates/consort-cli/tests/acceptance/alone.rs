//! A model without a system gives what FMPy's `simulate_fmu` gives, to the last bit.

use crate::oracle;
use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use consort_testkit::python;
use serde_json::{Value, json};
use std::fs;

fn with_archive(model: &str, fmi: Fmi) -> World {
    let world = World::new();
    let archive = fmus::build(model, fmi, &BuildOptions::archive());
    fs::copy(archive, world.path(&format!("{model}.fmu"))).unwrap();
    world
}

/// Runs `MODEL.fmu`; what was recorded.
fn run(world: &World, model: &str, options: &[&str]) -> Record {
    let fmu = format!("{model}.fmu");
    world.done(
        &[&["run", &fmu, "--out", "run", "--csv", "--log-calls", "--quiet"], options].concat(),
    );
    Record::parse(&world.read("run/trace.csv"))
}

/// Steps are powers of two: FMPy adds them up, and the lengths it hands over are differences of
/// sums, so only then do both hand over the same numbers.
fn check(model: &str, fmi: Fmi, outputs: &[&str]) {
    let world = with_archive(model, fmi);
    let record = run(&world, model, &["--stop", "2", "--step", "1/64"]);
    let answer = python::simulate(&world.path(&format!("{model}.fmu")), 2.0, 1.0 / 64.0);
    let names: Vec<&str> =
        answer["names"].as_array().unwrap().iter().flat_map(|it| it.as_str()).collect();
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 129, "{model} {fmi:?}");
    assert_eq!(record.times().len(), 129, "{model} {fmi:?}");
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(python::float(&row[0]).to_bits(), record.times()[at].to_bits());
        for output in outputs {
            let column = names.iter().position(|name| name == output).unwrap();
            let ours = &record.values(model, at)[*output];
            assert_eq!(*ours, row[column], "{model} {fmi:?}: {output} at {at}");
        }
    }
}

#[test]
fn an_oscillator_is_what_fmpy_simulates() {
    for fmi in [Fmi::V2, Fmi::V3] {
        check("oscillator", fmi, &["x", "v", "a"]);
    }
}

#[test]
fn a_bouncing_ball_is_what_fmpy_simulates() {
    check("bouncing-ball", Fmi::V2, &["h", "v"]);
}

/// The default experiment has steps that are no doubles: FMPy is handed what Consort handed over, and
/// the rows of the table.
#[test]
fn a_default_experiment_fed_from_a_table_is_the_same_to_the_bit() {
    let inputs: Vec<f64> = (0..11).map(|row| f64::from(row * row) * 0.37 - 3.1).collect();
    let lines =
        inputs.iter().enumerate().map(|(row, u)| format!("{}.{},{u}\n", row / 10, row % 10));
    let table = format!("time,u\n{}", lines.collect::<String>());
    for fmi in [Fmi::V2, Fmi::V3] {
        let world = with_archive("integrator", fmi);
        world.write("in.csv", &table);
        let record = run(&world, "integrator", &["--input", "in.csv", "--set", "x0=0.3"]);
        let steps = oracle::steps(&world, "integrator");
        assert_eq!((record.times().len(), steps.len(), steps[3]), (11, 10, (0.3, 0.1)));
        let folder = fmus::build("integrator", fmi, &BuildOptions::binary());
        let answer = python::drive(&folder, &request(&inputs, &steps));
        assert_eq!(answer["initial"]["y"], record.values("integrator", 0)["y"], "{fmi:?}");
        for at in 0..10 {
            let theirs = &answer["steps"][at]["values"]["y"];
            assert_eq!(*theirs, record.values("integrator", at + 1)["y"], "{fmi:?}: step {at}");
        }
    }
}

fn request(inputs: &[f64], steps: &[(f64, f64)]) -> Value {
    let exact = python::exact;
    let step = |(&(time, length), &u): (&(f64, f64), &f64)| json!({"time": exact(time), "step": exact(length), "set": {"u": exact(u)}});
    json!({
        "name": "integrator", "start_time": exact(0.0), "stop_time": exact(1.0),
        "structural": {}, "start": {"x0": exact(0.3), "u": exact(inputs[0])},
        "steps": steps.iter().zip(inputs).map(step).collect::<Vec<_>>(),
        "record": ["y"], "event_mode": false, "early_return": false,
    })
}
