//! Why an image could not be taken or put back.

use consort_core::{CallError, CallStatus};
use std::fmt;
use std::io;

/// Why an image could not be taken or put back.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum ImageError {
    /// A system call failed.
    Io {
        /// The operation that failed.
        doing: &'static str,
        source: io::Error,
    },
    /// The model does what an image does not contain.
    Hazard(String),
    /// The mappings do not come out as they were.
    Layout,
    /// Threads have come or gone since.
    Threads,
    /// The state belongs to another instance.
    OtherInstance,
    /// A file is open, and another process cannot continue to read it.
    OpenFile(String),
    /// A file that was open cannot be opened again.
    File(String),
    /// The bytes are not an image of this model on this machine.
    Bytes(String),
    /// The worker failed.
    Call(Box<CallError>),
}

/// For `map_err`: what was being done when the kernel refused.
pub(super) fn doing(doing: &'static str) -> impl Fn(io::Error) -> ImageError {
    move |source| ImageError::Io { doing, source }
}

impl ImageError {
    /// The failure of `call`.
    pub(super) fn of(self, call: &'static str) -> Box<CallError> {
        match self {
            ImageError::Call(error) => error,
            error => CallError::new(call, CallStatus::Refused(error.to_string())),
        }
    }
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::Io { doing, source } => write!(f, "{doing} failed: {source}"),
            ImageError::Hazard(what) => write!(f, "an image does not contain everything: {what}"),
            ImageError::Layout => f.write_str("its memory mappings cannot be restored"),
            ImageError::Threads => {
                f.write_str("threads were started, ended or moved on since the state was saved")
            }
            ImageError::OtherInstance => f.write_str("the state belongs to another instance"),
            ImageError::OpenFile(path) => {
                write!(
                    f,
                    "the file `{path}` is open, and another process cannot continue to read it"
                )
            }
            ImageError::File(path) => {
                write!(f, "the file `{path}`, which was open, cannot be opened again")
            }
            ImageError::Bytes(reason) => f.write_str(reason),
            ImageError::Call(error) => error.fmt(f),
        }
    }
}
