//! When two values are the same.

use super::Tolerance;
use crate::cell::Cell;

/// A value as a number, whichever type holds it.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Whole(i128),
}

impl Number {
    fn of(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Float64(value) => Some(Number::Float(value)),
            Cell::Float32(value) => Some(Number::Float(value.into())),
            Cell::Integer(_, value) => Some(Number::Whole(value)),
            Cell::Boolean { value, .. } => Some(Number::Whole(value.into())),
            Cell::String(_) | Cell::Binary(_) => None,
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Number::Float(value) => value,
            Number::Whole(value) => value as f64,
        }
    }

    /// Equal as numbers; floats to the bit, but for NaNs, which are all one.
    fn is_same(self, other: Number) -> bool {
        match (self, other) {
            (Number::Float(a), Number::Float(b)) => {
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
            }
            (Number::Whole(a), Number::Whole(b)) => a == b,
            (Number::Float(float), Number::Whole(whole))
            | (Number::Whole(whole), Number::Float(float)) => {
                float.trunc().to_bits() == float.to_bits() && float as i128 == whole
            }
        }
    }

    fn distance(self, other: Number) -> f64 {
        let distance = match (self, other) {
            (Number::Whole(a), Number::Whole(b)) => (a - b).unsigned_abs() as f64,
            (a, b) => (a.to_f64() - b.to_f64()).abs(),
        };
        if distance.is_nan() { f64::INFINITY } else { distance }
    }
}

/// The number of a value with distances.
pub(super) fn measure(cell: Cell<'_>) -> Option<f64> {
    Number::of(cell).filter(|_| !cell.is_nominal()).map(Number::to_f64)
}

/// How far apart two values are, if that is beyond the tolerance; infinite where the distance has
/// no number. `None` where they are the same.
pub(super) fn distance_beyond(a: Cell<'_>, b: Cell<'_>, tolerance: Tolerance) -> Option<f64> {
    let (Some(left), Some(right)) = (Number::of(a), Number::of(b)) else {
        return if a == b { None } else { Some(f64::INFINITY) };
    };
    if left.is_same(right) {
        return None;
    }
    let distance = left.distance(right);
    let measurable = !a.is_nominal() && !b.is_nominal() && distance.is_finite();
    let exact = tolerance == Tolerance::default();
    if measurable && !exact {
        let magnitude = left.to_f64().abs().max(right.to_f64().abs());
        let allowed = tolerance.absolute + tolerance.relative * magnitude;
        if distance <= allowed {
            return None;
        }
    }
    Some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::ValueType;

    fn check(a: Cell<'_>, b: Cell<'_>, absolute: f64, relative: f64, expected: Option<f64>) {
        let tolerance = Tolerance { absolute, relative };
        assert_eq!(distance_beyond(a, b, tolerance), expected, "{a:?} {b:?}");
        assert_eq!(distance_beyond(b, a, tolerance), expected, "{b:?} {a:?}");
    }

    #[test]
    fn exact_means_to_the_bit_but_for_nans() {
        let nan = f64::from_bits(0xFFF8_0000_0000_0001);
        check(Cell::Float64(f64::NAN), Cell::Float64(nan), 0.0, 0.0, None);
        check(Cell::Float64(0.0), Cell::Float64(-0.0), 0.0, 0.0, Some(0.0));
        check(Cell::Float64(1.0), Cell::Float64(1.0 + f64::EPSILON), 0.0, 0.0, Some(f64::EPSILON));
    }

    #[test]
    fn tolerances_add_and_never_excuse_what_is_not_finite() {
        check(Cell::Float64(1.0), Cell::Float64(1.5), 0.5, 0.0, None);
        check(Cell::Float64(1.0), Cell::Float64(2.0), 0.0, 0.5, None);
        check(Cell::Float64(1.0), Cell::Float64(2.0), 0.25, 0.25, Some(1.0));
        check(Cell::Float64(0.0), Cell::Float64(-0.0), 1e-9, 0.0, None);
        let infinite = Cell::Float64(f64::INFINITY);
        check(infinite, infinite, 1.0, 1.0, None);
        check(infinite, Cell::Float64(f64::NEG_INFINITY), 1.0, 1.0, Some(f64::INFINITY));
        check(infinite, Cell::Float64(1.0), 1.0, 1.0, Some(f64::INFINITY));
        check(Cell::Float64(f64::NAN), Cell::Float64(1.0), 1.0, 1.0, Some(f64::INFINITY));
    }

    #[test]
    fn numbers_of_different_types_are_compared_as_numbers() {
        let whole = |value| Cell::Integer(ValueType::Int64, value);
        check(whole(3), Cell::Float64(3.0), 0.0, 0.0, None);
        check(whole(i128::from(i64::MAX)), Cell::Float64(i64::MAX as f64), 0.0, 0.0, Some(0.0));
        check(Cell::Float32(0.1), Cell::Float64(f64::from(0.1_f32)), 0.0, 0.0, None);
        check(Cell::Boolean { value: true, clock: false }, Cell::Float64(1.0), 0.0, 0.0, None);
        check(Cell::String("1"), Cell::Float64(1.0), 9.0, 0.0, Some(f64::INFINITY));
    }

    #[test]
    fn names_and_truth_have_no_tolerance() {
        let name = |value| Cell::Integer(ValueType::Enumeration, value);
        check(name(1), name(2), 5.0, 0.0, Some(1.0));
        check(Cell::Integer(ValueType::Int8, 1), Cell::Integer(ValueType::Int8, 2), 5.0, 0.0, None);
        let truth = |value| Cell::Boolean { value, clock: false };
        check(truth(true), truth(false), 5.0, 0.0, Some(1.0));
    }
}
