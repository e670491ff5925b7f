//! The laws of time conversion, over all doubles and all resolutions.

use consort_core::{Resolution, Seconds, Time};
use proptest::prelude::*;

fn any_resolution() -> impl Strategy<Value = Resolution> {
    (1..=i64::MAX, 1..=u64::MAX, 0u32..63, 0u32..64).prop_map(|(above, below, small, tiny)| {
        // Shifts give short and long fractions alike.
        let tick = Seconds::new((above >> small).max(1), (below >> tiny).max(1))
            .expect("the denominator is at least one");
        Resolution::new(tick).expect("the tick is positive")
    })
}

fn any_double() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), any::<i64>().prop_map(|n| n as f64 * 1e-9)]
}

/// Exact comparison of `time` ticks with a finite double, by cross multiplication in big integers
/// written as sign and base-2^32 digits: an oracle that shares nothing with the code under test.
mod oracle {
    pub(crate) type Big = Vec<u32>;

    pub(crate) fn big(mut value: u128) -> Big {
        let mut digits = Vec::new();
        while value != 0 {
            digits.push(value as u32);
            value >>= 32;
        }
        digits
    }

    pub(crate) fn multiply(a: &[u32], b: &[u32]) -> Big {
        let mut result = vec![0u32; a.len() + b.len()];
        for (i, &x) in a.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &y) in b.iter().enumerate() {
                let sum = u64::from(x) * u64::from(y) + u64::from(result[i + j]) + carry;
                result[i + j] = sum as u32;
                carry = sum >> 32;
            }
            result[i + b.len()] = carry as u32;
        }
        while result.last() == Some(&0) {
            result.pop();
        }
        result
    }

    pub(crate) fn shift(value: &[u32], bits: u32) -> Big {
        let mut power = vec![0; (bits / 32) as usize];
        power.push(1 << (bits % 32));
        multiply(value, &power)
    }

    pub(crate) fn compare(a: &[u32], b: &[u32]) -> std::cmp::Ordering {
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }

    pub(crate) fn subtract(a: &[u32], b: &[u32]) -> Big {
        let mut result = Vec::with_capacity(a.len());
        let mut borrow = 0i64;
        for (i, &x) in a.iter().enumerate() {
            let difference = i64::from(x) - i64::from(b.get(i).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(difference < 0);
            result.push(difference as u32);
        }
        assert_eq!(borrow, 0, "a is at least b");
        while result.last() == Some(&0) {
            result.pop();
        }
        result
    }

    /// `|double|` as above / below.
    pub(crate) fn double(value: f64) -> (Big, Big) {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7FF) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        if 0 <= exponent {
            (shift(&big(mantissa), exponent as u32), big(1))
        } else {
            (big(mantissa), shift(&big(1), exponent.unsigned_abs()))
        }
    }
}

use oracle::{big, compare, multiply, subtract};

/// Distance of two positive fractions as (numerator, common denominator).
fn distance(a: &(Vec<u32>, Vec<u32>), b: &(Vec<u32>, Vec<u32>)) -> Vec<u32> {
    let (left, right) = (multiply(&a.0, &b.1), multiply(&b.0, &a.1));
    if compare(&left, &right).is_lt() { subtract(&right, &left) } else { subtract(&left, &right) }
}

fn ticks_fraction(resolution: Resolution, ticks: u128) -> (Vec<u32>, Vec<u32>) {
    let tick = resolution.tick();
    let above = multiply(&big(ticks), &big(u128::from(tick.numerator().unsigned_abs())));
    (above, big(u128::from(tick.denominator())))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn ticks_to_double_is_the_nearest_double(resolution in any_resolution(), ticks in 1..=i64::MAX) {
        let exact = ticks_fraction(resolution, u128::from(ticks.unsigned_abs()));
        let nearest = resolution.to_f64(Time::from_ticks(ticks));
        prop_assert!(nearest.is_finite());
        let here = distance(&exact, &oracle::double(nearest));
        for other in [nearest.next_up(), nearest.next_down()] {
            let fraction = oracle::double(other);
            let there = distance(&exact, &fraction);
            // Compare here / (d1 * q) with there / (d2 * q): cross-multiply by the denominators.
            let left = multiply(&here, &fraction.1);
            let right = multiply(&there, &oracle::double(nearest).1);
            let order = compare(&left, &right);
            prop_assert!(order.is_lt() || order.is_eq() && nearest.to_bits() & 1 == 0);
        }
        prop_assert_eq!(resolution.to_f64(Time::from_ticks(-ticks)).to_bits(), (-nearest).to_bits());
    }

    #[test]
    fn double_to_ticks_is_the_nearest_tick_or_an_error(resolution in any_resolution(), given in any_double()) {
        let Ok(time) = resolution.from_f64(given) else {
            // An error means: not finite, or truly beyond the last tick (by at least half a tick).
            if given.is_finite() {
                let last = ticks_fraction(resolution, 1 << 63);
                let given = oracle::double(given);
                let order = compare(&multiply(&given.0, &last.1), &multiply(&last.0, &given.1));
                let half = ticks_fraction(resolution, 1);
                let gap = distance(&last, &given); // over last.1 * given.1
                let near = compare(&multiply(&gap, &big(2)), &multiply(&half.0, &given.1)).is_le();
                prop_assert!(order.is_ge() || near);
            }
            return Ok(());
        };
        let exact = oracle::double(given);
        let ticks = u128::from(time.ticks().unsigned_abs());
        prop_assert!(time.ticks() == 0 || (time.ticks() < 0) == (given < 0.0));
        let here = distance(&exact, &ticks_fraction(resolution, ticks));
        for other in [ticks + 1, ticks.saturating_sub(1)] {
            if other != ticks {
                let there = distance(&exact, &ticks_fraction(resolution, other));
                let order = compare(&here, &there);
                prop_assert!(order.is_lt() || order.is_eq() && ticks.is_multiple_of(2));
            }
        }
    }

    #[test]
    fn both_conversions_are_monotone(
        resolution in any_resolution(), a in any::<i64>(), b in any::<i64>(),
        x in any_double(), y in any_double(),
    ) {
        let (low, high) = (a.min(b), a.max(b));
        prop_assert!(resolution.to_f64(Time::from_ticks(low)) <= resolution.to_f64(Time::from_ticks(high)));
        if let (Ok(s), Ok(t)) = (resolution.from_f64(x), resolution.from_f64(y)) {
            let ordered = if x <= y { s <= t } else { t <= s };
            prop_assert!(ordered);
        }
    }

    #[test]
    fn small_tick_counts_survive_the_trip_through_doubles(resolution in any_resolution(), ticks in -(1i64 << 51)..(1i64 << 51)) {
        let time = Time::from_ticks(ticks);
        prop_assert_eq!(resolution.from_f64(resolution.to_f64(time)).unwrap(), time);
    }

    #[test]
    fn the_common_tick_divides_every_number(texts in prop::collection::vec((1i64..10_000, 1u64..10_000), 1..6)) {
        let numbers: Vec<Seconds> = texts.iter().map(|&(n, d)| Seconds::new(n, d).unwrap()).collect();
        match Resolution::for_all(&numbers) {
            Ok(resolution) => for number in numbers {
                let ticks = resolution.ticks(number).unwrap();
                prop_assert_eq!(resolution.seconds(ticks).unwrap(), number);
            },
            Err(error) => prop_assert!(error.to_string().contains("no common tick")),
        }
    }

    #[test]
    fn seconds_survive_printing(n in any::<i64>(), d in 1..=u64::MAX) {
        let seconds = Seconds::new(n, d).unwrap();
        prop_assert_eq!(seconds.to_string().parse::<Seconds>().unwrap(), seconds);
    }
}
