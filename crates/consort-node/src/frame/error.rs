//! Why bytes are no valid frame.

use super::{FRAME_MAX, HEADER, VERSION};
use std::fmt;
use std::io;

/// Why bytes are no valid frame.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WireError {
    /// The length in the header and the number of bytes differ.
    Truncated {
        /// The length in the header.
        expected: usize,
        /// The number of bytes.
        found: usize,
    },
    /// A checksum is wrong: the bytes were changed in transit.
    Damaged {
        /// Which part of the frame.
        what: &'static str,
    },
    /// A TLS record stays incomplete although bytes arrive.
    Unfinished,
    /// A frame is missing on a link that keeps the order.
    Gap {
        /// The number of the frame that is missing.
        missing: u64,
    },
    /// The length is outside of the limits of a frame.
    Length {
        /// The length in the header.
        length: usize,
    },
    /// The other side has another version of the wire format.
    Version {
        /// The version of the other side.
        theirs: u16,
    },
    /// The kind is unknown.
    Kind {
        /// The kind in the header.
        kind: u8,
    },
    /// A field is missing, or present although this kind has none.
    Field {
        /// The kind of the frame.
        kind: u8,
        /// The name of the field.
        what: &'static str,
    },
    /// The payload is not valid for this kind.
    Payload {
        /// The kind of the frame.
        kind: u8,
        /// The error in the payload.
        why: &'static str,
    },
    /// A sequence number or acknowledgment is out of range.
    Sequence {
        /// The sequence number that was found.
        found: u64,
        /// The largest possible number.
        most: u64,
    },
    /// The frame is longer than allowed at this point.
    TooLong {
        /// The length of the frame.
        length: usize,
        /// The greatest length allowed.
        most: usize,
    },
    /// A frame that is not allowed at this point.
    Unexpected {
        /// The frame that was received.
        what: &'static str,
        /// The state in which it was received.
        when: &'static str,
    },
    /// The flow is unknown, or the sender is not one of its ends.
    Flow {
        /// The number of the flow.
        flow: u32,
    },
}

impl WireError {
    /// Whether the bytes were changed in transit: the frame is sent again over a new link.
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
                write!(f, "truncated frame: {found} of {expected} bytes")
            }
            WireError::Damaged { what } => {
                write!(f, "wrong checksum: the {what} of a frame was changed in transit")
            }
            WireError::Unfinished => {
                f.write_str("incomplete TLS record: a part was lost in transit")
            }
            WireError::Gap { missing } => write!(f, "frame {missing} was lost in transit"),
            WireError::Length { length } => {
                write!(
                    f,
                    "invalid frame length {length}: a frame has {HEADER} to {FRAME_MAX} bytes"
                )
            }
            WireError::TooLong { length, most } => {
                write!(f, "frame too long: {length} bytes, at most {most} are allowed here")
            }
            WireError::Version { theirs } => write!(
                f,
                "wire format version {theirs}, expected {VERSION}; run the same release of Consort everywhere"
            ),
            WireError::Kind { kind } => write!(f, "unknown frame kind {kind}"),
            WireError::Field { kind, what } => {
                write!(f, "invalid {what} in a frame of kind {kind}")
            }
            WireError::Payload { kind, why } => {
                write!(f, "invalid payload in a frame of kind {kind}: {why}")
            }
            WireError::Sequence { found, most } => {
                write!(f, "sequence number {found} out of range: the largest possible is {most}")
            }
            WireError::Unexpected { what, when } => write!(f, "unexpected {what} {when}"),
            WireError::Flow { flow } => {
                write!(f, "invalid flow number {flow}: the sender is not one of its ends")
            }
        }
    }
}

impl std::error::Error for WireError {}
