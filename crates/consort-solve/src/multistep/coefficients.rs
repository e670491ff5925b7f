//! The coefficients of a step: the corrector's polynomial and the constants of the error estimates, from
//! the lengths of the last steps (Byrne and Hindmarsh 1975; names of the constants as there).

use super::{Family, Pace};

/// One more than the highest order and a place for counting from one.
pub(super) const ROWS_MAX: usize = 14;

/// Solved when an iteration's error is below this part of what the error test allows.
const NEWTON_PART: f64 = 0.1;

/// What one step is computed with.
#[derive(Debug, Default)]
pub(super) struct Coefficients {
    /// What the correction adds to each row of the history.
    pub(super) l: [f64; ROWS_MAX],
    /// The error of the order below, of this one, and of the one above, for a correction of size one.
    pub(super) error_below: f64,
    pub(super) error: f64,
    pub(super) error_above: f64,
    /// How corrections of successive steps compare.
    pub(super) scale: f64,
    /// The size below which an iteration's error is small enough.
    pub(super) convergence: f64,
}

impl Coefficients {
    /// Computes all of them for the step that is about to be taken.
    pub(super) fn set(&mut self, family: Family, pace: &Pace) {
        match family {
            Family::Bdf => self.set_bdf(pace),
            Family::Adams | Family::AdamsNewton => self.set_adams(pace),
        }
        self.convergence = NEWTON_PART / self.error;
    }

    fn set_bdf(&mut self, pace: &Pace) {
        let (order, h, l) = (pace.order, pace.h, &mut self.l);
        l[..=order].fill(0.0);
        (l[0], l[1]) = (1.0, 1.0);
        let (mut xi_inverse, mut xi_star_inverse) = (1.0, 1.0);
        let (mut alpha, mut alpha_hat) = (-1.0, -1.0);
        let mut sum = h;
        if 1 < order {
            for j in 2..order {
                sum += pace.past[j - 1];
                xi_inverse = h / sum;
                alpha -= 1.0 / j as f64;
                multiply(&mut l[..=j], xi_inverse);
            }
            alpha -= 1.0 / order as f64;
            xi_star_inverse = -l[1] - alpha;
            sum += pace.past[order - 1];
            xi_inverse = h / sum;
            alpha_hat = -l[1] - xi_inverse;
            multiply(&mut l[..=order], xi_star_inverse);
        }
        let degree = order as f64;
        let a1 = 1.0 - alpha_hat + alpha;
        let a2 = 1.0 + degree * a1;
        self.error = (a1 / (alpha * a2)).abs();
        self.scale = (a2 * xi_star_inverse / (l[order] * xi_inverse)).abs();
        if pace.wait != 1 {
            return;
        }
        self.error_below = if 1 < order {
            let (a3, a4) = (alpha + 1.0 / degree, alpha_hat + xi_inverse);
            (xi_star_inverse / l[order] * ((1.0 - a4 + a3) / a3)).abs()
        } else {
            1.0
        };
        let xi_inverse = h / (sum + pace.past[order]);
        let (a5, a6) = (alpha - 1.0 / (degree + 1.0), alpha_hat - xi_inverse);
        self.error_above = ((1.0 - a6 + a5) / a2 / (xi_inverse * (degree + 2.0) * a5)).abs();
    }

    fn set_adams(&mut self, pace: &Pace) {
        let (order, h) = (pace.order, pace.h);
        if order == 1 {
            (self.l[0], self.l[1]) = (1.0, 1.0);
            (self.error_below, self.error, self.error_above) = (1.0, 0.5, 1.0 / 12.0);
            self.scale = 1.0;
            return;
        }
        let degree = order as f64;
        let mut m = [0.0; ROWS_MAX];
        m[0] = 1.0;
        let mut sum = h;
        for j in 1..order {
            if j == order - 1 && pace.wait == 1 {
                let below = alternating(&m[..order - 1], 2.0);
                self.error_below = degree * below / m[order - 2];
            }
            multiply(&mut m[..=j], h / sum);
            sum += pace.past[j];
        }
        let inverse = 1.0 / alternating(&m[..order], 1.0);
        self.l[0] = 1.0;
        for i in 1..=order {
            self.l[i] = inverse * (m[i - 1] / i as f64);
        }
        let xi = sum / h;
        self.error = alternating(&m[..order], 2.0) * inverse / xi;
        self.scale = xi / self.l[order];
        if pace.wait == 1 {
            multiply(&mut m[..=order], 1.0 / xi);
            self.error_above = alternating(&m[..=order], 2.0) * inverse / (degree + 1.0);
        }
    }
}

/// Multiplies a polynomial by 1 + `factor` * x, the highest coefficient being zero before.
#[inline]
fn multiply(polynomial: &mut [f64], factor: f64) {
    for i in (1..polynomial.len()).rev() {
        polynomial[i] += polynomial[i - 1] * factor;
    }
}

/// a0 / k - a1 / (k + 1) + a2 / (k + 2) - ...: an integral of a polynomial.
#[inline]
fn alternating(values: &[f64], k: f64) -> f64 {
    let (mut sum, mut sign, mut divisor) = (0.0, 1.0, k);
    for value in values {
        sum += sign * (value / divisor);
        (sign, divisor) = (-sign, divisor + 1.0);
    }
    sum
}

/// What lowering the order takes away from each row, as parts of the last one.
pub(super) fn lowered(family: Family, pace: &Pace) -> [f64; ROWS_MAX] {
    let order = pace.order;
    let first = if family == Family::Bdf { 2 } else { 1 };
    let mut l = [0.0; ROWS_MAX];
    l[first] = 1.0;
    let mut sum = 0.0;
    for j in 1..order - 1 {
        sum += pace.past[j];
        let xi = sum / pace.h_scale;
        for i in (first..=j + first).rev() {
            l[i] = l[i] * xi + l[i - 1];
        }
    }
    if family != Family::Bdf {
        let from = l;
        for j in 1..order - 1 {
            l[j + 1] = order as f64 * (from[j] / (j + 1) as f64);
        }
    }
    l
}

/// What raising the order of a BDF takes of the last correction for the new row, and what that one
/// then adds to each row.
pub(super) fn raised(pace: &Pace) -> (f64, [f64; ROWS_MAX]) {
    let mut l = [0.0; ROWS_MAX];
    l[2] = 1.0;
    let (mut alpha0, mut alpha1, mut product, mut xi_before) = (-1.0, 1.0, 1.0, 1.0);
    let mut sum = pace.h_scale;
    for j in 1..pace.order {
        sum += pace.past[j + 1];
        let xi = sum / pace.h_scale;
        product *= xi;
        alpha0 -= 1.0 / (j + 1) as f64;
        alpha1 += 1.0 / xi;
        for i in (2..=j + 2).rev() {
            l[i] = l[i] * xi_before + l[i - 1];
        }
        xi_before = xi;
    }
    ((-alpha0 - alpha1) / product, l)
}
