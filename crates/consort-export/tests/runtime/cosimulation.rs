//! The solver inside of FMUs for Co-Simulation: against closed forms, published values, and our own.

use crate::bench::{Bench, Form, VERSIONS, assert_near, compiled};
use consort_export::FmiVersion;
use consort_solve::integrate::SolverKind;

const SECOND: i64 = 1_000_000_000;
const TWO: Form = Form::CoSimulation(FmiVersion::V2);

/// What variables are at the end of a run.
#[track_caller]
fn check(text: &str, (stop, step): (f64, i64), tolerance: f64, expected: &[(&str, f64, f64)]) {
    let equations = compiled(text);
    for version in VERSIONS {
        let mut bench = Bench::new(&equations, Form::CoSimulation(version), step, tolerance);
        bench.run_to(stop);
        for (name, value, error_max) in expected {
            assert_near(bench.get(name), *value, *error_max, &format!("`{name}` at {stop}"));
        }
    }
}

/// The error at 1 s of y' = -2 t y^2 (y = 1/(1 + t^2)) with steps that are all of one length: the tolerance
/// is so lax that every communication step is one step.
fn error_with(step: i64) -> f64 {
    let text = "model slope\nstate y = 1\nder(y) = -2*time*y^2\nend";
    let mut bench = Bench::new(&compiled(text), TWO, step, 0.9);
    bench.run_to(1.0);
    (bench.get("y") - 0.5).abs()
}

#[test]
fn the_method_is_of_order_four() {
    let (coarse, middle, fine) =
        (error_with(SECOND / 16), error_with(SECOND / 32), error_with(SECOND / 64));
    let orders = [(coarse / middle).log2(), (middle / fine).log2()];
    println!("errors {coarse:e} {middle:e} {fine:e}, orders {orders:?}");
    assert!((orders[1] - 4.0).abs() < 0.2, "{orders:?}");
}

#[test]
fn robertson_meets_the_published_values() {
    let text = "model robertson
  state a = 1
  state b = 0 nominal 1e-5
  state c = 0
  der(a) = -0.04*a + 1e4*b*c
  der(b) = 0.04*a - 1e4*b*c - 3e7*b^2
  der(c) = 3e7*b^2
end";
    let expected = [
        ("a", 0.715_827_068_719_394, 1e-6),
        ("b", 9.185_534_764_557_34e-6, 1e-11),
        ("c", 0.284_163_745_745_841, 1e-6),
    ];
    check(text, (40.0, 40 * SECOND), 1e-7, &expected);
}

#[test]
fn van_der_pol_meets_the_published_values() {
    let text = "model vanderpol
  parameter mu = 1000
  state x = 2
  state v = 0
  der(x) = v
  der(v) = mu*(1 - x^2)*v - x
end";
    let expected = [("x", 1.706_167_732_170_483, 1e-4), ("v", -0.892_809_701_024_797_5e-3, 1e-6)];
    check(text, (2000.0, 100 * SECOND), 1e-8, &expected);
}

#[test]
fn a_ball_bounces_twenty_times() {
    let text = "model ball
  parameter g = 9.81
  parameter e = 0.9
  output state h = 1
  state v = 0
  discrete bounces = 0
  discrete last = 0
  der(h) = v
  der(v) = -g
  when h < 0 and v < 0 then
    v = -e*v
    bounces = bounces + 1
    last = time
  end
end";
    // The first fall takes sqrt(2/g), each hop after it twice that times e, e^2, and so on.
    let fall = (2.0_f64 / 9.81).sqrt();
    let hops = |n: i32| fall * (1.0 + 2.0 * 0.9 * (1.0 - 0.9_f64.powi(n - 1)) / 0.1);
    let stop = 0.5 * (hops(20) + hops(21));
    let step = 10_000_000;
    let stop = (stop * 100.0).floor() / 100.0;
    let top = |t: f64| {
        let (since, speed) = (t - hops(20), 9.81 * fall * 0.9_f64.powi(20));
        since * (speed - 0.5 * 9.81 * since)
    };
    let expected = [("bounces", 20.0, 0.0), ("last", hops(20), 1e-9), ("h", top(stop), 1e-9)];
    check(text, (stop, step), 1e-8, &expected);
}

#[test]
fn instants_are_met_exactly_inside_of_one_long_step() {
    let text = "model pulses
  discrete next = 0.0625
  discrete n = 0
  state x = 0
  state y = 0
  der(x) = if n < 3 then 1 else 0
  der(y) = if time >= 0.75 then 2 else 0
  when time >= next then
    n = n + 1
    next = next + 0.0625
  end
end";
    let expected = [("n", 32.0, 0.0), ("x", 0.1875, 1e-14), ("y", 2.5, 1e-14)];
    check(text, (2.0, 2 * SECOND), 1e-6, &expected);
}

#[test]
fn an_input_that_jumps_fires_what_it_makes_true() {
    let text = "model latch\ninput u = 0\nstate x = 0\ndiscrete n = 0\nder(x) = u\n\
                when u > 1 then\n  n = n + 1\nend\nend";
    let mut bench = Bench::new(&compiled(text), TWO, SECOND, 1e-6);
    for (u, n, x) in
        [(0.5, 0.0, 0.5), (2.0, 1.0, 2.5), (2.0, 1.0, 4.5), (0.0, 1.0, 4.5), (3.0, 2.0, 7.5)]
    {
        bench.set("u", u);
        bench.step();
        assert_near(bench.get("n"), n, 0.0, "n");
        assert_near(bench.get("x"), x, 1e-12, "x");
    }
}

/// x' = -x(t - 1), x = 1 before: by the method of steps 1 - t, then t^2/2 - 2 t + 3/2, ...
#[test]
fn a_delay_equation_meets_the_method_of_steps() {
    let text = "model late\nstate x = 1\nder(x) = -delay(x, 1)\nend";
    for step in [SECOND / 100, SECOND] {
        check(text, (1.0, step), 1e-7, &[("x", 0.0, 1e-12)]);
        check(text, (2.0, step), 1e-7, &[("x", -0.5, 1e-7)]);
        check(text, (3.0, step), 1e-7, &[("x", -1.0 / 6.0, 1e-7)]);
    }
}

#[test]
fn it_agrees_with_our_own_solver() {
    let text = "model brusselator
  input feed = 1
  state u = 1.2
  state v = 3.1
  output sum = sin(u) + v
  der(u) = feed + u^2*v - 4*u
  der(v) = 3*u - u^2*v
end";
    let equations = compiled(text);
    let mut ours = Bench::new(&equations, Form::Rust(SolverKind::Bdf), SECOND / 10, 1e-9);
    let mut theirs = Bench::new(&equations, TWO, SECOND / 10, 1e-9);
    for n in 0..100 {
        for bench in [&mut ours, &mut theirs] {
            bench.set("feed", 1.0 + f64::from(n % 5) * 0.02);
            bench.step();
        }
        for name in ["u", "v", "sum"] {
            assert_near(theirs.get(name), ours.get(name), 2e-6, name);
        }
    }
}

#[test]
fn a_solver_that_cannot_continue_says_where() {
    let text =
        "model blowup\nstate calm = 0\nstate wild = 1\nder(calm) = 1\nder(wild) = wild^2\nend";
    let mut bench = Bench::new(&compiled(text), TWO, 2 * SECOND, 1e-6);
    let error = bench.try_step().expect_err("there is no solution beyond 1 s");
    let message = format!("{error:?}");
    assert!(
        message.contains("cannot go on at t = 1.0") || message.contains("t = 0.99"),
        "{message}"
    );
    assert!(message.contains("`wild`"), "{message}");
}

#[test]
fn events_without_end_are_reported() {
    let endless = "model endless\nstate x = 0\ndiscrete n = 0\nder(x) = 1\n\
                   when x > 0.5 and n == 2*floor(n/2) then\n  n = n + 1\nend\n\
                   when n > 2*floor(n/2) then\n  n = n + 1\nend\nend";
    let sliding = "model sliding\nstate x = 0.5\nder(x) = if x > 0 then -1 else 1\n\
                   output y = x\nend";
    for (text, words) in [(endless, "without end"), (sliding, "each other without end")] {
        let mut bench = Bench::new(&compiled(text), TWO, SECOND, 1e-6);
        let error = bench.try_step().expect_err("it has no end");
        assert!(format!("{error:?}").contains(words), "{error:?}");
    }
}

#[track_caller]
fn check_refusal(text: &str, form: Form, words: &str) {
    let mut bench = Bench::new(&compiled(text), form, SECOND, 1e-6);
    let message = format!("{:?}", bench.try_step().expect_err("it has no end"));
    assert!(message.contains(words), "{message}");
}

#[test]
fn a_derivative_that_is_no_number_is_named() {
    let text = "model broken\nstate calm = 0\nstate wild = 0\nder(calm) = 1\n\
                der(wild) = if time > 0.5 then sqrt(-1) else 1\nend";
    check_refusal(text, TWO, "the derivative of `wild` is infinite or not a number at t = 0.5");
}

const SWITCH: &str = "model switch\nstate x = 0\nder(x) = if 0 < x then -1 else 1\nend";

/// Near zero times are so fine that a switch at the start could go back and forth there for ever.
#[test]
fn a_switch_at_the_start_does_not_hang() {
    let ours = [SolverKind::Euler, SolverKind::DormandPrince5].map(Form::Rust);
    for form in ours.into_iter().chain(VERSIONS.map(Form::CoSimulation)) {
        check_refusal(SWITCH, form, "events follow each other without end");
    }
}

#[test]
fn a_step_without_end_says_how_far_it_came() {
    let fast = "model fast\nstate x = 0\nder(x) = 1e9*cos(1e9*time)\nend";
    let words = "do not reach the communication point at t = 1 but t = ";
    for version in VERSIONS {
        check_refusal(fast, Form::CoSimulation(version), words);
    }
    let words = "do not reach the communication point at t = 1;";
    check_refusal(SWITCH, Form::Rust(SolverKind::Bdf), words);
}

#[test]
fn instants_may_be_many_in_one_step() {
    let text = "model clock\ndiscrete next = 1.6e-6\ndiscrete n = 0\n\
                when time >= next then\n  n = n + 1\n  next = (n + 2)*1.6e-6\nend\nend";
    check(text, (2.0, 2 * SECOND), 1e-6, &[("n", 1.25e6, 1.0)]);
}

#[test]
fn a_step_that_ends_in_no_number_is_rejected_and_its_state_named() {
    let text = "model broken\nstate calm = 1\nstate wild = 0\nder(calm) = -1\nder(wild) = 0\n\
                when time >= 1 then\n  wild = sqrt(calm - 5)\nend\nend";
    for version in VERSIONS {
        let words = "the step is rejected: `wild` is not a number at t = 1";
        check_refusal(text, Form::CoSimulation(version), words);
    }
}

/// The derivative of a square root at zero is infinite, and no reason to stay there:
/// t = -2 (r + ln(1 - r)) for the root r of the first level.
#[test]
fn tanks_that_start_empty_fill() {
    let text = "model tanks\nstate a = 0\nstate b = 0\nder(a) = 1 - sqrt(a)\n\
                der(b) = sqrt(a) - sqrt(b)\nend";
    check(text, (2.0, SECOND / 2), 1e-7, &[("a", 0.707_963_485_415_357_7, 1e-6)]);
}
