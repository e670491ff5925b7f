//! The four rules of the paper (II, c), and the order of what is simultaneous.

use crate::support::{Hand, at, event, flow, tag, topology};
use consort_federation::flow::{Flow, FlowInput, FlowKind, Topology};

/// Node `a` receives `x` (period 2) and `y` (period 3) and emits `out` (period 4).
fn two_inputs(kind: FlowKind) -> Topology {
    let out = Flow { kind, ..flow("out", 0, &[1], 4) };
    topology(2, vec![flow("x", 1, &[0], 2), flow("y", 1, &[0], 3), out])
}

#[test]
fn messages_are_consumed_in_the_order_of_tags_whatever_comes_first() {
    let mut node = Hand::new(&two_inputs(FlowKind::State), 0, Some(at(3)));
    node.emit("out", Some(at(4)));
    node.arrives("y", at(0), Some(at(3)));
    node.check("await x 0.0");
    node.arrives("x", at(0), Some(at(2)));
    assert_eq!(node.consume(), ["x", "y"]);
    node.arrives("y", at(3), Some(at(6)));
    node.check("await x 2.0");
    node.arrives("x", at(2), None);
    assert_eq!(node.consume(), ["x"]);
    assert_eq!(node.consume(), ["y"]);
    node.check("done");
}

#[test]
fn nothing_earlier_is_consumed_after_an_emission() {
    let mut node = Hand::new(&two_inputs(FlowKind::State), 0, None);
    node.emit("out", Some(at(4)));
    node.arrives("x", at(0), Some(at(2)));
    node.arrives("y", at(0), Some(at(3)));
    node.consume();
    node.arrives("x", at(2), Some(at(4)));
    node.consume();
    node.check("await y 3.0");
    let emission = FlowInput::Emit { flow: node.flow("out"), payload: 0, next: Some(at(8)) };
    let error = node.handle(emission).expect_err("`y` at 3 is not consumed yet");
    assert_eq!(error.to_string(), "emit `out`, but first: wait for `y` at tick 3.0");
}

#[test]
fn a_state_flow_is_emitted_before_and_an_observation_after_the_inputs_of_its_tag() {
    let check = |kind, expected: [&str; 2]| {
        let mut node = Hand::new(&two_inputs(kind), 0, None);
        node.arrives("x", at(0), Some(at(2)));
        node.arrives("y", at(0), Some(at(3)));
        for expected in expected {
            node.check(expected);
            if expected.starts_with("emit") {
                node.emit("out", Some(at(4)));
            } else {
                node.consume();
            }
        }
        node.check("await x 2.0");
    };
    check(FlowKind::State, ["emit out 0.0", "consume 0.0"]);
    check(FlowKind::Observation, ["consume 0.0", "emit out 0.0"]);
}

#[test]
fn nothing_that_came_is_lost_and_what_does_not_fit_is_not_sent() {
    let flows = vec![Flow { capacity: 2, ..flow("x", 0, &[1], 1) }];
    let topology = topology(2, flows);
    let mut source = Hand::new(&topology, 0, None);
    assert_eq!(source.emit("x", Some(at(1))).len(), 1);
    assert_eq!(source.emit("x", Some(at(2))).len(), 1);
    assert_eq!(source.emit("x", Some(at(3))), [], "the third waits");
    source.check("await room x b");
    let mut sink = Hand::new(&topology, 1, None);
    sink.arrives("x", at(0), Some(at(1)));
    sink.arrives("x", at(1), Some(at(2)));
    assert_eq!([sink.consume(), sink.consume()], [["x"], ["x"]]);
    let records: Vec<_> = sink.node.records().map(|record| record.count).collect();
    assert_eq!(records, [2]);
}

#[test]
fn what_is_simultaneous_is_ordered_by_microstep_phase_priority_and_name() {
    let early = Flow { priority: -1, ..flow("z", 0, &[1], 5) };
    let observed = Flow { kind: FlowKind::Observation, priority: -9, ..flow("o", 0, &[1], 5) };
    let later = Flow { first: tag(0, 1), ..flow("a", 0, &[1], 5) };
    let flows = vec![early, observed, later, flow("m", 0, &[1], 5), flow("n", 0, &[1], 5)];
    let mut node = Hand::new(&topology(2, flows), 0, Some(tag(0, 1)));
    let mut order = Vec::new();
    while let Some(name) = node.next().strip_prefix("emit ") {
        let name = name.split(' ').next().unwrap().to_owned();
        let due = node.node.topology().flows[node.flow(&name).index()].clone();
        node.emit(&name, due.following(due.first));
        order.push(name);
    }
    assert_eq!(order, ["z", "m", "n", "o", "a"]);
    node.check("done");
}

#[test]
fn a_batch_holds_everything_of_its_tag_sorted_by_priority_and_name() {
    let mut flows: Vec<Flow> = ["p", "q", "r"].map(|name| flow(name, 1, &[0], 5)).into();
    flows[2].priority = -1;
    flows.push(Flow { kind: event(1, false), ..flow("e", 1, &[0], 0) });
    let mut node = Hand::new(&topology(2, flows), 0, None);
    for name in ["q", "p", "e", "r"] {
        assert!(node.next().starts_with("await"), "{}", node.next());
        node.arrives(name, at(0), Some(at(5)));
    }
    assert_eq!(node.consume(), ["r", "e", "p", "q"]);
}

#[test]
fn periods_change_when_a_message_is_consumed_and_not_when_it_comes() {
    let slow = Flow { capacity: 3, ..flow("x", 1, &[0], 0) };
    let mut node = Hand::new(&topology(2, vec![slow]), 0, Some(at(20)));
    node.arrives("x", at(0), Some(at(7)));
    node.arrives("x", at(7), Some(at(8)));
    node.arrives("x", at(8), None);
    for expected in ["consume 0.0", "consume 7.0", "consume 8.0"] {
        node.check(expected);
        node.consume();
    }
    node.check("done");
}
