//! Values for a person to read: short, but never rounded.

use consort_core::model::Enumeration;
use consort_core::{ValuesRef, Variable};

/// More elements of an array than this are not written out.
const ELEMENTS_MAX: usize = 4;
/// More letters of a text than this are not written out.
const LETTERS_MAX: usize = 24;

/// A variable's start value; empty if it has none.
pub(super) fn start(variable: &Variable, enumerations: &[Enumeration]) -> String {
    let Some(values) = &variable.start else { return String::new() };
    let items = variable.enumeration.and_then(|index| enumerations.get(index));
    let element = |index| element(values.slice(index, 1), items);
    if variable.dimensions.is_empty() {
        return if values.is_empty() { String::new() } else { element(0) };
    }
    match values.len() {
        // A single value applies to all elements.
        1 => format!("all {}", element(0)),
        count => {
            let shown: Vec<String> = (0..count.min(ELEMENTS_MAX)).map(element).collect();
            let rest = if ELEMENTS_MAX < count { ", …" } else { "" };
            format!("[{}{rest}]", shown.join(", "))
        }
    }
}

/// One element as text.
fn element(value: ValuesRef<'_>, items: Option<&Enumeration>) -> String {
    match value {
        ValuesRef::Float64(values) => number(values[0]),
        ValuesRef::Float32(values) => float32(values[0]),
        ValuesRef::Boolean(values) | ValuesRef::Clock(values) => values[0].to_string(),
        ValuesRef::String(values) => format!("{:?}", shortened(&values[0])),
        ValuesRef::Binary(values) => format!("{} bytes", values[0].len()),
        ValuesRef::Enumeration(values) => item(values[0], items),
        ValuesRef::Int8(values) => values[0].to_string(),
        ValuesRef::UInt8(values) => values[0].to_string(),
        ValuesRef::Int16(values) => values[0].to_string(),
        ValuesRef::UInt16(values) => values[0].to_string(),
        ValuesRef::Int32(values) => values[0].to_string(),
        ValuesRef::UInt32(values) => values[0].to_string(),
        ValuesRef::Int64(values) => values[0].to_string(),
        ValuesRef::UInt64(values) => values[0].to_string(),
    }
}

fn item(value: i64, items: Option<&Enumeration>) -> String {
    let named = items.and_then(|list| list.items.iter().find(|(_, number)| *number == value));
    named.map_or_else(|| value.to_string(), |(name, _)| name.clone())
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LETTERS_MAX {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LETTERS_MAX - 1).collect::<String>())
}

/// The shortest text that reads back as the same double, in the form that is easier to read.
pub(super) fn number(value: f64) -> String {
    let magnitude = value.abs();
    let is_plain = value == 0.0 || (1e-4..1e7).contains(&magnitude) || !value.is_finite();
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

fn float32(value: f32) -> String {
    let magnitude = value.abs();
    let is_plain = value == 0.0 || (1e-4..1e7).contains(&magnitude) || !value.is_finite();
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// `0 to 1`, `from 0`, `up to 5`; empty without limits.
pub(super) fn range(variable: &Variable) -> String {
    let limit = |limit: Option<f64>| limit.filter(|limit| limit.is_finite());
    match (limit(variable.min), limit(variable.max)) {
        (Some(min), Some(max)) => format!("{} to {}", number(min), number(max)),
        (Some(min), None) => format!("from {}", number(min)),
        (None, Some(max)) => format!("up to {}", number(max)),
        (None, None) => String::new(),
    }
}
