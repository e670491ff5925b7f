//! A live component made of terms.

use super::definition::{Definition, word};
use super::facts::Facts;
use super::terms::{Kind, Term};
use consort_core::VariableId;

/// What an instance would not allow.
pub(super) type Refusal = &'static str;

/// What is saved and restored.
#[derive(Clone)]
pub(super) struct Instance {
    owner: usize,
    /// None while it is being initialized.
    pub(super) state: Option<Term>,
    /// By variable and element, counted from the component's first slot.
    inputs: Vec<Term>,
    /// Something was set since the last step.
    touched: bool,
    /// It is beyond its first tag.
    stepped: bool,
}

impl Instance {
    pub(super) fn new(facts: &Facts<'_>, definition: &mut Definition, owner: usize) -> Self {
        let slots = &facts.parts[owner].slots;
        let range = slots[0] as usize..slots[slots.len() - 1] as usize;
        let inputs = range.map(|slot| definition.start(slot)).collect();
        Instance { owner, state: None, inputs, touched: false, stepped: false }
    }

    pub(super) fn set(&mut self, facts: &Facts<'_>, slot: usize, value: Term) {
        self.inputs[slot - facts.parts[self.owner].slots[0] as usize] = value;
        self.touched = true;
    }

    /// The value of a whole variable as the instance would answer now.
    pub(super) fn get(
        &self,
        facts: &Facts<'_>,
        definition: &mut Definition,
        id: VariableId,
    ) -> Result<Term, Refusal> {
        let part = &facts.parts[self.owner];
        let words = [word(self.owner), word(id.index())];
        let Some(state) = self.state else {
            let from = self.inputs_of(facts, &part.follows_initially[id.index()], None);
            return Ok(definition.terms.make(Kind::Initial, &words, &from));
        };
        if part.by_step && self.touched {
            return Err("is read after it was set and before it steps");
        }
        let none = Vec::new();
        let is_first = definition.timing.jacobi && !self.touched && !self.stepped;
        let follows = if part.by_step || is_first { &none } else { &part.follows[id.index()] };
        let from = self.inputs_of(facts, follows, Some(state));
        Ok(definition.terms.make(Kind::Variable, &words, &from))
    }

    fn inputs_of(&self, facts: &Facts<'_>, list: &[VariableId], state: Option<Term>) -> Vec<Term> {
        let part = &facts.parts[self.owner];
        let base = part.slots[0] as usize;
        let mut from: Vec<Term> = state.into_iter().collect();
        for &id in list {
            let elements = part.elements(id);
            from.extend_from_slice(&self.inputs[elements.start - base..elements.end - base]);
        }
        from
    }

    pub(super) fn leave_initialization(&mut self, definition: &mut Definition) {
        self.state = Some(definition.terms.make(Kind::FirstState, &[word(self.owner)], &[]));
        self.touched = false;
    }

    /// What it was given.
    pub(super) fn input(&self, facts: &Facts<'_>, slot: usize) -> Term {
        self.inputs[slot - facts.parts[self.owner].slots[0] as usize]
    }

    /// Moves on; `rejected` numbers a step that will be taken back.
    pub(super) fn step(
        &mut self,
        facts: &Facts<'_>,
        definition: &mut Definition,
        rejected: Option<u32>,
    ) -> Result<(), Refusal> {
        let state = self.state.ok_or("steps in initialization")?;
        let from = self.inputs_of(facts, &facts.parts[self.owner].fed, Some(state));
        let owner = word(self.owner);
        self.state = Some(match rejected {
            None => definition.terms.make(Kind::NextState, &[owner], &from),
            Some(number) => definition.terms.make(Kind::RejectedState, &[owner, number], &from),
        });
        self.touched = false;
        self.stepped = true;
        Ok(())
    }
}
