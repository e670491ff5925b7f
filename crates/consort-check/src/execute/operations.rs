//! Checks the preconditions of one operation, and carries it out abstractly.

use super::{Execution, Verdict};
use crate::facts::{Depends, is_read};
use crate::state::{ALWAYS, Stamp, is_right, steps_after};
use crate::violation::{CheckedProgram, Fault, PlanAction, Rule};
use consort_core::{ConnectionId, VariableId};
use consort_system::Operation;

impl Execution<'_> {
    pub(super) fn operation(&mut self, component: usize, operation: &Operation) -> Verdict {
        match operation {
            Operation::Set(list) => list.iter().try_for_each(|&it| self.set(component, it)),
            Operation::Get(list) => list.iter().try_for_each(|&it| self.get(component, it)),
            Operation::Step => self.step(component),
            // What a clock starts is an event: a matter of event mode, not of the order.
            Operation::Tick(clock) => self.known(component, *clock, PlanAction::Tick),
        }
    }

    /// A value moves along a connection, if its source is due.
    pub(super) fn move_value(&mut self, id: ConnectionId) -> Verdict {
        let index = self.connection(id)?;
        let facts = self.facts;
        let wire = &facts.system.connections[index];
        let (from, to) = (wire.from.component.index(), wire.to.component.index());
        if facts.clocked[index] || !self.state.is_due(facts, from) {
            return Ok(());
        }
        let wrong = match self.program {
            CheckedProgram::Present => None,
            _ if wire.delay => Some(Rule::DelayedInPresent),
            CheckedProgram::Advance if facts.rate[from] != facts.rate[to] => Some(Rule::OneRate),
            _ => None,
        };
        if let Some(rule) = wrong {
            let action = PlanAction::Exchange(self.connection_name(id));
            return self.fault(action, Fault::Misplaced { rule });
        }
        self.exchanged[index] = self.programs_run;
        let stamp = match wire.delay {
            true => self.state.now_of(facts, from) - 1,
            false => self.state.read[facts.at(wire.from)],
        };
        self.places()[index] = stamp;
        Ok(())
    }

    fn set(&mut self, component: usize, variable: VariableId) -> Verdict {
        self.known(component, variable, PlanAction::Set)?;
        self.state.touched[component] = true;
        let number = self.facts.number(component, variable);
        let fed = match self.program {
            CheckedProgram::Initialization => &self.facts.is_fed_initially,
            _ => &self.facts.is_fed,
        };
        if !fed[number] {
            return Ok(());
        }
        let (at, now) = (self.state.at[component], self.state.now_of(self.facts, component));
        let before_step = self.program == CheckedProgram::Advance && at <= now;
        let ahead = before_step && self.facts.is_reactive[number];
        let target = at + Stamp::from(ahead);
        if let Some(fault) = self.wrong_place(number, target - now) {
            return self.fault(PlanAction::Set(self.variable_name(number)), fault);
        }
        self.state.give(component, number, target);
        Ok(())
    }

    fn get(&mut self, component: usize, variable: VariableId) -> Verdict {
        self.known(component, variable, PlanAction::Get)?;
        let number = self.facts.number(component, variable);
        let initial = self.program == CheckedProgram::Initialization;
        if !(initial || self.facts.at_once[component]) {
            if self.state.touched[component] {
                let component = self.component_name(component);
                let action = PlanAction::Get(self.variable_name(number));
                return self.fault(action, Fault::AfterSet { component });
            }
        } else if let Some(input) = self.unset_dependency(component, variable) {
            let wanted = self.state.at[component];
            let fault = self.unset(component, input, wanted);
            return self.fault(PlanAction::Get(self.variable_name(number)), fault);
        }
        let is_constant = !is_read(self.facts.variable(component, variable));
        self.state.read[number] = if is_constant { ALWAYS } else { self.state.at[component] };
        Ok(())
    }

    /// The first input that the variable depends on and that does not hold the present value.
    fn unset_dependency(&self, component: usize, variable: VariableId) -> Option<VariableId> {
        let facts = self.facts;
        let initial = self.program == CheckedProgram::Initialization;
        let (fed, marks, depends) = match initial {
            true => {
                let depends = facts.depends_initially(component, variable);
                (&facts.fed_initially, &facts.is_fed_initially, depends)
            }
            false => (&facts.fed, &facts.is_fed, facts.depends(component, variable)),
        };
        let at = self.state.at[component];
        let is_unset = |input: &VariableId| {
            let number = facts.number(component, *input);
            marks[number] && self.state.given[number] != at
        };
        match depends {
            Depends::All => {
                let fed = fed.of(component);
                let all_fresh = fed.len() == self.state.fresh[component] as usize;
                let mut inputs = fed.iter().map(|&it| VariableId(it));
                if all_fresh { None } else { inputs.find(is_unset) }
            }
            Depends::These(list) => {
                let last = facts.models[component].variables.len();
                let inputs = list.iter().map(|(input, _)| *input);
                inputs.filter(|input| input.index() < last).find(is_unset)
            }
        }
    }

    pub(super) fn step(&mut self, component: usize) -> Verdict {
        let facts = self.facts;
        let now = self.state.now_of(facts, component);
        if let Some(fault) = self.wrong_step(component, now) {
            return self.fault(PlanAction::Step(self.component_name(component)), fault);
        }
        for &input in facts.fed.of(component) {
            let number = facts.number(component, VariableId(input));
            let wanted = now + Stamp::from(facts.is_reactive[number]);
            if self.state.given[number] != wanted {
                let fault = self.unset(component, VariableId(input), wanted);
                return self.fault(PlanAction::Step(self.component_name(component)), fault);
            }
        }
        self.state.touched[component] = false;
        self.state.arrive(facts, &facts.fed, component, now + 1);
        Ok(())
    }

    /// Whether a step may stand here at all.
    fn wrong_step(&mut self, component: usize, now: Stamp) -> Option<Fault> {
        if self.program != CheckedProgram::Advance {
            return Some(Fault::Misplaced { rule: Rule::StepsInAdvance });
        }
        if self.state.at[component] != now {
            return Some(Fault::Twice);
        }
        let id = consort_core::ComponentId::from_index(component);
        let unsaved = self.frames.iter().find(|frame| frame.saved.binary_search(&id).is_err());
        if let Some(frame) = unsaved {
            return Some(Fault::NotSaved { by: frame.action.clone() });
        }
        let can_save = self.facts.models[component].capabilities.save_state;
        let has_waited = self.frames.is_empty() && self.has_attempted && !can_save;
        if self.facts.system.coupling.variable_step.is_some()
            && !has_waited
            && !self.is_in_the_attempt()
        {
            return Some(Fault::Misplaced { rule: Rule::StepsInAttempt });
        }
        None
    }

    /// Whether this stage is within the one attempt of this tag, which the first step decides.
    fn is_in_the_attempt(&mut self) -> bool {
        let outer = self.frames.iter().position(|frame| frame.action == PlanAction::Attempt);
        let Some(depth) = outer else { return false };
        let path = self.path[..=depth].to_vec();
        self.attempt.get_or_insert_with(|| path.clone()) == &path
    }

    /// What is wrong with the place of an input for a component that is `ahead` steps after the
    /// present tag.
    fn wrong_place(&self, number: usize, ahead: Stamp) -> Option<Fault> {
        let facts = self.facts;
        let wires = facts.wires.of(number);
        if 0 < ahead && (facts.has_table[number] || wires.is_empty()) {
            let name = self.variable_name(number);
            return Some(Self::missed_fault(name, ahead, Some(0)));
        }
        for &wire in wires {
            let index = wire as usize;
            let wire = &facts.system.connections[index];
            let from = wire.from.component.index();
            let initial = self.program == CheckedProgram::Initialization;
            if initial && wire.delay {
                continue;
            }
            let now = self.state.now_of(facts, from);
            let moved = self.found_at(index, ahead);
            let expected = now + ahead - Stamp::from(wire.delay);
            if !is_right(moved, expected) {
                let has = steps_after(moved, now);
                let name = self.variable_name(facts.at(wire.from));
                let wanted = expected - now;
                return Some(Self::missed_fault(name, wanted, has));
            }
        }
        None
    }

    /// What a set finds that a connection brought: within `advance` the last exchange counts, and
    /// what belongs to the next tag must have been exchanged there.
    fn found_at(&self, wire: usize, ahead: Stamp) -> Stamp {
        let here = self.exchanged[wire] == self.programs_run;
        let (moved, brought) = (self.state.moved[wire], self.state.ahead[wire]);
        match self.program {
            CheckedProgram::Advance if here && 0 < ahead => brought,
            CheckedProgram::Advance if here => moved.max(brought),
            _ => moved,
        }
    }
}
