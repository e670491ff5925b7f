//! The same for programs: everything a description holds, with names instead of indices.

mod system;

use consort_core::bytes::hex;
use consort_core::{
    Capabilities, DependsOn, Dimension, ModelDescription, Refresh, Unknown, Values, Variable,
    VariableId,
};
use serde_json::{Map, Value, json};

pub use system::system_to_json;

/// A model with everything its description holds.
///
/// Whole numbers are exact; doubles that JSON cannot hold are the texts `NaN`, `Infinity` and
/// `-Infinity`; binaries are hexadecimal text.
pub fn to_json(model: &ModelDescription) -> Value {
    let experiment = &model.default_experiment;
    let facts: Map<String, Value> =
        model.facts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "name": model.name,
        "kind": model.kind,
        "facts": facts,
        "default_experiment": {
            "start": experiment.start,
            "stop": experiment.stop,
            "step": experiment.step,
            "tolerance": experiment.tolerance,
        },
        "capabilities": capabilities(&model.capabilities),
        "variables": model.variables.iter().map(|each| variable(each, model)).collect::<Vec<_>>(),
        "structure": {
            "outputs": unknowns(&model.structure.outputs, model),
            "derivatives": unknowns(&model.structure.derivatives, model),
            "initial": unknowns(&model.structure.initial, model),
            "event_indicators": names(&model.structure.event_indicators, model),
        },
        "units": model.units.iter().map(unit).collect::<Vec<_>>(),
        "enumerations": model.enumerations.iter().map(enumeration).collect::<Vec<_>>(),
    })
}

fn capabilities(of: &Capabilities) -> Value {
    let refresh = match of.refresh {
        Refresh::AtOnce => "at-once",
        Refresh::ByStep => "by-step",
    };
    json!({
        "refresh": refresh,
        "variable_step": of.variable_step,
        "event_mode": of.event_mode,
        "early_return": of.early_return,
        "intermediate_update": of.intermediate_update,
        "save_state": of.save_state,
        "serialize_state": of.serialize_state,
        "directional_derivatives": of.directional_derivatives,
        "input_derivatives_max": of.input_derivatives_max,
        "lane": of.lane,
        "single_instance": of.single_instance,
    })
}

fn variable(of: &Variable, model: &ModelDescription) -> Value {
    let dimension = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => json!(extent),
        Dimension::Structural(id) => json!(name(*id, model)),
    };
    let unit = of.unit.and_then(|index| model.units.get(index));
    let enumeration = of.enumeration.and_then(|index| model.enumerations.get(index));
    json!({
        "name": of.name,
        "reference": of.reference.0,
        "type": of.value_type.name(),
        "causality": of.causality.name(),
        "variability": of.variability.name(),
        "initial": of.initial.name(),
        "dimensions": of.dimensions.iter().map(dimension).collect::<Vec<_>>(),
        "start": of.start.as_ref().map(values),
        "unit": unit.map(|unit| &unit.name),
        "enumeration": enumeration.map(|list| &list.name),
        "min": of.min.map(double),
        "max": of.max.map(double),
        "nominal": of.nominal.map(double),
        "derivative_of": of.derivative_of.map(|id| name(id, model)),
        "clocks": names(&of.clocks, model),
        "aliases": of.aliases,
        "terminal": of.terminal,
        "description": of.description,
    })
}

fn name(id: VariableId, model: &ModelDescription) -> &str {
    &model.variables[id.index()].name
}

fn names<'a>(ids: &[VariableId], model: &'a ModelDescription) -> Vec<&'a str> {
    ids.iter().map(|id| name(*id, model)).collect()
}

fn unknowns(list: &[Unknown], model: &ModelDescription) -> Vec<Value> {
    let unknown = |unknown: &Unknown| {
        let on = match &unknown.on {
            DependsOn::All => json!("not declared"),
            DependsOn::These(list) => list
                .iter()
                .map(|(id, kind)| json!({ "variable": name(*id, model), "kind": kind.name() }))
                .collect(),
        };
        json!({ "variable": name(unknown.variable, model), "depends_on": on })
    };
    list.iter().map(unknown).collect()
}

fn unit(unit: &consort_core::Unit) -> Value {
    let base = unit.base.map(|base| {
        let exponents: Map<String, Value> = consort_core::unit::BASE_UNITS
            .iter()
            .zip(base.exponents)
            .filter(|(_, exponent)| *exponent != 0)
            .map(|(name, exponent)| ((*name).to_owned(), json!(exponent)))
            .collect();
        json!({ "exponents": exponents, "factor": double(base.factor), "offset": double(base.offset) })
    });
    json!({ "name": unit.name, "base": base })
}

fn enumeration(list: &consort_core::model::Enumeration) -> Value {
    let items: Vec<Value> =
        list.items.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    json!({ "name": list.name, "items": items })
}

fn double(value: f64) -> Value {
    match value {
        finite if finite.is_finite() => json!(finite),
        nan if nan.is_nan() => json!("NaN"),
        infinite if 0.0 < infinite => json!("Infinity"),
        _ => json!("-Infinity"),
    }
}

fn values(values: &Values) -> Value {
    match values {
        Values::Float64(list) => list.iter().copied().map(double).collect(),
        Values::Float32(list) => list.iter().copied().map(float32).collect(),
        Values::Binary(list) => list.iter().map(|bytes| hex(bytes)).collect(),
        Values::Int8(list) => json!(list),
        Values::UInt8(list) => json!(list),
        Values::Int16(list) => json!(list),
        Values::UInt16(list) => json!(list),
        Values::Int32(list) => json!(list),
        Values::UInt32(list) => json!(list),
        Values::Int64(list) | Values::Enumeration(list) => json!(list),
        Values::UInt64(list) => json!(list),
        Values::Boolean(list) | Values::Clock(list) => json!(list),
        Values::String(list) => json!(list),
    }
}

/// A `Float32` by its own shortest text: 0.1, not 0.10000000149011612.
fn float32(value: f32) -> Value {
    let shortest = value.to_string().parse().unwrap_or_else(|_| f64::from(value));
    double(shortest)
}
