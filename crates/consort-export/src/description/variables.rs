//! `ModelVariables`: how each variable of a model is seen from outside.

use crate::FmiVersion;
use crate::xml::{Attributes, Writer, float};
use consort_equations::{Equations, Part, Quantity, Target};

/// How a value comes about before the first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// Time, and inputs, which others set.
    Unsaid,
    /// It is the start value, or what was set.
    Exact,
    /// It is computed.
    Calculated,
}

/// What the standard calls causality and variability, and `initial`.
pub(crate) struct Role {
    pub(crate) causality: &'static str,
    variability: &'static str,
    pub(crate) first: First,
}

/// The role of a variable; see the table in `docs/export.md`.
pub(crate) fn role(equations: &Equations, part: Part) -> Role {
    let quantity = equations.quantity(part);
    let is_output = quantity.is_some_and(|it| it.is_output);
    let first = match quantity.is_some_and(|it| it.is_start_fixed) {
        true => First::Exact,
        false => First::Calculated,
    };
    let seen = if is_output { "output" } else { "local" };
    let (causality, variability, first) = match part {
        Part::Time => ("independent", "continuous", First::Unsaid),
        Part::Parameter(_) => ("parameter", "fixed", First::Exact),
        Part::Input(_) => ("input", "continuous", First::Unsaid),
        Part::State(_) => (seen, "continuous", first),
        Part::Discrete(_) => (seen, "discrete", first),
        Part::Output(_) => ("output", "continuous", First::Calculated),
        Part::Local(_) if quantity.is_some_and(|it| it.is_parameter) => {
            ("calculatedParameter", "fixed", First::Calculated)
        }
        Part::Derivative(_) | Part::Local(_) | Part::Indicator(_) => {
            ("local", "continuous", First::Calculated)
        }
    };
    Role { causality, variability, first }
}

/// What a variable is called.
pub(crate) fn name(equations: &Equations, part: Part) -> String {
    match (part, equations.quantity(part)) {
        (Part::Time, _) => time_name(equations),
        (Part::Indicator(at), _) => format!("indicator({})", at + 1),
        (Part::Derivative(_), Some(state)) => format!("der({})", state.name),
        (_, quantity) => quantity.map(|it| it.name.clone()).unwrap_or_default(),
    }
}

/// `time`, unless the model has something else of that name, as SBML may.
fn time_name(equations: &Equations) -> String {
    let is_taken = |name: &str| {
        let mut quantities = equations.parts().filter_map(|part| equations.quantity(part));
        quantities.any(|quantity| quantity.name == name)
    };
    let mut name = "time".to_owned();
    while is_taken(&name) {
        name.push('_');
    }
    name
}

pub(super) fn write(xml: &mut Writer, equations: &Equations, version: FmiVersion) {
    // FMI 2 knows indicators by their count alone.
    let is_listed = |part: &Part| version == FmiVersion::V3 || !matches!(part, Part::Indicator(_));
    xml.element("ModelVariables", &[], |xml| {
        for part in equations.parts().filter(is_listed) {
            let general = general(equations, part);
            let of_number = of_number(equations, part, version);
            match version {
                FmiVersion::V2 => xml.element("ScalarVariable", &general, |xml| {
                    xml.leaf("Real", &of_number);
                }),
                FmiVersion::V3 => {
                    let all: Attributes<'_> = general.into_iter().chain(of_number).collect();
                    xml.leaf("Float64", &all);
                }
            }
        }
    });
}

/// What variables of all types have.
fn general(equations: &Equations, part: Part) -> Attributes<'static> {
    let role = role(equations, part);
    let mut attributes = vec![
        ("name", name(equations, part)),
        ("valueReference", equations.number(part).to_string()),
    ];
    if let Some(description) = description(equations, part) {
        attributes.push(("description", description));
    }
    attributes.push(("causality", role.causality.to_owned()));
    attributes.push(("variability", role.variability.to_owned()));
    match role.first {
        First::Unsaid => {}
        First::Exact => attributes.push(("initial", "exact".to_owned())),
        First::Calculated => attributes.push(("initial", "calculated".to_owned())),
    }
    attributes
}

fn description(equations: &Equations, part: Part) -> Option<String> {
    if matches!(part, Part::Derivative(_)) {
        return None; // the description is the state's
    }
    let text = &equations.quantity(part)?.description;
    (!text.is_empty()).then(|| text.clone())
}

/// What numbers have.
fn of_number(equations: &Equations, part: Part, version: FmiVersion) -> Attributes<'static> {
    let mut attributes = Vec::new();
    if let Part::Derivative(at) = part {
        let state = equations.number(Part::State(at));
        // FMI 2 counts variables from one, FMI 3 has value references.
        let state = if version == FmiVersion::V2 { state + 1 } else { state };
        attributes.push(("derivative", state.to_string()));
        return attributes;
    }
    let Some(quantity) = equations.quantity(part) else { return attributes };
    attributes.extend(bounds(quantity));
    if matches!(part, Part::Parameter(_) | Part::Input(_))
        || role(equations, part).first == First::Exact
    {
        attributes.push(("start", float(quantity.start)));
    }
    if let Part::State(at) = part
        && is_reset(equations, at)
    {
        attributes.push(("reinit", "true".to_owned()));
    }
    attributes
}

fn bounds(quantity: &Quantity) -> Attributes<'static> {
    let mut attributes = Vec::new();
    if let Some(unit) = &quantity.unit {
        attributes.push(("unit", unit.name.clone()));
    }
    let nominal = quantity.nominal.filter(|it| 0.0 < *it);
    for (name, value) in [("min", quantity.min), ("max", quantity.max), ("nominal", nominal)] {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            attributes.push((name, float(value)));
        }
    }
    attributes
}

/// Whether an event may give the state another value.
fn is_reset(equations: &Equations, state: usize) -> bool {
    equations.events.iter().any(|event| event.targets.contains(&Target::State(state)))
}
