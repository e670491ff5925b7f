//! A system as the files of an SSP.

mod annotations;
mod connectors;
mod parameters;
mod resources;
mod text;

use super::units::is_identity;
use super::{DEFAULT_STRUCTURE, NATIVE_TYPE, annotation, equations_type, uri};
use connectors::{Interface, Interfaces, Types};
use consort_core::{ModelDescription, ModelReference, Unit};
use consort_system::{Component, Connection, Experiment, SystemDescription};
use resources::Resources;
use text::{Text, borrowed, float};

pub use resources::Resource;

/// The files of an SSP, and what else belongs into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenSsp {
    /// Path and content of the files that describe the system.
    pub files: Vec<(String, Vec<u8>)>,
    /// The models, and other files the system names, with their place in the SSP.
    pub resources: Vec<Resource>,
}

/// Writes `SystemStructure.ssd`: what [`read`](super::read) makes the same system of, but for
/// spans and for paths of models, which are where the result's `resources` say.
///
/// `models` has one entry per component; what a model says about its variables becomes types and
/// units of connectors. The table of inputs is not written; the experiment names its file. The
/// version is 1.0 unless something needs 2.0: arrays, and types that FMI 2 does not have.
pub fn write(system: &SystemDescription, models: &[Option<&ModelDescription>]) -> WrittenSsp {
    let mut resources = Resources::default();
    let mut writer = StructureWriter { text: Text::default(), types: Types::default() };
    writer.system(system, models, &mut resources);
    let head = writer.head(&system.name);
    let text = format!("{head}{}</ssd:SystemStructureDescription>\n", writer.text.finish());
    WrittenSsp {
        files: vec![(DEFAULT_STRUCTURE.to_owned(), text.into_bytes())],
        resources: resources.list(),
    }
}

struct StructureWriter {
    text: Text,
    types: Types,
}

impl StructureWriter {
    fn head(&self, name: &str) -> String {
        let mut text = Text::default();
        let version = if self.types.needs_2 { "2.0" } else { "1.0" };
        let namespace = |name: &str| format!("http://ssp-standard.org/SSP1/SystemStructure{name}");
        text.open(
            "ssd:SystemStructureDescription",
            &[
                ("xmlns:ssd", &namespace("Description")),
                ("xmlns:ssc", &namespace("Common")),
                ("xmlns:ssv", &namespace("ParameterValues")),
                ("xmlns:consort", annotation::NAMESPACE),
                ("version", version),
                ("name", name),
                ("generationTool", "Consort"),
            ],
        );
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", text.finish())
    }

    fn system(
        &mut self,
        system: &SystemDescription,
        models: &[Option<&ModelDescription>],
        resources: &mut Resources,
    ) {
        let interfaces = connectors::interfaces(system, models);
        self.text.indent();
        let name = if system.name.trim().is_empty() { "system" } else { &system.name };
        self.text.open("ssd:System", &[("name", name)]);
        if !system.components.is_empty() {
            self.text.open("ssd:Elements", &[]);
            for (component, interface) in system.components.iter().zip(&interfaces.list) {
                self.component(component, interface, resources);
            }
            self.text.close("ssd:Elements");
        }
        if !system.connections.is_empty() {
            self.text.open("ssd:Connections", &[]);
            for connection in &system.connections {
                self.connection(connection, &interfaces);
            }
            self.text.close("ssd:Connections");
        }
        self.text.close("ssd:System");
        self.definitions();
        self.experiment(&system.experiment);
        let input = system.experiment.input.as_ref().map(|input| resources.file(&input.value));
        annotations::experiment(&mut self.text, system, input.as_deref());
    }

    fn component(
        &mut self,
        component: &Component,
        interface: &Interface<'_>,
        resources: &mut Resources,
    ) {
        let model = component.model.value.as_str();
        let (kind, source) = match ModelReference::is_native(model) {
            true => (NATIVE_TYPE, uri::encoded(model)),
            false => {
                let kind = equations_type(model).unwrap_or("application/x-fmu-sharedlibrary");
                (kind, uri::encoded(&resources.model(model)))
            }
        };
        let name = component.name.value.as_str();
        let mut attributes = vec![("name", name), ("type", kind), ("source", source.as_str())];
        let asked = component.solving.interface.as_ref().map(|it| it.value);
        attributes.extend(asked.map(|it| ("implementation", super::implementation(it))));
        self.text.open("ssd:Component", &attributes);
        self.types.connectors(&mut self.text, interface);
        let given = resources.parameters(component);
        let rest = parameters::bindings(&mut self.text, &mut self.types, &given, interface.model);
        annotations::component(&mut self.text, component, &rest);
        self.text.close("ssd:Component");
    }

    fn connection(&mut self, connection: &Connection, interfaces: &Interfaces<'_>) {
        let start = connectors::end(&connection.from.value, interfaces);
        let end = connectors::end(&connection.to.value, interfaces);
        self.types.needs_2 |= start.indices.is_some() || end.indices.is_some();
        let suppress = connection.suppress_unit_conversion.then(|| "true".to_owned());
        let attributes: Vec<(&str, String)> = [
            ("startElement", start.element),
            ("startConnector", Some(start.connector)),
            ("startIndices", start.indices),
            ("endElement", end.element),
            ("endConnector", Some(end.connector)),
            ("endIndices", end.indices),
            ("suppressUnitConversion", suppress),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
        self.text.open("ssd:Connection", &borrowed(&attributes));
        if let Some(linear) = connection.transformation {
            let (factor, offset) = (float(linear.factor), float(linear.offset));
            let attributes: &[(&str, &str)] = match is_identity(Some(linear)) {
                true => &[],
                false => &[("factor", &factor), ("offset", &offset)],
            };
            self.text.leaf("ssc:LinearTransformation", attributes);
        }
        annotations::connection(&mut self.text, connection);
        self.text.close("ssd:Connection");
    }

    /// Enumerations and units that connectors name.
    fn definitions(&mut self) {
        let enumerations = std::mem::take(&mut self.types.enumerations);
        if !enumerations.is_empty() {
            self.text.open("ssd:Enumerations", &[]);
            for (name, items) in &enumerations {
                self.text.open("ssc:Enumeration", &[("name", name)]);
                for (item, value) in items {
                    let value = value.to_string();
                    self.text.leaf("ssc:Item", &[("name", item), ("value", &value)]);
                }
                self.text.close("ssc:Enumeration");
            }
            self.text.close("ssd:Enumerations");
        }
        let units = std::mem::take(&mut self.types.units);
        write_units(&mut self.text, "ssd:Units", units.values());
    }

    fn experiment(&mut self, experiment: &Experiment) {
        let start = text::decimal(experiment.start.value);
        let mut attributes = vec![("startTime", start.as_str())];
        let stop = experiment.stop.as_ref().map(|stop| text::decimal(stop.value));
        attributes.extend(stop.as_ref().map(|stop| ("stopTime", stop.as_str())));
        self.text.leaf("ssd:DefaultExperiment", &attributes);
    }
}

/// The definitions of units, as far as they are known.
fn write_units<'u>(text: &mut Text, name: &str, units: impl Iterator<Item = &'u Unit>) {
    let known: Vec<_> = units.filter_map(|unit| Some((unit, unit.base?))).collect();
    if known.is_empty() {
        return;
    }
    text.open(name, &[]);
    for (unit, base) in known {
        text.open("ssc:Unit", &[("name", &unit.name)]);
        let names = consort_core::unit::BASE_UNITS.into_iter().zip(base.exponents);
        let mut attributes: Vec<(&str, String)> = names
            .filter(|(_, exponent)| *exponent != 0)
            .map(|(name, exponent)| (name, exponent.to_string()))
            .collect();
        for (name, value, default) in [("factor", base.factor, 1.0), ("offset", base.offset, 0.0)] {
            if value.to_bits() != f64::to_bits(default) {
                attributes.push((name, float(value)));
            }
        }
        text.leaf("ssc:BaseUnit", &borrowed(&attributes));
        text.close("ssc:Unit");
    }
    text.close(name);
}
