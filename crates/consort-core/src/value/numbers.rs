//! Values made from numbers, for programs that drive runs.

use super::{ValueType, Values};

impl Values {
    /// Elements of a type from numbers, each of which must fit exactly: whole numbers of the type's range, 0 and 1 for
    /// Booleans and clocks. `Float32` is rounded to nearest. `None` for text, and if a number does not fit.
    pub fn from_numbers(value_type: ValueType, numbers: &[f64]) -> Option<Self> {
        macro_rules! whole {
            ($($variant:ident $of:ty),*) => {
                match value_type {
                    $(ValueType::$variant => {
                        let exactly = |number: &f64| exact(*number, |it| it as $of);
                        numbers.iter().map(exactly).collect::<Option<_>>().map(Values::$variant)
                    })*
                    ValueType::Float64 => Some(Values::Float64(numbers.to_vec())),
                    ValueType::Float32 => {
                        Some(Values::Float32(numbers.iter().map(|it| *it as f32).collect()))
                    }
                    ValueType::Boolean => truths(numbers).map(Values::Boolean),
                    ValueType::Clock => truths(numbers).map(Values::Clock),
                    ValueType::String | ValueType::Binary => None,
                }
            };
        }
        whole!(
            Int8 i8, UInt8 u8, Int16 i16, UInt16 u16, Int32 i32, UInt32 u32, Int64 i64, UInt64 u64,
            Enumeration i64
        )
    }
}

/// A whole number that its type holds: `as` saturates, and what it returns is compared.
fn exact<T: Copy + ToDouble>(number: f64, convert: impl Fn(f64) -> T) -> Option<T> {
    let converted = convert(number);
    // The greatest 64-bit numbers are no doubles: they round to one that is out of range.
    let is_same = converted.to_double().total_cmp(&(number + 0.0)).is_eq();
    (is_same && number < T::ABOVE).then_some(converted)
}

/// A whole number as a double.
trait ToDouble {
    /// The first double above the type's range.
    const ABOVE: f64;
    fn to_double(self) -> f64;
}

macro_rules! to_double {
    ($($of:ty),*) => {
        $(impl ToDouble for $of {
            const ABOVE: f64 = <$of>::MAX as f64 + if size_of::<$of>() < 8 { 1.0 } else { 0.0 };
            fn to_double(self) -> f64 {
                self as f64
            }
        })*
    };
}

to_double!(i8, u8, i16, u16, i32, u32, i64, u64);

fn truths(numbers: &[f64]) -> Option<Vec<bool>> {
    let truth = |number: &f64| exact(*number, |it| it as u8).filter(|it| *it <= 1);
    numbers.iter().map(|number| truth(number).map(|it| it == 1)).collect()
}

macro_rules! from {
    ($($variant:ident $of:ty),*) => {
        $(impl From<$of> for Values {
            fn from(value: $of) -> Self {
                Values::$variant(vec![value])
            }
        }

        impl From<Vec<$of>> for Values {
            fn from(values: Vec<$of>) -> Self {
                Values::$variant(values)
            }
        })*
    };
}

from!(
    Float64 f64, Float32 f32, Int8 i8, UInt8 u8, Int16 i16, UInt16 u16, Int32 i32, UInt32 u32,
    Int64 i64, UInt64 u64, Boolean bool
);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value_type: ValueType, number: f64, expected: impl Into<Option<Values>>) {
        let expected = expected.into();
        assert_eq!(Values::from_numbers(value_type, &[number]), expected, "{value_type} {number}");
    }

    #[test]
    fn numbers_become_values_if_they_fit() {
        check(ValueType::Float64, 0.1, Values::from(0.1));
        check(ValueType::Float32, 0.1, Values::from(0.1_f32));
        check(ValueType::Int8, -128.0, Values::from(-128_i8));
        check(ValueType::Int8, 128.0, None);
        check(ValueType::UInt8, -1.0, None);
        check(ValueType::UInt8, -0.0, Values::from(0_u8));
        check(ValueType::Int32, 0.5, None);
        check(ValueType::Int32, f64::NAN, None);
        check(ValueType::Int64, 9_223_372_036_854_775_808.0, None);
        check(ValueType::Int64, -9_223_372_036_854_775_808.0, Values::from(i64::MIN));
        check(ValueType::UInt64, 18_446_744_073_709_551_616.0, None);
        check(ValueType::Boolean, 1.0, Values::from(true));
        check(ValueType::Boolean, 2.0, None);
        check(ValueType::String, 1.0, None);
    }
}
