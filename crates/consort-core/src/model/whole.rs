//! A whole communication step in one call: what is set before it, and what is read after it.

use super::Step;
use crate::id::Reference;
use crate::value::{ValueType, Values, ValuesMut, ValuesRef};
use std::ops::Range;

/// Values of many variables: one column per type, in the order of [`ValueType::ALL`].
pub type Columns = [Values; ValueType::ALL.len()];

/// Variables of one type of one instance whose values lie side by side in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The type of all of them.
    pub value_type: ValueType,
    /// Where the first value is in its column.
    pub at: u32,
    /// How many values there are.
    pub count: u32,
    /// Where the first reference is in [`WholeStep::references`].
    pub references_at: u32,
    /// How many references there are: of arrays each stands for several values.
    pub references: u32,
}

impl Batch {
    /// The places of its values in their column.
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.at as usize..self.at as usize + self.count as usize
    }

    /// Its share of a list of references.
    #[inline]
    pub fn of<'a>(&self, references: &'a [Reference]) -> &'a [Reference] {
        let start = self.references_at as usize;
        &references[start..start + self.references as usize]
    }

    /// Its values, to be set.
    #[inline]
    pub fn values<'a>(&self, columns: &'a Columns) -> ValuesRef<'a> {
        columns[self.value_type as usize].slice(self.at as usize, self.count as usize)
    }

    /// The place of its values, to be read into.
    #[inline]
    pub fn values_mut<'a>(&self, columns: &'a mut Columns) -> ValuesMut<'a> {
        columns[self.value_type as usize].slice_mut(self.at as usize, self.count as usize)
    }
}

/// What is done in one call: values are set, a step is taken, values are read.
#[derive(Clone, Copy, Debug)]
pub struct WholeStep<'a> {
    /// What is set before the step.
    pub sets: &'a [Batch],
    /// The step.
    pub step: &'a Step,
    /// What is read after it, at other places than those of `sets`.
    pub gets: &'a [Batch],
    /// The references that batches have shares of.
    pub references: &'a [Reference],
}
