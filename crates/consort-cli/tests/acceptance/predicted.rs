//! What the explanation of a plan says of delays is what the traces of `coupling` and `loops` show.

use consort_core::{ModelDescription, Report};
use consort_models::loader::{Loader, LoaderOptions};
use consort_models::{GivenParameter, LoadedModel, ModelRequest};
use consort_system::{Component, SystemDescription};
use consort_testkit::fmus::example;
use std::path::Path;

fn models(system: &SystemDescription, base: &Path, report: &mut Report) -> Vec<LoadedModel> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("acceptance-cache");
    let mut loader = Loader::new(LoaderOptions::new(cache));
    let load = |component: &Component| {
        let parameters = component.parameters.iter().map(|parameter| GivenParameter {
            name: &parameter.name.value,
            value: &parameter.value.value,
            has_unit: parameter.unit.is_some(),
            span: None,
        });
        let parameters: Vec<GivenParameter<'_>> = parameters.collect();
        let (model, component) = (&component.model.value, &component.name.value);
        let request =
            ModelRequest { component, parameters: &parameters, ..ModelRequest::new(model, base) };
        loader.load(&request, report).unwrap()
    };
    system.components.iter().map(load).collect()
}

/// Every output that is late, by how many steps, in the order of the system. What else is recorded is
/// taken to follow every input and says nothing.
fn lags(file: &str, changes: &[(&str, &str)]) -> Vec<(String, u32)> {
    let path = example(file);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    let mut report = Report::default();
    let system = consort_formats::read_system(file, &text, &mut report).unwrap();
    let models = models(&system, path.parent().unwrap(), &mut report);
    let models: Vec<&ModelDescription> = models.iter().map(|it| it.model.description()).collect();
    let known: Vec<Option<&ModelDescription>> = models.iter().copied().map(Some).collect();
    let resolved = consort_system::resolve(&system, &known, &mut report).unwrap();
    let plan = consort_planner::plan(&resolved, &models, &mut report).unwrap();
    let explanation = consort_planner::explain(&resolved, &models, &plan);
    let lags = explanation.lags.into_iter().filter(|lag| lag.output.ends_with(".y"));
    lags.map(|lag| (lag.output, lag.steps)).collect()
}

fn check(file: &str, changes: &[(&str, &str)], expected: &[(&str, u32)]) {
    let lags = lags(file, changes);
    let lags: Vec<(&str, u32)> = lags.iter().map(|(name, steps)| (name.as_str(), *steps)).collect();
    assert_eq!(lags, expected, "{file} {changes:?}");
}

#[test]
fn the_derived_order_predicts_no_delay() {
    for file in ["system", "standard", "fifty", "fmi2", "fmi3"] {
        check(&format!("feedthrough-chain/{file}.toml"), &[], &[]);
    }
    for file in ["system", "standard", "one-feedthrough", "fmi2", "fmi3"] {
        check(&format!("feedback-loop/{file}.toml"), &[], &[]);
    }
}

#[test]
fn the_naive_order_predicts_one_step_for_each_feedthrough() {
    let late = [("federate2.y", 1), ("federate3.y", 2)];
    check("feedthrough-chain/jacobi.toml", &[], &late);
    // The input of the fiftieth is the output of the one before it.
    let late: Vec<(String, u32)> = (1..=50).map(|k| (format!("c{k}.y"), k)).collect();
    assert_eq!(lags("feedthrough-chain/fifty-jacobi.toml", &[]), late);
}

/// The output of each of these FMUs is said to follow its inputs, whatever D is.
#[test]
fn fmus_side_by_side_are_predicted_to_be_late() {
    let late = [("federate1.y", 1), ("federate2.y", 2), ("federate3.y", 3)];
    let side_by_side = [("order = \"gauss-seidel\"\n", "")];
    check("feedthrough-chain/fmi3.toml", &side_by_side, &late);
}
