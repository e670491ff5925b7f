//! What happened in a run: recording, hashing, files, comparison.
//!
//! Nothing here reads a clock, starts a thread or opens a file; writers work on any
//! [`std::io::Write`], and who steps and who writes is the caller's choice. The tour:
//!
//! - [`schema`]: which variables are recorded: a [`Schema`] of [`Column`]s.
//! - [`record`]: rows are copied into a [`Chunk`] on the stepping thread; a [`TraceWriter`] takes
//!   full chunks, on another thread if there is one: [`CsvWriter`], [`ParquetWriter`], [`McapWriter`],
//!   a [`Tee`] of several, or a [`Trace`] in memory, of which a [`cell`] is one element.
//! - [`hash`]: one rolling [`VariableHash`] per variable, one [`TraceHash`] over all of them, which
//!   does not depend on who computed which part, or whether a run was saved and continued.
//! - [`mod@csv`] and [`mod@parquet`]: the two forms of file, with their readers [`read_csv`] and
//!   [`read_parquet`]; [`mod@mcap`]: a third one, for other tools to read.
//! - [`journal`]: rows on their way, which outlive their writer; [`progress_mark`]: columns that state where a
//!   run stood at each row, so that it can be cut there.
//! - [`diff`]: [`compare`] two traces to the bit or within tolerances; it names the first
//!   difference.
//!
//! ```
//! use consort_core::{Resolution, Tag, Time, ValueType, ValuesRef};
//! use consort_trace::{
//!     Chunk, Column, CsvOptions, CsvWriter, DiffOptions, Schema, TraceWriter, compare, read_csv,
//! };
//! use std::sync::Arc;
//!
//! let columns = vec![
//!     Column::new("tank", "level", ValueType::Float64).with_unit("m"),
//!     Column::new("valve", "open", ValueType::Boolean),
//! ];
//! let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns)?);
//!
//! // On the stepping thread: copies only.
//! let mut chunk = Chunk::new(&schema);
//! for (milliseconds, level) in [(0, 1.0), (10, 0.98)] {
//!     chunk.begin_row(Tag::at(Time::from_ticks(milliseconds * 1_000_000)));
//!     chunk.extend(ValuesRef::Float64(&[level]));
//!     chunk.extend(ValuesRef::Boolean(&[true]));
//!     chunk.end_row();
//! }
//!
//! // Anywhere: the file.
//! let mut writer = CsvWriter::new(Vec::new(), &schema)?;
//! writer.write(&chunk)?;
//! writer.finish()?;
//! let file = writer.into_inner();
//! assert!(file.starts_with(b"\"time\",\"tank.level\",\"valve.open\"\n0.0,1.0,1\n0.01,0.98,1\n"));
//!
//! // Later: is it what we had before?
//! let trace = read_csv(&file, &CsvOptions::default())?;
//! let before = read_csv(b"time,tank.level,valve.open\n0,1,1\n0.01,0.97,1\n", &CsvOptions::default())?;
//! let comparison = compare(&before, &trace, &DiffOptions::exact());
//! assert_eq!(
//!     comparison.to_string().lines().next(),
//!     Some("different: first at 0.01 s in `tank.level`: 0.97 and 0.98"),
//! );
//! # Ok::<(), consort_trace::TraceError>(())
//! ```

pub mod cell;
mod check_sum;
pub mod csv;
pub mod diff;
mod error;
pub mod hash;
mod hex;
pub mod journal;
pub mod mcap;
pub mod parquet;
pub mod progress_mark;
pub mod record;
pub mod schema;
mod trace;
mod writer;

pub use cell::Cell;
pub use check_sum::CheckSum;
pub use csv::{CsvOptions, CsvWriter, read_csv};
pub use diff::{ComparedRows, DiffOptions, Difference, Tolerance, TraceComparison, compare};
pub use error::TraceError;
pub use hash::{TraceHash, TraceHashError, VariableHash, absorb_values, tag_word, trace_hash};
pub use journal::{JournalReader, JournalWriter, read_journal};
pub use mcap::McapWriter;
pub use parquet::{ParquetWriter, read_parquet};
pub use progress_mark::ProgressMark;
pub use record::Chunk;
pub use schema::{Column, Schema};
pub use trace::Trace;
pub use writer::{Tee, TraceWriter};
