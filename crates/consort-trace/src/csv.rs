//! Traces as CSV, in the column form of FMPy.
//!
//! The first line names the columns, each name in quotes: `"time"`, then one column per scalar and
//! one per element of an array, `"tank.level[2]"`, counted from 1 (so did FMPy until it began to
//! put whole arrays into one cell; [`read_csv`] reads both). Each row follows on its line:
//!
//! - the time in seconds, and floats, in the shortest form that reads back to the same bits
//!   (`Float32` is widened first, so that a reader that knows only doubles sees the exact value);
//! - NaN as `NaN` (its payload is lost), infinities as `inf` and `-inf`;
//! - truth values and clock activations as 1 and 0, enumerations as their number;
//! - texts in quotes where they need them, binaries in hexadecimal digits.
//!
//! Microsteps appear as rows of the same time. What CSV cannot hold (types, units, the resolution,
//! microsteps that were left out) is in the Parquet form.

mod read;

use crate::cell::Cell;
use crate::error::TraceError;
use crate::record::Chunk;
use crate::schema::Schema;
use crate::writer::TraceWriter;
use std::io::Write;

pub use read::{CsvOptions, read_csv};

/// Writes a trace as CSV during a run.
#[derive(Debug)]
pub struct CsvWriter<W: Write> {
    output: W,
    lines: Vec<u8>,
}

impl<W: Write> CsvWriter<W> {
    /// Writes the line of names to `output`. Chunks are written whole, so no further buffer is
    /// needed around it.
    ///
    /// # Errors
    /// If `output` fails.
    pub fn new(mut output: W, schema: &Schema) -> Result<Self, TraceError> {
        let mut lines = b"\"time\"".to_vec();
        for (column, element) in schema.elements() {
            lines.push(b',');
            push_quoted(&mut lines, &schema.columns()[column].element_name(element));
        }
        lines.push(b'\n');
        output.write_all(&lines)?;
        Ok(CsvWriter { output, lines })
    }

    /// Gives the output back, after [`TraceWriter::finish`].
    pub fn into_inner(self) -> W {
        self.output
    }
}

impl<W: Write> TraceWriter for CsvWriter<W> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        let schema = chunk.schema();
        self.lines.clear();
        for (row, tag) in chunk.tags().iter().enumerate() {
            write!(self.lines, "{:?}", schema.resolution().to_f64(tag.time))?;
            for (column, element) in schema.elements() {
                self.lines.push(b',');
                push_cell(&mut self.lines, chunk.cell(row, column, element))?;
            }
            self.lines.push(b'\n');
        }
        Ok(self.output.write_all(&self.lines)?)
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        Ok(self.output.flush()?)
    }
}

fn push_cell(line: &mut Vec<u8>, cell: Cell<'_>) -> Result<(), TraceError> {
    match cell {
        Cell::String(text) if text.contains(['"', ',', '\n', '\r']) => push_quoted(line, text),
        cell => write!(line, "{cell}")?,
    }
    Ok(())
}

fn push_quoted(line: &mut Vec<u8>, text: &str) {
    line.push(b'"');
    for byte in text.bytes() {
        line.push(byte);
        if byte == b'"' {
            line.push(b'"');
        }
    }
    line.push(b'"');
}
