//! Frames that a link changed on their way: the line is closed and made again, and what was lost comes again.

use crate::bodies::tick;
use crate::puppet::{Puppet, hello, options, start};
use consort_federation::flow::FlowId;
use consort_node::frame::{self, Body};
use consort_node::{JoinOptions, NodeError};
use std::time::Duration;

const PONG: FlowId = FlowId(1);
/// How often in a row what comes may be damaged.
const DAMAGES_MAX: u32 = 64;

/// What `a` has received when `z` comes back, after `z` said its first message in this way.
fn received_after(say: impl Fn(&mut Puppet, Vec<u8>)) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let patience = Duration::from_secs(5);
    let node = start(JoinOptions { patience, ..options(&path) });
    let mut puppet = Puppet::join(&path);
    let message = Body::Message { flow: PONG, tag: tick(0), next: Some(tick(1)), payload: &[1; 8] };
    let bytes = puppet.bytes(message);
    say(&mut puppet, bytes);
    while puppet.hear().is_some() {}
    assert!(!node.is_finished(), "it waits for a new line");
    let mut again = Puppet::connect(&path);
    again.say(Body::Hello(&hello().to_bytes()));
    let heard = again.hear().expect("an answer");
    let received = frame::decode(&heard).expect("a frame").acknowledgment;
    again.goes_on_after(received);
    again.say(Body::Failed { at: None, failed_node: "z", reason: "enough" });
    let error = node.join().expect("no panic").expect_err("z failed");
    assert_eq!(error.to_string(), "node `z`: enough");
    received
}

#[test]
fn a_frame_that_was_changed_is_a_broken_line_and_comes_again() {
    let flipped = |place: usize| {
        move |z: &mut Puppet, mut bytes: Vec<u8>| {
            bytes[place] ^= 0x10;
            z.raw(&bytes);
        }
    };
    for place in [0, 3, 4, 6, 16, 24, 59, 63, 64, 71] {
        assert_eq!(received_after(flipped(place)), 1, "byte {place}");
    }
}

#[test]
fn a_lost_byte_a_doubled_byte_and_a_lost_frame_are_broken_lines() {
    let lost = received_after(|z, mut bytes| {
        bytes.remove(40);
        z.raw(&bytes);
        z.say(Body::Acknowledge);
    });
    let doubled = received_after(|z, mut bytes| {
        bytes.insert(40, bytes[40]);
        z.raw(&bytes);
    });
    let behind = received_after(|z, mut bytes| {
        bytes.push(0);
        z.raw(&bytes);
        z.say(Body::Acknowledge);
    });
    let gap = received_after(|z, _| z.message(1, 1, Some(2)));
    assert_eq!([lost, doubled, behind, gap], [1, 1, 2, 1]);
}

#[test]
fn a_line_that_damages_everything_is_given_up_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let patience = Duration::from_secs(5);
    let node = start(JoinOptions { patience, ..options(&path) });
    drop(Puppet::join(&path));
    for _ in 0..=DAMAGES_MAX {
        let mut puppet = Puppet::connect(&path);
        puppet.say(Body::Hello(&hello().to_bytes()));
        puppet.raw(&[7; frame::HEADER]);
        while puppet.hear().is_some() {}
    }
    let error = node.join().expect("no panic").expect_err("nothing ever comes");
    assert!(matches!(error, NodeError::Wire { .. }), "{error}");
    let reason = "wrong checksum: the header of a frame was changed in transit";
    assert!(error.to_string().ends_with(reason), "{error}");
}
