//! Events of what is integrated as one: of one, and so of all.

use super::{RELATIVE, last, near, tolerant};
use crate::equations::Equations;
use crate::support::{Bench, numbers, stepped};
use consort_core::{ContinuousEvent, Time, Variability};

/// A ramp that outputs, from t = 0.25 on, a force of 1 by its output `y0`, as a state event.
pub(crate) fn trigger() -> Equations {
    Equations::new(&[0.0], |_, f| f[0] = 1.0, |at, y| y[0] = at.m[0]).inputs(&[]).events(
        1,
        |at, z| z[0] = at.x[0] - 0.25,
        &[0.0],
        |at| {
            at.m[0] = if 0.25 <= at.x[0] { 1.0 } else { 0.0 };
            ContinuousEvent::default()
        },
    )
}

#[test]
fn a_state_event_of_one_reaches_the_other_at_its_instant() {
    let falls = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", trigger().shared(), 10)
        .add("b", falls.shared(), 10)
        .wire("a.y0", "b.u0");
    near(last(bench, "b.y0"), 0.75, 1e-9);
}

/// An input that may change at events only, and a state that is kicked when it rises.
pub(crate) fn kicked() -> Equations {
    Equations::new(&[0.0], |_, f| f[0] = -1.0, |at, y| y[0] = at.x[0])
        .inputs(&[Variability::Discrete])
        .events(
            0,
            |_, _| {},
            &[0.0],
            |at| {
                let is_kick = at.m[0] < 0.5 && 0.5 < at.u[0];
                at.m[0] = at.u[0];
                if is_kick {
                    at.x[0] += 10.0;
                }
                ContinuousEvent { states_changed: is_kick, ..ContinuousEvent::default() }
            },
        )
}

#[test]
fn what_may_change_at_events_only_is_handed_on_at_the_event() {
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("b", kicked().shared(), 10)
        .add("a", trigger().shared(), 10)
        .wire("a.y0", "b.u0");
    near(last(bench, "b.y0"), 9.0, 1e-9);
    // A chain: the kick of the first is seen by the state event of the second at the same instant.
    let sees = Equations::new(&[0.0], |at, f| f[0] = at.m[0], |at, y| y[0] = at.x[0]).events(
        1,
        |at, z| z[0] = at.u[0] - 5.0,
        &[0.0],
        |at| {
            at.m[0] = if 5.0 < at.u[0] { 1.0 } else { 0.0 };
            ContinuousEvent::default()
        },
    );
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("b", kicked().shared(), 10)
        .add("a", trigger().shared(), 10)
        .add("c", sees.shared(), 10)
        .wire("a.y0", "b.u0")
        .wire("b.y0", "c.u0");
    near(last(bench, "c.y0"), 0.75, 1e-9);
}

/// Ticks every 0.1 s from 0.05 on: y0 counts.
pub(crate) fn ticking() -> Equations {
    Equations::new(&[], |_, _| {}, |at, y| y[0] = at.m[0]).inputs(&[]).events(
        0,
        |_, _| {},
        &[0.0, 0.05],
        |at| {
            if at.m[1] <= at.t {
                at.m[0] += 1.0;
                at.m[1] += 0.1;
            }
            ContinuousEvent { next_event: Some(at.m[1]), ..ContinuousEvent::default() }
        },
    )
}

#[test]
fn a_time_event_of_one_is_an_event_of_all() {
    let sums = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", sums.shared(), 10)
        .add("t", ticking().shared(), 10)
        .wire("t.y0", "a.u0");
    // 0.95 + 0.85 + ... + 0.05
    near(last(bench, "a.y0"), 5.0, 1e-9);
}

/// Has one state, and from t = 0.5 on a second one, which begins at 0; y0 is the last.
pub(crate) fn growing() -> Equations {
    Equations::new(
        &[0.0],
        |at, f| {
            f[0] = 1.0;
            if let Some(second) = f.get_mut(1) {
                *second = 2.0 + at.u[0];
            }
        },
        |at, y| y[0] = *at.x.last().expect("states"),
    )
    .events(
        0,
        |_, _| {},
        &[],
        |at| {
            let grows = 0.5 <= at.t && at.x.len() == 1;
            if grows {
                at.x.push(0.0);
            }
            ContinuousEvent {
                next_event: (at.t < 0.5).then_some(0.5),
                sizes_changed: grows,
                states_changed: grows,
                ..ContinuousEvent::default()
            }
        },
    )
}

#[test]
fn the_number_of_states_may_change() {
    let follows = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", follows.shared(), 10)
        .add("g", growing().shared(), 10)
        .wire("g.y0", "a.u0");
    // The integral of t over [0, 0.5], then of 2 (t - 0.5).
    near(last(bench, "a.y0"), 0.125 + 0.25, 1e-8);
}

#[test]
fn inputs_from_elsewhere_start_the_solver_anew_only_if_they_change() {
    // Events of one at a tag are handled by all: a discrete input that a by-step component feeds.
    let bench = tolerant(Bench::new(30), RELATIVE)
        .add("s", stepped(0.0, 1.0), 10)
        .add("b", kicked().shared(), 10)
        .add(
            "a",
            Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]).shared(),
            10,
        )
        .wire("s.y", "b.u0")
        .wire("b.y0", "a.u0");
    let (trace, _) = bench.run(1);
    // b falls from 0 to -1, is kicked to 9 at t = 1, and falls on.
    let b = numbers(&trace, "b.y0");
    near(b[3], 7.0, 1e-9);
    // a: -1/2, then 9 - 1/2, then 8 - 1/2.
    near(numbers(&trace, "a.y0")[3], -0.5 + 8.5 + 7.5, 1e-7);
}

/// Grows with time, and asks for the end when it is at the limit that its memory has.
fn ends_at(limit: f64) -> Equations {
    Equations::new(&[0.0], |_, f| f[0] = 1.0, |at, y| y[0] = at.x[0]).inputs(&[]).events(
        1,
        |at, z| z[0] = at.x[0] - at.m[0],
        &[limit],
        |at| ContinuousEvent { terminate: at.m[0] <= at.x[0], ..ContinuousEvent::default() },
    )
}

#[test]
fn a_member_may_ask_for_the_end() {
    for (limit, rows) in [(1.45, 2), (0.0, 1)] {
        let follows = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
        let bench = tolerant(Bench::new(30), RELATIVE)
            .add("f", follows.shared(), 10)
            .add("e", ends_at(limit).shared(), 10)
            .wire("e.y0", "f.u0");
        let (mut run, recorded) = bench.start(1).expect("it starts");
        let over = run.advance(Time::MAX).expect("it runs");
        assert_eq!(over, consort_engine::Advance::Terminated { component: "e".to_owned() });
        run.finish();
        assert_eq!(recorded.trace().tags().len(), rows);
    }
}

#[test]
fn events_without_end_are_an_error_that_names_whose() {
    // It is pushed back from both sides of zero.
    let relay = Equations::new(&[0.0], |at, f| f[0] = at.m[0], |at, y| y[0] = at.x[0]).events(
        1,
        |at, z| z[0] = at.x[0],
        &[1.0],
        |at| {
            at.m[0] = if 0.0 < at.x[0] { -1.0 } else { 1.0 };
            ContinuousEvent::default()
        },
    );
    let bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", trigger().shared(), 10)
        .add("b", relay.shared(), 10)
        .wire("a.y0", "b.u0");
    let (mut run, _) = bench.start(1).expect("it starts");
    let error = run.advance(Time::MAX).expect_err("it has no end").to_string();
    assert!(error.contains("event indicator 1 of `b` changes back and forth"), "{error}");
}
