//! Failures say where, how short the step was, which state and why; the solver stays where it was.

use consort_solve::{Family, Multistep, Options, Problem, Reason, SolverFailure, Tolerances};

/// Two states, the first of which is always calm.
struct Bad {
    f: fn(f64, f64) -> Result<f64, &'static str>,
}

impl Problem for Bad {
    type Error = &'static str;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), &'static str> {
        (dx[0], dx[1]) = (-x[0], (self.f)(t, x[1])?);
        Ok(())
    }
}

fn failure(
    family: Family,
    options: &Options,
    f: fn(f64, f64) -> Result<f64, &'static str>,
) -> (Multistep, SolverFailure<&'static str>) {
    let mut solver = Multistep::new(family, 2, options);
    solver.start(0.0, &[1.0, 1.0]);
    loop {
        match solver.step(&mut Bad { f }, 10.0) {
            Ok(step) => assert!(step.to < 10.0, "the problem was solved"),
            Err(failure) => return (solver, failure),
        }
    }
}

fn options() -> Options {
    Options::new(Tolerances::uniform(1e-6, 1e-9, 2))
}

/// The failure comes at the time `near`, in the second state.
fn check(
    f: fn(f64, f64) -> Result<f64, &'static str>,
    near: f64,
    reasons: [Reason<&'static str>; 3],
) {
    for (family, expected) in [Family::Bdf, Family::Adams, Family::AdamsNewton].iter().zip(reasons)
    {
        let (solver, SolverFailure { t, step, worst, reason }) = failure(*family, &options(), f);
        println!("{family:?}: {t} {step:e} {worst:?} {reason:?}");
        assert_eq!(reason, expected, "{family:?}");
        assert!((t - near).abs() < 1e-3, "{family:?}: {t}");
        assert_eq!(worst, Some(1), "{family:?}");
        assert!(step.abs() < 1e-3, "{family:?}: {step}");
        let (at, x) = solver.state();
        assert_eq!(at.to_bits(), t.to_bits());
        assert!((x[0] - libm::exp(-t)).abs() < 1e-4, "{family:?}: {x:?}");
    }
}

#[test]
fn a_derivative_without_value_is_named() {
    let wall = |t: f64, _x: f64| Ok(if t < 1.0 { 1.0 } else { f64::NAN });
    check(wall, 1.0, [Reason::NotFinite, Reason::NotFinite, Reason::NotFinite]);
}

#[test]
fn a_derivative_that_has_no_value_at_the_start_is_named() {
    let (_, failure) = failure(Family::Adams, &options(), |_t, _x| Ok(f64::INFINITY));
    assert_eq!((failure.t, failure.worst, failure.reason), (0.0, Some(1), Reason::NotFinite));
}

#[test]
fn a_hole_in_f_is_stepped_around() {
    let known = |t: f64, x: f64| Ok(if t < 1.0 || x < 5.0 { -x } else { f64::NAN });
    let mut solver = Multistep::new(Family::Bdf, 2, &options());
    solver.start(0.0, &[1.0, 1.0]);
    while solver.step(&mut Bad { f: known }, 10.0).unwrap().to < 10.0 {}
    assert!((solver.state().1[1] - libm::exp(-10.0)).abs() < 1e-6);
}

#[test]
fn a_models_failure_is_passed_on() {
    for family in [Family::Bdf, Family::Adams] {
        let broken = |t: f64, _x: f64| if t < 0.5 { Ok(1.0) } else { Err("a tank is empty") };
        let (solver, failure) = failure(family, &options(), broken);
        assert_eq!(failure.reason, Reason::Model("a tank is empty"));
        assert!(failure.t < 0.5 && solver.state().0.to_bits() == failure.t.to_bits());
        let said = failure.to_string();
        assert!(said.ends_with(": the model failed: a tank is empty"), "{said}");
    }
}

#[test]
fn more_digits_than_there_are_is_refused() {
    let options = Options::new(Tolerances::uniform(1e-30, 1e-30, 2));
    let (_, failure) = failure(Family::Bdf, &options, |_t, x| Ok(-x));
    assert_eq!((failure.t, failure.reason), (0.0, Reason::TooMuchAccuracy));
}

#[test]
fn a_shortest_step_is_kept_to() {
    let options = Options { step_min: 1e-3, ..options() };
    let (_, failure) = failure(Family::Bdf, &options, |t, x| Ok(-1e3 * (x - libm::cos(1e3 * t))));
    assert_eq!(failure.reason, Reason::StepTooSmall);
    assert!(failure.step <= 1e-3 && 1e-3 <= failure.step, "{}", failure.step);
}

#[test]
fn a_solution_that_runs_away_ends_in_a_failure() {
    for family in [Family::Bdf, Family::Adams, Family::AdamsNewton] {
        let (_, failure) = failure(family, &options(), |_t, x| Ok(x * x));
        println!("{family:?}: {failure}");
        assert!((failure.t - 1.0).abs() < 1e-3, "{family:?}: {failure}");
    }
}

#[test]
#[should_panic(expected = "options that no solver can be made with")]
fn options_that_make_no_sense_are_refused() {
    Multistep::new(Family::Bdf, 3, &options());
}
