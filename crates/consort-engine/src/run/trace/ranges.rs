//! Values outside of the range that their model declares.
//!
//! Every input and output that has a least or a greatest value is looked at when its tag is published. Only the first time
//! counts, variable by variable; nothing of it is part of the trace.

use super::elements;
use super::sightings::{Sighting, Sightings, WatchedVariable};
use crate::error::{OutOfRange, RunError};
use crate::executable::Executable;
use crate::program::{Program, Source};
use crate::store::Bank;
use consort_core::{Causality, Tag, Variable};

/// What is outside by less than this part of the bound or of the nominal value is rounding, or the error of a solver.
const NEGLIGIBLE: f64 = 1e-6;

/// The variables of a run that have a range, and those that left it.
pub(super) struct RangeWatch {
    /// By rate; those that have left are no longer there.
    ranged: Vec<Vec<RangedVariable>>,
    /// Those that have left.
    left: Sightings,
}

/// A variable that has a range.
#[derive(Clone, Copy)]
struct RangedVariable {
    place: WatchedVariable,
    low: f64,
    high: f64,
}

impl RangeWatch {
    pub(super) fn of(source: &Source<'_>, program: &Program) -> Self {
        let mut ranged = vec![Vec::new(); source.rates.list.len()];
        for &component in &program.own {
            let rate = source.rates.of_component[component];
            for &variable in program.inputs[component].iter().chain(&program.observed[component]) {
                let described = &source.models[component].variables[variable.index()];
                let Some((low, high)) = range(described) else { continue };
                let place = program.places[component][variable.index()];
                let slot = place.expect("what is set or read has a place").shared();
                let place = WatchedVariable { component, variable, slot };
                ranged[rate].push(RangedVariable { place, low, high });
            }
        }
        RangeWatch { ranged, left: Sightings::new() }
    }

    /// Notes what is outside for the first time.
    pub(super) fn look(&mut self, rate: usize, tag: Tag, bank: &Bank) {
        let left = &mut self.left;
        self.ranged[rate].retain(|ranged| {
            let Some((element, value)) = ranged.outside(bank) else { return true };
            left.note(Sighting { place: ranged.place, element, value, tag });
            false
        });
    }

    /// What left its range so far.
    pub(super) fn problem(&self, executable: &Executable) -> Option<RunError> {
        let (noticed, first) = self.left.noticed(executable)?;
        let is_below = range(first).is_some_and(|(low, _)| noticed.value < low);
        let bound = if is_below { first.min } else { first.max }.unwrap_or(f64::NAN);
        Some(RunError::OutOfRange(Box::new(OutOfRange { noticed, bound })))
    }
}

impl RangedVariable {
    /// The first element that is outside, and its value.
    fn outside(&self, bank: &Bank) -> Option<(usize, f64)> {
        let is_outside = |value: f64| value < self.low || self.high < value;
        elements(bank, self.place.slot).enumerate().find(|(_, value)| is_outside(*value))
    }
}

/// The values that a variable may have, a little more than it declares.
fn range(variable: &Variable) -> Option<(f64, f64)> {
    let is_number = variable.value_type.is_float() || variable.value_type.is_integer();
    let is_fixed = variable.causality == Causality::Parameter;
    if !is_number || is_fixed || (variable.min.is_none() && variable.max.is_none()) {
        return None;
    }
    let nominal = variable.nominal.map_or(1.0, f64::abs);
    let slack = |bound: f64| NEGLIGIBLE * bound.abs().max(nominal);
    let low = variable.min.map_or(f64::NEG_INFINITY, |min| min - slack(min));
    Some((low, variable.max.map_or(f64::INFINITY, |max| max + slack(max))))
}
