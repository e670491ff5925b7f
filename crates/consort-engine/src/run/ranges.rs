//! Values outside of the range that their model declares.
//!
//! Every input and output that has a least or a greatest value is looked at when its tag is published. Only the first time
//! counts, variable by variable; nothing of it is part of the trace.

use super::Run;
use super::divergence::elements;
use crate::error::{OutOfRange, RunError};
use crate::program::{Program, Source};
use crate::store::{Bank, Slot};
use consort_core::{Causality, Tag, Variable, VariableId};

/// What is outside by less than this part of the bound or of the nominal value is rounding, or the error of a solver.
const NEGLIGIBLE: f64 = 1e-6;
/// The most variables that are named.
const NAMED_MAX: usize = 6;

/// The variables of a run that have a range, and those that left it.
pub(crate) struct Ranges {
    /// By rate; those that have left are no longer there.
    ranged: Vec<Vec<Ranged>>,
    /// The first ones that have left, in that order.
    left: Vec<Left>,
    /// How many have.
    count: usize,
}

/// A variable that has a range.
#[derive(Clone, Copy)]
struct Ranged {
    slot: Slot,
    low: f64,
    high: f64,
    component: usize,
    variable: VariableId,
}

#[derive(Clone, Copy)]
struct Left {
    ranged: Ranged,
    element: usize,
    value: f64,
    tag: Tag,
}

impl Ranges {
    pub(crate) fn of(source: &Source<'_>, program: &Program) -> Self {
        let mut ranged = vec![Vec::new(); source.rates.list.len()];
        for &component in &program.own {
            let rate = source.rates.of_component[component];
            for &variable in program.inputs[component].iter().chain(&program.observed[component]) {
                let described = &source.models[component].variables[variable.index()];
                let Some((low, high)) = range(described) else { continue };
                let place = program.places[component][variable.index()];
                let slot = place.expect("what is set or read has a place").shared();
                ranged[rate].push(Ranged { slot, low, high, component, variable });
            }
        }
        Ranges { ranged, left: Vec::with_capacity(NAMED_MAX), count: 0 }
    }

    /// Notes what is outside for the first time.
    fn look(&mut self, rate: usize, tag: Tag, bank: &Bank) {
        let (left, count) = (&mut self.left, &mut self.count);
        self.ranged[rate].retain(|ranged| {
            let Some((element, value)) = ranged.outside(bank) else { return true };
            *count += 1;
            if left.len() < NAMED_MAX {
                left.push(Left { ranged: *ranged, element, value, tag });
            }
            false
        });
    }
}

impl Ranged {
    /// The first element that is outside, and its value.
    fn outside(&self, bank: &Bank) -> Option<(usize, f64)> {
        let is_outside = |value: f64| value < self.low || self.high < value;
        elements(bank, self.slot).enumerate().find(|(_, value)| is_outside(*value))
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

impl Run {
    /// Looks at the values of a tag: of what is due, or of all at a microstep.
    pub(crate) fn look_at_ranges(&mut self, tag: Tag, all: bool) {
        for rate in 0..self.due.len() {
            if self.due[rate] || all {
                self.ranges.look(rate, tag, &self.program.shared);
            }
        }
    }

    /// What left its range so far.
    pub(crate) fn out_of_range(&self) -> Option<RunError> {
        let (first, others) = self.ranges.left.split_first()?;
        let name = |left: &Left| {
            let Ranged { component, variable, slot, .. } = left.ranged;
            self.element_name((component, variable), slot, left.element)
        };
        let Ranged { component, variable, .. } = first.ranged;
        let described = &self.models[component].description().variables[variable.index()];
        let is_below = first.value < first.ranged.low;
        Some(RunError::OutOfRange(Box::new(OutOfRange {
            variable: name(first),
            tag: first.tag,
            value: first.value,
            bound: if is_below { described.min } else { described.max }.unwrap_or(f64::NAN),
            at_start: first.tag == Tag::at(self.system.experiment.start),
            others: others.iter().map(name).collect(),
            more: self.ranges.count - self.ranges.left.len(),
        })))
    }
}
