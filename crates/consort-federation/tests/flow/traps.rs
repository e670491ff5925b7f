//! What is easy to get wrong in the paper, one test each.

use crate::support::{Hand, at, event, flow, tag, topology};
use consort_core::{NodeId, Prng, Tag};
use consort_federation::flow::{
    Behavior, Flow, FlowId, FlowInput, FlowKind, FlowOutput, Message, NextAction, NextEvent,
    Scheduler, Topology,
};

#[test]
fn the_tag_of_the_first_message_is_known_before_it_comes() {
    let late = Flow { first: at(9), ..flow("late", 1, &[0], 5) };
    let own = Flow { first: at(3), ..flow("own", 0, &[1], 5) };
    let mut node = Hand::new(&topology(2, vec![late, own]), 0, None);
    node.check("emit own 3.0");
    node.emit("own", Some(at(8)));
    let room = FlowInput::Credit { flow: node.flow("own"), sink: NodeId(1), count: 1 };
    assert_eq!(node.handle(room), Ok(Vec::new()));
    node.check("emit own 8.0");
}

#[test]
fn a_circuit_of_state_flows_starts_from_first_messages_alone() {
    let topology = topology(2, vec![flow("ab", 0, &[1], 1), flow("ba", 1, &[0], 1)]);
    Hand::new(&topology, 0, None).check("emit ab 0.0");
    Hand::new(&topology, 1, None).check("emit ba 0.0");
}

#[test]
fn all_sinks_get_the_same_message_and_its_next_tag_is_computed_once() {
    struct Counting {
        emissions: i64,
    }
    impl Behavior<u64> for Counting {
        fn on_inputs(&mut self, _: Tag, _: &[(FlowId, u64)]) {}
        fn emit(&mut self, _: FlowId, tag: Tag, _: Option<Tag>) -> (u64, Option<Tag>) {
            self.emissions += 1;
            (self.emissions as u64, Some(at(tag.time.ticks() + self.emissions)))
        }
    }
    let topology = topology(4, vec![flow("x", 0, &[1, 2, 3], 0)]);
    let behaviors = (0..4).map(|_| Counting { emissions: 0 }).collect();
    let mut scheduler = Scheduler::new(&topology, behaviors, Some(at(20)));
    scheduler.run().unwrap();
    let counts: Vec<i64> = scheduler.behaviors().map(|it| it.emissions).collect();
    assert_eq!(counts, [6, 0, 0, 0], "at ticks 0, 1, 3, 6, 10, 15");
    let hashes: Vec<_> = scheduler.records().map(|(_, it)| (it.count, it.hash)).collect();
    assert_eq!(hashes, [hashes[0]; 4]);
}

#[test]
fn each_sink_is_served_once_in_any_order_and_the_slowest_holds_the_node() {
    let (x, sinks) = (flow("x", 0, &[1, 2], 1), [NodeId(1), NodeId(2)]);
    let mut node = Hand::new(&topology(3, vec![x]), 0, None);
    assert_eq!(receivers(&node.emit("x", Some(at(1)))), sinks);
    assert_eq!(node.emit("x", Some(at(2))), []);
    let room = |sink| FlowInput::Credit { flow: FlowId(0), sink, count: 1 };
    assert_eq!(receivers(&node.handle(room(sinks[1])).unwrap()), [sinks[1]]);
    node.check("await room x b");
    assert_eq!(receivers(&node.handle(room(sinks[1])).unwrap()), [], "it has this message already");
    assert_eq!(receivers(&node.handle(room(sinks[0])).unwrap()), [sinks[0]]);
    node.check("emit x 2.0");
    assert_eq!(receivers(&node.emit("x", Some(at(3)))), [sinks[1]], "it has room left");
}

fn receivers(outputs: &[FlowOutput<u64>]) -> Vec<NodeId> {
    let sinks = outputs.iter().map(|output| match output {
        FlowOutput::Send { sink, .. } => *sink,
        other => panic!("{other:?} is no message"),
    });
    sinks.collect()
}

#[test]
fn a_node_that_waits_for_room_still_receives() {
    let mut node =
        Hand::new(&topology(2, vec![flow("x", 0, &[1], 1), flow("y", 1, &[0], 5)]), 0, None);
    node.emit("x", Some(at(1)));
    node.arrives("y", at(0), Some(at(5)));
    node.consume();
    node.emit("x", Some(at(2)));
    node.check("await room x b");
    node.arrives("y", at(5), Some(at(10)));
    assert_eq!(node.node.waiting(node.flow("y")), 1);
    let error = node.handle(FlowInput::Consume).expect_err("the emission comes first");
    assert!(error.to_string().ends_with("wait until node `b` has room for `x`"), "{error}");
}

#[test]
fn what_is_next_does_not_depend_on_what_has_come() {
    let seed = 7;
    let mut prng = Prng::new(seed);
    let observed = Flow { kind: FlowKind::Observation, ..flow("o", 0, &[1], 2) };
    let names = ["u", "v", "w"];
    let mut flows = vec![observed, flow("s", 0, &[1], 3)];
    flows.extend((2..).zip(names).map(|(period, name)| flow(name, 1, &[0], period)));
    for flow in &mut flows {
        flow.capacity = 1_000;
    }
    let topology = topology(2, flows);
    let done = |draw: &mut dyn FnMut(u64) -> u64| {
        let mut node = Hand::new(&topology, 0, Some(at(60)));
        let mut next = [at(0); 3];
        let mut done = Vec::new();
        for steps in 0.. {
            assert!(steps < 100_000, "it waits in vain: {}", node.next());
            if node.node.poll() == NextAction::Done {
                break;
            }
            let action = node.next();
            if !action.starts_with("await") && draw(2) == 0 {
                done.push(action.clone());
                match action.split(' ').collect::<Vec<_>>()[..] {
                    ["emit", name, _] => {
                        let flow = topology.flows[node.flow(name).index()].clone();
                        node.emit(name, flow.following(node.node.position()));
                    }
                    _ => assert!(!node.consume().is_empty()),
                }
            } else {
                let input = draw(3) as usize;
                let following =
                    topology.flows[node.flow(names[input]).index()].following(next[input]);
                if next[input] <= at(60) {
                    node.arrives(names[input], next[input], following);
                    next[input] = following.unwrap();
                }
            }
        }
        done
    };
    let first = done(&mut |bound| prng.below(bound));
    for _ in 0..50 {
        assert_eq!(done(&mut |bound| prng.below(bound)), first, "seed {seed}");
    }
}

#[test]
fn a_source_runs_ahead_of_a_sink_by_its_capacity_and_no_further() {
    for capacity in [1, 2, 5, 64] {
        let ahead = Flow { capacity, ..flow("x", 0, &[1], 3) };
        let mut node = Hand::new(&topology(2, vec![ahead]), 0, None);
        while let NextAction::Emit { tag, .. } = node.node.poll() {
            node.emit("x", Some(at(tag.time.ticks() + 3)));
        }
        assert_eq!(node.node.position(), at(3 * i64::from(capacity)), "capacity {capacity}");
    }
}

#[test]
fn sources_without_inputs_and_sinks_without_outputs_are_nodes_too() {
    let topology = topology(3, vec![flow("x", 0, &[1], 4)]);
    Hand::new(&topology, 0, Some(at(0))).check("emit x 0.0");
    let mut sink = Hand::new(&topology, 1, Some(at(0)));
    sink.arrives("x", at(0), None);
    assert_eq!(sink.consume(), ["x"]);
    sink.check("done");
    Hand::new(&topology, 2, Some(at(0))).check("done");
}

#[test]
fn the_horizon_ends_every_flow_and_the_last_message_says_so() {
    let mut node = Hand::new(&topology(2, vec![flow("x", 0, &[1], 4)]), 0, Some(at(7)));
    let next = |outputs: &[FlowOutput<u64>]| match outputs {
        [FlowOutput::Send { message: Message { next, .. }, .. }] => *next,
        other => panic!("{other:?} is not one message"),
    };
    assert_eq!(next(&node.emit("x", Some(at(4)))), Some(at(4)));
    let room = FlowInput::Credit { flow: FlowId(0), sink: NodeId(1), count: 1 };
    assert_eq!(node.handle(room), Ok(Vec::new()));
    assert_eq!(next(&node.emit("x", Some(at(8)))), None);
    node.check("done");
}

/// `k` sends three events at one time to `i`, and an observation to `z`, which sends one to `i`. With times alone
/// instead of tags, `k` waits for room, `i` for `z`, `z` for `k`.
fn three_at_once(capacity: u32) -> Topology {
    let (i, k, z) = (0, 1, 2);
    let burst = Flow { kind: event(0, false), capacity, ..flow("burst", k, &[i], 0) };
    let observed = |name, source, sink| Flow {
        kind: FlowKind::Observation,
        first: at(1),
        ..flow(name, source, &[sink], 9)
    };
    topology(3, vec![burst, observed("kz", k, z), observed("zi", z, i)])
}

#[test]
fn events_of_one_time_in_buffers_that_hold_fewer_do_not_block() {
    struct Burst;
    impl Behavior<u64> for Burst {
        fn on_inputs(&mut self, _: Tag, _: &[(FlowId, u64)]) {}
        fn emit(&mut self, _: FlowId, now: Tag, following: Option<Tag>) -> (u64, Option<Tag>) {
            (7, following.or((now.microstep < 2).then(|| tag(1, now.microstep + 1))))
        }
        fn plan(&mut self, _: FlowId) -> NextEvent {
            NextEvent::At(at(1))
        }
    }
    let run = |capacity| {
        let topology = three_at_once(capacity);
        let mut scheduler = Scheduler::new(&topology, vec![Burst, Burst, Burst], Some(at(5)));
        scheduler.run().unwrap();
        scheduler.records().collect::<Vec<_>>()
    };
    let first = run(1);
    let burst = FlowId(0);
    assert!(
        first.iter().all(|(_, it)| it.count == if it.flow == burst { 3 } else { 1 }),
        "{first:?}"
    );
    assert_eq!(first, run(2));
    assert_eq!(first, run(3));
}
