//! The values of one instance: one entry per variable, then the hidden ones.

use consort_core::value::{ValueType, Values, ValuesMut, ValuesRef};
use consort_core::{Reference, for_each_value_type};
use consort_solve::FixedStep;

/// Where a variable of a block lives in its [`Store`]; also its [`Reference`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub(super) usize);

impl Slot {
    pub(super) fn reference(self) -> Reference {
        Reference(u32::try_from(self.0).expect("a block has few variables"))
    }
}

/// Every value of an instance. A block keeps nothing elsewhere, so that a copy of this is its
/// complete state.
#[derive(Clone, PartialEq, Debug)]
pub struct Store {
    pub(super) values: Vec<Values>,
    /// What a block's solver keeps from step to step.
    pub(super) solver: Option<FixedStep>,
}

impl Store {
    /// The elements of a `Float64` variable.
    #[inline]
    pub fn list(&self, slot: Slot) -> &[f64] {
        match &self.values[slot.0] {
            Values::Float64(list) => list,
            other => panic!("a block reads a {} as a number", other.value_type()),
        }
    }

    /// The elements of a `Float64` variable, to be changed.
    #[inline]
    pub fn list_mut(&mut self, slot: Slot) -> &mut [f64] {
        match &mut self.values[slot.0] {
            Values::Float64(list) => list,
            other => panic!("a block writes a {} as a number", other.value_type()),
        }
    }

    /// A scalar `Float64`.
    #[inline]
    pub fn scalar(&self, slot: Slot) -> f64 {
        self.list(slot)[0]
    }

    /// Gives a scalar `Float64` its value.
    #[inline]
    pub fn set_scalar(&mut self, slot: Slot, value: f64) {
        self.list_mut(slot)[0] = value;
    }

    /// Copies one variable to another of the same type and shape.
    pub fn copy(&mut self, from: Slot, to: Slot) {
        let [from, to] = disjoint(&mut self.values, [from, to]);
        let count = to.len();
        to.slice_mut(0, count).copy_from(from.view());
    }

    /// Takes over all values of a store of the same shape, without a new allocation.
    pub(super) fn copy_from(&mut self, other: &Store) {
        for (to, from) in self.values.iter_mut().zip(&other.values) {
            let count = to.len();
            to.slice_mut(0, count).copy_from(from.view());
        }
        if let (Some(to), Some(from)) = (&mut self.solver, &other.solver) {
            to.copy_from(from);
        }
    }

    /// `to[i] = f(from[i])` for two `Float64` variables of the same shape.
    pub fn map(&mut self, from: Slot, to: Slot, f: impl Fn(f64) -> f64) {
        let [from, to] = self.disjoint_lists([from, to]);
        for (to, from) in to.iter_mut().zip(from.iter()) {
            *to = f(*from);
        }
    }

    /// A `Float64` variable to be read, and one of any type to be changed.
    pub fn list_and_values(&mut self, from: Slot, to: Slot) -> (&[f64], &mut Values) {
        let [from, to] = disjoint(&mut self.values, [from, to]);
        (numbers(from), to)
    }

    /// Several `Float64` variables at once, to be read and changed together.
    pub fn disjoint_lists<const N: usize>(&mut self, slots: [Slot; N]) -> [&mut [f64]; N] {
        disjoint(&mut self.values, slots).map(numbers)
    }

    /// The solver of a block that was made with one, and several `Float64` variables.
    pub fn solver_and_lists<const N: usize>(
        &mut self,
        slots: [Slot; N],
    ) -> (&mut FixedStep, [&mut [f64]; N]) {
        let solver = self.solver.as_mut().expect("the block was made with a solver");
        (solver, disjoint(&mut self.values, slots).map(numbers))
    }
}

fn disjoint<const N: usize>(values: &mut [Values], slots: [Slot; N]) -> [&mut Values; N] {
    values.get_disjoint_mut(slots.map(|slot| slot.0)).expect("a block names each slot once")
}

fn numbers(values: &mut Values) -> &mut [f64] {
    match values {
        Values::Float64(list) => list,
        other => panic!("a block uses a {} as a number", other.value_type()),
    }
}

/// Why a batch and a variable do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misfit {
    Type(ValueType),
    Length,
}

macro_rules! define_exchange {
    ($(($variant:ident, $element:ty, $name:literal),)*) => {
        /// Copies a variable into a batch, from `at` on; returns where the next one goes.
        pub(crate) fn read(
            from: &Values,
            to: &mut ValuesMut<'_>,
            at: usize,
        ) -> Result<usize, Misfit> {
            match (from, to) {
                $((Values::$variant(from), ValuesMut::$variant(to)) => {
                    let place = to.get_mut(at..at + from.len()).ok_or(Misfit::Length)?;
                    place.clone_from_slice(from);
                    Ok(at + from.len())
                })*
                (from, _) => Err(Misfit::Type(from.value_type())),
            }
        }

        /// Copies a part of a batch, from `at` on, into a variable; returns where the next one starts.
        pub(crate) fn write(
            to: &mut Values,
            from: ValuesRef<'_>,
            at: usize,
        ) -> Result<usize, Misfit> {
            match (to, from) {
                $((Values::$variant(to), ValuesRef::$variant(from)) => {
                    let part = from.get(at..at + to.len()).ok_or(Misfit::Length)?;
                    to.clone_from_slice(part);
                    Ok(at + to.len())
                })*
                (to, _) => Err(Misfit::Type(to.value_type())),
            }
        }

        /// Whether the part of a batch from `at` on is what the variable already is.
        pub(crate) fn is_same(now: &Values, batch: ValuesRef<'_>, at: usize) -> bool {
            match (now, batch) {
                $((Values::$variant(now), ValuesRef::$variant(batch)) => {
                    batch.get(at..at + now.len()) == Some(now.as_slice())
                })*
                _ => false,
            }
        }
    };
}

for_each_value_type!(define_exchange);
