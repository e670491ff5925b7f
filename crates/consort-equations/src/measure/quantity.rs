//! What a value measures.

use consort_core::Unit;
use std::fmt;

/// Exponents are kept in parts of this many, so that roots of roots stay exact.
const PARTS: i32 = 12;
/// kg, m, s, A, K, mol, cd: radians are plain numbers, as most tools leave them out.
const BASES: [&str; 7] = ["kg", "m", "s", "A", "K", "mol", "cd"];

/// What a value measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Measure {
    /// A number: fits everything.
    Neutral,
    /// The unit is not declared.
    Unknown,
    /// A product of base units.
    Known {
        /// Of [`BASES`], in [`PARTS`].
        exponents: [i32; 7],
        /// How many base units one of it is, and how far its zero is from theirs; `None` once a number was
        /// multiplied, which may have converted it.
        scale: Option<(f64, f64)>,
    },
}

/// Why two values cannot be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mismatch {
    /// The operands measure different quantities.
    Kind,
    /// They do so unless a number that was multiplied has a unit of its own, as `9.81` may have.
    KindOfNumber,
    /// They measure one thing in different units.
    Scale,
}

impl Measure {
    /// By a unit as it is written; empty for none.
    pub(super) fn declared(unit: &str) -> Self {
        let Some(base) = Unit::named(unit).base else { return Measure::Unknown };
        let mut exponents = [0; 7];
        for (to, from) in exponents.iter_mut().zip(base.exponents) {
            *to = PARTS * from;
        }
        Measure::Known { exponents, scale: Some((base.factor, base.offset)) }
    }

    /// A plain number that is declared as one; degrees are as good as radians.
    pub(super) fn one() -> Self {
        Measure::Known { exponents: [0; 7], scale: None }
    }

    pub(super) fn second() -> Self {
        Measure::declared("s")
    }

    pub(super) fn per_second(self) -> Self {
        self.times(Measure::second().to_power(-1, 1))
    }

    pub(super) fn times(self, other: Self) -> Self {
        match (self, other) {
            (Measure::Unknown, _) | (_, Measure::Unknown) => Measure::Unknown,
            (Measure::Neutral, Measure::Neutral) => Measure::Neutral,
            (Measure::Known { exponents, .. }, Measure::Neutral)
            | (Measure::Neutral, Measure::Known { exponents, .. }) => {
                Measure::Known { exponents, scale: None }
            }
            (
                Measure::Known { exponents: mut product, scale },
                Measure::Known { exponents, scale: other },
            ) => {
                product.iter_mut().zip(exponents).for_each(|(to, from)| *to += from);
                let scale = scale.zip(other).map(|((a, _), (b, _))| (a * b, 0.0));
                Measure::Known { exponents: product, scale }
            }
        }
    }

    /// To the power of `over / under`.
    pub(super) fn to_power(self, over: i32, under: i32) -> Self {
        let Measure::Known { exponents, scale } = self else { return self };
        if exponents.iter().any(|it| (it * over) % under != 0) {
            return Measure::Unknown;
        }
        let power = f64::from(over) / f64::from(under);
        let scale = scale.map(|(factor, _)| (libm::pow(factor, power), 0.0));
        Measure::Known { exponents: exponents.map(|it| it * over / under), scale }
    }

    /// What both measure, if that is one thing.
    pub(super) fn unite(self, other: Self) -> Result<Self, Mismatch> {
        let (left, right) = match (self, other) {
            (Measure::Neutral, it) | (it, Measure::Neutral) => return Ok(it),
            (Measure::Unknown, _) | (_, Measure::Unknown) => return Ok(Measure::Unknown),
            (
                Measure::Known { exponents: left, scale: a },
                Measure::Known { exponents: right, scale: b },
            ) => ((left, a), (right, b)),
        };
        if left.0 != right.0 {
            let has_number =
                |(exponents, scale): ([i32; 7], Option<_>)| scale.is_none() && exponents != [0; 7];
            let is_doubtful = has_number(left) || has_number(right);
            return Err(if is_doubtful { Mismatch::KindOfNumber } else { Mismatch::Kind });
        }
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        match left.1.zip(right.1) {
            Some((a, b)) if !is_near(a.0, b.0) || !is_near(a.1, b.1) => Err(Mismatch::Scale),
            both => Ok(Measure::Known { exponents: left.0, scale: both.map(|(a, _)| a) }),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measure::Known { exponents, scale } = self else { return f.write_str("any") };
        let known = BASES.iter().zip(exponents).filter(|(_, exponent)| **exponent != 0);
        let parts: Vec<String> = known.map(|(base, exponent)| part(base, *exponent)).collect();
        if let Some((factor, offset)) = scale.filter(|it| *it != (1.0, 0.0)) {
            write!(f, "{factor} ")?;
            if offset != 0.0 {
                write!(f, "(from {offset}) ")?;
            }
        }
        f.write_str(if parts.is_empty() { "1" } else { "" })?;
        f.write_str(&parts.join("."))
    }
}

fn part(base: &str, exponent: i32) -> String {
    match (exponent / PARTS, exponent % PARTS) {
        (1, 0) => base.to_owned(),
        (whole, 0) => format!("{base}{whole}"),
        _ => format!("{base}^{}", f64::from(exponent) / f64::from(PARTS)),
    }
}
