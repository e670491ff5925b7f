//! Where a model's Jacobian can be other than zero, and how few directional derivatives give all of it.

use consort_core::model::CallResult;
use consort_core::{ContinuousInstance, ContinuousModel, DependsOn, Reference, VariableId};
use consort_solve::{JacobianMut, SparsityPattern, Structure};

/// From how many states on a sparse matrix is worth its bookkeeping.
const SPARSE_MIN: usize = 16;

/// What the description of a model tells about its Jacobian.
pub(super) struct Pattern {
    /// Of each state.
    names: Vec<String>,
    states: Vec<Reference>,
    derivatives: Vec<Reference>,
    /// Where it may be other than zero.
    places: SparsityPattern,
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
            places: SparsityPattern::new(0, []),
            groups: Vec::new(),
            is_declared: false,
        };
        if !is_scalar {
            return pattern;
        }
        let unknowns = &description.structure.derivatives;
        pattern.is_declared = unknowns.iter().all(|it| it.on != DependsOn::All);
        let places = unknowns.iter().enumerate().flat_map(|(row, unknown)| {
            let columns = continuous.states.iter().enumerate();
            // The diagonal belongs to every matrix of a solver.
            let columns = columns.filter(move |(at, it)| row == *at || unknown.on.includes(**it));
            columns.map(move |(column, _)| (row, column))
        });
        pattern.places = SparsityPattern::new(count, places);
        if description.capabilities.directional_derivatives {
            pattern.groups = pattern.places.groups();
        }
        pattern
    }

    /// The name of a state, where each has one.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(String::as_str)
    }

    /// The structure a solver of so many states works with.
    pub(super) fn structure(&self, count: usize) -> Structure {
        if !self.is_declared || count < SPARSE_MIN || self.places.len() != count {
            return Structure::Dense;
        }
        Structure::Sparse(self.places.clone())
    }

    /// Fills the matrix at the time and the states set last; false if differences must do.
    pub(super) fn fill(
        &self,
        instance: &mut dyn ContinuousInstance,
        Columns { seed, found }: &mut Columns,
        matrix: &mut JacobianMut<'_>,
    ) -> CallResult<bool> {
        if self.groups.is_empty() || self.places.len() != matrix.len() {
            return Ok(false);
        }
        for group in &self.groups {
            seed.fill(0.0);
            group.iter().for_each(|column| seed[*column] = 1.0);
            instance.directional_derivative(&self.derivatives, &self.states, seed, found)?;
            for &column in group {
                let rows = self.places.rows(column).iter();
                rows.for_each(|&row| matrix.put(row, column, found[row]));
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
