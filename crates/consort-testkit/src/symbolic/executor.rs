//! Executes a plan on terms.

mod compare;
mod repeat;

use super::Mismatch;
use super::definition::Definition;
use super::facts::{Facts, Feeder};
use super::instance::Instance;
use super::terms::{NONE, Term};
use consort_core::{ConnectionId, VariableId};
use consort_system::{Operation, Plan, Stage, Task};

/// How many cycles of all periods are run.
const CYCLES: i64 = 3;

/// Runs `plan` and compares it with the definition.
pub(super) fn run(
    facts: &Facts<'_>,
    definition: &mut Definition,
    plan: &Plan,
) -> Result<(), Mismatch> {
    let mut run = Run::new(facts, definition);
    run.initialize(&plan.initialization)?;
    let last = CYCLES * facts.parts.iter().map(|part| part.period).fold(1, least_common);
    for time in 0..=last {
        run.time = time;
        if facts.parts.iter().all(|part| time % part.period != 0) {
            continue;
        }
        run.phase = Phase::Present;
        run.gather();
        run.stages(&plan.present)?;
        run.compare_values()?;
        run.remember();
        if time < last {
            run.phase = Phase::Advance;
            run.attempted = false;
            run.stages(&plan.advance)?;
            run.compare_states()?;
            run.forget_moved();
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Initialization,
    Present,
    Advance,
}

struct Run<'a> {
    facts: &'a Facts<'a>,
    definition: &'a mut Definition,
    instances: Vec<Instance>,
    /// By slot: the published values.
    shared: Vec<Term>,
    /// By slot: what will be seen from the component's next tag on; `NONE` if nothing new.
    fresh: Vec<Term>,
    /// By slot: what was there at the component's previous tag.
    previous: Vec<Term>,
    /// By connection: it moved something since this was last cleared.
    moved: Vec<bool>,
    phase: Phase,
    /// The time since the start, in ticks.
    time: i64,
    /// Steps belong to an attempt.
    attempting: bool,
    /// An attempt was made on the way to the next tag.
    attempted: bool,
    /// The steps being made will be taken back.
    rejecting: bool,
    /// What is being computed stems from a wrong guess or will be taken back, so nothing can be said of
    /// it.
    hollow: bool,
    /// Distinguishes wrong guesses and rejected steps.
    counter: u32,
}

impl<'a> Run<'a> {
    fn new(facts: &'a Facts<'a>, definition: &'a mut Definition) -> Self {
        let slots = facts.owners.len();
        let shared = (0..slots).map(|slot| definition.start(slot)).collect();
        let components = 0..facts.parts.len();
        let instances = components.map(|owner| Instance::new(facts, definition, owner));
        Run {
            instances: instances.collect(),
            shared,
            fresh: vec![NONE; slots],
            previous: vec![NONE; slots],
            moved: vec![false; facts.system.connections.len()],
            phase: Phase::Initialization,
            time: 0,
            attempting: false,
            attempted: false,
            rejecting: false,
            hollow: false,
            counter: 0,
            facts,
            definition,
        }
    }

    fn is_due(&self, component: usize) -> bool {
        self.time % self.facts.parts[component].period == 0
    }

    /// Which of the component's tags was the last.
    fn tag(&self, component: usize) -> usize {
        usize::try_from(self.time / self.facts.parts[component].period).expect("not negative")
    }

    // ---- the parts of a run ----

    fn initialize(&mut self, stages: &[Stage]) -> Result<(), Mismatch> {
        self.feed();
        self.stages(stages)?;
        for owner in 0..self.instances.len() {
            self.compare_initial_inputs(owner)?;
            self.instances[owner].leave_initialization(self.definition);
            for &id in &self.facts.parts[owner].used {
                self.get(owner, id)?;
            }
        }
        Ok(())
    }

    /// What was read after the steps that end now is seen from now on.
    fn gather(&mut self) {
        for slot in 0..self.shared.len() {
            if self.fresh[slot] != NONE && self.is_due(self.facts.owners[slot].index()) {
                self.shared[slot] = std::mem::replace(&mut self.fresh[slot], NONE);
            }
        }
        self.feed();
    }

    /// What was read arrives at the next tag; what was moved ahead of time was for the steps only.
    fn forget_moved(&mut self) {
        for slot in 0..self.fresh.len() {
            if self.facts.feeders[slot] != Feeder::None {
                self.fresh[slot] = NONE;
            }
        }
    }

    fn feed(&mut self) {
        for slot in 0..self.shared.len() {
            if self.facts.feeders[slot] == Feeder::Outside {
                self.shared[slot] = match self.phase {
                    Phase::Initialization => self.definition.initial_outside(self.facts, slot),
                    _ => self.definition.outside(slot, self.time),
                };
            }
        }
    }

    /// What the delayed connections will hand over at the sources' next tags.
    fn remember(&mut self) {
        for slot in 0..self.shared.len() {
            if self.is_due(self.facts.owners[slot].index()) {
                self.previous[slot] = self.shared[slot];
            }
        }
    }

    // ---- stages ----

    fn stages(&mut self, stages: &[Stage]) -> Result<(), Mismatch> {
        for stage in stages {
            match stage {
                Stage::Exchange(list) => list.iter().try_for_each(|&id| self.exchange(id))?,
                Stage::Work(tasks) => self.work(tasks)?,
                Stage::Iterate(it) => self.solve(it)?,
                Stage::Attempt { components, stages } => self.attempt(components, stages)?,
                Stage::Integrate(_) => {
                    let text = "components are integrated as one, which no term says";
                    return Err(Mismatch(text.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn exchange(&mut self, id: ConnectionId) -> Result<(), Mismatch> {
        let wire = &self.facts.system.connections[id.index()];
        let (from, to) = (wire.from.component.index(), wire.to.component.index());
        if !self.is_due(from) {
            return Ok(());
        }
        let periods = [from, to].map(|component| self.facts.parts[component].period);
        if self.phase == Phase::Advance && periods[0] != periods[1] {
            return Err(self.wrong(id, "goes ahead of time to a component of another period"));
        }
        if self.phase == Phase::Advance && wire.delay {
            return Err(self.wrong(id, "is delayed and goes ahead of time"));
        }
        self.moved[id.index()] = true;
        for (from, to) in self.facts.wire(id) {
            let value = self.value_for(id, from, to)?;
            if value != NONE {
                self.place(to, value);
            }
        }
        Ok(())
    }

    /// What a connection hands over now; `NONE` for nothing.
    fn value_for(&mut self, id: ConnectionId, from: usize, to: usize) -> Result<Term, Mismatch> {
        if self.facts.system.connections[id.index()].delay {
            return Ok(self.previous[from]);
        }
        let value = match self.phase {
            Phase::Advance if self.fresh[from] != NONE => self.fresh[from],
            _ => self.shared[from],
        };
        // What solves an equation is equal to its other side.
        if self.is_right(id, from, value)? { self.solution(to) } else { Ok(value) }
    }

    /// Whether a value that goes through a cut connection is the one for the time being computed.
    fn is_right(&mut self, id: ConnectionId, from: usize, value: Term) -> Result<bool, Mismatch> {
        if !self.definition.timing.cut[id.index()] {
            return Ok(false);
        }
        let tag = self.computed_tag(self.facts.owners[from].index());
        let right = self.definition.output(self.facts, from, tag);
        Ok(value == self.defined(right)?)
    }

    /// The tag of a component whose values are being computed.
    fn computed_tag(&self, component: usize) -> usize {
        self.tag(component) + usize::from(self.phase == Phase::Advance)
    }

    /// What solves a loop at the end of a connection, for the time that is being computed.
    fn solution(&mut self, to: usize) -> Result<Term, Mismatch> {
        let Feeder::Wire(wire, source) = self.facts.feeders[to] else {
            unreachable!("connections end at connected slots");
        };
        let tag = self.computed_tag(self.facts.owners[source as usize].index());
        let value = self.definition.through(self.facts, (wire, to), source as usize, tag);
        self.defined(value)
    }

    fn place(&mut self, slot: usize, value: Term) {
        match self.phase {
            Phase::Advance => self.fresh[slot] = value,
            Phase::Initialization | Phase::Present => self.shared[slot] = value,
        }
    }

    fn work(&mut self, tasks: &[Task]) -> Result<(), Mismatch> {
        for (index, task) in tasks.iter().enumerate() {
            let owner = task.component.index();
            if tasks[..index].iter().any(|other| other.component == task.component) {
                return Err(self.refused(owner, "has two tasks in one stage"));
            }
            if self.is_due(owner) {
                task.operations.iter().try_for_each(|it| self.operation(owner, it))?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, owner: usize, operation: &Operation) -> Result<(), Mismatch> {
        match operation {
            Operation::Set(list) => {
                for slot in list.iter().flat_map(|&id| self.facts.parts[owner].elements(id)) {
                    let fresh = self.fresh[slot];
                    let ahead = self.phase == Phase::Advance && fresh != NONE;
                    let value = if ahead { fresh } else { self.shared[slot] };
                    self.instances[owner].set(self.facts, slot, value);
                }
                Ok(())
            }
            Operation::Get(list) => list.iter().try_for_each(|&id| self.get(owner, id)),
            Operation::Step => self.step(owner),
            Operation::Tick(_) => Err(self.refused(owner, "has no clock")),
        }
    }

    fn get(&mut self, owner: usize, id: VariableId) -> Result<(), Mismatch> {
        let got = self.instances[owner].get(self.facts, self.definition, id);
        let value = got.map_err(|refusal| self.refused(owner, refusal))?;
        let elements = self.facts.parts[owner].elements(id);
        let initial = self.instances[owner].state.is_none()
            && self.solves_initially(elements.start, value)?;
        for slot in elements {
            let element = match initial {
                true => {
                    let right = self.definition.initial_output(self.facts, slot);
                    self.defined(right)?
                }
                false => self.definition.element(self.facts, value, slot),
            };
            self.place(slot, element);
        }
        Ok(())
    }

    /// Whether a value got in initialization is the right one.
    fn solves_initially(&mut self, slot: usize, value: Term) -> Result<bool, Mismatch> {
        let right = self.definition.initial_equation(self.facts, slot);
        Ok(value == self.defined(right)?)
    }

    fn step(&mut self, owner: usize) -> Result<(), Mismatch> {
        if self.phase != Phase::Advance {
            return Err(self.refused(owner, "steps outside of `advance`"));
        }
        let can_save = self.facts.models[owner].capabilities.save_state;
        let has_waited = self.attempted && !can_save;
        if self.facts.system.coupling.variable_step.is_some() && !self.attempting && !has_waited {
            return Err(self.refused(owner, "may reject a step outside of an attempt"));
        }
        self.counter += u32::from(self.rejecting);
        let rejected = self.rejecting.then_some(self.counter);
        let done = self.instances[owner].step(self.facts, self.definition, rejected);
        done.map_err(|refusal| self.refused(owner, refusal))
    }
}

fn least_common(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
