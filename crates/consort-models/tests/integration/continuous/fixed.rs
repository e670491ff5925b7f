//! Solvers of fixed step around a Model Exchange FMU.

use super::{Bench, assert_near, check_restore, height};
use consort_core::{SolverKind, SolverSettings};
use consort_testkit::fmus::Fmi;

const FIXED: [(SolverKind, f64); 4] = [
    (SolverKind::Euler, 1.0),
    (SolverKind::AdamsBashforth2, 2.0),
    (SolverKind::AdamsBashforth3, 3.0),
    (SolverKind::RungeKutta4, 4.0),
];

fn steps_of(kind: SolverKind, step: &str) -> SolverSettings {
    SolverSettings { step: Some(step.parse().unwrap()), ..kind.into() }
}

/// The error of x' = -x after a second in communication steps of ten milliseconds.
fn error(fmi: Fmi, settings: SolverSettings) -> f64 {
    let mut decay = Bench::new("dahlquist", fmi, settings, &[]);
    decay.run(100, "x");
    (decay.get("x") - libm::exp(-1.0)).abs()
}

#[test]
fn errors_fall_with_the_order_of_the_method() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for (kind, expected) in FIXED {
            let (coarse, fine) =
                (error(fmi, steps_of(kind, "0.005")), error(fmi, steps_of(kind, "0.0025")));
            let order = (coarse / fine).log2();
            assert!((order - expected).abs() < 0.2, "{kind:?} {fmi:?}: {order}, {fine:e}");
        }
    }
}

#[test]
fn without_a_length_a_step_goes_to_the_next_communication_point() {
    for (kind, _) in FIXED {
        let whole = error(Fmi::V3, kind.into());
        let given = error(Fmi::V3, steps_of(kind, "0.01"));
        assert_eq!(whole.to_bits(), given.to_bits(), "{kind:?}");
        assert!(error(Fmi::V3, steps_of(kind, "0.003")) < whole, "{kind:?}: shorter steps");
    }
    // One step of Euler is what the same FMU does for Co-Simulation.
    let expected = (0.99_f64.powi(100) - libm::exp(-1.0)).abs();
    assert_near(error(Fmi::V2, SolverKind::Euler.into()), expected, 1e-14, "euler");
}

/// Steps that do not divide the communication step are cut there, and at time events.
#[test]
fn time_events_are_met_exactly() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for (kind, _) in FIXED {
            let mut stair = Bench::new("exchange-stair", fmi, steps_of(kind, "0.007"), &[]);
            stair.run(450, "level");
            assert_near(stair.get("level"), 10.0 + 5.0 * 0.5, 1e-9, kind.name());
        }
    }
}

/// A parabola is found exactly from the second order on, and so are its roots by the cubic.
#[test]
fn bounces_are_found_within_steps() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for (kind, _) in FIXED.into_iter().skip(1) {
            let mut ball = Bench::new("exchange-ball", fmi, kind, &[]);
            for index in 1..=300 {
                ball.step();
                let expected = height(f64::from(index) * 0.01);
                assert_near(ball.get("h"), expected, 1e-5, &format!("{kind:?} {fmi:?} {index}"));
            }
        }
    }
}

#[test]
fn a_restored_instance_continues_bit_for_bit() {
    for (kind, _) in FIXED {
        for settings in [kind.into(), steps_of(kind, "0.003")] {
            for (name, output) in
                [("exchange-ball", "h"), ("exchange-stair", "level"), ("exchange-wall", "inside")]
            {
                check_restore(name, output, Fmi::V3, settings);
            }
        }
    }
}

/// The longest step of a solver that chooses its steps.
#[test]
fn a_longest_step_is_kept() {
    let kind = SolverKind::DormandPrince5;
    let mut free = Bench::new("dahlquist", Fmi::V2, kind, &[]);
    let mut bound = Bench::new("dahlquist", Fmi::V2, steps_of(kind, "1e-4"), &[]);
    assert_ne!(free.run(100, "x"), bound.run(100, "x"));
    assert_near(bound.get("x"), libm::exp(-1.0), 1e-14, "a hundred steps where one would do");
}

#[test]
fn a_tolerance_of_its_own_goes_before_that_of_the_run() {
    let error = |tolerance| {
        let settings = SolverSettings { tolerance, ..SolverKind::BogackiShampine.into() };
        let mut oscillator = Bench::new("exchange-vanderpol", Fmi::V3, settings, &[]);
        oscillator.run(500, "x");
        oscillator.get("x")
    };
    let (run, rough, fine) = (error(None), error(Some(1e-2)), error(Some(1e-11)));
    let (run, rough) = ((run - fine).abs(), (rough - fine).abs());
    assert!(10.0 * run < rough, "the run says 1e-8: {run:e} and {rough:e}");
}
