//! `consort check property`.

use crate::bench::{Bench, Said, assert_said};
use serde_json::Value;

const TRACE: &str = "time,tank.level,pump.on\n0,1,0\n1,1.5,0\n2,2.5,1\n3,1,0\n4,1.25,0\n";

fn check(arguments: &[&str]) -> Said {
    let bench = Bench::new();
    bench.write("trace.csv", TRACE);
    bench.consort(&[&["check", "property"], arguments].concat())
}

fn said(formula: &str) -> String {
    let said = check(&[formula, "trace.csv"]);
    format!("> {formula}\n{said}\n")
}

#[test]
fn a_property_holds_is_violated_or_stays_open() {
    let formulas = [
        "always (tank.level < 3)",
        "always (tank.level < 2)",
        "always[0:10] (tank.level < 3)",
        "eventually[0:2] pump.on",
        "always[0:1] (tank.level < 2 implies eventually[0:1] pump.on)",
        "eventually[9:9] pump.on",
    ];
    assert_said!(formulas.map(said).concat());
}

#[test]
fn wrong_properties_are_explained() {
    let formulas = [
        "always (tank.levle < 3) and pump.off",
        "always[3:1] (tank.level < 3) and always pump.on -> tank.level < 1",
        "",
    ];
    assert_said!(formulas.map(said).concat());
    assert_said!(check(&["tank.level < 3", "trace.csv", "--scale", "pump.on=2", "--scale", "x"]));
}

#[test]
fn the_answer_for_programs_has_numbers() {
    let arguments = ["always (tank.level <= 3)", "trace.csv", "--format", "json"];
    let parse = |said: Said| serde_json::from_str::<Value>(&said.stdout).unwrap();
    let answer = parse(check(&arguments));
    assert_eq!(answer["verdict"], "holds");
    assert_eq!(answer["robustness"]["low"], 0.5);
    assert_eq!((&answer["reached"], &answer["end"]), (&Value::from(2.0), &Value::from(4.0)));
    let options = ["--reading", "dense", "--scale", "tank.level=2"];
    let scaled = parse(check(&[&arguments[..], &options].concat()));
    assert_eq!(scaled["robustness"]["high"], 0.25);
    let open = parse(check(&["always[0:9] (tank.level < 3)", "trace.csv", "--format", "json"]));
    assert_eq!(open["robustness"]["low"], Value::Null);
}

#[test]
fn the_folder_of_a_run_is_judged_as_it_was_recorded() {
    let bench = Bench::with_loop();
    bench.done(&["run", "loop"]);
    let formula = "always (setpoint.y == 1 implies eventually[0:1.5] (plant.y > 0.5)) \
                   and (plant.y < 0.1 until setpoint.y > 0)";
    let said = bench.consort(&["check", "property", formula, "out/loop"]);
    assert_said!(said);
}
