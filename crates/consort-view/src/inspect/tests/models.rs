//! Models made by hand.

use consort_core::model::{DefaultExperiment, Enumeration};
use consort_core::{
    Capabilities, Causality, DependencyKind, DependsOn, Dimension, Initial, ModelDescription,
    ModelStructure, Reference, Refresh, Unit, Unknown, ValueType, Values, Variability, Variable,
    VariableId,
};

fn scalar(name: &str, causality: Causality, description: &str) -> Variable {
    let description = description.to_owned();
    Variable { description, ..Variable::scalar(name, Reference(0), causality) }
}

fn unknown(variable: u32, on: &[(u32, DependencyKind)]) -> Unknown {
    let list = on.iter().map(|(id, kind)| (VariableId(*id), *kind)).collect();
    Unknown { variable: VariableId(variable), on: DependsOn::These(list) }
}

/// An FMI 2 model of scalars with declared dependencies.
pub(super) fn tank() -> ModelDescription {
    let structure = ModelStructure {
        outputs: vec![
            unknown(2, &[]),
            unknown(3, &[(0, DependencyKind::Constant), (2, DependencyKind::Dependent)]),
        ],
        derivatives: vec![unknown(
            6,
            &[(0, DependencyKind::Dependent), (1, DependencyKind::Fixed)],
        )],
        ..ModelStructure::default()
    };
    ModelDescription {
        name: "Tank".to_owned(),
        kind: "FMI 2.0 Co-Simulation".to_owned(),
        variables: tank_variables(),
        structure,
        units: vec![Unit::named("m"), Unit::named("m3/s"), Unit::named("m2")],
        enumerations: Vec::new(),
        capabilities: Capabilities {
            refresh: Refresh::ByStep,
            lane: Some("tank".to_owned()),
            serialize_state: false,
            ..Capabilities::native()
        },
        default_experiment: DefaultExperiment {
            start: Some("0".to_owned()),
            stop: Some("60".to_owned()),
            tolerance: Some("1e-6".to_owned()),
            step: Some("0.01".to_owned()),
        },
        facts: vec![
            ("description".to_owned(), "A tank with an inlet and an outlet valve".to_owned()),
            ("tool".to_owned(), "hand-written C".to_owned()),
        ],
    }
}

fn tank_variables() -> Vec<Variable> {
    let start = |value: f64| Some(Values::Float64(vec![value]));
    let text =
        "Position of the outlet valve, from closed to open; the actuator follows without delay";
    vec![
        Variable {
            start: start(0.5),
            min: Some(0.0),
            max: Some(1.0),
            ..scalar("valve", Causality::Input, text)
        },
        Variable {
            start: start(2e-5),
            unit: Some(1),
            min: Some(0.0),
            ..scalar("inflow", Causality::Input, "Inflow")
        },
        Variable {
            unit: Some(0),
            initial: Initial::Exact,
            start: start(1.0),
            ..scalar("level", Causality::Output, "Height of the water")
        },
        Variable {
            unit: Some(1),
            initial: Initial::Calculated,
            ..scalar("outflow", Causality::Output, "Flow through the valve")
        },
        Variable {
            unit: Some(2),
            start: start(1.5),
            ..scalar("area", Causality::Parameter, "Base area")
        },
        Variable {
            variability: Variability::Tunable,
            start: start(0.61),
            ..scalar("discharge", Causality::Parameter, "Discharge coefficient")
        },
        Variable {
            derivative_of: Some(VariableId(2)),
            ..scalar("der(level)", Causality::Local, "")
        },
    ]
}

/// An FMI 3 model with arrays, an enumeration, a clock, text, bytes and a terminal.
pub(super) fn arrays() -> ModelDescription {
    ModelDescription {
        name: "Wall".to_owned(),
        kind: "FMI 3.0 Co-Simulation".to_owned(),
        variables: array_variables(),
        structure: ModelStructure {
            outputs: vec![
                unknown(2, &[(1, DependencyKind::Dependent)]),
                Unknown { variable: VariableId(6), on: DependsOn::All },
            ],
            ..ModelStructure::default()
        },
        units: vec![Unit::named("W"), Unit::named("degC")],
        enumerations: vec![Enumeration {
            name: "Mode".to_owned(),
            items: vec![
                ("off".to_owned(), 1),
                ("heating".to_owned(), 2),
                ("cooling".to_owned(), 3),
            ],
        }],
        capabilities: Capabilities {
            refresh: Refresh::ByStep,
            event_mode: true,
            early_return: true,
            directional_derivatives: true,
            input_derivatives_max: 2,
            single_instance: true,
            ..Capabilities::native()
        },
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}

fn array_variables() -> Vec<Variable> {
    let of_type = |value_type, variable: Variable| Variable {
        value_type,
        variability: variable.causality.default_variability(value_type),
        ..variable
    };
    let n =
        of_type(ValueType::UInt64, scalar("n", Causality::StructuralParameter, "Number of cells"));
    let mode = of_type(ValueType::Enumeration, scalar("mode", Causality::Input, "What to do"));
    let name = of_type(ValueType::String, scalar("name", Causality::Parameter, "Shown in the log"));
    let frame = of_type(ValueType::Binary, scalar("frame", Causality::Output, "Bus frame"));
    let tick = of_type(ValueType::Clock, scalar("tick", Causality::Input, ""));
    let count = of_type(ValueType::Int64, scalar("count", Causality::Output, "Frames so far"));
    let cells = vec![Dimension::Structural(VariableId(0))];
    let gain = vec![Dimension::Fixed(2), Dimension::Structural(VariableId(0))];
    let long = "A local variable with a very long name that has to be cut in a narrow table";
    vec![
        Variable { start: Some(Values::UInt64(vec![5])), ..n },
        Variable {
            dimensions: cells.clone(),
            start: Some(Values::Float64(vec![300.0])),
            unit: Some(0),
            ..scalar("heat", Causality::Input, "Heat per cell")
        },
        Variable {
            dimensions: cells,
            unit: Some(1),
            aliases: vec!["T".to_owned(), "temp".to_owned()],
            terminal: Some("wall".to_owned()),
            ..scalar("temperature", Causality::Output, "Temperature per cell")
        },
        Variable {
            dimensions: gain,
            start: Some(Values::Float64((0..10).map(f64::from).collect())),
            ..scalar("gain", Causality::Parameter, "")
        },
        Variable { enumeration: Some(0), start: Some(Values::Enumeration(vec![2])), ..mode },
        Variable {
            start: Some(Values::String(vec!["cell \"A\", the first one of all".to_owned()])),
            ..name
        },
        Variable {
            start: Some(Values::Binary(vec![vec![1, 171]])),
            clocks: vec![VariableId(7)],
            terminal: Some("bus".to_owned()),
            ..frame
        },
        tick,
        Variable {
            start: Some(Values::Int64(vec![i64::MAX])),
            max: Some(f64::INFINITY),
            clocks: vec![VariableId(7)],
            terminal: Some("bus".to_owned()),
            ..count
        },
        scalar("reactor.core.heat_exchanger.plate_12.surface_temperature", Causality::Local, long),
    ]
}

/// A model that declares as little as it can.
pub(super) fn bare() -> ModelDescription {
    ModelDescription {
        name: "bare".to_owned(),
        kind: "native block".to_owned(),
        variables: vec![scalar("u", Causality::Input, ""), scalar("y", Causality::Output, "")],
        structure: ModelStructure::default(),
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}
