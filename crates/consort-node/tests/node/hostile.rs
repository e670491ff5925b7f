//! Frames that are not allowed: the node gives up, and names the sender and the mistake.

use crate::bodies::tick;
use crate::puppet::{Puppet, options, start};
use consort_federation::flow::FlowId;
use consort_node::NodeError;
use consort_node::frame::{Body, HEADER};
use insta::assert_snapshot;

/// How `a` ends after `z` joined and did this; both sides hear the same.
fn after(act: impl Fn(&mut Puppet)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    act(&mut puppet);
    let error = node.join().expect("no panic").expect_err("that is not allowed");
    assert_eq!(error.failed_node(), Some("z"), "{error}");
    assert_eq!(puppet.reason(), format!("`z`: {}", error.reason()), "both say the same");
    error.to_string()
}

const PONG: FlowId = FlowId(1);

#[test]
fn what_is_no_frame_is_reported() {
    let failed = Body::Failed { at: None, failed_node: "z", reason: "?" };
    let said = [
        after(|z| z.forge(Body::Ready, 3, 255)),
        after(|z| z.forge(Body::Ready, 0, 3)),
        after(|z| z.forge(Body::Ready, 4, 200)),
        after(|z| z.forge(Body::Ready, 6, 9)),
        after(|z| z.forge(Body::Ready, 5, 4)),
        after(|z| z.forge(Body::Ready, 8, 1)),
        after(|z| z.forge(Body::Credit { flow: PONG, count: 1 }, 12, 0)),
        after(|z| z.forge(failed, HEADER, 99)),
        after(|z| z.forge(failed, HEADER + 5, 0xFF)),
        after(|z| z.forge(Body::Ready, 16, 0)),
        after(|z| z.forge(Body::Ready, 22, 1)),
        after(|z| z.forge(Body::Request { flow: PONG, tag: tick(0) }, 5, 0)),
        after(|z| z.say(Body::Ask)),
    ];
    assert_snapshot!(said.join("\n"));
}

#[test]
fn what_a_flow_does_not_allow_is_reported() {
    let said = [
        after(|z| z.message(9, 0, Some(1))),
        after(|z| z.message(0, 0, Some(1))),
        after(|z| z.message(1, 1, Some(2))),
        after(|z| z.message(1, 0, Some(0))),
        after(|z| z.message(1, 0, Some(5))),
        after(|z| {
            z.message(1, 0, None);
            z.message(1, 1, None);
        }),
        after(|z| z.say(Body::Credit { flow: PONG, count: 1 })),
        after(|z| z.say(Body::Bound { flow: PONG, tag: Some(tick(7)) })),
        after(|z| z.say(Body::Request { flow: FlowId(0), tag: tick(7) })),
        after(|z| z.say(Body::Request { flow: PONG, tag: tick(7) })),
        after(|z| z.say(Body::Final(b"bye"))),
    ];
    assert_snapshot!(said.join("\n"));
}

#[test]
fn what_is_above_a_bound_is_reported_with_the_bound() {
    // Where it is noticed depends on how far the node is.
    let flood = after(|z| (0..9).for_each(|at| z.message(1, at, Some(at + 1))));
    assert!(
        flood.starts_with("node `z`: protocol violation: flow `pong`: a message at "),
        "{flood}"
    );
    assert!(flood.ends_with(" came without credit: there is room for 2"), "{flood}");
    let credit = after(|z| z.say(Body::Credit { flow: FlowId(0), count: 99 }));
    assert!(
        credit.starts_with("node `z`: protocol violation: flow `ping`: node `z` grants "),
        "{credit}"
    );
    assert!(credit.ends_with(" messages, it has room for 2"), "{credit}");
    let heard = after(|z| z.forge(Body::Ready, 30, 1));
    let start = "node `z`: invalid frame: sequence number 281474976710656 out of range: ";
    assert!(heard.starts_with(start), "{heard}");
}

#[test]
fn a_frame_of_which_half_came_is_awaited_and_its_sender_gone_if_it_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    let bytes =
        puppet.bytes(Body::Message { flow: PONG, tag: tick(0), next: None, payload: &[1; 40] });
    puppet.raw(&bytes[..HEADER + 10]);
    drop(puppet);
    let error = node.join().expect("no panic").expect_err("z is gone");
    assert!(matches!(error, NodeError::Lost { .. }), "{error}");
}
