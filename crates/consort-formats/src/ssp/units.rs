//! Units as a file defines them, and what a transformation does in them.

use super::xml::{Session, Tag};
use consort_core::unit::{BASE_UNITS, BaseUnit};
use consort_core::{Conversion, Diagnostic, Unit};
use consort_system::{Linear, Spanned};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The units a file defines, by name.
#[derive(Default)]
pub(super) struct Units {
    defined: BTreeMap<String, Unit>,
    /// Names that were reported as undefined.
    missed: RefCell<BTreeSet<String>>,
}

impl Units {
    /// Reads `Units` below the root of a file.
    pub(super) fn read(session: &mut Session<'_>, root: Tag<'_>) -> Self {
        let mut units = Units::default();
        let Some(list) = root.child("Units") else { return units };
        for tag in list.all("Unit") {
            let help = "name the unit as connectors and parameters do: `name=\"degC\"`";
            let Some(name) = session.required(tag, "name", help) else { continue };
            let base = tag.child("BaseUnit").and_then(|base| read_base(session, base));
            let unit = Unit { name: name.value.to_owned(), base };
            units.defined.insert(name.value.to_owned(), unit);
        }
        units
    }

    /// The unit an attribute names: by the file's definition, else by the list of well-known units; `None`,
    /// with a warning, if neither defines it.
    pub(super) fn named(&self, session: &mut Session<'_>, tag: Tag<'_>) -> Option<Spanned<Unit>> {
        let name = tag.attribute("unit")?;
        if name.value.trim().is_empty() {
            return None;
        }
        if let Some(unit) = self.defined.get(name.value) {
            return Some(Spanned { value: unit.clone(), span: name.span });
        }
        let unit = Unit::named(name.value);
        if unit.base.is_none() {
            self.report(session, &name, "is not defined");
            return None;
        }
        Some(Spanned { value: unit, span: name.span })
    }

    /// The unit of a value, which is of use only if it is made of base units.
    pub(super) fn of_value(
        &self,
        session: &mut Session<'_>,
        tag: Tag<'_>,
    ) -> Option<Spanned<Unit>> {
        let unit = self.named(session, tag)?;
        if unit.value.base.is_some() {
            return Some(unit);
        }
        let name = Spanned { value: unit.value.name.as_str(), span: unit.span };
        self.report(session, &name, "is not defined by base units");
        None
    }

    /// Adds a diagnostic, once per name.
    fn report(&self, session: &mut Session<'_>, name: &Spanned<&str>, what: &str) {
        if !self.missed.borrow_mut().insert(name.value.to_owned()) {
            return;
        }
        session.report(
            Diagnostic::warning("ssp::undefined-unit", format!("the unit `{}` {what}", name.value))
                .maybe_at(name.span, "values in it are passed on as they are, not converted")
                .help("define it by base units in `Units` of this file"),
        );
    }
}

fn read_base(session: &mut Session<'_>, tag: Tag<'_>) -> Option<BaseUnit> {
    session.known(tag, &["kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"], &[]);
    let mut exponents = [0; 8];
    for (exponent, name) in exponents.iter_mut().zip(BASE_UNITS) {
        *exponent = session.number(tag, name, "a whole number").map_or(0, |found| found.value);
    }
    let factor = double(session, tag, "factor").unwrap_or(1.0);
    let offset = double(session, tag, "offset").unwrap_or(0.0);
    if factor.is_finite() && factor != 0.0 && offset.is_finite() {
        return Some(BaseUnit { exponents, factor, offset });
    }
    let message = "a unit must have a finite offset and a finite factor other than zero";
    session.report(
        Diagnostic::error("ssp::bad-unit", message)
            .at(tag.span(), "nothing converts to this")
            .help("`base value = factor * value + offset`"),
    );
    None
}

/// A number with a fraction, as XML Schema writes it.
pub(super) fn double(session: &mut Session<'_>, tag: Tag<'_>, name: &str) -> Option<f64> {
    session.number(tag, name, "a number").map(|found| found.value)
}

/// The transformation of a connection or a mapping; those that are not linear are refused.
pub(super) fn transformation(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Linear> {
    for child in tag.children().filter(|child| child.name().ends_with("MappingTransformation")) {
        let message = format!("`{}` is not supported", child.name());
        session.report(
            Diagnostic::error("ssp::unsupported-transformation", message)
                .at(child.span(), "only `LinearTransformation` is")
                .help("put a component between the two that maps the values"),
        );
    }
    let linear = tag.child("LinearTransformation")?;
    session.known(linear, &["factor", "offset"], &[]);
    let factor = double(session, linear, "factor").unwrap_or(1.0);
    let offset = double(session, linear, "offset").unwrap_or(0.0);
    if !factor.is_finite() || !offset.is_finite() {
        session.report(
            Diagnostic::error("ssp::bad-value", "a transformation has a number that is not finite")
                .at(linear.span(), "nothing comes out of this")
                .help("it computes `factor * value + offset`"),
        );
        return None;
    }
    Some(Linear { factor, offset })
}

/// Whether a transformation leaves every value as it is.
pub(super) fn is_identity(linear: Option<Linear>) -> bool {
    linear.is_none_or(|linear| linear == Linear { factor: 1.0, offset: 0.0 })
}

/// First one transformation, then another.
pub(super) fn then(first: Linear, second: Linear) -> Linear {
    Linear {
        factor: second.factor * first.factor,
        offset: second.factor * first.offset + second.offset,
    }
}

/// A conversion as a transformation.
pub(super) fn linear(conversion: Conversion) -> Linear {
    Linear { factor: conversion.gain, offset: conversion.offset }
}

/// The name of a well-known unit, and the conversion to it: the unit itself, or the product
/// of base units it is made of, if its name is unknown or means something else elsewhere.
pub(super) fn well_known(unit: &Unit) -> (String, Conversion) {
    let Some(base) = unit.base else { return (unit.name.clone(), Conversion::IDENTITY) };
    if Unit::named(&unit.name).base == Some(base) {
        return (unit.name.clone(), Conversion::IDENTITY);
    }
    let power = |(name, exponent): (&str, i32)| match exponent {
        0 => None,
        1 => Some(name.to_owned()),
        _ => Some(format!("{name}{exponent}")),
    };
    let parts: Vec<String> = BASE_UNITS.into_iter().zip(base.exponents).filter_map(power).collect();
    let name = if parts.is_empty() { "1".to_owned() } else { parts.join(".") };
    (name, Conversion { gain: base.factor, offset: base.offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_ones_own_becomes_base_units() {
        let pascal = Unit::named("Pa").base.unwrap();
        let own = Unit { name: "hPa".to_owned(), base: Some(BaseUnit { factor: 100.0, ..pascal }) };
        let (name, conversion) = well_known(&own);
        assert_eq!((name.as_str(), conversion.gain), ("kg.m-1.s-2", 100.0));
        assert!(Unit::named(&name).conversion_to(&Unit::named("Pa")).unwrap().is_identity());
        assert_eq!(well_known(&Unit::named("cm")).0, "cm");
        assert_eq!(well_known(&Unit::named("furlong")).0, "furlong");
    }

    #[test]
    fn transformations_follow_each_other() {
        let first = Linear { factor: 2.0, offset: 1.0 };
        let second = Linear { factor: 10.0, offset: 3.0 };
        assert_eq!(then(first, second), Linear { factor: 20.0, offset: 13.0 });
    }
}
