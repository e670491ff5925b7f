//! Small systems, all of whose states are counted. A change of the machine that adds or removes a
//! way through one of them shows here first.

use crate::explorer::explore;
use crate::support::{AT_ONCE, REPLY, event, flow, tag, timed, topology, with_capacity};
use crate::world::{Side, Stage, events_in};
use consort_core::Tag;
use consort_federation::flow::FlowKind::{Observation, State};
use consort_federation::flow::{Flow, FlowId, Topology, analyse};
use std::collections::BTreeMap;

/// How many states there are at capacity 1 and 2. None is stuck, and all ways end with the same
/// messages, so many of event flows.
fn check(flows: Vec<Flow>, horizon: Tag, events: &[Tag], expected: ([usize; 2], u64)) {
    let topology = topology(flows);
    assert!(analyse(&topology, Some(horizon)).accepts());
    let (states, end) = explored(&topology, horizon, events, 2);
    assert_eq!((states, events_in(&topology, &end)), expected);
}

/// How many states there are at capacity 1 and 2, and the one end of all ways. Each node has so many events by chance at
/// most.
pub(crate) fn explored(
    topology: &Topology,
    horizon: Tag,
    events: &[Tag],
    events_max: u32,
) -> ([usize; 2], Vec<Side>) {
    let explored = [1, 2].map(|capacity| {
        let topology = with_capacity(topology, capacity);
        let script = script(&topology, events);
        let stage = Stage { topology: &topology, horizon, events_max, script };
        explore(&stage, 1_000_000).expect("few states")
    });
    assert!(explored.iter().all(|explored| explored.deadlocks.is_empty()), "{topology:#?}");
    assert_eq!(explored[0].ends, explored[1].ends);
    assert_eq!(explored[0].ends.len(), 1);
    let end = explored[0].ends.first().expect("there is one").clone();
    (explored.map(|explored| explored.states), end)
}

/// These events on the first event flow; the others have theirs by chance.
fn script(topology: &Topology, events: &[Tag]) -> BTreeMap<FlowId, Vec<Tag>> {
    let first = topology.flows.iter().position(|flow| flow.kind.is_event());
    first.map(|flow| (FlowId::from_index(flow), events.to_vec())).into_iter().collect()
}

/// The example of section III-B2b of the paper, drawn in its Fig. 5: N1, N2 and N3 with the flows
/// N1 -> {N2, N3}, N1 -> N3, N2 -> N3 and N3 -> N1.
fn figure_5() -> Vec<Flow> {
    vec![
        flow("f11", 0, &[1, 2], State),
        flow("f12", 0, &[2], State),
        flow("f21", 1, &[2], State),
        flow("f31", 2, &[0], State),
    ]
}

#[test]
fn the_system_of_figure_5_has_this_many_states() {
    check(figure_5(), tag(0, 0), &[], ([397, 397], 0));
    check(figure_5(), tag(1, 0), &[], ([2371, 11656], 0));
}

#[test]
fn figure_5_with_different_periods_has_this_many_states() {
    let mut flows = figure_5();
    flows[0] = timed(flows[0].clone(), 0, 2);
    flows[3] = timed(flows[3].clone(), 1, 3);
    check(flows, tag(3, 0), &[], ([2347, 16557], 0));
}

#[test]
fn figure_5_as_observations_that_do_not_close_a_circuit() {
    let mut flows = figure_5();
    flows[..3].iter_mut().for_each(|flow| flow.kind = Observation);
    check(flows, tag(1, 0), &[], ([605, 2360], 0));
}

#[test]
fn three_events_at_one_instant_do_not_block_an_observation_of_the_same_instant() {
    // K sends three events to I and an observation to Z, which sends one to I; with plain times
    // instead of tags K would wait for room at I, I for Z, and Z for K.
    let flows = || {
        vec![
            flow("alarm", 0, &[1], AT_ONCE),
            timed(flow("to z", 0, &[2], Observation), 1, 9),
            timed(flow("z to i", 2, &[1], Observation), 1, 9),
        ]
    };
    let events = [tag(1, 0), tag(1, 1), tag(1, 2)];
    check(flows(), tag(2, 0), &events, ([91, 155], 3));
    check(flows(), tag(2, 0), &[], ([31, 31], 0));
}

#[test]
fn two_state_flows_in_a_ring() {
    let ring = vec![flow("there", 0, &[1], State), flow("back", 1, &[0], State)];
    check(ring, tag(3, 0), &[], ([144, 334], 0));
}

#[test]
fn a_request_is_answered_a_microstep_later_under_every_schedule_of_bounds() {
    let mut flows = vec![
        flow("ask", 0, &[1], AT_ONCE),
        flow("reply", 1, &[0], REPLY),
        flow("clock", 2, &[0], State),
    ];
    // Requests are caused by the clock, not by replies.
    flows[0].feedthrough = Some(vec![FlowId(1)]);
    check(flows, tag(1, 0), &[tag(0, 0), tag(1, 0)], ([178, 234], 3));
}

#[test]
fn events_with_a_lookahead_in_a_ring() {
    let ring = vec![flow("there", 0, &[1], event(1, false)), flow("back", 1, &[0], AT_ONCE)];
    check(ring, tag(2, 0), &[tag(0, 0)], ([41, 49], 3));
}

#[test]
fn a_circuit_gets_stuck_in_one_state_whatever_happens_first() {
    let ring = vec![
        flow("a to b", 0, &[1], Observation),
        flow("b to c", 1, &[2], Observation),
        timed(flow("c to a", 2, &[0], Observation), 2, 1),
    ];
    let topology = topology(ring);
    let horizon = tag(5, 0);
    let circuits = analyse(&topology, Some(horizon)).circuits;
    assert_eq!(circuits.iter().map(|circuit| circuit.at).collect::<Vec<_>>(), [tag(2, 0)]);
    let explored = explore(&Stage::by_chance(&topology, horizon), 1_000_000).expect("few states");
    assert!(explored.ends.is_empty());
    assert_eq!((explored.deadlocks.len(), explored.states), (1, 52));
}
