//! The variables of a run that are hashed and recorded.

use crate::program::{Program, Source};
use crate::record::{Hashed, Hashes, RowContent};
use crate::statistics::Statistics;
use crate::store::Slot;
use consort_core::{ModelDescription, Variable, VariableId};
use consort_trace::progress_mark::{count_column, hash_column};
use consort_trace::{Column, Schema};

fn slot_of(program: &Program, component: usize, id: VariableId) -> Slot {
    let place = program.places[component][id.index()].expect("what is watched has a place");
    place.shared()
}

/// What is hashed, and where it is.
pub(super) fn hashes(source: &Source<'_>, program: &Program) -> Hashes {
    let mut entries = Vec::new();
    for &index in &program.own {
        let component = &source.system.components[index];
        for &id in &component.hashed {
            let variable = &source.models[index].variables[id.index()];
            entries.push(Hashed {
                path: format!("{}.{}", component.name, variable.name),
                slot: slot_of(program, index, id),
                rate: source.rates.of_component[index],
                component: index,
                is_array: !variable.dimensions.is_empty(),
            });
        }
    }
    Hashes::new(entries, source.rates.list.len())
}

/// The recorded columns as a person reads them, component by component, and their places as they lie
/// in the bank, so that a row is a few copies. Where the run stands comes last.
pub(super) fn schema(
    source: &Source<'_>,
    program: &Program,
    content: RowContent,
    hashes: &Hashes,
) -> (Schema, Vec<Slot>) {
    let (mut columns, mut slots) = (Vec::new(), Vec::new());
    for &index in program.own.iter().filter(|_| content.has_values()) {
        let component = &source.system.components[index];
        let model = source.models[index];
        for &id in &component.recorded {
            let variable = &model.variables[id.index()];
            let dimensions = component.dimensions(model, id);
            columns.push(column(&component.name, variable, model, dimensions));
            slots.push(slot_of(program, index, id));
        }
    }
    let list = hashes.list();
    let mark = list.iter().map(|(path, of, _)| hash_column(path, *of));
    let mark: Vec<Column> = mark.chain(Statistics::COUNTED.map(count_column)).collect();
    if content.has_marks() {
        columns.extend_from_slice(&mark);
    }
    let all = columns.len();
    let schema = Schema::new(source.system.experiment.resolution, columns);
    let schema = schema.expect("the resolver admits unique names and sane sizes only");
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|&index| (slots[index].value_type, slots[index].at));
    let slots = order.iter().map(|&index| slots[index]).collect();
    order.extend(order.len()..all);
    (schema.with_row_order(&order).with_marks(mark), slots)
}

fn column(
    component: &str,
    variable: &Variable,
    model: &ModelDescription,
    dimensions: Vec<u32>,
) -> Column {
    let mut column = Column::new(component, &variable.name, variable.value_type);
    column.dimensions = dimensions;
    column.unit = variable.unit.map(|unit| model.units[unit].name.clone());
    column.variability = variable.variability;
    column.description.clone_from(&variable.description);
    let items = variable.enumeration.map(|index| model.enumerations[index].items.clone());
    column.enumeration = items.unwrap_or_default();
    column
}
