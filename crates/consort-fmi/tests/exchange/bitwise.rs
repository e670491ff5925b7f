//! Every number that comes through the driver is the one FMPy gets by its raw calls, bit for bit.

use crate::fixture::{BOTH, Row, SETUP, instantiate, integrate, load, set};
use consort_core::Values;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use consort_testkit::python;
use serde_json::{Value, json};

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(python::float).collect()
}

fn row(value: &Value) -> Row {
    let next = &value["next"];
    Row {
        event: value["event"].as_bool().unwrap(),
        next: (!next.is_null()).then(|| python::float(next)),
        x: floats(&value["x"]),
        dx: floats(&value["dx"]),
        z: floats(&value["z"]),
        nominals: floats(&value["nominals"]),
    }
}

/// Compares a run with FMPy's; how many rows there are and how many of them have an event.
fn check(name: &str, fmi: Fmi, start: &[(&str, Values)], step: f64, steps: u32) -> (usize, usize) {
    let folder = fmus::build(name, fmi, &BuildOptions::binary());
    let start_json: Value = start.iter().map(|(name, value)| (*name, shown(value))).collect();
    let request = json!({"start": start_json, "step": step, "steps": steps});
    let expected: Vec<Row> = python::integrate(&folder, &request).iter().map(row).collect();
    let model = load(name, fmi);
    let mut instance = instantiate(&model);
    for (name, values) in start {
        set(&model, &mut *instance, name, values);
    }
    instance.enter_initialization(&SETUP).unwrap();
    instance.exit_initialization().unwrap();
    let rows = integrate(&mut *instance, step, steps);
    assert_eq!(rows.len(), expected.len(), "{name} {fmi:?}");
    for (index, (ours, theirs)) in rows.iter().zip(&expected).enumerate() {
        assert_eq!(ours, theirs, "{name} {fmi:?} row {index}");
    }
    (rows.len(), rows.iter().filter(|row| row.event).count())
}

fn shown(values: &Values) -> Value {
    match values {
        Values::Float64(values) => json!(values[0]),
        Values::Boolean(values) => json!(values[0]),
        other => panic!("{other:?} is not used here"),
    }
}

#[test]
fn smooth_models() {
    for fmi in BOTH {
        assert_eq!(check("dahlquist", fmi, &[], 0.1, 50), (51, 1));
        let stiff = [("mu", Values::Float64(vec![5.0]))];
        assert_eq!(check("exchange-vanderpol", fmi, &stiff, 0.01, 300), (301, 1));
        let cold = [("outside", Values::Float64(vec![260.0]))];
        assert_eq!(check("exchange-wall", fmi, &cold, 0.1, 100), (101, 1));
    }
}

#[test]
fn state_events() {
    for fmi in BOTH {
        let (rows, events) = check("exchange-ball", fmi, &[], 0.001, 3000);
        assert_eq!(rows, 3001);
        assert!((8..=20).contains(&events), "{events} bounces");
    }
}

#[test]
fn time_events_and_the_end_a_model_asks_for() {
    for fmi in BOTH {
        assert_eq!(check("exchange-stair", fmi, &[], 0.25, 40), (41, 11));
        let end = [("terminate", Values::Boolean(vec![true]))];
        assert_eq!(check("exchange-stair", fmi, &end, 0.25, 100), (37, 10));
    }
}

#[test]
fn step_events_and_changing_nominals() {
    for fmi in BOTH {
        // 2.5 to the 20th is 9.1e7: the magnitude changes seven times.
        let fast = [("rate", Values::Float64(vec![15.0]))];
        assert_eq!(check("exchange-rescaled", fmi, &fast, 0.1, 20), (21, 8));
    }
}

#[test]
fn arrays_of_states() {
    assert_eq!(check("exchange-rod", Fmi::V3, &[], 0.1, 40), (41, 1));
}
