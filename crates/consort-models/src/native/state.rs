//! A saved state and its bytes: exact, little-endian, checked on the way back.

use super::instance::BlockPhase;
use super::store::Store;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Resolution, Seconds, Time, Values};
use consort_solve::FixedStep;

/// Everything an instance is, but what its construction fixed and its random seed.
pub(super) struct BlockState {
    pub(super) block: String,
    pub(super) phase: BlockPhase,
    pub(super) time: Time,
    pub(super) resolution: Resolution,
    pub(super) store: Store,
}

/// The first byte; to be counted up when the form changes.
const FORM: u8 = 2;

impl BlockState {
    /// Whether an instance of `block` with values like `store` can take this state.
    pub(super) fn fits(&self, block: &str, store: &Store) -> bool {
        let shape = |values: &Values| (values.value_type(), values.len());
        let (mine, theirs) = (self.store.values.iter(), store.values.iter());
        let same_solver = match (&self.store.solver, &store.solver) {
            (Some(mine), Some(theirs)) => mine.is_like(theirs),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        };
        self.block == block && same_solver && mine.map(shape).eq(theirs.map(shape))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::onto(Vec::new());
        writer.byte(FORM);
        writer.byte(self.phase as u8);
        writer.text(&self.block);
        writer.whole(self.time.ticks());
        writer.whole(self.resolution.tick().numerator());
        writer.word(self.resolution.tick().denominator());
        for values in &self.store.values {
            writer.elements(values.view());
        }
        if let Some(solver) = &self.store.solver {
            writer.part(&solver.to_bytes());
        }
        writer.finish()
    }

    /// Reads what [`BlockState::to_bytes`] wrote for a block with values like `like`.
    ///
    /// # Errors
    /// If the bytes are too short or too long, of another block, or of another version.
    pub(super) fn from_bytes(
        bytes: &[u8],
        block: &str,
        like: &Store,
    ) -> Result<BlockState, BytesError> {
        let mut reader = Reader::bare(bytes);
        if reader.byte()? != FORM {
            return Err(invalid("version"));
        }
        let phase = reader.byte()?;
        let phase = BlockPhase::ALL.iter().find(|candidate| **candidate as u8 == phase);
        let phase = *phase.ok_or(invalid("phase"))?;
        if reader.text()? != block {
            return Err(invalid("name of a block"));
        }
        let time = Time::from_ticks(reader.whole()?);
        let tick = Seconds::new(reader.whole()?, reader.word()?);
        let resolution = tick.and_then(Resolution::new).ok_or(invalid("resolution"))?;
        let mut store = like.clone();
        for values in &mut store.values {
            let count = values.len();
            reader.elements(values.slice_mut(0, count))?;
        }
        if let Some(solver) = &mut store.solver {
            let taken = FixedStep::from_bytes(reader.part()?)?;
            *solver = Some(taken).filter(|taken| taken.is_like(solver)).ok_or(invalid("solver"))?;
        }
        reader.end()?;
        Ok(BlockState { block: block.to_owned(), phase, time, resolution, store })
    }
}

fn invalid(what: &'static str) -> BytesError {
    BytesError::Impossible { what }
}
