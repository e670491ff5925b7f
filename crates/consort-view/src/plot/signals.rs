//! What a system says about its signals beyond what a trace has: units that come over connections, and
//! which values are held because their component is computed more seldom than others.

use consort_core::{ModelDescription, Time, VariableId};
use consort_system::{Port, ResolvedConnection, ResolvedSystem};
use consort_trace::Column;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Connections of more elements are not followed: so many curves cannot be distinguished anyway.
const ELEMENTS_MAX: u32 = 256;

/// What a system says about its recorded signals; empty for a trace without a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signals {
    /// By name of an element: the unit of what it is connected to, where it has none of its own.
    units: BTreeMap<String, String>,
    /// The components that are computed more seldom than others, so that their outputs are held.
    held: BTreeSet<String>,
}

/// One element of a variable: component, variable, element.
type Element = (usize, usize, u32);

impl Signals {
    /// The signals of a system; `models` has the description of each component, in their order.
    ///
    /// # Panics
    /// If there is not one description for each component.
    pub fn of(system: &ResolvedSystem, models: &[&ModelDescription]) -> Self {
        assert_eq!(system.components.len(), models.len(), "one description per component");
        let inherited = inherited_units(system, models).into_iter();
        let named = inherited.filter_map(|(element, unit)| {
            let name = recorded_name(system, models, element)?;
            Some((name, unit.to_owned()))
        });
        Signals { units: named.collect(), held: held_components(system) }
    }

    /// The unit that an element has from a connection.
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.units.get(name).map(String::as_str)
    }

    /// Whether all values of a component are held between the rows of others.
    pub(super) fn is_held(&self, component: &str) -> bool {
        self.held.contains(component)
    }

    /// Whether the system says nothing beyond the trace.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty() && self.held.is_empty()
    }

    /// As the manifest of a run keeps it.
    pub fn to_json(&self) -> Value {
        json!({ "units": self.units, "held": self.held })
    }

    /// What [`Signals::to_json`] wrote; what is not understood is left out.
    pub fn from_json(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let units = value["units"].as_object().into_iter().flatten();
        let held = value["held"].as_array().into_iter().flatten();
        Signals {
            units: units.filter_map(|(name, unit)| Some((name.clone(), text(unit)?))).collect(),
            held: held.filter_map(text).collect(),
        }
    }
}

/// The units of elements without one that are connected to elements with one. An output that is connected to
/// several units has none of them.
fn inherited_units<'a>(
    system: &ResolvedSystem,
    models: &[&'a ModelDescription],
) -> BTreeMap<Element, &'a str> {
    let wires: Vec<(Element, Element)> = system.connections.iter().flat_map(elements).collect();
    let own = |element: Element| own_unit(models, element);
    let mut offered: BTreeMap<Element, BTreeSet<&str>> = BTreeMap::new();
    for &(from, to) in wires.iter().filter(|wire| own(wire.0).is_none()) {
        offered.entry(from).or_default().extend(own(to));
    }
    for (from, to) in wires.into_iter().filter(|wire| own(wire.1).is_none()) {
        let unit = own(from).or_else(|| only(offered.get(&from)?));
        offered.entry(to).or_default().extend(unit);
    }
    offered.into_iter().filter_map(|(element, units)| Some((element, only(&units)?))).collect()
}

fn only<'a>(units: &BTreeSet<&'a str>) -> Option<&'a str> {
    units.first().copied().filter(|_| units.len() == 1)
}

/// The pairs of elements of a connection that leaves values as they are.
fn elements(wire: &ResolvedConnection) -> impl Iterator<Item = (Element, Element)> + use<> {
    let is_followed = wire.conversion.is_identity() && wire.from.count <= ELEMENTS_MAX;
    let count = if is_followed { wire.from.count.min(wire.to.count) } else { 0 };
    let element = |port: Port, index: u32| {
        (port.component.index(), port.variable.index(), port.first + index)
    };
    let (from, to) = (wire.from, wire.to);
    (0..count).map(move |index| (element(from, index), element(to, index)))
}

fn own_unit<'a>(
    models: &[&'a ModelDescription],
    (component, variable, _): Element,
) -> Option<&'a str> {
    let model = models[component];
    let unit = model.units[model.variables[variable].unit?].name.trim();
    (!unit.is_empty()).then_some(unit)
}

/// The name of an element of a number that is recorded.
fn recorded_name(
    system: &ResolvedSystem,
    models: &[&ModelDescription],
    (component, variable, element): Element,
) -> Option<String> {
    let (resolved, model) = (&system.components[component], models[component]);
    let id = VariableId::from_index(variable);
    let variable = &model.variables[variable];
    let is_number = variable.value_type.is_float() || variable.value_type.is_integer();
    if !is_number || !resolved.recorded.contains(&id) {
        return None;
    }
    let column = Column::new(&resolved.name, &variable.name, variable.value_type);
    let column = column.with_dimensions(&resolved.dimensions(model, id));
    Some(column.element_name(element as usize))
}

/// The components that are computed more seldom than another one.
fn held_components(system: &ResolvedSystem) -> BTreeSet<String> {
    if system.coupling.variable_step.is_some() {
        return BTreeSet::new();
    }
    let periods = system.components.iter().map(|component| component.period);
    let shortest = periods.filter(|period| Time::ZERO < *period).min();
    let held =
        system.components.iter().filter(|it| shortest.is_some_and(|least| least < it.period));
    held.map(|it| it.name.clone()).collect()
}
