//! Connectors of components: the variables of their models, as far as SSP can express them.

use super::text::{Text, borrowed};
use consort_core::{Causality, Dimension, ModelDescription, Unit, ValueType, Variable};
use consort_system::{Component, SystemDescription};
use std::collections::{BTreeMap, BTreeSet};

/// The interfaces of all components, and where each of them is by its component's name.
pub(super) struct Interfaces<'m> {
    pub(super) list: Vec<Interface<'m>>,
    places: BTreeMap<String, usize>,
}

/// The variables of a component that are named in its SSP.
pub(super) struct Interface<'m> {
    pub(super) model: Option<&'m ModelDescription>,
    /// In the order of the model; with the causality assumed for those it does not have.
    names: Vec<(String, Causality)>,
}

/// What connectors use, collected while they are written.
#[derive(Default)]
pub(super) struct Types {
    pub(super) units: BTreeMap<String, Unit>,
    pub(super) enumerations: BTreeMap<String, Vec<(String, i64)>>,
    /// Something was written that version 1.0 does not have.
    pub(super) needs_2: bool,
}

/// One end of a connection as SSP writes it.
pub(super) struct EndText {
    pub(super) element: Option<String>,
    pub(super) connector: String,
    pub(super) indices: Option<String>,
}

/// The interface of every component: inputs and outputs that version 1.0 can describe, variables
/// with values, and everything that is connected.
pub(super) fn interfaces<'m>(
    system: &SystemDescription,
    models: &[Option<&'m ModelDescription>],
) -> Interfaces<'m> {
    let place = |(index, component): (usize, &Component)| (component.name.value.clone(), index);
    let places: BTreeMap<String, usize> = system.components.iter().enumerate().map(place).collect();
    let models = models.iter().copied().chain(std::iter::repeat(None));
    let mut wanted: Vec<BTreeMap<&str, Causality>> = vec![BTreeMap::new(); system.components.len()];
    for connection in &system.connections {
        let ends = [(&connection.from, Causality::Output), (&connection.to, Causality::Input)];
        for (end, causality) in ends {
            let Some((component, variable)) = split(&end.value) else { continue };
            if let Some(&index) = places.get(component) {
                wanted[index].entry(variable).or_insert(causality);
            }
        }
    }
    let parts = system.components.iter().zip(wanted).zip(models);
    let list = parts.map(|((component, wanted), model)| interface(component, &wanted, model));
    Interfaces { list: list.collect(), places }
}

fn interface<'m>(
    component: &Component,
    connected: &BTreeMap<&str, Causality>,
    model: Option<&'m ModelDescription>,
) -> Interface<'m> {
    let Some(description) = model else {
        let names = connected.iter().map(|(name, causality)| ((*name).to_owned(), *causality));
        return Interface { model, names: names.collect() };
    };
    let given = component.parameters.iter().map(|parameter| parameter.name.value.as_str());
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let mut rest = Vec::new();
    for (name, causality) in connected {
        match find(description, name) {
            Some((index, _)) => drop(wanted.insert(index)),
            None => rest.push(((*name).to_owned(), *causality)),
        }
    }
    wanted.extend(given.filter_map(|name| Some(description.variable(name)?.index())));
    let sizes = |variable: &Variable| {
        let structural = |dimension: &Dimension| match dimension {
            Dimension::Structural(id) => Some(id.index()),
            Dimension::Fixed(_) => None,
        };
        variable.dimensions.iter().filter_map(structural).collect::<Vec<_>>()
    };
    let more: Vec<usize> =
        wanted.iter().flat_map(|index| sizes(&description.variables[*index])).collect();
    wanted.extend(more);
    let variables = description.variables.iter().enumerate();
    let shown = variables.filter(|(index, variable)| wanted.contains(index) || is_plain(variable));
    let names = shown.map(|(_, variable)| (variable.name.clone(), variable.causality));
    Interface { model, names: names.chain(rest).collect() }
}

/// Whether version 1.0 can describe the variable, and it can be connected.
fn is_plain(variable: &Variable) -> bool {
    use ValueType::{Binary, Boolean, Enumeration, Float64, Int32, String};
    matches!(variable.causality, Causality::Input | Causality::Output)
        && variable.dimensions.is_empty()
        && matches!(variable.value_type, Float64 | Int32 | Boolean | String | Enumeration | Binary)
}

/// A variable by name, or by name and the indices of an element.
fn find<'n>(model: &ModelDescription, name: &'n str) -> Option<(usize, Option<&'n str>)> {
    if let Some(id) = model.variable(name) {
        return Some((id.index(), None));
    }
    let open = name.rfind('[').filter(|_| name.ends_with(']'))?;
    let id = model.variable(name[..open].trim_end())?;
    Some((id.index(), Some(&name[open + 1..name.len() - 1])))
}

/// The component and the variable of a path.
fn split(path: &str) -> Option<(&str, &str)> {
    path.trim().split_once('.')
}

/// `component.variable[1, 2]` as SSP writes it.
pub(super) fn end(path: &str, interfaces: &Interfaces<'_>) -> EndText {
    let Some((element, connector)) = split(path) else {
        return EndText { element: None, connector: path.to_owned(), indices: None };
    };
    let model = interfaces.places.get(element).and_then(|index| interfaces.list[*index].model);
    let found = model.and_then(|model| Some((model, find(model, connector)?)));
    let (connector, indices) = match found {
        Some((model, (variable, Some(indices)))) => {
            (model.variables[variable].name.clone(), Some(indices.replace(',', " ")))
        }
        Some((model, (variable, None))) => (model.variables[variable].name.clone(), None),
        None => (connector.to_owned(), None),
    };
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    EndText { element: Some(element.to_owned()), connector, indices: indices.map(words) }
}

impl Types {
    pub(super) fn connectors(&mut self, text: &mut Text, interface: &Interface<'_>) {
        if interface.names.is_empty() {
            return;
        }
        text.open("ssd:Connectors", &[]);
        for (name, causality) in &interface.names {
            let found = interface.model.and_then(|model| Some((model, model.variable(name)?)));
            self.needs_2 |= matches!(causality, Causality::StructuralParameter | Causality::Local);
            let kind = ("kind", kind(*causality));
            text.open("ssd:Connector", &[("name", name), kind]);
            if let Some((model, id)) = found {
                self.variable(text, model, &model.variables[id.index()]);
            }
            text.close("ssd:Connector");
        }
        text.close("ssd:Connectors");
    }

    fn variable(&mut self, text: &mut Text, model: &ModelDescription, variable: &Variable) {
        let (name, is_new) = type_name(variable.value_type);
        self.needs_2 |= is_new || !variable.dimensions.is_empty();
        let mut attributes: Vec<(&str, String)> = Vec::new();
        if variable.value_type.is_float() {
            let unit = variable.unit.and_then(|index| self.unit(model.units.get(index)?));
            attributes.extend(unit.map(|unit| ("unit", unit)));
        }
        match variable.value_type {
            ValueType::Enumeration => {
                attributes.push(("name", self.enumeration(model, variable)));
            }
            ValueType::Clock => attributes.push(("intervalVariability", "triggered".to_owned())),
            _ => {}
        }
        text.leaf(&format!("ssc:{name}"), &borrowed(&attributes));
        for dimension in &variable.dimensions {
            match dimension {
                Dimension::Fixed(size) => {
                    text.leaf("ssc:Dimension", &[("size", &size.to_string())]);
                }
                Dimension::Structural(id) => {
                    let name = &model.variables[id.index()].name;
                    text.leaf("ssc:Dimension", &[("sizeConnector", name)]);
                }
            }
        }
    }

    /// The unit's name, if it means what it means elsewhere in the file.
    fn unit(&mut self, unit: &Unit) -> Option<String> {
        unit.base?;
        let known = self.units.entry(unit.name.clone()).or_insert_with(|| unit.clone());
        (known == unit).then(|| unit.name.clone())
    }

    /// The name of the enumeration in this file: its own, or with a number behind it.
    fn enumeration(&mut self, model: &ModelDescription, variable: &Variable) -> String {
        let found = variable.enumeration.and_then(|index| model.enumerations.get(index));
        let (own, items) =
            found.map_or(("Enumeration", Vec::new()), |it| (it.name.as_str(), it.items.clone()));
        let numbered = (2u32..).map(|number| format!("{own}_{number}"));
        let mut names = std::iter::once(own.to_owned()).chain(numbered);
        let fits = |name: &String| self.enumerations.get(name).is_none_or(|known| *known == items);
        let name = names.find(fits).expect("there are more numbers than enumerations");
        if !items.is_empty() {
            self.enumerations.insert(name.clone(), items);
        }
        name
    }
}

fn kind(causality: Causality) -> &'static str {
    match causality {
        Causality::Independent => Causality::Local.name(),
        causality => causality.name(),
    }
}

/// The element of a type, and whether version 1.0 does not have it.
fn type_name(value_type: ValueType) -> (&'static str, bool) {
    match value_type {
        ValueType::Float64 => ("Real", false),
        ValueType::Int32 => ("Integer", false),
        ValueType::Boolean => ("Boolean", false),
        ValueType::String => ("String", false),
        ValueType::Enumeration => ("Enumeration", false),
        ValueType::Binary => ("Binary", false),
        other => (other.name(), true),
    }
}
