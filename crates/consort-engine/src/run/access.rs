//! Looking into a run and interfering with it, between tags.

use super::Run;
use crate::error::RunError;
use crate::store::{Segment, Slot};
use crate::transfer;
use consort_core::{
    CallError, Causality, ComponentId, ValueType, Values, ValuesRef, Variability, VariableId,
};

/// Something new for a component that uses event mode: it takes that at its next event, which this
/// brings about.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Retuned {
    pub(crate) component: usize,
    pub(crate) variable: VariableId,
    /// The value, if it has no place in the shared bank.
    pub(crate) values: Option<Values>,
}

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
        let (component, variable) = self.find(path).ok_or_else(|| no("is not in this system"))?;
        if !self.is_own(component) {
            return Err(no("is on another node"));
        }
        let counts = &self.system.components[component].counts;
        Ok(VariableHandle {
            component: ComponentId::from_index(component),
            variable,
            value_type: self.models[component].description().variables[variable.index()].value_type,
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
            Some(slot) => Ok(self.program.shared.get(slot).to_values()),
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
                Some(slot) => self.fill(*handle, self.program.shared.get(slot), places),
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
        let variable = &self.models[component].description().variables[id.index()];
        let is_tunable = variable.causality == Causality::Parameter
            && variable.variability == Variability::Tunable;
        if variable.causality != Causality::Input && !is_tunable {
            return Err(self.refused(handle, "is neither an input nor a tunable parameter"));
        }
        if handle.value_type != values.value_type() || handle.count != values.len() {
            return Err(self.refused(handle, "has another type or number of elements"));
        }
        let in_event_mode = self.system.components[component].event_mode
            && variable.variability != Variability::Continuous;
        let place = self.program.places[component][id.index()];
        if let Some(place) = place {
            self.program.shared.put(place.shared(), values.view());
        }
        match (in_event_mode, place) {
            (false, Some(_)) => self.hand_over(component, &[id]),
            (false, None) => self.hand_over_value(component, id, values),
            // Found changed, and handed over, at the next tag.
            (true, Some(_)) if !is_tunable => Ok(()),
            (true, _) => {
                let values = place.is_none().then(|| values.clone());
                self.retuned.push(Retuned { component, variable: id, values });
                Ok(())
            }
        }
    }

    /// The value of `component.variable` as of the present tag; `None` if it is neither connected nor recorded,
    /// or on another node.
    pub fn get(&self, path: &str) -> Option<Values> {
        let slot = self.slot(self.handle(path).ok()?)?;
        Some(self.program.shared.get(slot).to_values())
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
        let places = &self.program.places[handle.component.index()];
        places[handle.variable.index()].map(Segment::shared)
    }

    fn read_instance(&self, handle: VariableHandle) -> Result<Values, RunError> {
        let component = handle.component.index();
        let variables = &self.models[component].description().variables;
        let reference = variables[handle.variable.index()].reference;
        let home = self.program.homes[component];
        let mut lane = self.pool.lane(home.lane);
        let instance = &mut lane.members[home.member as usize].instance;
        let mut values = Values::zeros(handle.value_type, handle.count);
        let result = instance.get(&[reference], values.slice_mut(0, handle.count));
        result.map_err(|error| self.call_failed(component, error)).map(|()| values)
    }

    #[cold]
    fn refused(&self, handle: VariableHandle, reason: &'static str) -> RunError {
        let component = handle.component.index();
        let variable = &self.models[component].description().variables[handle.variable.index()];
        let path = format!("{}.{}", self.system.components[component].name, variable.name);
        RunError::NoSuchVariable { path, reason }
    }

    /// Hands variables over as the shared bank has them.
    pub(crate) fn hand_over(
        &mut self,
        component: usize,
        variables: &[VariableId],
    ) -> Result<(), RunError> {
        let model = self.models[component].description();
        let mut lane = self.pool.lane(self.program.homes[component].lane);
        let result = transfer::set(&mut lane, model, &self.program, component, variables);
        result.map_err(|error| self.call_failed(component, error))
    }

    /// Hands over a variable that has no place in the shared bank.
    fn hand_over_value(
        &mut self,
        component: usize,
        id: VariableId,
        values: &Values,
    ) -> Result<(), RunError> {
        let reference = self.models[component].description().variables[id.index()].reference;
        let home = self.program.homes[component];
        let mut lane = self.pool.lane(home.lane);
        let instance = &mut lane.members[home.member as usize].instance;
        let result = instance.set(&[reference], values.view());
        result.map_err(|error| self.call_failed(component, error))
    }

    #[cold]
    pub(crate) fn call_failed(&self, component: usize, error: Box<CallError>) -> RunError {
        let component = self.system.components[component].name.clone();
        RunError::Call { component, tag: self.tag, error }
    }

    /// Whether a component lives here.
    pub(super) fn is_own(&self, component: usize) -> bool {
        self.program.own.binary_search(&component).is_ok()
    }

    /// Component and variable of a path.
    pub(super) fn find(&self, path: &str) -> Option<(usize, VariableId)> {
        let (component, variable) = path.split_once('.')?;
        let component = self.names.get(component)?.index();
        Some((component, self.models[component].description().variable(variable)?))
    }
}
