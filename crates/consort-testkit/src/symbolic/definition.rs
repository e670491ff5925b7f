//! The definition of every value, whatever the plan: recursive over variables and tags, remembered once known.
//!
//! A component's tags are counted from 0, the start; its tag `k` is at `k` times its period.

use super::facts::{Facts, Feeder};
use super::terms::{Kind, NONE, Term, Terms};
use super::timing::Timing;
use consort_core::{ConnectionId, VariableId};

/// A value depends on itself and no connection of the circle is cut: the slot where it was noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Circle(pub(super) usize);

type Defined = Result<Term, Circle>;

/// Marks a value that is being looked for.
const BUSY: Term = Term(u32::MAX - 1);

/// The values of one system, for one timing.
pub(super) struct Definition {
    pub(super) terms: Terms,
    pub(super) timing: Timing,
    /// By component and tag.
    states: Vec<Vec<Term>>,
    /// By first slot of the variable and tag.
    variables: Vec<Vec<Term>>,
    spare: Vec<Vec<Term>>,
}

impl Definition {
    pub(super) fn new(facts: &Facts<'_>, timing: Timing) -> Self {
        let (components, slots) = (facts.parts.len(), facts.owners.len());
        Definition {
            terms: Terms::default(),
            timing,
            states: vec![Vec::new(); components],
            variables: vec![Vec::new(); slots],
            spare: Vec::new(),
        }
    }

    /// The start value of an element.
    pub(super) fn start(&mut self, slot: usize) -> Term {
        self.terms.make(Kind::Start, &[word(slot)], &[])
    }

    /// What is fed from outside at a time, counted from the start.
    pub(super) fn outside(&mut self, slot: usize, time: i64) -> Term {
        self.terms.make(Kind::Outside, &[word(slot), time_word(time)], &[])
    }

    /// What solves the loop at a cut connection: the slot it goes to, and the source's tag.
    pub(super) fn solution(&mut self, to: usize, tag: usize) -> Term {
        self.terms.make(Kind::Solution, &[word(to), word(tag)], &[])
    }

    /// One element of a variable.
    pub(super) fn element(&mut self, facts: &Facts<'_>, variable: Term, slot: usize) -> Term {
        let part = &facts.parts[facts.owners[slot].index()];
        let elements = part.elements(facts.variables[slot]);
        match elements.len() {
            1 => variable,
            _ => self.terms.make(Kind::Element, &[word(slot - elements.start)], &[variable]),
        }
    }

    // ---- initialization ----

    /// An element of an output or local in initialization: what it is at the first tag.
    pub(super) fn initial_output(&mut self, facts: &Facts<'_>, slot: usize) -> Defined {
        self.output(facts, slot, 0)
    }

    /// A whole output or local, as a model computes it in initialization.
    pub(super) fn initial_equation(&mut self, facts: &Facts<'_>, slot: usize) -> Defined {
        let owner = facts.owners[slot].index();
        let (part, id) = (&facts.parts[owner], facts.variables[slot]);
        let mut from = self.spare();
        for &input in &part.follows_initially[id.index()] {
            for slot in part.elements(input) {
                from.push(self.initial_input(facts, slot)?);
            }
        }
        let value = self.terms.make(Kind::Initial, &[word(owner), word(id.index())], &from);
        self.spare.push(from);
        Ok(value)
    }

    /// An element of an input in initialization: what it is at the first tag, but for interventions.
    pub(super) fn initial_input(&mut self, facts: &Facts<'_>, slot: usize) -> Defined {
        match facts.feeders[slot] {
            Feeder::Outside => Ok(self.initial_outside(facts, slot)),
            Feeder::None | Feeder::Wire(..) => self.input(facts, slot, 0),
        }
    }

    /// Tables say what is at the start; interventions begin after it.
    pub(super) fn initial_outside(&mut self, facts: &Facts<'_>, slot: usize) -> Term {
        match facts.is_in_table(slot) {
            true => self.outside(slot, 0),
            false => self.start(slot),
        }
    }

    // ---- run time ----

    /// A component's state at one of its tags. The first one follows from the inputs in initialization,
    /// which are compared by themselves.
    pub(super) fn state(&mut self, facts: &Facts<'_>, owner: usize, tag: usize) -> Defined {
        let part = &facts.parts[owner];
        grow(&mut self.states[owner], tag);
        match self.states[owner][tag] {
            BUSY => return Err(Circle(part.slots[0] as usize)),
            NONE => {}
            known => return Ok(known),
        }
        self.states[owner][tag] = BUSY;
        let mut from = self.spare();
        let state = match tag {
            0 => self.terms.make(Kind::FirstState, &[word(owner)], &[]),
            _ => {
                from.push(self.state(facts, owner, tag - 1)?);
                self.step_inputs(facts, owner, tag - 1, &part.fed, &mut from)?;
                self.terms.make(Kind::NextState, &[word(owner)], &from)
            }
        };
        self.spare.push(from);
        self.states[owner][tag] = state;
        Ok(state)
    }

    /// The inputs that the step from a tag on uses: delayed ones as they are then, reactive ones as
    /// they are at its end.
    fn step_inputs(
        &mut self,
        facts: &Facts<'_>,
        owner: usize,
        tag: usize,
        list: &[VariableId],
        into: &mut Vec<Term>,
    ) -> Result<(), Circle> {
        let part = &facts.parts[owner];
        for &id in list {
            let late = usize::from(self.timing.reactive[owner][id.index()]);
            let time = part.period * integer(tag + late);
            for slot in part.elements(id) {
                into.push(self.input(facts, slot, time)?);
            }
        }
        Ok(())
    }

    /// An element of an output or local at one of its component's tags.
    pub(super) fn output(&mut self, facts: &Facts<'_>, slot: usize, tag: usize) -> Defined {
        let owner = facts.owners[slot].index();
        let id = facts.variables[slot];
        let first = facts.parts[owner].elements(id).start;
        grow(&mut self.variables[first], tag);
        match self.variables[first][tag] {
            BUSY => return Err(Circle(slot)),
            NONE => {
                self.variables[first][tag] = BUSY;
                self.variables[first][tag] = self.compute(facts, owner, id, tag)?;
            }
            _ => {}
        }
        Ok(self.element(facts, self.variables[first][tag], slot))
    }

    fn compute(&mut self, facts: &Facts<'_>, owner: usize, id: VariableId, tag: usize) -> Defined {
        let part = &facts.parts[owner];
        let mut from = self.spare();
        from.push(self.state(facts, owner, tag)?);
        let follows = &part.follows[id.index()];
        match (part.by_step, self.timing.jacobi, tag) {
            (true, ..) | (false, true, 0) => {}
            (false, true, _) => self.step_inputs(facts, owner, tag - 1, follows, &mut from)?,
            (false, false, _) => {
                for slot in follows.iter().flat_map(|&input| part.elements(input)) {
                    from.push(self.input(facts, slot, part.period * integer(tag))?);
                }
            }
        }
        let words = [word(owner), word(id.index())];
        let value = self.terms.make(Kind::Variable, &words, &from);
        self.spare.push(from);
        Ok(value)
    }

    /// What an element of an input is at a time: what its source had at its latest tag.
    pub(super) fn input(&mut self, facts: &Facts<'_>, slot: usize, time: i64) -> Defined {
        let (wire, source) = match facts.feeders[slot] {
            Feeder::None => return Ok(self.start(slot)),
            Feeder::Outside => return Ok(self.outside(slot, time)),
            Feeder::Wire(wire, source) => (wire, source as usize),
        };
        let period = facts.parts[facts.owners[source].index()].period;
        let tag = usize::try_from(time / period).expect("no time is before the start");
        match facts.system.connections[wire.index()].delay {
            true if tag == 0 => Ok(self.start(slot)),
            true => self.output(facts, source, tag - 1),
            false => self.through(facts, (wire, slot), source, tag),
        }
    }

    /// What a connection without delay hands to `to`, given its source's tag.
    pub(super) fn through(
        &mut self,
        facts: &Facts<'_>,
        (wire, to): (ConnectionId, usize),
        source: usize,
        tag: usize,
    ) -> Defined {
        match self.timing.cut[wire.index()] {
            true => Ok(self.solution(to, tag)),
            false => self.output(facts, source, tag),
        }
    }

    /// Whether a value at one of the first two tags of a component depends on itself.
    pub(super) fn has_circle(&mut self, facts: &Facts<'_>) -> bool {
        (0..facts.parts.len()).any(|owner| {
            let part = &facts.parts[owner];
            let slots: Vec<usize> = part.used.iter().map(|&id| part.elements(id).start).collect();
            (0..2).any(|tag| {
                self.state(facts, owner, tag).is_err()
                    || slots.iter().any(|&slot| self.output(facts, slot, tag).is_err())
            })
        })
    }

    fn spare(&mut self) -> Vec<Term> {
        let mut spare = self.spare.pop().unwrap_or_default();
        spare.clear();
        spare
    }
}

fn grow(list: &mut Vec<Term>, tag: usize) {
    if list.len() <= tag {
        list.resize(tag + 1, NONE);
    }
}

pub(super) fn word(index: usize) -> u32 {
    u32::try_from(index).expect("small systems only")
}

fn time_word(time: i64) -> u32 {
    u32::try_from(time).expect("a few cycles only")
}

fn integer(tag: usize) -> i64 {
    i64::try_from(tag).expect("a few tags only")
}
