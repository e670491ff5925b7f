//! A solver as bytes and back.

use super::attempt::{LOOKS_AGAINST, LOOKS_FOR};
use super::control::ERROR_LOG_MIN;
use super::{Dense, Known, Pair, RungeKutta};
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTRUNG\x02";

const PAIRS: [Pair; 3] = [Pair::BogackiShampine32, Pair::DormandPrince54, Pair::DormandPrince853];
const WHEN: [Dense; 2] = [Dense::Always, Dense::OnDemand];
const KNOWN: [Known; 3] = [Known::None, Known::First, Known::Last];
const FLAGS: [bool; 2] = [false, true];

impl RungeKutta {
    /// Everything it needs to continue exactly; equal solvers have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.choice(&PAIRS, self.pair);
        writer.choice(&WHEN, self.when_dense);
        writer.choice(&KNOWN, self.known);
        writer.choice(&FLAGS, self.is_dense);
        writer.byte(self.pace.stiff_looks);
        writer.byte(self.pace.calm_looks);
        writer.count(self.x.len());
        writer.options(&self.options);
        writer.reals(&[self.from, self.t, self.pace.next, self.pace.error_log]);
        writer.statistics(&self.statistics);
        writer.reals(&self.x);
        writer.reals(&self.x_from);
        writer.reals(&self.slopes);
        writer.finish()
    }

    /// The solver that [`RungeKutta::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// If these are no such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let pair = reader.choice(&PAIRS, "pair of methods")?;
        let when_dense = reader.choice(&WHEN, "dense output")?;
        let known = reader.choice(&KNOWN, "slope")?;
        let is_dense = reader.choice(&FLAGS, "dense output")?;
        let looks = (reader.byte()?, reader.byte()?);
        let len = reader.at_most(Self::STATES_MAX, "number of states")?;
        let options = reader.options(len)?;
        // Before anything large is allocated.
        reader.expect_words(len.saturating_mul(2 + pair.tableau().rows()))?;
        let mut solver = RungeKutta::new(pair, len, &options);
        (solver.when_dense, solver.known, solver.is_dense) = (when_dense, known, is_dense);
        (solver.pace.stiff_looks, solver.pace.calm_looks) = looks;
        solver.from = reader.real()?;
        solver.t = reader.real()?;
        solver.pace.next = reader.real()?;
        solver.pace.error_log = reader.real()?;
        solver.statistics = reader.statistics()?;
        reader.fill(&mut solver.x)?;
        reader.fill(&mut solver.x_from)?;
        reader.fill(&mut solver.slopes)?;
        reader.end()?;
        solver.check()?;
        Ok(solver)
    }

    /// Whether a solver can come to have these numbers.
    fn check(&self) -> Result<(), BytesError> {
        let is_size = |value: f64| 0.0 <= value && value.is_finite();
        let has_step = self.from < self.t;
        let good = [
            (self.from.is_finite() && self.t.is_finite() && self.from <= self.t, "time"),
            (is_size(self.pace.next), "size of the next step"),
            ((ERROR_LOG_MIN..=0.0).contains(&self.pace.error_log), "error"),
            (
                self.pace.stiff_looks < LOOKS_FOR && self.pace.calm_looks <= LOOKS_AGAINST,
                "look at stability",
            ),
            ((self.known == Known::Last) == has_step, "slope"),
            (!self.is_dense || has_step, "dense output"),
        ];
        let bad = good.into_iter().find(|(is_good, _)| !is_good);
        bad.map_or(Ok(()), |(_, what)| Err(BytesError::Impossible { what }))
    }
}

impl PartialEq for RungeKutta {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
