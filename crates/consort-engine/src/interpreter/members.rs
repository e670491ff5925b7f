//! Single components: their instances, their values, and their names in messages.

use super::Interpreter;
use crate::error::RunError;
use crate::lane::Member;
use crate::store::{Segment, Slot};
use crate::transfer;
use consort_core::{CallError, Values, ValuesRef, VariableId};

impl Interpreter {
    /// Does something with the instance of a component.
    pub(crate) fn with_member<T>(
        &self,
        component: usize,
        action: impl FnOnce(&mut Member) -> T,
    ) -> T {
        let home = self.program.homes[component];
        action(&mut self.pool.lane(home.lane).members[home.member as usize])
    }

    /// Whether a component lives here.
    pub(crate) fn is_own(&self, component: usize) -> bool {
        self.program.own.binary_search(&component).is_ok()
    }

    /// Where the shared bank has a variable, if it has it.
    pub(crate) fn slot(&self, component: usize, variable: VariableId) -> Option<Slot> {
        self.program.places[component][variable.index()].map(Segment::shared)
    }

    /// The value of a variable that has a place in the shared bank.
    pub(crate) fn shared_value(&self, component: usize, variable: VariableId) -> ValuesRef<'_> {
        let slot = self.slot(component, variable).expect("what is exchanged has a place");
        self.program.shared.get(slot)
    }

    /// Reads a variable from its instance.
    pub(crate) fn read(
        &self,
        component: usize,
        variable: VariableId,
        mut into: Values,
    ) -> Result<Values, RunError> {
        let reference = self.executable.variable(component, variable).reference;
        let count = into.len();
        let read = into.slice_mut(0, count);
        let result = self.with_member(component, |it| it.instance.get(&[reference], read));
        result.map_err(|error| self.call_failed(component, error)).map(|()| into)
    }

    /// Hands variables over to their instance as the shared bank has them.
    pub(crate) fn hand_over(
        &self,
        component: usize,
        variables: &[VariableId],
    ) -> Result<(), RunError> {
        let model = self.executable.description(component);
        let mut lane = self.pool.lane(self.program.homes[component].lane);
        let result = transfer::set(&mut lane, model, &self.program, component, variables);
        drop(lane);
        result.map_err(|error| self.call_failed(component, error))
    }

    /// Hands over a variable that has no place in the shared bank.
    pub(crate) fn hand_over_value(
        &self,
        component: usize,
        variable: VariableId,
        values: &Values,
    ) -> Result<(), RunError> {
        let reference = self.executable.variable(component, variable).reference;
        let set = |it: &mut Member| it.instance.set(&[reference], values.view());
        self.with_member(component, set).map_err(|error| self.call_failed(component, error))
    }

    /// A call into an instance that failed at the present tag.
    #[cold]
    pub(crate) fn call_failed(&self, component: usize, error: Box<CallError>) -> RunError {
        let component = self.executable.name(component).to_owned();
        RunError::Call { component, tag: self.clock.tag(), error }
    }
}
