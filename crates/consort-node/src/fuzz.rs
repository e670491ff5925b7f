//! What the fuzz target calls: arbitrary bytes as frames, handshakes, statuses, and as input of a session.

use crate::frame::{self, Body, WireError};
use crate::hello::{Hello, problems};
use crate::session::{FrameArrival, Session};
use crate::status::NodeStatus;
use std::time::Duration;

/// Reads bytes as frames, one after the other, as a link would split them: as they are, and with corrected
/// checksums.
///
/// # Panics
/// If a frame that was read is not written as the same bytes: that is a finding.
pub fn frames(data: &[u8]) {
    read(data);
    read(&sealed(data));
}

/// The same frames with checksums that fit.
fn sealed(data: &[u8]) -> Vec<u8> {
    let mut sealed = data.to_vec();
    let mut rest = &mut sealed[..];
    while let Some(length) = rest.first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        if length < frame::HEADER || rest.len() < length {
            break;
        }
        let (bytes, after) = rest.split_at_mut(length);
        frame::seal(bytes);
        rest = after;
    }
    sealed
}

fn read(data: &[u8]) {
    let mut session = Session::default();
    let mut rest = data;
    while let Ok(Some(length)) = frame::length(rest) {
        let Some((bytes, after)) = rest.split_at_checked(length) else { break };
        one(bytes);
        if arrive(&mut session, bytes).is_err() {
            break;
        }
        rest = after;
    }
    one(rest);
}

fn one(bytes: &[u8]) {
    let Ok(frame) = frame::decode(bytes) else { return };
    let mut again = Vec::new();
    frame::encode(&frame, &mut again);
    assert_eq!(again, bytes, "a frame has one encoding");
    match frame.body {
        Body::Hello(bytes) => hello(bytes),
        Body::Answer(bytes) => {
            if let Ok(status) = NodeStatus::from_bytes(bytes) {
                let again = NodeStatus::from_bytes(&status.to_bytes());
                assert_eq!(again, Ok(status), "a status is read as it was written");
            }
        }
        _ => {}
    }
}

fn hello(bytes: &[u8]) {
    let Ok(hello) = Hello::from_bytes(bytes) else { return };
    let again = Hello::from_bytes(&hello.to_bytes());
    assert_eq!(again.as_ref(), Ok(&hello), "a handshake is read as it was written");
    assert_eq!(problems(&hello, &hello), [""; 0], "a node equals itself");
}

fn arrive(session: &mut Session, bytes: &[u8]) -> Result<(), WireError> {
    let mut bytes = bytes.to_vec();
    if session.arrive(Duration::ZERO, &mut bytes)? == FrameArrival::Deliver {
        while session.early(&mut bytes) {}
    }
    let mut sent = Vec::new();
    session.acknowledgment(true, &mut sent);
    Ok(())
}
