//! `trace.mcap`: the same bytes from run to run, and what the Python library of the format finds in it.

use crate::world::World;
use consort_testkit::fmus::example;
use consort_testkit::python::{exact, recording};
use consort_trace::{Cell, Column, Trace, read_parquet};
use serde_json::Value;
use std::fs::{self, File};

fn run(world: &World, system: &str, out: &str, workers: &str) -> Vec<u8> {
    world.done(&["run", system, "--mcap", "--out", out, "--workers", workers]);
    fs::read(world.path(&format!("{out}/trace.mcap"))).unwrap()
}

/// A value as the script prints it.
fn json_value(trace: &Trace, row: usize, column: usize) -> Value {
    let cell = |element| match trace.cell(row, column, element) {
        Cell::Float64(value) => exact(value),
        Cell::Float32(value) => exact(value.into()),
        Cell::Integer(_, value) => Value::from(i64::try_from(value).unwrap()),
        Cell::Boolean { value, .. } => Value::from(value),
        other => Value::from(other.to_string()),
    };
    let column = &trace.schema().columns()[column];
    match column.dimensions.is_empty() {
        true => cell(0),
        false => (0..column.element_count()).map(cell).collect(),
    }
}

/// Every row and component in order, as the messages should be.
fn expected(trace: &Trace, shift: i64) -> Vec<Value> {
    let columns = trace.schema().columns();
    let mut components: Vec<&str> = columns.iter().map(Column::component).collect();
    components.sort_unstable();
    components.dedup();
    let tick = trace.schema().resolution().tick();
    let nanoseconds = |row: usize| {
        let ticks = i128::from(trace.tags()[row].time.ticks() * tick.numerator());
        let whole = (ticks * 1_000_000_000).div_euclid(tick.denominator().into());
        i64::try_from(whole).unwrap() + shift
    };
    let mut messages = Vec::new();
    for row in 0..trace.tags().len() {
        for component in &components {
            let mut values = serde_json::Map::new();
            for (index, column) in columns.iter().enumerate() {
                if column.component() == *component {
                    values.insert(column.variable().to_owned(), json_value(trace, row, index));
                }
            }
            let time = nanoseconds(row);
            messages.push(serde_json::json!([format!("/{component}"), time, time, row, values]));
        }
    }
    messages
}

/// Runs an example; those that start before zero are shifted.
fn check(name: &str, shift: i64) {
    let world = World::new();
    let system = example(name).display().to_string();
    let file = run(&world, &system, "one", "1");
    assert!(file == run(&world, &system, "two", "2"), "{name}: the files of two runs differ");
    let found = recording(&world.path("one/trace.mcap"));
    let trace = read_parquet(File::open(world.path("one/trace.parquet")).unwrap()).unwrap();
    assert_eq!(found["messages"].as_array().unwrap(), &expected(&trace, shift), "{name}");
    assert_eq!(found["ordered"], true, "{name}");
    assert_eq!(found["metadata"]["consort.trace"]["shift"], shift.to_string(), "{name}");
    for channel in found["channels"].as_array().unwrap() {
        assert_eq!((channel[1].as_str(), channel[2].as_str()), (Some("json"), Some("jsonschema")));
    }
}

#[test]
fn a_recording_is_the_trace_to_the_bit_and_the_same_in_every_run() {
    check("quickstart", 0);
    check("arrays", 0);
    check("multirate", 500_000_000);
}

#[test]
fn a_replay_writes_it_again() {
    let world = World::new();
    let system = example("quickstart").display().to_string();
    let file = run(&world, &system, "one", "1");
    world.done(&["replay", "one", "--out", "again"]);
    assert!(file == fs::read(world.path("again/trace.mcap")).unwrap());
    let manifest = world.manifest("one");
    assert_eq!(manifest["options"]["mcap"], true);
}
