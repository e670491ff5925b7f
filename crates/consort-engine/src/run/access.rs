//! Looking into a run and interfering with it, between tags.

use super::Run;
use crate::error::RunError;
use crate::transfer;
use consort_core::{CallError, Causality, Values, Variability, VariableId};

/// Something new for a component that uses event mode: it takes that at its next event, which this
/// brings about.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Retuned {
    pub(crate) component: usize,
    pub(crate) variable: VariableId,
    /// The value, if it has no place in the shared bank.
    pub(crate) values: Option<Values>,
}

impl Run {
    /// The value of `component.variable` as of the present tag; `None` if nobody looks at it, or if it
    /// lives on another node.
    pub fn get(&self, path: &str) -> Option<Values> {
        let (component, variable) = self.find(path).filter(|(id, _)| self.is_own(*id))?;
        let place = self.program.places[component][variable.index()]?;
        Some(self.program.shared.get(place.shared()).to_values())
    }

    /// Gives an input or tunable parameter a value, from the next step on. What feeds an input goes
    /// on feeding it.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or the instance refuses.
    pub fn set(&mut self, path: &str, values: &Values) -> Result<(), RunError> {
        let no = |reason| RunError::NoSuchVariable { path: path.to_owned(), reason };
        let (component, id) = self.find(path).ok_or_else(|| no("is not in this system"))?;
        if !self.is_own(component) {
            return Err(no("is on another node"));
        }
        let variable = &self.models[component].description().variables[id.index()];
        let is_tunable = variable.causality == Causality::Parameter
            && variable.variability == Variability::Tunable;
        if variable.causality != Causality::Input && !is_tunable {
            return Err(no("is neither an input nor a tunable parameter"));
        }
        let count = self.system.components[component].counts[id.index()] as usize;
        if variable.value_type != values.value_type() || count != values.len() {
            return Err(no("has another type or number of elements"));
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
