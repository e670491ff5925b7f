//! Where a model's Jacobian can be other than zero, and how few directional derivatives give all of it.

use consort_core::model::CallResult;
use consort_core::{ContinuousInstance, ContinuousModel, DependsOn, Reference, VariableId};
use consort_solve::{JacobianMut, SparsityPattern, Structure};
use std::collections::BTreeSet;

/// From how many states on a sparse matrix is worth its bookkeeping.
const SPARSE_MIN: usize = 16;

/// What the description of a model tells about its Jacobian.
pub(super) struct Pattern {
    /// Of each state.
    names: Vec<String>,
    states: Vec<Reference>,
    derivatives: Vec<Reference>,
    /// The rows of each column that may be other than zero.
    rows: Vec<Vec<usize>>,
    /// Columns that touch no row together: one call gives all of a group. Empty if the model has no
    /// directional derivatives.
    groups: Vec<Vec<usize>>,
    /// Whether anything is said about what depends on what.
    is_declared: bool,
}

impl Pattern {
    /// Of a model whose states are all scalars; nothing is known of others.
    pub(super) fn of(model: &dyn ContinuousModel) -> Self {
        let (description, continuous) = (model.description(), model.continuous());
        let variables = &description.variables;
        let count = continuous.states.len();
        let is_scalar = continuous.sizes.is_some_and(|sizes| sizes.states == count);
        let reference = |id: &VariableId| variables[id.index()].reference;
        let name = |id: &VariableId| variables[id.index()].name.clone();
        let mut pattern = Pattern {
            names: continuous.states.iter().filter(|_| is_scalar).map(name).collect(),
            states: continuous.states.iter().map(reference).collect(),
            derivatives: continuous.derivatives.iter().map(reference).collect(),
            rows: vec![Vec::new(); if is_scalar { count } else { 0 }],
            groups: Vec::new(),
            is_declared: false,
        };
        if !is_scalar {
            return pattern;
        }
        let unknowns = &description.structure.derivatives;
        pattern.is_declared = unknowns.iter().all(|it| it.on != DependsOn::All);
        for (row, unknown) in unknowns.iter().enumerate() {
            for (column, state) in continuous.states.iter().enumerate() {
                // The diagonal belongs to every matrix of a solver.
                if row == column || unknown.on.includes(*state) {
                    pattern.rows[column].push(row);
                }
            }
        }
        if description.capabilities.directional_derivatives {
            pattern.groups = color(&pattern.rows);
        }
        pattern
    }

    /// The name of a state, where each has one.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(String::as_str)
    }

    /// The structure a solver of so many states works with.
    pub(super) fn structure(&self, count: usize) -> Structure {
        if !self.is_declared || count < SPARSE_MIN || self.rows.len() != count {
            return Structure::Dense;
        }
        let places = self.rows.iter().enumerate();
        let places = places.flat_map(|(column, rows)| rows.iter().map(move |row| (*row, column)));
        Structure::Sparse(SparsityPattern::new(count, places))
    }

    /// Fills the matrix at the time and the states set last; false if differences must do.
    pub(super) fn fill(
        &self,
        instance: &mut dyn ContinuousInstance,
        Columns { seed, found }: &mut Columns,
        matrix: &mut JacobianMut<'_>,
    ) -> CallResult<bool> {
        if self.groups.is_empty() || self.rows.len() != matrix.len() {
            return Ok(false);
        }
        for group in &self.groups {
            seed.fill(0.0);
            group.iter().for_each(|column| seed[*column] = 1.0);
            instance.directional_derivative(&self.derivatives, &self.states, seed, found)?;
            for &column in group {
                self.rows[column].iter().for_each(|&row| matrix.put(row, column, found[row]));
            }
        }
        Ok(true)
    }
}

/// Room for the columns of one call.
#[derive(Default)]
pub(super) struct Columns {
    seed: Vec<f64>,
    found: Vec<f64>,
}

impl Columns {
    /// Makes it fit so many states.
    pub(super) fn fit(&mut self, count: usize) {
        self.seed.resize(count, 0.0);
        self.found.resize(count, 0.0);
    }
}

/// Groups of columns no two of which have a row in common; each column in the first group it fits.
fn color(rows: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, BTreeSet<usize>)> = Vec::new();
    for (column, rows) in rows.iter().enumerate() {
        let fits = |taken: &BTreeSet<usize>| rows.iter().all(|row| !taken.contains(row));
        let group = match groups.iter().position(|(_, taken)| fits(taken)) {
            Some(index) => &mut groups[index],
            None => {
                groups.push(Default::default());
                groups.last_mut().expect("one was pushed just now")
            }
        };
        group.0.push(column);
        group.1.extend(rows);
    }
    groups.into_iter().map(|(columns, _)| columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tridiagonal_matrix_takes_three_groups_however_long() {
        let rows = |i: usize| (i.saturating_sub(1)..(i + 2).min(9)).collect();
        let groups = color(&(0..9).map(rows).collect::<Vec<_>>());
        assert_eq!(groups, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
    }

    #[test]
    fn columns_that_touch_every_row_are_alone() {
        assert_eq!(color(&[vec![0, 1], vec![0, 1]]), [[0], [1]]);
        assert_eq!(color(&[]), Vec::<Vec<usize>>::new());
    }
}
