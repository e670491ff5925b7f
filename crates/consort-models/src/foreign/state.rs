//! A saved state of a program, and its bytes.

use super::table::ValueTable;
use consort_core::Values;
use consort_core::bytes::{BytesError, Reader, Writer};

/// What the bytes begin with; to be counted up when they change.
const MAGIC: [u8; 8] = *b"foreign1";

/// All values, and what the program says that it is.
pub(super) struct ForeignState {
    pub(super) values: Vec<Values>,
    pub(super) blob: Vec<u8>,
}

impl ForeignState {
    /// Whether an instance with these values can take it.
    pub(super) fn fits(&self, table: &ValueTable) -> bool {
        let shape = |values: &Values| (values.value_type(), values.len());
        self.values.iter().map(shape).eq(table.values.iter().map(shape))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        self.values.iter().for_each(|values| writer.values(values.view()));
        writer.part(&self.blob);
        writer.finish()
    }

    pub(super) fn from_bytes(bytes: &[u8], like: &ValueTable) -> Result<ForeignState, BytesError> {
        let mut reader = Reader::new(bytes, MAGIC)?;
        let types = like.values.iter().map(Values::value_type);
        let values: Result<Vec<_>, _> = types.map(|it| reader.values(it)).collect();
        let state = ForeignState { values: values?, blob: reader.part()?.to_vec() };
        reader.end()?;
        if !state.fits(like) {
            return Err(BytesError::Impossible { what: "number of elements" });
        }
        Ok(state)
    }
}
