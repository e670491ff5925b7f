//! How long a tick is, and the conversions that follow from it.

use super::rational::gcd;
use super::{Seconds, Time, TimeError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The length of one tick: a positive rational number of seconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Seconds", try_from = "Seconds")]
pub struct Resolution {
    tick: Seconds,
}

impl From<Resolution> for Seconds {
    fn from(resolution: Resolution) -> Self {
        resolution.tick
    }
}

impl TryFrom<Seconds> for Resolution {
    type Error = TimeError;

    fn try_from(tick: Seconds) -> Result<Self, TimeError> {
        Self::new(tick).ok_or_else(|| TimeError::NotATime { given: tick.to_string() })
    }
}

impl Resolution {
    /// One nanosecond: the default.
    pub const NANOSECOND: Resolution =
        Resolution { tick: Seconds { numerator: 1, denominator: 1_000_000_000 } };

    /// A resolution with ticks of the given length; `None` unless it is positive.
    pub fn new(tick: Seconds) -> Option<Self> {
        tick.is_positive().then_some(Resolution { tick })
    }

    /// The default where every number is a multiple of it, else the greatest tick that divides
    /// them all.
    ///
    /// # Errors
    /// [`TimeError::NoCommonTick`] names the two numbers whose common tick leaves 64 bits.
    pub fn for_all(numbers: &[Seconds]) -> Result<Self, TimeError> {
        if numbers.iter().all(|&number| Self::NANOSECOND.ticks(number).is_ok()) {
            return Ok(Self::NANOSECOND);
        }
        let mut common = Seconds::ZERO;
        for (index, &number) in numbers.iter().enumerate() {
            let next =
                if number.numerator() == 0 { Some(common) } else { common_divisor(common, number) };
            let so_far = &numbers[..=index];
            let fits = |&other: &Seconds| next.is_some_and(|tick| tick.counts(other));
            match so_far.iter().find(|other| next != Some(Seconds::ZERO) && !fits(other)) {
                Some(&first) => return Err(TimeError::NoCommonTick { first, second: number }),
                None => common = next.unwrap_or(common),
            }
        }
        Self::new(common).ok_or(TimeError::NotATime { given: common.to_string() })
    }

    /// The length of one tick.
    pub fn tick(self) -> Seconds {
        self.tick
    }

    /// An exact number of seconds in ticks.
    ///
    /// # Errors
    /// If it falls between two ticks or leaves 64 bits.
    pub fn ticks(self, seconds: Seconds) -> Result<Time, TimeError> {
        let above = i128::from(seconds.numerator()) * i128::from(self.tick.denominator());
        let below = i128::from(seconds.denominator()) * i128::from(self.tick.numerator());
        if above % below != 0 {
            return Err(TimeError::NotAMultiple { given: seconds, resolution: self });
        }
        i64::try_from(above / below)
            .map(Time)
            .map_err(|_| TimeError::OutOfRange { given: seconds.to_string(), resolution: self })
    }

    /// Ticks in exact seconds; `None` where the fraction leaves 64 bits.
    pub fn seconds(self, time: Time) -> Option<Seconds> {
        let above = i128::from(time.0) * i128::from(self.tick.numerator());
        let divisor = gcd(above.unsigned_abs(), u128::from(self.tick.denominator()));
        let above = i64::try_from(above / i128::try_from(divisor).ok()?).ok()?;
        Seconds::new(above, u64::try_from(u128::from(self.tick.denominator()) / divisor).ok()?)
    }

    /// Ticks as seconds in a `f64`: the nearest, ties to even. Monotone.
    pub fn to_f64(self, time: Time) -> f64 {
        ratio_to_f64(
            i128::from(time.0) * i128::from(self.tick.numerator()),
            self.tick.denominator(),
        )
    }

    /// Seconds in a `f64` as ticks: the nearest tick to the exact value, ties to even. Monotone.
    ///
    /// # Errors
    /// If it is not finite or leaves 64 bits; it never wraps.
    pub fn from_f64(self, seconds: f64) -> Result<Time, TimeError> {
        let (mantissa, exponent) =
            decompose(seconds).ok_or_else(|| TimeError::NotATime { given: seconds.to_string() })?;
        let out_of_range =
            || TimeError::OutOfRange { given: format!("{seconds:e}"), resolution: self };
        let magnitude = scaled_quotient(mantissa, exponent, self.tick).ok_or_else(out_of_range)?;
        let signed = if seconds < 0.0 { -i128::from(magnitude) } else { i128::from(magnitude) };
        i64::try_from(signed).map(Time).map_err(|_| out_of_range())
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMED: [(u64, &str); 4] =
            [(1_000_000_000, "1 ns"), (1_000_000, "1 us"), (1000, "1 ms"), (1, "1 s")];
        let name = NAMED
            .iter()
            .find(|(below, _)| (1, *below) == (self.tick.numerator(), self.tick.denominator()));
        match name {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "{}/{} s", self.tick.numerator(), self.tick.denominator()),
        }
    }
}

impl Seconds {
    /// Whether `other` is a whole number of these that fits in 64 bits.
    fn counts(self, other: Seconds) -> bool {
        Resolution { tick: self }.ticks(other).is_ok()
    }
}

/// The greatest rational that divides both; `None` if it leaves 64 bits. Zero divides nothing and
/// is passed over.
fn common_divisor(a: Seconds, b: Seconds) -> Option<Seconds> {
    let (a_above, b_above) = (a.numerator().unsigned_abs(), b.numerator().unsigned_abs());
    let (a_below, b_below) = (u128::from(a.denominator()), u128::from(b.denominator()));
    let above = gcd(u128::from(a_above), u128::from(b_above));
    // In lowest terms, gcd(p/q, r/s) = gcd(p, r) / lcm(q, s).
    let below = if a_above == 0 { b_below } else { a_below / gcd(a_below, b_below) * b_below };
    Seconds::new(i64::try_from(above).ok()?, u64::try_from(below).ok()?)
}

/// `mantissa * 2^exponent`, the magnitude of a finite double.
pub(super) fn decompose(value: f64) -> Option<(u64, i32)> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let biased = i32::try_from(bits >> 52 & 0x7FF).expect("eleven bits fit");
    let fraction = bits & ((1 << 52) - 1);
    Some(if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) })
}

/// `mantissa * 2^exponent / tick`, rounded to nearest, ties to even; `None` if above 2^63.
fn scaled_quotient(mantissa: u64, exponent: i32, tick: Seconds) -> Option<u64> {
    let above = u128::from(mantissa) * u128::from(tick.denominator()); // at most 2^117
    let below = u128::from(tick.numerator().unsigned_abs());
    if above == 0 {
        return Some(0);
    }
    let shift = exponent.unsigned_abs();
    let (quotient, rest, half) = if 0 <= exponent {
        // Beyond 2^127 the quotient by at most 2^63 cannot fit in 64 bits of ticks.
        if above.leading_zeros() <= shift {
            return None;
        }
        let scaled = above << shift;
        (scaled / below, scaled % below, compare_half(scaled % below, below))
    } else {
        let (whole, rest) = (above / below, above % below);
        if 128 <= shift {
            return Some(0);
        }
        let low = whole & ((1u128 << shift) - 1);
        let half = if shift == 0 {
            compare_half(rest, below)
        } else {
            let middle = 1u128 << (shift - 1);
            low.cmp(&middle).then(if rest == 0 { Equal } else { Greater })
        };
        (whole >> shift, low | rest, half)
    };
    let up = rest != 0 && (half == Greater || half == Equal && quotient & 1 == 1);
    u64::try_from(quotient + u128::from(up)).ok().filter(|&ticks| ticks <= 1 << 63)
}

use std::cmp::Ordering::{self, Equal, Greater};

/// How `rest / below` compares with one half.
fn compare_half(rest: u128, below: u128) -> Ordering {
    rest.cmp(&(below - rest))
}

/// Every whole number up to here is a double.
const EXACT_MAX: u64 = 1 << 53;

/// `above / below` as the nearest `f64`, ties to even.
pub(super) fn ratio_to_f64(above: i128, below: u64) -> f64 {
    if let Ok(above) = i64::try_from(above)
        && above.unsigned_abs() <= EXACT_MAX
        && below <= EXACT_MAX
    {
        // Both are doubles as they are, and the division of two doubles is correctly rounded. From
        // 64 bits the processor converts, from 128 a library does.
        return above as f64 / below as f64;
    }
    let (magnitude, below) = (above.unsigned_abs(), u128::from(below));
    // Enough quotient bits that the last one can stand for "and a bit more" (sticky) without
    // touching the rounding position: 53 bits of result, one to round, one sticky.
    let bits = |value: u128| 128 - value.leading_zeros();
    let shift = (56 + bits(below)).saturating_sub(bits(magnitude));
    let scaled = magnitude << shift;
    let sticky = u128::from(scaled % below != 0);
    let rounded = ((scaled / below) | sticky) as f64;
    // 2^-shift is exact and the result is far from the subnormals (at least 2^-64).
    let result = rounded * f64::from_bits(u64::from(1023 - shift) << 52);
    if above < 0 { -result } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolution(text: &str) -> Resolution {
        Resolution::new(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn ticks_to_doubles_are_correctly_rounded() {
        // Decimal parsing in the standard library is correctly rounded: an independent oracle.
        for ticks in [1, 3, 10, 123_456_789, i64::MAX, i64::MIN, -7, 9_007_199_254_740_993] {
            let digits = format!("{ticks}e-9");
            let expected: f64 = digits.parse().unwrap();
            let actual = Resolution::NANOSECOND.to_f64(Time(ticks));
            assert_eq!(actual.to_bits(), expected.to_bits(), "{digits}");
        }
        assert_eq!(resolution("1/3").to_f64(Time(1)).to_bits(), (1.0f64 / 3.0).to_bits());
    }

    #[test]
    fn doubles_to_ticks_round_to_nearest_and_ties_to_even() {
        let second = resolution("1");
        for (given, ticks) in [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (0.500_001, 1)]
        {
            assert_eq!(second.from_f64(given).unwrap().ticks(), ticks, "{given}");
        }
        assert_eq!(Resolution::NANOSECOND.from_f64(0.1).unwrap().ticks(), 100_000_000);
        assert_eq!(Resolution::NANOSECOND.from_f64(5e-324).unwrap().ticks(), 0);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let nano = Resolution::NANOSECOND;
        for given in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 9.3e9, f64::MAX] {
            assert!(nano.from_f64(given).is_err(), "{given}");
        }
        assert_eq!(
            resolution("1").from_f64(-9_223_372_036_854_775_808.0).unwrap().ticks(),
            i64::MIN
        );
        assert!(resolution("1").from_f64(9_223_372_036_854_775_808.0).is_err());
    }

    #[test]
    fn the_common_tick_divides_all_and_the_default_is_kept_where_it_can() {
        let numbers = |texts: &[&str]| -> Vec<Seconds> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let common = |texts: &[&str]| Resolution::for_all(&numbers(texts)).map(|r| r.to_string());
        assert_eq!(common(&["0.01", "0.1"]).unwrap(), "1 ns");
        assert_eq!(common(&["1/30", "1/100"]).unwrap(), "1/300 s");
        assert_eq!(common(&["0", "1/3", "-2"]).unwrap(), "1/3 s");
        let error = common(&["1/18446744073709551557", "1/3"]).unwrap_err();
        assert!(matches!(error, TimeError::NoCommonTick { .. }), "{error}");
    }

    #[test]
    fn a_number_between_two_ticks_is_named_with_the_tick() {
        let error = resolution("1/100").ticks("1/30".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "1/30 s is not a multiple of the resolution 1/100 s");
    }
}
