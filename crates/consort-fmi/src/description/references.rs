//! References between variables: dimensions, clocks, derivatives, and how long a start value
//! must therefore be.

use super::variables::{VariableNodes, Variables};
use super::{ARRAY_ELEMENTS_MAX, FmiVersion};
use crate::xml::{Node, Reader, elements, shorten};
use consort_core::{
    Causality, Diagnostic, Dimension, Span, ValueType, Values, Variability, VariableId,
};

/// Most dimensions of an array.
const DIMENSIONS_MAX: usize = 32;

/// Resolves all references between variables.
pub(super) fn resolve(reader: &mut Reader<'_>, variables: &mut Variables<'_>, version: FmiVersion) {
    for index in 0..variables.list.len() {
        let typed = variables.nodes[index].typed;
        let derivative_of = derivative_of(reader, typed, variables, version);
        variables.list[index].derivative_of = derivative_of;
        if version == FmiVersion::V3 {
            variables.list[index].clocks = clocks(reader, typed, variables);
            previous(reader, typed, variables);
            variables.list[index].dimensions = dimensions(reader, typed, variables);
        }
    }
    for index in 0..variables.list.len() {
        check_size(reader, variables, index);
    }
}

impl Variables<'_> {
    /// The variable a number stands for: an index from 1 in FMI 2, a value reference in FMI 3.
    pub(super) fn referred(&self, number: &str, version: FmiVersion) -> Option<VariableId> {
        let number: u32 = number.parse().ok()?;
        match version {
            FmiVersion::V2 => {
                let index = number.checked_sub(1)?;
                (index as usize).lt(&self.list.len()).then_some(VariableId(index))
            }
            FmiVersion::V3 => self.by_reference.get(&number).copied(),
        }
    }
}

fn derivative_of(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    variables: &Variables<'_>,
    version: FmiVersion,
) -> Option<VariableId> {
    let number = node.attribute("derivative")?.trim();
    let found = variables.referred(number, version);
    if found.is_none() {
        let message = format!("`{}` is the derivative of no variable", shorten(number));
        reader.report(
            Diagnostic::warning("description::derivative", message)
                .at(reader.place(node, "derivative"), "refers to nothing")
                .help("it is ignored"),
        );
    }
    found
}

fn previous(reader: &mut Reader<'_>, node: Node<'_>, variables: &Variables<'_>) {
    let Some(number) = node.attribute("previous") else { return };
    if variables.referred(number.trim(), FmiVersion::V3).is_none() {
        let message = format!("`{}` is the previous value of no variable", shorten(number));
        reader.report(
            Diagnostic::warning("description::previous", message)
                .at(reader.place(node, "previous"), "refers to nothing")
                .help("it is ignored"),
        );
    }
}

fn clocks(reader: &mut Reader<'_>, node: Node<'_>, variables: &Variables<'_>) -> Vec<VariableId> {
    let mut clocks = Vec::new();
    let Some(attribute) = node.attribute_node("clocks") else { return clocks };
    for number in attribute.value().split_ascii_whitespace() {
        let found = variables.referred(number, FmiVersion::V3);
        let is_clock = |id: &VariableId| variables.list[id.index()].value_type == ValueType::Clock;
        match found.filter(is_clock) {
            Some(clock) => clocks.push(clock),
            None => reader.report(
                Diagnostic::error(
                    "description::clock",
                    format!("`{}` is not the value reference of a clock", shorten(number)),
                )
                .at(reader.piece(attribute, number), "must refer to `Clock` variables")
                .help("correct the reference, or remove `clocks`"),
            ),
        }
    }
    clocks
}

fn dimensions(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    variables: &Variables<'_>,
) -> Vec<Dimension> {
    let nodes = elements(node).filter(|child| child.tag_name().name() == "Dimension");
    let nodes: Vec<Node<'_>> = nodes.collect();
    if DIMENSIONS_MAX < nodes.len() {
        let message = format!("an array has {} dimensions", nodes.len());
        too_large(reader, message, reader.tag(node), "more than 32 are not supported");
        return Vec::new();
    }
    nodes.into_iter().filter_map(|node| dimension(reader, node, variables)).collect()
}

fn dimension(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    variables: &Variables<'_>,
) -> Option<Dimension> {
    match (node.attribute("start"), node.attribute("valueReference")) {
        (Some(_), None) => {
            let extent = reader.number(node, "start", "a number of elements");
            extent.map(Dimension::Fixed)
        }
        (None, Some(number)) => structural(reader, node, number.trim(), variables),
        _ => {
            let message = "a dimension needs either `start` or `valueReference`";
            reader.report(
                Diagnostic::error("description::dimension", message)
                    .at(reader.tag(node), "exactly one of the two")
                    .help("write `<Dimension start=\"3\"/>` for a fixed number of elements"),
            );
            None
        }
    }
}

/// A dimension given by another variable: a structural parameter, or a constant.
fn structural(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    number: &str,
    variables: &Variables<'_>,
) -> Option<Dimension> {
    let found = variables.referred(number, FmiVersion::V3);
    let problem = match found.map(|id| (id, &variables.list[id.index()])) {
        Some((_, variable)) if variable.variability == Variability::Constant => {
            match extent_at_start(variable.start.as_ref()) {
                Some(extent) => return Some(Dimension::Fixed(extent)),
                None => format!("`{}` is not a whole number", shorten(&variable.name)),
            }
        }
        Some((id, variable))
            if variable.causality == Causality::StructuralParameter
                && variable.value_type.is_integer() =>
        {
            return Some(Dimension::Structural(id));
        }
        Some((_, variable)) => {
            format!("`{}` is not a structural parameter of type UInt64", shorten(&variable.name))
        }
        None => format!("there is no variable with value reference {}", shorten(number)),
    };
    reader.report(
        Diagnostic::error("description::dimension", problem)
            .at(reader.place(node, "valueReference"), "cannot be the size of an array")
            .help("refer to a variable with `causality=\"structuralParameter\"`"),
    );
    None
}

fn extent_at_start(start: Option<&Values>) -> Option<u64> {
    match start? {
        Values::UInt64(values) => values.first().copied(),
        Values::UInt32(values) => values.first().copied().map(u64::from),
        Values::UInt16(values) => values.first().copied().map(u64::from),
        Values::UInt8(values) => values.first().copied().map(u64::from),
        Values::Int64(values) => values.first().and_then(|value| u64::try_from(*value).ok()),
        Values::Int32(values) => values.first().and_then(|value| u64::try_from(*value).ok()),
        _ => None,
    }
}

/// The array must have a sensible size, and its start value one or all elements.
fn check_size(reader: &mut Reader<'_>, variables: &Variables<'_>, index: usize) {
    let variable = &variables.list[index];
    let VariableNodes { named: node, typed } = variables.nodes[index];
    let name = shorten(&variable.name);
    let mut size = Some(1u64);
    for dimension in &variable.dimensions {
        let extent = match dimension {
            Dimension::Fixed(extent) => Some(*extent),
            Dimension::Structural(id) => extent_at_start(variables.list[id.index()].start.as_ref()),
        };
        // Without a start value of the parameter the size is not known yet.
        let Some(extent) = extent else { return };
        size = size.and_then(|size| size.checked_mul(extent));
    }
    let Some(size) = size.filter(|size| *size <= ARRAY_ELEMENTS_MAX) else {
        let message = format!("the array `{name}` has more than {ARRAY_ELEMENTS_MAX} elements");
        too_large(reader, message, reader.place(node, "name"), "too large");
        return;
    };
    let count = variable.start.as_ref().map_or(1, Values::len) as u64;
    if count == 1 || count == size && !variable.dimensions.is_empty() {
        return;
    }
    let (message, label) = match variable.dimensions.as_slice() {
        [] => (
            format!("`{name}` is a scalar but has {count} start values"),
            "expected one".to_owned(),
        ),
        _ => (
            format!("the array `{name}` has {size} elements but {count} start values"),
            format!("expected {size}, or one for all"),
        ),
    };
    reader.report(
        Diagnostic::error("description::start-length", message)
            .at(reader.place(typed, "start"), label)
            .help("a start value has one number for all elements, or one for each"),
    );
}

fn too_large(reader: &mut Reader<'_>, message: String, span: Span, label: &str) {
    reader.report(
        Diagnostic::error("description::array-size", message)
            .at(span, label)
            .help("an array of this size cannot be held in memory; correct its dimensions"),
    );
}
