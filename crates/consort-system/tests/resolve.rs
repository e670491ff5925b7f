//! What cannot be written in a file without a model made for it, or is easier without.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, Dimension, ModelDescription, ModelStructure, Reference, Report,
    Variable,
};
use consort_system::{Component, Experiment, Record, Spanned, SystemDescription, resolve};

fn system(start: &str, stop: &str, step: &str) -> SystemDescription {
    let seconds = |text: &str| Spanned { value: text.parse().expect("a time"), span: None };
    let text = |text: &str| Spanned { value: text.to_owned(), span: None };
    SystemDescription {
        name: "test".to_owned(),
        experiment: Experiment {
            start: seconds(start),
            stop: Some(seconds(stop)),
            step: Some(seconds(step)),
            record: Record::All,
            ..Experiment::default()
        },
        components: vec![Component {
            send_start_values: true,
            event_mode: false,
            ..Component::new(text("a"), text("test"))
        }],
        connections: Vec::new(),
        interventions: Vec::new(),
        inputs: None,
        nodes: Vec::new(),
    }
}

/// A model with these outputs, each with its extents.
fn model(outputs: &[(&str, &[u64])]) -> ModelDescription {
    let variable = |(index, (name, extents)): (usize, &(&str, &[u64]))| Variable {
        dimensions: extents.iter().map(|&extent| Dimension::Fixed(extent)).collect(),
        ..Variable::scalar(
            name,
            Reference(u32::try_from(index).expect("few variables")),
            Causality::Output,
        )
    };
    ModelDescription {
        name: "test".to_owned(),
        kind: "test".to_owned(),
        variables: outputs.iter().enumerate().map(variable).collect(),
        structure: ModelStructure::default(),
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}

/// Resolves and compares the codes of the errors with what is expected; none means that it runs.
fn check(system: &SystemDescription, model: &ModelDescription, expected: &[&str]) {
    let mut report = Report::default();
    let resolved = resolve(system, &[Some(model)], &mut report);
    let codes: Vec<&str> = report.diagnostics().iter().map(|it| it.code).collect();
    assert_eq!(codes, expected);
    assert_eq!(resolved.is_some(), expected.is_empty());
}

#[test]
fn a_run_whose_length_cannot_be_counted_is_refused() {
    let model = model(&[("y", &[])]);
    let end = "9223372036";
    check(&system("0", end, end), &model, &[]);
    check(&system("-9223372036", "0", end), &model, &[]);
    check(&system("-9223372036", end, end), &model, &["time::out-of-range"]);
}

#[test]
fn a_scalar_named_like_an_element_of_a_recorded_array_is_refused() {
    let system = system("0", "1", "1");
    check(&system, &model(&[("x", &[3]), ("x[3]", &[])]), &["system::one-name"]);
    check(&system, &model(&[("x", &[2, 2]), ("x[1,2]", &[])]), &["system::one-name"]);
    for name in ["x[4]", "x[0]", "x[01]", "x[1,1]", "x[]", "y[1]"] {
        check(&system, &model(&[("x", &[3]), (name, &[])]), &[]);
    }
}

#[test]
fn a_row_of_the_trace_with_too_many_elements_is_refused() {
    let mut system = system("0", "1", "1");
    let large: &[u64] = &[1 << 23];
    let model = model(&[("x", large), ("y", large), ("z", large)]);
    check(&system, &model, &["system::too-many-elements"]);
    system.experiment.record = Record::Nothing;
    check(&system, &model, &[]);
}

#[test]
fn an_array_without_elements_is_an_array() {
    check(&system("0", "1", "1"), &model(&[("x", &[0]), ("y", &[])]), &[]);
}
