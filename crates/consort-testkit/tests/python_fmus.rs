//! FMUs made by independent tools, driven by FMPy.

use consort_testkit::python;
use serde_json::{Value, json};

#[test]
fn pythonfmu_makes_an_fmi_2_model_that_runs() {
    let request = json!({"start": {"u": 1.0, "rate": 2.0}, "steps": [[0.0, 0.5], [0.5, 0.5]]});
    let answer = python::drive(&python::pythonfmu_archive(), &request);
    assert_eq!(answer["error"], Value::Null);
    let expected = json!({"x": python::exact(0.5 * 2.1 + 0.5 * 2.1), "steps": 2, "odd": false,
        "text": "after 2 steps"});
    assert_eq!(answer["steps"][1]["values"], expected);
}

#[test]
fn pythonfmu3_makes_an_fmi_3_model_with_exact_64_bit_integers() {
    let start = json!({"u": 1.0, "offset": i64::MAX - 10});
    let answer = python::drive(
        &python::pythonfmu3_archive(),
        &json!({"start": start, "steps": [[0.0, 0.5], [0.5, 0.5]]}),
    );
    assert_eq!(answer["error"], Value::Null);
    let expected = json!({"x": python::exact(0.5 * 1.1 + 0.5 * 1.1), "steps": 2,
        "big": i64::MAX - 6, "huge": u64::MAX - 2, "odd": false, "text": "after 2 steps"});
    assert_eq!(answer["steps"][1]["values"], expected);
}

#[test]
fn the_interpreter_has_a_shared_library() {
    let library = python::libpython().expect("FMUs made by pythonfmu need libpython");
    assert!(library.is_file());
}
