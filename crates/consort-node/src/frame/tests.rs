use super::*;

fn samples() -> Vec<Frame<'static>> {
    let tag = Tag { time: Time::from_ticks(-5), microstep: 3 };
    let flow = FlowId(7);
    let bodies = [
        Body::Hello(b"hello"),
        Body::Refused("no"),
        Body::Message { flow, tag, next: Some(tag.next_microstep()), payload: b"12345678" },
        Body::Message { flow, tag, next: None, payload: b"" },
        Body::Bound { flow, tag: Some(tag) },
        Body::Bound { flow, tag: None },
        Body::Credit { flow, count: 3 },
        Body::Request { flow, tag },
        Body::Tally { is_last: false, tally: FlowTally::read(13, &[7; 40]).expect("two flows") },
        Body::Tally { is_last: true, tally: FlowTally::read(14, &[]).expect("no flow") },
        Body::Ready,
        Body::Final(b"bye"),
        Body::Failed { at: Some(tag), failed_node: "größe", reason: "it is too large" },
        Body::Failed { at: None, failed_node: "", reason: "" },
        Body::Acknowledge,
        Body::Ask,
        Body::Answer(b"there"),
    ];
    let frame = |body: Body<'static>| {
        let sequence = if body.is_sequenced() { 9 } else { 0 };
        Frame { sequence, acknowledgment: 4, body }
    };
    bodies.into_iter().map(frame).collect()
}

fn bytes(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(frame, &mut bytes);
    bytes
}

#[test]
fn every_frame_is_read_as_it_was_written() {
    for frame in samples() {
        let bytes = bytes(&frame);
        assert_eq!(length(&bytes), Ok(Some(bytes.len())));
        assert_eq!(decode(&bytes), Ok(frame));
    }
}

#[test]
fn no_frame_is_read_from_more_or_fewer_bytes() {
    for frame in samples() {
        let mut bytes = bytes(&frame);
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{frame:?} in {end} bytes");
        }
        bytes.push(0);
        assert!(decode(&bytes).is_err(), "{frame:?} and a byte more");
    }
}

#[test]
fn no_bit_of_a_frame_changes_unseen() {
    for frame in samples() {
        let good = bytes(&frame);
        for bit in 0..8 * good.len() {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = decode(&bytes).expect_err("a bit is another");
            let is_older = matches!(error, WireError::Version { theirs: 1 | 2 });
            assert!(error.is_damage() || is_older, "bit {bit} of {frame:?}: {error}");
        }
    }
}

#[test]
fn every_bit_of_a_header_means_something() {
    for frame in samples() {
        let good = bytes(&frame);
        for bit in 0..8 * PAYLOAD_SUM {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            seal(&mut bytes);
            assert_ne!(decode(&bytes), Ok(frame), "bit {bit} of {frame:?}");
        }
    }
}

#[test]
fn the_acknowledgment_is_written_when_a_frame_leaves() {
    for frame in samples() {
        let mut bytes = bytes(&frame);
        acknowledge(&mut bytes, 77);
        assert_eq!(decode(&bytes), Ok(Frame { acknowledgment: 77, ..frame }));
    }
}
