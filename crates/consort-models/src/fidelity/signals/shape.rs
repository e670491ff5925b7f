//! Which values an input or a tunable parameter takes.

use consort_core::model::Enumeration;
use consort_core::{Prng, ValueType, Values, Variable};

/// How far an input without a range is moved from its start value, as a part of its magnitude.
const AMPLITUDE: f64 = 0.1;
/// How far a parameter is: what it is good for is not known.
const TUNING: f64 = 0.01;

/// Which values a variable takes.
pub(super) enum Shape {
    /// Between two numbers, or about its start value by so much.
    Between(f64, f64),
    About(f64),
    /// Near its start value, by a part of this or of itself, and within these.
    Near(f64, f64, f64),
    /// One of the items.
    Items(Vec<i64>),
    /// True or false.
    Boolean,
}

impl Shape {
    /// What an input, or a parameter that is a choice, takes; `None` if that is not known.
    pub(super) fn of_input(variable: &Variable, enumeration: Option<&Enumeration>) -> Option<Self> {
        let range = variable.min.zip(variable.max);
        let range = range.filter(|(min, max)| min.is_finite() && max.is_finite() && min <= max);
        match variable.value_type {
            value_type if value_type.is_float() => Some(match range {
                Some((min, max)) => Shape::Between(min, max),
                None => Shape::About(variable.nominal.unwrap_or(1.0).abs()),
            }),
            ValueType::Boolean => Some(Shape::Boolean),
            ValueType::Enumeration => {
                let items = enumeration?.items.iter().map(|(_, value)| *value).collect();
                Some(Shape::Items(items))
                    .filter(|_| !enumeration.is_some_and(|it| it.items.is_empty()))
            }
            value_type if value_type.is_integer() => {
                let (min, max) = range?;
                Some(Shape::Between(min, max))
            }
            _ => None,
        }
    }

    /// What a parameter that is a real number takes; `None` if its range is empty.
    pub(super) fn of_real_parameter(variable: &Variable) -> Option<Self> {
        let (min, max) = (variable.min.unwrap_or(f64::MIN), variable.max.unwrap_or(f64::MAX));
        (min <= max).then(|| Shape::Near(variable.nominal.unwrap_or(1.0).abs(), min, max))
    }

    /// Draws values about those that are there.
    pub(super) fn fill(&self, values: &mut Values, prng: &mut Prng) {
        match values {
            Values::Float64(values) => values.iter_mut().for_each(|it| *it = self.float(*it, prng)),
            Values::Float32(values) => {
                values.iter_mut().for_each(|it| *it = self.float(f64::from(*it), prng) as f32);
            }
            Values::Boolean(values) => values.iter_mut().for_each(|it| *it = prng.below(2) == 1),
            Values::Enumeration(values) => {
                values.iter_mut().for_each(|it| *it = self.item(*it, prng));
            }
            _ => self.fill_integers(values, prng),
        }
    }

    fn fill_integers(&self, values: &mut Values, prng: &mut Prng) {
        macro_rules! whole {
            ($($variant:ident $of:ty),*) => {
                match values {
                    $(Values::$variant(values) => {
                        let next = |it: &mut $of| *it = self.float(*it as f64, prng).floor() as $of;
                        values.iter_mut().for_each(next);
                    })*
                    _ => {}
                }
            };
        }
        whole!(Int8 i8, UInt8 u8, Int16 i16, UInt16 u16, Int32 i32, UInt32 u32, Int64 i64, UInt64 u64);
    }

    fn float(&self, start: f64, prng: &mut Prng) -> f64 {
        let mut either_way = |amplitude: f64| start + amplitude * (2.0 * prng.next_f64() - 1.0);
        match *self {
            Shape::Between(min, max) => min + (max - min) * prng.next_f64(),
            Shape::About(nominal) => either_way(AMPLITUDE * start.abs().max(nominal)),
            Shape::Near(nominal, min, max) => {
                let size = if start == 0.0 { nominal } else { start.abs() };
                either_way(TUNING * size).clamp(min, max)
            }
            Shape::Items(_) | Shape::Boolean => start,
        }
    }

    fn item(&self, start: i64, prng: &mut Prng) -> i64 {
        match self {
            Shape::Items(items) => {
                let at = usize::try_from(prng.below(items.len() as u64)).unwrap_or(0);
                items[at]
            }
            _ => start,
        }
    }
}
