//! Traces as Parquet: typed, compact, and complete.
//!
//! The columns are `time` (seconds, DOUBLE), `tick` (INT64) and `microstep` (INT32), then one per
//! scalar and one per element of an array, named as in CSV. All are required. Small whole numbers
//! are INT32 and large ones INT64 with the logical type of their width, truth values and clock
//! activations BOOLEAN, texts BYTE_ARRAY with UTF8, binaries BYTE_ARRAY, enumerations INT64. So any
//! tool that reads Parquet reads a trace. The key `consort.trace` of the file's metadata holds the
//! [`Schema`](crate::Schema) as JSON, so that [`read_parquet`] restores everything, to the bit
//! (payloads of NaNs included).
//!
//! A file is the same to the byte for the same trace.

mod layout;
pub(crate) mod metadata;
mod read;
mod write;

pub use read::{CELLS_MAX, read_parquet};
pub use write::{ParquetWriter, ROW_GROUP_BYTES, ROW_GROUP_ROWS};
