//! Which interface of an FMU is used, and what its description says about Model Exchange.

use crate::fixture::{BOTH, load, open};
use consort_core::{ContinuousModel, Model, Refresh, Report, Severity, Sizes};
use consort_fmi::{ExchangeModel, FmuModel, LoadError, LoadOptions, description};
use consort_testkit::fmus::{self, Fmi};
use consort_testkit::water_tanks;
use std::fs;
use std::io::Read as _;

#[test]
fn states_and_derivatives_are_in_the_order_of_the_structure() {
    for fmi in BOTH {
        let model = load("exchange-vanderpol", fmi);
        let continuous = model.continuous();
        let name =
            |id: &consort_core::VariableId| model.description().variables[id.index()].name.as_str();
        let states: Vec<&str> = continuous.states.iter().map(name).collect();
        let derivatives: Vec<&str> = continuous.derivatives.iter().map(name).collect();
        assert_eq!((states, derivatives), (vec!["x", "v"], vec!["der(x)", "der(v)"]));
        assert_eq!(continuous.sizes, Some(Sizes { states: 2, indicators: 0 }));
        assert!(!continuous.needs_completed_step);
        let can = &model.description().capabilities;
        assert!(can.save_state && can.serialize_state && can.directional_derivatives);
        assert_eq!((can.refresh, can.lane.as_deref()), (Refresh::AtOnce, Some("lane")));
        assert!(model.description().kind.ends_with("Model Exchange"));
    }
}

#[test]
fn an_fmu_with_both_interfaces_is_used_as_asked() {
    for fmi in BOTH {
        let fmu = open("dahlquist", fmi);
        assert!(fmu.description().model.kind.ends_with("Co-Simulation"));
        let binary = fmu.binary().unwrap();
        assert_eq!(fmu.exchange_binary().unwrap(), binary);
        let options = LoadOptions::default();
        let stepping = FmuModel::load(fmu, &binary, String::new(), &options).unwrap();
        assert_eq!(stepping.description().capabilities.refresh, Refresh::ByStep);
        assert_eq!(load("dahlquist", fmi).description().capabilities.refresh, Refresh::AtOnce);
    }
}

#[test]
fn an_fmu_without_the_interface_asked_for_is_refused() {
    let ball = open("exchange-ball", Fmi::V3);
    assert!(matches!(ball.binary(), Err(LoadError::NoCoSimulation { model_exchange: true, .. })));
    let gain = open("gain", Fmi::V3);
    let error = gain.exchange_binary().unwrap_err();
    let diagnostic = error.diagnostic("probe.fmu", None);
    assert_eq!(diagnostic.code, "fmi::no-model-exchange");
    assert_eq!(diagnostic.message, "`gain` has no Model Exchange interface");
    assert_eq!(diagnostic.help.as_deref(), Some("export the FMU for Model Exchange"));
}

#[test]
fn a_binary_that_lacks_a_function_is_refused_by_its_name() {
    // A binary for Co-Simulation only, under a description that promises Model Exchange.
    let name = "singlewatertank-20sim";
    let archive = fs::File::open(water_tanks::build(name)).unwrap();
    let mut archive = zip::ZipArchive::new(archive).unwrap();
    let mut bytes = Vec::new();
    let mut entry = archive.by_name(&format!("binaries/linux64/{name}.so")).unwrap();
    entry.read_to_end(&mut bytes).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("tank.so");
    fs::write(&binary, bytes).unwrap();
    let fmu = open("exchange-ball", Fmi::V2);
    let loaded = ExchangeModel::load(fmu, &binary, String::new(), &LoadOptions::default());
    let diagnostic = loaded.err().unwrap().diagnostic("probe.fmu", None);
    assert_eq!(diagnostic.code, "fmi::missing-function");
    assert!(diagnostic.message.ends_with("has no function `fmi2EnterEventMode`"));
    let help = "every Model Exchange FMU exports `fmi2EnterEventMode`: export the FMU again";
    assert_eq!(diagnostic.help.as_deref(), Some(help));
}

/// What is said about the description of `dahlquist` after a change: severity, code, help.
fn change(fmi: Fmi, from: &str, to: &str) -> Vec<(Severity, &'static str, String)> {
    let folder = fmus::source_fmu_folder("dahlquist", fmi);
    let text = fs::read_to_string(folder.join("modelDescription.xml")).unwrap();
    assert!(text.contains(from), "{from}");
    let mut report = Report::default();
    description::read("m.xml", text.replace(from, to).as_bytes(), &mut report);
    let reported = report.diagnostics().iter();
    reported.map(|it| (it.severity, it.code, it.help.clone().unwrap_or_default())).collect()
}

#[test]
fn a_derivative_of_no_state_is_an_error_only_where_it_matters() {
    let reported = change(Fmi::V3, " derivative=\"3\"", "");
    let help = "name the state in the attribute `derivative` of `der(x)`; \
                Model Exchange cannot be used without it";
    let warning = (Severity::Warning, "description::no-state", help.to_owned());
    assert_eq!(reported, [warning]);
    let folder = fmus::source_fmu_folder("exchange-vanderpol", Fmi::V2);
    let text = fs::read_to_string(folder.join("modelDescription.xml")).unwrap();
    let text = text.replace(" derivative=\"4\"", "");
    let mut report = Report::default();
    assert!(description::read("m.xml", text.as_bytes(), &mut report).is_none());
    let [error] = report.diagnostics() else { panic!("one diagnostic: {report:?}") };
    assert_eq!((error.severity, error.code), (Severity::Error, "description::no-state"));
}

#[test]
fn attributes_of_the_interface_are_checked() {
    let reported =
        change(Fmi::V2, "completedIntegratorStepNotNeeded=\"true\"", "completed=\"true\"");
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].1, "description::unknown-attribute");
    let reported =
        change(Fmi::V2, "numberOfEventIndicators=\"0\"", "numberOfEventIndicators=\"-1\"");
    assert_eq!(reported[0].1, "description::number");
}
