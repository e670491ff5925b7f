//! Time at events: models with closed forms, run here and by FMPy as exported FMUs of both versions and interfaces.
//!
//! Rows are at 0, 0.5, 1, 1.5 and 2 s, so that many events are at the very time of a row.

mod models;

use crate::export_fmu::column;
use crate::record::Record;
use crate::world::World;
use consort_testkit::python;
use models::MODELS;
use serde_json::json;

const TIMES: [f64; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];

/// Outputs and what they are at a time of [`TIMES`].
type Outputs = &'static [(&'static str, fn(f64) -> f64)];

/// A model and what is known of its outputs.
struct Case {
    /// What stands between the first line and the last.
    body: &'static str,
    /// How far a value may be from its closed form; zero: the same bits.
    tolerance: f64,
    outputs: Outputs,
}

impl Case {
    fn check(&self, who: &str, times: &[f64], values: impl Fn(&str) -> Vec<f64>) {
        for (name, closed_form) in self.outputs {
            let found = values(name);
            for time in TIMES {
                // Of several rows at one time the last is after all events.
                let row = times.iter().rposition(|it| it.to_bits() == time.to_bits());
                let found = found[row.unwrap_or_else(|| panic!("{who}: no row at {time}"))];
                let expected = closed_form(time);
                let is_near = (found - expected).abs() <= self.tolerance;
                assert!(
                    is_near,
                    "{who}: {name} at {time} is {found}, not {expected}\n{}",
                    self.body
                );
            }
        }
    }

    fn check_native(&self, world: &World) {
        let text = format!("model m\nexperiment stop 2 step 0.5\n{}\nend\n", self.body);
        world.write("m.eq", &text);
        world.done(&["run", "m.eq", "--tolerance", "1e-9", "--csv", "--out", "native"]);
        let record = Record::parse(&world.read("native/trace.csv"));
        self.check("consort", &record.times(), |name| record.floats(&format!("m.{name}")));
    }

    fn check_exported(&self, world: &World, fmi: &str) {
        let out = format!("m{fmi}.fmu");
        world.done(&["export", "fmu", "m.eq", &out, "--fmi", fmi]);
        let interfaces = ["ModelExchange", "CoSimulation"];
        let tasks = interfaces.map(|it| {
            json!({"simulate": it, "stop": 2.0, "step": 0.5, "tolerance": 1e-9, "input": null, "events": true})
        });
        for (interface, simulated) in
            interfaces.iter().zip(python::exported(&world.path(&out), &tasks))
        {
            let who = format!("FMPy, FMI {fmi}, {interface}");
            self.check(&who, &column(&simulated, "time"), |name| column(&simulated, name));
        }
    }
}

/// Every `of`-th model from `first` on: several tests, so that they run side by side.
fn check(first: usize, of: usize) {
    for case in MODELS.iter().skip(first).step_by(of) {
        let world = World::new();
        case.check_native(&world);
        for fmi in ["2", "3"] {
            case.check_exported(&world, fmi);
        }
    }
}

#[test]
fn there_are_many_models() {
    assert!(30 <= MODELS.len(), "{}", MODELS.len());
}

#[test]
fn every_model_is_what_its_closed_form_says_here() {
    for case in MODELS {
        case.check_native(&World::new());
    }
}

#[test]
fn models_are_what_their_closed_forms_say_in_fmpy_first_half() {
    check(0, 2);
}

#[test]
fn models_are_what_their_closed_forms_say_in_fmpy_second_half() {
    check(1, 2);
}
