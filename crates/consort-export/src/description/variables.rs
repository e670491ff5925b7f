//! `ModelVariables`: how each variable of a model is seen from outside.

use crate::FmiVersion;
use crate::xml::{Attributes, XmlWriter, float};
use consort_core::Initial;
use consort_equations::{Equations, EventTarget, ModelPart, Quantity};

/// What `derivative` and the lists of `ModelStructure` call a variable: FMI 2 counts variables from one,
/// FMI 3 has value references.
pub(super) fn number(equations: &Equations, part: ModelPart, version: FmiVersion) -> String {
    let first = match version {
        FmiVersion::V2 => 1,
        FmiVersion::V3 => 0,
    };
    (equations.number(part) + first).to_string()
}

/// What a variable is called.
pub(crate) fn name(equations: &Equations, part: ModelPart) -> String {
    match (part, equations.quantity(part)) {
        (ModelPart::Time, _) => time_name(equations),
        (ModelPart::Indicator(at), _) => format!("indicator({})", at + 1),
        (ModelPart::Derivative(_), Some(state)) => format!("der({})", state.name),
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

pub(super) fn write(xml: &mut XmlWriter, equations: &Equations, version: FmiVersion) {
    // FMI 2 knows indicators by their count alone.
    let is_listed =
        |part: &ModelPart| version == FmiVersion::V3 || !matches!(part, ModelPart::Indicator(_));
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
fn general(equations: &Equations, part: ModelPart) -> Attributes<'static> {
    let role = equations.role(part);
    let mut attributes = vec![
        ("name", name(equations, part)),
        ("valueReference", equations.number(part).to_string()),
    ];
    if let Some(description) = description(equations, part) {
        attributes.push(("description", description));
    }
    attributes.push(("causality", role.causality.to_string()));
    attributes.push(("variability", role.variability.to_string()));
    if role.initial != Initial::None {
        attributes.push(("initial", role.initial.to_string()));
    }
    attributes
}

fn description(equations: &Equations, part: ModelPart) -> Option<String> {
    if matches!(part, ModelPart::Derivative(_)) {
        return None; // the description is the state's
    }
    let text = &equations.quantity(part)?.description;
    (!text.is_empty()).then(|| text.clone())
}

/// The attributes of a numeric variable.
fn of_number(equations: &Equations, part: ModelPart, version: FmiVersion) -> Attributes<'static> {
    let mut attributes = Vec::new();
    if let ModelPart::Derivative(at) = part {
        attributes.push(("derivative", number(equations, ModelPart::State(at), version)));
        return attributes;
    }
    let Some(quantity) = equations.quantity(part) else { return attributes };
    attributes.extend(bounds(quantity));
    if matches!(part, ModelPart::Input(_)) || equations.role(part).initial == Initial::Exact {
        attributes.push(("start", float(quantity.start)));
    }
    if let ModelPart::State(at) = part
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
    equations.events.iter().any(|event| event.targets.contains(&EventTarget::State(state)))
}
