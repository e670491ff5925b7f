//! Stages that run more than once: loops and attempts.

use super::{Phase, Run};
use crate::symbolic::Mismatch;
use crate::symbolic::definition::word;
use crate::symbolic::instance::Instance;
use crate::symbolic::terms::{Kind, NONE};
use consort_core::{ComponentId, ConnectionId};
use consort_system::{Loop, Stage};

impl Run<'_> {
    /// Evaluates once with wrong guesses, as a first evaluation is, and once with the solution.
    pub(super) fn solve(&mut self, it: &Loop) -> Result<(), Mismatch> {
        let saved = self.save(&it.rollback)?;
        let hollow = std::mem::replace(&mut self.hollow, true);
        self.evaluate(it)?;
        self.hollow = hollow;
        self.restore(&saved);
        self.evaluate(it)?;
        match self.hollow {
            true => Ok(()),
            false => it.unknowns.iter().try_for_each(|&id| self.verify(id)),
        }
    }

    fn evaluate(&mut self, it: &Loop) -> Result<(), Mismatch> {
        for &id in &it.unknowns {
            self.moved[id.index()] = false;
            self.assume(id)?;
        }
        self.stages(&it.stages)
    }

    /// Puts a guess, or the solution, where an unknown is.
    fn assume(&mut self, id: ConnectionId) -> Result<(), Mismatch> {
        let wire = &self.facts.system.connections[id.index()];
        if !self.is_due(wire.from.component.index()) {
            return Ok(());
        }
        self.counter += 1;
        for (from, to) in self.facts.wire(id) {
            let value = match (self.hollow, wire.delay) {
                (true, _) => {
                    self.definition.terms.make(Kind::Guess, &[word(to), self.counter], &[])
                }
                (false, true) if self.previous[from] == NONE => self.definition.start(to),
                (false, true) => self.previous[from],
                (false, false) => self.solution(to)?,
            };
            self.place(to, value);
        }
        Ok(())
    }

    /// The evaluation must bring the solution back.
    fn verify(&mut self, id: ConnectionId) -> Result<(), Mismatch> {
        let wire = &self.facts.system.connections[id.index()];
        if !self.is_due(wire.from.component.index()) || wire.delay {
            return Ok(());
        }
        let ahead = self.phase == Phase::Advance;
        for (_, to) in self.facts.wire(id) {
            let value = if ahead { self.fresh[to] } else { self.shared[to] };
            if !self.moved[id.index()] || value != self.solution(to)? {
                return Err(self.wrong(id, "is not what solves the loop"));
            }
        }
        Ok(())
    }

    /// Every second attempt is rejected once: components go back, and nothing that was read or moved
    /// is known any more.
    pub(super) fn attempt(
        &mut self,
        components: &[ComponentId],
        stages: &[Stage],
    ) -> Result<(), Mismatch> {
        let saved = self.save(components)?;
        let outer = std::mem::replace(&mut self.attempting, true);
        if self.time % 2 == 1 || self.facts.parts.iter().all(|part| part.period % 2 == 0) {
            let fresh = self.fresh.clone();
            let outer = (self.rejecting, self.hollow);
            (self.rejecting, self.hollow) = (true, true);
            self.stages(stages)?;
            (self.rejecting, self.hollow) = outer;
            self.restore(&saved);
            self.fresh = fresh;
        }
        self.stages(stages)?;
        self.attempting = outer;
        self.attempted = true;
        Ok(())
    }

    fn save(&self, components: &[ComponentId]) -> Result<Vec<(usize, Instance)>, Mismatch> {
        let save = |id: &ComponentId| {
            let owner = id.index();
            match self.facts.models[owner].capabilities.save_state {
                true => Ok((owner, self.instances[owner].clone())),
                false => Err(self.refused(owner, "cannot be saved")),
            }
        };
        components.iter().map(save).collect()
    }

    fn restore(&mut self, saved: &[(usize, Instance)]) {
        for (owner, instance) in saved {
            self.instances[*owner] = instance.clone();
        }
    }
}
