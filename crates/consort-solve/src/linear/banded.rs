//! Banded elimination with exchange of rows, column by column.

use super::dense::{greatest, subtract};

/// How many diagonals lie below and above the main one. Exchanges fill `lower` more above, so a
/// stored column has the rows `k - lower - upper` to `k + lower`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) lower: usize,
    pub(super) upper: usize,
}

impl Band {
    /// How many values a stored column has.
    pub(super) fn stride(self) -> usize {
        2 * self.lower + self.upper + 1
    }

    /// Where the diagonal lies in a stored column.
    fn diagonal(self) -> usize {
        self.lower + self.upper
    }

    /// Writes I - `gamma` * J.
    pub(super) fn load(self, values: &mut [f64], jacobian: &[f64], gamma: f64) {
        let columns = values.chunks_exact_mut(self.stride());
        for (column, from) in columns.zip(jacobian.chunks_exact(self.lower + self.upper + 1)) {
            let (fill, column) = column.split_at_mut(self.lower);
            fill.fill(0.0);
            column.iter_mut().zip(from).for_each(|(value, j)| *value = -gamma * j);
            column[self.upper] += 1.0;
        }
    }

    /// Factorizes in place; false if a pivot is zero or not finite.
    pub(super) fn factorize(self, values: &mut [f64], pivots: &mut [usize]) -> bool {
        let (len, stride, diagonal) = (pivots.len(), self.stride(), self.diagonal());
        // The last column that an exchange of rows has reached so far.
        let mut reach = 0;
        for (k, pivot) in pivots.iter_mut().enumerate() {
            let below = self.lower.min(len - 1 - k);
            let (done, rest) = values.split_at_mut((k + 1) * stride);
            let column = &mut done[k * stride + diagonal..][..=below];
            let offset = greatest(column);
            column.swap(0, offset);
            let (head, multipliers) = column.split_at_mut(1);
            let inverse = 1.0 / head[0];
            if !(head[0].is_finite() && inverse.is_finite()) {
                return false;
            }
            (head[0], *pivot) = (inverse, k + offset);
            multipliers.iter_mut().for_each(|multiplier| *multiplier *= inverse);
            reach = (k + offset + self.upper).min(len - 1).max(reach);
            for (j, other) in rest.chunks_exact_mut(stride).take(reach - k).enumerate() {
                let other = &mut other[diagonal - 1 - j..][..=below];
                other.swap(0, offset);
                let (head, tail) = other.split_at_mut(1);
                subtract(tail, head[0], multipliers);
            }
        }
        true
    }

    /// Solves with the factors that [`Band::factorize`] left.
    pub(super) fn solve(self, values: &[f64], pivots: &[usize], vector: &mut [f64]) {
        if (self.lower, self.upper) == (1, 1) {
            return solve_tridiagonal(values.as_chunks().0, pivots, vector);
        }
        let diagonal = self.diagonal();
        let columns = values.chunks_exact(self.stride());
        if 0 < self.lower {
            for ((k, column), pivot) in columns.clone().enumerate().zip(pivots) {
                vector.swap(k, *pivot);
                let (head, tail) = vector.split_at_mut(k + 1);
                subtract(tail, head[k], &column[diagonal + 1..]);
            }
        }
        for (k, column) in columns.enumerate().rev() {
            let above = diagonal.min(k);
            let (head, tail) = vector.split_at_mut(k);
            tail[0] *= column[diagonal];
            subtract(&mut head[k - above..], tail[0], &column[diagonal - above..diagonal]);
        }
    }
}

/// The same operations in the same order for one diagonal on each side, the common case of a line of
/// points: what the next row needs stays in registers.
fn solve_tridiagonal(columns: &[[f64; 4]], pivots: &[usize], vector: &mut [f64]) {
    let mut carried = vector[0];
    for k in 1..vector.len() {
        let is_exchanged = pivots[k - 1] != k - 1;
        let (top, rest) = if is_exchanged { (vector[k], carried) } else { (carried, vector[k]) };
        vector[k - 1] = top;
        carried = rest - top * columns[k - 1][3];
    }
    let last = vector.len() - 1;
    vector[last] = carried;
    // The solution one and two rows below; the entries of their columns that meet this row, of which
    // the second is known one row earlier than it is needed.
    let (mut below, mut second) = (0.0, 0.0);
    let (mut near, mut far, mut far_next) = (0.0, 0.0, 0.0);
    for (value, column) in vector.iter_mut().zip(columns).rev() {
        let solved = (*value - second * far - below * near) * column[2];
        *value = solved;
        (second, below) = (below, solved);
        (far, far_next, near) = (far_next, column[0], column[1]);
    }
}
