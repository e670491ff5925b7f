//! The variables of a model, grouped by their role at its border.

use super::values;
use crate::page::Page;
use crate::table::Table;
use crate::units;
use consort_core::{Causality, Dimension, ModelDescription, ValueType, Variable};

const GROUPS: [(Causality, &str); 6] = [
    (Causality::Input, "Inputs"),
    (Causality::Output, "Outputs"),
    (Causality::StructuralParameter, "Structural parameters"),
    (Causality::Parameter, "Parameters"),
    (Causality::CalculatedParameter, "Calculated parameters"),
    (Causality::Local, "Locals"),
];

pub(super) fn write(page: &mut Page, model: &ModelDescription, all: bool) {
    for (causality, heading) in GROUPS {
        let group: Vec<&Variable> = of(model, causality).collect();
        if group.is_empty() {
            continue;
        }
        page.heading(&format!("{heading} ({})", group.len()));
        if causality == Causality::Local && !all {
            page.remark("not listed; `--verbose` shows them");
        } else {
            page.table(&table(&group, model));
        }
    }
    if of(model, Causality::Input).chain(of(model, Causality::Output)).next().is_none() {
        page.heading("Inputs and outputs");
        page.remark("none");
    }
}

/// The variables of one role, in the order of the description.
pub(super) fn of(
    model: &ModelDescription,
    causality: Causality,
) -> impl Iterator<Item = &Variable> + '_ {
    model.variables.iter().filter(move |variable| variable.causality == causality)
}

fn table(group: &[&Variable], model: &ModelDescription) -> Table {
    let headings = ["name", "type", "unit", "start", "range", "changes", "description"];
    let mut table = Table::new(&headings);
    for variable in group {
        table.row(vec![
            variable.name.clone(),
            type_name(variable, model),
            unit(variable, model),
            values::start(variable, &model.enumerations),
            values::range(variable),
            variable.variability.to_string(),
            variable.description.clone(),
        ]);
    }
    table
}

fn unit(variable: &Variable, model: &ModelDescription) -> String {
    let unit = variable.unit.and_then(|index| model.units.get(index));
    unit.map(|unit| units::readable_unit(&unit.name)).unwrap_or_default()
}

/// `Float64`, `Float64[3, n]`, `Mode` for an enumeration of that name.
pub(super) fn type_name(variable: &Variable, model: &ModelDescription) -> String {
    let enumeration = variable.enumeration.and_then(|index| model.enumerations.get(index));
    let element = match enumeration {
        Some(list) if variable.value_type == ValueType::Enumeration => list.name.clone(),
        _ => variable.value_type.to_string(),
    };
    if variable.dimensions.is_empty() {
        return element;
    }
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => extent.to_string(),
        Dimension::Structural(id) => model.variables[id.index()].name.clone(),
    };
    let extents: Vec<String> = variable.dimensions.iter().map(extent).collect();
    format!("{element}[{}]", extents.join(", "))
}
