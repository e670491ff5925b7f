//! Looking into a run and interfering with it, between tags.

use super::{PendingDiscreteInput, Run};
use crate::error::RunError;
use crate::store::Slot;
use consort_core::{Causality, ComponentId, ValueType, Values, ValuesRef, Variability, VariableId};

/// A variable of a component that was looked up once; it is valid for every run of the same executable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableHandle {
    component: ComponentId,
    variable: VariableId,
    value_type: ValueType,
    count: usize,
}

impl VariableHandle {
    /// The type of its elements.
    pub fn value_type(self) -> ValueType {
        self.value_type
    }

    /// How many elements it has; 1 for a scalar.
    pub fn count(self) -> usize {
        self.count
    }
}

impl Run {
    /// Looks `component.variable` up.
    ///
    /// # Errors
    /// If there is no such variable here.
    pub fn handle(&self, path: &str) -> Result<VariableHandle, RunError> {
        let no = |reason| RunError::NoSuchVariable { path: path.to_owned(), reason };
        let executable = &self.interpreter.executable;
        let found = executable.find(path).ok_or_else(|| no("is not in this system"))?;
        let (component, variable) = found;
        if !self.interpreter.is_own(component) {
            return Err(no("is on another node"));
        }
        let counts = &executable.system.components[component].counts;
        Ok(VariableHandle {
            component: ComponentId::from_index(component),
            variable,
            value_type: executable.variable(component, variable).value_type,
            count: counts[variable.index()] as usize,
        })
    }

    /// The value of a variable as of the present tag. One that is neither connected nor recorded is read from
    /// its instance.
    ///
    /// # Errors
    /// If the instance cannot be read.
    pub fn value(&self, handle: VariableHandle) -> Result<Values, RunError> {
        match self.slot(handle) {
            Some(slot) => Ok(self.interpreter.program.shared.get(slot).to_values()),
            None => self.read_instance(handle),
        }
    }

    /// Reads numbers and Booleans (as 0 and 1), all elements of one variable after the other.
    ///
    /// # Errors
    /// If one is text, or its instance cannot be read.
    ///
    /// # Panics
    /// If there is not one place for each element.
    pub fn read(&self, handles: &[VariableHandle], into: &mut [f64]) -> Result<(), RunError> {
        let count: usize = handles.iter().map(|handle| handle.count).sum();
        assert_eq!(count, into.len(), "one place for each element");
        let mut places = into.iter_mut();
        for handle in handles {
            let places = places.by_ref().take(handle.count).enumerate();
            match self.slot(*handle) {
                Some(slot) => self.fill(*handle, self.interpreter.program.shared.get(slot), places),
                None => self.fill(*handle, self.read_instance(*handle)?.view(), places),
            }?;
        }
        Ok(())
    }

    fn fill<'a>(
        &self,
        handle: VariableHandle,
        values: ValuesRef<'_>,
        places: impl Iterator<Item = (usize, &'a mut f64)>,
    ) -> Result<(), RunError> {
        for (index, place) in places {
            *place = values.as_f64(index).ok_or_else(|| self.refused(handle, "is no number"))?;
        }
        Ok(())
    }

    /// Gives inputs and tunable parameters numbers or Booleans (0 and 1), from the next step on: all elements of
    /// one variable after the other.
    ///
    /// # Errors
    /// As [`Run::set_value`], and if a number does not fit the type. What comes before it is set.
    ///
    /// # Panics
    /// If there is not one number for each element.
    pub fn write(&mut self, handles: &[VariableHandle], from: &[f64]) -> Result<(), RunError> {
        let count: usize = handles.iter().map(|handle| handle.count).sum();
        assert_eq!(count, from.len(), "one number for each element");
        let mut rest = from;
        for handle in handles {
            let (numbers, others) = rest.split_at(handle.count);
            rest = others;
            let values = Values::from_numbers(handle.value_type, numbers)
                .ok_or_else(|| self.refused(*handle, "cannot have such a number"))?;
            self.set_value(*handle, &values)?;
        }
        Ok(())
    }

    /// Gives an input or tunable parameter a value, from the next step on. What feeds an input goes
    /// on feeding it.
    ///
    /// # Errors
    /// If it cannot be set now, or the instance refuses.
    pub fn set_value(&mut self, handle: VariableHandle, values: &Values) -> Result<(), RunError> {
        let (component, id) = (handle.component.index(), handle.variable);
        let variable = self.interpreter.executable.variable(component, id);
        let is_tunable = variable.causality == Causality::Parameter
            && variable.variability == Variability::Tunable;
        if variable.causality != Causality::Input && !is_tunable {
            return Err(self.refused(handle, "is neither an input nor a tunable parameter"));
        }
        if handle.value_type != values.value_type() || handle.count != values.len() {
            return Err(self.refused(handle, "has another type or number of elements"));
        }
        let in_event_mode = self.system().components[component].event_mode
            && variable.variability != Variability::Continuous;
        let slot = self.slot(handle);
        if let Some(slot) = slot {
            self.interpreter.program.shared.put(slot, values.view());
        }
        match (in_event_mode, slot) {
            (false, Some(_)) => self.interpreter.hand_over(component, &[id]),
            (false, None) => self.interpreter.hand_over_value(component, id, values),
            // Found changed, and handed over, at the next tag.
            (true, Some(_)) if !is_tunable => Ok(()),
            (true, _) => {
                let values = slot.is_none().then(|| values.clone());
                self.events.add_input(PendingDiscreteInput { component, variable: id, values });
                Ok(())
            }
        }
    }

    /// The value of `component.variable` as of the present tag; `None` if it is neither connected nor recorded,
    /// or on another node.
    pub fn get(&self, path: &str) -> Option<Values> {
        let slot = self.slot(self.handle(path).ok()?)?;
        Some(self.interpreter.program.shared.get(slot).to_values())
    }

    /// Gives `component.variable` a value, as [`Run::set_value`] does.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or the instance refuses.
    pub fn set(&mut self, path: &str, values: &Values) -> Result<(), RunError> {
        self.set_value(self.handle(path)?, values)
    }

    /// Where the shared bank has a variable.
    pub(super) fn slot(&self, handle: VariableHandle) -> Option<Slot> {
        self.interpreter.slot(handle.component.index(), handle.variable)
    }

    fn read_instance(&self, handle: VariableHandle) -> Result<Values, RunError> {
        let room = Values::zeros(handle.value_type, handle.count);
        self.interpreter.read(handle.component.index(), handle.variable, room)
    }

    #[cold]
    fn refused(&self, handle: VariableHandle, reason: &'static str) -> RunError {
        let path = self.interpreter.executable.path(handle.component.index(), handle.variable);
        RunError::NoSuchVariable { path, reason }
    }
}
