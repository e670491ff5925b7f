//! The history in Nordsieck's form: row j has h^j / j! times the j-th derivative of the polynomial that
//! stands for the solution, so that predicting is a few additions.

use super::coefficients::ROWS_MAX;
use consort_core::clone_by_field;

/// The rows, and the operations on all of them at once.
#[derive(Debug)]
pub(super) struct Nordsieck {
    len: usize,
    pub(super) values: Vec<f64>,
}

clone_by_field!(Nordsieck { len, values });

/// How many states are worked on together.
const LANES: usize = 4;

impl Nordsieck {
    pub(super) fn new(len: usize, order_max: usize) -> Self {
        Nordsieck { len, values: vec![0.0; (order_max + 1) * len] }
    }

    pub(super) fn row(&self, j: usize) -> &[f64] {
        &self.values[j * self.len..][..self.len]
    }

    pub(super) fn row_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.len..][..self.len]
    }

    /// Moves the polynomial's origin one step on.
    pub(super) fn predict(&mut self, order: usize) {
        self.shift(order, 1.0);
    }

    /// Moves it back, to try another step.
    pub(super) fn retreat(&mut self, order: usize) {
        self.shift(order, -1.0);
    }

    fn shift(&mut self, order: usize, sign: f64) {
        match order {
            1 => self.shift_rows::<2>(sign),
            2 => self.shift_rows::<3>(sign),
            3 => self.shift_rows::<4>(sign),
            4 => self.shift_rows::<5>(sign),
            5 => self.shift_rows::<6>(sign),
            6 => self.shift_rows::<7>(sign),
            7 => self.shift_rows::<8>(sign),
            8 => self.shift_rows::<9>(sign),
            9 => self.shift_rows::<10>(sign),
            10 => self.shift_rows::<11>(sign),
            11 => self.shift_rows::<12>(sign),
            _ => self.shift_rows::<13>(sign),
        }
    }

    /// Pascal's triangle over all rows, some states at a time so that rows stay in registers.
    fn shift_rows<const ROWS: usize>(&mut self, sign: f64) {
        let whole = self.len - self.len % LANES;
        for at in (0..whole).step_by(LANES) {
            self.shift_states::<ROWS, LANES>(at, sign);
        }
        for at in whole..self.len {
            self.shift_states::<ROWS, 1>(at, sign);
        }
    }

    #[inline]
    fn shift_states<const ROWS: usize, const WIDTH: usize>(&mut self, at: usize, sign: f64) {
        let mut rows = [[0.0; WIDTH]; ROWS];
        for (j, row) in rows.iter_mut().enumerate() {
            row.copy_from_slice(&self.values[j * self.len + at..][..WIDTH]);
        }
        for k in 1..ROWS {
            for j in (k..ROWS).rev() {
                let above = rows[j];
                let lanes = rows[j - 1].iter_mut().zip(above);
                lanes.for_each(|(value, above)| *value += sign * above);
            }
        }
        for (j, row) in rows.iter().enumerate().take(ROWS - 1) {
            self.values[j * self.len + at..][..WIDTH].copy_from_slice(row);
        }
    }

    /// Makes it that of a step `ratio` times as long.
    pub(super) fn rescale(&mut self, order: usize, ratio: f64) {
        let mut factor = ratio;
        for j in 1..=order {
            self.row_mut(j).iter_mut().for_each(|value| *value *= factor);
            factor *= ratio;
        }
    }

    /// Adds the correction's part to each row.
    pub(super) fn correct(&mut self, order: usize, l: &[f64; ROWS_MAX], correction: &[f64]) {
        if self.len == 0 {
            return;
        }
        for (row, part) in self.values.chunks_exact_mut(self.len).zip(&l[..=order]) {
            row.iter_mut().zip(correction).for_each(|(value, c)| *value += part * c);
        }
    }

    /// Adds parts of row `from` to the rows `2..from`.
    pub(super) fn mix(&mut self, from: usize, parts: &[f64; ROWS_MAX], sign: f64) {
        let (rows, last) = self.values.split_at_mut(from * self.len);
        if self.len == 0 {
            return;
        }
        let rows = rows.chunks_exact_mut(self.len).zip(parts);
        for (row, part) in rows.skip(2) {
            let factor = sign * part;
            row.iter_mut().zip(last.iter()).for_each(|(value, last)| *value += factor * last);
        }
    }

    /// Row `to` becomes `factor` times row `from`.
    pub(super) fn set_row(&mut self, to: usize, factor: f64, from: usize) {
        for i in 0..self.len {
            self.values[to * self.len + i] = factor * self.values[from * self.len + i];
        }
    }

    /// The polynomial's value `at` steps from the origin.
    pub(super) fn interpolate(&self, order: usize, at: f64, x: &mut [f64]) {
        x.copy_from_slice(self.row(order));
        for j in (0..order).rev() {
            x.iter_mut().zip(self.row(j)).for_each(|(x, row)| *x = *x * at + row);
        }
    }
}
