//! Both ends of a flow hash what it carries: who says that it sent something else ends the run, by name.

use crate::bodies::{Body as Bodies, bodies, hashes, options as all_options, tick};
use crate::puppet::{Puppet, options, start};
use consort_federation::flow::{FlowHash, FlowId};
use consort_node::frame::{self, Body, Count, FlowTally};
use consort_node::{Hub, Node, NodeError};
use insta::assert_snapshot;

const PONG: FlowId = FlowId(1);

/// The hash of the messages of a puppet up to a tick.
fn honest(last: i64) -> FlowHash {
    let mut hash = FlowHash::default();
    for at in 0..=last {
        hash.absorb(at.unsigned_abs());
        hash.absorb(0);
        hash.absorb_bytes(&[0; 8]);
    }
    hash
}

fn send_tally(puppet: &mut Puppet, count: u64, hash: FlowHash, is_last: bool) {
    let mut bytes = Vec::new();
    FlowTally::write([Count { flow: PONG, count, hash }].into_iter(), &mut bytes);
    let tally = FlowTally::read(13, &bytes).expect("one flow");
    puppet.say(Body::Tally { is_last, tally });
}

/// How `a` ends if `z` sends two messages and says this of them.
fn after(count: u64, hash: FlowHash) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    (0..2).for_each(|at| puppet.message(1, at, Some(at + 1)));
    send_tally(&mut puppet, count, hash, false);
    node.join().expect("no panic").expect_err("they do not agree").to_string()
}

#[test]
fn a_source_that_sent_something_else_is_named_with_the_flow_and_both_nodes() {
    assert_snapshot!(after(2, honest(0)), @"node `z`: flow `pong` differs: node `z` sent 2 messages with the hash b45e06f754c70fb1, node `a` received 2 messages with the hash 39619578c7812251");
}

#[test]
fn a_tally_of_messages_to_come_is_compared_when_they_have_come() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    send_tally(&mut puppet, 1, honest(1), false);
    puppet.message(1, 0, Some(1));
    let error = node.join().expect("no panic").expect_err("another hash");
    assert!(matches!(error, NodeError::Differs { .. }), "{error}");
    assert_eq!(puppet.reason(), format!("`z`: {}", error.reason()), "both say the same");
}

#[test]
fn a_tally_of_a_foreign_flow_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    let tally = FlowTally::read(13, &[0; 20]).expect("flow 0");
    puppet.say(Body::Tally { is_last: false, tally });
    let error = node.join().expect("no panic").expect_err("`ping` is of a");
    assert_snapshot!(error, @"node `z`: invalid frame: invalid flow number 0: the sender is not one of its ends");
}

#[test]
fn no_node_reports_success_before_all_flows_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let horizon = Some(tick(1));
    let node = start(consort_node::JoinOptions { horizon, ..options(&path) });
    let mut puppet = Puppet::join_until(&path, horizon);
    (0..2).for_each(|at| puppet.message(1, at, Some(at + 1)));
    send_tally(&mut puppet, 2, FlowHash::default(), true);
    let mut has_left = false;
    while let Some(bytes) = puppet.hear() {
        has_left |= matches!(frame::decode(&bytes).expect("a frame").body, Body::Final(_));
    }
    let error = node.join().expect("no panic").expect_err("another hash");
    assert!(matches!(error, NodeError::Differs { .. }), "{error}");
    assert!(!has_left, "no good words before it has compared");
}

#[test]
fn honest_nodes_agree_at_every_step() {
    let hub = Hub::new();
    let all = all_options(&bodies(2), 60);
    let drive = |mut options: consort_node::JoinOptions| {
        options.hub = Some(hub.clone());
        std::thread::spawn(move || {
            let mut node = Node::join(options).expect("all come");
            let mut body = Bodies::new(&node);
            while body.step(&mut node).expect("all agree") {
                node.tally();
            }
            let found = hashes(&node);
            node.leave(&[]).expect("all agree");
            found.len()
        })
    };
    let nodes: Vec<_> = all.into_iter().map(drive).collect();
    for node in nodes {
        assert_ne!(node.join().expect("no panic"), 0);
    }
}
