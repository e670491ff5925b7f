//! Bounds on a robustness, and how they combine.

use crate::tree::Joint;
use consort_core::Comparison;

/// What is known of a robustness: it lies between the two.
///
/// Positive means true, negative false. Zero has a sign, so that the same number also gives the
/// Boolean meaning: `x <= 3` is `+0.0` where `x` is 3, and `x < 3` is `-0.0`.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// It is not less than this.
    pub low: f64,
    /// It is not more than this.
    pub high: f64,
}

/// Bit for bit, as everything that is repeatable is compared.
impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        let bits = |it: &Interval| [it.low.to_bits(), it.high.to_bits()];
        bits(self) == bits(other)
    }
}

impl Eq for Interval {}

impl Interval {
    /// The interval of all values: nothing is known.
    pub const UNKNOWN: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// True for every continuation of the trace.
    pub(crate) const TRUE: Interval = Interval { low: f64::INFINITY, high: f64::INFINITY };
    /// False for every continuation of the trace.
    pub(crate) const FALSE: Interval = Interval { low: f64::NEG_INFINITY, high: f64::NEG_INFINITY };

    /// The interval of one value.
    pub(crate) fn exact(value: f64) -> Self {
        Interval { low: value, high: value }
    }

    /// True or false, without a margin.
    pub(crate) fn of(truth: bool) -> Self {
        if truth { Interval::TRUE } else { Interval::FALSE }
    }

    /// Whether nothing is left open.
    pub fn is_exact(self) -> bool {
        self.low.to_bits() == self.high.to_bits()
    }

    /// True or false, as soon as that is decided.
    pub fn verdict(self) -> Option<bool> {
        match (self.low.is_sign_positive(), self.high.is_sign_negative()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// How far two numbers are from the comparison's border, and on which side. A value that is no number
    /// leaves everything open: it is neither silently true nor silently false.
    pub(crate) fn compare(comparison: Comparison, left: f64, right: f64, scale: f64) -> Self {
        if left.is_nan() || right.is_nan() {
            return Interval::UNKNOWN;
        }
        let is_same = left <= right && right <= left;
        // The difference of two equal infinities is no number.
        let margin = if is_same { 0.0 } else { (left - right).abs() / scale };
        let truth = comparison.holds(left, right);
        Interval::exact(if truth { margin } else { -margin })
    }

    #[must_use]
    pub(crate) fn not(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Interval { low: least(self.low, other.low), high: least(self.high, other.high) }
    }

    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        Interval { low: greatest(self.low, other.low), high: greatest(self.high, other.high) }
    }

    /// The intersection of both intervals.
    #[must_use]
    pub(crate) fn narrowed(self, other: Self) -> Self {
        Interval { low: greatest(self.low, other.low), high: least(self.high, other.high) }
    }

    pub(crate) fn join(joint: Joint, a: Self, b: Self) -> Self {
        match joint {
            Joint::And => a.and(b),
            Joint::Or => a.or(b),
            Joint::Implies => a.not().or(b),
            Joint::Iff => a.not().or(b).and(b.not().or(a)),
            Joint::Xor => a.or(b).and(a.not().or(b.not())),
        }
    }
}

/// The lesser; of the two zeros the negative one. Numbers that are neither less nor greater have the same
/// bits, but for the sign of zero.
fn least(a: f64, b: f64) -> f64 {
    match (a < b, b < a) {
        (true, _) => a,
        (_, true) => b,
        _ => f64::from_bits(a.to_bits() | b.to_bits()),
    }
}

fn greatest(a: f64, b: f64) -> f64 {
    match (a < b, b < a) {
        (true, _) => b,
        (_, true) => a,
        _ => f64::from_bits(a.to_bits() & b.to_bits()),
    }
}
