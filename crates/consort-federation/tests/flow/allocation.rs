//! Nothing is allocated per message: counted, not hoped.

use crate::support::{at, event, flow, topology};
use consort_core::{Tag, Time};
use consort_federation::flow::{
    Behavior, BoundPolicy, Flow, FlowId, FlowKind, NextEvent, Scheduler, Topology,
};

/// Answers every batch with an event as early as it may.
#[derive(Clone)]
struct Answers(Tag);

impl Behavior<[f64; 3]> for Answers {
    fn on_inputs(&mut self, tag: Tag, _: &[(FlowId, [f64; 3])]) {
        self.0 = Tag::at(tag.time + Time::from_ticks(2));
    }

    fn emit(&mut self, _: FlowId, _: Tag, next: Option<Tag>) -> ([f64; 3], Option<Tag>) {
        ([1.0, 2.0, 3.0], next)
    }

    fn plan(&mut self, _: FlowId) -> NextEvent {
        NextEvent::At(self.0)
    }
}

/// All kinds, in a ring of three nodes.
fn ring(capacity: u32) -> Topology {
    let flows = vec![
        flow("forth", 0, &[1, 2], 3),
        Flow {
            kind: FlowKind::Observation,
            feedthrough: Some(vec![FlowId(2)]),
            ..flow("seen", 1, &[2], 2)
        },
        Flow { kind: event(2, false), ..flow("happens", 2, &[0, 1], 0) },
        flow("back", 2, &[0], 5),
    ];
    let flows = flows.into_iter().map(|flow| Flow { capacity, ..flow });
    topology(3, flows.collect())
}

/// Events from node to node, for whose bounds the last one, which works every other tick, asks.
fn chain(capacity: u32) -> Topology {
    let event =
        |name, source: u32| Flow { kind: event(2, false), ..flow(name, source, &[source + 1], 0) };
    let flows = vec![event("e1", 0), event("e2", 1), flow("work", 2, &[0], 2)];
    let flows = flows.into_iter().map(|flow| Flow { capacity, ..flow });
    topology(3, flows.collect()).with_bounds(|_| BoundPolicy::OnDemand)
}

fn allocations(topology: &Topology, until: i64) -> (u64, u64) {
    let mut messages = 0;
    let counted = allocation_counter::measure(|| {
        let behaviors = vec![Answers(at(0)); 3];
        let mut scheduler = Scheduler::new(topology, behaviors, Some(at(until)));
        scheduler.run().expect("there is no circuit without delay");
        messages = scheduler.records().map(|(_, record)| record.count).sum();
    });
    (counted.count_total, messages)
}

#[test]
fn a_hundred_times_as_many_messages_take_no_allocation_more() {
    for topology in [1, 2, 16].into_iter().flat_map(|capacity| [ring(capacity), chain(capacity)]) {
        let (few, messages_few) = allocations(&topology, 1_000);
        let (many, messages_many) = allocations(&topology, 100_000);
        assert!(50 * messages_few < messages_many, "{messages_few}, {messages_many}");
        assert_eq!(few, many, "{topology:?}");
    }
}
