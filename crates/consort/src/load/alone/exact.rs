//! Times as fractions: nothing is rounded, and what does not fit is `None`.

use consort_core::Seconds;

/// If the step suggested by [`nice_step`] would not end at the stop, there are this many.
const STEPS: u32 = 500;

#[derive(Clone, Copy)]
struct Fraction {
    above: i128,
    /// The denominator, which is greater than zero.
    below: i128,
}

impl From<Seconds> for Fraction {
    fn from(time: Seconds) -> Self {
        let (above, below) = (i128::from(time.numerator()), i128::from(time.denominator()));
        Fraction { above, below }
    }
}

impl Fraction {
    fn times(self, other: Fraction) -> Option<Fraction> {
        let above = self.above.checked_mul(other.above)?;
        Some(Fraction { above, below: self.below.checked_mul(other.below)? })
    }

    /// `other` must be more than zero.
    fn over(self, other: Fraction) -> Option<Fraction> {
        self.times(Fraction { above: other.below, below: other.above })
    }

    fn plus(self, other: Fraction) -> Option<Fraction> {
        let left = self.above.checked_mul(other.below)?;
        let right = other.above.checked_mul(self.below)?;
        let below = self.below.checked_mul(other.below)?;
        Some(Fraction { above: left.checked_add(right)?, below })
    }

    fn seconds(self) -> Option<Seconds> {
        let (mut a, mut b) = (self.above.unsigned_abs(), self.below.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).ok()?.max(1);
        let above = i64::try_from(self.above / divisor).ok()?;
        Seconds::new(above, u64::try_from(self.below / divisor).ok()?)
    }
}

/// How many steps there are in a length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fit {
    /// The quotient is a whole number.
    Whole,
    /// More than so far, which is a whole number of steps.
    Until(Seconds),
    /// No whole step.
    None,
}

/// A time as a model writes it. Digits that say more than a double can are dropped: the author had a
/// double in mind.
pub(super) fn read(text: &str) -> Option<Seconds> {
    let shortest = || text.trim().parse::<f64>().ok()?.to_string().parse().ok();
    text.parse().ok().or_else(shortest)
}

/// A whole part of the length that is the same double as the step: 1/30 for 0.03333333333333333.
pub(super) fn same_double(length: Seconds, step: Seconds) -> Option<Seconds> {
    let count = Fraction::from(length).over(step.into())?;
    let nearest = count.above.checked_add(count.below / 2)? / count.below;
    let parts = Fraction { above: nearest.max(1), below: 1 };
    let part = Fraction::from(length).over(parts)?.seconds()?;
    (part.to_f64().to_bits() == step.to_f64().to_bits()).then_some(part)
}

/// The time one second later.
pub(super) fn second_after(time: Seconds) -> Option<Seconds> {
    Fraction::from(time).plus(Fraction { above: 1, below: 1 })?.seconds()
}

/// The sum of two times.
pub(super) fn sum(a: Seconds, b: Seconds) -> Option<Seconds> {
    Fraction::from(a).plus(b.into())?.seconds()
}

/// From `start` to `stop`.
pub(super) fn length(start: Seconds, stop: Seconds) -> Option<Seconds> {
    let start = Fraction::from(start);
    Fraction::from(stop).plus(Fraction { above: -start.above, ..start })?.seconds()
}

/// Whether steps end where the length does; both are more than zero.
pub(super) fn fit(length: Seconds, step: Seconds) -> Option<Fit> {
    let count = Fraction::from(length).over(step.into())?;
    let whole = count.above / count.below;
    Some(match (count.above % count.below, whole) {
        (0, _) => Fit::Whole,
        (_, 0) => Fit::None,
        _ => Fit::Until(Fraction { above: whole, below: 1 }.times(step.into())?.seconds()?),
    })
}

/// A step of few digits that makes 500 to 1000 of a length: the one that FMPy takes where that is a
/// whole number of steps, else a 500th.
pub(super) fn nice_step(length: Seconds) -> Option<Seconds> {
    let nice = fmpy_step(length);
    if let Some(step) = nice.filter(|&step| fit(length, step) == Some(Fit::Whole)) {
        return Some(step);
    }
    part(length, STEPS)
}

/// One of so many equal parts of a length.
pub(super) fn part(length: Seconds, count: u32) -> Option<Seconds> {
    Fraction::from(length).over(Fraction { above: count.into(), below: 1 })?.seconds()
}

fn fmpy_step(length: Seconds) -> Option<Seconds> {
    const DIGITS_MAX: i32 = 12;
    let seconds = length.to_f64();
    // The power of ten that is nearest on a logarithmic scale.
    let is_nearest = |power: &i32| seconds < 10f64.powi(*power) * 10f64.sqrt();
    let power = (-DIGITS_MAX..=DIGITS_MAX).find(is_nearest)? - 3;
    let scale = 10i128.checked_pow(power.unsigned_abs())?;
    let unit = if power < 0 { (1, scale) } else { (scale, 1) };
    let unit = Fraction { above: unit.0, below: unit.1 };
    let count = Fraction::from(length).over(unit)?;
    let is_at_least = |number: i128| number * count.below <= count.above;
    let factor = match () {
        () if is_at_least(2500) => (5, 1),
        () if is_at_least(2000) => (4, 1),
        () if is_at_least(1000) => (2, 1),
        () if count.above <= 500 * count.below => (1, 2),
        () => (1, 1),
    };
    unit.times(Fraction { above: factor.0, below: factor.1 })?.seconds()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Seconds {
        text.parse().unwrap()
    }

    /// What `fmpy.util.auto_interval` answers, where it ends at the stop.
    #[test]
    fn steps_are_those_of_fmpy_where_they_end_at_the_stop() {
        for (length, step) in [
            ("1", "0.002"),
            ("10", "0.02"),
            ("5", "0.005"),
            ("3", "0.005"),
            ("2", "0.004"),
            ("0.7", "0.001"),
            ("100", "0.2"),
            ("86400", "100"),
            ("1e-3", "2e-6"),
            ("1/3", "1/1500"),
            ("1.23456", "0.00246912"),
            ("1e15", "2e12"),
        ] {
            assert_eq!(nice_step(time(length)), Some(time(step)), "{length}");
        }
    }

    #[test]
    fn digits_that_a_double_does_not_have_are_dropped() {
        for (text, time) in [
            ("0.1", "0.1"),
            (" 1e-3 ", "0.001"),
            ("0.0020000000000000000416", "0.002"),
            ("0.03333333333333333333333", "0.03333333333333333"),
        ] {
            assert_eq!(read(text), Some(self::time(time)), "{text}");
        }
        assert_eq!(read("1e300"), None);
        let thirtieth = same_double(time("2"), time("0.03333333333333333"));
        assert_eq!(thirtieth, Some(time("1/30")));
        assert_eq!(same_double(time("1"), time("0.1")), Some(time("0.1")));
        assert_eq!(same_double(time("1"), time("0.0333333")), None);
        assert_eq!(same_double(time("1"), time("0.3")), None);
    }

    #[test]
    fn lengths_are_counted_exactly() {
        assert_eq!(length(time("-0.1"), time("0.2")), Some(time("0.3")));
        assert_eq!(fit(time("0.3"), time("0.1")), Some(Fit::Whole));
        assert_eq!(fit(time("1"), time("0.3")), Some(Fit::Until(time("0.9"))));
        assert_eq!(fit(time("0.1"), time("0.3")), Some(Fit::None));
        assert_eq!(sum(time("1/3"), time("1/6")), Some(time("0.5")));
        assert_eq!(second_after(time("-1/3")), Some(time("2/3")));
        assert_eq!(second_after(time("9223372036854775807")), None);
    }
}
