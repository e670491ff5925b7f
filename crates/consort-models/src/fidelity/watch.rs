//! The variables that are compared, bit for bit: all that depend on the state.

use consort_core::model::CallResult;
use consort_core::{
    CallStatus, Causality, Dimension, Instance, ModelDescription, Reference, ValueType, Values,
    ValuesRef, Variable,
};

/// Variables by which tools report how long they took: these differ between any two runs.
const OF_THE_CLOCK: [&str; 2] = ["CPUtime", "EventCounter"];

/// The variables that are compared, in batches of one type.
pub(super) struct Watch {
    batches: Vec<Batch>,
}

struct Batch {
    value_type: ValueType,
    references: Vec<Reference>,
    /// The name and the number of elements of each.
    names: Vec<(String, usize)>,
}

/// The values of all variables at one point.
#[derive(Clone, Debug)]
pub(super) struct Observed(Vec<Values>);

/// A variable that has another value than it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Difference {
    pub(super) variable: String,
    pub(super) expected: String,
    pub(super) found: String,
}

impl Watch {
    pub(super) fn new(model: &ModelDescription) -> Self {
        let is_watched = |variable: &&Variable| {
            variable.value_type != ValueType::Clock
                && variable.clocks.is_empty()
                && variable.causality != Causality::Independent
                && !OF_THE_CLOCK.iter().any(|name| variable.name.ends_with(name))
        };
        let watched = || model.variables.iter().filter(is_watched);
        let batch = |value_type: ValueType| {
            let of_type = watched().filter(|variable| variable.value_type == value_type);
            let counted = of_type.filter_map(|it| Some((it, element_count(model, it)?)));
            let (references, names) =
                counted.map(|(it, count)| (it.reference, (it.name.clone(), count))).unzip();
            Batch { value_type, references, names }
        };
        let batches = ValueType::ALL.into_iter().map(batch);
        Watch { batches: batches.filter(|batch| !batch.references.is_empty()).collect() }
    }

    /// The number of compared variables.
    pub(super) fn len(&self) -> usize {
        self.batches.iter().map(|batch| batch.references.len()).sum()
    }

    /// Reads the watched variables of an instance.
    pub(super) fn read(&self, instance: &mut dyn Instance) -> CallResult<Observed> {
        let mut all = Vec::with_capacity(self.batches.len());
        for batch in &self.batches {
            let count = batch.names.iter().map(|(_, count)| count).sum();
            let mut values = Values::zeros(batch.value_type, count);
            instance.get(&batch.references, values.slice_mut(0, count))?;
            all.push(values);
        }
        Ok(Observed(all))
    }

    /// The names of those that an instance refuses to read; it continues.
    pub(super) fn unreadable(&self, instance: &mut dyn Instance) -> Vec<String> {
        let mut names = Vec::new();
        for batch in &self.batches {
            for (reference, (name, count)) in batch.references.iter().zip(&batch.names) {
                let mut values = Values::zeros(batch.value_type, *count);
                let read = instance.read_back(&[*reference], values.slice_mut(0, *count));
                if read.is_err_and(|error| error.status != CallStatus::Unsupported) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// Stops watching these variables.
    pub(super) fn leave_out(&mut self, left_out: &[String]) {
        for batch in &mut self.batches {
            let all = batch.references.iter().zip(&batch.names);
            let kept = all.filter(|(_, (name, _))| !left_out.contains(name));
            (batch.references, batch.names) = kept.map(|(it, name)| (*it, name.clone())).unzip();
        }
        self.batches.retain(|batch| !batch.references.is_empty());
    }

    /// The first variable that differs in any bit.
    pub(super) fn difference(&self, expected: &Observed, found: &Observed) -> Option<Difference> {
        let pairs = expected.0.iter().zip(&found.0);
        self.batches.iter().zip(pairs).find_map(|(batch, (expected, found))| {
            let mut start = 0;
            for (name, count) in &batch.names {
                let (was, is) = (expected.slice(start, *count), found.slice(start, *count));
                if !is_equal(was, is) {
                    let (expected, found) = (was.to_string(), is.to_string());
                    return Some(Difference { variable: name.clone(), expected, found });
                }
                start += count;
            }
            None
        })
    }
}

/// Bit for bit: zeros of either sign differ, equal patterns of not-a-number do not.
fn is_equal(expected: ValuesRef<'_>, found: ValuesRef<'_>) -> bool {
    match (expected, found) {
        (ValuesRef::Float64(a), ValuesRef::Float64(b)) => {
            a.iter().map(|it| it.to_bits()).eq(b.iter().map(|it| it.to_bits()))
        }
        (ValuesRef::Float32(a), ValuesRef::Float32(b)) => {
            a.iter().map(|it| it.to_bits()).eq(b.iter().map(|it| it.to_bits()))
        }
        (expected, found) => expected == found,
    }
}

/// How many elements a variable has, with structural parameters as the model has them; `None` if it
/// does not say.
pub(super) fn element_count(model: &ModelDescription, variable: &Variable) -> Option<usize> {
    let extent = |dimension: &Dimension| match *dimension {
        Dimension::Fixed(extent) => usize::try_from(extent).ok(),
        Dimension::Structural(id) => {
            let start = model.variables.get(id.index())?.start.as_ref()?;
            let extent = start.view().as_f64(0)?;
            (0.0 <= extent).then_some(extent as usize)
        }
    };
    variable.dimensions.iter().map(extent).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_their_bits() {
        let check = |a: f64, b: f64, equal: bool| {
            let (a, b) = ([a], [b]);
            assert_eq!(is_equal(ValuesRef::Float64(&a), ValuesRef::Float64(&b)), equal);
        };
        check(1.0, 1.0, true);
        check(0.0, -0.0, false);
        check(f64::NAN, f64::NAN, true);
        check(1.0, 1.0 + f64::EPSILON, false);
    }
}
