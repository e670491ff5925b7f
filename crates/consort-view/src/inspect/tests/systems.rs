//! A system made by hand.

use super::super::*;
use super::extra;
use super::models::{bare, tank};
use consort_core::{
    ComponentId, Conversion, Literal, Resolution, Seconds, Setting, SetupOrder, Time, Values,
    VariableId,
};
use consort_system::{
    Action, Component, Connection, Experiment, Hold, Intervention, Parameter, Port, Record,
    ResolvedComponent, ResolvedConnection, ResolvedCoupling, ResolvedExperiment, ResolvedSystem,
    Spanned, StepLength, SystemDescription, When,
};

fn seconds(text: &str) -> Spanned<Seconds> {
    Spanned::assumed(text.parse().unwrap())
}

fn named(text: &str) -> Spanned<String> {
    Spanned::assumed(text.to_owned())
}

fn component(name: &str, model: &str) -> Component {
    Component { event_mode: false, ..Component::new(named(name), named(model)) }
}

fn system() -> SystemDescription {
    let area = Parameter {
        name: named("area"),
        value: Spanned::assumed(Literal::Float(150.0)),
        unit: Some(named("dm2")),
    };
    SystemDescription {
        name: "quickstart".to_owned(),
        experiment: Experiment {
            start: seconds("0"),
            stop: Some(seconds("60")),
            step: Some(seconds("0.01")),
            seed: 7,
            tolerance: Some(Spanned::assumed(1e-6)),
            record: Record::These(vec![named("tank.*"), named("control.y")]),
            ..Experiment::default()
        },
        components: vec![
            Component { parameters: vec![area], ..component("tank", "tank.fmu") },
            Component { step: Some(seconds("0.1")), ..component("control", "native:bare") },
            component("lost", "missing.fmu"),
        ],
        connections: vec![
            Connection::new(named("tank.level"), named("control.u")),
            Connection {
                hold: Hold::Extrapolate,
                group: Some("bus".to_owned()),
                ..Connection::new(named("control.y"), named("tank.valve"))
            },
        ],
        interventions: vec![
            Intervention {
                when: When::At(seconds("10")),
                target: named("tank.inflow"),
                action: Action::Offset(Spanned::assumed(Literal::Float(0.5))),
                unit: Some(named("l/s")),
            },
            Intervention {
                when: When::Condition(named("tank.level < 0.2")),
                target: named("control.y -> tank.valve"),
                action: Action::Freeze,
                unit: None,
            },
        ],
        inputs: None,
        nodes: Vec::new(),
    }
}

fn resolved() -> ResolvedSystem {
    let part = |name: &str, period: i64| ResolvedComponent {
        name: name.to_owned(),
        period: Time::from_ticks(period),
        step_length: StepLength::Fixed,
        concurrent: false,
        event_mode: false,
        reactive: Vec::new(),
        counts: Vec::new(),
        structural: Vec::new(),
        settings: vec![Setting {
            variable: VariableId(4),
            values: Values::Float64(vec![1.5]),
            is_given: true,
        }],
        setup: SetupOrder::First,
        recorded: Vec::new(),
        hashed: Vec::new(),
    };
    let port = |component: u32, variable: u32| Port {
        component: ComponentId(component),
        variable: VariableId(variable),
        first: 0,
        count: 1,
    };
    let wire = |from: Port, to: Port, gain: f64| ResolvedConnection {
        from,
        to,
        conversion: Conversion { gain, offset: 0.0 },
        hold: Hold::Hold,
        delay: false,
        origin: consort_system::Origin::default(),
    };
    ResolvedSystem {
        name: "quickstart".to_owned(),
        experiment: ResolvedExperiment {
            resolution: Resolution::new("0.01".parse().unwrap()).unwrap(),
            start: Time::ZERO,
            stop: Time::from_ticks(6000),
            step: Time::from_ticks(1),
            seed: 7,
            tolerance: Some(1e-6),
            hash: consort_core::HashMode::All,
        },
        components: vec![part("tank", 1), part("control", 10)],
        connections: vec![wire(port(0, 2), port(0, 3), 1e3), wire(port(1, 1), port(0, 0), 1.0)],
        feed: None,
        interventions: Vec::new(),
        coupling: ResolvedCoupling::default(),
        placement: None,
    }
}

#[test]
fn a_system_is_shown_with_what_could_not_be_loaded() {
    let (tank, bare) = (tank(), bare());
    let extra = InspectExtra {
        assumed: vec!["`step` of `tank`: the experiment's".to_owned()],
        ..extra("examples/quickstart/system.toml")
    };
    insta::assert_snapshot!(describe_system(
        &system(),
        &[Some(&tank), Some(&bare), None],
        None,
        &extra
    ));
}

#[test]
fn a_resolved_system_is_shown_with_exact_steps_and_conversions() {
    let (tank, bare) = (tank(), bare());
    let mut system = system();
    system.components.truncate(2);
    let models = [Some(&tank), Some(&bare)];
    insta::assert_snapshot!(describe_system(
        &system,
        &models,
        Some(&resolved()),
        &extra("quickstart")
    ));
}

#[test]
fn a_system_for_programs_names_its_parts() {
    let json = system_to_json(&system(), &[None, None, None]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}
