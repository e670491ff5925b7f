//! Faults as text: names and tags as users know them.

use super::{Execution, Verdict};
use crate::state::{Stamp, steps_after};
use crate::violation::{Fault, Missed, Of, PlanAction, Violation};
use consort_core::{ComponentId, ConnectionId, VariableId};

impl Execution<'_> {
    pub(super) fn violation(&self, action: PlanAction, fault: Fault) -> Violation {
        let (program, stage, tag) = (self.program, self.path.clone(), self.tag.clone());
        Violation { program, stage, tag, action, fault }
    }

    pub(super) fn fault(&self, action: PlanAction, fault: Fault) -> Verdict {
        Err(self.violation(action, fault))
    }

    pub(super) fn component(
        &self,
        id: ComponentId,
        what: &'static str,
    ) -> Result<usize, Violation> {
        let index = id.index();
        if index < self.facts.models.len() {
            return Ok(index);
        }
        let action = PlanAction::Task(format!("#{index}"));
        Err(self.violation(action, Fault::Unknown { what, index }))
    }

    pub(super) fn connection(&self, id: ConnectionId) -> Result<usize, Violation> {
        let index = id.index();
        if index < self.facts.system.connections.len() {
            return Ok(index);
        }
        let action = PlanAction::Exchange(format!("#{index}"));
        Err(self.violation(action, Fault::Unknown { what: "connection", index }))
    }

    /// Whether the component has the variable.
    pub(super) fn known(
        &self,
        component: usize,
        variable: VariableId,
        action: fn(String) -> PlanAction,
    ) -> Verdict {
        let index = variable.index();
        if index < self.facts.models[component].variables.len() {
            return Ok(());
        }
        let name = format!("{}.#{index}", self.component_name(component));
        self.fault(action(name), Fault::Unknown { what: "variable", index })
    }

    pub(super) fn component_name(&self, component: usize) -> String {
        self.facts.system.components[component].name.clone()
    }

    /// `component.variable`, by the variable's number.
    pub(super) fn variable_name(&self, number: usize) -> String {
        let component = self.facts.first.partition_point(|&first| first as usize <= number) - 1;
        let variable = number - self.facts.first[component] as usize;
        let name = &self.facts.models[component].variables[variable].name;
        format!("{}.{name}", self.facts.system.components[component].name)
    }

    pub(super) fn connection_name(&self, id: ConnectionId) -> String {
        let wire = &self.facts.system.connections[id.index()];
        let from = self.variable_name(self.facts.at(wire.from));
        format!("{from} -> {}", self.variable_name(self.facts.at(wire.to)))
    }

    /// Too early if what is there is older than what is wanted, else too late.
    pub(super) fn missed_fault(value: String, wanted: Stamp, has: Option<Stamp>) -> Fault {
        let (needs, is_newer) = (Of::steps(Some(wanted)), has.is_some_and(|has| wanted < has));
        let missed = Box::new(Missed { value, through: None, needs, has: Of::steps(has) });
        if is_newer { Fault::TooLate(missed) } else { Fault::TooEarly(missed) }
    }

    /// An operation needs an input that was not set with the value of `wanted`.
    pub(super) fn unset(&self, component: usize, input: VariableId, wanted: Stamp) -> Fault {
        let facts = self.facts;
        let number = facts.number(component, input);
        let now = self.state.now_of(facts, component);
        let given = self.state.given[number];
        let has = steps_after(given, now);
        let wire = facts.wires.of(number).first();
        let source = wire.map(|&wire| facts.system.connections[wire as usize].from);
        let input = self.variable_name(number);
        let (value, through) = match source {
            Some(source) => (self.variable_name(facts.at(source)), Some(input)),
            None => (input, None),
        };
        let is_newer = has.is_some_and(|has| wanted - now < has);
        let needs = Of::steps(Some(wanted - now));
        let missed = Box::new(Missed { value, through, needs, has: Of::steps(has) });
        if is_newer { Fault::TooLate(missed) } else { Fault::TooEarly(missed) }
    }

    pub(super) fn missed_by_wire(&self, wire: usize, moved: Stamp, expected: Stamp) -> Missed {
        let from = self.facts.system.connections[wire].from;
        let now = self.state.now_of(self.facts, from.component.index());
        Missed {
            value: self.variable_name(self.facts.at(from)),
            through: None,
            needs: Of::steps(Some(expected - now)),
            has: Of::steps(steps_after(moved, now)),
        }
    }

    /// At the end of a program a place is not up to date: was the exchange left out, or too early?
    pub(super) fn wire_fault(&self, wire: usize, missed: Missed) -> Fault {
        match self.exchanged[wire] == self.programs_run {
            true => Fault::TooEarly(Box::new(missed)),
            false => Fault::Never,
        }
    }
}
