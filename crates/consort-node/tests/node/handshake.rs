//! Bad hand-shakes: refused with a reason, on both sides.

use crate::bodies::{flow, resolution, tick};
use crate::puppet::{Puppet, hello, options, start, topology};
use consort_core::{Resolution, Seconds, Time};
use consort_federation::flow::{BoundPolicy, FlowId, FlowKind, FlowTiming};
use consort_node::frame::{self, Body};
use consort_node::hello::Hello;
use consort_node::{Endpoint, Gathering, Hub, JoinOptions, Node};
use insta::assert_snapshot;
use std::sync::Arc;

/// What `z` hears if its hello is changed, and how `a` ends.
fn changed(change: impl Fn(&mut Hello)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::connect(&path);
    let mut hello = hello();
    change(&mut hello);
    hello.hash = hello.topology.hash();
    puppet.say(Body::Hello(&hello.to_bytes()));
    let heard = puppet.reason();
    let error = node.join().expect("no panic").expect_err("it does not fit");
    format!("z hears: {heard}\na says:  {error}")
}

/// What a stranger hears that says something else than hello.
fn stranger(bytes: impl Fn(&mut Puppet) -> Vec<u8>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::connect(&path);
    let bytes = bytes(&mut puppet);
    puppet.raw(&bytes);
    let heard = puppet.reason();
    let error = node.join().expect("no panic").expect_err("no other node comes");
    let reported = "nodes did not connect within 0.4 s: node `z`: it has not connected; \
                refused: no hello: ";
    assert!(error.to_string().starts_with(reported), "{error}");
    heard
}

#[test]
fn a_refused_node_receives_the_reason() {
    let said = [
        stranger(|_| b"GET / HTTP/1.1\r\n\r\n".repeat(4)),
        stranger(|_| vec![0; 64]),
        stranger(|puppet| puppet.bytes(Body::Ready)),
        stranger(|puppet| {
            let mut bytes = puppet.bytes(Body::Hello(&hello().to_bytes()));
            bytes[6] = 9;
            frame::seal(&mut bytes);
            bytes
        }),
        stranger(|puppet| {
            let mut bytes = puppet.bytes(Body::Hello(&hello().to_bytes()));
            bytes[4] = 77;
            frame::seal(&mut bytes);
            bytes
        }),
        stranger(|puppet| {
            // A release without checksums.
            let mut bytes = puppet.bytes(Body::Hello(&hello().to_bytes()));
            bytes[6] = 2;
            bytes
        }),
    ];
    assert_snapshot!(said.join("\n"));
}

#[test]
fn a_hello_that_cannot_be_read_is_refused() {
    let cut = |puppet: &mut Puppet| {
        let bytes = hello().to_bytes();
        puppet.bytes(Body::Hello(&bytes[..bytes.len() - 3]))
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut puppet = Puppet::connect(&path);
    let bytes = cut(&mut puppet);
    puppet.raw(&bytes);
    let heard = puppet.reason();
    let error = node.join().expect("no panic").expect_err("no other node comes");
    assert_snapshot!(format!("z hears: {heard}\na says:  {error}"));
}

#[test]
fn who_does_not_belong_to_the_run_is_refused_and_the_right_one_still_awaited() {
    let said = [
        changed(|hello| hello.run = [1; 16]),
        changed(|hello| hello.node = "y".to_owned()),
        changed(|hello| hello.node = "a".to_owned()),
    ];
    assert_snapshot!(said.join("\n\n"));
}

#[test]
fn differences_in_the_flows_are_reported_as_text() {
    let period = |ticks| FlowTiming::Periodic(Time::from_ticks(ticks));
    let event = FlowKind::Event {
        lookahead: Time::from_ticks(2),
        adds_microstep: true,
        bounds: BoundPolicy::OnDemand,
    };
    let said = [
        changed(|hello| hello.topology.flows[0].timing = period(20)),
        changed(|hello| hello.topology.flows[1].timing = FlowTiming::Once),
        changed(|hello| hello.topology.flows[1].kind = FlowKind::Observation),
        changed(|hello| hello.topology.flows[1].kind = event),
        changed(|hello| hello.topology.flows[0].first = tick(5).next_microstep()),
        changed(|hello| hello.topology.flows[0].capacity = 9),
        changed(|hello| hello.topology.flows[0].payload = "f64".to_owned()),
        changed(|hello| hello.topology.flows[0].priority = -1),
        changed(|hello| hello.topology.flows[0].feedthrough = Some(vec![FlowId(1)])),
        changed(|hello| hello.topology.flows[0].sinks = vec![]),
        changed(|hello| hello.topology.flows.truncate(1)),
        changed(|hello| hello.topology.flows.push(flow("quux", 1, &[0], 1))),
        changed(|hello| hello.topology.nodes.push("zz".to_owned())),
        changed(|hello| hello.horizon = Some(tick(10))),
        changed(|hello| hello.begins = Some(tick(20_000).time)),
        changed(|hello| hello.facts = vec![("the stop time".to_owned(), "60 s".to_owned())]),
        changed(|hello| {
            let tick = Seconds::new(1, 100).expect("a number");
            hello.resolution = Resolution::new(tick).expect("positive");
        }),
    ];
    assert_snapshot!(said.join("\n\n"));
}

/// What two nodes with these options say when they meet.
fn met(change: impl Fn(&mut JoinOptions, bool)) -> String {
    let hub = Hub::new();
    let join = |name: &'static str, is_first: bool| {
        let mut options = JoinOptions::new(name, Arc::new(topology()), resolution());
        options.hub = Some(hub.clone());
        change(&mut options, is_first);
        std::thread::spawn(move || Node::join(options).err().expect("no fit").to_string())
    };
    let nodes = [join("a", true), join("z", false)];
    nodes.map(|node| node.join().expect("no panic")).join("\n")
}

#[test]
fn both_sides_report_from_where_each_resumes_and_what_to_do() {
    let said = met(|options, is_first| {
        options.begins = Some(tick(if is_first { 20_000 } else { 30_000 }).time);
    });
    assert_snapshot!(said);
    let said = met(|options, is_first| options.begins = is_first.then(|| tick(5).time));
    assert_snapshot!(said);
}

#[test]
fn both_sides_report_what_is_run_elsewhere_and_not_here() {
    let said = met(|options, is_first| {
        let stop = if is_first { "60 s" } else { "50 s" };
        let file = if is_first { "the file `a.fmu`" } else { "the file `b.fmu`" };
        let facts = [("the stop time", stop), (file, "01ab"), ("the plan", "77")];
        options.facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    });
    assert_snapshot!(said);
}

#[test]
fn missing_nodes_are_reported_until_all_are_there() {
    let (sender, reported) = std::sync::mpsc::channel();
    let hub = Hub::new();
    let options = |name| JoinOptions {
        hub: Some(hub.clone()),
        ..JoinOptions::new(name, Arc::new(topology()), resolution())
    };
    let gathering =
        Gathering::new(move |missing| sender.send(missing.to_vec()).expect("a listener"));
    let first = JoinOptions { gathering: Some(gathering), ..options("a") };
    let first = std::thread::spawn(move || Node::join(first).and_then(|node| node.leave(b"")));
    assert_eq!(reported.recv().expect("who is missing"), ["z"]);
    let second = Node::join(options("z")).and_then(|node| node.leave(b""));
    assert_eq!(reported.recv().expect("who is missing"), [""; 0]);
    assert!(first.join().expect("no panic").is_ok() && second.is_ok());
}

#[test]
fn more_differences_than_help_are_counted() {
    let said = changed(|hello| {
        hello.topology.flows.extend((10..40).map(|it| flow(&format!("x{it}"), 1, &[0], 1)));
    });
    assert!(said.ends_with("and 10 more differences"), "{said}");
}

#[test]
fn a_second_node_of_the_same_name_is_refused_and_the_first_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let node = start(options(&path));
    let mut first = Puppet::join(&path);
    let mut second = Puppet::connect(&path);
    let another = Hello { incarnation: 2, ..hello() };
    second.say(Body::Hello(&another.to_bytes()));
    assert_snapshot!(second.reason(), @"refused: another process has joined already as node `z`");
    first.message(1, 0, None);
    first.say(Body::Failed { at: None, failed_node: "z", reason: "that is enough" });
    let error = node.join().expect("no panic").expect_err("z failed");
    assert_snapshot!(error, @"node `z`: that is enough");
}

#[test]
fn options_that_do_not_fit_are_refused_before_anything_happens() {
    let plain = |name: &str| JoinOptions::new(name, Arc::new(topology()), resolution());
    let said =
        |options: JoinOptions| Node::join(options).err().expect("they do not fit").to_string();
    assert_snapshot!(said(plain("b")), @"there is no node `b`; there are `a`, `z`");
    assert_snapshot!(said(plain("a")), @"node `z` connects to node `a`: give an endpoint to listen at");
    assert_snapshot!(said(plain("z")), @"node `z` connects to node `a`: give the endpoint of `a`");
    let zenoh = Endpoint::Zenoh("tcp/127.0.0.1:1".to_owned());
    if !cfg!(feature = "zenoh") {
        let options = JoinOptions { listen: Some(zenoh), ..plain("a") };
        assert_snapshot!(said(options), @"cannot listen at `zenoh:tcp/127.0.0.1:1`: this consort was built without the feature `zenoh`");
    }
    let tls = Endpoint::Tls("localhost:1".to_owned());
    assert_snapshot!(said(JoinOptions { listen: Some(tls), ..plain("a") }), @"cannot listen at `tls:localhost:1`: a `tls` endpoint needs a secret (`--secret`) or certificates (`--tls-certificate`)");
}

#[test]
fn flows_that_would_wait_for_themselves_are_refused_by_name() {
    let mut circuit = topology();
    circuit.flows.iter_mut().for_each(|flow| flow.kind = FlowKind::Observation);
    let said = |topology| {
        let options = JoinOptions::new("a", Arc::new(topology), resolution());
        let options = JoinOptions { hub: Some(Hub::new()), ..options };
        Node::join(options).err().expect("they do not fit").to_string()
    };
    assert_snapshot!(said(circuit));
    let mut empty = topology();
    empty.flows[0].capacity = 0;
    empty.flows[1].sinks = vec![];
    assert_snapshot!(said(empty));
}

#[test]
fn an_endpoint_that_is_taken_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let _taken = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let error = Node::join(options(&path)).err().expect("it is taken").to_string();
    assert!(error.starts_with("cannot listen at `unix:/"), "{error}");
    assert!(error.contains("in use"), "{error}");
}

#[test]
fn a_socket_that_a_killed_node_left_is_no_obstacle() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists(), "a killed node does not tidy up");
    let error = Node::join(options(&path)).err().expect("no node comes").to_string();
    assert_eq!(error, "nodes did not connect within 0.4 s: node `z`: it has not connected");
}

#[test]
fn two_threads_of_one_name_do_not_share_a_hub() {
    let hub = Hub::new();
    let joined = |hub: &Hub| {
        let gather = std::time::Duration::from_millis(300);
        let options = JoinOptions::new("a", Arc::new(topology()), resolution());
        Node::join(JoinOptions { hub: Some(hub.clone()), gather, ..options })
    };
    let other = {
        let hub = hub.clone();
        std::thread::spawn(move || joined(&hub).err())
    };
    std::thread::sleep(std::time::Duration::from_millis(100));
    let error = joined(&hub).err().expect("the name is taken").to_string();
    assert!(error.starts_with("cannot register a node name twice at the hub"), "{error}");
    assert!(other.join().expect("no panic").is_some(), "no other node came");
}
