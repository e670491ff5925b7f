//! Event flows: bounds, lookahead, answers at the next microstep, and events without end.

use crate::support::{Hand, at, event, flow, tag, topology};
use consort_core::{NodeId, Tag};
use consort_federation::flow::{
    Behavior, BoundPolicy, Flow, FlowError, FlowId, FlowInput, FlowKind, FlowOutput,
    MICROSTEPS_MAX, NEVER, NextEvent, Scheduler, SchedulerError, Topology, analyse,
};

/// `a` receives `x` (period 5) and `e` (event), and emits the event `f` to `c`.
fn relay(kind: FlowKind) -> Topology {
    let e = Flow { kind: event(0, false), ..flow("e", 1, &[0], 0) };
    let f = Flow { kind, ..flow("f", 0, &[2], 0) };
    topology(3, vec![flow("x", 1, &[0], 5), e, f])
}

fn bound(node: &mut Hand, name: &str, tag: Option<Tag>) {
    let input = FlowInput::Bound { flow: node.flow(name), tag };
    assert_eq!(node.handle(input), Ok(Vec::new()));
}

fn announced(node: &mut Hand) -> Option<Tag> {
    node.check("announce");
    match node.handle(FlowInput::Announce).expect("it can always be announced")[..] {
        [FlowOutput::SendBound { sink: NodeId(2), tag, .. }] => tag,
        ref other => panic!("{other:?} is not one bound"),
    }
}

#[test]
fn a_node_waits_until_an_event_input_is_decided() {
    let mut node = Hand::new(&relay(event(1, false)), 0, None);
    announced(&mut node);
    node.arrives("x", at(0), Some(at(5)));
    node.check("await e 0.0");
    bound(&mut node, "e", Some(at(0)));
    node.check("await e 0.0");
    bound(&mut node, "e", Some(tag(0, 1)));
    assert_eq!(node.consume(), ["x"]);
    node.arrives("e", at(3), Some(at(4)));
    assert_eq!(announced(&mut node), Some(at(4)), "one tick after 3");
    assert_eq!(node.consume(), ["e"], "the event comes before `x` at 5");
    assert_eq!(announced(&mut node), Some(at(5)), "one tick after 4");
    node.check("await e 4.0");
}

#[test]
fn bounds_say_what_the_inputs_and_the_delay_allow() {
    let check = |kind, first, expected| {
        let mut node = Hand::new(&relay(kind), 0, Some(at(40)));
        bound(&mut node, "e", Some(at(30)));
        assert_eq!(node.next() == "announce", first != at(0));
        if first != at(0) {
            assert_eq!(announced(&mut node), Some(first), "`x` at 0 is to come");
        }
        node.arrives("x", at(0), Some(at(5)));
        node.consume();
        assert_eq!(announced(&mut node), Some(expected), "`x` at 5 is to come");
        assert_ne!(node.next(), "announce", "it is announced once");
    };
    check(event(0, false), at(0), at(5));
    check(event(0, true), tag(0, 1), tag(5, 1));
    check(event(3, false), at(3), at(8));
}

#[test]
fn a_flow_whose_causes_have_ended_ends_itself() {
    let mut node = Hand::new(&relay(event(0, false)), 0, Some(at(40)));
    bound(&mut node, "e", None);
    node.arrives("x", at(0), None);
    node.consume();
    assert_eq!(announced(&mut node), None);
    node.check("done");
    assert_eq!(node.node.position(), NEVER);
}

#[test]
fn an_event_goes_out_at_its_tag_and_its_message_carries_the_next_bound() {
    let mut node = Hand::new(&relay(event(0, false)), 0, Some(at(40)));
    bound(&mut node, "e", Some(at(30)));
    node.arrives("x", at(0), Some(at(5)));
    node.consume();
    let plan = |node: &Hand, tag| FlowInput::Plan { flow: node.flow("f"), tag: Some(tag) };
    let input = plan(&node, at(0));
    assert_eq!(node.handle(input), Ok(Vec::new()));
    node.check("emit f 0.0");
    let sent = node.emit("f", Some(at(3)));
    let next = |sent: &[FlowOutput<u64>]| match sent {
        [FlowOutput::Send { message, .. }] => message.next,
        other => panic!("{other:?} is not one message"),
    };
    assert_eq!(next(&sent), Some(at(3)), "the plan");
    let room = FlowInput::Credit { flow: node.flow("f"), sink: NodeId(2), count: 1 };
    assert_eq!(node.handle(room), Ok(Vec::new()));
    node.check("emit f 3.0");
    let sent = node.emit("f", None);
    assert_eq!(next(&sent), Some(at(5)), "what `x` at 5 may cause");
}

#[test]
fn a_bound_never_overtakes_a_message_that_waits_for_room() {
    let mut node = Hand::new(&relay(event(0, false)), 0, Some(at(40)));
    bound(&mut node, "e", Some(at(30)));
    let plan = FlowInput::Plan { flow: node.flow("f"), tag: Some(at(0)) };
    node.handle(plan).unwrap();
    node.arrives("x", at(0), Some(at(5)));
    node.consume();
    node.emit("f", Some(at(1)));
    assert_eq!(node.emit("f", None), [], "no room");
    bound(&mut node, "e", Some(at(31)));
    node.check("await room f c");
    let room = FlowInput::Credit { flow: node.flow("f"), sink: NodeId(2), count: 1 };
    assert!(matches!(node.handle(room).unwrap()[..], [FlowOutput::Send { .. }]));
    node.check("await x 5.0");
}

/// A caller asks at ticks 0, 10 and 20 and gets each answer one microstep later; the request waits for nothing.
fn call() -> Topology {
    let ask = Flow { kind: event(0, false), feedthrough: Some(vec![]), ..flow("ask", 0, &[1], 0) };
    let answer = Flow { kind: event(0, true), ..flow("answer", 1, &[0], 0) };
    topology(2, vec![ask, answer])
}

#[derive(Default)]
struct Peer {
    got: Vec<(Tag, u64)>,
    /// Answers each question; or asks every ten ticks.
    answers: bool,
}

impl Behavior<u64> for Peer {
    fn on_inputs(&mut self, tag: Tag, inputs: &[(FlowId, u64)]) {
        self.got.extend(inputs.iter().map(|(_, value)| (tag, *value)));
    }

    fn emit(&mut self, _: FlowId, tag: Tag, _: Option<Tag>) -> (u64, Option<Tag>) {
        match self.got.last() {
            Some((_, value)) if self.answers => (value * value, None),
            _ => (tag.time.ticks() as u64 + 1, Some(at(tag.time.ticks() + 10))),
        }
    }

    fn plan(&mut self, _: FlowId) -> NextEvent {
        match self.got.last() {
            _ if !self.answers => {
                if self.got.is_empty() {
                    NextEvent::At(at(0))
                } else {
                    NextEvent::Keep
                }
            }
            Some((tag, _)) => NextEvent::At(tag.next_microstep()),
            None => NextEvent::Nothing,
        }
    }
}

#[test]
fn a_question_is_answered_at_the_next_microstep_of_its_time() {
    for bounds in [BoundPolicy::Eager, BoundPolicy::OnDemand] {
        let behaviors = vec![Peer::default(), Peer { answers: true, ..Peer::default() }];
        let topology = call().with_bounds(|_| bounds);
        let mut scheduler = Scheduler::new(&topology, behaviors, Some(at(25)));
        scheduler.run().unwrap();
        let got: Vec<_> = scheduler.behaviors().map(|peer| peer.got.clone()).collect();
        assert_eq!(got[1], [(at(0), 1), (at(10), 11), (at(20), 21)]);
        assert_eq!(got[0], [(tag(0, 1), 1), (tag(10, 1), 121), (tag(20, 1), 441)]);
    }
}

#[test]
fn who_asked_waits_until_no_answer_to_its_question_can_come_any_more() {
    // `ask` follows from `clock`; the caller has asked at (0, 0) and works again at 10.
    let bounds = [(BoundPolicy::Eager, "await answer 0.0"), (BoundPolicy::OnDemand, "announce")];
    for (bounds, next) in bounds {
        let ask = Flow { feedthrough: Some(vec![FlowId(2)]), ..call().flows[1].clone() };
        let flows = vec![call().flows[0].clone(), ask, flow("clock", 1, &[0], 10)];
        let mut node = Hand::new(&topology(2, flows).with_bounds(|_| bounds), 0, Some(at(40)));
        node.arrives("clock", at(0), Some(at(10)));
        assert_eq!(node.consume(), ["clock"], "the question does not wait for answers");
        let plan = FlowInput::Plan { flow: node.flow("ask"), tag: Some(at(0)) };
        node.handle(plan).unwrap();
        node.check("emit ask 0.0");
        node.emit("ask", None);
        node.check(next);
        let asked = node.handle(FlowInput::Announce).unwrap();
        let expected = FlowOutput::Request { flow: node.flow("answer"), tag: at(10) };
        assert_eq!(
            asked.contains(&expected),
            bounds == BoundPolicy::OnDemand,
            "what comes next is at 10"
        );
        bound(&mut node, "answer", Some(tag(0, 1)));
        node.check("await answer 0.1");
        node.arrives("answer", tag(0, 1), Some(tag(0, 2)));
        assert_eq!(node.consume(), ["answer"], "one microstep later");
        assert!(node.next().starts_with("await answer 0.2"), "{}", node.next());
        bound(&mut node, "answer", Some(tag(10, 1)));
        node.check("await clock 10.0");
    }
}

#[test]
fn a_question_that_may_follow_from_an_answer_needs_a_microstep_between_them() {
    let check = |ask: Option<Vec<FlowId>>, adds_microstep, accepts| {
        let mut topology = call();
        topology.flows[0].kind = event(0, adds_microstep);
        topology.flows[1].feedthrough = ask;
        let circuits = analyse(&topology, Some(at(25))).circuits;
        assert_eq!(circuits.is_empty(), accepts);
        let all = [FlowId(0), FlowId(1)];
        assert!(circuits.iter().all(|it| all.iter().all(|flow| it.flows.contains(flow))));
    };
    check(Some(vec![]), true, true);
    check(Some(vec![]), false, true);
    check(None, true, true);
    check(None, false, false);
}

#[test]
fn events_that_cause_each_other_without_end_are_an_error_that_names_the_flow() {
    #[derive(Clone)]
    struct Echo(Tag);
    impl Behavior<u64> for Echo {
        fn on_inputs(&mut self, tag: Tag, _: &[(FlowId, u64)]) {
            self.0 = tag.next_microstep();
        }
        fn emit(&mut self, _: FlowId, _: Tag, _: Option<Tag>) -> (u64, Option<Tag>) {
            (0, None)
        }
        fn plan(&mut self, _: FlowId) -> NextEvent {
            NextEvent::At(self.0)
        }
    }
    let there = Flow { kind: event(0, true), ..flow("there", 0, &[1], 0) };
    let back = Flow { kind: event(0, true), ..flow("back", 1, &[0], 0) };
    let topology = topology(2, vec![there, back]);
    let mut scheduler = Scheduler::new(&topology, vec![Echo(at(3)), Echo(at(3))], Some(at(5)));
    let Err(SchedulerError::Refused { error, .. }) = scheduler.run() else {
        panic!("an echo never ends");
    };
    let text = error.to_string();
    assert!(text.contains(&format!("more than {MICROSTEPS_MAX} microsteps at tick 3")), "{text}");
}

#[test]
fn nothing_is_planned_before_the_flow_begins() {
    let mut late = relay(event(0, false));
    late.flows[1].first = at(7);
    let mut node = Hand::new(&late, 0, Some(at(40)));
    bound(&mut node, "e", Some(at(30)));
    let plan =
        |node: &mut Hand, tag| node.handle(FlowInput::Plan { flow: FlowId(1), tag: Some(tag) });
    let message = |refused: Result<_, FlowError>| refused.map_err(|error| error.to_string());
    node.arrives("x", at(0), Some(at(5)));
    node.consume();
    let expected = "flow `f`: an event is planned at tick 6.0, the earliest is tick 7.0";
    assert_eq!(message(plan(&mut node, at(6))), Err(expected.to_owned()));
    assert_eq!(plan(&mut node, at(7)), Ok(Vec::new()));
    node.arrives("x", at(5), Some(at(10)));
    node.consume();
    node.check("emit f 7.0");
    node.emit("f", None);
    node.arrives("x", at(10), None);
    node.consume();
    assert_eq!(plan(&mut node, at(10)), Ok(Vec::new()));
}
