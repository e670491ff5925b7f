//! Units as exponents of base units with factor and offset, as FMI defines them, and a reader for
//! unit expressions such as `kg.m2/s3` or `km/h`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The base units of FMI, in its order.
pub const BASE_UNITS: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

/// A unit: its name, and what it is made of where that is known.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// As the model or the user writes it.
    pub name: String,
    /// `None` if the unit is only a name.
    pub base: Option<BaseUnit>,
}

/// `base value = factor * value + offset`, in the product of base units given by the exponents.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct BaseUnit {
    /// Exponent of each of [`BASE_UNITS`].
    pub exponents: [i32; 8],
    /// Factor to the base unit.
    pub factor: f64,
    /// Offset to the base unit, as for degrees Celsius.
    pub offset: f64,
}

impl BaseUnit {
    const ONE: BaseUnit = BaseUnit { exponents: [0; 8], factor: 1.0, offset: 0.0 };
}

/// A linear map between two units: `target = gain * source + offset`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conversion {
    /// The factor, applied first.
    pub gain: f64,
    /// The summand, applied after the factor.
    pub offset: f64,
}

impl Conversion {
    /// Leaves every value as it is, to the bit.
    pub const IDENTITY: Conversion = Conversion { gain: 1.0, offset: 0.0 };

    /// Whether this leaves every value as it is.
    pub fn is_identity(self) -> bool {
        self == Self::IDENTITY
    }

    /// The value in the target unit.
    #[inline]
    pub fn apply(self, value: f64) -> f64 {
        // Without a branch the identity would turn -0.0 into 0.0.
        if self.is_identity() { value } else { self.gain * value + self.offset }
    }
}

impl Unit {
    /// A unit by name: looked up and taken apart as an expression; only a name if that fails.
    pub fn named(name: &str) -> Self {
        Unit { name: name.to_owned(), base: parse(name) }
    }

    /// How to get from this unit to `target`; `None` if they measure different things.
    ///
    /// Units that are only names convert to a unit of the same name. A radian and a plain number
    /// are taken as one, because most tools leave `rad` out.
    pub fn conversion_to(&self, target: &Unit) -> Option<Conversion> {
        if self.name == target.name {
            return Some(Conversion::IDENTITY);
        }
        let (from, to) = (self.base?, target.base?);
        if from.exponents[..7] != to.exponents[..7] {
            return None;
        }
        if from.factor.to_bits() == to.factor.to_bits()
            && from.offset.to_bits() == to.offset.to_bits()
        {
            return Some(Conversion::IDENTITY);
        }
        Some(Conversion {
            gain: from.factor / to.factor,
            offset: (from.offset - to.offset) / to.factor,
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Reads a unit expression: atoms with exponents, joined by `.`, `*` or a blank, at most one `/`
/// level (everything after a `/` up to the next operator divides).
fn parse(text: &str) -> Option<BaseUnit> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Some(unit) = atom(text) {
        return Some(unit);
    }
    let mut result = BaseUnit::ONE;
    let mut sign = 1;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['.', '*', ' ', '/', '·']).unwrap_or(rest.len());
        let (name, exponent) = split_exponent(rest[..end].trim_matches(['(', ')']))?;
        multiply(&mut result, atom(name)?, exponent * sign)?;
        let operator = rest[end..].chars().next();
        // In `J/(kg.K)` both divide; `m/s.kg` is read left to right.
        let in_brackets = rest[..end].starts_with('(') || sign < 0 && !rest[..end].ends_with(')');
        sign = match operator {
            Some('/') => -1,
            _ if in_brackets && text.contains('(') => sign,
            _ => 1,
        };
        rest = operator.map_or("", |operator| &rest[end + operator.len_utf8()..]);
        if rest.is_empty() && operator.is_some() {
            return None;
        }
    }
    Some(result)
}

fn multiply(result: &mut BaseUnit, unit: BaseUnit, exponent: i32) -> Option<()> {
    if unit.offset != 0.0 {
        return None; // a degree Celsius in a product means nothing definite
    }
    for (sum, part) in result.exponents.iter_mut().zip(unit.exponents) {
        *sum = sum.checked_add(part.checked_mul(exponent)?)?;
    }
    for _ in 0..exponent.unsigned_abs() {
        if 0 < exponent {
            result.factor *= unit.factor;
        } else {
            result.factor /= unit.factor;
        }
    }
    Some(())
}

/// `m2`, `m^2`, `s-1`, `s^-1`.
fn split_exponent(text: &str) -> Option<(&str, i32)> {
    if text == "1" {
        return Some((text, 1)); // as in `1/s`, no exponent of nothing
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (mut name, number) = text.split_at(digits);
    let mut exponent: i32 = if number.is_empty() { 1 } else { number.parse().ok()? };
    if !number.is_empty() {
        if let Some(shorter) = name.strip_suffix('-') {
            (name, exponent) = (shorter, -exponent);
        }
        name = name.strip_suffix('^').unwrap_or(name);
    }
    (!name.is_empty() && exponent.unsigned_abs() <= 20).then_some((name, exponent))
}

/// A known unit, alone or with a prefix.
fn atom(name: &str) -> Option<BaseUnit> {
    if let Some(&(_, exponents, factor, offset)) = UNITS.iter().find(|unit| unit.0 == name) {
        return Some(BaseUnit { exponents, factor, offset });
    }
    let &(prefix, scale) = PREFIXES
        .iter()
        .find(|(prefix, _)| name.len() > prefix.len() && name.starts_with(prefix))?;
    let base = &name[prefix.len()..];
    let &(_, exponents, factor, offset) =
        UNITS.iter().find(|unit| unit.0 == base && PREFIXABLE.contains(&unit.0))?;
    Some(BaseUnit { exponents, factor: factor * scale, offset })
}

const PREFIXES: [(&str, f64); 9] = [
    ("da", 1e1),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

const PREFIXABLE: [&str; 19] = [
    "g", "m", "s", "A", "K", "mol", "cd", "N", "Pa", "J", "W", "V", "Ohm", "Hz", "C", "F", "H",
    "T", "bar",
];

type Row = (&'static str, [i32; 8], f64, f64);

/// Name, exponents of kg m s A K mol cd rad, factor, offset.
#[rustfmt::skip]
const UNITS: &[Row] = &[
    ("1",    [0, 0, 0, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("%",    [0, 0, 0, 0, 0, 0, 0, 0], 0.01, 0.0),
    ("kg",   [1, 0, 0, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("g",    [1, 0, 0, 0, 0, 0, 0, 0], 1e-3, 0.0),
    ("t",    [1, 0, 0, 0, 0, 0, 0, 0], 1e3, 0.0),
    ("m",    [0, 1, 0, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("km",   [0, 1, 0, 0, 0, 0, 0, 0], 1e3, 0.0),
    ("ft",   [0, 1, 0, 0, 0, 0, 0, 0], 0.3048, 0.0),
    ("in",   [0, 1, 0, 0, 0, 0, 0, 0], 0.0254, 0.0),
    ("l",    [0, 3, 0, 0, 0, 0, 0, 0], 1e-3, 0.0),
    ("L",    [0, 3, 0, 0, 0, 0, 0, 0], 1e-3, 0.0),
    ("s",    [0, 0, 1, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("min",  [0, 0, 1, 0, 0, 0, 0, 0], 60.0, 0.0),
    ("h",    [0, 0, 1, 0, 0, 0, 0, 0], 3600.0, 0.0),
    ("d",    [0, 0, 1, 0, 0, 0, 0, 0], 86400.0, 0.0),
    ("kt",   [0, 1, -1, 0, 0, 0, 0, 0], 1852.0 / 3600.0, 0.0),
    ("A",    [0, 0, 0, 1, 0, 0, 0, 0], 1.0, 0.0),
    ("K",    [0, 0, 0, 0, 1, 0, 0, 0], 1.0, 0.0),
    ("degC", [0, 0, 0, 0, 1, 0, 0, 0], 1.0, 273.15),
    ("°C",   [0, 0, 0, 0, 1, 0, 0, 0], 1.0, 273.15),
    ("degF", [0, 0, 0, 0, 1, 0, 0, 0], 5.0 / 9.0, 459.67 * 5.0 / 9.0),
    ("mol",  [0, 0, 0, 0, 0, 1, 0, 0], 1.0, 0.0),
    ("cd",   [0, 0, 0, 0, 0, 0, 1, 0], 1.0, 0.0),
    ("rad",  [0, 0, 0, 0, 0, 0, 0, 1], 1.0, 0.0),
    ("deg",  [0, 0, 0, 0, 0, 0, 0, 1], std::f64::consts::PI / 180.0, 0.0),
    ("°",    [0, 0, 0, 0, 0, 0, 0, 1], std::f64::consts::PI / 180.0, 0.0),
    ("rev",  [0, 0, 0, 0, 0, 0, 0, 1], std::f64::consts::TAU, 0.0),
    ("rpm",  [0, 0, -1, 0, 0, 0, 0, 1], std::f64::consts::TAU / 60.0, 0.0),
    ("N",    [1, 1, -2, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("Pa",   [1, -1, -2, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("bar",  [1, -1, -2, 0, 0, 0, 0, 0], 1e5, 0.0),
    ("atm",  [1, -1, -2, 0, 0, 0, 0, 0], 101_325.0, 0.0),
    ("J",    [1, 2, -2, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("Wh",   [1, 2, -2, 0, 0, 0, 0, 0], 3600.0, 0.0),
    ("kWh",  [1, 2, -2, 0, 0, 0, 0, 0], 3.6e6, 0.0),
    ("W",    [1, 2, -3, 0, 0, 0, 0, 0], 1.0, 0.0),
    ("C",    [0, 0, 1, 1, 0, 0, 0, 0], 1.0, 0.0),
    ("V",    [1, 2, -3, -1, 0, 0, 0, 0], 1.0, 0.0),
    ("Ohm",  [1, 2, -3, -2, 0, 0, 0, 0], 1.0, 0.0),
    ("F",    [-1, -2, 4, 2, 0, 0, 0, 0], 1.0, 0.0),
    ("H",    [1, 2, -2, -2, 0, 0, 0, 0], 1.0, 0.0),
    ("T",    [1, 0, -2, -1, 0, 0, 0, 0], 1.0, 0.0),
    ("Hz",   [0, 0, -1, 0, 0, 0, 0, 0], 1.0, 0.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(from: &str, to: &str, value: f64) -> Option<f64> {
        Some(Unit::named(from).conversion_to(&Unit::named(to))?.apply(value))
    }

    fn check(from: &str, to: &str, value: f64, expected: f64) {
        let actual = convert(from, to, value).unwrap_or_else(|| panic!("{from} to {to}"));
        assert!((actual - expected).abs() <= 1e-12 * expected.abs(), "{from} to {to}: {actual}");
    }

    #[test]
    fn units_that_measure_the_same_convert() {
        check("km/h", "m/s", 36.0, 10.0);
        check("degC", "K", 20.0, 293.15);
        check("degF", "degC", 212.0, 100.0);
        check("bar", "Pa", 1.5, 150_000.0);
        check("kN.m", "J", 2.0, 2000.0);
        check("kg.m2/s3", "kW", 5.0, 0.005);
        check("l/min", "m3/s", 60.0, 1e-3);
        check("J/(kg.K)", "m2/(s2.K)", 3.0, 3.0);
        check("deg", "rad", 180.0, std::f64::consts::PI);
        check("rpm", "rad/s", 60.0, std::f64::consts::TAU);
        check("s^-1", "Hz", 4.0, 4.0);
        check("1/s", "Hz", 4.0, 4.0);
        check("%", "1", 50.0, 0.5);
        check("mm", "cm", 10.0, 1.0);
    }

    #[test]
    fn units_that_measure_different_things_do_not() {
        assert_eq!(convert("m", "s", 1.0), None);
        assert_eq!(convert("degC/s", "K/s", 1.0), None);
        assert_eq!(convert("furlong", "m", 1.0), None);
        assert_eq!(convert("furlong", "furlong", 1.5), Some(1.5));
        for text in ["", "/", "m/", "m//s", "m^", "2", ".m", "m2000"] {
            assert_eq!(Unit::named(text).base, None, "{text}");
        }
    }

    #[test]
    fn the_identity_keeps_every_bit() {
        let same = Unit::named("N.m").conversion_to(&Unit::named("J")).unwrap();
        assert!(same.is_identity());
        assert_eq!(same.apply(-0.0).to_bits(), (-0.0f64).to_bits());
    }
}
