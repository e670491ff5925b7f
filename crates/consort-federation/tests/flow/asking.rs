//! Bounds on demand, one machine at a time: who asks for what, and who answers when.

use crate::support::{Hand, at, event, flow, tag, topology};
use consort_core::{NodeId, Tag};
use consort_federation::flow::{BoundPolicy, Flow, FlowInput, FlowKind, FlowOutput, Topology};

/// `a` has `clock` (period 10, from `c`) and sends the event `e` to `b`, which sends `f` to `c`; `b` also emits `beat`
/// (period 7) to `c` if it has one.
fn relay(kind: FlowKind, has_beat: bool) -> Topology {
    let event = |name, source, sink| Flow { kind, ..flow(name, source, &[sink], 0) };
    let mut flows = vec![flow("clock", 2, &[0], 10), event("e", 0, 1), event("f", 1, 2)];
    if has_beat {
        flows.push(flow("beat", 1, &[2], 7));
    }
    topology(3, flows).with_bounds(|_| BoundPolicy::OnDemand)
}

fn request(node: &mut Hand, name: &str, sink: u32, tag: Tag) {
    let input = FlowInput::Request { flow: node.flow(name), sink: NodeId(sink), tag };
    assert_eq!(node.handle(input), Ok(Vec::new()));
}

/// What is announced: bounds, `None` for the end, and requests.
fn announced(node: &mut Hand) -> (Vec<Option<Tag>>, Vec<Tag>) {
    let (mut bounds, mut requests) = (Vec::new(), Vec::new());
    for output in node.handle(FlowInput::Announce).expect("it can always be announced") {
        match output {
            FlowOutput::SendBound { tag, .. } => bounds.push(tag),
            FlowOutput::Request { tag, .. } => requests.push(tag),
            other => panic!("{other:?} is not announced"),
        }
    }
    (bounds, requests)
}

#[test]
fn a_source_answers_as_soon_as_it_can_and_sends_nothing_that_was_not_requested() {
    let mut node = Hand::new(&relay(event(0, false), false), 0, Some(at(40)));
    node.arrives("clock", at(0), Some(at(10)));
    node.consume();
    node.check("await clock 10.0");
    request(&mut node, "e", 1, at(15));
    node.check("await clock 10.0");
    request(&mut node, "e", 1, at(4));
    request(&mut node, "e", 1, at(15));
    node.check("announce");
    assert_eq!(announced(&mut node), (vec![Some(at(10))], vec![]), "more than was asked for");
    request(&mut node, "e", 1, at(9));
    node.check("await clock 10.0");
}

#[test]
fn the_end_is_announced_without_a_request() {
    let mut node = Hand::new(&relay(event(0, false), false), 0, Some(at(40)));
    node.arrives("clock", at(0), None);
    node.consume();
    assert_eq!(announced(&mut node), (vec![None], vec![]));
    node.check("done");
}

#[test]
fn a_node_asks_for_what_it_has_to_do_next_and_passes_on_what_it_is_asked() {
    let check = |kind, expected| {
        let mut node = Hand::new(&relay(kind, true), 1, Some(at(40)));
        node.emit("beat", Some(at(7)));
        assert_eq!(announced(&mut node), (vec![], vec![at(7)]), "`beat` at 7 is to go out");
        request(&mut node, "f", 2, at(30));
        assert_eq!(announced(&mut node), (vec![], vec![]), "what is needed first comes first");
        let bound = FlowInput::Bound { flow: node.flow("e"), tag: Some(at(7)) };
        node.handle(bound).unwrap();
        let room = FlowInput::Credit { flow: node.flow("beat"), sink: NodeId(2), count: 1 };
        node.handle(room).unwrap();
        node.emit("beat", None);
        assert_eq!(announced(&mut node), (vec![], vec![expected]), "and then the other");
        assert_ne!(node.next(), "announce", "it is asked once");
    };
    check(event(0, false), at(30));
    check(event(0, true), tag(29, 1_000));
    check(event(3, false), at(27));
}

#[test]
fn a_node_with_nothing_to_do_asks_for_nothing() {
    let mut node = Hand::new(&relay(event(0, false), false), 1, Some(at(40)));
    node.check("await e 0.0");
    request(&mut node, "f", 2, at(41));
    node.check("await e 0.0");
    request(&mut node, "f", 2, at(40));
    assert_eq!(announced(&mut node), (vec![], vec![at(40)]));
}

#[test]
fn where_bounds_are_announced_a_request_changes_nothing() {
    let eager = relay(event(0, false), false).with_bounds(|_| BoundPolicy::Eager);
    let mut node = Hand::new(&eager, 0, Some(at(40)));
    let before = node.node.clone();
    request(&mut node, "e", 1, at(15));
    assert!(node.node == before);
}
