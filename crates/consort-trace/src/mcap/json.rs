//! Messages and their schemas as JSON.

use crate::cell::Cell;
use crate::record::Chunk;
use crate::schema::{Column, Schema};
use consort_core::{Resolution, Tag, ValueType};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Why writing into memory cannot go wrong.
const MEMORY: &str = "memory takes every byte";

/// A variable in the messages of its component.
pub(super) struct Member {
    /// `"level":`
    name: Vec<u8>,
    column: usize,
    count: usize,
    is_array: bool,
}

impl Member {
    /// The column of the schema at `index`.
    pub(super) fn new(schema: &Schema, index: usize) -> Self {
        let column = &schema.columns()[index];
        let mut name = Vec::new();
        push_text(&mut name, column.variable());
        name.push(b':');
        let is_array = !column.dimensions.is_empty();
        Member { name, column: index, count: column.element_count(), is_array }
    }

    /// Appends its name and its value in a row.
    pub(super) fn push(&self, line: &mut Vec<u8>, chunk: &Chunk, row: usize) {
        line.extend_from_slice(&self.name);
        if !self.is_array {
            return push_cell(line, chunk.cell(row, self.column, 0));
        }
        line.push(b'[');
        for element in 0..self.count {
            if 0 < element {
                line.push(b',');
            }
            push_cell(line, chunk.cell(row, self.column, element));
        }
        line.push(b']');
    }
}

/// Appends the beginning of a message, up to its first value.
pub(super) fn push_tag(line: &mut Vec<u8>, tag: Tag, resolution: Resolution) {
    let (seconds, tick) = (resolution.to_f64(tag.time), tag.time.ticks());
    let microstep = tag.microstep;
    line.extend_from_slice(b"{\"time\":");
    push_float(line, seconds);
    write!(line, ",\"tick\":{tick},\"microstep\":{microstep},\"values\":{{").expect(MEMORY);
}

fn push_cell(line: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Float64(value) => push_float(line, value),
        Cell::Float32(value) => push_float(line, value.into()),
        Cell::Integer(_, value) => write!(line, "{value}").expect(MEMORY),
        Cell::Boolean { value, .. } => write!(line, "{value}").expect(MEMORY),
        Cell::String(text) => push_text(line, text),
        Cell::Binary(_) => write!(line, "\"{cell}\"").expect(MEMORY),
    }
}

fn push_float(line: &mut Vec<u8>, value: f64) {
    let text: &[u8] = match value {
        _ if value.is_nan() => b"\"NaN\"",
        f64::INFINITY => b"\"Infinity\"",
        f64::NEG_INFINITY => b"\"-Infinity\"",
        _ => return write!(line, "{value:?}").expect(MEMORY),
    };
    line.extend_from_slice(text);
}

fn push_text(line: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(line, text).expect(MEMORY);
}

/// What the messages of a component with these columns are.
pub(super) fn schema<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let values: Map<String, Value> =
        columns.map(|column| (column.variable().to_owned(), property(column))).collect();
    json!({
        "type": "object",
        "properties": {
            "time": { "type": "number", "unit": "s", "description": "simulated time" },
            "tick": { "type": "integer", "description": "the same, exactly" },
            "microstep": { "type": "integer", "description": "which of the rows of this time" },
            "values": { "type": "object", "properties": values },
        },
    })
    .to_string()
}

fn property(column: &Column) -> Value {
    let element = json!({ "type": type_name(column.value_type) });
    let mut property = match column.dimensions.is_empty() {
        true => element,
        false => json!({ "type": "array", "items": element, "dimensions": column.dimensions }),
    };
    if let Some(unit) = &column.unit {
        property["unit"] = json!(unit);
    }
    if !column.description.is_empty() {
        property["description"] = json!(column.description);
    }
    if !column.enumeration.is_empty() {
        property["names"] = json!(column.enumeration);
    }
    property
}

/// The type of JSON that holds a value.
fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Float64 | ValueType::Float32 => "number",
        ValueType::Boolean | ValueType::Clock => "boolean",
        ValueType::String | ValueType::Binary => "string",
        _ => "integer",
    }
}
