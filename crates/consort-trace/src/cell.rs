//! One element of one column in one row.

use consort_core::{ValueType, Values, ValuesRef};
use std::fmt;

/// One value, borrowed from a chunk or a trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell<'a> {
    /// A `Float64`.
    Float64(f64),
    /// A `Float32`.
    Float32(f32),
    /// A whole number of the type given, enumerations included.
    Integer(ValueType, i128),
    /// A `Boolean`, or a `Clock` where the flag says so.
    Boolean {
        /// The value.
        value: bool,
        /// Whether it is the activation of a clock.
        clock: bool,
    },
    /// A `String`.
    String(&'a str),
    /// A `Binary`.
    Binary(&'a [u8]),
}

impl<'a> Cell<'a> {
    /// The element of `values` at `index`.
    pub fn of(values: ValuesRef<'a>, index: usize) -> Self {
        let value_type = values.value_type();
        match values {
            ValuesRef::Float64(list) => Cell::Float64(list[index]),
            ValuesRef::Float32(list) => Cell::Float32(list[index]),
            ValuesRef::Int8(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::UInt8(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::Int16(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::UInt16(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::Int32(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::UInt32(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::Int64(list) | ValuesRef::Enumeration(list) => {
                Cell::Integer(value_type, list[index].into())
            }
            ValuesRef::UInt64(list) => Cell::Integer(value_type, list[index].into()),
            ValuesRef::Boolean(list) => Cell::Boolean { value: list[index], clock: false },
            ValuesRef::Clock(list) => Cell::Boolean { value: list[index], clock: true },
            ValuesRef::String(list) => Cell::String(&list[index]),
            ValuesRef::Binary(list) => Cell::Binary(&list[index]),
        }
    }

    /// Whether the value is one of a set without distances: a truth value, a name, text, bytes.
    /// Tolerances do not apply to such.
    pub fn is_nominal(self) -> bool {
        match self {
            Cell::Float64(_) | Cell::Float32(_) => false,
            Cell::Integer(value_type, _) => value_type == ValueType::Enumeration,
            Cell::Boolean { .. } | Cell::String(_) | Cell::Binary(_) => true,
        }
    }
}

impl fmt::Display for Cell<'_> {
    /// As it stands in a CSV file, but for quotes: floats in the shortest form that reads back
    /// exactly (`Float32` widened first), truth values as 0 and 1, binary in hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Float64(value) => write!(f, "{value:?}"),
            Cell::Float32(value) => write!(f, "{:?}", f64::from(*value)),
            Cell::Integer(_, value) => write!(f, "{value}"),
            Cell::Boolean { value, .. } => write!(f, "{}", u8::from(*value)),
            Cell::String(text) => f.write_str(text),
            Cell::Binary(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// Appends the value that `text` stands for, the inverse of printing a [`Cell`]; false, and nothing
/// appended, if it is none of the type.
pub(crate) fn push_parsed(values: &mut Values, text: &str) -> bool {
    fn push<T>(list: &mut Vec<T>, value: Option<T>) -> bool {
        let some = value.is_some();
        list.extend(value);
        some
    }
    let number = text.trim();
    match values {
        Values::Float64(list) => push(list, number.parse().ok()),
        Values::Float32(list) => push(list, number.parse::<f64>().ok().map(|value| value as f32)),
        Values::Int8(list) => push(list, number.parse().ok()),
        Values::UInt8(list) => push(list, number.parse().ok()),
        Values::Int16(list) => push(list, number.parse().ok()),
        Values::UInt16(list) => push(list, number.parse().ok()),
        Values::Int32(list) => push(list, number.parse().ok()),
        Values::UInt32(list) => push(list, number.parse().ok()),
        Values::Int64(list) | Values::Enumeration(list) => push(list, number.parse().ok()),
        Values::UInt64(list) => push(list, number.parse().ok()),
        Values::Boolean(list) | Values::Clock(list) => push(list, parse_truth(number)),
        Values::String(list) => push(list, Some(text.to_owned())),
        Values::Binary(list) => push(list, crate::hex::decode(text)),
    }
}

fn parse_truth(text: &str) -> Option<bool> {
    match text {
        "1" | "1.0" | "true" | "True" => Some(true),
        "0" | "0.0" | "false" | "False" => Some(false),
        _ => None,
    }
}
