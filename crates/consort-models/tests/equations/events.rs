//! Events: when they fire, in which order they are executed, and with which values.

mod reference;

use crate::bench::{Bench, Settings, assert_near};
use consort_equations::tree::Event;

/// What variables are at given times.
fn check(bench: &mut Bench, expected: &[(f64, &str, f64)]) {
    for (time, name, value) in expected {
        bench.run_to(*time);
        assert_near(bench.get(name), *value, 1e-9, &format!("`{name}` at {time}"));
    }
}

#[test]
fn an_instant_is_met_exactly_with_either_comparison() {
    for comparison in ["time > 1", "time >= 1", "1 < time", "not (time < 1)", "not (time <= 1)"] {
        let text = format!(
            "model m\ndiscrete n = 0\nstate x = 0\nder(x) = if {comparison} then 0 else 1\n\
             when {comparison} then\n  n = n + 1\nend\nend"
        );
        let mut bench = Bench::new(&text);
        check(&mut bench, &[(0.99, "n", 0.0), (1.0, "n", 1.0), (3.0, "n", 1.0)]);
        assert_near(bench.get("x"), 1.0, 1e-13, comparison);
    }
}

#[test]
fn instants_inside_a_step_are_met_exactly() {
    let text = "model m\ndiscrete next = 0.0625\ndiscrete n = 0\nstate x = 0\n\
                der(x) = if n < 3 then 1 else 0\n\
                when time >= next then\n  n = n + 1\n  next = next + 0.0625\nend\nend";
    let mut bench = Bench::with(text, Settings { step: 1_000_000_000, ..Settings::default() });
    check(&mut bench, &[(1.0, "n", 16.0), (2.0, "n", 32.0)]);
    assert_near(bench.get("x"), 3.0 * 0.0625, 1e-13, "three sixteenths");
}

#[test]
fn conditions_that_are_true_at_the_start_fire_if_they_count_as_false_before() {
    let text = "model m\ndiscrete n = 0\nstate x = 1\nder(x) = 1\n\
                when x > 0.5 then\n  n = n + 1\nend\nend";
    check(&mut Bench::new(text), &[(0.0, "n", 0.0), (1.0, "n", 0.0)]);
    let mut eager = Bench::with_events(text, |event| event.initially = false);
    check(&mut eager, &[(0.0, "n", 1.0), (1.0, "n", 1.0)]);
}

#[test]
fn what_becomes_true_just_after_the_start_fires_there() {
    let text = "model m\ndiscrete n = 0\nwhen time > 0 then\n  n = n + 1\nend\nend";
    check(&mut Bench::new(text), &[(0.0, "n", 1.0), (1.0, "n", 1.0)]);
}

/// x rises with slope one and passes one at one second.
fn late(change: impl FnMut(&mut Event)) -> Bench {
    let text = "model m\nstate x = 0\ndiscrete y = 0\nder(x) = 1\n\
                when x > 1 after 0.5 then\n  y = x\nend\nend";
    Bench::with_events(text, change)
}

#[test]
fn a_delayed_event_assigns_what_was_when_it_fired() {
    check(&mut late(|_| {}), &[(1.49, "y", 0.0), (1.51, "y", 1.0), (3.0, "y", 1.0)]);
}

#[test]
fn a_delayed_event_assigns_what_is_when_it_is_due_if_it_says_so() {
    let mut bench = late(|event| event.values_from_trigger = false);
    check(&mut bench, &[(1.49, "y", 0.0), (1.51, "y", 1.5), (3.0, "y", 1.5)]);
}

/// The condition holds from one to two seconds, the event is due at three.
const WINDOW: &str = "model m\nstate x = 0\ndiscrete y = 0\nder(x) = 1\n\
                      when x > 1 and x < 2 after 2 then\n  y = 1\nend\nend";

#[test]
fn a_persistent_event_survives_its_condition() {
    check(&mut Bench::new(WINDOW), &[(2.99, "y", 0.0), (3.01, "y", 1.0)]);
}

#[test]
fn an_event_that_does_not_persist_is_taken_back() {
    let mut bench = Bench::with_events(WINDOW, |event| event.persistent = false);
    check(&mut bench, &[(2.99, "y", 0.0), (5.0, "y", 0.0)]);
}

#[test]
fn an_event_may_wait_several_times() {
    let text = "model m\nstate x = 0\ndiscrete n = 0\nder(x) = 1\n\
                when sin(2*pi*x) > 0 after 2.25 then\n  n = n + 1\nend\nend";
    let mut bench = Bench::with_events(text, |event| event.values_from_trigger = false);
    check(&mut bench, &[(2.2, "n", 0.0), (2.3, "n", 1.0), (3.3, "n", 2.0), (4.3, "n", 3.0)]);
}

/// Two events of one instant; the second has the greater priority.
const ORDERED: &str = "model m\ndiscrete a = 1\nwhen time >= 1 priority 1 then\n  a = a + 1\nend\n\
                       when time >= 1 priority a + 1 then\n  a = a*3\nend\nend";

#[test]
fn the_greatest_priority_is_first() {
    let mut bench = Bench::with_events(ORDERED, |event| event.values_from_trigger = false);
    check(&mut bench, &[(1.0, "a", 4.0)]);
}

#[test]
fn of_values_from_the_trigger_the_last_assignment_stays() {
    check(&mut Bench::new(ORDERED), &[(1.0, "a", 2.0)]);
}

#[test]
fn events_bring_about_others_at_the_same_instant() {
    let text = "model m\ndiscrete a = 0\ndiscrete b = 0\ndiscrete c = 0\nstate x = 0\nder(x) = a\n\
                when time >= 1 then\n  a = 1\nend\nwhen a > 0 then\n  b = a + 1\nend\n\
                when b > 1 then\n  c = b + 1\n  x = 5\nend\nend";
    let mut bench = Bench::new(text);
    check(&mut bench, &[(0.99, "c", 0.0), (1.0, "c", 3.0), (1.0, "x", 5.0), (2.0, "x", 6.0)]);
}

#[test]
fn an_event_that_takes_away_anothers_condition_takes_it_back() {
    let text = "model m\ndiscrete a = 0\ndiscrete b = 0\n\
                when time >= 1 and b < 1 priority 1 then\n  a = 1\nend\n\
                when time >= 1 priority 2 then\n  b = 1\nend\nend";
    check(&mut Bench::new(text), &[(2.0, "b", 1.0), (2.0, "a", 1.0)]);
    let mut bench = Bench::with_events(text, |event| event.persistent = false);
    check(&mut bench, &[(2.0, "b", 1.0), (2.0, "a", 0.0)]);
}

fn fails(text: &str) -> String {
    let mut bench = Bench::new(text);
    let failed = (0..300).find_map(|_| bench.try_step().err());
    failed.expect("the model fails").to_string()
}

#[test]
fn events_without_end_are_an_error_that_names_one() {
    let text = "model m\ndiscrete a = 0\ndiscrete b = 0\nwhen time >= 1 then\n  a = 1\nend\n\
                when a > b then\n  b = b + 2\nend\nwhen b > a then\n  a = a + 2\nend\nend";
    insta::assert_snapshot!(fails(text), @"handle events(t = 1) was refused: events bring about each other without end, the last is event 3 of the model");
}

#[test]
fn a_negative_delay_is_an_error_that_names_the_event() {
    let text = "model m\nstate x = 0\ndiscrete y = 0\nder(x) = 1\n\
                when x > 1 after 0.5 - x then\n  y = 1\nend\nend";
    insta::assert_snapshot!(fails(text), @"handle events(t = 1.0000000000000002) was refused: the delay of event 1 of the model is -0.5000000000000002 s");
}

#[test]
fn events_that_switch_back_and_forth_are_an_error_and_no_endless_run() {
    let text = "model m\nstate x = 0.35\ndiscrete d = -1\nder(x) = d\n\
                when x < 0 then\n  d = 1\nend\nwhen x > 0 then\n  d = -1\nend\nend";
    let said = fails(text);
    assert!(said.contains("events follow each other without end"), "{said}");
}
