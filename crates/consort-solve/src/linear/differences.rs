//! Jacobians by differences of f, several columns at once where they share no row.

use crate::problem::{Problem, Structure};

/// The columns that one evaluation of f serves together, found once.
#[derive(Debug)]
pub(crate) struct Differences {
    /// Columns group by group, and where each group begins; one more at the end.
    columns: Vec<usize>,
    starts: Vec<usize>,
}

/// Where differences are taken, and how large they are to be.
pub(crate) struct Point<'a> {
    /// The time.
    pub(crate) t: f64,
    /// The states; moved and put back.
    pub(crate) x: &'a mut [f64],
    /// The derivatives at this point.
    pub(crate) dx: &'a [f64],
    /// What each state's tolerance is the reciprocal of.
    pub(crate) weights: &'a [f64],
    /// The least distance to move a state, times its weight.
    pub(crate) least: f64,
}

impl Differences {
    pub(crate) fn new(len: usize, structure: &Structure) -> Self {
        let groups = match structure {
            Structure::Dense => len,
            Structure::Banded { lower, upper } => (lower + upper + 1).min(len),
            Structure::Sparse(pattern) => return Self::of(pattern.groups()),
        };
        Self::of((0..groups).map(|group| (group..len).step_by(groups)))
    }

    fn of(groups: impl IntoIterator<Item = impl IntoIterator<Item = usize>>) -> Self {
        let mut differences = Differences { columns: Vec::new(), starts: vec![0] };
        for columns in groups {
            differences.columns.extend(columns);
            differences.starts.push(differences.columns.len());
        }
        differences
    }

    /// The number of evaluations it takes.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Fills a Jacobian in the layout of its structure, and returns how many evaluations that took. `work`
    /// has room for the states and for the derivatives.
    pub(crate) fn fill<P: Problem + ?Sized>(
        &self,
        problem: &mut P,
        point: &mut Point<'_>,
        structure: &Structure,
        work: &mut [f64],
        values: &mut [f64],
    ) -> Result<u64, P::Error> {
        let (before, moved) = work.split_at_mut(point.x.len());
        before.copy_from_slice(point.x);
        let mut evaluations = self.count() as u64;
        for range in self.starts.windows(2) {
            let group = &self.columns[range[0]..range[1]];
            for &column in group {
                point.x[column] += point.distance(column, before[column]);
            }
            problem.derivatives(point.t, point.x, moved)?;
            // Where f ends (a level below zero has no root), the other side may have a value.
            let is_known = moved.iter().all(|slope| slope.is_finite());
            let side = if is_known { 1.0 } else { -1.0 };
            if !is_known {
                for &column in group {
                    point.x[column] = before[column] - point.distance(column, before[column]);
                }
                problem.derivatives(point.t, point.x, moved)?;
                evaluations += 1;
            }
            for &column in group {
                point.x[column] = before[column];
                let inverse = side / point.distance(column, before[column]);
                let difference = |row: usize| (moved[row] - point.dx[row]) * inverse;
                put_column(
                    structure,
                    values,
                    &Column { index: column, len: before.len() },
                    difference,
                );
            }
        }
        Ok(evaluations)
    }
}

impl Point<'_> {
    /// How far a state is moved.
    fn distance(&self, column: usize, x: f64) -> f64 {
        let relative = f64::EPSILON.sqrt() * x.abs();
        relative.max(self.least / self.weights[column])
    }
}

/// A column of a matrix.
struct Column {
    index: usize,
    /// How many rows and columns the matrix has.
    len: usize,
}

/// Writes all entries of one column.
fn put_column(
    structure: &Structure,
    values: &mut [f64],
    column: &Column,
    difference: impl Fn(usize) -> f64,
) {
    structure.for_column(column.len, column.index, |row, place| values[place] = difference(row));
}
