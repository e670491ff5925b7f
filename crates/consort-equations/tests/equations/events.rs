//! Events: what is watched, when they fire, what they change.

use crate::{Setting, compiled};
use consort_equations::{EventTarget, Op};

#[test]
fn an_event_has_a_condition_and_new_values_from_those_before() {
    let equations = compiled(
        "model m\nparameter e = 0.5\nstate h = 1\nstate v = -2\ndiscrete n = 0\n\
         der(h) = v\nder(v) = -9.81\n\
         when h < 0 and v < 0 then\n  v = -e*pre(v)\n  n = n + v\nend\nend",
    );
    let event = &equations.events[0];
    assert_eq!(event.targets, [EventTarget::State(1), EventTarget::Discrete(0)]);
    let mut setting = Setting::start(&equations);
    assert_eq!(setting.evaluate(&equations, &event.condition), [0.0]);
    setting.states[0] = -0.1;
    assert_eq!(setting.evaluate(&equations, &event.condition), [1.0]);
    assert_eq!(setting.evaluate(&equations, &event.assignments), [1.0, -2.0]);
    assert_eq!(setting.evaluate(&equations, &equations.programs.indicators), [0.1, 2.0]);
    assert!(equations.indicators.iter().all(|one| one.events == [0] && !one.in_equations));
}

#[test]
fn instants_are_known_ahead() {
    let equations = compiled(
        "model m\nparameter period = 0.25\ndiscrete next = 1\nstate x = 0\n\
         der(x) = if time > 2 then 1 else 0\n\
         when time >= next then\n  next = next + period\nend\n\
         when sin(time) > 0.5 then\n  x = 0\nend\nend",
    );
    let setting = Setting::start(&equations);
    let instants = setting.evaluate(&equations, &equations.programs.instants);
    assert_eq!(instants, [2.0, 1.0]);
    let found: Vec<_> = equations.indicators.iter().map(|one| (one.instant, one.op)).collect();
    assert_eq!(found, [(Some(0), Op::Less), (Some(1), Op::LessEqual), (None, Op::Less)]);
    assert!(equations.indicators[0].in_equations);
}

#[test]
fn only_what_moves_between_events_is_watched() {
    let equations = compiled(
        "model m\nparameter p = 1\ndiscrete d = 0\ninput u = 0\nstate x = 1\n\
         der(x) = if p < 2 and d < 1 and u < 3 then x else -x\n\
         variable unused = if x < 5 then 1 else 2\nend",
    );
    assert_eq!(equations.indicators.len(), 1, "neither parameters, discretes nor what none needs");
}

#[test]
fn an_equal_comparison_is_watched_once() {
    let equations = compiled(
        "model m\nstate x = 1\nder(x) = if x < 2 then 1 else 2\n\
         when x < 2 then\n  x = 3\nend\nwhen 2 > x then\n  x = 4\nend\nend",
    );
    assert_eq!(equations.indicators.len(), 1);
    assert_eq!(equations.indicators[0].events, [0, 1]);
    assert!(equations.indicators[0].in_equations);
}

#[test]
fn a_comparison_at_zero_is_what_it_is() {
    let ops = ["<", "<=", ">", ">=", "==", "!="];
    for (op, expected) in ops.into_iter().zip([false, true, false, true, true, false]) {
        let equations = compiled(&format!(
            "model m\nstate x = 1\nder(x) = 1\nwhen x {op} 5 then\n  x = 0\nend\nend"
        ));
        assert_eq!(equations.indicators[0].holds_at(0.0), expected, "{op}");
    }
}

#[test]
fn delay_and_priority_are_programs() {
    let equations = compiled(
        "model m\nparameter d = 2\nstate x = 3\nder(x) = 1\n\
         when x > 5 after d*x priority 1 - x then\n  x = 0\nend\nend",
    );
    let (event, setting) = (&equations.events[0], Setting::start(&equations));
    assert_eq!(setting.evaluate(&equations, event.delay.as_ref().unwrap()), [6.0]);
    assert_eq!(setting.evaluate(&equations, event.priority.as_ref().unwrap()), [-2.0]);
}
