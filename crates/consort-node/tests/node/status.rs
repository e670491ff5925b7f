//! Where a node is and whom it waits for, at any moment.

use crate::puppet::{Puppet, options, start};
use consort_core::{Tag, Time};
use consort_node::frame::Body;
use consort_node::{Endpoint, Need, NodeStatus, Phase, ask_status};
use std::path::Path;
use std::time::{Duration, Instant};

fn ask_until(path: &Path, is_it: impl Fn(&NodeStatus) -> bool) -> NodeStatus {
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        match ask_status(&Endpoint::Unix(path.to_owned())) {
            Ok(status) if is_it(&status) => return status,
            other if end < Instant::now() => panic!("not within five seconds: {other:?}"),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn a_node_shows_which_node_it_waits_for_in_every_phase() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let mut patient = options(&path);
    patient.gather = Duration::from_secs(20);
    let node = start(patient);

    let joining = ask_until(&path, |status| status.waits.is_some());
    assert_eq!((joining.phase, joining.tag), (Phase::Joining, None));
    let wait = joining.waits.expect("it waits");
    assert_eq!((wait.for_node.as_str(), wait.what), ("z", Need::Connection));

    let mut puppet = Puppet::join(&path);
    puppet.message(1, 0, Some(1));
    let waits_for_message = |status: &NodeStatus| {
        let wait = status.waits.as_ref();
        wait.is_some_and(|wait| wait.what == Need::Message && status.tag.is_some())
    };
    let running = ask_until(&path, waits_for_message);
    assert_eq!(running.phase, Phase::Running);
    let wait = running.waits.expect("it waits");
    let first = Tag::at(Time::from_ticks(1));
    let found = (wait.for_node.as_str(), wait.flow.as_deref(), wait.tag);
    assert_eq!(found, ("z", Some("pong"), Some(first)));
    assert_eq!(running.peers.len(), 1);
    assert!(running.peers[0].is_connected && running.peers[0].silent_for.is_some());
    let counts = running.flows.iter().map(|flow| (flow.flow.as_str(), flow.is_output, flow.count));
    assert_eq!(counts.collect::<Vec<_>>(), [("ping", true, 2), ("pong", false, 1)]);

    puppet.message(1, 1, Some(2));
    let full = ask_until(&path, |status| {
        status.waits.as_ref().is_some_and(|wait| wait.what == Need::Room)
    });
    let wait = full.waits.expect("z took nothing");
    assert_eq!((wait.for_node.as_str(), wait.flow.as_deref()), ("z", Some("ping")));
    puppet.say(Body::Failed { at: None, failed_node: "z", reason: "enough" });
    assert!(node.join().expect("no panic").is_err());
}

#[test]
fn a_missing_node_is_reported_with_the_endpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = Endpoint::Unix(folder.path().join("missing"));
    let error = ask_status(&endpoint).expect_err("no node is there").to_string();
    assert!(error.starts_with(&format!("no status from `{endpoint}`: ")), "{error}");
}

#[test]
fn who_does_not_answer_may_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mute");
    let _mute = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let error = ask_status(&Endpoint::Unix(path)).expect_err("it is mute").to_string();
    assert!(error.ends_with("no answer; the process may be stopped"), "{error}");
}
