//! Why bytes are no frame, in words.

use super::{FRAME_MAX, HEADER, VERSION};
use std::fmt;
use std::io;

/// Why bytes are no frame.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WireError {
    /// They end too early or too late.
    Truncated {
        /// How many the frame says there are.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// They are not those that were sent: a checksum does not fit.
    Damaged {
        /// Which part of the frame.
        what: &'static str,
    },
    /// Bytes come, and no record of them is ever whole.
    Unfinished,
    /// A later frame came and this one did not, on a link that keeps the order.
    Gap {
        /// The number of the frame that is missing.
        missing: u64,
    },
    /// No frame is so long or so short.
    Length {
        /// What it says.
        length: usize,
    },
    /// Somebody speaks another version.
    Version {
        /// Theirs.
        theirs: u16,
    },
    /// There is no such kind of frame.
    Kind {
        /// What it says.
        kind: u8,
    },
    /// A field is missing, or there although this kind has none.
    Field {
        /// The kind.
        kind: u8,
        /// The field.
        what: &'static str,
    },
    /// The payload is not what this kind has.
    Payload {
        /// The kind.
        kind: u8,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A number that cannot be: nobody has sent so much, or can have so much received.
    Sequence {
        /// The number.
        found: u64,
        /// The largest that can be.
        most: u64,
    },
    /// Nobody may send so much here.
    TooLong {
        /// How long the frame is.
        length: usize,
        /// How long it may be.
        most: usize,
    },
    /// A frame that has no place here.
    Unexpected {
        /// What it is.
        what: &'static str,
        /// When it came.
        when: &'static str,
    },
    /// A flow that there is not, or that has nothing to do with the sender.
    Flow {
        /// Its number.
        flow: u32,
    },
}

impl WireError {
    /// Whether what came is not what was sent. The link is to blame, not who sent it: a new link brings it again.
    pub fn is_damage(&self) -> bool {
        matches!(self, WireError::Damaged { .. } | WireError::Unfinished | WireError::Gap { .. })
    }

    /// The one that an error of a link is, if it is one.
    pub(crate) fn of(error: &io::Error) -> Option<&WireError> {
        error.get_ref().and_then(|inner| inner.downcast_ref())
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Truncated { expected, found } => {
                write!(f, "a frame of {expected} bytes has {found}")
            }
            WireError::Damaged { what } => {
                write!(f, "the {what} of a frame was changed on its way: its checksum does not fit")
            }
            WireError::Unfinished => {
                f.write_str("a part of a record was lost on its way: it does not come to its end")
            }
            WireError::Gap { missing } => write!(f, "frame {missing} was lost on its way"),
            WireError::Length { length } => {
                write!(f, "a frame has {HEADER} to {FRAME_MAX} bytes, not {length}")
            }
            WireError::TooLong { length, most } => {
                write!(f, "a frame of {length} bytes came where {most} are allowed")
            }
            WireError::Version { theirs } => write!(
                f,
                "it speaks version {theirs} of the wire format, we speak {VERSION}; run the same release of Consort everywhere"
            ),
            WireError::Kind { kind } => write!(f, "there is no frame of kind {kind}"),
            WireError::Field { kind, what } => {
                write!(f, "a frame of kind {kind} cannot have such a {what}")
            }
            WireError::Payload { kind, why } => {
                write!(f, "the payload of a frame of kind {kind} is damaged: {why}")
            }
            WireError::Sequence { found, most } => {
                write!(f, "the number {found} cannot be: the largest possible is {most}")
            }
            WireError::Unexpected { what, when } => write!(f, "{what} came {when}"),
            WireError::Flow { flow } => {
                write!(f, "flow number {flow} is none that it has a part in")
            }
        }
    }
}

impl std::error::Error for WireError {}
