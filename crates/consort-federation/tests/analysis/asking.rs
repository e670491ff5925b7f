//! Small systems with bounds on demand: explored under every schedule of bounds and requests, and in every mixture of
//! flows whose bounds are announced and flows whose bounds are requested.

use crate::pinned::explored;
use crate::support::{AT_ONCE, REPLY, event, flow, tag, timed, topology};
use consort_core::Tag;
use consort_federation::flow::FlowKind::{Observation, State};
use consort_federation::flow::{BoundPolicy, Flow, FlowId, FlowKind, analyse};

/// How many states there are at capacity 1 and 2 if all bounds are on demand. In every mixture all ways end with the
/// messages that eager bounds give. The first event flow has these events; by chance each node has so many at most.
fn check(flows: Vec<Flow>, horizon: Tag, events: (&[Tag], u32), expected: [usize; 2]) {
    let (events, events_max) = events;
    let topology = topology(flows);
    assert!(analyse(&topology, Some(horizon)).accepts());
    let count = topology.flows.iter().filter(|flow| flow.kind.is_event()).count();
    let (_, eager) = explored(&topology, horizon, events, events_max);
    let mut states = [0; 2];
    for mixture in 1..1_u32 << count {
        let mut bits = (0..count).map(|bit| mixture >> bit & 1 == 1);
        let is_so = |is_asked| if is_asked { BoundPolicy::OnDemand } else { BoundPolicy::Eager };
        let bounds = |_| is_so(bits.next().expect("as many as event flows"));
        let asked = topology.clone().with_bounds(bounds);
        let (found, end) = explored(&asked, horizon, events, events_max);
        assert_eq!(end, eager, "mixture {mixture:b}");
        states = found;
    }
    assert_eq!(states, expected);
}

/// From node to node; the last has something to do every other tick, which the first hears of.
fn chain(kind: FlowKind) -> Vec<Flow> {
    vec![
        flow("e1", 0, &[1], kind),
        flow("e2", 1, &[2], kind),
        timed(flow("work", 2, &[0], State), 0, 2),
    ]
}

#[test]
fn a_request_is_passed_on_along_a_chain() {
    check(chain(AT_ONCE), tag(2, 0), (&[tag(1, 0)], 0), [163, 199]);
    check(chain(AT_ONCE), tag(2, 0), (&[], 0), [42, 48]);
    check(chain(REPLY), tag(2, 0), (&[], 0), [86, 96]);
    check(chain(event(1, false)), tag(2, 0), (&[], 0), [148, 171]);
}

#[test]
fn three_events_at_one_instant() {
    let flows = vec![
        flow("alarm", 0, &[1], AT_ONCE),
        timed(flow("to z", 0, &[2], Observation), 1, 9),
        timed(flow("z to i", 2, &[1], Observation), 1, 9),
    ];
    check(flows, tag(2, 0), (&[tag(1, 0), tag(1, 1), tag(1, 2)], 2), [273, 465]);
}

#[test]
fn a_question_and_its_answer() {
    let mut flows = vec![
        flow("ask", 0, &[1], AT_ONCE),
        flow("reply", 1, &[0], REPLY),
        flow("clock", 2, &[0], State),
    ];
    flows[0].feedthrough = Some(vec![FlowId(1)]);
    check(flows, tag(1, 0), (&[tag(0, 0), tag(1, 0)], 1), [940, 1557]);
}

#[test]
fn bounds_of_a_ring_are_announced_and_what_hangs_on_it_requests() {
    let flows = vec![
        flow("there", 0, &[1], event(1, false)),
        flow("back", 1, &[0], AT_ONCE),
        flow("out", 1, &[2], AT_ONCE),
        flow("work", 2, &[3], State),
    ];
    check(flows, tag(1, 0), (&[], 0), [275, 311]);
}

#[test]
fn what_is_needed_first_is_answered_although_more_was_asked_for_before() {
    // `e1` can be promised up to the next `back`, which waits for it; `k` needs more, and its request is passed on
    // while `back` waits for room.
    let flows = vec![
        flow("back", 1, &[0], State),
        flow("e1", 0, &[1], AT_ONCE),
        flow("e2", 1, &[2], AT_ONCE),
        timed(flow("k", 2, &[0], State), 0, 2),
    ];
    check(flows, tag(2, 0), (&[], 1), [1403, 2503]);
}

#[test]
fn an_output_that_decides_an_input_of_its_own_tag_goes_out_first() {
    // `seen` follows from `x` alone; whether `e` happens at that tag depends on it.
    let mut flows = vec![
        flow("e", 1, &[0], AT_ONCE),
        flow("seen", 0, &[1], Observation),
        flow("x", 2, &[0], State),
    ];
    flows[1].feedthrough = Some(vec![FlowId(2)]);
    check(flows, tag(1, 0), (&[tag(1, 0)], 2), [120, 171]);
}
