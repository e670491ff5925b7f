//! Whether two units fit, and what they measure, for messages.

use consort_core::unit::BASE_UNITS;
use consort_core::{Conversion, ModelDescription, Unit, Variable};

/// How a value gets from one unit to another.
pub(super) enum Fit {
    /// The units fit by this conversion.
    Converts(Conversion),
    /// Unknown: one of the units is only a name.
    Unknown,
    /// Not at all: they measure different things.
    Differs,
}

pub(super) fn fit(from: &Unit, to: &Unit) -> Fit {
    match from.conversion_to(to) {
        Some(conversion) => Fit::Converts(conversion),
        None if from.base.is_none() || to.base.is_none() => Fit::Unknown,
        None => Fit::Differs,
    }
}

pub(super) fn unit_of<'a>(model: &'a ModelDescription, variable: &Variable) -> Option<&'a Unit> {
    model.units.get(variable.unit?)
}

/// `m/s (m.s-1)`: the unit, and what it is made of.
pub(super) fn described(unit: &Unit) -> String {
    match unit.base {
        Some(base) => {
            let parts: Vec<String> = BASE_UNITS
                .iter()
                .zip(base.exponents)
                .filter(|(_, exponent)| *exponent != 0)
                .map(|(name, exponent)| match exponent {
                    1 => (*name).to_owned(),
                    _ => format!("{name}{exponent}"),
                })
                .collect();
            let made_of = if parts.is_empty() { "1".to_owned() } else { parts.join(".") };
            if made_of == unit.name {
                format!("`{}`", unit.name)
            } else {
                format!("`{}` (made of {made_of})", unit.name)
            }
        }
        None => format!("`{}` (not a known unit)", unit.name),
    }
}
