//! Numbers from their text, so that nothing is rounded that need not be, and values made of them.

use consort_core::Literal;
use std::borrow::Cow;
use toml::de::{DeInteger, DeValue};

/// The text of a value that may be a time; `None` for other kinds.
pub(crate) fn time_text<'v>(value: &'v DeValue<'_>) -> Option<Cow<'v, str>> {
    match value {
        DeValue::String(text) => Some(Cow::Borrowed(text)),
        DeValue::Float(number) => Some(Cow::Borrowed(number.as_str())),
        DeValue::Integer(number) if number.radix() == 10 => Some(Cow::Borrowed(number.as_str())),
        DeValue::Integer(number) => Some(Cow::Owned(
            integer(number).map_or_else(|| number.to_string(), |value| value.to_string()),
        )),
        _ => None,
    }
}

/// What a value is, for a person.
pub(crate) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A scalar as the user wrote it.
pub(crate) fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => format!("`{number}`"),
        DeValue::Float(number) => format!("`{number}`"),
        _ => "this".to_owned(),
    }
}

/// Why a value is no literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralProblem {
    /// It is of a kind no variable has.
    Kind(&'static str),
    /// A number is too large for any variable.
    TooLarge,
}

/// A value for a variable: true or false, a number, text, or a list of those.
///
/// # Errors
/// If no variable has such a value.
pub fn literal(value: &DeValue<'_>) -> Result<Literal, LiteralProblem> {
    Ok(match value {
        DeValue::String(text) => Literal::Text(text.to_string()),
        DeValue::Boolean(value) => Literal::Boolean(*value),
        DeValue::Integer(number) => {
            Literal::Integer(integer(number).ok_or(LiteralProblem::TooLarge)?)
        }
        DeValue::Float(number) => {
            Literal::Float(float(number.as_str()).ok_or(LiteralProblem::TooLarge)?)
        }
        DeValue::Array(items) => {
            let items = items.iter().map(|item| literal(item.get_ref()));
            Literal::Array(items.collect::<Result<_, _>>()?)
        }
        DeValue::Datetime(_) | DeValue::Table(_) => {
            return Err(LiteralProblem::Kind(kind(value)));
        }
    })
}

/// A value for a variable, written alone; `None` if it is none.
pub fn parse_literal(text: &str) -> Option<Literal> {
    literal(DeValue::parse(text).ok()?.get_ref()).ok()
}

/// A whole number in whatever base it is written; `None` if it has more than 128 bits.
pub fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

/// The nearest double; `None` if the number is beyond all doubles.
pub fn float(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    (value.is_finite() || text.contains("inf") || text.contains("nan")).then_some(value)
}
