//! The verdict of a check, and the truth.

use crate::program::World;
use crate::tally::Tally;
use consort_core::{Fidelity, Interface, Literal, Model, Provider, Report, Seconds, SetupOrder};
use consort_host::{HostOptions, ProcessLimits};
use consort_models::fidelity::{Check, CheckOptions, Conditions, Given, Verdict};
use consort_models::loader::{Loader, LoaderOptions};
use consort_models::{Asked, GivenParameter, ModelRequest};
use consort_testkit::amnesiac::{Case, Saving, Truth};
use consort_testkit::liar;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const FOR_SOME_INPUTS: &str = "shows for some inputs only";
/// So many other inputs must show what a verdict denies.
const OTHER_INPUTS: u32 = 20;

/// Checks the model's own saving as a run does, and compares.
pub(crate) fn examine(world: &World<'_>, tally: &mut Tally) {
    let case = world.case;
    let model = load(world);
    let step = Seconds::new(i64::from(case.step), 1000);
    let conditions = Conditions { step, ..Conditions::default() };
    let options = CheckOptions { conditions, ..CheckOptions::default() };
    let began = Instant::now();
    let check = Check::new(&*model, &options, &given(case, &*model)).unwrap();
    let verdict = check.judge(&*model, Provider::Native);
    let taken = began.elapsed().as_secs_f64();
    let course = check.course();
    let steps = u32::try_from(course.tau.ticks() / course.step.ticks()).unwrap();
    let course = [steps, course.points];
    let truth = case.truth(course, 0);
    let wrong = wrong(case, &truth, &verdict);
    let name = match wrong {
        Some(_) if !is_certain(case, course, &verdict) => FOR_SOME_INPUTS,
        _ => truth.name(),
    };
    if let Some(what) = wrong.filter(|_| name != FOR_SOME_INPUTS) {
        let (fidelity, why) = (verdict.fidelity, &verdict.why);
        tally.fail(case, what, &format!("{truth:?}\n{fidelity}: {why:?} {:?}", verdict.notes));
    }
    let run = verdict.costs.as_ref().map(|costs| costs.whole);
    tally.count_verdict(name, verdict.fidelity, (taken, run));
    if truth.is_complete() && verdict.fidelity < best(case) {
        tally.note(case, &format!("the oracle saw no difference: {:?}", verdict.why));
    }
}

/// Whether a verdict is wrong whatever the inputs are: those of the check are others than those of the oracle.
fn is_certain(case: &Case, course: [u32; 2], verdict: &Verdict) -> bool {
    let is_wrong = |inputs| wrong(case, &case.truth(course, inputs), verdict).is_some();
    (1..=OTHER_INPUTS).all(is_wrong)
}

/// What a verdict must not be.
fn wrong(case: &Case, truth: &Truth, verdict: &Verdict) -> Option<&'static str> {
    let fidelity = verdict.fidelity;
    match () {
        () if best(case) < fidelity => Some("a verdict better than what is offered"),
        () if truth.is_unrepeatable() && Fidelity::None < fidelity => {
            Some("a verdict for states that behave differently each time")
        }
        () if truth.is_inexact() && Fidelity::Repeatable < fidelity => {
            Some("an exact verdict for states that behave differently")
        }
        () if truth.is_unportable() && Fidelity::Exact < fidelity => {
            Some("a portable verdict for bytes that behave differently")
        }
        () if case.faults.is_empty() && fidelity < best(case) => {
            Some("a bad verdict for an honest model")
        }
        () => None,
    }
}

/// What its states are if they are complete.
fn best(case: &Case) -> Fidelity {
    match case.saving {
        Saving::Nothing => Fidelity::None,
        Saving::States => Fidelity::Exact,
        Saving::Bytes => Fidelity::Portable,
    }
}

/// The model in a process of its own, with its own saving.
fn load(world: &World<'_>) -> Arc<dyn Model> {
    let host = HostOptions {
        program: env!("CARGO_BIN_EXE_consort").into(),
        arguments: vec!["host".into()],
        limits: ProcessLimits::default(),
        scratch: world.cache().join("workers"),
    };
    let options =
        LoaderOptions { host: Some(host), ..LoaderOptions::new(world.cache().to_owned()) };
    let fmu = world.case.fmu();
    let mut request = ModelRequest::new(fmu.to_str().unwrap(), Path::new(""));
    let interface = match world.case.interface {
        liar::Interface::CoSimulation => Interface::CoSimulation,
        liar::Interface::ModelExchange => Interface::ModelExchange,
    };
    request.solving.interface = Some(Asked { value: interface, span: None });
    request.isolate = Some(Asked { value: true, span: None });
    request.state = Some(Asked { value: Provider::Native, span: None });
    let mut report = Report::default();
    let loaded = Loader::new(options).load(&request, &mut report);
    loaded.unwrap_or_else(|| panic!("{:?}", report.diagnostics())).model
}

fn given(case: &Case, model: &dyn Model) -> Given {
    let values: Vec<(&str, Literal)> =
        case.parameters().into_iter().map(|(name, value)| (name, Literal::Float(value))).collect();
    let parameter = |(name, value)| GivenParameter { name, value, has_unit: false, span: None };
    let parameters: Vec<GivenParameter<'_>> =
        values.iter().map(|(name, value)| parameter((*name, value))).collect();
    Given::new(model.description(), &parameters, SetupOrder::First)
}
