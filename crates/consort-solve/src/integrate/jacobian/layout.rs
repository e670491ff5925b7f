//! How the elements of all states lie in a row.

use super::JacobianPattern;
use crate::problem::SparsityPattern;
use std::ops::Range;

/// A matrix with more places is not worth its bookkeeping: nothing is said about it.
const PLACES_MAX: usize = 1 << 22;

/// Where each state begins, and what that means for the Jacobian.
#[derive(Clone, Debug)]
pub(super) struct JacobianLayout {
    /// Where the elements of each state begin; one more at the end.
    starts: Vec<usize>,
    /// Where the Jacobian may be other than zero.
    pub(super) places: SparsityPattern,
    /// Columns that touch no row together: one call gives all of a group. Empty if the model has no
    /// directional derivatives.
    pub(super) groups: Vec<Vec<usize>>,
}

impl Default for JacobianLayout {
    fn default() -> Self {
        JacobianLayout { starts: vec![0], places: SparsityPattern::new(0, []), groups: Vec::new() }
    }
}

impl JacobianLayout {
    /// Of states with so many elements.
    pub(super) fn new(pattern: &JacobianPattern, sizes: &[usize]) -> Self {
        let mut layout = JacobianLayout::default();
        for size in sizes {
            let end = layout.starts[layout.starts.len() - 1].saturating_add(*size);
            layout.starts.push(end);
        }
        if layout.count(pattern) <= PLACES_MAX {
            layout.places = layout.places(pattern);
            if pattern.has_directions {
                layout.groups = layout.places.groups();
            }
        }
        layout
    }

    fn range(&self, state: usize) -> Range<usize> {
        self.starts[state]..self.starts[state + 1]
    }

    /// The number of places.
    fn count(&self, pattern: &JacobianPattern) -> usize {
        let block = |row: usize, column: usize| {
            self.range(row).len().saturating_mul(self.range(column).len())
        };
        let rows = pattern.on.iter().enumerate();
        let blocks = rows.flat_map(|(row, on)| on.iter().map(move |&column| block(row, column)));
        blocks.fold(0, usize::saturating_add)
    }

    /// The diagonal belongs to every matrix of a solver, and to every row of the pattern.
    fn places(&self, pattern: &JacobianPattern) -> SparsityPattern {
        let blocks = pattern.on.iter().enumerate();
        let blocks = blocks.flat_map(|(row, on)| on.iter().map(move |&column| (row, column)));
        let places = blocks.flat_map(|(row, column)| {
            self.range(row).flat_map(move |row| self.range(column).map(move |column| (row, column)))
        });
        SparsityPattern::new(self.starts[self.starts.len() - 1], places)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.len() == 1
    }

    /// Which state an element belongs to, and which of its elements it is.
    pub(super) fn find(&self, index: usize) -> Option<(usize, usize)> {
        let state = self.starts.partition_point(|start| *start <= index).checked_sub(1)?;
        let is_there = state + 1 < self.starts.len();
        is_there.then(|| (state, index - self.starts[state]))
    }

    /// Whether the states have so many elements.
    pub(super) fn has_sizes(&self, sizes: &[usize]) -> bool {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).eq(sizes.iter().copied())
    }
}
