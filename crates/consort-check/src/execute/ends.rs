//! Conditions that must hold at the end of each program.

use super::{Execution, Verdict};
use crate::facts::is_read;
use crate::state::{ALWAYS, NEVER, Stamp, is_right};
use crate::violation::{Fault, PlanAction};
use consort_core::{ConnectionId, VariableId};

impl Execution<'_> {
    /// Every fed input was set. Instances then leave initialization and everything is read.
    pub(super) fn end_initialization(&mut self) -> Verdict {
        let facts = self.facts;
        self.check_wires(true)?;
        for component in 0..facts.models.len() {
            for &input in facts.fed_initially.of(component) {
                let number = facts.number(component, VariableId(input));
                if self.state.given[number] == NEVER {
                    return self.fault(PlanAction::Set(self.variable_name(number)), Fault::Never);
                }
            }
            self.read_everything(component);
            self.state.touched[component] = false;
            self.state.arrive(facts, &facts.fed, component, 0);
        }
        Ok(())
    }

    fn read_everything(&mut self, component: usize) {
        for (index, variable) in self.facts.models[component].variables.iter().enumerate() {
            let number = self.facts.number(component, VariableId::from_index(index));
            self.state.read[number] = if is_read(variable) { 0 } else { ALWAYS };
        }
    }

    /// Everything at the tag is known.
    pub(super) fn end_present(&mut self) -> Verdict {
        let facts = self.facts;
        for component in 0..facts.models.len() {
            if !self.state.is_due(facts, component) {
                continue;
            }
            let now = self.state.now_of(facts, component);
            self.check_read(component, now)?;
        }
        self.check_wires(false)
    }

    fn check_read(&self, component: usize, expected: Stamp) -> Verdict {
        for &variable in self.facts.used.of(component) {
            let number = self.facts.number(component, VariableId(variable));
            if !is_right(self.state.read[number], expected) {
                return self.fault(PlanAction::Get(self.variable_name(number)), Fault::Never);
            }
        }
        Ok(())
    }

    /// Every input's place is up to date.
    fn check_wires(&self, initial: bool) -> Verdict {
        let facts = self.facts;
        for (index, wire) in facts.system.connections.iter().enumerate() {
            if facts.clocked[index] || (initial && wire.delay) {
                continue;
            }
            let from = wire.from.component.index();
            // Nothing new is to be seen before the source's next tag; what `advance` moved ahead of
            // time has no owner before then.
            if !self.state.is_due(facts, from) {
                continue;
            }
            let now = self.state.now_of(facts, from);
            let (moved, expected) = (self.state.moved[index], now - Stamp::from(wire.delay));
            if is_right(moved, expected) {
                continue;
            }
            let action =
                PlanAction::Exchange(self.connection_name(ConnectionId::from_index(index)));
            // A value of the tag was there to be had, or it was moved before it was there.
            let missed = self.missed_by_wire(index, moved, expected);
            return self.fault(action, self.wire_fault(index, missed));
        }
        Ok(())
    }

    /// All components that are due have stepped, and the outputs of those that answer by step only were read.
    pub(super) fn end_advance(&mut self) -> Verdict {
        let facts = self.facts;
        for component in 0..facts.models.len() {
            if !self.state.is_due(facts, component) {
                continue;
            }
            let next = self.state.now_of(facts, component) + 1;
            if self.state.at[component] != next {
                let action = PlanAction::Step(self.component_name(component));
                return self.fault(action, Fault::Never);
            }
            if !facts.at_once[component] {
                self.check_read(component, next)?;
            }
        }
        Ok(())
    }
}
