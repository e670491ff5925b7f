//! How a journal begins: what was run, and which columns its rows have.

use crate::error::TraceError;
use crate::parquet::metadata;
use crate::schema::Schema;
use consort_core::bytes::{BytesError, Reader, Writer};

const MAGIC: [u8; 8] = *b"CSTHEAD2";

pub(super) fn encode(schema: &Schema, about: &str) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    writer.text(about);
    writer.text(&metadata::encode(schema));
    let mark = Schema::new(schema.resolution(), schema.mark_columns().to_vec());
    writer.text(&mark.map(|mark| metadata::encode(&mark)).unwrap_or_default());
    let columns = 0..schema.columns().len();
    columns.for_each(|column| writer.count(schema.place(column).offset));
    writer.finish()
}

pub(super) fn decode(body: &[u8]) -> Result<(String, Schema), TraceError> {
    let not = |error: BytesError| TraceError::NotATrace { reason: error.to_string() };
    let (about, schema, mark, offsets) = parts(body).map_err(not)?;
    let schema = metadata::decode(schema)?;
    let mark = metadata::decode(mark)?;
    if offsets.len() != schema.columns().len() {
        return Err(not(BytesError::Impossible { what: "number of columns" }));
    }
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&column| offsets[column]);
    let schema = schema.with_row_order(&order).with_marks(mark.columns().to_vec());
    Ok((about.to_owned(), schema))
}

fn parts(body: &[u8]) -> Result<(&str, &str, &str, Vec<u64>), BytesError> {
    let mut reader = Reader::new(body, MAGIC)?;
    let texts = (reader.text()?, reader.text()?, reader.text()?);
    let mut offsets = Vec::new();
    while reader.end().is_err() {
        offsets.push(reader.word()?);
    }
    Ok((texts.0, texts.1, texts.2, offsets))
}
