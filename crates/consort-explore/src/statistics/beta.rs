//! The regularized incomplete beta function and its inverse.

use libm::{exp, lgamma, log, log1p};

/// Terms of the continued fraction; it needs about the square root of the larger argument.
const TERMS_MAX: u32 = 1_000_000;
/// Halvings of an interval of doubles.
const HALVINGS_MAX: u32 = 2_000;

/// I_x(a, b), by Lentz's evaluation of its continued fraction (DLMF 8.17.22).
pub(super) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if 1.0 <= x {
        return 1.0;
    }
    let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    // The fraction converges fast on the one side of the mean.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let tiny = f64::MIN_POSITIVE / f64::EPSILON;
    let nonzero = |value: f64| if value.abs() < tiny { tiny } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for term in 1..TERMS_MAX {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        result *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        result *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    result
}

/// The `x` with I_x(a, b) = `probability`, by halving: slow, and never wrong.
pub(super) fn incomplete_beta_inverse(a: f64, b: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..HALVINGS_MAX {
        // Small numbers are found by their magnitude.
        let middle = if low <= 0.0 || 4.0 * low < high {
            (low.max(f64::MIN_POSITIVE) * high).sqrt()
        } else {
            low.midpoint(high)
        };
        if middle <= low || high <= middle {
            break;
        }
        if incomplete_beta(a, b, middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.midpoint(high)
}
