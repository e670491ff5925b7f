//! A ball that bounces, against the closed form.

use crate::bench::{Bench, Settings, assert_near};
use consort_solve::integrate::SolverKind;

const G: f64 = 9.81;
const E: f64 = 0.8;

/// A ball that notes when it bounces; `condition` says how it knows the floor.
fn ball(condition: &str) -> String {
    format!(
        "model ball\nparameter g = {G}\nparameter e = {E}\noutput state h = 1\nstate v = 0\n\
         discrete bounces = 0\ndiscrete last = 0\nder(h) = v\nder(v) = -g\n\
         when {condition} then\n  v = -e*pre(v)\n  bounces = bounces + 1\n  last = time\nend\nend"
    )
}

/// When the ball bounces for the `n`th time, counted from one, and how fast it leaves then.
fn bounce(n: u32) -> (f64, f64) {
    let impact = (2.0 * G).sqrt();
    let mut time = impact / G;
    let mut speed = E * impact;
    for _ in 1..n {
        time += 2.0 * speed / G;
        speed *= E;
    }
    (time, speed)
}

/// How high it is at a time.
fn height(t: f64) -> f64 {
    if t < bounce(1).0 {
        return 1.0 - 0.5 * G * t * t;
    }
    let n = (1..).take_while(|n| bounce(*n).0 <= t).last().unwrap();
    let (start, speed) = bounce(n);
    (t - start) * (speed - 0.5 * G * (t - start))
}

fn check(condition: &str, kind: SolverKind) {
    let settings = Settings { kind, tolerance: 1e-9, ..Settings::default() };
    let mut bench = Bench::with(&ball(condition), settings);
    let mut seen = 0.0;
    while seen < 20.0 {
        bench.step();
        let what = format!("{condition}, {}, t = {}", kind.name(), bench.time());
        assert_near(bench.get("h"), height(bench.time()), 1e-6, &what);
        let bounces = bench.get("bounces");
        if seen < bounces {
            seen = bounces;
            assert_near(bench.get("last"), bounce(bounces as u32).0, 1e-6, &what);
        }
        assert!(bench.time() < 4.5, "{what}: {bounces} bounces only");
    }
}

#[test]
fn a_ball_bounces_twenty_times_at_the_right_instants() {
    for kind in [SolverKind::Bdf, SolverKind::Adams, SolverKind::DormandPrince5] {
        for condition in ["h < 0", "h <= 0", "h < 0 and v < 0", "not (h >= 0)"] {
            check(condition, kind);
        }
    }
}
