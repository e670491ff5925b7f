//! Every order of work, every capacity and every number of workers give the same messages.

use crate::support::{at, event, flow, topology};
use crate::worlds::{HORIZON, History, Mixer, messages, oracle, random_topology};
use consort_core::{Prng, Tag};
use consort_federation::flow::{
    Behavior, BoundPolicy, Flow, FlowId, FlowKind, FlowRecord, FlowSide, FlowTiming, Scheduler,
    SchedulerError, Topology,
};

const SYSTEMS: u64 = 300;

/// How to run.
#[derive(Clone, Copy, Debug)]
enum Way {
    List,
    Shuffled(u64),
    Workers(usize),
}

fn run(topology: &Topology, way: Way) -> Scheduler<u64, Mixer> {
    let mut scheduler = Scheduler::new(topology, Mixer::all(topology), Some(HORIZON));
    let ran = match way {
        Way::List => scheduler.run(),
        Way::Shuffled(seed) => scheduler.run_shuffled(seed),
        Way::Workers(workers) => scheduler.run_on(workers),
    };
    ran.unwrap_or_else(|error| panic!("{way:?}: {error}\n{topology:#?}"));
    scheduler
}

fn emitted(scheduler: &Scheduler<u64, Mixer>) -> History {
    scheduler.behaviors().flat_map(|it| it.emitted.clone()).collect()
}

fn batches(scheduler: &Scheduler<u64, Mixer>) -> Vec<Vec<(Tag, Vec<FlowId>)>> {
    scheduler.behaviors().map(|it| it.batches.clone()).collect()
}

#[test]
fn a_run_gives_the_messages_of_one_loop_over_all_tags() {
    let mut all = 0;
    for seed in 0..SYSTEMS {
        let topology = random_topology(&mut Prng::new(seed));
        let expected = oracle(&topology);
        assert_eq!(emitted(&run(&topology, Way::List)), expected, "seed {seed}\n{topology:#?}");
        all += messages(&expected);
    }
    assert!(SYSTEMS as usize * 20 < all, "{all} messages in all");
}

#[test]
fn order_capacity_bounds_and_workers_change_nothing() {
    for seed in 0..SYSTEMS / 3 {
        let mut prng = Prng::new(seed).split("ways");
        let topology = random_topology(&mut Prng::new(seed));
        let first = run(&topology, Way::List);
        let ways = [Way::Shuffled(seed), Way::Shuffled(!seed), Way::Workers(2), Way::Workers(8)];
        for way in ways {
            let mut roomy = topology.clone();
            for flow in &mut roomy.flows {
                flow.capacity = 1 + prng.below(64) as u32;
            }
            let draw =
                |_| if prng.below(2) == 0 { BoundPolicy::Eager } else { BoundPolicy::OnDemand };
            let other = run(&roomy.with_bounds(draw), way);
            let said = || format!("seed {seed}, {way:?}");
            assert_eq!(records(&first), records(&other), "{}", said());
            assert_eq!(batches(&first), batches(&other), "{}", said());
        }
    }
}

fn records(scheduler: &Scheduler<u64, Mixer>) -> Vec<FlowRecord> {
    scheduler.records().map(|(_, record)| record).collect()
}

#[test]
fn both_sides_of_a_flow_have_the_same_hash_at_the_end() {
    for seed in 0..50 {
        let topology = random_topology(&mut Prng::new(seed));
        let records = records(&run(&topology, Way::List));
        for sink in records.iter().filter(|it| it.side == FlowSide::Sink) {
            let of_source = |it: &&FlowRecord| it.flow == sink.flow && it.side == FlowSide::Source;
            let source = records.iter().find(of_source).expect("every flow has a source");
            assert_eq!((sink.count, sink.hash), (source.count, source.hash), "seed {seed}");
        }
    }
}

#[test]
fn one_value_that_differs_changes_the_hash_of_its_flow_and_of_no_other() {
    struct Sends(u64);
    impl Behavior<u64> for Sends {
        fn on_inputs(&mut self, _: Tag, _: &[(FlowId, u64)]) {}
        fn emit(&mut self, flow: FlowId, tag: Tag, next: Option<Tag>) -> (u64, Option<Tag>) {
            let is_odd_one = flow == FlowId(1) && tag == at(30);
            (if is_odd_one { self.0 } else { 1 }, next)
        }
    }
    let topology = topology(2, vec![flow("x", 0, &[1], 1), flow("y", 0, &[1], 3)]);
    let hashes = |value| {
        let behaviors = vec![Sends(value), Sends(value)];
        let mut scheduler = Scheduler::new(&topology, behaviors, Some(at(90)));
        scheduler.run().unwrap();
        scheduler.records().map(|(_, it)| it.hash).collect::<Vec<_>>()
    };
    let (first, second) = (hashes(1), hashes(2));
    assert_eq!(first[0], second[0]);
    assert_ne!(first[1], second[1]);
}

#[test]
fn nodes_that_wait_for_each_other_are_reported_with_what_they_wait_for() {
    let seen =
        |name, source, sink| Flow { kind: FlowKind::Observation, ..flow(name, source, &[sink], 4) };
    let topology = topology(2, vec![seen("there", 0, 1), seen("back", 1, 0)]);
    let mut scheduler = Scheduler::new(&topology, Mixer::all(&topology), None);
    let error = scheduler.run().expect_err("a circuit without delay");
    assert_eq!(
        error.to_string(),
        "the nodes wait for each other: `a` waits for `back` of `b` at tick 0.0; \
         `b` waits for `there` of `a` at tick 0.0"
    );
    assert!(matches!(scheduler.run_on(2), Err(SchedulerError::Stuck { .. })));
}

#[test]
fn outputs_that_feed_each_other_through_other_nodes_are_taken_in_their_order() {
    // `f2` of `a` comes back from `b` as `g1`, which `f1` of `a` waits for; by name `f1` would be first.
    let seen = |name, source, sink, list: &[u32]| Flow {
        kind: FlowKind::Observation,
        feedthrough: Some(list.iter().map(|it| FlowId(*it)).collect()),
        ..flow(name, source, &[sink], 4)
    };
    let flows = vec![seen("f1", 0, 1, &[2]), seen("f2", 0, 1, &[]), seen("g1", 1, 0, &[1])];
    let scheduler = run(&topology(2, flows), Way::List);
    let counts: Vec<u64> = records(&scheduler).iter().map(|it| it.count).collect();
    assert_eq!(counts, [11; 6]);
}

#[test]
fn circuits_that_close_at_no_tag_are_taken_in_the_order_of_each_tag() {
    // At even ticks `x` needs what follows from `y`, at odd ones `y` what follows from `x`: four flows on a circuit,
    // never all at one tag.
    let seen = |name, source, list: &[u32], first, period| Flow {
        kind: FlowKind::Observation,
        feedthrough: Some(list.iter().map(|it| FlowId(*it)).collect()),
        first: at(first),
        ..flow(name, source, &[1 - source], period)
    };
    let flows = vec![
        seen("p", 1, &[3], 0, 2),
        seen("q", 1, &[2], 1, 2),
        seen("x", 0, &[0], 0, 1),
        seen("y", 0, &[1], 0, 1),
    ];
    let topology = topology(2, flows);
    let scheduler = run(&topology, Way::List);
    let first = records(&scheduler);
    assert!(first.iter().all(|it| 20 <= it.count), "{first:?}");
    for seed in 0..20 {
        assert_eq!(first, records(&run(&topology, Way::Shuffled(seed))));
    }
}

#[test]
fn an_event_that_does_not_happen_lets_others_continue_as_soon_as_its_causes_came() {
    // `b` announces to `a` by `e` whether anything follows from `f`; `g` of `a` waits for that, and comes back to `b`.
    let seen = |name, source, sinks: &[u32], list: &[u32]| Flow {
        kind: FlowKind::Observation,
        feedthrough: Some(list.iter().map(|it| FlowId(*it)).collect()),
        ..flow(name, source, sinks, 4)
    };
    let e =
        Flow { kind: event(0, false), feedthrough: Some(vec![FlowId(1)]), ..flow("e", 1, &[0], 0) };
    let topology = topology(2, vec![e, seen("f", 0, &[1], &[]), seen("g", 0, &[1], &[0])]);
    assert_eq!(topology.flows[0].timing, FlowTiming::Variable);
    let first = records(&run(&topology, Way::List));
    for seed in 0..20 {
        assert_eq!(first, records(&run(&topology, Way::Shuffled(seed))));
    }
}

#[test]
#[should_panic(expected = "this one fails")]
fn a_behavior_that_panics_on_a_worker_is_heard() {
    struct Fails;
    impl Behavior<u64> for Fails {
        fn on_inputs(&mut self, _: Tag, _: &[(FlowId, u64)]) {
            panic!("this one fails");
        }
        fn emit(&mut self, _: FlowId, _: Tag, next: Option<Tag>) -> (u64, Option<Tag>) {
            (0, next)
        }
    }
    let topology = topology(2, vec![flow("x", 0, &[1], 1), flow("y", 1, &[0], 1)]);
    let _ = Scheduler::new(&topology, vec![Fails, Fails], Some(at(9))).run_on(2);
}
