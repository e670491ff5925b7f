//! Which solver a component gets, and what is said if it can get none.

use crate::harness::render_all;
use crate::loader::Place;
use consort_core::{Interface, Report, SolverKind};
use consort_models::{Asked, LoadedModel, Loader, ModelRequest, SolverRequest};
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fmt::Write as _;
use std::sync::Arc;

const NOTHING: SolverRequest = SolverRequest {
    interface: None,
    solver: None,
    tolerance: None,
    step: None,
    default_solver: None,
    default_step: None,
};

fn asked<T>(value: T) -> Option<Asked<T>> {
    Some(Asked { value, span: None })
}

fn load(
    (place, loader): (&Place, &mut Loader),
    model: &str,
    solving: SolverRequest,
    report: &mut Report,
) -> Option<LoadedModel> {
    let base = place.base();
    let request = ModelRequest { component: "part", solving, ..ModelRequest::new(model, &base) };
    loader.load(&request, report)
}

/// A model of the test kit, loaded without a word.
fn loaded(world: (&Place, &mut Loader), name: &str, solving: SolverRequest) -> LoadedModel {
    let fmu = fmus::build(name, Fmi::V3, &BuildOptions::archive());
    let mut report = Report::default();
    let loaded = load(world, fmu.to_str().unwrap(), solving, &mut report);
    assert!(report.diagnostics().is_empty(), "{}", render_all(&report));
    loaded.unwrap()
}

fn kind_and_solver(loaded: &LoadedModel) -> (&str, Option<String>) {
    let description = loaded.model.description();
    let solved_by = description.capabilities.solved_by;
    (&description.kind, solved_by.map(|it| it.settings.to_string()))
}

#[test]
fn an_fmu_with_both_interfaces_is_used_as_asked() {
    let place = Place::new();
    let mut loader = place.loader();
    let mut check = |solving, kind: &str, solver: Option<&str>| {
        let loaded = loaded((&place, &mut loader), "dahlquist", solving);
        let solver = solver.map(str::to_owned);
        assert_eq!(kind_and_solver(&loaded), (kind, solver), "{solving:?}");
        let facts = &loaded.model.description().facts;
        let interfaces = ("interfaces".to_owned(), "Co-Simulation, Model Exchange".to_owned());
        assert!(facts.contains(&interfaces), "{facts:?}");
    };
    let (stepping, exchange) = ("FMI 3.0 Co-Simulation", "FMI 3.0 Model Exchange");
    check(NOTHING, stepping, None);
    let interface = asked(Interface::CoSimulation);
    check(SolverRequest { interface, ..NOTHING }, stepping, None);
    let interface = asked(Interface::ModelExchange);
    check(SolverRequest { interface, ..NOTHING }, exchange, Some("auto"));
    let solver = asked(SolverKind::Adams);
    check(SolverRequest { solver, ..NOTHING }, exchange, Some("adams"));
    let (tolerance, step) = (asked(1e-9), asked("0.5".parse().unwrap()));
    let all = SolverRequest { interface, solver, tolerance, step, ..NOTHING };
    check(all, exchange, Some("adams, tolerance 1e-9, steps up to 0.5 s"));
    // What holds for all chooses no interface.
    let default_solver = Some(SolverKind::RungeKutta4);
    let default = SolverRequest { default_solver, ..NOTHING };
    check(default, stepping, None);
    check(SolverRequest { interface, ..default }, exchange, Some("rk4"));
    check(SolverRequest { solver, ..default }, exchange, Some("adams"));
}

#[test]
fn the_same_solver_is_one_model_and_another_is_another_over_one_binary() {
    let place = Place::new();
    let mut loader = place.loader();
    let with = |solver| SolverRequest { solver: asked(solver), ..NOTHING };
    let mut load = |solving| loaded((&place, &mut loader), "exchange-ball", solving);
    let (first, again) = (load(with(SolverKind::Adams)), load(with(SolverKind::Adams)));
    assert!(Arc::ptr_eq(&first.model, &again.model));
    let other = load(with(SolverKind::Euler));
    assert!(!Arc::ptr_eq(&first.model, &other.model));
    assert_eq!(first.inputs, other.inputs);
    let lane = |loaded: &LoadedModel| loaded.model.description().capabilities.lane.clone();
    assert_eq!(lane(&first), lane(&other), "instances of one binary share a lane");
    let default = SolverRequest { default_solver: Some(SolverKind::Euler), ..NOTHING };
    assert!(Arc::ptr_eq(&load(default).model, &other.model), "whichever component requested it");
    assert!(other.assumed.is_empty(), "nothing is assumed that was asked for: {:?}", other.assumed);
}

#[test]
fn what_has_no_effect_is_refused_with_a_help() {
    let place = Place::new();
    let mut loader = place.loader();
    let (solver, tolerance) = (asked(SolverKind::Adams), asked(1e-8));
    let step = asked("0.001".parse().unwrap());
    let interface = |interface| SolverRequest { interface: asked(interface), ..NOTHING };
    let (exchange, stepping) =
        (interface(Interface::ModelExchange), interface(Interface::CoSimulation));
    let cases = [
        ("native:gain", SolverRequest { solver, tolerance, step, ..exchange }),
        ("gain", SolverRequest { solver, tolerance, step, ..NOTHING }),
        ("gain", exchange),
        ("exchange-ball", stepping),
        ("dahlquist", SolverRequest { tolerance, step, ..NOTHING }),
        ("dahlquist", SolverRequest { solver, ..stepping }),
        (
            "exchange-ball",
            SolverRequest { solver: asked(SolverKind::RungeKutta4), tolerance, ..NOTHING },
        ),
        (
            "exchange-ball",
            SolverRequest { default_solver: Some(SolverKind::Euler), tolerance, ..NOTHING },
        ),
    ];
    let mut all = String::new();
    for (name, solving) in cases {
        let is_native = name.starts_with("native:");
        if !is_native {
            let target = place.base().join(format!("{name}.fmu"));
            std::fs::copy(fmus::build(name, Fmi::V3, &BuildOptions::archive()), target).unwrap();
        }
        let model = if is_native { name.to_owned() } else { format!("{name}.fmu") };
        // Reported each time, also when the model is known.
        let [first, again] = [(); 2].map(|()| {
            let mut report = Report::default();
            let loaded = load((&place, &mut loader), &model, solving, &mut report);
            assert!(loaded.is_some() && report.has_errors(), "{name}");
            render_all(&report)
        });
        assert_eq!(first, again);
        let _ = writeln!(all, "## {name}\n{first}");
    }
    insta::assert_snapshot!("no_effect", all);
}
