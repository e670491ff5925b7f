//! Seconds as a person writes them: an exact rational, so that `0.01` means one hundredth.

use super::TimeError;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// An exact number of seconds, `numerator / denominator` in lowest terms.
///
/// Read from text (`0.01`, `1e-3`, `1/30`, `-5`), never from a `f64`: the double nearest to 0.01 is
/// not one hundredth, and steps must be what the user wrote.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Seconds {
    pub(super) numerator: i64,
    pub(super) denominator: u64,
}

/// As a person writes them.
impl From<Seconds> for String {
    fn from(seconds: Seconds) -> Self {
        seconds.to_string()
    }
}

impl TryFrom<String> for Seconds {
    type Error = TimeError;

    fn try_from(text: String) -> Result<Self, TimeError> {
        text.parse()
    }
}

impl Seconds {
    /// No time at all.
    pub const ZERO: Seconds = Seconds { numerator: 0, denominator: 1 };

    /// `numerator / denominator` seconds, or `None` if the denominator is zero.
    pub fn new(numerator: i64, denominator: u64) -> Option<Self> {
        Self::reduced(i128::from(numerator), u128::from(denominator))
    }

    /// The numerator in lowest terms.
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator in lowest terms; never zero.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// Whether this is later than zero.
    pub fn is_positive(self) -> bool {
        0 < self.numerator
    }

    /// The nearest `f64`, correctly rounded.
    pub fn to_f64(self) -> f64 {
        super::resolution::ratio_to_f64(i128::from(self.numerator), self.denominator)
    }

    /// The exact value of a double, where it fits; `None` for NaN, infinities and doubles whose
    /// exact value needs more than 64 bits.
    pub fn from_f64_exact(value: f64) -> Option<Self> {
        let (mantissa, exponent) = super::resolution::decompose(value)?;
        let signed = if value < 0.0 { -i128::from(mantissa) } else { i128::from(mantissa) };
        if 0 <= exponent {
            let shift = u32::try_from(exponent).ok().filter(|&shift| shift < 64)?;
            return Self::reduced(signed << shift, 1);
        }
        let zeros = mantissa.trailing_zeros().min(exponent.unsigned_abs());
        let shift = exponent.unsigned_abs() - zeros;
        if mantissa == 0 {
            return Some(Self::ZERO);
        }
        if 64 <= shift { None } else { Self::reduced(signed >> zeros, 1 << shift) }
    }

    fn reduced(numerator: i128, denominator: u128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator).max(1);
        let magnitude = numerator.unsigned_abs() / divisor;
        let signed = i128::try_from(magnitude).ok()? * numerator.signum();
        Some(Self {
            numerator: i64::try_from(signed).ok()?,
            denominator: u64::try_from(denominator / divisor).ok()?,
        })
    }
}

/// The greatest common divisor; `gcd(0, n) = n`.
pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl FromStr for Seconds {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let error = || TimeError::NotATime { given: text.to_owned() };
        let (above, below) = match text.trim().split_once('/') {
            Some((above, below)) => (above.trim(), below.trim()),
            None => (text.trim(), "1"),
        };
        let above = decimal(above).ok_or_else(error)?;
        let below = decimal(below).ok_or_else(error)?;
        divide(above, below).ok_or_else(error)
    }
}

/// `digits * 10^exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

fn decimal(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa).replace('_', "");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let all = format!("{whole}{fraction}");
    if !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let all = all.trim_start_matches('0');
    let digits: i128 = if all.is_empty() { 0 } else { all.parse().ok()? };
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    Some(Decimal { digits: if negative { -digits } else { digits }, exponent })
}

fn divide(above: Decimal, below: Decimal) -> Option<Seconds> {
    if below.digits == 0 {
        return None;
    }
    let sign = above.digits.signum() * below.digits.signum();
    let (mut above_digits, mut below_digits) =
        (above.digits.unsigned_abs(), below.digits.unsigned_abs());
    if above_digits == 0 {
        return Some(Seconds::ZERO);
    }
    let divisor = gcd(above_digits, below_digits);
    (above_digits, below_digits) = (above_digits / divisor, below_digits / divisor);
    let exponent = above.exponent.checked_sub(below.exponent)?;
    let (scaled, other) = if 0 <= exponent {
        (&mut above_digits, &mut below_digits)
    } else {
        (&mut below_digits, &mut above_digits)
    };
    // Multiply by ten one factor at a time, cancelling what can be cancelled, so that `0.5e-30` and
    // its like fail only when they truly do not fit.
    for _ in 0..exponent.unsigned_abs() {
        let mut ten = 10;
        for prime in [2, 5] {
            if *other % prime == 0 {
                *other /= prime;
                ten /= prime;
            }
        }
        *scaled = scaled.checked_mul(ten)?;
    }
    Seconds::reduced(i128::try_from(above_digits).ok()? * sign, below_digits)
}

impl fmt::Display for Seconds {
    /// As a decimal where that is exact and short, as a fraction otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scale: u128 = 1;
        for places in 0..=12 {
            if scale.is_multiple_of(u128::from(self.denominator)) {
                let units = u128::from(self.numerator.unsigned_abs())
                    * (scale / u128::from(self.denominator));
                let sign = if self.numerator < 0 { "-" } else { "" };
                let (whole, fraction) = (units / scale, units % scale);
                return match places {
                    0 => write!(f, "{sign}{whole}"),
                    _ => write!(f, "{sign}{whole}.{fraction:0places$}"),
                };
            }
            scale *= 10;
        }
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl PartialOrd for Seconds {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Seconds {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = i128::from(self.numerator) * i128::from(other.denominator);
        let right = i128::from(other.numerator) * i128::from(self.denominator);
        left.cmp(&right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, numerator: i64, denominator: u64) {
        let seconds: Seconds = text.parse().unwrap();
        assert_eq!((seconds.numerator, seconds.denominator), (numerator, denominator), "{text}");
    }

    #[test]
    fn text_is_read_exactly() {
        check("0.01", 1, 100);
        check("1e-9", 1, 1_000_000_000);
        check("1/30", 1, 30);
        check("-2.50", -5, 2);
        check("0.5/1.5", 1, 3);
        check("1_000", 1000, 1);
        check(".5", 1, 2);
        check("2e3", 2000, 1);
        check("0", 0, 1);
        check("-0.0", 0, 1);
        check("0e-999", 0, 1);
        check("5e-19", 1, 2_000_000_000_000_000_000);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "abc", "1/0", "1//2", "nan", "inf", "1e", "--1", "1e999", "1e-999", "."] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
    }

    #[test]
    fn printing_is_what_a_person_would_write() {
        for text in ["0.01", "1/30", "-2.5", "0", "1000", "0.000000001"] {
            assert_eq!(text.parse::<Seconds>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn doubles_are_taken_exactly_or_not_at_all() {
        assert_eq!(Seconds::from_f64_exact(0.5), Seconds::new(1, 2));
        assert_eq!(Seconds::from_f64_exact(-3.0), Seconds::new(-3, 1));
        assert_eq!(Seconds::from_f64_exact(0.0), Some(Seconds::ZERO));
        assert_eq!(Seconds::from_f64_exact(f64::NAN), None);
        assert_eq!(Seconds::from_f64_exact(1e300), None);
        assert_eq!(Seconds::from_f64_exact(5e-324), None);
    }
}
