//! A chunk as bytes: its rows as they lie in memory, without the values that did not change.

use super::sparse::{self, Room};
use crate::record::{Bank, Chunk, Elements};
use crate::schema::Schema;
use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Tag, Time, ValueType, Values, ValuesRef};
use std::sync::Arc;

/// The last row of a journal so far: that of each type of numbers.
#[derive(Debug)]
pub(super) struct Before {
    rows: Vec<Values>,
    room: Room,
}

impl Before {
    /// Before the first row of a journal.
    pub(super) fn new(schema: &Schema) -> Self {
        let zeros = |value_type| match is_fixed(value_type) {
            true => Values::zeros(value_type, schema.width(value_type)),
            false => Values::zeros(value_type, 0),
        };
        Before { rows: ValueType::ALL.map(zeros).into(), room: Room::default() }
    }
}

fn is_fixed(value_type: ValueType) -> bool {
    !matches!(value_type, ValueType::String | ValueType::Binary)
}

pub(super) fn encode(chunk: &Chunk, before: &mut Before, body: &mut Writer) {
    body.count(chunk.rows());
    for tag in chunk.tags() {
        body.whole(tag.time.ticks());
        body.word(u64::from(tag.microstep));
    }
    let Before { rows, room } = before;
    for (bank, before) in chunk.banks().iter().zip(rows) {
        match &bank.elements {
            Elements::Fixed(values) => sparse::encode(values, before, room, body),
            Elements::Variable { bytes, ends, .. } => {
                body.part(bytes);
                body.count(ends.len());
                ends.iter().for_each(|end| body.count(*end));
            }
        }
    }
    body.values(ValuesRef::UInt64(chunk.mark()));
}

pub(super) fn decode(
    reader: &mut Reader<'_>,
    schema: &Arc<Schema>,
    before: &mut Before,
) -> Result<Chunk, BytesError> {
    let tags = tags(reader)?;
    let mut banks = Vec::with_capacity(ValueType::ALL.len());
    for (value_type, before) in ValueType::ALL.into_iter().zip(&mut before.rows) {
        let elements = match is_fixed(value_type) {
            true => sparse::decode(reader, before, tags.len()).map(Elements::Fixed)?,
            false => texts(reader, value_type)?,
        };
        let bank = Bank { width: schema.width(value_type), elements };
        if tags.len().checked_mul(bank.width) != Some(bank.len()) {
            return Err(impossible("number of values"));
        }
        banks.push(bank);
    }
    let Values::UInt64(mark) = reader.values(ValueType::UInt64)? else {
        return Err(impossible("mark"));
    };
    Ok(Chunk::from_parts(schema, tags, banks, mark))
}

fn tags(reader: &mut Reader<'_>) -> Result<Vec<Tag>, BytesError> {
    let count = reader.count(16)?;
    let mut tags: Vec<Tag> = Vec::with_capacity(count);
    for _ in 0..count {
        let time = Time::from_ticks(reader.whole()?);
        let microstep = reader.word()?.try_into().map_err(|_| impossible("microstep"))?;
        tags.push(Tag { time, microstep });
    }
    let is_sound = tags.is_sorted_by(|first, second| first < second);
    is_sound.then_some(tags).ok_or(impossible("order of tags"))
}

/// Reads texts or binaries.
fn texts(reader: &mut Reader<'_>, value_type: ValueType) -> Result<Elements, BytesError> {
    let bytes = reader.part()?.to_vec();
    let count = reader.count(8)?;
    let (mut ends, mut start) = (Vec::with_capacity(count), 0);
    for _ in 0..count {
        let end = usize::try_from(reader.word()?).map_err(|_| impossible("length"))?;
        let item = bytes.get(start..end).ok_or(impossible("length"))?;
        if value_type == ValueType::String && std::str::from_utf8(item).is_err() {
            return Err(impossible("text"));
        }
        ends.push(end);
        start = end;
    }
    Ok(Elements::Variable { value_type, bytes, ends })
}

pub(super) fn impossible(what: &'static str) -> BytesError {
    BytesError::Impossible { what }
}
