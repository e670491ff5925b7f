//! An airplane in blocks: the parts of a flight simulation after Chaudron et al. (2016), section 5.3.
//!
//! Every block says for each output which inputs it follows at once. So position comes first, then
//! the atmosphere at that position, then what depends on the air: no block waits for itself.
//! Units are SI throughout, angles are in radians, the body axes point forward, right and down.

pub(super) mod actuator;
pub(super) mod atmosphere;
pub(super) mod controller;
pub(super) mod engine;
pub(super) mod flight_dynamics;
pub(super) mod geocentric;
pub(super) mod sensors;

mod equations;
mod rotation;

use super::draft::Draft;
use super::store::{Slot, Store};
use consort_core::DependencyKind;

/// Name, unit (none if empty) and text of a scalar.
type Row = (&'static str, &'static str, &'static str);

/// Name, unit and text of a scalar output, and the numbers of the inputs it follows at once.
type OutputRow<'a> = (&'static str, &'static str, &'static str, &'a [usize]);

/// Declares scalar inputs, in order.
fn declare_inputs<const N: usize>(draft: &mut Draft<'_>, rows: &[Row; N]) -> [Slot; N] {
    rows.map(|(name, unit, text)| {
        let entry = draft.input(name, &[], text);
        if unit.is_empty() { entry.slot() } else { entry.unit(unit).slot() }
    })
}

/// Declares scalar outputs with what they follow at once; every one follows `parameters` in
/// initialization.
fn declare_outputs<const N: usize>(
    draft: &mut Draft<'_>,
    rows: &[OutputRow<'_>; N],
    inputs: &[Slot],
    parameters: &[Slot],
) -> [Slot; N] {
    rows.map(|(name, unit, text, follows)| {
        let entry = draft.output(name, &[], text);
        let output = if unit.is_empty() { entry.slot() } else { entry.unit(unit).slot() };
        for &input in follows {
            draft.depends(output, inputs[input], DependencyKind::Dependent);
        }
        for &parameter in parameters {
            draft.depends(output, parameter, DependencyKind::Dependent);
        }
        output
    })
}

/// The values of several scalars.
fn scalars<const N: usize>(store: &Store, slots: &[Slot; N]) -> [f64; N] {
    slots.map(|slot| store.scalar(slot))
}

/// Gives several scalars their values.
fn set_scalars<const N: usize>(store: &mut Store, slots: &[Slot; N], values: [f64; N]) {
    for (slot, value) in slots.iter().zip(values) {
        store.set_scalar(*slot, value);
    }
}

/// The elements of a variable that has so many.
fn elements<const N: usize>(store: &Store, slot: Slot) -> [f64; N] {
    let list = store.list(slot);
    std::array::from_fn(|index| list[index])
}
