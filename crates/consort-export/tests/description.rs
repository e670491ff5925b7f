//! The description of an FMU.

use consort_core::{DependsOn, Report};
use consort_equations::tree::{Equation, Kind, VariableDeclaration};
use consort_equations::{EquationModel, Equations, Expression, compile, read};
use consort_export::{FmiVersion, FmuOptions, fmu_files};
use consort_fmi::description::{self, FmuDescription};

const EVERYTHING: &str = r#"
model everything "one of <each> & more"
  experiment stop 10 step 0.01 tolerance 1e-7
  parameter a = 2 "1/s" "a rate" min 0 max 10
  parameter half = a/2
  input u = 0.5 "degC"
  output state x = 1 "m" "a place" nominal 100
  state late = a
  discrete n = 0
  output discrete seen = half
  variable w = a*x
  output y = w + u "m/s"
  output later = delay(x, 0.25)
  output clock = time
  der(x) = -a*x + n
  der(late) = if late < 3 then u else 0
  when x < 0.5 then
    x = 1
    n = n + 1
  end
  when time >= 3 then
    seen = 1
  end
end"#;

fn compiled(text: &str) -> Equations {
    let mut report = Report::default();
    let model = read("everything.eq", text, &mut report);
    let equations = model.and_then(|model| compile(&model, &mut report));
    equations.unwrap_or_else(|| panic!("{:?}", report.diagnostics()))
}

fn file(files: &[(String, Vec<u8>)], path: &str) -> String {
    let found = files.iter().find(|(it, _)| it == path);
    let bytes = &found.unwrap_or_else(|| panic!("no `{path}`")).1;
    String::from_utf8(bytes.clone()).expect("text")
}

/// The description without its token, which changes with the runtime.
fn described(equations: &Equations, version: FmiVersion) -> String {
    let text = file(&fmu_files(equations, &FmuOptions::new(version)), "modelDescription.xml");
    let token = text.find('{').map(|start| text[start..start + 38].to_owned());
    text.replace(&token.expect("a token"), "{token}")
}

fn read_back(text: &str) -> FmuDescription {
    let mut report = Report::default();
    let read = description::read("modelDescription.xml", text.as_bytes(), &mut report);
    assert!(report.diagnostics().is_empty(), "{:?}", report.diagnostics());
    read.expect("no diagnostics")
}

#[test]
fn a_model_with_everything_is_described_for_fmi_2() {
    insta::assert_snapshot!(described(&compiled(EVERYTHING), FmiVersion::V2));
}

#[test]
fn a_model_with_everything_is_described_for_fmi_3() {
    insta::assert_snapshot!(described(&compiled(EVERYTHING), FmiVersion::V3));
}

#[test]
fn what_is_written_is_read_back_as_the_model_has_it() {
    let equations = compiled(EVERYTHING);
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let fmu = read_back(&described(&equations, version));
        assert!(fmu.co_simulation.is_some() && fmu.model_exchange.is_some());
        for part in equations.parts() {
            let Some(quantity) = equations.quantity(part) else { continue };
            if matches!(part, consort_equations::ModelPart::Derivative(_)) {
                continue;
            }
            let id = fmu.model.variable(&quantity.name).expect("described");
            let variable = &fmu.model.variables[id.index()];
            let unit = variable.unit.map(|unit| fmu.model.units[unit].clone());
            assert_eq!(unit, quantity.unit, "{}", quantity.name);
            assert_eq!(variable.min, quantity.min, "{}", quantity.name);
            assert_eq!(variable.description, quantity.description, "{}", quantity.name);
        }
        let y = fmu.model.variable("y").expect("an output");
        let on = &fmu.model.structure.outputs.iter().find(|it| it.variable == y).expect("y").on;
        let DependsOn::These(on) = on else { panic!("all is known") };
        let names = on.iter().map(|(id, _)| fmu.model.variables[id.index()].name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["u", "x"]);
    }
}

#[test]
fn hostile_names_and_texts_stay_what_they_are() {
    let (name, text) = ("<\"&'> [1]", "]]> <!-- \u{1} -->");
    let mut output = VariableDeclaration::new(Kind::Output, name, None);
    output.description = text.to_owned();
    let model = EquationModel {
        name: "a \"b\" <c>".into(),
        declarations: vec![output],
        equations: vec![Equation::value(name, Expression::number(f64::INFINITY))],
        ..EquationModel::default()
    };
    let equations = compile(&model, &mut Report::default()).expect("well defined");
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let fmu = read_back(&described(&equations, version));
        let id = fmu.model.variable(name).expect("read back");
        let read = &fmu.model.variables[id.index()].description;
        assert_eq!(*read, text.replace('\u{1}', "\u{FFFD}"));
        let page =
            file(&fmu_files(&equations, &FmuOptions::new(version)), "documentation/index.html");
        assert!(page.contains("&lt;&quot;&amp;'&gt; [1]"), "{page}");
    }
}

/// A model, if the bytes are one, with a description that is read back without complaint.
fn described_if_read(data: &[u8]) {
    let mut report = Report::default();
    let text = String::from_utf8_lossy(data);
    let model = read("fuzz.eq", &text, &mut report);
    let Some(equations) = model.and_then(|model| compile(&model, &mut report)) else { return };
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let fmu = read_back(&described(&equations, version));
        assert_eq!(fmu.model.structure.derivatives.len(), equations.states.len());
    }
}

#[test]
fn damaged_models_are_described_or_refused() {
    consort_testkit::fuzz::drive("equations", described_if_read, 2000);
}

#[test]
fn a_variable_called_time_is_not_the_time_of_the_run() {
    let model = EquationModel {
        name: "clocks".into(),
        declarations: vec![VariableDeclaration::new(
            Kind::Output,
            "time",
            Some(Expression::number(3.0)),
        )],
        ..EquationModel::default()
    };
    let equations = compile(&model, &mut Report::default()).expect("well defined");
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let fmu = read_back(&described(&equations, version));
        let names: Vec<&str> = fmu.model.variables.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["time_", "time"]);
    }
}

#[test]
fn equal_models_have_equal_files_and_others_another_token() {
    let token = |text: &str, options: &FmuOptions| {
        let equations = compiled(text);
        let files = fmu_files(&equations, options);
        assert_eq!(files, fmu_files(&equations, options));
        read_back(&file(&files, "modelDescription.xml")).token
    };
    let options = FmuOptions::new(FmiVersion::V3);
    let renamed = FmuOptions { name: Some("other".to_owned()), ..options.clone() };
    let first = token(EVERYTHING, &options);
    assert_eq!(first.len(), 38, "{first}");
    assert_ne!(first, token(&EVERYTHING.replace("-a*x + n", "-a*x - n"), &options));
    assert_ne!(first, token(EVERYTHING, &renamed));
    assert_ne!(first, token(EVERYTHING, &FmuOptions::new(FmiVersion::V2)));
}

#[test]
fn a_tolerance_that_is_asked_for_is_that_of_the_solver_inside() {
    let mut options = FmuOptions::new(FmiVersion::V2);
    options.experiment.tolerance = Some("1e-9".to_owned());
    let files = fmu_files(&compiled(EVERYTHING), &options);
    assert!(file(&files, "modelDescription.xml").contains("tolerance=\"1e-9\""));
    let models = [&files, &fmu_files(&compiled(EVERYTHING), &FmuOptions::new(FmiVersion::V2))]
        .map(|files| file(files, "sources/model.c"));
    let line = |text: &String| {
        let mut lines = text.lines().filter(|line| line.contains(".tolerance"));
        lines.next().map(str::to_owned).expect("the model has one")
    };
    assert_ne!(line(&models[0]), line(&models[1]));
}

#[test]
fn the_sources_of_fmi_3_are_listed_in_a_file_of_their_own() {
    let files = fmu_files(&compiled(EVERYTHING), &FmuOptions::new(FmiVersion::V3));
    let text = file(&files, "sources/buildDescription.xml");
    let mut report = Report::default();
    let build = consort_fmi::build::read("buildDescription.xml", text.as_bytes(), &mut report);
    assert!(report.diagnostics().is_empty());
    let build = build.expect("no diagnostics");
    let listed = &build.configurations[0].source_file_sets[0].files;
    assert!(!listed.is_empty());
    for name in listed {
        file(&files, &format!("sources/{name}"));
    }
}
