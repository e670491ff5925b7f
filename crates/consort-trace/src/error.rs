//! What can go wrong when a trace is written or read.

use ::parquet::errors::ParquetError;
use consort_core::{TimeError, ValueType};
use std::fmt;
use std::io;

/// Why a trace could not be written or read. A run can continue without its trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// The file could not be written or read. Look at the disk and the rights.
    Io {
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not Parquet, or is damaged. Fetch it again, or run again.
    Parquet {
        /// The error of the Parquet library.
        source: ParquetError,
    },
    /// The file is Parquet, but was not written by Consort or has been changed since.
    NotATrace {
        /// What is missing or wrong.
        reason: String,
    },
    /// The text is not CSV.
    Csv {
        /// The error of the CSV library.
        source: ::csv::Error,
    },
    /// A cell of a CSV file does not hold a value of its column's type.
    BadCell {
        /// The line, counted from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The content of the cell.
        text: String,
        /// The type of the column.
        expected: ValueType,
    },
    /// A time in a file is not a time.
    BadTime {
        /// The row, counted from 1.
        row: u64,
        /// The reason the text is no time.
        source: TimeError,
    },
    /// A row's time or microstep is not after that of the row before.
    NotIncreasing {
        /// The row, counted from 1.
        row: u64,
    },
    /// Two columns have one name, so that they could not be distinguished in the file.
    DuplicateColumn {
        /// The name that is used twice.
        name: String,
    },
    /// A variable has the name of a column that Consort adds. Rename it.
    ReservedColumn {
        /// The reserved name.
        name: String,
    },
    /// A column of a file is not what the schema given says.
    ColumnMismatch {
        /// The name that was expected.
        expected: String,
        /// The name that was found; empty where there is none.
        found: String,
    },
    /// There is more than a trace may hold.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A writer was used after it had been finished.
    Finished,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Io { source } => write!(f, "the trace file failed: {source}"),
            TraceError::Parquet { source } => write!(f, "not a sound Parquet file: {source}"),
            TraceError::NotATrace { reason } => write!(f, "not a trace of Consort: {reason}"),
            TraceError::Csv { source } => write!(f, "not a sound CSV file: {source}"),
            TraceError::BadCell { line, column, text, expected } => {
                write!(f, "line {line}, column `{column}`: `{text}` is not a {expected}")
            }
            TraceError::BadTime { row, source } => write!(f, "row {row}: {source}"),
            TraceError::NotIncreasing { row } => {
                write!(f, "row {row}: its time is not after that of the row before")
            }
            TraceError::DuplicateColumn { name } => write!(f, "two columns are named `{name}`"),
            TraceError::ReservedColumn { name } => {
                write!(f, "`{name}` is the name of a column that every trace has")
            }
            TraceError::ColumnMismatch { expected, found } => {
                write!(f, "expected a column `{expected}`, found `{found}`")
            }
            TraceError::TooLarge { what, limit } => write!(f, "more than {limit} {what}"),
            TraceError::Finished => f.write_str("the trace has been finished already"),
        }
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TraceError::Io { source } => Some(source),
            TraceError::Parquet { source } => Some(source),
            TraceError::Csv { source } => Some(source),
            TraceError::BadTime { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for TraceError {
    fn from(source: io::Error) -> Self {
        TraceError::Io { source }
    }
}

impl From<ParquetError> for TraceError {
    /// Takes an IO error out of the library's wrapping, so that "disk full" says so.
    fn from(source: ParquetError) -> Self {
        match source {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(source) => TraceError::Io { source: *source },
                Err(inner) => TraceError::Parquet { source: ParquetError::External(inner) },
            },
            source => TraceError::Parquet { source },
        }
    }
}

impl From<::csv::Error> for TraceError {
    fn from(source: ::csv::Error) -> Self {
        TraceError::Csv { source }
    }
}
