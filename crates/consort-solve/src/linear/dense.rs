//! Dense elimination with exchange of rows, column by column.

/// Writes I - `gamma` * J.
pub(super) fn load(values: &mut [f64], jacobian: &[f64], len: usize, gamma: f64) {
    values.iter_mut().zip(jacobian).for_each(|(value, j)| *value = -gamma * j);
    values.iter_mut().step_by(len + 1).for_each(|diagonal| *diagonal += 1.0);
}

/// Factorizes in place; false if a pivot is zero or not finite.
pub(super) fn factorize(values: &mut [f64], pivots: &mut [usize]) -> bool {
    let len = pivots.len();
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let (done, rest) = values.split_at_mut((k + 1) * len);
        let column = &mut done[k * len..];
        *pivot = k + greatest(&column[k..]);
        column.swap(k, *pivot);
        let (head, multipliers) = column.split_at_mut(k + 1);
        let inverse = 1.0 / head[k];
        if !(head[k].is_finite() && inverse.is_finite()) {
            return false;
        }
        head[k] = inverse;
        multipliers.iter_mut().for_each(|multiplier| *multiplier *= inverse);
        for other in rest.chunks_exact_mut(len) {
            other.swap(k, *pivot);
            let (head, tail) = other.split_at_mut(k + 1);
            subtract(tail, head[k], multipliers);
        }
    }
    true
}

/// Solves with the factors that [`factorize`] left.
pub(super) fn solve(values: &[f64], pivots: &[usize], vector: &mut [f64]) {
    let len = pivots.len();
    for ((k, column), pivot) in values.chunks_exact(len).enumerate().zip(pivots) {
        vector.swap(k, *pivot);
        let (head, tail) = vector.split_at_mut(k + 1);
        subtract(tail, head[k], &column[k + 1..]);
    }
    for (k, column) in values.chunks_exact(len).enumerate().rev() {
        let (head, tail) = vector.split_at_mut(k);
        tail[0] *= column[k];
        subtract(head, tail[0], &column[..k]);
    }
}

/// `target -= factor * other`, element by element.
#[inline]
pub(super) fn subtract(target: &mut [f64], factor: f64, other: &[f64]) {
    target.iter_mut().zip(other).for_each(|(target, other)| *target -= factor * other);
}

/// Where the greatest absolute value is; the first of equals.
#[inline]
pub(super) fn greatest(values: &[f64]) -> usize {
    let (mut best, mut most) = (0, values[0].abs());
    for (i, value) in values.iter().enumerate().skip(1) {
        if most < value.abs() {
            (best, most) = (i, value.abs());
        }
    }
    best
}
