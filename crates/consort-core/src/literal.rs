//! Values as a user writes them, before their type is known.

use crate::value::{ValueType, Values};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value as written in a system file, on the command line or in a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number; wide enough for every 64-bit type, so that nothing is rounded.
    Integer(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// Text in quotes.
    Text(String),
    /// A list, possibly of lists.
    Array(Vec<Literal>),
}

/// Why a literal cannot become values of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LiteralError {
    /// The literal is of another kind: for example text for a number.
    WrongKind {
        /// What was expected, for a person.
        expected: &'static str,
        /// The literal as written.
        found: String,
    },
    /// A number does not fit the type, or would be rounded.
    DoesNotFit {
        /// The type of the variable.
        value_type: ValueType,
        /// The literal as written.
        found: String,
    },
    /// An enumeration has no item of that name.
    UnknownItem {
        /// The literal as written.
        found: String,
    },
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralError::WrongKind { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            LiteralError::DoesNotFit { value_type, found } => {
                write!(f, "{found} does not fit in {value_type}")
            }
            LiteralError::UnknownItem { found } => write!(f, "no item is called {found}"),
        }
    }
}

impl std::error::Error for LiteralError {}

impl Literal {
    /// The extents of a list of lists, outermost first; empty for a scalar, `None` if ragged.
    pub fn shape(&self) -> Option<Vec<usize>> {
        let Literal::Array(items) = self else { return Some(Vec::new()) };
        let mut shapes = items.iter().map(Literal::shape);
        let inner = shapes.next().unwrap_or(Some(Vec::new()))?;
        if shapes.any(|shape| shape.as_ref() != Some(&inner)) {
            return None;
        }
        Some(std::iter::once(items.len()).chain(inner).collect())
    }

    /// The scalars in row-major order.
    pub fn scalars(&self) -> Vec<&Literal> {
        match self {
            Literal::Array(items) => items.iter().flat_map(Literal::scalars).collect(),
            scalar => vec![scalar],
        }
    }

    /// The scalars as values of one type, exactly. `items` are the names of an enumeration.
    ///
    /// Binary is written in hex. A whole number is taken for a float if it is exact there.
    ///
    /// # Errors
    /// If a scalar is of another kind or does not fit.
    pub fn to_values(
        &self,
        value_type: ValueType,
        items: &[(String, i64)],
    ) -> Result<Values, LiteralError> {
        let mut values = Values::zeros(value_type, 0);
        for scalar in self.scalars() {
            scalar.push_to(&mut values, items)?;
        }
        Ok(values)
    }

    fn push_to(&self, values: &mut Values, items: &[(String, i64)]) -> Result<(), LiteralError> {
        match values {
            Values::Float64(list) => list.push(self.float()?),
            Values::Float32(list) => list.push(self.float32()?),
            Values::Int8(list) => list.push(self.integer(ValueType::Int8)?),
            Values::UInt8(list) => list.push(self.integer(ValueType::UInt8)?),
            Values::Int16(list) => list.push(self.integer(ValueType::Int16)?),
            Values::UInt16(list) => list.push(self.integer(ValueType::UInt16)?),
            Values::Int32(list) => list.push(self.integer(ValueType::Int32)?),
            Values::UInt32(list) => list.push(self.integer(ValueType::UInt32)?),
            Values::Int64(list) => list.push(self.integer(ValueType::Int64)?),
            Values::UInt64(list) => list.push(self.integer(ValueType::UInt64)?),
            Values::Enumeration(list) => list.push(self.item(items)?),
            Values::Boolean(list) | Values::Clock(list) => list.push(self.boolean()?),
            Values::String(list) => list.push(self.text()?.to_owned()),
            Values::Binary(list) => list.push(self.bytes()?),
        }
        Ok(())
    }

    fn wrong_kind(&self, expected: &'static str) -> LiteralError {
        LiteralError::WrongKind { expected, found: self.to_string() }
    }

    fn does_not_fit(&self, value_type: ValueType) -> LiteralError {
        LiteralError::DoesNotFit { value_type, found: self.to_string() }
    }

    fn float(&self) -> Result<f64, LiteralError> {
        match self {
            Literal::Float(value) => Ok(*value),
            Literal::Integer(value) if *value as f64 as i128 == *value => Ok(*value as f64),
            Literal::Integer(_) => Err(self.does_not_fit(ValueType::Float64)),
            _ => Err(self.wrong_kind("a number")),
        }
    }

    fn float32(&self) -> Result<f32, LiteralError> {
        // A decimal is rounded to the nearest float, as it would be to the nearest double; only
        // what is beyond the range is refused.
        let value = self.float()?;
        let narrow = value as f32;
        if narrow.is_infinite() && value.is_finite() {
            return Err(self.does_not_fit(ValueType::Float32));
        }
        Ok(narrow)
    }

    fn integer<T: TryFrom<i128>>(&self, value_type: ValueType) -> Result<T, LiteralError> {
        let Literal::Integer(value) = self else { return Err(self.wrong_kind("a whole number")) };
        T::try_from(*value).map_err(|_| self.does_not_fit(value_type))
    }

    fn item(&self, items: &[(String, i64)]) -> Result<i64, LiteralError> {
        let Literal::Text(text) = self else { return self.integer(ValueType::Enumeration) };
        let named = items.iter().find(|(name, _)| name == text);
        named
            .map(|(_, value)| *value)
            .ok_or_else(|| LiteralError::UnknownItem { found: self.to_string() })
    }

    fn boolean(&self) -> Result<bool, LiteralError> {
        match self {
            Literal::Boolean(value) => Ok(*value),
            _ => Err(self.wrong_kind("`true` or `false`")),
        }
    }

    fn text(&self) -> Result<&str, LiteralError> {
        match self {
            Literal::Text(text) => Ok(text),
            _ => Err(self.wrong_kind("text in quotes")),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>, LiteralError> {
        let digits = self.text().map_err(|_| self.wrong_kind("binary as hex text in quotes"))?;
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        bytes.ok_or_else(|| self.wrong_kind("binary as hex text in quotes"))
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Boolean(value) => write!(f, "{value}"),
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Text(text) => write!(f, "{text:?}"),
            Literal::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literal: &Literal, value_type: ValueType, expected: &str) {
        let items = [("open".to_owned(), 3)];
        let actual = match literal.to_values(value_type, &items) {
            Ok(values) => values.view().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected);
    }

    #[test]
    fn literals_become_values_exactly_or_say_why_not() {
        let big = i128::from(u64::MAX);
        check(&Literal::Integer(big), ValueType::UInt64, "18446744073709551615");
        check(
            &Literal::Integer(big),
            ValueType::Int64,
            "18446744073709551615 does not fit in Int64",
        );
        check(
            &Literal::Integer(big),
            ValueType::Float64,
            "18446744073709551615 does not fit in Float64",
        );
        check(&Literal::Integer(2), ValueType::Float64, "2.0");
        check(&Literal::Float(0.1), ValueType::Float32, "0.1");
        check(&Literal::Float(1e300), ValueType::Float32, "1e300 does not fit in Float32");
        check(&Literal::Float(1.0), ValueType::Int32, "expected a whole number, found 1.0");
        check(&Literal::Text("open".into()), ValueType::Enumeration, "3");
        check(&Literal::Text("shut".into()), ValueType::Enumeration, "no item is called \"shut\"");
        check(&Literal::Text("0aff".into()), ValueType::Binary, "0aff");
        check(
            &Literal::Text("0af".into()),
            ValueType::Binary,
            "expected binary as hex text in quotes, found \"0af\"",
        );
        check(&Literal::Boolean(true), ValueType::Int8, "expected a whole number, found true");
    }

    #[test]
    fn the_shape_of_a_ragged_list_is_none() {
        let row = |n: usize| Literal::Array(vec![Literal::Integer(0); n]);
        assert_eq!(Literal::Array(vec![row(3), row(3)]).shape(), Some(vec![2, 3]));
        assert_eq!(Literal::Array(vec![row(3), row(2)]).shape(), None);
        assert_eq!(Literal::Float(1.0).shape(), Some(vec![]));
    }
}
