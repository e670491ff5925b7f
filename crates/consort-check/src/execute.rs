//! The abstract execution of a plan.

mod ends;
mod faults;
mod operations;
mod together;

use crate::facts::Facts;
use crate::state::{NEVER, STALE, Saved, Stamp, State, is_right};
use crate::violation::{At, CheckedProgram, Fault, NESTING_MAX, PlanAction, Rule, Violation};
use consort_core::{ComponentId, ConnectionId};
use consort_system::{Loop, Operation, Plan, Stage, Task};

/// How many names of due components a message has.
const DUE_NAMES_MAX: usize = 4;

type Verdict = Result<(), Violation>;

pub(crate) struct Execution<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) state: State,
    program: CheckedProgram,
    tag: At,
    /// The stage that runs, counted from 1, outermost first.
    path: Vec<usize>,
    /// Loops and attempts that run, outermost first.
    frames: Vec<Frame>,
    /// The attempt in which a component has stepped at this tag.
    attempt: Option<Vec<usize>>,
    /// An attempt was made at this tag: who waited for it may step.
    has_attempted: bool,
    /// The last stage in which each component had a task.
    tasked: Vec<u64>,
    work_stages: u64,
    /// The last run of a program in which each connection was exchanged.
    exchanged: Vec<u64>,
    programs_run: u64,
}

/// A loop or an attempt that runs.
struct Frame {
    action: PlanAction,
    /// The components that are rolled back, sorted.
    saved: Vec<ComponentId>,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>) -> Self {
        Execution {
            facts,
            state: State::new(facts),
            program: CheckedProgram::Initialization,
            tag: At::First,
            path: Vec::new(),
            frames: Vec::new(),
            attempt: None,
            has_attempted: false,
            tasked: vec![0; facts.models.len()],
            work_stages: 0,
            exchanged: vec![0; facts.system.connections.len()],
            programs_run: 0,
        }
    }

    /// Initialization, and as many tags as there is something new to see at.
    ///
    /// Why these tags suffice: after a tag that keeps the contract, every place holds the value it
    /// must hold, and what an instance holds is a matter of its own tasks, so the next tag starts
    /// from the same state whatever the one before was. And every check is about one component and
    /// the source of one connection: it only depends on whether the one is due and whether the other
    /// is. So it is enough to see, for each rate, a tag at which all are due and the tag at which
    /// the fewest others are: those whose period divides this one's. (A rate that is not due then
    /// is exactly one that is not always due with this one.) The first tag differs, because it
    /// starts from initialization, so all rates are due twice.
    pub(crate) fn run(&mut self, plan: &Plan) -> Verdict {
        self.initialize(plan)?;
        self.tag(plan)?;
        self.next(vec![true; self.facts.periods.len()]);
        self.tag(plan)?;
        for rate in 0..self.facts.periods.len() {
            let period = self.facts.periods[rate].ticks();
            let divides = |ticks: i64| ticks != 0 && period % ticks == 0;
            let due = self.facts.periods.iter().map(|it| divides(it.ticks()));
            let due: Vec<bool> = due.collect();
            if due.contains(&false) {
                self.next(due);
                self.tag(plan)?;
            }
        }
        Ok(())
    }

    fn initialize(&mut self, plan: &Plan) -> Verdict {
        self.begin(CheckedProgram::Initialization);
        self.stages(&plan.initialization, true)?;
        self.end_initialization()
    }

    fn begin(&mut self, program: CheckedProgram) {
        self.program = program;
        self.programs_run += 1;
    }

    fn next(&mut self, due: Vec<bool>) {
        for (now, _) in self.state.now.iter_mut().zip(&due).filter(|(_, due)| **due) {
            *now += 1;
        }
        self.tag = match due.contains(&false) {
            false => At::Later,
            true => {
                let components = self.facts.system.components.iter().zip(&self.facts.rate);
                let some = components.filter(|(_, rate)| due[**rate as usize]);
                let names = some.map(|(component, _)| component.name.clone());
                At::Partial { due: names.take(DUE_NAMES_MAX).collect() }
            }
        };
        self.state.due = due;
        self.attempt = None;
        self.has_attempted = false;
    }

    fn tag(&mut self, plan: &Plan) -> Verdict {
        self.begin(CheckedProgram::Present);
        self.stages(&plan.present, true)?;
        self.end_present()?;
        self.begin(CheckedProgram::Advance);
        self.stages(&plan.advance, true)?;
        self.end_advance()
    }

    /// `again`: what may run several times in a row is run twice.
    fn stages(&mut self, stages: &[Stage], again: bool) -> Verdict {
        for (index, stage) in stages.iter().enumerate() {
            self.path.push(index + 1);
            match stage {
                Stage::Exchange(connections) => self.exchange(connections)?,
                Stage::Work(tasks) => self.work(tasks)?,
                Stage::Iterate(it) => self.iterate(it, again)?,
                Stage::Attempt { components, stages } => self.attempt(components, stages, again)?,
                Stage::Integrate(it) => self.integrate(it)?,
            }
            self.path.pop();
        }
        Ok(())
    }

    fn exchange(&mut self, connections: &[ConnectionId]) -> Verdict {
        connections.iter().try_for_each(|&connection| self.move_value(connection))
    }

    fn work(&mut self, tasks: &[Task]) -> Verdict {
        self.work_stages += 1;
        tasks.iter().try_for_each(|task| {
            let component = self.component(task.component, "component")?;
            if std::mem::replace(&mut self.tasked[component], self.work_stages) == self.work_stages
            {
                let action = PlanAction::Task(self.component_name(component));
                return self.fault(action, Fault::Misplaced { rule: Rule::OneTask });
            }
            if self.state.is_due(self.facts, component) {
                task.operations.iter().try_for_each(|it| self.operation(component, it))?;
            }
            Ok(())
        })
    }

    /// Evaluates a loop twice: the second evaluation starts from what the first one left.
    fn iterate(&mut self, it: &Loop, again: bool) -> Verdict {
        let saved = self.enter(PlanAction::Iterate, &it.rollback)?;
        self.check_last_stage(it)?;
        for evaluation in 0..=u8::from(again) {
            if evaluation == 1 {
                saved.iter().for_each(|saved| self.state.restore(self.facts, saved));
                self.forget(&it.stages);
            }
            for &unknown in &it.unknowns {
                self.assume(unknown);
            }
            self.stages(&it.stages, again && evaluation == 0)?;
            self.check_unknowns(it)?;
        }
        self.frames.pop();
        Ok(())
    }

    /// What the stages of a loop compute is worth nothing at the next evaluation, which has other
    /// guesses: nothing may be used before it is computed again. What rolled-back components were
    /// given before is theirs again.
    fn forget(&mut self, stages: &[Stage]) {
        let mut waiting: Vec<&Stage> = stages.iter().collect();
        while let Some(stage) = waiting.pop() {
            match stage {
                Stage::Exchange(list) => list.iter().for_each(|&id| self.forget_moved(id)),
                Stage::Work(tasks) => tasks.iter().for_each(|task| self.forget_task(task)),
                Stage::Iterate(it) => waiting.extend(&it.stages),
                Stage::Attempt { stages, .. } => waiting.extend(stages),
                // It leaves nothing behind that could be used.
                Stage::Integrate(_) => {}
            }
        }
    }

    fn forget_moved(&mut self, id: ConnectionId) {
        let from = self.facts.system.connections[id.index()].from.component.index();
        if self.state.is_due(self.facts, from) {
            self.places()[id.index()] = STALE;
        }
    }

    fn forget_task(&mut self, task: &Task) {
        let component = task.component.index();
        if !self.state.is_due(self.facts, component) {
            return;
        }
        let frame = self.frames.last();
        let is_saved =
            frame.is_some_and(|frame| frame.saved.binary_search(&task.component).is_ok());
        for operation in &task.operations {
            match operation {
                Operation::Set(list) if !is_saved => {
                    let numbers = list.iter().map(|&it| self.facts.number(component, it));
                    numbers.for_each(|number| self.state.give(component, number, NEVER));
                }
                Operation::Get(list) => {
                    for &variable in list {
                        self.state.read[self.facts.number(component, variable)] = STALE;
                    }
                }
                Operation::Set(_) | Operation::Step | Operation::Tick(_) => {}
            }
        }
    }

    fn attempt(&mut self, components: &[ComponentId], stages: &[Stage], again: bool) -> Verdict {
        if self.program != CheckedProgram::Advance {
            let rule = Rule::AttemptsInAdvance;
            return self.fault(PlanAction::Attempt, Fault::Misplaced { rule });
        }
        let saved = self.enter(PlanAction::Attempt, components)?;
        // What a rejected attempt read and moved is forgotten with it.
        let values = again.then(|| (self.state.read.clone(), self.state.ahead.clone()));
        self.stages(stages, again)?;
        if let Some(values) = values {
            saved.iter().for_each(|saved| self.state.restore(self.facts, saved));
            (self.state.read, self.state.ahead) = values;
            self.stages(stages, false)?;
        }
        self.frames.pop();
        self.has_attempted = true;
        Ok(())
    }

    /// Saves who is rolled back.
    fn enter(
        &mut self,
        action: PlanAction,
        components: &[ComponentId],
    ) -> Result<Vec<Saved>, Violation> {
        if NESTING_MAX <= self.frames.len() {
            return Err(self.violation(action, Fault::TooDeep));
        }
        let mut saved = Vec::with_capacity(components.len());
        for &id in components {
            let component = self.component(id, "component")?;
            if !self.facts.models[component].capabilities.save_state {
                let action = PlanAction::Save(self.component_name(component));
                return Err(self.violation(action, Fault::CannotSave));
            }
            saved.push(self.state.save(self.facts, component));
        }
        let mut list = components.to_vec();
        list.sort_unstable();
        self.frames.push(Frame { action, saved: list });
        Ok(saved)
    }

    fn check_last_stage(&mut self, it: &Loop) -> Verdict {
        let Some(Stage::Exchange(last)) = it.stages.last() else {
            let Some(&unknown) = it.unknowns.first() else { return Ok(()) };
            self.connection(unknown)?;
            let unknown = self.connection_name(unknown);
            return self.fault(PlanAction::Iterate, Fault::NotExchanged { unknown });
        };
        let mut last = last.clone();
        last.sort_unstable();
        for &unknown in &it.unknowns {
            self.connection(unknown)?;
            if last.binary_search(&unknown).is_err() {
                let unknown = self.connection_name(unknown);
                return self.fault(PlanAction::Iterate, Fault::NotExchanged { unknown });
            }
        }
        Ok(())
    }

    /// The solver has put a value of the right tag at the end of an unknown.
    fn assume(&mut self, unknown: ConnectionId) {
        let from = self.facts.system.connections[unknown.index()].from.component.index();
        if self.state.is_due(self.facts, from) {
            let expected = self.looked_for(unknown);
            self.places()[unknown.index()] = expected;
            self.exchanged[unknown.index()] = self.programs_run;
        }
    }

    fn check_unknowns(&mut self, it: &Loop) -> Verdict {
        for &unknown in &it.unknowns {
            let from = self.facts.system.connections[unknown.index()].from.component.index();
            let (moved, expected) = (self.places()[unknown.index()], self.looked_for(unknown));
            if self.state.is_due(self.facts, from) && !is_right(moved, expected) {
                let missed = self.missed_by_wire(unknown.index(), moved, expected);
                let action = PlanAction::Exchange(self.connection_name(unknown));
                return self.fault(action, Fault::TooEarly(Box::new(missed)));
            }
        }
        Ok(())
    }

    /// Where exchanges of this program go, by connection.
    fn places(&mut self) -> &mut [Stamp] {
        match self.program {
            CheckedProgram::Advance => &mut self.state.ahead,
            _ => &mut self.state.moved,
        }
    }

    /// The tag whose value a loop looks for at the end of a connection.
    fn looked_for(&self, unknown: ConnectionId) -> Stamp {
        let wire = &self.facts.system.connections[unknown.index()];
        let now = self.state.now_of(self.facts, wire.from.component.index());
        now + Stamp::from(self.program == CheckedProgram::Advance) - Stamp::from(wire.delay)
    }
}
