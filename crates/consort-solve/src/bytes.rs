//! A solver's state as bytes: exact, little-endian, checked on the way back.

mod parts;

use std::fmt;

pub(crate) use parts::{Reader, Writer};

/// Why bytes are no solver's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BytesError {
    /// They do not begin as a solver's bytes of this version do.
    Foreign,
    /// They end too early or too late.
    Length {
        /// How many there should be, as far as can be told.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// They say what no solver would.
    Impossible {
        /// What that is about.
        what: &'static str,
    },
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Foreign => write!(f, "the bytes are not those of a solver of this kind"),
            BytesError::Length { expected, found } => {
                write!(f, "a solver of {expected} bytes was expected, there are {found}")
            }
            BytesError::Impossible { what } => write!(f, "no solver has such a {what}"),
        }
    }
}

impl std::error::Error for BytesError {}
