//! A method's numbers, and the sums over slopes they stand for.

use std::array;

/// (row of the slopes, factor) of each term of a sum, added from the first to the last.
pub(super) type Weights = &'static [(usize, f64)];

/// An explicit method whose last slope, at the end of the step, is the first of the next.
pub(super) struct Tableau {
    /// The stages after the first; the last one is the end of the step.
    pub(super) stages: &'static [Stage],
    /// What estimates the error: one sum, or two of which the first is of higher order.
    pub(super) errors: &'static [Weights],
    /// Whether the error estimate needs the slope at the end.
    pub(super) error_uses_last: bool,
    /// More slopes for dense output.
    pub(super) dense_stages: &'static [Stage],
    /// The sums of dense output beyond the cubic Hermite polynomial.
    pub(super) dense: &'static [Weights],
    /// A slope at the same time as that of the end, the distance of the two points, and how much
    /// (step size times eigenvalue) is stable.
    pub(super) stiffness: Option<(usize, Weights, f64)>,
    pub(super) control: Control,
}

/// Where a slope is taken.
pub(super) struct Stage {
    /// The part of the step.
    pub(super) time: f64,
    pub(super) weights: Weights,
}

/// How the step size follows the error.
pub(super) struct Control {
    /// The error of a step falls by this power of its size.
    pub(super) order: f64,
    /// How much the error of the step before counts (PI control); zero: not at all.
    pub(super) beta: f64,
    /// The most by which a step is shortened, and by which it is lengthened.
    pub(super) shrink_max: f64,
    pub(super) grow_max: f64,
}

impl Tableau {
    /// How many slopes a step has, those of dense output included.
    pub(super) fn rows(&self) -> usize {
        self.last() + 1 + self.dense_stages.len()
    }

    /// The row of the slope at the end of the step.
    pub(super) fn last(&self) -> usize {
        self.stages.len()
    }
}

/// Gives `put` each index of `len` and the sum there.
pub(super) fn sums(weights: Weights, slopes: &[f64], len: usize, put: impl FnMut(usize, f64)) {
    match weights.len() {
        1 => unrolled::<1>(weights, slopes, len, put),
        2 => unrolled::<2>(weights, slopes, len, put),
        3 => unrolled::<3>(weights, slopes, len, put),
        4 => unrolled::<4>(weights, slopes, len, put),
        5 => unrolled::<5>(weights, slopes, len, put),
        6 => unrolled::<6>(weights, slopes, len, put),
        7 => unrolled::<7>(weights, slopes, len, put),
        8 => unrolled::<8>(weights, slopes, len, put),
        9 => unrolled::<9>(weights, slopes, len, put),
        10 => unrolled::<10>(weights, slopes, len, put),
        12 => unrolled::<12>(weights, slopes, len, put),
        terms => unreachable!("no method has a sum of {terms} terms"),
    }
}

/// With the number of terms known, the inner loop is straight code and the outer one can use vectors.
#[inline]
#[expect(clippy::needless_range_loop, reason = "one index goes through all rows")]
fn unrolled<const N: usize>(
    weights: Weights,
    slopes: &[f64],
    len: usize,
    mut put: impl FnMut(usize, f64),
) {
    let rows: [&[f64]; N] = array::from_fn(|term| &slopes[weights[term].0 * len..][..len]);
    let factors: [f64; N] = array::from_fn(|term| weights[term].1);
    for i in 0..len {
        let mut sum = factors[0] * rows[0][i];
        for term in 1..N {
            sum += factors[term] * rows[term][i];
        }
        put(i, sum);
    }
}

/// `result = x + h * sum`.
pub(super) fn advance(result: &mut [f64], x: &[f64], h: f64, weights: Weights, slopes: &[f64]) {
    let len = result.len();
    let x = &x[..len];
    sums(weights, slopes, len, |i, sum| result[i] = x[i] + h * sum);
}
