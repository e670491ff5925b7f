//! `ModelStructure`: the computed variables and their dependencies.

use super::variables::number;
use crate::FmiVersion;
use crate::xml::{Attributes, XmlWriter};
use consort_core::{Causality, Initial};
use consort_equations::{Dependence, Equations, ModelPart};
use std::collections::BTreeSet;

/// Something that is computed.
struct Unknown {
    part: ModelPart,
    /// The known variables; `None` if the unknown may depend on all.
    from: Option<Vec<(ModelPart, Kind)>>,
}

/// How a value follows another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Dependent,
    /// The unknown is a constant multiple of it.
    Constant,
}

/// Writes the lists in the order the schemas want them.
pub(super) fn write(xml: &mut XmlWriter, equations: &Equations, version: FmiVersion) {
    let outputs = outputs(equations);
    let derivatives = derivatives(equations);
    let initial = initial_unknowns(equations);
    xml.element("ModelStructure", &[], |xml| match version {
        FmiVersion::V2 => {
            for (name, unknowns) in
                [("Outputs", outputs), ("Derivatives", derivatives), ("InitialUnknowns", initial)]
            {
                if !unknowns.is_empty() {
                    xml.element(name, &[], |xml| {
                        list(xml, "Unknown", equations, &unknowns, version);
                    });
                }
            }
        }
        FmiVersion::V3 => {
            list(xml, "Output", equations, &outputs, version);
            list(xml, "ContinuousStateDerivative", equations, &derivatives, version);
            list(xml, "InitialUnknown", equations, &initial, version);
            let indicators = (0..equations.indicators.len()).map(ModelPart::Indicator);
            let unknown = |part| Unknown { part, from: None };
            let indicators: Vec<Unknown> = indicators.map(unknown).collect();
            list(xml, "EventIndicator", equations, &indicators, version);
        }
    });
}

fn list(
    xml: &mut XmlWriter,
    element: &'static str,
    equations: &Equations,
    unknowns: &[Unknown],
    version: FmiVersion,
) {
    let key = match version {
        FmiVersion::V2 => "index",
        FmiVersion::V3 => "valueReference",
    };
    let number = |part: ModelPart| number(equations, part, version);
    for unknown in unknowns {
        let mut attributes: Attributes<'_> = vec![(key, number(unknown.part))];
        if let Some(from) = &unknown.from {
            let numbers: Vec<String> = from.iter().map(|(part, _)| number(*part)).collect();
            let kinds: Vec<&str> = from.iter().map(|(_, kind)| kind_name(*kind)).collect();
            attributes.push(("dependencies", numbers.join(" ")));
            attributes.push(("dependenciesKind", kinds.join(" ")));
        }
        xml.leaf(element, &attributes);
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Dependent => "dependent",
        Kind::Constant => "constant",
    }
}

/// Every output: states and discretes that are seen, then the others.
fn outputs(equations: &Equations) -> Vec<Unknown> {
    let is_output = |part: &ModelPart| equations.role(*part).causality == Causality::Output;
    let unknown = |part| {
        let from = match part {
            ModelPart::Output(at) => continuous(&equations.output_dependence[at]),
            // A state is known; it is itself.
            ModelPart::State(_) => vec![(part, Kind::Constant)],
            _ => Vec::new(),
        };
        Unknown { part, from: Some(from) }
    };
    equations.parts().filter(is_output).map(unknown).collect()
}

fn derivatives(equations: &Equations) -> Vec<Unknown> {
    let dependence = equations.derivative_dependence.iter().enumerate();
    let unknown = |(at, dependence)| {
        let from = Some(continuous(dependence));
        Unknown { part: ModelPart::Derivative(at), from }
    };
    dependence.map(unknown).collect()
}

/// In continuous-time mode: from time, inputs and states.
fn continuous(dependence: &Dependence) -> Vec<(ModelPart, Kind)> {
    let inputs = dependence.inputs.iter().copied().map(ModelPart::Input);
    let states = dependence.states.iter().copied().map(ModelPart::State);
    time(dependence).chain(inputs).chain(states).map(|part| (part, Kind::Dependent)).collect()
}

/// In initialization: from time, parameters, inputs, and what states and discretes start with; where those are
/// computed themselves, from what that depends on. Where the past is asked, it may be anything.
fn in_initialization(
    equations: &Equations,
    dependence: &Dependence,
) -> Option<Vec<(ModelPart, Kind)>> {
    let mut parts = at_once(dependence);
    let states = dependence.states.iter().copied().map(ModelPart::State);
    for part in states.chain(dependence.discretes.iter().copied().map(ModelPart::Discrete)) {
        if equations.role(part).initial == Initial::Exact {
            parts.insert(part);
        } else {
            parts.extend(at_once(first_value(equations, part)?));
        }
    }
    let has_past = !dependence.delays.is_empty();
    (!has_past).then(|| parts.into_iter().map(|part| (part, Kind::Dependent)).collect())
}

/// Time, parameters and inputs; parts are ordered as their numbers are.
fn at_once(dependence: &Dependence) -> BTreeSet<ModelPart> {
    let parameters = dependence.parameters.iter().copied().map(ModelPart::Parameter);
    let inputs = dependence.inputs.iter().copied().map(ModelPart::Input);
    time(dependence).chain(parameters).chain(inputs).collect()
}

/// What the first value of a state or discrete depends on; `None` if that is the past.
fn first_value(equations: &Equations, part: ModelPart) -> Option<&Dependence> {
    let at = match part {
        ModelPart::State(at) => at,
        ModelPart::Discrete(at) => equations.states.len() + at,
        _ => return None,
    };
    let dependence = equations.initial_dependence.get(at)?;
    dependence.delays.is_empty().then_some(dependence)
}

/// What initialization computes: the standard lists outputs, computed parameters, states and their
/// derivatives, unless they are exact.
fn initial_unknowns(equations: &Equations) -> Vec<Unknown> {
    let is_unknown = |part: &ModelPart| {
        let role = equations.role(*part);
        let is_listed =
            matches!(role.causality, Causality::Output | Causality::CalculatedParameter)
                || matches!(part, ModelPart::State(_) | ModelPart::Derivative(_));
        role.initial == Initial::Calculated && is_listed
    };
    let unknown = |part| {
        let dependence = match part {
            ModelPart::Output(at) => Some(&equations.output_dependence[at]),
            ModelPart::Derivative(at) => Some(&equations.derivative_dependence[at]),
            _ => first_value(equations, part),
        };
        Unknown { part, from: dependence.and_then(|it| in_initialization(equations, it)) }
    };
    equations.parts().filter(is_unknown).map(unknown).collect()
}

fn time(dependence: &Dependence) -> impl Iterator<Item = ModelPart> {
    dependence.time.then_some(ModelPart::Time).into_iter()
}
