//! Linear systems with the matrix I - gamma * J: factors of dense, banded and sparse ones, in place and
//! in one fixed order of operations.

mod banded;
mod dense;
mod differences;
mod sparse;

use crate::problem::Structure;
use consort_core::{Room, Shared, clone_by_field};
use sparse::Symbolic;

pub(crate) use differences::{Differences, Point};

/// The factors of one matrix at a time; copies share them until one of them factorizes another.
#[derive(Debug)]
pub(crate) struct Linear {
    len: usize,
    layout: Shared<MatrixLayout>,
    /// The factors; the diagonal of the upper one is kept as reciprocals.
    pub(crate) values: Shared<[f64]>,
    /// The row that each row was exchanged with; none for a sparse matrix.
    pub(crate) pivots: Shared<[usize]>,
    work: Room<Vec<f64>>,
}

clone_by_field!(Linear { len, layout, values, pivots, work });

#[derive(Debug)]
enum MatrixLayout {
    Dense,
    Banded(banded::Band),
    Sparse(Symbolic),
}

impl Linear {
    pub(crate) fn new(len: usize, structure: &Structure) -> Self {
        let (layout, values) = match structure {
            Structure::Dense => (MatrixLayout::Dense, len * len),
            Structure::Banded { lower, upper } => {
                let band = banded::Band { lower: *lower, upper: *upper };
                (MatrixLayout::Banded(band), len * band.stride())
            }
            Structure::Sparse(pattern) => {
                let symbolic = Symbolic::new(pattern);
                let values = symbolic.values_len();
                (MatrixLayout::Sparse(symbolic), values)
            }
        };
        let pivots = if let MatrixLayout::Sparse(_) = layout { 0 } else { len };
        Linear {
            len,
            values: Shared::filled(0.0, values),
            pivots: Shared::filled(0, pivots),
            work: Room(vec![0.0; if let MatrixLayout::Sparse(_) = layout { len } else { 0 }]),
            layout: Shared::new(layout),
        }
    }

    /// Resets it to its first state.
    pub(crate) fn clear(&mut self) {
        self.values.fill(0.0);
        self.pivots.fill(0);
    }

    /// The last row that row `k` could be exchanged with.
    pub(crate) fn pivot_max(&self, k: usize) -> usize {
        match &*self.layout {
            MatrixLayout::Banded(band) => (k + band.lower).min(self.len - 1),
            MatrixLayout::Dense | MatrixLayout::Sparse(_) => self.len - 1,
        }
    }

    /// Factorizes I - `gamma` * J, with J in the layout of [`JacobianMut`](crate::JacobianMut); false
    /// if that cannot be done.
    pub(crate) fn factorize(&mut self, jacobian: &[f64], gamma: f64) -> bool {
        let (len, values) = (self.len, self.values.slice_mut());
        match &*self.layout {
            MatrixLayout::Dense => {
                dense::load(values, jacobian, len, gamma);
                dense::factorize(values, self.pivots.slice_mut())
            }
            MatrixLayout::Banded(band) => {
                band.load(values, jacobian, gamma);
                band.factorize(values, self.pivots.slice_mut())
            }
            MatrixLayout::Sparse(symbolic) => {
                self.work.resize(len, 0.0);
                symbolic.factorize(values, jacobian, gamma, &mut self.work)
            }
        }
    }

    /// Replaces `vector` by the solution of (factorized matrix) * x = `vector`.
    pub(crate) fn solve(&mut self, vector: &mut [f64]) {
        if vector.is_empty() {
            return;
        }
        match &*self.layout {
            MatrixLayout::Dense => dense::solve(&self.values, &self.pivots, vector),
            MatrixLayout::Banded(band) => band.solve(&self.values, &self.pivots, vector),
            MatrixLayout::Sparse(symbolic) => {
                self.work.resize(self.len, 0.0);
                symbolic.solve(&self.values, vector, &mut self.work);
            }
        }
    }
}

#[cfg(test)]
mod tests;
