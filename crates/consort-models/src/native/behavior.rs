//! What a block does; everything else about it is shared by all blocks.

use super::store::{Slot, Store};
use consort_core::{Prng, Resolution, Step, Time};

/// Where in a run a block is asked for its outputs.
pub struct BlockMoment<'a> {
    pub(super) time: Time,
    pub(super) resolution: Resolution,
    /// The component's own random numbers; only ever split, so that asking twice changes nothing.
    pub(super) prng: &'a Prng,
}

impl BlockMoment<'_> {
    /// The exact time, correctly rounded: sources compute from this and never accumulate.
    pub fn seconds(&self) -> f64 {
        self.resolution.to_f64(self.time)
    }

    /// A duration as ticks, to the nearest; `None` if that is none, or more than 64 bits.
    pub fn ticks(&self, seconds: f64) -> Option<i64> {
        let ticks = self.resolution.from_f64(seconds).ok()?.ticks();
        (0 < ticks).then_some(ticks)
    }
}

/// What a block does. It holds what its construction fixed (slots, matrices, a table) and is shared
/// by all its instances; what changes is in the [`Store`].
///
/// `outputs` is a function of the moment and the store's inputs, parameters and states alone: it is
/// asked again after every set, and after a restore.
pub trait BlockBehavior: Send + Sync {
    /// Refuses parameters that make no sense, at the end of initialization.
    fn check(&self, _now: &BlockMoment<'_>, _store: &Store) -> Result<(), String> {
        Ok(())
    }

    /// Gives states their initial values; repeated until initialization ends.
    fn begin(&self, _store: &mut Store) {}

    /// Computes the outputs.
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store);

    /// Moves the states over one step, with inputs held.
    fn advance(&self, _step: &Step, _store: &mut Store) -> Result<(), String> {
        Ok(())
    }

    /// Adds to `sensitivity` how the output `of` changes if the input `by` changes in the direction
    /// `seed`; false if the block does not know. One that knows says so by
    /// [`BlockDraft::provides_derivatives`](super::draft::BlockDraft::provides_derivatives).
    fn derivative(&self, _of: Slot, _by: Slot, _seed: &[f64], _sensitivity: &mut [f64]) -> bool {
        false
    }
}

/// `value` between `min` and `max`; not-a-number stays what it is, so that it is seen downstream.
pub fn limit(value: f64, min: f64, max: f64) -> f64 {
    if value < min {
        min
    } else if max < value {
        max
    } else {
        value
    }
}

/// Refuses limits of which the lower is above the upper.
pub fn check_limits(min: f64, max: f64) -> Result<(), String> {
    if max < min || min.is_nan() || max.is_nan() {
        return Err(format!("`min` = {min:?} is not below `max` = {max:?}"));
    }
    Ok(())
}
