//! Invalid inputs: refused with a message, without a panic, and without a change of the machine.

use crate::support::{Hand, at, event, flow, tag, topology};
use crate::worlds::random_topology;
use consort_core::{NodeId, Prng};
use consort_federation::flow::{
    BoundPolicy, Flow, FlowId, FlowInput, FlowTiming, MICROSTEPS_MAX, Message,
};

/// `a` receives `in` (period 2), `free` (variable), `once`, `happens` (event); it emits `out` (period 2) and
/// `shout` (event with lookahead 3). `other` goes from `b` to `c`.
fn node() -> Hand {
    let once = Flow { timing: FlowTiming::Once, ..flow("once", 1, &[0], 1) };
    let happens = Flow { kind: event(0, false), ..flow("happens", 1, &[0], 0) };
    let shout = Flow { kind: event(3, false), ..flow("shout", 0, &[1], 0) };
    let flows = vec![
        flow("in", 1, &[0], 2),
        Flow { capacity: 2, ..flow("free", 1, &[0], 0) },
        once,
        happens,
        shout,
        flow("out", 0, &[1, 2], 2),
        flow("other", 1, &[2], 2),
    ];
    Hand::new(&topology(3, flows), 0, None)
}

fn check(node: &Hand, input: FlowInput<u64>, expected: &str) {
    let mut tried = node.clone();
    let error = tried.handle(input).expect_err("it is refused");
    assert_eq!(error.to_string(), expected);
    assert!(tried.node == node.node, "the machine is as it was: {expected}");
}

fn arrived(
    node: &Hand,
    name: &str,
    tag: consort_core::Tag,
    next: Option<consort_core::Tag>,
) -> FlowInput<u64> {
    FlowInput::Arrived { flow: node.flow(name), message: Message { tag, next, payload: 0 } }
}

#[test]
fn messages_that_break_a_promise_are_refused() {
    let node = node();
    let cases = [
        ("in", at(2), None, "flow `in`: a message at tick 2.0 came, one at tick 0.0 was promised"),
        (
            "in",
            tag(0, 1),
            None,
            "flow `in`: a message at tick 0.1 came, one at tick 0.0 was promised",
        ),
        (
            "in",
            at(0),
            Some(at(0)),
            "flow `in`: the message at tick 0.0 promises the next one at tick 0.0",
        ),
        (
            "in",
            at(0),
            Some(at(3)),
            "flow `in`: the message at tick 0.0 promises the next one at tick 3.0, declared is tick 2.0",
        ),
        (
            "once",
            at(0),
            Some(at(3)),
            "flow `once`: the message at tick 0.0 promises the next one at tick 3.0, declared is no other",
        ),
        (
            "free",
            at(0),
            Some(at(-1)),
            "flow `free`: the message at tick 0.0 promises the next one at tick -1.0",
        ),
        (
            "happens",
            at(-1),
            None,
            "flow `happens`: tick -1.0 came, nothing before tick 0.0 was promised",
        ),
        ("out", at(0), None, "flow `out` does not go to node `a`"),
        ("other", at(0), None, "flow `other` does not go to node `a`"),
    ];
    for (name, tag, next, expected) in cases {
        check(&node, arrived(&node, name, tag, next), expected);
    }
    let beyond = tag(0, MICROSTEPS_MAX + 1);
    let expected =
        "flow `happens`: more than 1000 microsteps at tick 0: events cause each other without end";
    check(&node, arrived(&node, "happens", beyond, None), expected);
    let unknown = FlowInput::Arrived {
        flow: FlowId(99),
        message: Message { tag: at(0), next: None, payload: 0 },
    };
    check(&node, unknown, "there is no flow number 99");
}

#[test]
fn messages_without_room_or_after_the_end_are_refused() {
    let mut node = node();
    node.arrives("in", at(0), Some(at(2)));
    let expected = "flow `in`: a message at tick 2.0 came without credit: there is room for 1";
    check(&node, arrived(&node, "in", at(2), None), expected);
    node.arrives("free", at(0), None);
    let expected = "flow `free`: tick 5.0 came after the end of the flow";
    check(&node, arrived(&node, "free", at(5), None), expected);
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    let mut node = node();
    let bound = |node: &Hand, name: &str, tag| FlowInput::Bound { flow: node.flow(name), tag };
    let expected = "flow `in` is no event flow: the tags of its messages are known";
    check(&node, bound(&node, "in", Some(at(1))), expected);
    assert_eq!(node.handle(bound(&node, "happens", Some(at(5)))), Ok(Vec::new()));
    let expected = "flow `happens`: tick 4.0 came, nothing before tick 5.0 was promised";
    check(&node, bound(&node, "happens", Some(at(4))), expected);
    check(&node, arrived(&node, "happens", at(4), None), expected);
    assert_eq!(node.handle(bound(&node, "happens", None)), Ok(Vec::new()));
    let expected = "flow `happens`: a bound came after the end of the flow";
    check(&node, bound(&node, "happens", None), expected);
}

#[test]
fn requests_that_are_not_allowed_are_refused() {
    let node = node();
    let request = |flow, sink| FlowInput::Request { flow, sink: NodeId(sink), tag: at(7) };
    let expected = "flow `out` is no event flow: the tags of its messages are known";
    check(&node, request(node.flow("out"), 1), expected);
    check(&node, request(node.flow("shout"), 2), "flow `shout` does not go to node number 2");
    let expected = "flow `happens` does not come from node `a`";
    check(&node, request(node.flow("happens"), 0), expected);
    check(&node, request(FlowId(99), 0), "there is no flow number 99");
}

#[test]
fn credits_that_are_not_allowed_are_refused() {
    let mut node = node();
    let credit = |flow, sink, count| FlowInput::Credit { flow, sink: NodeId(sink), count };
    let out = node.flow("out");
    let expected = "flow `out`: node `b` grants room for 2 messages, it has room for 1";
    check(&node, credit(out, 1, 1), expected);
    check(&node, credit(out, 7, 1), "flow `out` does not go to node number 7");
    check(&node, credit(node.flow("in"), 0, 1), "flow `in` does not come from node `a`");
    node.emit("out", Some(at(2)));
    let expected = "flow `out`: node `b` grants room for 4294967295 messages, it has room for 1";
    check(&node, credit(out, 1, u32::MAX), expected);
}

#[test]
fn what_is_not_due_is_refused_with_what_is() {
    let mut node = node();
    let emit =
        |node: &Hand, name: &str, next| FlowInput::Emit { flow: node.flow(name), payload: 0, next };
    check(&node, FlowInput::Consume, "consume, but first: emit `out` at tick 0.0");
    check(&node, emit(&node, "in", None), "flow `in` does not come from node `a`");
    check(&node, emit(&node, "shout", None), "emit `shout`, but first: emit `out` at tick 0.0");
    let expected = "flow `out`: the message at tick 0.0 promises the next one at tick 3.0, declared is tick 2.0";
    check(&node, emit(&node, "out", Some(at(3))), expected);
    node.emit("out", Some(at(2)));
    check(&node, emit(&node, "out", None), "emit `out`, but first: wait for `free` at tick 0.0");
    assert_eq!(node.handle(FlowInput::Announce).unwrap().len(), 1, "`shout` not before tick 3");
    check(&node, FlowInput::Consume, "consume, but first: wait for `free` at tick 0.0");
}

#[test]
fn plans_without_a_cause_or_too_early_are_refused() {
    let mut node = node();
    let plan = |node: &Hand, name: &str, time| FlowInput::Plan {
        flow: node.flow(name),
        tag: Some(at(time)),
    };
    let expected = "flow `shout`: an event is planned at tick -1.0, the earliest is tick 0.0";
    check(&node, plan(&node, "shout", -1), expected);
    check(
        &node,
        plan(&node, "out", 5),
        "flow `out` is no event flow: the tags of its messages are known",
    );
    assert_eq!(node.handle(plan(&node, "shout", 20)), Ok(Vec::new()));
    node.emit("out", Some(at(2)));
    let expected = "plan an event of `shout`, but first: consume what may cause it";
    check(&node, plan(&node, "shout", 8), expected);
    for (name, next) in [("in", Some(at(2))), ("free", None), ("once", None), ("happens", None)] {
        node.arrives(name, at(0), next);
    }
    assert_eq!(node.consume(), ["free", "happens", "in", "once"]);
    let expected = "flow `shout`: an event is planned at tick 2.0, the earliest is tick 3.0";
    check(&node, plan(&node, "shout", 2), expected);
    let beyond = FlowInput::Plan { flow: node.flow("shout"), tag: Some(tag(3, 5_000)) };
    let expected =
        "flow `shout`: more than 1000 microsteps at tick 3: events cause each other without end";
    check(&node, beyond, expected);
    assert_eq!(node.handle(plan(&node, "shout", 3)), Ok(Vec::new()));
    assert_eq!(node.handle(FlowInput::Announce).map(|out| out.len()), Ok(1), "not before tick 3");
    let expected = "plan an event of `shout`, but first: consume what may cause it";
    check(&node, plan(&node, "shout", 4), expected);
}

/// Something that makes sense now and then: few flows, few tags, few numbers.
fn garbage(prng: &mut Prng) -> FlowInput<u64> {
    let extreme = [i64::MIN, -1, 0, 1, 2, 3, 5, i64::MAX];
    let times = |prng: &mut Prng| extreme[prng.below(8) as usize];
    let microsteps = [0, 0, 0, 1, 1_000, 1_001, u32::MAX];
    let tags = |prng: &mut Prng| tag(times(prng), microsteps[prng.below(7) as usize]);
    let maybe = |prng: &mut Prng| if prng.below(4) == 0 { None } else { Some(tags(prng)) };
    let flow = FlowId(prng.below(10) as u32);
    match prng.below(8) {
        0 => {
            let message = Message { tag: tags(prng), next: maybe(prng), payload: prng.next_u64() };
            FlowInput::Arrived { flow, message }
        }
        1 => FlowInput::Bound { flow, tag: maybe(prng) },
        2 => {
            let counts = [0, 1, 2, u32::MAX];
            let (sink, count) = (NodeId(prng.below(4) as u32), counts[prng.below(4) as usize]);
            FlowInput::Credit { flow, sink, count }
        }
        7 => {
            let sink = NodeId(prng.below(4) as u32);
            FlowInput::Request { flow, sink, tag: tags(prng) }
        }
        3 => FlowInput::Emit { flow, payload: 0, next: maybe(prng) },
        4 => FlowInput::Plan { flow, tag: maybe(prng) },
        5 => FlowInput::Announce,
        _ => FlowInput::Consume,
    }
}

#[test]
fn garbage_is_refused_without_a_panic_and_leaves_no_trace() {
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..200 {
        let mut prng = Prng::new(seed).split("garbage");
        let bounds = if seed % 2 == 0 { BoundPolicy::Eager } else { BoundPolicy::OnDemand };
        let topology = random_topology(&mut Prng::new(seed)).with_bounds(|_| bounds);
        let mut node = Hand::new(&topology, prng.below(2) as u32, None);
        for _ in 0..200 {
            let before = node.node.clone();
            let _ = (node.node.poll(), node.node.position());
            if node.handle(garbage(&mut prng)).is_ok() {
                taken += 1;
            } else {
                refused += 1;
                assert!(node.node == before && node.out.is_empty(), "seed {seed}");
            }
        }
    }
    assert!(1_000 < taken && 1_000 < refused, "{taken} taken, {refused} refused");
}
