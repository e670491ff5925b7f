//! Literals to values of a variable's type, shape and unit.

use super::context::Context;
use super::lookup::Found;
use super::units::{Fit, described, fit, unit_of};
use crate::system::Spanned;
use consort_core::{
    Conversion, Diagnostic, Literal, LiteralError, Unit, ValueType, Values, ValuesRef,
};

/// What a value is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It becomes the variable's value.
    Value,
    /// It is added to the variable's value.
    Difference,
}

/// A value as the user wrote it, with its unit.
#[derive(Clone, Copy)]
pub(super) struct Given<'s> {
    pub(super) value: &'s Spanned<Literal>,
    pub(super) unit: Option<&'s Spanned<String>>,
    pub(super) purpose: Purpose,
}

impl Context<'_, '_> {
    /// The values for all elements of a port, or the reason why they do not fit.
    pub(super) fn values(&mut self, to: Found<'_>, path: &str, given: Given<'_>) -> Option<Values> {
        let conversion = self.value_conversion(to, path, given);
        let fits = self.check_shape(to, path, given);
        let scalars = self.typed(to, path, given, conversion.unwrap_or(Conversion::IDENTITY))?;
        conversion?;
        if !fits {
            return None;
        }
        if given.purpose == Purpose::Value {
            self.check_range(to, path, given, scalars.view());
        }
        let count = to.port.count as usize;
        Some(if is_scalar(&given.value.value) { repeat(&scalars, count) } else { scalars })
    }

    /// Lists must have the variable's shape, or be flat with as many elements.
    fn check_shape(&mut self, to: Found<'_>, path: &str, given: Given<'_>) -> bool {
        let Some(shape) = given.value.value.shape() else {
            self.push(
                Diagnostic::error(
                    "system::ragged-list",
                    format!("the list for `{path}` is ragged"),
                )
                .maybe_at(given.value.span, "inner lists of different lengths")
                .help("give all inner lists the same length"),
            );
            return false;
        };
        let whole = to.port.count == self.count(to.port.component, to.port.variable);
        let extents: Vec<usize> = if whole {
            let extents = self.extents(to.port.component, to.port.variable);
            extents.iter().map(|&extent| usize::try_from(extent).unwrap_or(usize::MAX)).collect()
        } else {
            Vec::new()
        };
        let flat = [to.port.count as usize];
        if shape.is_empty() || shape == extents || !extents.is_empty() && shape == flat {
            return true;
        }
        let message = match extents.is_empty() {
            true => format!("`{path}` takes one value, not a list"),
            false => format!("`{path}` has {} elements, not {}", shown(&extents), shown(&shape)),
        };
        self.push(
            Diagnostic::error("system::wrong-shape", message)
                .maybe_at(given.value.span, format!("a list of {}", shown(&shape)))
                .help("a single value applies to all elements of an array"),
        );
        false
    }

    /// From the unit the value is written in to the variable's.
    fn value_conversion(
        &mut self,
        to: Found<'_>,
        path: &str,
        given: Given<'_>,
    ) -> Option<Conversion> {
        let Some(unit) = given.unit else { return Some(Conversion::IDENTITY) };
        self.unit_conversion(to, path, unit, given.purpose)
    }

    /// From a unit that is written to the variable's.
    pub(super) fn unit_conversion(
        &mut self,
        to: Found<'_>,
        path: &str,
        unit: &Spanned<String>,
        purpose: Purpose,
    ) -> Option<Conversion> {
        let Some(own) = unit_of(to.model, to.variable) else {
            let message = format!("`{path}` has no unit, so its value is not converted");
            let at = format!("`{}` is not used", unit.value);
            self.push(
                Diagnostic::warning("system::unit-unused", message)
                    .maybe_at(unit.span, at)
                    .help("leave the unit out if the value is right as it is"),
            );
            return Some(Conversion::IDENTITY);
        };
        let written = Unit::named(&unit.value);
        let problem = match fit(&written, own) {
            Fit::Converts(conversion) if conversion.is_identity() => return Some(conversion),
            Fit::Converts(conversion) if to.variable.value_type.is_float() => {
                let offset = match purpose {
                    Purpose::Value => conversion.offset,
                    Purpose::Difference => 0.0,
                };
                return Some(Conversion { offset, ..conversion });
            }
            Fit::Converts(_) => "only floating-point values can be converted".to_owned(),
            Fit::Unknown | Fit::Differs => {
                format!("{} does not convert to {}", described(&written), described(own))
            }
        };
        let message = format!("`{path}` is measured in `{own}`, its value is given in `{written}`");
        self.push(
            Diagnostic::error("system::unit-mismatch", message)
                .maybe_at(unit.span, problem)
                .help(format!("give the value in `{own}`")),
        );
        None
    }

    /// The scalars of the literal in the variable's type, converted.
    fn typed(
        &mut self,
        to: Found<'_>,
        path: &str,
        given: Given<'_>,
        conversion: Conversion,
    ) -> Option<Values> {
        let value_type = to.variable.value_type;
        let items = to.variable.enumeration.and_then(|index| to.model.enumerations.get(index));
        let items = items.map_or(&[][..], |enumeration| &enumeration.items);
        let literal = &given.value.value;
        let exact = if conversion.is_identity() { value_type } else { ValueType::Float64 };
        let result = literal.to_values(exact, items).and_then(|values| match values {
            Values::Float64(list) if !conversion.is_identity() => {
                let converted = list.iter().map(|&value| Literal::Float(conversion.apply(value)));
                Literal::Array(converted.collect()).to_values(value_type, items)
            }
            values => Ok(values),
        });
        match result {
            Ok(values) => Some(values),
            Err(error) => {
                self.report_literal(path, given, &error, items, value_type);
                None
            }
        }
    }

    fn report_literal(
        &mut self,
        path: &str,
        given: Given<'_>,
        error: &LiteralError,
        items: &[(String, i64)],
        value_type: ValueType,
    ) {
        let names = items.iter().map(|(name, _)| name.as_str());
        let help = match (error, &given.value.value) {
            (LiteralError::UnknownItem { .. }, Literal::Text(text)) => {
                self.name_help(text, names, "items")
            }
            (LiteralError::UnknownItem { .. }, _) => self.name_help("", names, "items"),
            _ => format!("`{path}` is of type {value_type}"),
        };
        let message = format!("the value for `{path}` does not fit: {error}");
        self.push(
            Diagnostic::error("system::wrong-value", message)
                .maybe_at(given.value.span, "this value")
                .help(help),
        );
    }

    fn check_range(&mut self, to: Found<'_>, path: &str, given: Given<'_>, values: ValuesRef<'_>) {
        let (min, max) = (to.variable.min, to.variable.max);
        if min.is_none() && max.is_none() {
            return;
        }
        let outside = |value: &f64| {
            min.is_some_and(|min| *value < min) || max.is_some_and(|max| max < *value)
        };
        let found = (0..values.len()).find_map(|at| values.as_f64(at).filter(outside));
        let Some(value) = found else { return };
        let bound = |bound: Option<f64>| bound.map_or("any".to_owned(), |bound| bound.to_string());
        let (min, max) = (bound(min), bound(max));
        let message = format!("{value} is outside of the range of `{path}`, {min} to {max}");
        self.push(
            Diagnostic::warning("system::out-of-range", message)
                .maybe_at(given.value.span, "outside of the range")
                .help("the model may refuse it or compute nonsense"),
        );
    }
}

fn is_scalar(literal: &Literal) -> bool {
    !matches!(literal, Literal::Array(_))
}

/// One value for all elements.
pub(super) fn repeat(one: &Values, count: usize) -> Values {
    let mut all = Values::zeros(one.value_type(), 0);
    for _ in 0..count {
        all.extend(one.view());
    }
    all
}

/// `2 x 3`.
fn shown(extents: &[usize]) -> String {
    let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
    extents.join(" x ")
}
