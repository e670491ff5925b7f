//! Random descriptions: variables and dependencies.

use super::draw::Draw;
use super::{Shape, Style};
use consort_core::{
    Capabilities, Causality, DependencyKind, DependsOn, Dimension, ModelDescription,
    ModelStructure, Reference, Refresh, Unknown, ValueType, Values, Variability, Variable,
    VariableId,
};

/// `a` to `z`, then `c26` and so on.
pub(super) fn component_name(index: u64) -> String {
    match u8::try_from(index) {
        Ok(index) if index < 26 => char::from(b'a' + index).to_string(),
        _ => format!("c{index}"),
    }
}

/// The variables of that causality.
pub(super) fn of_causality(model: &ModelDescription, causality: Causality) -> Vec<VariableId> {
    let variables = model.variables.iter().enumerate();
    let fitting = variables.filter(|(_, variable)| variable.causality == causality);
    fitting.map(|(index, _)| VariableId::from_index(index)).collect()
}

pub(super) fn model(draw: &mut Draw, style: &Style, shape: &Shape, index: u64) -> ModelDescription {
    let mut variables = Vec::new();
    let inputs = draw.between(0, shape.ports_max);
    let outputs_min = u64::from(draw.percent(90));
    let outputs = draw.between(outputs_min, shape.ports_max.max(1));
    let locals = u64::from(draw.percent(20));
    let groups = [
        ("u", Causality::Input, inputs),
        ("y", Causality::Output, outputs),
        ("x", Causality::Local, locals),
    ];
    for (name, causality, count) in groups {
        for number in 0..count {
            let name = format!("{name}{number}");
            variables.push(variable(draw, style, &name, causality, variables.len()));
        }
    }
    let by_step = draw.percent(style.by_step);
    let refresh = if by_step { Refresh::ByStep } else { Refresh::AtOnce };
    let save_state = draw.percent(style.save_state);
    let mut model = ModelDescription {
        name: format!("model-{}", component_name(index)),
        kind: "random".to_owned(),
        variables,
        structure: ModelStructure::default(),
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities { refresh, save_state, ..Capabilities::native() },
        default_experiment: Default::default(),
        facts: Vec::new(),
    };
    model.structure = structure(draw, style, &model);
    model
}

fn variable(
    draw: &mut Draw,
    style: &Style,
    name: &str,
    causality: Causality,
    index: usize,
) -> Variable {
    let reference = Reference(u32::try_from(index).expect("few variables"));
    let plain = Variable::scalar(name, reference, causality);
    let whole = draw.percent(8);
    let value_type = if whole { ValueType::Int32 } else { ValueType::Float64 };
    let variability = if whole { Variability::Discrete } else { Variability::Continuous };
    let is_array = draw.percent(style.arrays);
    let dimensions = is_array.then(|| Dimension::Fixed(draw.between(2, 3))).into_iter().collect();
    let start = (causality == Causality::Input).then(|| Values::zeros(value_type, 1));
    Variable { value_type, variability, dimensions, start, ..plain }
}

/// Some outputs say exactly what they follow, some that they follow everything, some nothing.
fn structure(draw: &mut Draw, style: &Style, model: &ModelDescription) -> ModelStructure {
    let inputs = of_causality(model, Causality::Input);
    let mut structure = ModelStructure::default();
    let says_initial = draw.percent(30);
    for id in of_causality(model, Causality::Output) {
        let said = if style.feedthrough == 0 { 100 } else { 90 };
        if draw.percent(said) {
            structure.outputs.push(unknown(draw, style.feedthrough, id, &inputs));
        }
        if says_initial && draw.percent(80) {
            structure.initial.push(unknown(draw, style.feedthrough, id, &inputs));
        }
    }
    structure
}

fn unknown(draw: &mut Draw, feedthrough: u64, id: VariableId, inputs: &[VariableId]) -> Unknown {
    let all = feedthrough != 0 && draw.percent(7);
    let mut list = Vec::new();
    for &input in inputs {
        if draw.percent(feedthrough) {
            list.push((input, DependencyKind::Dependent));
        }
    }
    let on = if all { DependsOn::All } else { DependsOn::These(list) };
    Unknown { variable: id, on }
}
