//! Intervals of seconds in whole ticks.

use crate::Reading;
use crate::tree::Bounds;
use consort_core::{Resolution, Seconds};

/// The farthest that anything is looked at, in ticks: an operator that looks farther is never done.
pub(crate) const FAR: i64 = i64::MAX / 8;

/// From and to in ticks.
///
/// Samples lie on ticks, so that of the sampled reading nothing is lost by rounding inwards; in the
/// dense one the nearest ticks are taken, half a tick away at most.
pub(crate) fn range(bounds: &Bounds, reading: Reading, resolution: Resolution) -> [i64; 2] {
    let (from, to) = match reading {
        Reading::Sampled => (Rounding::Up, Rounding::Down),
        Reading::Dense => (Rounding::Nearest, Rounding::Nearest),
    };
    let to = bounds.to.map_or(FAR, |end| whole(end, resolution, to));
    [whole(bounds.from, resolution, from), to]
}

#[derive(Clone, Copy)]
enum Rounding {
    Up,
    Down,
    Nearest,
}

/// `seconds` in ticks of the resolution; what does not fit is as far as can be.
fn whole(seconds: Seconds, resolution: Resolution, rounding: Rounding) -> i64 {
    let tick = resolution.tick();
    let above = i128::from(seconds.numerator()).checked_mul(i128::from(tick.denominator()));
    let below = i128::from(seconds.denominator()).checked_mul(i128::from(tick.numerator()));
    let (Some(above), Some(below)) = (above, below) else { return FAR };
    let rounded = match rounding {
        Rounding::Down => above / below,
        Rounding::Up => above / below + i128::from(above % below != 0),
        Rounding::Nearest => above / below + i128::from(below - above % below <= above % below),
    };
    i64::try_from(rounded).map_or(FAR, |ticks| ticks.min(FAR))
}

/// The sum of two lengths; without an end if one of them has none, or the sum does not fit.
pub(crate) fn sum(a: Option<Seconds>, b: Option<Seconds>) -> Option<Seconds> {
    let (a, b) = (a?, b?);
    let (x, y) = (i128::from(a.denominator()), i128::from(b.denominator()));
    let above = i128::from(a.numerator()).checked_mul(y)?;
    let above = above.checked_add(i128::from(b.numerator()).checked_mul(x)?)?;
    let below = x.checked_mul(y)?;
    let divisor = greatest_divisor(above.unsigned_abs(), below.unsigned_abs());
    let above = i64::try_from(above / i128::try_from(divisor).ok()?).ok()?;
    Seconds::new(above, u64::try_from(below.unsigned_abs() / divisor).ok()?)
}

fn greatest_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}
