//! Why an image could not be taken or put back.

use consort_core::{CallError, CallStatus};
use std::fmt;
use std::io;

/// Why an image could not be taken or put back.
#[derive(Debug)]
#[non_exhaustive]
pub(super) enum Trouble {
    /// The kernel refused.
    Io {
        /// What was being done.
        doing: &'static str,
        source: io::Error,
    },
    /// The model does what an image does not contain.
    Hazard(String),
    /// The mappings do not come out as they were.
    Layout,
    /// Threads have come or gone since.
    Threads,
    /// The state is another instance's.
    Stranger,
    /// A file is open, which another process could not have.
    OpenFile(String),
    /// A file that was open cannot be had again.
    File(String),
    /// The bytes are no image, or one of something else.
    Bytes(String),
    /// The worker failed.
    Call(Box<CallError>),
}

/// For `map_err`: what was being done when the kernel refused.
pub(super) fn doing(doing: &'static str) -> impl Fn(io::Error) -> Trouble {
    move |source| Trouble::Io { doing, source }
}

impl Trouble {
    /// The failure of `call`.
    pub(super) fn of(self, call: &'static str) -> Box<CallError> {
        match self {
            Trouble::Call(error) => error,
            trouble => CallError::new(call, CallStatus::Refused(trouble.to_string())),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Io { doing, source } => write!(f, "{doing} failed: {source}"),
            Trouble::Hazard(what) => write!(f, "an image does not contain everything: {what}"),
            Trouble::Layout => f.write_str("its mappings cannot be made what they were"),
            Trouble::Threads => {
                f.write_str("threads have come, gone or moved on since the state was saved")
            }
            Trouble::Stranger => f.write_str("the state is another instance's"),
            Trouble::OpenFile(path) => {
                write!(
                    f,
                    "the file `{path}` is open, which another process could not go on reading"
                )
            }
            Trouble::File(path) => write!(f, "the file `{path}` that was open cannot be had again"),
            Trouble::Bytes(reason) => f.write_str(reason),
            Trouble::Call(error) => error.fmt(f),
        }
    }
}
