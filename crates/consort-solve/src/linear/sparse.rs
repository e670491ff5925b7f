//! Sparse elimination on the diagonal, in an order of little fill that is found once.
//!
//! The matrix is I - gamma * J, so shorter steps bring it as near to I as is needed: a pivot on the
//! diagonal that is nothing but rounding is reported, and the step becomes shorter. That keeps the pattern of the
//! factors, and with it every place in memory, the same for all matrices of a problem. A pivot is measured by
//! the terms it is the sum of, which have its unit: entries beside it have others, and their size says
//! nothing. What a poor pivot costs in digits, Newton's iterations see and make good. The order is
//! that of minimum degree on the pattern of J + J'. The factors are computed column by column, looking left (Gilbert and Peierls 1988, with a known pattern).

mod order;

use crate::problem::SparsityPattern;
use order::{Elimination, eliminate};

/// Below this part of the greatest of its terms a pivot on the diagonal is not taken.
const PIVOT_MIN: f64 = 1e-13;

/// What can be known of the factors from the pattern alone. Rows and columns are counted in the order
/// of elimination.
#[derive(Debug)]
pub(super) struct Symbolic {
    /// Which state is eliminated at each place.
    order: Vec<usize>,
    /// Below the diagonal, by columns.
    lower: SparseColumns,
    /// Above the diagonal, by columns.
    upper: SparseColumns,
    /// Rows of the matrix by columns, and where each entry lies in the Jacobian's values.
    entries: SparseColumns,
    sources: Vec<usize>,
}

/// Row numbers by columns.
#[derive(Debug)]
struct SparseColumns {
    starts: Vec<usize>,
    rows: Vec<usize>,
}

impl SparseColumns {
    fn new(columns: &[Vec<usize>]) -> Self {
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for column in columns {
            rows.extend(column);
            starts.push(rows.len());
        }
        SparseColumns { starts, rows }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The rows of a column beside their values.
    fn with<'a>(
        &'a self,
        column: usize,
        values: &'a [f64],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let range = self.range(column);
        self.rows[range.clone()].iter().copied().zip(values[range].iter().copied())
    }
}

impl Symbolic {
    pub(super) fn new(pattern: &SparsityPattern) -> Self {
        let len = pattern.len();
        let Elimination { order, below } = eliminate(pattern);
        let mut place = vec![0; len];
        order.iter().enumerate().for_each(|(at, state)| place[*state] = at);
        let lower: Vec<Vec<usize>> = below
            .iter()
            .map(|states| {
                let mut rows: Vec<usize> = states.iter().map(|state| place[*state]).collect();
                rows.sort_unstable();
                rows
            })
            .collect();
        let mut upper = vec![Vec::new(); len];
        for (column, rows) in lower.iter().enumerate() {
            rows.iter().for_each(|row| upper[*row].push(column));
        }
        let mut entries = Vec::with_capacity(len);
        let mut sources = Vec::new();
        for state in &order {
            entries.push(pattern.rows(*state).iter().map(|row| place[*row]).collect());
            sources.extend(pattern.range(*state));
        }
        Symbolic {
            order,
            lower: SparseColumns::new(&lower),
            upper: SparseColumns::new(&upper),
            entries: SparseColumns::new(&entries),
            sources,
        }
    }

    /// Lower factor, upper factor, reciprocals of the diagonal, one after the other.
    pub(super) fn values_len(&self) -> usize {
        self.lower.len() + self.upper.len() + self.order.len()
    }

    /// Factorizes I - `gamma` * J; false if a pivot is but rounding or not finite.
    pub(super) fn factorize(
        &self,
        values: &mut [f64],
        jacobian: &[f64],
        gamma: f64,
        work: &mut [f64],
    ) -> bool {
        let (lower, rest) = values.split_at_mut(self.lower.len());
        let (upper, diagonal) = rest.split_at_mut(self.upper.len());
        work.fill(0.0);
        for (column, inverse) in diagonal.iter_mut().enumerate() {
            let range = self.entries.range(column);
            for (row, source) in self.entries.rows[range.clone()].iter().zip(&self.sources[range]) {
                work[*row] = -gamma * jacobian[*source];
            }
            let mut greatest = work[column].abs().max(1.0);
            work[column] += 1.0;
            let range = self.upper.range(column);
            for (earlier, value) in self.upper.rows[range.clone()].iter().zip(&mut upper[range]) {
                *value = std::mem::take(&mut work[*earlier]);
                for (row, multiplier) in self.lower.with(*earlier, lower) {
                    work[row] -= *value * multiplier;
                }
                greatest = greatest.max(work[column].abs());
            }
            let pivot = std::mem::take(&mut work[column]);
            *inverse = 1.0 / pivot;
            let range = self.lower.range(column);
            for (row, value) in self.lower.rows[range.clone()].iter().zip(&mut lower[range]) {
                *value = std::mem::take(&mut work[*row]) * *inverse;
            }
            let is_number = pivot.is_finite() && inverse.is_finite();
            if !is_number || pivot.abs() < PIVOT_MIN * greatest {
                return false;
            }
        }
        true
    }

    /// Solves with the factors that [`Symbolic::factorize`] left.
    pub(super) fn solve(&self, values: &[f64], vector: &mut [f64], work: &mut [f64]) {
        let (lower, rest) = values.split_at(self.lower.len());
        let (upper, diagonal) = rest.split_at(self.upper.len());
        work.iter_mut().zip(&self.order).for_each(|(value, state)| *value = vector[*state]);
        for column in 0..self.order.len() {
            let factor = work[column];
            for (row, value) in self.lower.with(column, lower) {
                work[row] -= factor * value;
            }
        }
        for column in (0..self.order.len()).rev() {
            work[column] *= diagonal[column];
            let factor = work[column];
            for (row, value) in self.upper.with(column, upper) {
                work[row] -= factor * value;
            }
        }
        work.iter().zip(&self.order).for_each(|(value, state)| vector[*state] = *value);
    }
}
