//! Passing values to the observer of a run.

use crate::error::RunError;
use crate::run::Run;
use crate::store::{Bank, Slot};
use consort_core::{Observer, ObserverDecision, Tag, ValueType};

/// The observer of a run, and the variables it observes.
pub struct Observation {
    /// What is shown, in this order: numbers and Booleans that the run looks at (recorded, connected or
    /// fed), `component.variable`.
    pub paths: Vec<String>,
    /// Receives them at every tag that is recorded, the first and every microstep included.
    pub observer: Box<dyn Observer>,
}

/// An observation, compiled.
pub(super) struct ActiveObservation {
    pub(super) observer: Box<dyn Observer>,
    slots: Vec<Slot>,
    /// Room for the values.
    values: Vec<f64>,
}

impl ActiveObservation {
    /// Shows the values of a tag or microstep.
    pub(super) fn show(&mut self, tag: Tag, bank: &Bank) -> ObserverDecision {
        for (value, slot) in self.values.iter_mut().zip(&self.slots) {
            *value = bank.get(*slot).as_f64(0).expect("text is not observed");
        }
        self.observer.see(tag, &self.values)
    }
}

impl Run {
    /// Shows values to an observer from the next tag on, in place of the one before.
    ///
    /// # Errors
    /// If a variable is not in the system, or the run does not look at it.
    pub fn watch(&mut self, observation: Observation) -> Result<(), RunError> {
        let slots = observation.paths.iter().map(|path| self.observed_slot(path));
        let slots = slots.collect::<Result<Vec<Slot>, RunError>>()?;
        let values = vec![0.0; slots.len()];
        let observer = observation.observer;
        self.trace.observation = Some(ActiveObservation { observer, slots, values });
        Ok(())
    }

    fn observed_slot(&self, path: &str) -> Result<Slot, RunError> {
        let no = |reason| RunError::NoSuchVariable { path: path.to_owned(), reason };
        let slot = self.slot(self.handle(path)?);
        let slot =
            slot.ok_or_else(|| no("is neither connected, fed, recorded nor intervened on"))?;
        match slot.value_type {
            ValueType::String | ValueType::Binary => Err(no("is no number")),
            _ if slot.count() != 1 => Err(no("is an array")),
            _ => Ok(slot),
        }
    }
}
