//! Compares values with their definition, and describes differences.

use super::Run;
use crate::symbolic::Mismatch;
use crate::symbolic::definition::Circle;
use crate::symbolic::terms::Term;
use consort_core::ConnectionId;

/// How deep terms are shown in messages.
const SHOWN_DEPTH: usize = 4;

impl Run<'_> {
    pub(super) fn compare_values(&mut self) -> Result<(), Mismatch> {
        for owner in 0..self.facts.parts.len() {
            let (part, tag) = (&self.facts.parts[owner], self.tag(owner));
            for slot in part.used.iter().flat_map(|&id| part.elements(id)) {
                let right = self.definition.output(self.facts, slot, tag);
                self.compare(slot, self.shared[slot], right)?;
            }
            for slot in part.fed.iter().flat_map(|&id| part.elements(id)) {
                let right = self.definition.input(self.facts, slot, self.time);
                self.compare(slot, self.shared[slot], right)?;
            }
        }
        Ok(())
    }

    /// First states stem from the inputs they were given.
    pub(super) fn compare_initial_inputs(&mut self, owner: usize) -> Result<(), Mismatch> {
        let part = &self.facts.parts[owner];
        for slot in part.fed.iter().flat_map(|&id| part.elements(id)) {
            let right = self.definition.initial_input(self.facts, slot);
            let given = self.instances[owner].input(self.facts, slot);
            self.compare(slot, given, right)?;
        }
        Ok(())
    }

    fn compare(
        &self,
        slot: usize,
        value: Term,
        right: Result<Term, Circle>,
    ) -> Result<(), Mismatch> {
        let right = self.defined(right)?;
        if value == right {
            return Ok(());
        }
        let show = |term| self.definition.terms.show(term, SHOWN_DEPTH);
        Err(Mismatch(format!(
            "at {}: `{}` is {}\n  and should be {}",
            self.time,
            self.facts.name(slot),
            show(value),
            show(right)
        )))
    }

    pub(super) fn compare_states(&mut self) -> Result<(), Mismatch> {
        let due: Vec<usize> = (0..self.instances.len()).filter(|&it| self.is_due(it)).collect();
        due.into_iter().try_for_each(|owner| self.compare_state(owner, self.tag(owner) + 1))
    }

    fn compare_state(&mut self, owner: usize, tag: usize) -> Result<(), Mismatch> {
        let right = self.definition.state(self.facts, owner, tag);
        let right = self.defined(right)?;
        let state = self.instances[owner].state.expect("initialization is over");
        if state == right {
            return Ok(());
        }
        let show = |term| self.definition.terms.show(term, SHOWN_DEPTH);
        Err(Mismatch(format!(
            "at {}: the next state of `{}` is {}\n  and should be {}",
            self.time,
            self.facts.system.components[owner].name,
            show(state),
            show(right)
        )))
    }

    pub(super) fn defined(&self, value: Result<Term, Circle>) -> Result<Term, Mismatch> {
        value.map_err(|Circle(slot)| {
            let name = self.facts.name(slot);
            Mismatch(format!("`{name}` depends on itself and the plan cuts the loop nowhere"))
        })
    }

    pub(super) fn refused(&self, owner: usize, what: &str) -> Mismatch {
        let name = &self.facts.system.components[owner].name;
        Mismatch(format!("at {}: `{name}` {what}", self.time))
    }

    pub(super) fn wrong(&self, id: ConnectionId, what: &str) -> Mismatch {
        let wire = &self.facts.system.connections[id.index()];
        let name = |port: consort_system::Port| {
            let part = &self.facts.parts[port.component.index()];
            self.facts.name((part.slots[port.variable.index()] + port.first) as usize)
        };
        let (from, to) = (name(wire.from), name(wire.to));
        Mismatch(format!("at {}: `{from} -> {to}` {what}", self.time))
    }
}
