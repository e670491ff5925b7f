//! Delays, by the method of steps.

use crate::bench::{Bench, Settings, assert_near};
use consort_solve::integrate::SolverKind;

/// x' = -x(t - 1), with x = 1 until the start: a polynomial in each second.
fn falling(t: f64) -> f64 {
    let (mut sum, mut factorial, mut sign) = (1.0, 1.0, 1.0);
    for k in 1_i32..=(t.floor() as i32 + 1) {
        factorial *= f64::from(k);
        sign = -sign;
        sum += sign * (t - f64::from(k - 1)).powi(k) / factorial;
    }
    sum
}

const FALLING: &str = "model m\nparameter tau = 1\noutput state x = 1\nder(x) = -delay(x, 1)\nend";

/// A square wave, switched by events, through a delay into a first-order lag.
const LAGGING: &str = "model m
  discrete s = 1
  discrete next = 0.4
  output state x = 0
  der(x) = delay(s, 0.3) - x
  when time >= next then
    s = -s
    next = next + 0.4
  end
end";

fn lagging(t: f64) -> f64 {
    let (mut x, mut from, mut until, mut s) = (0.0, 0.0, 0.7, 1.0);
    loop {
        let to = t.min(until);
        x = s + (x - s) * (from - to).exp();
        if t <= until {
            return x;
        }
        (from, until, s) = (until, until + 0.4, -s);
    }
}

/// Delays of delays of a ramp: three kinks.
const RAMP: &str = "model m
  state r = 0
  output x = delay(delay(r, 0.35), 0.5) + delay(r, 0.6)
  der(r) = 1
end";

fn ramp(t: f64) -> f64 {
    (t - 0.85).max(0.0) + (t - 0.6).max(0.0)
}

const KINDS: [SolverKind; 4] =
    [SolverKind::Bdf, SolverKind::Adams, SolverKind::DormandPrince5, SolverKind::DormandPrince8];
const SECOND: i64 = 1_000_000_000;

/// The greatest error of `x` at communication points until six seconds.
fn worst(text: &str, exact: fn(f64) -> f64, settings: Settings) -> f64 {
    let mut bench = Bench::with(text, settings);
    let mut worst = 0.0_f64;
    while bench.time() < 6.0 {
        bench.step();
        worst = worst.max((bench.get("x") - exact(bench.time())).abs());
    }
    worst
}

/// The error is at most so many tolerances, whatever solves it and however long communication steps are.
fn check(text: &str, exact: fn(f64) -> f64, most: f64) {
    for kind in KINDS {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            for step in [3 * SECOND, SECOND / 10, SECOND / 100] {
                let error = worst(text, exact, Settings { kind, tolerance, step });
                let (name, ratio) = (kind.name(), error / tolerance);
                println!("{name}, {tolerance:e}, {step} ns: {error:.1e} = {ratio:.2} tolerances");
                assert!(ratio < most, "{name}, {tolerance:e}, {step} ns: {error:e}");
            }
        }
    }
}

#[test]
fn a_delay_equation_follows_the_method_of_steps() {
    check(FALLING, falling, 5.0);
}

#[test]
fn jumps_from_events_arrive_without_being_smeared() {
    check(LAGGING, lagging, 5.0);
}

#[test]
fn kinks_through_delays_of_delays_stay_sharp() {
    check(RAMP, ramp, 1e-6);
}

/// 0.1 + 0.2 is the double after 0.3, and so on for later generations.
#[test]
fn kinks_that_arrive_almost_at_once_trouble_no_solver() {
    let text = "model m\noutput state x = 1\nder(x) = 2*delay(x, 0.1) - 3*delay(x, 0.2) - \
                delay(x, 0.3)\nwhen time >= 0.7 then\n  x = x + 0.5\nend\nend";
    let solve = |kind, tolerance| {
        let mut bench = Bench::with(text, Settings { kind, tolerance, step: SECOND });
        bench.run_to(3.0);
        bench.get("x")
    };
    let expected = solve(SolverKind::DormandPrince8, 1e-11);
    for kind in KINDS {
        let found = solve(kind, 1e-6);
        assert_near(found, expected, 1e-5, kind.name());
    }
}

/// What is computed while it runs has no break points: it is as exact as steps are short.
#[test]
fn a_delay_that_changes_follows_the_solver_s_steps() {
    let text = "model m\nstate r = 0\noutput x = delay(r, 0.5 + 0.1*r)\nder(r) = 1\nend";
    let exact: fn(f64) -> f64 = |t| (0.9 * t - 0.5).max(0.0);
    let settings = Settings { step: SECOND / 100, ..Settings::default() };
    let error = worst(text, exact, settings);
    assert!(error < 2e-3, "{error:e}");
}

#[test]
fn a_delay_may_be_a_parameter() {
    let text = FALLING.replace("delay(x, 1)", "delay(x, tau)");
    let settings = Settings { step: 3_000_000_000, ..Settings::default() };
    let mut bench = Bench::fresh(&text, settings);
    bench.set("tau", 2.0);
    bench.enter();
    bench.instance.exit_initialization().unwrap();
    bench.run_to(3.0);
    // 1 - t until two seconds, then + (t - 2)^2/2.
    assert_near(bench.get("x"), -1.5, 1e-7, "delay of two seconds");
}

#[test]
fn a_jump_arrives_when_the_delay_is_over() {
    let text = "model m\nstate x = 1\noutput late = delay(x, 0.25)\nder(x) = 0\n\
                when time >= 1 then\n  x = 3\nend\nend";
    let mut bench = Bench::new(text);
    for (time, value) in [(0.5, 1.0), (1.0, 1.0), (1.24, 1.0), (1.26, 3.0), (2.0, 3.0)] {
        bench.run_to(time);
        assert_near(bench.get("late"), value, 0.0, &format!("at {time}"));
    }
}

#[test]
fn delays_of_delays_add_up() {
    let text = "model m\nstate x = 2\nvariable once = delay(x, 0.5)\n\
                output twice = delay(once, 0.25)\nder(x) = 1\nend";
    let mut bench = Bench::new(text);
    assert_near(bench.get("twice"), 2.0, 0.0, "at the start");
    for time in [0.5, 0.75, 1.0, 2.0] {
        bench.run_to(time);
        let expected = 2.0 + (bench.time() - 0.75).max(0.0);
        assert_near(bench.get("twice"), expected, 1e-12, &format!("at {time}"));
    }
}

#[test]
fn an_input_is_seen_later() {
    let text = "model m\ninput u = 1\noutput y = delay(u, 0.1)\nend";
    let mut bench = Bench::new(text);
    bench.run_to(0.5);
    bench.set("u", 2.0);
    assert_near(bench.get("y"), 1.0, 0.0, "not at once");
    bench.run_to(0.58);
    assert_near(bench.get("y"), 1.0, 1e-6, "not yet");
    bench.run_to(0.7);
    assert_near(bench.get("y"), 2.0, 1e-6, "then");
}
