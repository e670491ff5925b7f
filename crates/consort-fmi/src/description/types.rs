//! `TypeDefinitions`: what variables inherit from a declared type, and enumerations.

use super::{FmiVersion, section, start, units::Units};
use crate::xml::{Node, Reader, elements, shorten};
use consort_core::diagnostic::nearest_name;
use consort_core::model::Enumeration;
use consort_core::{Diagnostic, ValueType};
use std::collections::{BTreeMap, BTreeSet};

/// How many names, and how long ones, are looked through for what may have been meant.
const CANDIDATES_MAX: usize = 10_000;
const CANDIDATE_BYTES_MAX: usize = 200;

/// What a variable takes from its type unless it has its own.
#[derive(Clone, Default)]
pub(super) struct Inherited {
    pub(super) unit: Option<usize>,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) nominal: Option<f64>,
    pub(super) enumeration: Option<usize>,
}

impl Inherited {
    /// Reads the attributes that variables and types share.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        node: Node<'_>,
        value_type: ValueType,
        units: &mut Units,
    ) -> Self {
        let (min, max) = (
            start::bound(reader, node, "min", value_type),
            start::bound(reader, node, "max", value_type),
        );
        if let (Some(least), Some(most)) = (min, max)
            && most < least
        {
            let message = format!("`min` is {least}, which is more than `max`, {most}");
            reader.report(
                Diagnostic::warning("description::range", message)
                    .at(reader.place(node, "min"), "more than `max`")
                    .help("the range is only shown, never enforced"),
            );
        }
        let (unit, nominal) = if value_type.is_float() {
            (units.named_by(reader, node), reader.number(node, "nominal", "a number"))
        } else {
            (None, None)
        };
        Inherited { unit, min, max, nominal, enumeration: None }
    }

    /// What is missing here is taken from `other`.
    pub(super) fn or(self, other: &Inherited) -> Self {
        Inherited {
            unit: self.unit.or(other.unit),
            min: self.min.or(other.min),
            max: self.max.or(other.max),
            nominal: self.nominal.or(other.nominal),
            enumeration: self.enumeration.or(other.enumeration),
        }
    }
}

/// A declared type.
struct Declared {
    value_type: ValueType,
    inherited: Inherited,
}

/// The declared types of a description.
pub(super) struct Types {
    by_name: BTreeMap<String, Declared>,
    pub(super) enumerations: Vec<Enumeration>,
    /// The values of each enumeration's items.
    pub(super) item_values: Vec<BTreeSet<i64>>,
}

impl Types {
    /// Reads all definitions.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        root: Node<'_>,
        version: FmiVersion,
        units: &mut Units,
    ) -> Self {
        let mut types =
            Types { by_name: BTreeMap::new(), enumerations: Vec::new(), item_values: Vec::new() };
        for outer in section(root, "TypeDefinitions") {
            let Some((typed, value_type)) = definition(reader, outer, version) else { continue };
            let help = "give the type its name";
            let Some(name) = reader.required(outer, "name", help) else { continue };
            let mut inherited = Inherited::read(reader, typed, value_type, units);
            if value_type == ValueType::Enumeration {
                inherited.enumeration = Some(types.enumerations.len());
                let items = items(reader, typed, name);
                types.item_values.push(items.iter().map(|(_, value)| *value).collect());
                types.enumerations.push(Enumeration { name: name.to_owned(), items });
            }
            types.add(reader, outer, name, Declared { value_type, inherited });
        }
        types
    }

    fn add(&mut self, reader: &mut Reader<'_>, node: Node<'_>, name: &str, declared: Declared) {
        if self.by_name.contains_key(name) {
            let message = format!("the type `{}` is defined twice", shorten(name));
            let warning = Diagnostic::warning("description::duplicate-type", message);
            return reader.defined_twice(node, warning);
        }
        self.by_name.insert(name.to_owned(), declared);
    }

    /// What the variable's declared type gives it; an error if there is no such type.
    pub(super) fn declared(
        &self,
        reader: &mut Reader<'_>,
        node: Node<'_>,
        value_type: ValueType,
    ) -> Inherited {
        let Some(name) = node.attribute("declaredType").filter(|name| !name.is_empty()) else {
            return Inherited::default();
        };
        let problem = match self.by_name.get(name) {
            Some(found) if found.value_type == value_type => return found.inherited.clone(),
            Some(found) => format!("is a type of {}, not of {value_type}", found.value_type),
            None => "is not defined".to_owned(),
        };
        let wants = if reader.wants("description::declared-type") { CANDIDATES_MAX } else { 0 };
        let names = self.by_name.keys().map(String::as_str);
        let candidates = names.filter(|name| name.len() <= CANDIDATE_BYTES_MAX).take(wants);
        let nearest = nearest_name(shorten(name), candidates);
        let help = match nearest.filter(|nearest| *nearest != name) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "define it in `TypeDefinitions`, or remove `declaredType`".to_owned(),
        };
        let message = format!("the declared type `{}` {problem}", shorten(name));
        reader.report(
            Diagnostic::error("description::declared-type", message)
                .at(reader.place(node, "declaredType"), problem)
                .help(help),
        );
        Inherited::default()
    }
}

/// The element with the attributes of a type, and which type it is.
fn definition<'a>(
    reader: &mut Reader<'_>,
    outer: Node<'a>,
    version: FmiVersion,
) -> Option<(Node<'a>, ValueType)> {
    let found = match version {
        FmiVersion::V2 => elements(outer).find_map(|inner| Some((inner, fmi2_type(inner)?))),
        FmiVersion::V3 => {
            let name = outer.tag_name().name().strip_suffix("Type").unwrap_or_default();
            fmi3_type(name).map(|value_type| (outer, value_type))
        }
    };
    if found.is_none() {
        let message = format!("`{}` defines no known type", shorten(outer.tag_name().name()));
        reader.report(
            Diagnostic::warning("description::unknown-element", message)
                .at(reader.tag(outer), "not known here")
                .help("it is ignored"),
        );
    }
    found
}

/// The value type an FMI 2 element stands for.
pub(super) fn fmi2_type(node: Node<'_>) -> Option<ValueType> {
    Some(match node.tag_name().name() {
        "Real" => ValueType::Float64,
        "Integer" => ValueType::Int32,
        "Boolean" => ValueType::Boolean,
        "String" => ValueType::String,
        "Enumeration" => ValueType::Enumeration,
        _ => return None,
    })
}

/// The value type an FMI 3 element stands for.
pub(super) fn fmi3_type(name: &str) -> Option<ValueType> {
    ValueType::ALL.into_iter().find(|value_type| value_type.name() == name)
}

fn items(reader: &mut Reader<'_>, node: Node<'_>, type_name: &str) -> Vec<(String, i64)> {
    let mut items = Vec::new();
    let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
    let is_item = |item: &Node<'_>| item.tag_name().name() == "Item";
    for item in elements(node).filter(is_item) {
        let help = "each item of an enumeration has a name and a value";
        let name = reader.required(item, "name", help);
        let value = reader
            .required(item, "value", help)
            .and_then(|_| reader.number::<i64>(item, "value", "a whole number"));
        let (Some(name), Some(value)) = (name, value) else { continue };
        if !names.insert(name) {
            bad_enumeration(
                reader,
                item,
                "name",
                format!("has two items `{}`", shorten(name)),
                type_name,
            );
        } else if !values.insert(value) {
            bad_enumeration(
                reader,
                item,
                "value",
                format!("has two items of value {value}"),
                type_name,
            );
        }
        items.push((name.to_owned(), value));
    }
    if !elements(node).any(|item| is_item(&item)) {
        bad_enumeration(reader, node, "name", "has no items".to_owned(), type_name);
    }
    items
}

fn bad_enumeration(reader: &mut Reader<'_>, node: Node<'_>, at: &str, what: String, name: &str) {
    let message = format!("the enumeration `{}` {what}", shorten(name));
    reader.report(
        Diagnostic::error("description::enumeration", message)
            .at(reader.place(node, at), what)
            .help("the items of an enumeration differ in name and in value"),
    );
}
