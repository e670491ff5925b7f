//! What crosses between the parts of a plan: every value once, in its turn; also after a resumption.

use crate::bodies::resolution;
use consort_core::{NodeId, Tag, Time};
use consort_engine::{Courier, CourierError};
use consort_federation::flow::Topology;
use consort_node::{Faults, Hub, JoinOptions, NodeHandle, PlanCourier, topology};
use consort_system::{Crossing, Placement, ProgramKind, Projection};
use std::sync::Arc;
use std::time::Duration;

const STOP: i64 = 30;

/// Two nodes: values at the initialization, two levels of `present`, and a slower one in `advance`.
fn projection() -> Projection {
    use ProgramKind::{Advance, Initialization, Present};
    let crossing = |from: u32, ordinal, program, period: i64, last| Crossing {
        name: format!("{from}>{}/{ordinal}", 1 - from),
        from: NodeId(from),
        to: NodeId(1 - from),
        ordinal,
        program,
        first: Time::ZERO,
        period: (program != Initialization).then_some(Time::from_ticks(period)),
        last: Time::from_ticks(last),
        connections: Vec::new(),
    };
    let crossings = vec![
        crossing(0, 0, Initialization, 0, 0),
        crossing(0, 1, Present, 1, STOP),
        crossing(0, 3, Advance, 5, STOP - 5),
        crossing(1, 1, Present, 2, STOP),
        crossing(1, 2, Present, 1, STOP),
    ];
    let nodes = vec!["left".to_owned(), "right".to_owned()];
    Projection { placement: Placement { nodes, of_component: Vec::new() }, crossings }
}

fn options(hub: &Hub, faults: Option<&Faults>) -> JoinOptions {
    let base = JoinOptions::new("", Arc::new(Topology::default()), resolution());
    JoinOptions {
        hub: Some(hub.clone()),
        faults: faults.cloned(),
        gather: Duration::from_secs(10),
        ..base
    }
}

/// Whether a crossing has a message at this time.
fn is_due(crossing: &Crossing, time: i64) -> bool {
    let period = crossing.period.map_or(STOP + 1, Time::ticks);
    time % period == 0 && time <= crossing.last.ticks()
}

/// What an engine does with its courier: all exchanges of all times, sending before receiving.
fn carry(
    courier: &mut PlanCourier,
    projection: &Projection,
    me: NodeId,
    after: Option<i64>,
) -> Result<usize, CourierError> {
    courier.begin(after.map(Time::from_ticks))?;
    let mut received = 0;
    let from = after.unwrap_or(0);
    for (time, ordinal) in (from..=STOP).flat_map(|time| (0..4).map(move |it| (time, it))) {
        // Resumed: what is left at that time is `advance`.
        if after == Some(time) && ordinal < 3 {
            continue;
        }
        let due = projection.crossings.iter().enumerate();
        let due = due.filter(|(_, it)| it.ordinal == ordinal && is_due(it, time));
        for (index, _) in due.clone().filter(|(_, it)| it.from == me) {
            courier.send(index, Time::from_ticks(time), format!("{index}@{time}").as_bytes())?;
        }
        for (index, _) in due.filter(|(_, it)| it.to == me) {
            let mut into = b"old".to_vec();
            courier.receive(index, Time::from_ticks(time), &mut into)?;
            assert_eq!(String::from_utf8_lossy(&into), format!("{index}@{time}"));
            received += 1;
        }
        courier.reached(Tag::at(Time::from_ticks(time)));
    }
    Ok(received)
}

fn part(hub: &Hub, node: u32, capacity: u32, faults: Option<&Faults>) -> (PlanCourier, NodeHandle) {
    PlanCourier::new(options(hub, faults), Arc::new(projection()), NodeId(node), capacity)
}

/// How many values each of the two received.
fn run(capacity: u32, faults: Option<&Faults>, after: Option<i64>) -> [usize; 2] {
    let hub = Hub::new();
    let threads = [0, 1].map(|node| {
        let (hub, faults) = (hub.clone(), faults.cloned());
        std::thread::spawn(move || {
            let (mut courier, handle) = part(&hub, node, capacity, faults.as_ref());
            let received = carry(&mut courier, &projection(), NodeId(node), after);
            let received = received.expect("all arrives");
            let words = handle.leave(&[u8::try_from(node).expect("small")]).expect("all leave");
            let other = ["right", "left"][node as usize];
            assert_eq!(words[other], [1 - u8::try_from(node).expect("small")]);
            received
        })
    });
    threads.map(|thread| thread.join().expect("no panic"))
}

#[test]
fn every_value_arrives_once_and_in_its_turn() {
    for capacity in [1, 2, 64] {
        assert_eq!(run(capacity, None, None), [16 + 31, 1 + 31 + 6], "capacity {capacity}");
    }
}

#[test]
fn a_bad_network_changes_nothing() {
    let jitter = Duration::from_millis(2);
    let faults = Faults { jitter, loss: 0.1, duplication: 0.1, cuts: 0.01, ..Faults::none(3) };
    assert_eq!(run(4, Some(&faults), None), [16 + 31, 1 + 31 + 6]);
}

#[test]
fn a_run_that_is_resumed_carries_what_is_left() {
    // After 10: the values of `advance` at 10 are still to come, those of `present` are not.
    assert_eq!(run(2, None, Some(10)), [10 + 20, 20 + 4]);
    assert_eq!(run(2, None, Some(STOP)), [0, 0]);
    let left = topology(&projection(), 2, Some(Time::from_ticks(10)));
    assert_eq!(left.flows.len(), 4, "nothing is left of the initialization");
}

#[test]
fn a_failure_names_the_node_and_the_last_tag_that_was_done() {
    let hub = Hub::new();
    let other = {
        let hub = hub.clone();
        std::thread::spawn(move || {
            let (mut courier, handle) = part(&hub, 1, 1, None);
            courier.begin(None).expect("both come");
            courier.receive(0, Time::ZERO, &mut Vec::new()).expect("the initialization");
            handle.fail("its component `pump` returned an error");
        })
    };
    let (mut courier, handle) = part(&hub, 0, 1, None);
    let error = carry(&mut courier, &projection(), NodeId(0), None).expect_err("right failed");
    other.join().expect("no panic");
    assert_eq!(error.node, "right");
    assert_eq!(error.reason, "its component `pump` returned an error");
    assert_eq!(error.at, Some(Tag::at(Time::ZERO)), "the initialization was done");
    assert!(handle.status().is_some_and(|status| status.node == "left"));
}

#[test]
fn what_is_asked_for_out_of_turn_is_an_error_and_no_deadlock() {
    let hub = Hub::new();
    let other = {
        let hub = hub.clone();
        std::thread::spawn(move || {
            let (mut courier, _handle) = part(&hub, 1, 1, None);
            carry(&mut courier, &projection(), NodeId(1), None).expect_err("left gave up")
        })
    };
    let (mut courier, handle) = part(&hub, 0, 1, None);
    courier.begin(None).expect("both come");
    let error = courier.send(1, Time::from_ticks(5), b"").expect_err("not now");
    assert!(error.to_string().contains("out of order"), "{error}");
    handle.fail("out of turn");
    assert_eq!(other.join().expect("no panic").node, "left");
}
