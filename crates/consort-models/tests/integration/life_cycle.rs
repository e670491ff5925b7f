//! Calls at the wrong time or with the wrong arguments are refused with a reason.

use crate::harness::Bench;
use consort_core::model::CallResult;
use consort_core::{Reference, Step, Time, ValuesMut, ValuesRef};

fn check<T>(result: CallResult<T>, expected: &str) {
    let error = result.err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some(expected));
}

#[test]
fn wrong_references_types_and_lengths_are_refused() {
    let mut bench = Bench::started("gain", "", "0.1");
    let (u, y) = (bench.reference("u"), bench.reference("y"));
    let instance = &mut bench.instance;
    check(
        instance.set(&[Reference(99)], ValuesRef::Float64(&[1.0])),
        "set() was refused: no variable has the reference 99",
    );
    check(
        instance.get(&[Reference(99)], ValuesMut::Float64(&mut [1.0])),
        "get() was refused: no variable has the reference 99",
    );
    check(
        instance.set(&[u], ValuesRef::Int32(&[1])),
        "set(u) was refused: `u` is Float64, not Int32",
    );
    check(
        instance.get(&[y], ValuesMut::Boolean(&mut [false])),
        "get(y) was refused: `y` is Float64, not Boolean",
    );
    check(
        instance.set(&[u], ValuesRef::Float64(&[])),
        "set(u) was refused: `u` has more elements than the batch has left",
    );
    check(
        instance.get(&[y], ValuesMut::Float64(&mut [0.0, 0.0])),
        "get() was refused: the variables have 1 elements, the batch has 2",
    );
    check(
        instance.set(&[y], ValuesRef::Float64(&[1.0])),
        "set(y) was refused: the block computes it",
    );
}

#[test]
fn a_refused_set_changes_nothing() {
    let mut bench = Bench::started("sum", "", "0.1");
    bench.set("u1", 1.0);
    let references = [bench.reference("u1"), bench.reference("y")];
    assert!(bench.instance.set(&references, ValuesRef::Float64(&[5.0, 5.0])).is_err());
    assert_eq!(bench.get("u1"), 1.0);
}

#[test]
fn fixed_parameters_are_settled_when_the_run_starts_and_tunable_ones_are_not() {
    let mut bench = Bench::fresh("pid", "", "0.1");
    bench.set("integral0", 2.0);
    bench.start();
    assert_eq!(bench.get("u"), 2.0);
    let integral0 = bench.reference("integral0");
    check(
        bench.instance.set(&[integral0], ValuesRef::Float64(&[3.0])),
        "set(integral0) was refused: it is fixed once the run has started",
    );
    bench.set("kp", 3.0);
}

#[test]
fn calls_come_in_the_order_of_a_life() {
    let mut bench = Bench::fresh("gain", "", "0.1");
    let (setup, step) = (bench.setup(), bench.next_step());
    check(bench.instance.step(&step), "step() is not allowed in a fresh instance");
    check(
        bench.instance.exit_initialization(),
        "exit initialization() is not allowed in a fresh instance",
    );
    bench.start();
    check(
        bench.instance.enter_initialization(&setup),
        "enter initialization() is not allowed in a running instance",
    );
    let elsewhere = Step { to: Time::from_ticks(-1), ..step };
    check(
        bench.instance.step(&elsewhere),
        "step() was refused: a step from tick 0 to -1 cannot start at tick 0",
    );
    bench.set("u", 2.0);
    bench.instance.terminate().unwrap();
    assert_eq!(bench.get("y"), 2.0, "values may be got after the end");
    check(bench.instance.step(&step), "step() is not allowed in a terminated instance");
}

#[test]
fn initialization_follows_what_is_set_in_it() {
    let mut bench = Bench::fresh("integrator", "x0 = 1.0", "0.1");
    bench.instance.enter_initialization(&bench.setup()).unwrap();
    assert_eq!(bench.get("y"), 1.0);
    bench.set("x0", 5.0);
    assert_eq!(bench.get("y"), 5.0);
    bench.instance.exit_initialization().unwrap();
    assert_eq!(bench.get("y"), 5.0);
}

#[test]
fn parameters_that_make_no_sense_together_end_initialization() {
    let cases: [(&str, &str, f64, &str); 4] = [
        ("saturation", "max", -2.0, "`min` = -1.0 is not below `max` = -2.0"),
        ("pulse", "period", 1e-12, "`period` = 1e-12 s is not a tick of 1 ns or more"),
        ("noise", "period", 1e300, "`period` = 1e300 s is not a tick of 1 ns or more"),
        ("integrator", "min", f64::NAN, "`min` = NaN is not below `max` = inf"),
    ];
    for (block, parameter, value, reason) in cases {
        let mut bench = Bench::fresh(block, "", "0.1");
        bench.set(parameter, value);
        bench.instance.enter_initialization(&bench.setup()).unwrap();
        check(
            bench.instance.exit_initialization(),
            &format!("exit initialization() was refused: {reason}"),
        );
    }
}
