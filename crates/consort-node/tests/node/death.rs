//! Nodes that go, fail or fall silent.

use crate::bodies::{Body as Bodies, bodies, drive, hashes, options as all_options, tick};
use crate::puppet::{Puppet, options, start};
use consort_federation::flow::FlowId;
use consort_node::frame::{self, Body};
use consort_node::{Cancellation, Endpoint, Hub, JoinOptions, Node, NodeError, Wait, WaitListener};
use std::time::{Duration, Instant};

/// Options of three nodes that meet in a hub.
fn three(horizon: i64) -> [JoinOptions; 3] {
    let hub = Hub::new();
    let mut all = all_options(&bodies(4), horizon);
    for options in &mut all {
        options.hub = Some(hub.clone());
        options.patience = Duration::from_millis(300);
    }
    all.try_into().expect("three of them")
}

#[test]
fn a_connection_that_closes_and_stays_closed_is_a_death_after_patience() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    puppet.message(1, 0, Some(1));
    std::thread::sleep(Duration::from_millis(100));
    let closed = Instant::now();
    drop(puppet);
    let error = node.join().expect("no panic").expect_err("z is gone");
    assert!(Duration::from_millis(250) <= closed.elapsed(), "not before patience is over");
    assert!(closed.elapsed() < Duration::from_secs(3), "not much later");
    let NodeError::Lost { node, at, .. } = error else { panic!("{error}") };
    assert_eq!((node.as_str(), at), ("z", Some(tick(1))), "its own message at 1 was the last");
}

#[test]
fn a_node_that_waits_for_others_to_come_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let cancellation = Cancellation::new().expect("a descriptor");
    let cancelled = cancellation.clone();
    let options = options(&folder.path().join("a"));
    let gather = Duration::from_secs(60);
    let node = start(JoinOptions { cancellation: Some(cancelled), gather, ..options });
    std::thread::sleep(Duration::from_millis(100));
    assert!(!node.is_finished());
    let asked = Instant::now();
    cancellation.cancel();
    let error = node.join().expect("no panic").expect_err("it was cancelled");
    assert!(matches!(error, NodeError::Cancelled { at: None }), "{error}");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

#[test]
fn a_node_that_waits_for_a_message_can_be_cancelled_and_the_others_hear_of_it() {
    let cancellation = Cancellation::new().expect("a descriptor");
    let [a, b, c] = three(1_000_000);
    let a = start(JoinOptions { cancellation: Some(cancellation.clone()), ..a });
    let c = start(c);
    // It takes part and computes nothing, so that both wait for it.
    let node = Node::join(b).expect("all come");
    std::thread::sleep(Duration::from_millis(100));
    let asked = Instant::now();
    cancellation.cancel();
    let error = a.join().expect("no panic").expect_err("it was cancelled");
    assert!(matches!(error, NodeError::Cancelled { .. }), "{error}");
    let error = c.join().expect("no panic").expect_err("`a` has ended");
    assert_eq!(error.to_string(), "node `a`: cancelled");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    drop(node);
}

#[test]
fn a_wait_that_takes_long_is_reported_again_and_again_but_ever_less_often() {
    let (sender, reported) = std::sync::mpsc::channel();
    let [a, b, c] = three(1_000_000);
    let waiting = WaitListener::new(move |wait| {
        // Not all receivers listen.
        let _ = sender.send(wait.clone());
    });
    let a = start(JoinOptions { waiting: Some(waiting), ..a });
    let c = start(c);
    let node = Node::join(b).expect("all come");
    let heard = |_| reported.recv_timeout(Duration::from_secs(60)).expect("it waits");
    let reported: Vec<Wait> = (0..2).map(heard).collect();
    node.fail("enough");
    for node in [a, c] {
        assert_eq!(node.join().expect("no panic").expect_err("it").to_string(), "node `b`: enough");
    }
    assert!(reported.iter().all(|wait| wait.for_node == "b"), "{reported:?}");
    let seconds = reported.iter().map(|wait| wait.since.as_secs()).collect::<Vec<_>>();
    assert!(5 <= seconds[0] && 2 * seconds[0] <= seconds[1], "{seconds:?}");
}

#[test]
fn silence_is_no_death() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!node.is_finished(), "it waits, far beyond its patience");
    puppet.say(Body::Failed { at: None, failed_node: "z", reason: "woken up" });
    let error = node.join().expect("no panic").expect_err("z failed");
    assert_eq!(error.to_string(), "node `z`: woken up");
}

#[test]
fn a_node_that_comes_back_continues_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::join(&path);
    drop(puppet);
    // The same incarnation, which received nothing: everything comes again.
    puppet = Puppet::connect(&path);
    puppet.say(Body::Hello(&crate::puppet::hello().to_bytes()));
    let mut sequences = Vec::new();
    while sequences.len() < 2 {
        let bytes = puppet.hear().expect("a frame");
        let sequence = frame::decode(&bytes).expect("a frame").sequence;
        sequences.extend((sequence != 0).then_some(sequence));
    }
    assert_eq!(sequences, [1, 2], "that it is ready, and its first message");
    drop(puppet);
    assert!(node.join().expect("no panic").is_err(), "it does not come back again");
}

#[test]
fn all_others_name_the_node_that_failed_and_its_reason() {
    let [a, b, c] = three(1_000_000);
    let others = [a, c].map(start);
    let mut node = Node::join(b).expect("all come");
    let mut body = Bodies::new(&node);
    for _ in 0..20 {
        body.step(&mut node).expect("all is well");
    }
    node.fail("the model `m` returned an error at 0.3 s");
    for other in others {
        let error = other.join().expect("no panic").expect_err("b failed");
        assert_eq!(error.to_string(), "node `b`: the model `m` returned an error at 0.3 s");
    }
}

#[test]
fn a_node_that_is_dropped_is_named_by_all_others() {
    let [a, b, c] = three(1_000_000);
    let others = [a, c].map(start);
    drop(Node::join(b).expect("all come"));
    for other in others {
        let error = other.join().expect("no panic").expect_err("b is gone");
        assert_eq!(error.failed_node(), Some("b"), "{error}");
    }
}

#[test]
fn a_message_out_of_turn_is_the_senders_own_mistake() {
    let [a, b, c] = three(100);
    let others = [a, c].map(start);
    let mut node = Node::join(b).expect("all come");
    let error = node.emit(FlowId(0), b"", None).expect_err("it is the flow of a");
    assert_eq!(error.failed_node(), Some("b"), "{error}");
    assert!(error.to_string().contains("`a/state`"), "{error}");
    for other in others {
        let error = other.join().expect("no panic").expect_err("b failed");
        assert_eq!(error.failed_node(), Some("b"), "{error}");
    }
}

#[test]
fn a_node_that_comes_late_is_awaited() {
    let [a, b, c] = three(20);
    let others = [a, b].map(start);
    std::thread::sleep(Duration::from_millis(600));
    assert!(others.iter().all(|other| !other.is_finished()), "beyond all patience");
    drive(Node::join(c).expect("all come")).expect("c comes to its end");
    for other in others {
        other.join().expect("no panic").expect("so do the others");
    }
}

#[test]
fn a_slow_node_is_waited_for_at_the_end() {
    let [a, b, c] = three(20);
    let others = [a, b].map(start);
    let mut node = Node::join(c).expect("all come");
    let mut body = Bodies::new(&node);
    while body.step(&mut node).expect("all is well") {}
    std::thread::sleep(Duration::from_millis(700));
    assert!(others.iter().all(|other| !other.is_finished()), "no node leaves before all do");
    assert!(!hashes(&node).is_empty(), "it has flows");
    node.leave(&[0; 8]).expect("all leave");
    for other in others {
        other.join().expect("no panic").expect("so do the others");
    }
}

#[test]
fn a_node_that_is_stopped_while_the_line_is_cut_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    // A stopped process: its socket accepts connections, which are not served.
    let stopped = folder.path().join("z");
    let listener = std::os::unix::net::UnixListener::bind(&stopped).expect("a socket");
    let mut patient = options(&path);
    patient.peers = [("z".to_owned(), Endpoint::Unix(stopped))].into();
    let node = start(patient);
    drop(Puppet::join(&path));
    std::thread::sleep(Duration::from_millis(1200));
    if node.is_finished() {
        panic!("it is there, so it is waited for: {:?}", node.join());
    }
    drop(listener);
    let error = node.join().expect("no panic").expect_err("now it is gone");
    assert!(matches!(error, NodeError::Lost { .. }), "{error}");
}

#[test]
fn the_reason_of_a_node_that_failed_and_closed_at_once_is_heard() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let node = start(options(&path));
        let mut puppet = Puppet::join(&path);
        puppet.say(Body::Failed { at: None, failed_node: "z", reason: "no fuel" });
        drop(puppet);
        let error = node.join().expect("no panic").expect_err("z failed");
        assert_eq!(error.to_string(), "node `z`: no fuel");
    }
}
