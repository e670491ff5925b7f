//! `ModelVariables` of both versions: each element becomes a [`Variable`].
//!
//! Two passes: [`read`] makes the variables one by one; then `references` resolves the references
//! between them, which may point forward.

use super::types::{self, Inherited, Types};
use super::units::Units;
use super::{FmiVersion, defaults, references, section, start};
use crate::xml::{Node, Reader, child, elements, shorten};
use consort_core::{
    Causality, Diagnostic, Initial, Reference, ValueType, Values, Variability, Variable, VariableId,
};
use std::collections::BTreeMap;

/// The variables of a description, and how to find them.
pub(super) struct Variables<'a> {
    pub(super) list: Vec<Variable>,
    pub(super) nodes: Vec<VariableNodes<'a>>,
    pub(super) by_reference: BTreeMap<u32, VariableId>,
}

/// The elements of a variable; in FMI 3 they are the same.
#[derive(Clone, Copy)]
pub(super) struct VariableNodes<'a> {
    /// The one with its name.
    pub(super) named: Node<'a>,
    /// The one with its type.
    pub(super) typed: Node<'a>,
}

/// Reads every variable; each element keeps its place in the order, even a broken one.
pub(super) fn read<'a>(
    reader: &mut Reader<'_>,
    root: Node<'a>,
    version: FmiVersion,
    types: &Types,
    units: &mut Units,
) -> Variables<'a> {
    let mut variables =
        Variables { list: Vec::new(), nodes: Vec::new(), by_reference: BTreeMap::new() };
    if child(root, "ModelVariables").is_none() {
        reader.report(
            Diagnostic::warning("description::no-variables", "the model has no `ModelVariables`")
                .at(reader.tag(root), "no variables in here")
                .help("nothing can be set, read or connected"),
        );
    }
    for node in section(root, "ModelVariables") {
        let Some((typed, value_type)) = typed_element(reader, node, version) else { continue };
        let mut element = Element { reader, node, typed, version };
        let variable = element.variable(value_type, types, units);
        variables.add(reader, variable, VariableNodes { named: node, typed }, version);
    }
    check_names(reader, &variables);
    references::resolve(reader, &mut variables, version);
    variables
}

impl<'a> Variables<'a> {
    fn add(
        &mut self,
        reader: &mut Reader<'_>,
        variable: Variable,
        nodes: VariableNodes<'a>,
        version: FmiVersion,
    ) {
        let id = VariableId::from_index(self.list.len());
        let reference = variable.reference.0;
        let is_read = nodes.named.has_attribute("valueReference");
        let first = *self.by_reference.entry(reference).or_insert(id);
        if first != id && version == FmiVersion::V3 && is_read {
            let message = format!("two variables have the value reference {reference}");
            let other = self.nodes[first.index()].named;
            reader.report(
                Diagnostic::warning("description::duplicate-reference", message)
                    .at(reader.place(nodes.named, "valueReference"), "used again")
                    .label(reader.place(other, "valueReference"), "first used here")
                    .help("references to it mean the first; another name is an `Alias` in FMI 3.0"),
            );
        }
        self.list.push(variable);
        self.nodes.push(nodes);
    }
}

/// The element that carries the type of a variable, and the type.
fn typed_element<'a>(
    reader: &mut Reader<'_>,
    node: Node<'a>,
    version: FmiVersion,
) -> Option<(Node<'a>, ValueType)> {
    let name = node.tag_name().name();
    if name == "Annotations" || node.tag_name().namespace().is_some() {
        return None;
    }
    if version == FmiVersion::V3 {
        let value_type = types::fmi3_type(name);
        if value_type.is_none() {
            let help = "FMI 3.0 has `Float64`, `Int32`, `Boolean`, `String` and so on";
            unknown_type(reader, node, help);
        }
        return Some((node, value_type.unwrap_or(ValueType::Float64)));
    }
    if name != "ScalarVariable" {
        unknown_type(reader, node, "the variables of FMI 2.0 are `ScalarVariable` elements");
        return None;
    }
    let typed = elements(node).find(|inner| inner.tag_name().name() != "Annotations");
    let value_type = typed.and_then(types::fmi2_type);
    if value_type.is_none() {
        let help = "FMI 2.0 has `Real`, `Integer`, `Boolean`, `String` and `Enumeration`";
        match typed {
            Some(typed) => unknown_type(reader, typed, help),
            None => reader.report(
                Diagnostic::error("description::unknown-type", "a variable has no type")
                    .at(reader.tag(node), "no type is given here")
                    .help(help),
            ),
        }
    }
    Some((typed.unwrap_or(node), value_type.unwrap_or(ValueType::Float64)))
}

fn unknown_type(reader: &mut Reader<'_>, node: Node<'_>, help: &str) {
    let name = shorten(node.tag_name().name());
    let message = format!("`{name}` is not a type of variable");
    reader.report(
        Diagnostic::error("description::unknown-type", message)
            .at(reader.tag(node), "an unknown type")
            .help(help),
    );
}

const ATTRIBUTES_FMI_2: &[&str] = &[
    "name",
    "valueReference",
    "description",
    "causality",
    "variability",
    "initial",
    "previous",
    "canHandleMultipleSetPerTimeInstant",
];

const ATTRIBUTES_TYPED: &[&str] = &[
    "declaredType",
    "quantity",
    "unit",
    "displayUnit",
    "relativeQuantity",
    "unbounded",
    "min",
    "max",
    "nominal",
    "start",
    "derivative",
    "reinit",
];

const ATTRIBUTES_FMI_3: &[&str] = &[
    "clocks",
    "intermediateUpdate",
    "mimeType",
    "maxSize",
    "canBeDeactivated",
    "priority",
    "intervalVariability",
    "intervalDecimal",
    "shiftDecimal",
    "supportsFraction",
    "resolution",
    "intervalCounter",
    "shiftCounter",
];

/// One element of `ModelVariables` being read.
struct Element<'e, 'r, 'a> {
    reader: &'e mut Reader<'r>,
    node: Node<'a>,
    typed: Node<'a>,
    version: FmiVersion,
}

impl Element<'_, '_, '_> {
    fn variable(&mut self, value_type: ValueType, types: &Types, units: &mut Units) -> Variable {
        self.check_attributes();
        let name = self.reader.required(self.node, "name", "every variable has a name");
        let reference = self.reference();
        let (causality, variability) = self.role(value_type);
        let initial = self.initial(causality, variability);
        let declared = types.declared(self.reader, self.typed, value_type);
        let own = Inherited::read(self.reader, self.typed, value_type, units);
        let Inherited { unit, min, max, nominal, enumeration } = own.or(&declared);
        let start = start::read(self.reader, self.typed, self.version, value_type);
        self.check_enumeration(value_type, start.as_ref(), enumeration, types);
        self.check_start(causality, initial, value_type);
        Variable {
            value_type,
            variability,
            initial,
            start,
            unit,
            enumeration,
            min,
            max,
            nominal,
            aliases: self.aliases(),
            description: self.node.attribute("description").unwrap_or_default().to_owned(),
            ..Variable::scalar(name.unwrap_or_default(), reference, causality)
        }
    }

    fn check_attributes(&mut self) {
        if self.version == FmiVersion::V2 {
            self.reader.known_attributes(self.node, ATTRIBUTES_FMI_2);
            if self.typed != self.node {
                self.reader.known_attributes(self.typed, ATTRIBUTES_TYPED);
            }
            return;
        }
        let known = [ATTRIBUTES_FMI_2, ATTRIBUTES_TYPED, ATTRIBUTES_FMI_3].concat();
        self.reader.known_attributes(self.node, &known);
        self.reader.known_elements(self.node, &["Dimension", "Start", "Alias", "Annotations"]);
    }

    fn reference(&mut self) -> Reference {
        let help = "the FMU knows its variables by this number; export it again";
        let found = self.reader.required(self.node, "valueReference", help);
        let number = found.and_then(|_| {
            let expected = "a whole number from 0 to 4294967295";
            self.reader.number(self.node, "valueReference", expected)
        });
        Reference(number.unwrap_or(u32::MAX))
    }

    fn role(&mut self, value_type: ValueType) -> (Causality, Variability) {
        let causality = self.word("causality", Causality::from_name).unwrap_or(Causality::Local);
        let default = causality.default_variability(value_type);
        let variability = self.word("variability", Variability::from_name).unwrap_or(default);
        if variability == Variability::Continuous && !value_type.is_float() {
            let message = format!("a variable of type {value_type} cannot be continuous");
            self.warn(
                "description::variability",
                message,
                "variability",
                "it is taken as discrete",
            );
            return (causality, Variability::Discrete);
        }
        if !defaults::is_legal(causality, variability) {
            let message = format!("the standard does not allow a {variability} {causality}");
            let help = "it is used as it is written";
            self.warn("description::causality-variability", message, "causality", help);
        }
        (causality, variability)
    }

    fn initial(&mut self, causality: Causality, variability: Variability) -> Initial {
        let default = defaults::initial(causality, variability);
        let Some(initial) = self.word("initial", Initial::from_name) else { return default };
        if !defaults::allows(causality, variability, initial, self.version) {
            let message = format!("a {variability} {causality} cannot be `{initial}` at the start");
            let help = match default {
                Initial::None => "it is ignored",
                _ => "it is used as it is written",
            };
            self.warn("description::initial", message, "initial", help);
        }
        if default == Initial::None { default } else { initial }
    }

    /// An attribute with a fixed set of values; a warning, and nothing, for any other.
    fn word<T>(&mut self, name: &str, read: fn(&str) -> Option<T>) -> Option<T> {
        let text = self.node.attribute(name)?;
        let word = read(text.trim());
        if word.is_none() {
            let message = format!("`{}` is not a valid `{name}`", shorten(text));
            self.warn("description::word", message, name, "the default is used");
        }
        word
    }

    fn warn(&mut self, code: &'static str, message: String, at: &str, help: &str) {
        let span = self.reader.place(self.node, at);
        let label = match at {
            "name" => "this variable".to_owned(),
            _ => format!("of `{}`", shorten(self.node.attribute("name").unwrap_or("?"))),
        };
        self.reader.report(Diagnostic::warning(code, message).at(span, label).help(help));
    }

    fn check_start(&mut self, causality: Causality, initial: Initial, value_type: ValueType) {
        let has_start = self.typed.has_attribute("start") || child(self.typed, "Start").is_some();
        let name = shorten(self.node.attribute("name").unwrap_or("?"));
        if has_start && initial == Initial::Calculated {
            let message = format!("`{name}` is calculated but has a start value");
            let help = "the value is calculated in initialization";
            self.warn("description::needless-start", message, "initial", help);
        } else if !has_start && defaults::needs_start(causality, initial, value_type) {
            let message = format!("`{name}` has no start value");
            let help = "the standard demands one; until it is set the FMU decides";
            self.warn("description::no-start", message, "name", help);
        }
    }

    fn check_enumeration(
        &mut self,
        value_type: ValueType,
        start: Option<&Values>,
        enumeration: Option<usize>,
        types: &Types,
    ) {
        if value_type != ValueType::Enumeration {
            return;
        }
        let Some(index) = enumeration else {
            if !self.typed.has_attribute("declaredType") {
                let message = "an enumeration has no `declaredType`".to_owned();
                let help = "its items have no names; use their numbers";
                self.warn("description::enumeration-type", message, "name", help);
            }
            return;
        };
        let Some(Values::Enumeration(values)) = start else { return };
        if let Some(value) = values.iter().find(|value| !types.item_values[index].contains(value)) {
            let message = format!("the start value {value} is not an item of its enumeration");
            let span = self.reader.place(self.typed, "start");
            self.reader.report(
                Diagnostic::warning("description::enumeration-start", message)
                    .at(span, format!("not in `{}`", shorten(&types.enumerations[index].name)))
                    .help("it is used as it is written"),
            );
        }
    }

    fn aliases(&mut self) -> Vec<String> {
        let nodes: Vec<_> =
            elements(self.typed).filter(|node| node.tag_name().name() == "Alias").collect();
        let name = |node| self.reader.required(node, "name", "an alias is another name");
        nodes.into_iter().filter_map(name).map(str::to_owned).collect()
    }
}

/// Reports names that two variables share, aliases included.
fn check_names(reader: &mut Reader<'_>, variables: &Variables<'_>) {
    let mut seen: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    for VariableNodes { named: node, typed } in &variables.nodes {
        let aliases = elements(*typed).filter(|child| child.tag_name().name() == "Alias");
        for named in std::iter::once(*node).chain(aliases) {
            let Some(name) = named.attribute("name") else { continue };
            let Some(first) = seen.insert(name, named) else { continue };
            seen.insert(name, first);
            let message = format!("two variables are called `{}`", shorten(name));
            reader.report(
                Diagnostic::error("description::duplicate-name", message)
                    .at(reader.place(named, "name"), "defined again")
                    .label(reader.place(first, "name"), "first defined here")
                    .help("names are unique; rename one of them"),
            );
        }
    }
}
