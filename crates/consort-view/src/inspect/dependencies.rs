//! What depends on what: for each output the inputs that show in it at once.

use crate::page::Page;
use consort_core::{
    Causality, DependencyKind, DependsOn, ModelDescription, Unknown, Variable, VariableId,
};

pub(super) fn write(page: &mut Page, model: &ModelDescription) {
    let mut declared = vec![None; model.variables.len()];
    for unknown in &model.structure.outputs {
        declared[unknown.variable.index()].get_or_insert(&unknown.on);
    }
    let lines: Vec<(String, String)> = outputs(model)
        .map(|(id, variable)| (variable.name.clone(), sentence(declared[id.index()], model)))
        .collect();
    if !lines.is_empty() {
        page.heading("What depends on what");
        page.facts(&lines);
    }
}

fn outputs(model: &ModelDescription) -> impl Iterator<Item = (VariableId, &Variable)> + '_ {
    let all = model.variables.iter().enumerate();
    all.filter(|(_, variable)| variable.causality == Causality::Output)
        .map(|(index, variable)| (VariableId::from_index(index), variable))
}

/// `<- valve`, or why there is no such list.
fn sentence(declared: Option<&DependsOn>, model: &ModelDescription) -> String {
    let has_inputs = || model.variables.iter().any(|each| each.causality == Causality::Input);
    match declared {
        None | Some(DependsOn::All) if has_inputs() => {
            "not declared: taken to depend on every input".to_owned()
        }
        None | Some(DependsOn::All) => "no inputs to depend on".to_owned(),
        Some(DependsOn::These(list)) => listed(list, model),
    }
}

fn listed(list: &[(VariableId, DependencyKind)], model: &ModelDescription) -> String {
    let (inputs, others): (Vec<_>, Vec<_>) = list
        .iter()
        .map(|&(id, kind)| (&model.variables[id.index()], kind))
        .partition(|(variable, _)| variable.causality == Causality::Input);
    let others: Vec<String> = others.iter().map(|(variable, _)| variable.name.clone()).collect();
    let also = match others.as_slice() {
        [] => String::new(),
        names => format!("; computed from {}", names.join(", ")),
    };
    if inputs.is_empty() {
        return format!("on no input directly (no feedthrough){also}");
    }
    let names: Vec<String> = inputs
        .iter()
        .map(|(variable, kind)| format!("{}{}", variable.name, factor(*kind)))
        .collect();
    format!("<- {}{also}", names.join(", "))
}

fn factor(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Dependent => "",
        DependencyKind::Constant => " (by a constant factor)",
        DependencyKind::Fixed => " (by a fixed factor)",
        DependencyKind::Tunable => " (by a tunable factor)",
        DependencyKind::Discrete => " (by a factor that changes at events)",
    }
}

/// The names of the continuous states.
pub(super) fn states(model: &ModelDescription) -> Vec<String> {
    let state = |unknown: &Unknown| {
        let state = model.variables[unknown.variable.index()].derivative_of?;
        Some(model.variables[state.index()].name.clone())
    };
    model.structure.derivatives.iter().filter_map(state).collect()
}
