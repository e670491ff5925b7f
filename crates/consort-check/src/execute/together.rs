//! Components that are integrated as one: each steps once, and one evaluation of their equations moves
//! every value between them before it is used.

use super::{Execution, Verdict};
use crate::facts::Depends;
use crate::state::STALE;
use crate::violation::{CheckedProgram, Fault, NESTING_MAX, PlanAction, Rule};
use consort_core::{ComponentId, ConnectionId, VariableId};
use consort_system::{Loop, Operation, Stage, Task, Together};
use std::collections::BTreeSet;

/// What is known within one evaluation; nothing is, when it begins.
#[derive(Default)]
struct Evaluation {
    /// The components that are integrated together.
    members: BTreeSet<usize>,
    /// Numbers of variables that were read, and of inputs that were set.
    read: BTreeSet<usize>,
    given: BTreeSet<usize>,
    /// Connections that were exchanged.
    moved: BTreeSet<usize>,
}

impl Evaluation {
    /// What an evaluation within this one computed is worth nothing to the next one.
    fn forget(&mut self, execution: &Execution<'_>, stages: &[Stage]) {
        for stage in stages {
            match stage {
                Stage::Exchange(list) => {
                    list.iter().for_each(|id| _ = self.moved.remove(&id.index()));
                }
                Stage::Work(tasks) => tasks.iter().for_each(|it| self.forget_task(execution, it)),
                Stage::Iterate(it) => self.forget(execution, &it.stages),
                Stage::Attempt { .. } | Stage::Integrate(_) => {}
            }
        }
    }

    fn forget_task(&mut self, execution: &Execution<'_>, task: &Task) {
        let number = |it: &VariableId| execution.facts.number(task.component.index(), *it);
        for operation in &task.operations {
            match operation {
                Operation::Set(list) => {
                    list.iter().for_each(|it| _ = self.given.remove(&number(it)));
                }
                Operation::Get(list) => {
                    list.iter().for_each(|it| _ = self.read.remove(&number(it)));
                }
                Operation::Step | Operation::Tick(_) => {}
            }
        }
    }
}

impl Execution<'_> {
    pub(super) fn integrate(&mut self, it: &Together) -> Verdict {
        if self.program != CheckedProgram::Advance {
            let rule = Rule::IntegratesInAdvance;
            return self.fault(PlanAction::Integrate, Fault::Misplaced { rule });
        }
        let mut evaluation = Evaluation { members: self.members(it)?, ..Evaluation::default() };
        if !evaluation.members.iter().all(|&it| self.state.is_due(self.facts, it)) {
            return Ok(());
        }
        evaluation.members.iter().try_for_each(|&component| self.step(component))?;
        self.evaluate(&it.stages, &mut evaluation, true)?;
        self.end_evaluation(&evaluation)
    }

    /// Components that can be integrated, of one period, each once.
    fn members(&self, it: &Together) -> Result<BTreeSet<usize>, crate::Violation> {
        let mut members = BTreeSet::new();
        for &id in &it.components {
            let component = self.component(id, "component")?;
            let name = || self.component_name(component);
            if self.facts.models[component].capabilities.solved_by.is_none() {
                return Err(self.violation(PlanAction::Step(name()), Fault::NoEquations));
            }
            let rate = |component: usize| self.facts.rate[component];
            if members.first().is_some_and(|&first| rate(first) != rate(component)) {
                let rule = Rule::IntegratesOneRate;
                return Err(self.violation(PlanAction::Step(name()), Fault::Misplaced { rule }));
            }
            if !members.insert(component) {
                return Err(self.violation(PlanAction::Step(name()), Fault::Twice));
            }
        }
        Ok(members)
    }

    fn is_inner(&self, evaluation: &Evaluation, wire: usize) -> bool {
        let ends = &self.facts.system.connections[wire];
        let is_member = |id: ComponentId| evaluation.members.contains(&id.index());
        let is_moved = !ends.delay && !self.facts.clocked[wire];
        is_moved && is_member(ends.from.component) && is_member(ends.to.component)
    }

    /// The connections within the group that lead to an input.
    fn inner_wires<'e>(
        &'e self,
        evaluation: &'e Evaluation,
        number: usize,
    ) -> impl Iterator<Item = usize> + 'e {
        let wires = self.facts.wires.of(number).iter().map(|&wire| wire as usize);
        wires.filter(|&wire| self.is_inner(evaluation, wire))
    }

    /// `again`: loops are evaluated twice.
    fn evaluate(&mut self, stages: &[Stage], evaluation: &mut Evaluation, again: bool) -> Verdict {
        if NESTING_MAX <= self.path.len() {
            return self.fault(PlanAction::Integrate, Fault::TooDeep);
        }
        for (index, stage) in stages.iter().enumerate() {
            self.path.push(index + 1);
            match stage {
                Stage::Exchange(list) => {
                    list.iter().try_for_each(|&id| self.move_inside(id, evaluation))?;
                }
                Stage::Work(tasks) => self.work_inside(tasks, evaluation)?,
                Stage::Iterate(it) => self.iterate_inside(it, evaluation, again)?,
                Stage::Attempt { .. } => return self.misplaced(PlanAction::Attempt),
                Stage::Integrate(_) => return self.misplaced(PlanAction::Integrate),
            }
            self.path.pop();
        }
        Ok(())
    }

    fn misplaced(&self, action: PlanAction) -> Verdict {
        self.fault(action, Fault::Misplaced { rule: Rule::NothingElseInside })
    }

    fn move_inside(&mut self, id: ConnectionId, evaluation: &mut Evaluation) -> Verdict {
        let index = self.connection(id)?;
        let action = || PlanAction::Exchange(self.connection_name(id));
        if !self.is_inner(evaluation, index) {
            return self.misplaced(action());
        }
        let source = self.facts.at(self.facts.system.connections[index].from);
        if !evaluation.read.contains(&source) {
            return self.not_evaluated(action(), source);
        }
        evaluation.moved.insert(index);
        Ok(())
    }

    fn not_evaluated(&self, action: PlanAction, number: usize) -> Verdict {
        self.fault(action, Fault::NotEvaluated { value: self.variable_name(number) })
    }

    fn work_inside(&mut self, tasks: &[Task], evaluation: &mut Evaluation) -> Verdict {
        let mut tasked = BTreeSet::new();
        for task in tasks {
            let component = self.component(task.component, "component")?;
            let action = || PlanAction::Task(self.component_name(component));
            if !evaluation.members.contains(&component) {
                return self.misplaced(action());
            }
            if !tasked.insert(component) {
                return self.fault(action(), Fault::Misplaced { rule: Rule::OneTask });
            }
            for operation in &task.operations {
                self.operate_inside(component, operation, evaluation)?;
            }
        }
        Ok(())
    }

    fn operate_inside(
        &self,
        component: usize,
        operation: &Operation,
        evaluation: &mut Evaluation,
    ) -> Verdict {
        match operation {
            Operation::Set(list) => {
                list.iter().try_for_each(|&it| self.set_inside(component, it, evaluation))
            }
            Operation::Get(list) => {
                list.iter().try_for_each(|&it| self.get_inside(component, it, evaluation))
            }
            Operation::Step => self.misplaced(PlanAction::Step(self.component_name(component))),
            Operation::Tick(clock) => {
                self.known(component, *clock, PlanAction::Tick)?;
                let number = self.facts.number(component, *clock);
                self.misplaced(PlanAction::Tick(self.variable_name(number)))
            }
        }
    }

    /// An input takes what was moved to it in this evaluation; those that hold over the step are not
    /// set again.
    fn set_inside(
        &self,
        component: usize,
        variable: VariableId,
        evaluation: &mut Evaluation,
    ) -> Verdict {
        self.known(component, variable, PlanAction::Set)?;
        let number = self.facts.number(component, variable);
        let action = || PlanAction::Set(self.variable_name(number));
        if self.inner_wires(evaluation, number).next().is_none() {
            return self.misplaced(action());
        }
        let missed = self.inner_wires(evaluation, number).find(|it| !evaluation.moved.contains(it));
        if let Some(wire) = missed {
            let source = self.facts.at(self.facts.system.connections[wire].from);
            return self.not_evaluated(action(), source);
        }
        evaluation.given.insert(number);
        Ok(())
    }

    fn get_inside(
        &self,
        component: usize,
        variable: VariableId,
        evaluation: &mut Evaluation,
    ) -> Verdict {
        self.known(component, variable, PlanAction::Get)?;
        let facts = self.facts;
        let number = facts.number(component, variable);
        let is_missed = |input: &usize| {
            !evaluation.given.contains(input)
                && self.inner_wires(evaluation, *input).next().is_some()
        };
        let all = facts.first[component] as usize..facts.first[component + 1] as usize;
        let missed = match facts.depends(component, variable) {
            Depends::All => all.clone().find(is_missed),
            Depends::These(list) => {
                let inputs = list.iter().map(|(input, _)| facts.number(component, *input));
                inputs.filter(|input| all.contains(input)).find(is_missed)
            }
        };
        if let Some(input) = missed {
            return self.not_evaluated(PlanAction::Get(self.variable_name(number)), input);
        }
        evaluation.read.insert(number);
        Ok(())
    }

    /// Evaluates a loop twice: the second evaluation starts from what the first one left.
    fn iterate_inside(&mut self, it: &Loop, evaluation: &mut Evaluation, again: bool) -> Verdict {
        if !it.rollback.is_empty() {
            return self.misplaced(PlanAction::Iterate); // nothing steps here that could be taken back
        }
        self.check_last_stage(it)?;
        for round in 0..=u8::from(again) {
            if round == 1 {
                evaluation.forget(self, &it.stages);
            }
            for unknown in &it.unknowns {
                if !self.is_inner(evaluation, unknown.index()) {
                    return self.misplaced(PlanAction::Exchange(self.connection_name(*unknown)));
                }
                evaluation.moved.insert(unknown.index());
            }
            self.evaluate(&it.stages, evaluation, again && round == 0)?;
        }
        Ok(())
    }

    /// Everything between the components was moved and set. What the evaluation read is of the end of the
    /// step: no other component may use its earlier value.
    fn end_evaluation(&mut self, evaluation: &Evaluation) -> Verdict {
        for index in 0..self.facts.system.connections.len() {
            if !self.is_inner(evaluation, index) {
                continue;
            }
            let wire = &self.facts.system.connections[index];
            let (from, to) = (self.facts.at(wire.from), self.facts.at(wire.to));
            if !evaluation.moved.contains(&index) {
                let id = ConnectionId::from_index(index);
                let action = PlanAction::Exchange(self.connection_name(id));
                return self.fault(action, Fault::LeftOut);
            }
            if !evaluation.given.contains(&to) {
                return self.fault(PlanAction::Set(self.variable_name(to)), Fault::LeftOut);
            }
            self.state.read[from] = STALE;
        }
        Ok(())
    }
}
