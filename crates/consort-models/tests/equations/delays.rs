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

fn worst(text: &str, settings: Settings) -> f64 {
    let mut bench = Bench::with(text, settings);
    let mut worst = 0.0_f64;
    while bench.time() < 6.0 {
        bench.step();
        worst = worst.max((bench.get("x") - falling(bench.time())).abs());
    }
    worst
}

#[test]
fn a_delay_equation_follows_the_method_of_steps() {
    for kind in [SolverKind::Bdf, SolverKind::Adams, SolverKind::DormandPrince5] {
        let error = worst(FALLING, Settings { kind, ..Settings::default() });
        assert!(error < 1e-5, "{}: {error:e}", kind.name());
    }
}

#[test]
fn the_error_of_a_delay_falls_with_the_step() {
    // Steps end at communication points at the latest; with a tight tolerance the interpolation
    // between them is all that is wrong.
    let error = |step| {
        let kind = SolverKind::DormandPrince8;
        worst(FALLING, Settings { kind, tolerance: 1e-12, step })
    };
    let errors: Vec<f64> = [200_000_000, 100_000_000, 50_000_000].map(error).to_vec();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("errors {:.1e} and {:.1e}: order {order:.2}", pair[0], pair[1]);
        assert!(2.5 < order, "order {order} of {errors:?}");
    }
}

#[test]
fn a_long_communication_step_is_divided_by_the_delay() {
    let settings = Settings { step: 3_000_000_000, ..Settings::default() };
    let mut bench = Bench::with(FALLING, settings);
    bench.run_to(6.0);
    assert_near(bench.get("x"), falling(6.0), 1e-3, "two steps of three seconds");
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
    assert_near(bench.get("x"), -1.5, 1e-3, "delay of two seconds");
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
        assert_near(bench.get("twice"), expected, 1e-3, &format!("at {time}"));
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
