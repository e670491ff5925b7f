//! INTO-CPS multi-models: what they mean, what is wrong with them, and that they are written as
//! they are read.

#[path = "multimodels/cases.rs"]
mod cases;

use consort_core::{Literal, Report};
use consort_formats::fuzz::{descriptions, models};
use consort_formats::multimodel::{self, MultiModel, MultimodelFile};
use consort_formats::{read_system, write_system};
use consort_system::{LoopChoice, Order, Record, Spanned, StepConstraint, resolve};
use consort_testkit::render;
use std::fmt::Write as _;

/// Everything that is said about a multi-model, and whether it would run.
fn findings(texts: &[&str]) -> String {
    let mut report = Report::default();
    let names = ["mm.json", "coe.json", "more.json"];
    let files: Vec<MultimodelFile<'_>> =
        names.iter().zip(texts).map(|(name, text)| MultimodelFile { name, text }).collect();
    let models = models();
    let read = multimodel::read(&files, &mut report);
    let runs = read.is_some_and(|read| {
        let found = descriptions(&read.system, &models);
        resolve(&read.system, &found, &mut report).is_some()
    });
    render::assert_helpful(&report);
    assert_eq!(runs, !report.has_errors(), "nothing runs with an error, all else does: {texts:?}");
    let verdict = if runs { "runs" } else { "does not run" };
    format!("{}({verdict})\n", render::report(&report))
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, texts) in cases::BAD {
        let _ = writeln!(all, "## {name}\n{}", findings(texts));
    }
    insta::assert_snapshot!("multimodels", all);
}

#[test]
fn nesting_has_a_limit() {
    let deep = format!("{{\"fmus\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    assert!(findings(&[&deep]).contains("lists and objects nest more than 64 deep"));
    let deeper = "[".repeat(100_000);
    assert!(findings(&[&deeper]).contains("lists and objects nest too deep"));
}

#[test]
fn cases_are_distinct_and_at_least_fifteen() {
    let names: std::collections::BTreeSet<_> = cases::BAD.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), cases::BAD.len());
    assert!(15 <= names.len());
}

fn read(texts: &[&str]) -> MultiModel {
    let mut report = Report::default();
    let names = ["folder/water/mm.json", "coe.json"];
    let files: Vec<MultimodelFile<'_>> =
        names.iter().zip(texts).map(|(name, text)| MultimodelFile { name, text }).collect();
    let read = multimodel::read(&files, &mut report);
    assert!(!report.has_errors(), "{:#?}", report.diagnostics());
    read.expect("no error, so a system")
}

#[test]
fn instances_are_components_and_paths_have_slashes() {
    let read = read(&[cases::GOOD, cases::CONFIGURATION]);
    let system = &read.system;
    assert_eq!(system.name, "water");
    let parts: Vec<(&str, &str)> = (system.components.iter())
        .map(|it| (it.name.value.as_str(), it.model.value.as_str()))
        .collect();
    assert_eq!(parts, [("c", "pid"), ("t", "some/folder/tank.fmu")]);
    let wires: Vec<(&str, &str)> = (system.connections.iter())
        .map(|it| (it.from.value.as_str(), it.to.value.as_str()))
        .collect();
    assert_eq!(wires, [("c.u", "t.valve"), ("t.level", "c.measurement")]);
    let parameter = &system.components[0].parameters[0];
    assert_eq!(
        (parameter.name.value.as_str(), &parameter.value.value),
        ("kp", &Literal::Integer(2))
    );
    assert_eq!(system.components[1].parameters[0].name.value, "state.level0");
    assert_eq!(read.keys.0["c"], "control");
    assert_eq!(read.keys.0["t"], "tank 1");
}

#[test]
fn the_experiment_is_that_of_maestro() {
    let experiment = read(&[cases::GOOD, cases::CONFIGURATION]).system.experiment;
    let shown = |time: Option<consort_system::Spanned<consort_core::Seconds>>| {
        time.map(|time| time.value.to_string())
    };
    assert_eq!(experiment.start.value.to_string(), "-1");
    assert_eq!(shown(experiment.stop), Some("30".to_owned()));
    assert_eq!(shown(experiment.step), Some("0.1".to_owned()));
    assert_eq!(experiment.coupling.order.map(|it| it.value), Some(Order::Jacobi));
    assert_eq!(experiment.coupling.loops, None);
    let Record::These(recorded) = experiment.record else { panic!("it names variables") };
    let recorded: Vec<&str> = recorded.iter().map(|it| it.value.as_str()).collect();
    assert_eq!(recorded, ["t.level"]);
}

#[test]
fn a_variable_step_takes_sizes_and_constraints() {
    let text = cases::GOOD.trim_end().trim_end_matches('}').to_owned() + cases::VARIABLE;
    let coupling = read(&[&text]).system.experiment.coupling;
    let step = coupling.variable_step.expect("it is variable");
    let sizes = [step.initial, step.min, step.max].map(|it| it.expect("given").value.to_string());
    assert_eq!(sizes, ["0.01", "0.000001", "0.5"]);
    assert_eq!(step.error_control.map(|it| it.value), Some(false));
    let said: Vec<String> = step.constraints.iter().map(shown_constraint).collect();
    assert_eq!(
        said,
        [
            "as long as components allow",
            "t.level by 0.001 or inf",
            "t.level, t.level within 0.5",
            "every 0.01 from 0.003",
            "every 200 from 0",
        ]
    );
    assert_eq!(coupling.loops.map(|it| it.value), Some(LoopChoice::Iterate));
    assert_eq!(coupling.iteration.tolerance.map(|it| it.value), Some(0.01));
}

fn shown_constraint(constraint: &StepConstraint) -> String {
    let list = |names: &[Spanned<String>]| {
        names.iter().map(|it| it.value.as_str()).collect::<Vec<_>>().join(", ")
    };
    let number = |it: &Option<Spanned<f64>>| it.as_ref().map_or(f64::INFINITY, |it| it.value);
    match constraint {
        StepConstraint::ZeroCrossing { variables, tolerance } => {
            format!("{} within {}", list(variables), number(tolerance))
        }
        StepConstraint::BoundedDifference { variables, absolute, relative } => {
            format!("{} by {} or {}", list(variables), number(absolute), number(relative))
        }
        StepConstraint::Sampling { start, period } => {
            format!("every {} from {}", period.value, start.as_ref().expect("given").value)
        }
        StepConstraint::ComponentMax => "as long as components allow".to_owned(),
    }
}

#[test]
fn instances_of_one_name_are_distinguished_by_their_fmu() {
    let text = r#"{"fmus": {"{a}": "tank", "{b.c}": "tank"},
        "connections": {"{a}.x.level": ["{b.c}.x.inflow"], "{a}.y.level": []}}"#;
    let read = read(&[text]);
    let names: Vec<&str> = read.system.components.iter().map(|it| it.name.value.as_str()).collect();
    assert_eq!(names, ["a/x", "y", "b_c/x"]);
    assert_eq!(read.system.connections[0].to.value, "b_c/x.inflow");
    let mut report = Report::default();
    let written = multimodel::write(&read.system, &read.keys, &mut report);
    assert!(written.model.contains("\"{a}.x.level\": [\"{b.c}.x.inflow\"]"), "{}", written.model);
    assert_eq!(report.diagnostics(), &[]);
}

#[test]
fn what_is_written_is_what_was_read() {
    let read_first = read(&[cases::GOOD, cases::CONFIGURATION]);
    let mut report = Report::default();
    let written = multimodel::write(&read_first.system, &read_first.keys, &mut report);
    assert_eq!(report.diagnostics(), &[], "nothing is lost");
    let again = read(&[&written.model, &written.configuration]);
    assert_eq!(write_system(&again.system), write_system(&read_first.system));
    assert_eq!(again.keys, read_first.keys);
    insta::assert_snapshot!("written", format!("{}---\n{}", written.model, written.configuration));
}

#[test]
fn what_a_multi_model_cannot_say_is_named() {
    let mut report = Report::default();
    let system = read_system("system.toml", cases::RICH, &mut report).expect("it is right");
    let written = multimodel::write(&system, &multimodel::Keys::default(), &mut report);
    insta::assert_snapshot!(
        "losses",
        format!("{}---\n{}---\n{}", render::report(&report), written.model, written.configuration)
    );
}

#[test]
fn paths_of_fmus_are_paths_in_every_spelling() {
    for (written, path) in [
        ("FMUs\\\\tank.fmu", "FMUs/tank.fmu"),
        ("file:///home/me/my%20tank.fmu", "/home/me/my tank.fmu"),
        ("file://localhost/home/me/tank.fmu", "/home/me/tank.fmu"),
        ("file:/home/me/tank.fmu", "/home/me/tank.fmu"),
        ("file:FMUs/tank.fmu", "FMUs/tank.fmu"),
        ("file://FMUs/tank.fmu", "FMUs/tank.fmu"),
        ("file:///C:/Users/me/tank.fmu", "C:/Users/me/tank.fmu"),
        ("C:\\\\Users\\\\tank.fmu", "C:/Users/tank.fmu"),
    ] {
        let text =
            format!(r#"{{"fmus": {{"{{a}}": "{written}"}}, "logVariables": {{"{{a}}.x": []}}}}"#);
        assert_eq!(read(&[&text]).system.components[0].model.value, path, "{text}");
    }
}

/// Keys as tools generate them, and everything that the shapes of Maestro 1 and 2 have beside.
#[test]
fn a_multi_model_of_maestro_is_read_from_both_of_its_files() {
    let initialize = r#"{
      "fmus": { "{5e0c7b1a-1f2d-4c3e-9a4b-6d7f8091a2b3}": "c.fmu", "{a91f04d2}": "t.fmu" },
      "connections": {
        "{5e0c7b1a-1f2d-4c3e-9a4b-6d7f8091a2b3}.controller.valve": ["{a91f04d2}.tank.valvecontrol"],
        "{a91f04d2}.tank.level": ["{5e0c7b1a-1f2d-4c3e-9a4b-6d7f8091a2b3}.controller.level"]
      },
      "parameters": { "{5e0c7b1a-1f2d-4c3e-9a4b-6d7f8091a2b3}.controller.a.b.max": 2 },
      "algorithm": { "type": "fixed-step", "size": 0.1 },
      "livestream": { "{a91f04d2}.tank": ["level"] }, "overrideLogLevel": "INFO"
    }"#;
    let simulate = r#"{ "startTime": 0.0, "endTime": 1.0, "logLevels": null, "reportProgress": null,
      "liveLogInterval": null, "algorithm": { "size": 0.10, "type": "fixed-step" },
      "livestream": { "{a91f04d2}.tank": ["level", "flow"] }, "overrideLogLevel": "WARN" }"#;
    let system = read(&[initialize, simulate]).system;
    let names: Vec<&str> = system.components.iter().map(|it| it.name.value.as_str()).collect();
    assert_eq!(names, ["controller", "tank"]);
    assert_eq!(system.components[0].parameters[0].name.value, "a.b.max");
    assert_eq!(system.experiment.stop.map(|it| it.value.to_string()).as_deref(), Some("1"));
    assert_eq!(system.experiment.step.map(|it| it.value.to_string()).as_deref(), Some("0.1"));
}
