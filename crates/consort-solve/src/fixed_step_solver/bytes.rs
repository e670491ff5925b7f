//! A solver as bytes and back.

use super::{FixedStepSolver, is_length};
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};
use crate::fixed_step::FixedStep;
use crate::method::Method;

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTPACE\x02";

impl FixedStepSolver {
    /// Everything it needs to continue exactly; equal solvers have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.optional(self.length);
        writer.flag(self.is_known);
        writer.reals(&[self.pace, self.base, self.from, self.t]);
        writer.word(self.count);
        writer.statistics(&self.statistics);
        writer.count(self.x.len());
        for list in [&self.x, &self.x_from, &self.slope, &self.slope_from] {
            writer.reals(list);
        }
        writer.part(&self.fixed.to_bytes());
        writer.finish()
    }

    /// The solver that [`FixedStepSolver::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// If these are no such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let (length, is_known) = (reader.optional()?, reader.flag()?);
        let mut times = [0.0; 4];
        reader.fill(&mut times)?;
        let (count, statistics) = (reader.tally()?, reader.statistics()?);
        let len = reader.at_most(FixedStep::STATES_MAX, "number of states")?;
        // Before anything is allocated.
        reader.expect_words(len.saturating_mul(4))?;
        let mut solver = Self::at_rest(FixedStep::new(Method::Euler, 0), len, length);
        [solver.pace, solver.base, solver.from, solver.t] = times;
        (solver.is_known, solver.count, solver.statistics) = (is_known, count, statistics);
        let FixedStepSolver { x, x_from, slope, slope_from, .. } = &mut solver;
        [x, x_from, slope, slope_from].into_iter().try_for_each(|list| reader.fill(list))?;
        solver.fixed = FixedStep::from_bytes(reader.part()?)?;
        reader.end()?;
        solver.check()
    }

    /// Whether a solver can come to have these numbers.
    fn check(self) -> Result<Self, BytesError> {
        let times = [self.base, self.from, self.t];
        let is_time = times.iter().all(|time| time.is_finite()) && self.from <= self.t;
        let is_step =
            self.length.is_none_or(is_length) && 0.0 <= self.pace && self.pace.is_finite();
        let good = [
            (is_time && self.base <= self.t, "time"),
            (is_step, "length of a step"),
            (self.is_known || self.from.to_bits() == self.t.to_bits(), "slope"),
            (self.fixed.states() == self.x.len(), "number of states"),
        ];
        match good.into_iter().find(|(is_good, _)| !is_good) {
            Some((_, what)) => Err(BytesError::Impossible { what }),
            None => Ok(self),
        }
    }
}

impl PartialEq for FixedStepSolver {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
