//! FMPy and pyssp-standard read what Consort writes, find it valid, and see the same components,
//! connections and values.

use consort_core::Report;
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{read_system, ssp};
use consort_testkit::python;
use serde_json::{Value, json};
use std::io::Write as _;

const SYSTEM: &str = r#"
name = "tank & pid"
[experiment]
stop = 10
step = 0.1
seed = 3
[components.tank]
model = "tank"
parameters = { area = 2, level0 = { value = 20, unit = "cm" } }
[components."plant/pid"]
model = "pid"
step = 0.2
parameters = { kp = 3.5, mode = "manual" }
[components.typed]
model = "typed"
parameters = { on = true, count = -3, title = "a \"b\"\n<c>", data = "0aff" }
[[connections]]
from = "tank.level"
to = "plant/pid.measurement"
group = "bus1"
[[connections]]
from = "plant/pid.u"
to = "tank.valve"
delay = true
factor = 0.5
offset = 1
[[interventions]]
at = 5
target = "plant/pid.kp"
set = 2.0
"#;

/// What the two say about a system; it is validated against the schemas on the way.
fn others(text: &str) -> Value {
    let models = models();
    let system = read_system("system.toml", text, &mut Report::default()).expect("it is right");
    let written = ssp::write(&system, &descriptions(&system, &models));
    let file = tempfile::Builder::new().suffix(".ssp").tempfile().unwrap();
    let mut archive = zip::ZipWriter::new(file.reopen().unwrap());
    for (name, bytes) in &written.files {
        archive.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
    let output = python::run_script("read_ssp.py", [file.path()]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error} {stderr}"))
}

#[test]
fn others_read_the_same_system() {
    let all = others(SYSTEM);
    assert_eq!(all["version"], "1.0");
    let read = &all["fmpy"];
    assert_eq!(read["name"], "tank & pid");
    let components = read["components"].as_array().unwrap();
    let sources: Vec<Value> =
        components.iter().map(|it| json!([it["name"], it["source"], it["type"]])).collect();
    let fmu = "application/x-fmu-sharedlibrary";
    assert_eq!(
        sources,
        [
            json!(["tank", "resources/tank.fmu", fmu]),
            json!(["plant/pid", "resources/pid.fmu", fmu]),
            json!(["typed", "resources/typed.fmu", fmu]),
        ]
    );
    assert_eq!(
        read["connections"],
        json!([["tank", "level", "plant/pid", "measurement"], ["plant/pid", "u", "tank", "valve"]])
    );
    let second = &all["pyssp-standard"];
    assert_eq!(second["connections"], read["connections"]);
    assert_eq!(second["components"][1], json!(["plant/pid", "resources/pid.fmu"]));
    let values: Vec<&Value> = components.iter().map(|it| &it["values"]).collect();
    assert_eq!(
        *values[0],
        json!([["area", "Real", "2.0", null], ["level0", "Real", "20.0", "cm"]])
    );
    assert_eq!(
        *values[1],
        json!([["kp", "Real", "3.5", null], ["mode", "Enumeration", "manual", null]])
    );
    assert_eq!(
        *values[2],
        json!([
            ["on", "Boolean", "true", null],
            ["count", "Integer", "-3", null],
            ["title", "String", "a \"b\"\n<c>", null],
            ["data", "Binary", "0aff", null],
        ])
    );
    let connectors = components[0]["connectors"].as_array().unwrap();
    assert!(connectors.contains(&json!(["level", "output"])), "{connectors:?}");
    assert!(connectors.contains(&json!(["area", "parameter"])), "{connectors:?}");
    let units = read["units"].as_array().unwrap();
    assert!(units.contains(&json!(["cm", 0, 1, 0, 0.01, 0.0])), "{units:?}");
}

#[test]
fn others_read_what_needs_the_second_version() {
    let all = others(crate::round_trip::EVERYTHING);
    assert_eq!(all["version"], "2.0");
    let components = all["fmpy"]["components"].as_array().unwrap();
    let names: Vec<&Value> = components.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["tank", "plant/pid", "rod", "typed"]);
    let matrix = json!(["A", "Real", "1.0 2.0 3.0 4.0 5.0 6.0", null]);
    let values = components[2]["values"].as_array().unwrap();
    assert!(values.contains(&matrix), "{values:?}");
    let wire = json!(["rod", "temperature", "rod", "mirror"]);
    assert_eq!(all["pyssp-standard"]["connections"][2], wire);
}
