//! Frames: what travels, byte by byte. The format is described in `docs/wire-format.md`.
//!
//! A frame is a header of [`HEADER`] bytes and a payload, each with a checksum. Reading trusts nothing: no length is
//! used before its checksum is right, every length is bounded, every field that a kind does not use must be zero, and
//! invalid bytes are refused with a reason. So each frame has exactly one encoding.

mod error;
mod tally;

use consort_core::{Tag, Time};
use consort_federation::flow::FlowId;

pub use error::WireError;
pub use tally::{Count, FlowTally};

/// The version of the wire format: both sides must have the same.
pub const VERSION: u16 = 3;
/// The first version whose frames have checksums.
const FIRST_SEALED: u16 = 3;
/// Bytes of a header.
pub const HEADER: usize = 64;
/// Bytes of the longest frame that is accepted.
pub const FRAME_MAX: usize = 64 << 20;

/// Where the acknowledgment is: it is written last, when the frame leaves.
const ACKNOWLEDGMENT: usize = 24;
/// Where the checksums are: that of the payload, and that of the header up to its own place.
const PAYLOAD_SUM: usize = 56;
const HEADER_SUM: usize = 60;
const HAS_TAG: u8 = 1;
const HAS_NEXT: u8 = 2;

/// One frame, its payload still where it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// Its number among the frames that must arrive, from 1; 0 for those that need not.
    pub sequence: u64,
    /// The sender has received everything up to and including this number.
    pub acknowledgment: u64,
    /// The content of the frame.
    pub body: Body<'a>,
}

/// The content of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Body<'a> {
    /// The [handshake](crate::hello::Hello).
    Hello(&'a [u8]),
    /// Why the handshake failed.
    Refused(&'a str),
    /// A message of a flow.
    Message {
        /// The flow.
        flow: FlowId,
        /// The tag of the message.
        tag: Tag,
        /// The tag of the next one; none at the end of the flow.
        next: Option<Tag>,
        /// The payload of the message.
        payload: &'a [u8],
    },
    /// Nothing will come on an event flow before this tag.
    Bound {
        /// The flow.
        flow: FlowId,
        /// The tag; none if nothing will come at all.
        tag: Option<Tag>,
    },
    /// The sink of an event flow cannot continue before it knows of everything before this tag.
    Request {
        /// The flow.
        flow: FlowId,
        /// The tag.
        tag: Tag,
    },
    /// The sink has taken so many messages from its buffer.
    Credit {
        /// The flow.
        flow: FlowId,
        /// The number of messages.
        count: u32,
    },
    /// What the flows to the receiver have carried so far.
    Tally {
        /// Nothing follows on them.
        is_last: bool,
        /// Count and hash of each.
        tally: FlowTally<'a>,
    },
    /// The sender is connected to all other nodes and ready to start.
    Ready,
    /// The sender leaves; its final message.
    Final(&'a [u8]),
    /// A node failed: the run is over.
    Failed {
        /// The last tag the sender is done with.
        at: Option<Tag>,
        /// The node that failed.
        failed_node: &'a str,
        /// The reason of the failure.
        reason: &'a str,
    },
    /// Nothing but the acknowledgment; also the heartbeat.
    Acknowledge,
    /// Requests a [status](crate::NodeStatus).
    Ask,
    /// The answer to a status request.
    Answer(&'a [u8]),
}

impl Body<'_> {
    /// Whether it has a number and is sent again until it is acknowledged.
    pub fn is_sequenced(&self) -> bool {
        matches!(
            self,
            Body::Message { .. }
                | Body::Bound { .. }
                | Body::Request { .. }
                | Body::Credit { .. }
                | Body::Tally { .. }
                | Body::Ready
                | Body::Final(_)
                | Body::Failed { .. }
        )
    }

    fn kind(&self) -> u8 {
        match self {
            Body::Hello(_) => 1,
            Body::Refused(_) => 2,
            Body::Message { .. } => 3,
            Body::Bound { .. } => 4,
            Body::Credit { .. } => 5,
            Body::Ready => 6,
            Body::Final(_) => 7,
            Body::Failed { .. } => 8,
            Body::Acknowledge => 9,
            Body::Ask => 10,
            Body::Answer(_) => 11,
            Body::Request { .. } => 12,
            Body::Tally { is_last: false, .. } => 13,
            Body::Tally { is_last: true, .. } => 14,
        }
    }
}

/// The header as numbers: those that a kind does not use are zero.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Header {
    kind: u8,
    flow: u32,
    count: u32,
    sequence: u64,
    acknowledgment: u64,
    tag: Option<Tag>,
    next: Option<Tag>,
}

/// Puts a frame after what is in `into`.
///
/// # Panics
/// If the payload is longer than a frame may be: the caller checks that before.
pub fn encode(frame: &Frame<'_>, into: &mut Vec<u8>) {
    let mut header = Header {
        kind: frame.body.kind(),
        sequence: frame.sequence,
        acknowledgment: frame.acknowledgment,
        ..Header::default()
    };
    let mut failed_node = None;
    let payload: &[u8] = match frame.body {
        Body::Hello(bytes) | Body::Final(bytes) | Body::Answer(bytes) => bytes,
        Body::Refused(reason) => reason.as_bytes(),
        Body::Message { flow, tag, next, payload } => {
            header = Header { flow: flow.0, tag: Some(tag), next, ..header };
            payload
        }
        Body::Bound { flow, tag } => {
            header = Header { flow: flow.0, tag, ..header };
            &[]
        }
        Body::Request { flow, tag } => {
            header = Header { flow: flow.0, tag: Some(tag), ..header };
            &[]
        }
        Body::Credit { flow, count } => {
            header = Header { flow: flow.0, count, ..header };
            &[]
        }
        Body::Failed { at, failed_node: name, reason } => {
            header = Header { tag: at, ..header };
            failed_node = Some(name);
            reason.as_bytes()
        }
        Body::Tally { tally, .. } => tally.bytes(),
        Body::Ready | Body::Acknowledge | Body::Ask => &[],
    };
    put(&header, failed_node, payload, into);
}

fn put(header: &Header, failed_node: Option<&str>, payload: &[u8], into: &mut Vec<u8>) {
    let extra = failed_node.map_or(0, |name| 4 + name.len());
    let length = HEADER + extra + payload.len();
    assert!(length <= FRAME_MAX, "a payload of {} bytes fits in no frame", payload.len());
    let tag = header.tag.unwrap_or_default();
    let next = header.next.unwrap_or_default();
    let has_tag = if header.tag.is_some() { HAS_TAG } else { 0 };
    let has_next = if header.next.is_some() { HAS_NEXT } else { 0 };
    let mut bytes = [0; HEADER];
    bytes[0..4].copy_from_slice(&word(length));
    bytes[4] = header.kind;
    bytes[5] = has_tag | has_next;
    bytes[6..8].copy_from_slice(&VERSION.to_le_bytes());
    bytes[8..12].copy_from_slice(&header.flow.to_le_bytes());
    bytes[12..16].copy_from_slice(&header.count.to_le_bytes());
    bytes[16..24].copy_from_slice(&header.sequence.to_le_bytes());
    bytes[24..32].copy_from_slice(&header.acknowledgment.to_le_bytes());
    bytes[32..40].copy_from_slice(&tag.time.ticks().to_le_bytes());
    bytes[40..48].copy_from_slice(&next.time.ticks().to_le_bytes());
    bytes[48..52].copy_from_slice(&tag.microstep.to_le_bytes());
    bytes[52..56].copy_from_slice(&next.microstep.to_le_bytes());
    let start = into.len();
    into.reserve(length);
    into.extend_from_slice(&bytes);
    if let Some(name) = failed_node {
        into.extend_from_slice(&word(name.len()));
        into.extend_from_slice(name.as_bytes());
    }
    into.extend_from_slice(payload);
    seal(&mut into[start..]);
}

/// Writes both checksums of a frame, after a change.
///
/// # Panics
/// If it is shorter than a header.
pub fn seal(frame: &mut [u8]) {
    let sum = crc32fast::hash(&frame[HEADER..]);
    frame[PAYLOAD_SUM..HEADER_SUM].copy_from_slice(&sum.to_le_bytes());
    seal_header(frame);
}

fn seal_header(frame: &mut [u8]) {
    let sum = crc32fast::hash(&frame[..HEADER_SUM]);
    frame[HEADER_SUM..HEADER].copy_from_slice(&sum.to_le_bytes());
}

fn word(length: usize) -> [u8; 4] {
    u32::try_from(length).expect("a frame is shorter than 4 GiB").to_le_bytes()
}

/// Writes how much was received into a frame that is about to leave.
pub(crate) fn acknowledge(frame: &mut [u8], acknowledgment: u64) {
    frame[ACKNOWLEDGMENT..ACKNOWLEDGMENT + 8].copy_from_slice(&acknowledgment.to_le_bytes());
    seal_header(frame);
}

/// The length of the frame with these first bytes; none if there are too few bytes.
///
/// # Errors
/// If these bytes are no valid header, or the length is out of range.
pub fn length(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let Some(header) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
    if crc32fast::hash(&header[..HEADER_SUM]) != u32::from_le_bytes(at(header, HEADER_SUM)) {
        return Err(unsealed(header));
    }
    let length = u32::from_le_bytes(at(header, 0)) as usize;
    if (HEADER..=FRAME_MAX).contains(&length) {
        Ok(Some(length))
    } else {
        Err(WireError::Length { length })
    }
}

/// A header with a wrong checksum: damaged, or of a release that had none.
fn unsealed(header: &[u8]) -> WireError {
    match u16::from_le_bytes(at(header, 6)) {
        theirs @ 1..FIRST_SEALED => WireError::Version { theirs },
        _ => WireError::Damaged { what: "header" },
    }
}

/// Reads a frame.
///
/// # Errors
/// If the bytes are no frame, or a checksum is wrong.
pub fn decode(bytes: &[u8]) -> Result<Frame<'_>, WireError> {
    let expected = length(bytes)?.unwrap_or(HEADER);
    if bytes.len() != expected {
        return Err(WireError::Truncated { expected, found: bytes.len() });
    }
    let version = u16::from_le_bytes(at(bytes, 6));
    if version != VERSION {
        return Err(WireError::Version { theirs: version });
    }
    if crc32fast::hash(&bytes[HEADER..]) != u32::from_le_bytes(at(bytes, PAYLOAD_SUM)) {
        return Err(WireError::Damaged { what: "payload" });
    }
    decode_again(bytes)
}

/// Reads a frame that was read before: its checksums are right.
///
/// # Errors
/// If it is none.
pub(crate) fn decode_again(bytes: &[u8]) -> Result<Frame<'_>, WireError> {
    let header = header(bytes)?;
    let body = body(&header, &bytes[HEADER..])?;
    let frame = Frame { sequence: header.sequence, acknowledgment: header.acknowledgment, body };
    let has_payload = HEADER < bytes.len();
    checked(&header, has_payload, frame)
}

fn at<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&bytes[place..place + N]);
    found
}

fn header(bytes: &[u8]) -> Result<Header, WireError> {
    let (kind, flags) = (bytes[4], bytes[5]);
    let field = |what| WireError::Field { kind, what };
    if HAS_TAG | HAS_NEXT < flags {
        return Err(field("flag"));
    }
    let tag = |has: u8, time: usize, microstep: usize, what| {
        let time = Time::from_ticks(i64::from_le_bytes(at(bytes, time)));
        let tag = Tag { time, microstep: u32::from_le_bytes(at(bytes, microstep)) };
        if flags & has != 0 {
            Ok(Some(tag))
        } else if tag == Tag::default() {
            Ok(None)
        } else {
            Err(field(what))
        }
    };
    Ok(Header {
        kind,
        flow: u32::from_le_bytes(at(bytes, 8)),
        count: u32::from_le_bytes(at(bytes, 12)),
        sequence: u64::from_le_bytes(at(bytes, 16)),
        acknowledgment: u64::from_le_bytes(at(bytes, ACKNOWLEDGMENT)),
        tag: tag(HAS_TAG, 32, 48, "tag")?,
        next: tag(HAS_NEXT, 40, 52, "next tag")?,
    })
}

fn body<'a>(header: &Header, payload: &'a [u8]) -> Result<Body<'a>, WireError> {
    let kind = header.kind;
    let flow = FlowId(header.flow);
    let tag = || header.tag.ok_or(WireError::Field { kind, what: "tag" });
    Ok(match kind {
        1 => Body::Hello(payload),
        2 => Body::Refused(text(kind, payload)?),
        3 => Body::Message { flow, tag: tag()?, next: header.next, payload },
        4 => Body::Bound { flow, tag: header.tag },
        5 => Body::Credit { flow, count: header.count },
        6 => Body::Ready,
        7 => Body::Final(payload),
        8 => failed(header, payload)?,
        9 => Body::Acknowledge,
        10 => Body::Ask,
        11 => Body::Answer(payload),
        12 => Body::Request { flow, tag: tag()? },
        13 | 14 => Body::Tally { is_last: kind == 14, tally: FlowTally::read(kind, payload)? },
        _ => return Err(WireError::Kind { kind }),
    })
}

fn failed<'a>(header: &Header, payload: &'a [u8]) -> Result<Body<'a>, WireError> {
    let kind = header.kind;
    let short = WireError::Payload { kind, why: "it ends within a name" };
    let (length, rest) = payload.split_first_chunk::<4>().ok_or(short.clone())?;
    let length = u32::from_le_bytes(*length) as usize;
    let (failed_node, reason) = rest.split_at_checked(length).ok_or(short)?;
    let (failed_node, reason) = (text(kind, failed_node)?, text(kind, reason)?);
    Ok(Body::Failed { at: header.tag, failed_node, reason })
}

fn text(kind: u8, bytes: &[u8]) -> Result<&str, WireError> {
    std::str::from_utf8(bytes).map_err(|_| WireError::Payload { kind, why: "it is not UTF-8" })
}

/// The frame, if all fields that its kind does not have are zero.
fn checked<'a>(
    header: &Header,
    has_payload: bool,
    frame: Frame<'a>,
) -> Result<Frame<'a>, WireError> {
    let kind = header.kind;
    let has_next = matches!(frame.body, Body::Message { .. });
    let has_count = matches!(frame.body, Body::Credit { .. });
    let is_promise = matches!(frame.body, Body::Bound { .. } | Body::Request { .. });
    let has_flow = has_next || has_count || is_promise;
    let has_tag = has_next || is_promise || matches!(frame.body, Body::Failed { .. });
    let is_empty = matches!(frame.body, Body::Ready | Body::Acknowledge | Body::Ask);
    let is_bare = has_count || is_promise || is_empty;
    let mistakes = [
        ("payload", is_bare && has_payload),
        ("flow", !has_flow && header.flow != 0),
        ("count", has_count == (header.count == 0)),
        ("tag", !has_tag && header.tag.is_some()),
        ("next tag", !has_next && header.next.is_some()),
        ("sequence", frame.body.is_sequenced() == (header.sequence == 0)),
    ];
    match mistakes.iter().find(|(_, is_one)| *is_one) {
        Some((what, _)) => Err(WireError::Field { kind, what }),
        None => Ok(frame),
    }
}

#[cfg(test)]
mod tests;
