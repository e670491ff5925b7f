//! A solver as bytes and back.

use super::FixedStep;
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};
use crate::method::Method;

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTFIXS\x01";

impl FixedStep {
    /// Everything it needs to continue exactly; equal solvers have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.choice(&Method::ALL, self.method);
        writer.byte(u8::try_from(self.filled).expect("a history has a few rows"));
        writer.count(self.states);
        writer.real(self.length);
        writer.reals(self.live());
        writer.finish()
    }

    /// The solver that [`FixedStep::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// If these are no such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let impossible = |what| BytesError::Impossible { what };
        let mut reader = Reader::new(bytes, MAGIC)?;
        let method = reader.choice(&Method::ALL, "method")?;
        let filled = usize::from(reader.byte()?);
        if method.history() < filled {
            return Err(impossible("history"));
        }
        let states = reader.at_most(Self::STATES_MAX, "number of states")?;
        let length = reader.real()?;
        let is_none = length.to_bits() == 0;
        if (filled == 0) != is_none || !length.is_finite() || (length == 0.0 && !is_none) {
            return Err(impossible("length of a step"));
        }
        // Before anything is allocated.
        reader.expect_words(filled * states)?;
        let mut solver = FixedStep::new(method, states);
        (solver.filled, solver.length) = (filled, length);
        reader.fill(&mut solver.history[..filled * states])?;
        reader.end()?;
        Ok(solver)
    }
}
