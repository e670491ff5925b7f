//! The FMU for Model Exchange, driven by the solver that drives the model in Rust: the same bits.

use crate::bench::{Bench, Form, VERSIONS, compiled, compiled_with};
use consort_equations::{Equations, tree};
use consort_solve::integrate::SolverKind;

const TOLERANCE: f64 = 1e-7;
const MILLISECONDS: i64 = 1_000_000;

/// Runs both side by side and compares every variable at every step.
#[track_caller]
fn check(equations: &Equations, input: fn(f64) -> f64) {
    for kind in [SolverKind::Bdf, SolverKind::DormandPrince5] {
        for version in VERSIONS {
            // An FMU cannot say that the past of delays wants short steps.
            let (step, count) = if equations.delays.is_empty() { (25, 120) } else { (5, 600) };
            let step = step * MILLISECONDS;
            let mut ours = Bench::new(equations, Form::Rust(kind), step, TOLERANCE);
            let mut theirs = Bench::new(equations, Form::Exchange(version, kind), step, TOLERANCE);
            for n in 0..=count {
                let what = format!("{} {version:?} {kind:?} at {n}", equations.name);
                assert_eq!(ours.all(equations), theirs.all(equations), "{what}");
                for quantity in &equations.inputs {
                    let value = input(ours.time());
                    ours.set(&quantity.name, value);
                    theirs.set(&quantity.name, value);
                }
                assert_eq!(ours.all(equations), theirs.all(equations), "{what}, with inputs");
                ours.step();
                theirs.step();
            }
        }
    }
}

fn check_text(text: &str) {
    check(&compiled(text), |time| (time * 3.0).floor() * 0.25);
}

#[test]
fn a_bouncing_ball() {
    check_text(
        "model ball
  parameter g = 9.81
  parameter e = 0.8
  input wind = 0
  output state h = 1
  state v = 0
  discrete bounces = 0
  output energy = 0.5*v^2 + g*h
  der(h) = v
  der(v) = wind - g
  when h < 0 and v < 0 then
    v = -e*v
    bounces = bounces + 1
  end
end",
    );
}

#[test]
fn time_events_that_move() {
    check_text(
        "model sampled
  discrete next = 0.125
  output discrete held = 0
  state x = 1
  der(x) = if time >= 1.5 then held - x else -2*x
  when time >= next then
    held = x
    next = next + 0.375
  end
  when time > 2 then
    x = 3
  end
end",
    );
}

/// Three events of one instant, later ones, and ones that are withdrawn.
const QUEUE: &str = "model queue
  state x = 0
  discrete way = 1
  output discrete a = 0
  output discrete b = 0
  output discrete c = 0
  der(x) = way
  when x > 1 then
    way = -1
  end
  when x < 0 then
    way = 1
  end
  when x > 0.5 after 0.3 then
    a = x
  end
  when x > 0.5 priority b + 1 then
    b = 10*c + a
  end
  when x > 0.5 priority 2 then
    c = b + x
    x = x + 0.25
  end
  when time > 0.4 after 0.2 then
    c = c + 1
  end
end";

#[test]
fn a_queue_of_events() {
    check(&compiled(QUEUE), |_| 0.0);
    check(&compiled_with(QUEUE, |model| change(model, |it| it.persistent = false)), |_| 0.0);
    check(&compiled_with(QUEUE, |model| change(model, |it| it.values_from_trigger = true)), |_| {
        0.0
    });
    check(&compiled_with(QUEUE, |model| change(model, |it| it.initially = false)), |_| 0.0);
}

fn change(model: &mut tree::EquationModel, change: fn(&mut tree::Event)) {
    model.events.iter_mut().for_each(change);
}

#[test]
fn delays_with_events_and_parameters() {
    check_text(
        "model late
  parameter d = 0.3
  input u = 0
  output state x = 1
  state y = 0
  output seen = delay(delay(x, d), 0.2)
  der(x) = -delay(x, 0.5) + u
  der(y) = delay(u, d) - y
  when delay(x, d) < 0.2 then
    x = x + 0.5
  end
end",
    );
}

#[test]
fn delays_whose_sums_are_almost_equal() {
    check_text(
        "model late
  input u = 0
  state x = 1
  output seen = delay(delay(x, 0.1), 0.2) - delay(x, 0.3)
  der(x) = -delay(x, 0.3) + delay(u, 0.1)
  when time >= 0.7 then
    x = x + 0.5
  end
end",
    );
}

#[test]
fn switches_and_every_exact_operation() {
    check_text(
        "model switches
  parameter k = 1.5
  parameter half = k/2
  input u = 0
  state x = k + half
  state v = 0
  variable force = if x > 1 then -1 elseif x < 0.5 then 1 else 0
  output y = min(x, u) + max(v, 0.1) + abs(x - 1) + sqrt(abs(v)) + floor(3*x) + ceil(u)
  output z = sign(v) + quotient(x, 0.3) + rem(x, 0.3) + factorial(4) + (if x < u xor v < 0 then 2 else 3)
  der(x) = v
  der(v) = force + u - 4*x/(1 + x^2)
end",
    );
}

#[test]
fn a_model_without_states() {
    check_text(
        "model plain
  parameter a = 3
  input u = 1
  output y = a*u + time
  output discrete n = 0
  when u > 1 then
    n = n + a
  end
end",
    );
}
