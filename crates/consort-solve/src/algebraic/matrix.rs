//! A small dense matrix and its elimination, in one fixed order.

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    len: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub(super) fn new(len: usize) -> Self {
        Matrix { len, entries: vec![0.0; len * len] }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.len + column]
    }

    pub(super) fn put(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.len + column] = value;
    }

    pub(super) fn copy_from(&mut self, other: &Matrix) {
        self.entries.copy_from_slice(&other.entries);
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.len..][..self.len]
    }

    pub(super) fn row_times(&self, row: usize, vector: &[f64]) -> f64 {
        self.row(row).iter().zip(vector).map(|(a, b)| a * b).sum()
    }

    /// Replaces `vector` by the solution of `self * x = vector`, and `self` by what elimination
    /// leaves; false if a pivot is below `pivot_min` of what its row began with (at least 1, the size
    /// of the identity that every matrix here has in it).
    pub(super) fn solve(&mut self, vector: &mut [f64], pivot_min: f64) -> bool {
        self.scale_rows(vector);
        for column in 0..self.len {
            let pivot = self.pivot(column);
            if self.at(pivot, column).abs() <= pivot_min {
                return false;
            }
            self.swap_rows(column, pivot);
            vector.swap(column, pivot);
            for row in column + 1..self.len {
                self.eliminate(row, column, vector);
            }
        }
        self.substitute_back(vector);
        true
    }

    fn scale_rows(&mut self, vector: &mut [f64]) {
        for (row, value) in vector.iter_mut().enumerate() {
            let greatest = self.row(row).iter().fold(1.0_f64, |most, entry| most.max(entry.abs()));
            *value /= greatest;
            for entry in &mut self.entries[row * self.len..][..self.len] {
                *entry /= greatest;
            }
        }
    }

    /// The row with the greatest entry in a column; the first of equals.
    fn pivot(&self, column: usize) -> usize {
        let mut best = column;
        for row in column + 1..self.len {
            if self.at(best, column).abs() < self.at(row, column).abs() {
                best = row;
            }
        }
        best
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.len {
            self.entries.swap(a * self.len + column, b * self.len + column);
        }
    }

    fn eliminate(&mut self, row: usize, column: usize, vector: &mut [f64]) {
        let factor = self.at(row, column) / self.at(column, column);
        for other in column..self.len {
            let value = self.at(row, other) - factor * self.at(column, other);
            self.put(row, other, value);
        }
        vector[row] -= factor * vector[column];
    }

    fn substitute_back(&self, vector: &mut [f64]) {
        for row in (0..self.len).rev() {
            let known: f64 =
                (row + 1..self.len).map(|column| self.at(row, column) * vector[column]).sum();
            vector[row] = (vector[row] - known) / self.at(row, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        let mut matrix = Matrix::new(rows.len());
        for (row, entries) in rows.iter().enumerate() {
            for (column, &entry) in entries.iter().enumerate() {
                matrix.put(row, column, entry);
            }
        }
        matrix
    }

    #[test]
    fn equations_are_solved_also_where_the_diagonal_is_zero() {
        let mut vector = [3.0, 5.0, 4.0];
        let rows: [&[f64]; 3] = [&[0.0, 1.0, 1.0], &[2.0, 0.0, 3.0], &[1.0, 1.0, 0.0]];
        assert!(matrix(&rows).solve(&mut vector, 1e-14));
        for (row, right) in rows.iter().zip([3.0, 5.0, 4.0]) {
            let left: f64 = row.iter().zip(&vector).map(|(a, b)| a * b).sum();
            assert!((left - right).abs() < 1e-14, "{left} is not {right}");
        }
    }

    #[test]
    fn a_singular_matrix_is_noticed_whatever_its_size() {
        for scale in [1.0, 1e6] {
            let rows = [[scale, 2.0 * scale], [2.0 * scale, 4.0 * scale]];
            assert!(!matrix(&[&rows[0], &rows[1]]).solve(&mut [1.0, 1.0], 1e-14));
        }
    }
}
