//! FMPy makes the calls of Consort's call log and must get the same bits.

use crate::record::Record;
use crate::world::World;
use consort_testkit::python;
use serde_json::{Map, Value, json};
use std::path::Path;

/// One component of a recorded run, to be driven by FMPy.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) component: &'a str,
    /// What was set before the start: structural parameters, then parameters.
    pub(crate) structural: &'a [&'a str],
    pub(crate) parameters: &'a [&'a str],
    pub(crate) inputs: &'a [&'a str],
    pub(crate) outputs: &'a [&'a str],
    /// Event mode and early return, as Consort uses them where an FMU has them.
    pub(crate) events: bool,
}

impl Part<'static> {
    /// The beginning of a part.
    pub(crate) const NOTHING: Self = Part {
        component: "",
        structural: &[],
        parameters: &[],
        inputs: &[],
        outputs: &[],
        events: false,
    };
}

/// Runs the system `s` with everything recorded; what was recorded.
pub(crate) fn run(world: &World, args: &[&str]) -> Record {
    world.done(&[&["run", "s", "--out", "run", "--csv", "--log-calls"], args].concat());
    Record::parse(&world.read("run/trace.csv"))
}

/// Drives a part in FMPy and compares every output after every step; how many steps there were.
pub(crate) fn compare(world: &World, record: &Record, fmu: &Path, part: &Part<'_>) -> usize {
    let steps = steps(world, part.component);
    let answer = python::drive(fmu, &request(record, part, &steps));
    let name = part.component;
    assert_eq!(answer["error"], Value::Null, "{name}");
    same(&format!("{name}, initial"), &answer["initial"], record, part, 0);
    let answers = answer["steps"].as_array().unwrap();
    assert_eq!(answers.len(), steps.len(), "{name}");
    let ends = steps.iter().skip(1).map(|step| step.0).chain(record.times().last().copied());
    let mut compared = 0;
    for (at, (answer, end)) in answers.iter().zip(ends).enumerate() {
        // A step that an event cut short ends where nothing is recorded.
        if let Some(row) = record.row_at(end).filter(|_| steps[at].0 < end) {
            let place = format!("{name}, step {at} to {end}");
            same(&place, &answer["values"], record, part, row);
            compared += 1;
        }
    }
    compared
}

/// (time, length) of every step of a component, exactly as handed to it.
pub(crate) fn steps(world: &World, component: &str) -> Vec<(f64, f64)> {
    let events = world.events("run", "step").into_iter();
    let own = events.filter(|step| step["component"] == component);
    own.map(|step| (python::float(&step["t_bits"]), python::float(&step["h_bits"]))).collect()
}

fn request(record: &Record, part: &Part<'_>, steps: &[(f64, f64)]) -> Value {
    let first = pick(record, part, 0, &[part.parameters, part.inputs].concat());
    let mut list = Vec::new();
    for &(time, length) in steps {
        let row = record.row_at(time);
        let set = row.map(|row| pick(record, part, row, part.inputs));
        let (time, step) = (python::exact(time), python::exact(length));
        list.push(json!({"time": time, "step": step, "set": set.unwrap_or_default()}));
    }
    json!({
        "name": part.component, "start_time": python::exact(record.times()[0]),
        "stop_time": python::exact(*record.times().last().unwrap()),
        "structural": pick(record, part, 0, part.structural), "start": first, "steps": list,
        "record": part.outputs, "event_mode": part.events, "early_return": part.events,
    })
}

fn pick(record: &Record, part: &Part<'_>, row: usize, names: &[&str]) -> Map<String, Value> {
    let values = record.values(part.component, row);
    names.iter().map(|&name| (name.to_owned(), values[name].clone())).collect()
}

fn same(place: &str, answer: &Value, record: &Record, part: &Part<'_>, row: usize) {
    let values = record.values(part.component, row);
    for &name in part.outputs {
        let ours = &values[name];
        let theirs = plain(&answer[name]);
        assert_eq!(*ours, theirs, "{place}: `{name}`");
    }
}

/// FMPy's value as a trace holds it: truth values as 1 and 0, `Float32` widened.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Bool(truth) => Value::from(i64::from(*truth)),
        Value::String(text) if text.starts_with("0x") && text.len() == 10 => {
            let bits = u32::from_str_radix(&text[2..], 16).unwrap();
            python::exact(f64::from(f32::from_bits(bits)))
        }
        other => other.clone(),
    }
}
