//! Where a model's Jacobian can be other than zero, and how few directional derivatives give all of it.

mod layout;

use crate::problem::{JacobianMut, Structure};
use consort_core::model::CallResult;
use consort_core::{
    ContinuousInstance, ContinuousModel, DependsOn, Dimension, Direction, Reference, ValuesMut,
    Variable, VariableId,
};
use layout::JacobianLayout;
use std::collections::BTreeSet;

/// From how many states on a sparse matrix is worth its bookkeeping.
const SPARSE_MIN: usize = 16;

/// What the description of a model says about its Jacobian. A state that is an array has a row and a
/// column for each element; what is said about the array holds for all of them.
#[derive(Clone, Debug)]
pub struct JacobianPattern {
    /// The names of the states.
    names: Vec<String>,
    states: Vec<Reference>,
    derivatives: Vec<Reference>,
    /// The extents of each state, outermost first; none of a scalar.
    extents: Vec<Vec<Extent>>,
    /// On which states the derivative of each may depend.
    on: Vec<Vec<usize>>,
    /// Whether anything is said about what depends on what.
    is_declared: bool,
    has_directions: bool,
    /// How the elements lie, if no structural parameter decides it.
    fixed: Option<JacobianLayout>,
}

/// One extent of an array.
#[derive(Clone, Copy, Debug)]
enum Extent {
    Fixed(usize),
    /// The value of a structural parameter.
    Structural(Reference),
}

impl JacobianPattern {
    /// The pattern of a model.
    pub fn of(model: &dyn ContinuousModel) -> Self {
        let (description, continuous) = (model.description(), model.continuous());
        let variable = |id: &VariableId| &description.variables[id.index()];
        let extents = |id: &VariableId| extents(variable(id), &description.variables);
        let unknowns = &description.structure.derivatives;
        let mut number_of = vec![None; description.variables.len()];
        for (number, id) in continuous.states.iter().enumerate() {
            number_of[id.index()] = Some(number);
        }
        let on = |(row, _): (usize, _)| match unknowns.get(row).map(|unknown| &unknown.on) {
            Some(DependsOn::These(list)) => {
                let states = list.iter().filter_map(|(id, _)| number_of[id.index()]);
                let on: BTreeSet<usize> = states.chain([row]).collect();
                on.into_iter().collect()
            }
            None | Some(DependsOn::All) => (0..continuous.states.len()).collect(),
        };
        let mut pattern = JacobianPattern {
            names: continuous.states.iter().map(|id| variable(id).name.clone()).collect(),
            states: continuous.states.iter().map(|id| variable(id).reference).collect(),
            derivatives: continuous.derivatives.iter().map(|id| variable(id).reference).collect(),
            extents: continuous.states.iter().map(extents).collect(),
            on: continuous.states.iter().enumerate().map(on).collect(),
            is_declared: unknowns.iter().all(|it| it.on != DependsOn::All),
            has_directions: description.capabilities.directional_derivatives,
            fixed: None,
        };
        let sizes: Option<Vec<usize>> =
            pattern.extents.iter().map(|extents| fixed_size(extents)).collect();
        pattern.fixed = sizes.map(|sizes| JacobianLayout::new(&pattern, &sizes));
        pattern
    }

    /// Of equations of which nothing is known but the names of their states, if they have any.
    pub fn unknown(names: Vec<String>) -> Self {
        JacobianPattern {
            names,
            states: Vec::new(),
            derivatives: Vec::new(),
            extents: Vec::new(),
            on: Vec::new(),
            is_declared: false,
            has_directions: false,
            fixed: Some(JacobianLayout::default()),
        }
    }

    /// Of equations whose states are scalars: `on` says for each derivative which states it may depend on.
    /// There are no directional derivatives of them.
    ///
    /// # Panics
    /// If there are not as many names as derivatives.
    pub fn declared(names: Vec<String>, mut on: Vec<Vec<usize>>) -> Self {
        assert_eq!(names.len(), on.len(), "a name for each state");
        for (row, columns) in on.iter_mut().enumerate() {
            // The diagonal belongs to every matrix of a solver.
            columns.push(row);
            columns.sort_unstable();
            columns.dedup();
        }
        let extents = vec![Vec::new(); on.len()];
        let sizes = vec![1; on.len()];
        let mut pattern =
            JacobianPattern { on, extents, is_declared: true, ..JacobianPattern::unknown(names) };
        pattern.fixed = Some(JacobianLayout::new(&pattern, &sizes));
        pattern
    }

    /// The name of a state, where each has one; with the element, if it is a list.
    pub(super) fn name(&self, columns: &JacobianColumns, index: usize) -> Option<String> {
        match self.fixed.as_ref().or(columns.layout.as_ref()) {
            Some(layout) if !layout.is_empty() => {
                let (state, element) = layout.find(index)?;
                let name = self.names.get(state)?;
                let is_list = self.extents.get(state).is_some_and(|extents| extents.len() == 1);
                Some(if is_list { format!("{name}[{}]", element + 1) } else { name.clone() })
            }
            _ => self.names.get(index).cloned(),
        }
    }

    /// The structure a solver of so many states works with, as the instance has them now.
    pub(super) fn structure(
        &self,
        instance: &mut dyn ContinuousInstance,
        columns: &mut JacobianColumns,
        count: usize,
    ) -> CallResult<Structure> {
        let places = &self.layout(instance, columns)?.places;
        let is_sparse = places.len() == count && places.places() < count * count;
        if !self.is_declared || count < SPARSE_MIN || !is_sparse {
            return Ok(Structure::Dense);
        }
        Ok(Structure::Sparse(places.clone()))
    }

    /// Fills the matrix at the time and the states set last; false if differences must do.
    pub(super) fn fill(
        &self,
        instance: &mut dyn ContinuousInstance,
        columns: &mut JacobianColumns,
        matrix: &mut JacobianMut<'_>,
    ) -> CallResult<bool> {
        if !self.has_directions {
            return Ok(false);
        }
        let layout = self.layout(instance, columns)?;
        if layout.groups.is_empty() || layout.places.len() != matrix.len() {
            return Ok(false);
        }
        // Taken out while the rest of the room is used.
        let taken = columns.layout.take();
        let layout = self.fixed.as_ref().or(taken.as_ref()).expect("it was found just now");
        let filled = self.fill_columns(instance, layout, columns, matrix);
        columns.layout = taken;
        filled.map(|()| true)
    }

    fn fill_columns(
        &self,
        instance: &mut dyn ContinuousInstance,
        layout: &JacobianLayout,
        JacobianColumns { seed, found, .. }: &mut JacobianColumns,
        matrix: &mut JacobianMut<'_>,
    ) -> CallResult<()> {
        for group in &layout.groups {
            seed.fill(0.0);
            group.iter().for_each(|column| seed[*column] = 1.0);
            instance.directional_derivative(
                Direction { unknowns: &self.derivatives, knowns: &self.states, seed },
                found,
            )?;
            for &column in group {
                let rows = layout.places.rows(column).iter();
                rows.for_each(|&row| matrix.put(row, column, found[row]));
            }
        }
        Ok(())
    }

    /// How the elements lie now. Where structural parameters decide it they are asked each time: a
    /// state that was restored may have others than the one before.
    fn layout<'l>(
        &'l self,
        instance: &mut dyn ContinuousInstance,
        columns: &'l mut JacobianColumns,
    ) -> CallResult<&'l JacobianLayout> {
        if let Some(fixed) = &self.fixed {
            return Ok(fixed);
        }
        columns.sizes.clear();
        for extents in &self.extents {
            let mut size = 1_usize;
            for extent in extents {
                size = size.saturating_mul(value(extent, instance)?);
            }
            columns.sizes.push(size);
        }
        let known = columns.layout.take().filter(|known| known.has_sizes(&columns.sizes));
        let layout = known.unwrap_or_else(|| JacobianLayout::new(self, &columns.sizes));
        Ok(columns.layout.insert(layout))
    }
}

fn extents(variable: &Variable, all: &[Variable]) -> Vec<Extent> {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(size) => Extent::Fixed(usize::try_from(*size).unwrap_or(usize::MAX)),
        Dimension::Structural(id) => Extent::Structural(all[id.index()].reference),
    };
    variable.dimensions.iter().map(extent).collect()
}

/// How many elements there are, if no structural parameter decides it.
fn fixed_size(extents: &[Extent]) -> Option<usize> {
    extents.iter().try_fold(1_usize, |size, extent| match extent {
        Extent::Fixed(extent) => Some(size.saturating_mul(*extent)),
        Extent::Structural(_) => None,
    })
}

fn value(extent: &Extent, instance: &mut dyn ContinuousInstance) -> CallResult<usize> {
    match extent {
        Extent::Fixed(extent) => Ok(*extent),
        Extent::Structural(reference) => {
            let mut value = [0];
            instance.get(&[*reference], ValuesMut::UInt64(&mut value))?;
            Ok(usize::try_from(value[0]).unwrap_or(usize::MAX))
        }
    }
}

/// Room for the columns of one call.
#[derive(Debug, Default)]
pub(super) struct JacobianColumns {
    seed: Vec<f64>,
    found: Vec<f64>,
    /// How elements lay when that was asked last, where structural parameters decide it.
    layout: Option<JacobianLayout>,
    sizes: Vec<usize>,
}

impl JacobianColumns {
    /// Makes it fit so many states.
    pub(super) fn fit(&mut self, count: usize) {
        self.seed.resize(count, 0.0);
        self.found.resize(count, 0.0);
    }
}
