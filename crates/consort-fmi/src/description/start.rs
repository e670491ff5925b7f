//! Start values and bounds: from text to values of a type, exactly.

use super::FmiVersion;
use crate::xml::{self, Node, Reader, elements, shorten};
use consort_core::{Diagnostic, Span, ValueType, Values};
use consort_xml::Attribute;
use std::str::FromStr;

/// The start value of a variable, if it has one that can be read.
pub(super) fn read(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    version: FmiVersion,
    value_type: ValueType,
) -> Option<Values> {
    let texts = matches!(value_type, ValueType::String | ValueType::Binary);
    if texts && version == FmiVersion::V3 {
        let children = elements(node).filter(|child| child.tag_name().name() == "Start");
        let starts: Vec<Node<'_>> = children.collect();
        if !starts.is_empty() {
            return start_elements(reader, &starts, value_type);
        }
    }
    let attribute = node.attribute_node("start")?;
    let one = [attribute.value()];
    match value_type {
        ValueType::String => {
            misplaced(reader, attribute, version);
            Some(Values::String(vec![attribute.value().to_owned()]))
        }
        ValueType::Binary => {
            misplaced(reader, attribute, version);
            let span = reader.value(attribute);
            binary(reader, attribute.value(), span).map(|bytes| Values::Binary(vec![bytes]))
        }
        ValueType::Clock => None,
        _ if version == FmiVersion::V2 => {
            list(reader, attribute, one.into_iter().map(str::trim), value_type)
        }
        _ => list(reader, attribute, attribute.value().split_ascii_whitespace(), value_type),
    }
}

fn misplaced(reader: &mut Reader<'_>, attribute: Attribute<'_, '_>, version: FmiVersion) {
    if version == FmiVersion::V2 {
        return;
    }
    let message = "the start value of a text is an attribute";
    reader.report(
        Diagnostic::warning("description::start-attribute", message)
            .at(reader.value(attribute), "taken as one value")
            .help("FMI 3.0 has an element for it: `<Start value=\"...\"/>`"),
    );
}

/// `<Start value="..."/>` once per element.
fn start_elements(
    reader: &mut Reader<'_>,
    starts: &[Node<'_>],
    value_type: ValueType,
) -> Option<Values> {
    let help = "write `<Start value=\"...\"/>`";
    let mut texts = Vec::with_capacity(starts.len());
    for start in starts {
        texts.push((reader.required(*start, "value", help)?, reader.place(*start, "value")));
    }
    if value_type == ValueType::String {
        return Some(Values::String(texts.iter().map(|(text, _)| (*text).to_owned()).collect()));
    }
    let values: Vec<_> = texts.iter().map(|(text, span)| binary(reader, text, *span)).collect();
    values.into_iter().collect::<Option<Vec<_>>>().map(Values::Binary)
}

fn binary(reader: &mut Reader<'_>, text: &str, span: Span) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let digits: Option<Vec<u32>> =
        text.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(digit).collect();
    let Some(digits) = digits.filter(|digits| digits.len() % 2 == 0) else {
        reader.bad_value("start", text, "binary in pairs of hexadecimal digits", span);
        return None;
    };
    Some(digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

/// A list of numbers, whole numbers or truth values.
fn list<'a>(
    reader: &mut Reader<'_>,
    attribute: Attribute<'_, '_>,
    mut tokens: impl Iterator<Item = &'a str>,
    value_type: ValueType,
) -> Option<Values> {
    macro_rules! parsed {
        ($variant:ident, $parse:expr) => {
            tokens
                .try_fold(Vec::new(), |mut list, token| match $parse(token) {
                    Some(value) => {
                        list.push(value);
                        Ok(list)
                    }
                    None => Err(token),
                })
                .map(Values::$variant)
        };
    }
    let result = match value_type {
        ValueType::Float64 => parsed!(Float64, float::<f64>),
        ValueType::Float32 => parsed!(Float32, float::<f32>),
        ValueType::Int8 => parsed!(Int8, whole),
        ValueType::UInt8 => parsed!(UInt8, whole),
        ValueType::Int16 => parsed!(Int16, whole),
        ValueType::UInt16 => parsed!(UInt16, whole),
        ValueType::Int32 => parsed!(Int32, whole),
        ValueType::UInt32 => parsed!(UInt32, whole),
        ValueType::Int64 => parsed!(Int64, whole),
        ValueType::UInt64 => parsed!(UInt64, whole),
        ValueType::Enumeration => parsed!(Enumeration, whole),
        ValueType::Boolean => parsed!(Boolean, xml::boolean),
        ValueType::String | ValueType::Binary | ValueType::Clock => return None,
    };
    result.map_err(|token| bad_token(reader, attribute, token, value_type)).ok()
}

fn whole<T: FromStr>(token: &str) -> Option<T> {
    token.parse().ok()
}

/// A float; `None` also if a finite number is beyond the type's range.
fn float<T: FromStr + Into<f64> + Copy>(token: &str) -> Option<T> {
    let value: T = token.parse().ok()?;
    let overflows = value.into().is_infinite() && !token.to_ascii_lowercase().contains("inf");
    (!overflows).then_some(value)
}

fn bad_token(
    reader: &mut Reader<'_>,
    attribute: Attribute<'_, '_>,
    token: &str,
    value_type: ValueType,
) {
    let span = reader.piece(attribute, token);
    let shown = shorten(token);
    let is_number = match value_type.is_integer() {
        true => token.parse::<i128>().is_ok(),
        false => value_type.is_float() && token.parse::<f64>().is_ok(),
    };
    if is_number {
        reader.report(
            Diagnostic::error(
                "description::number",
                format!("`{shown}` does not fit in {value_type}"),
            )
            .at(span, "out of range")
            .help("the FMU contradicts itself: correct the value or the type"),
        );
        return;
    }
    let expected = match value_type {
        ValueType::Boolean => "`true` or `false`",
        _ if value_type.is_float() => "a number",
        _ => "a whole number",
    };
    reader.bad_value("start", token, expected, span);
}

/// `min` or `max` of a variable, as a double for showing.
pub(super) fn bound(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    name: &str,
    value_type: ValueType,
) -> Option<f64> {
    if value_type.is_float() {
        return reader.number(node, name, "a number");
    }
    if !value_type.is_integer() {
        return None;
    }
    reader.number::<i128>(node, name, "a whole number").map(|number| number as f64)
}
