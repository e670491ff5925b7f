//! Instants as congruences: when something periodic happens, and when several such things meet.

/// A first instant, in ticks, and one more every `step` ticks from then on.
///
/// Products stay within 128 bits because instants are 64-bit times; a common step that leaves that
/// range means that there is one meeting and no second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Instants {
    /// The first instant.
    pub(super) first: i64,
    /// How far the next one is; `None`: there is no next one.
    pub(super) step: Option<i128>,
}

impl Instants {
    /// A single instant.
    pub(super) fn once(first: i64) -> Self {
        Instants { first, step: None }
    }

    /// Every `step` ticks from `first` on.
    ///
    /// # Panics
    /// If the step is not later than zero, which `check` has refused.
    pub(super) fn every(first: i64, step: i64) -> Self {
        assert!(0 < step, "a period is later than zero");
        Instants { first, step: Some(i128::from(step)) }
    }

    /// Whether this instant is one of them.
    pub(super) fn contain(self, at: i64) -> bool {
        let since = i128::from(at) - i128::from(self.first);
        match self.step {
            None => since == 0,
            Some(step) => 0 <= since && since % step == 0,
        }
    }

    /// The instants that both have in common, by the Chinese remainder theorem for steps that need
    /// not be coprime.
    pub(super) fn meet(self, other: Instants) -> Option<Instants> {
        let (Some(step), Some(other_step)) = (self.step, other.step) else {
            let (one, many) = if self.step.is_none() { (self, other) } else { (other, self) };
            return many.contain(one.first).then_some(one);
        };
        let common = gcd(step, other_step);
        let apart = i128::from(other.first) - i128::from(self.first);
        if apart % common != 0 {
            return None;
        }
        // self.first + step * turns is an instant of the other too; the least such turns.
        let modulus = other_step / common;
        let turns = multiply(apart / common, inverse(step / common, modulus), modulus);
        let meeting = i128::from(self.first).checked_add(step.checked_mul(turns)?)?;
        let both = step.checked_mul(modulus);
        from_earliest(meeting, both, self.first.max(other.first))
    }
}

/// The instants `meeting`, `meeting + step`, ... that are not before `earliest`.
fn from_earliest(meeting: i128, step: Option<i128>, earliest: i64) -> Option<Instants> {
    let behind = (i128::from(earliest) - meeting).max(0);
    let first = match step {
        Some(step) => meeting.checked_add(step.checked_mul(rounded_up(behind, step))?)?,
        None if behind == 0 => meeting,
        None => return None,
    };
    let first = i64::try_from(first).ok()?;
    let has_next = |step: &i128| i128::from(first) + step <= i128::from(i64::MAX);
    Some(Instants { first, step: step.filter(|step| *step <= RANGE).filter(has_next) })
}

/// How many ticks there are: no step is longer.
const RANGE: i128 = 1 << 64;

fn rounded_up(amount: i128, unit: i128) -> i128 {
    amount / unit + i128::from(amount % unit != 0)
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `a * b` modulo `modulus`, which is at most [`RANGE`], so that the product fits unsigned.
fn multiply(a: i128, b: i128, modulus: i128) -> i128 {
    let (a, b) = (a.rem_euclid(modulus), b.rem_euclid(modulus));
    let product = a.unsigned_abs() * b.unsigned_abs() % modulus.unsigned_abs();
    i128::try_from(product).expect("a remainder is less than its modulus")
}

/// The inverse of `a` modulo `modulus`, which are coprime (extended Euclid).
fn inverse(a: i128, modulus: i128) -> i128 {
    let (mut rest, mut next_rest) = (a.rem_euclid(modulus), modulus);
    let (mut factor, mut next_factor) = (1, 0);
    while next_rest != 0 {
        let quotient = rest / next_rest;
        (rest, next_rest) = (next_rest, rest - quotient * next_rest);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_counting(a: Instants, b: Instants, until: i64) -> Vec<i64> {
        (a.first.min(b.first)..until).filter(|&at| a.contain(at) && b.contain(at)).collect()
    }

    #[test]
    fn meetings_are_those_found_by_counting() {
        for (first, step) in [(0, 1), (0, 4), (3, 4), (-7, 6), (5, 10), (2, 15)] {
            for (other_first, other_step) in [(0, 6), (1, 6), (-9, 35), (40, 3), (2, 2), (3, 1)] {
                let (a, b) =
                    (Instants::every(first, step), Instants::every(other_first, other_step));
                let expected = by_counting(a, b, 500);
                let found = a.meet(b);
                assert_eq!(found.map(|both| both.first), expected.first().copied(), "{a:?} {b:?}");
                if let Some(both) = found {
                    assert_eq!(both.step, Some(i128::from(expected[1] - expected[0])));
                    assert_eq!(b.meet(a), found);
                }
            }
        }
    }

    #[test]
    fn a_single_instant_meets_what_has_it() {
        let every = Instants::every(3, 4);
        assert_eq!(every.meet(Instants::once(11)), Some(Instants::once(11)));
        assert_eq!(every.meet(Instants::once(12)), None);
        assert_eq!(every.meet(Instants::once(-1)), None);
        assert_eq!(Instants::once(5).meet(Instants::once(5)), Some(Instants::once(5)));
        assert_eq!(Instants::once(5).meet(Instants::once(6)), None);
    }

    #[test]
    fn meetings_beyond_all_time_are_none_and_nothing_overflows() {
        let huge = i64::MAX;
        let (a, b) = (Instants::every(0, huge), Instants::every(1, huge - 1));
        // 0 + huge = 1 + (huge - 1): they meet at the last tick and never again.
        assert_eq!(a.meet(b), Some(Instants::once(huge)));
        assert_eq!(Instants::every(0, huge).meet(Instants::every(2, huge - 1)), None);
        let early = Instants::every(i64::MIN, huge);
        assert_eq!(early.meet(early).map(|both| both.first), Some(i64::MIN));
        let three = early.meet(Instants::every(i64::MIN, huge - 1)).expect("they begin together");
        assert_eq!(three, Instants::once(i64::MIN));
        assert_eq!(three.meet(Instants::every(i64::MIN, 3)), Some(three));
    }
}
