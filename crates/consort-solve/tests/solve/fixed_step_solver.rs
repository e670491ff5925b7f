//! Steps of fixed length between limits: where they end, how exact they are, and that they continue.

use crate::METHODS;
use crate::problems::{Case, not_stiff};
use consort_core::Prng;
use consort_solve::{BytesError, FixedStepSolver, Keep, Method, Problem, Reason, Start};

/// x' = x (1 - x) from 1/4.
fn logistic() -> Case {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| dx[0] = x[0] * (1.0 - x[0]);
    let solution = vec![1.0 / (1.0 + 3.0 * libm::exp(-2.0))];
    Case { name: "logistic", start: vec![0.25], end: 2.0, solution, f }
}

fn started(method: Method, case: &Case, length: Option<f64>) -> FixedStepSolver {
    let mut solver = FixedStepSolver::new(method, case.len(), length);
    solver.start(0.0, &case.start);
    solver
}

/// Where steps end that are cut at these limits.
fn ends(length: Option<f64>, limits: &[f64]) -> Vec<f64> {
    let mut case = logistic();
    let mut solver = started(Method::Euler, &case, length);
    let mut ends = Vec::new();
    for limit in limits {
        while solver.state().0 < *limit {
            let advanced = solver.step(&mut case, *limit).expect("a harmless problem");
            assert_eq!(advanced.to.to_bits(), solver.state().0.to_bits());
            ends.push(advanced.to);
        }
    }
    ends
}

#[test]
fn steps_have_their_length_and_are_cut_at_limits() {
    assert_eq!(ends(Some(0.25), &[1.0]), [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(ends(Some(0.25), &[0.6, 1.0]), [0.25, 0.5, 0.6, 0.85, 1.0]);
    assert_eq!(ends(Some(3.0), &[0.5, 1.0]), [0.5, 1.0], "longer than from limit to limit");
    assert_eq!(ends(None, &[0.5, 0.6, 1.0]), [0.5, 0.6, 1.0]);
    // Ten times a tenth is less than one, added up; counted it is one, and no eleventh step follows.
    assert_eq!(ends(Some(0.1), &[1.0, 2.0]).len(), 20);
    assert_eq!(ends(Some(0.1), &[0.1 + 0.2, 0.7, 1.0]).len(), 10);
}

/// The error at the end with so many steps, with reports after a third and two thirds.
fn error(method: Method, steps: u32) -> f64 {
    let mut case = logistic();
    let mut solver = started(method, &case, Some(case.end / f64::from(steps)));
    for limit in [case.end / 3.0, case.end * 2.0 / 3.0, case.end] {
        while solver.state().0 < limit {
            solver.step(&mut case, limit).expect("a harmless problem");
        }
    }
    case.error(solver.state().1)
}

#[test]
fn errors_fall_with_the_order_of_the_method_whatever_the_limits() {
    let cases = [
        (Method::Euler, 1.0),
        (Method::AdamsBashforth2(Start::RungeKutta4), 2.0),
        (Method::AdamsBashforth3(Start::RungeKutta4), 3.0),
        (Method::RungeKutta4, 4.0),
    ];
    for (method, expected) in cases {
        let order = (error(method, 320) / error(method, 640)).log2();
        println!("{method:?}: order {order:.3}");
        assert!((order - expected).abs() < 0.2, "{method:?}: {order}");
    }
}

#[test]
fn between_the_ends_of_a_step_is_a_cubic() {
    // x' = 3 t^2 - 2 t has a cubic as its solution, which the method of order 4 finds as well.
    let f = |t: f64, _: &[f64], dx: &mut [f64]| dx[0] = 3.0 * t * t - 2.0 * t;
    let mut case = Case { name: "cubic", start: vec![1.0], end: 2.0, solution: vec![5.0], f };
    let mut solver = started(Method::RungeKutta4, &case, None);
    solver.step(&mut case, 2.0).expect("a harmless problem");
    for t in [0.0, 0.3, 1.0, 1.9, 2.0] {
        let mut x = [0.0];
        solver.interpolate(t, &mut x);
        let expected = t * t * t - t * t + 1.0;
        assert!((x[0] - expected).abs() < 1e-14, "at {t}: {} instead of {expected}", x[0]);
    }
}

#[test]
fn a_slope_is_computed_once_wherever_it_is_needed() {
    for (method, expected) in [(Method::Euler, 101), (Method::RungeKutta4, 401)] {
        let mut case = logistic();
        let mut solver = started(method, &case, Some(0.02));
        while solver.state().0 < case.end {
            let limit = case.end;
            solver.step(&mut case, limit).expect("a harmless problem");
        }
        assert_eq!((solver.statistics().steps, solver.statistics().evaluations), (100, expected));
    }
}

/// Without a length, steps between ticks that are no doubles have the same length: history is kept.
#[test]
fn steps_from_limit_to_limit_keep_the_history_of_a_multistep_method() {
    let mut case = logistic();
    let mut solver = started(Method::AdamsBashforth2(Start::RungeKutta4), &case, None);
    for n in 1..=20 {
        solver.step(&mut case, f64::from(n) / 10.0).expect("a harmless problem");
    }
    // One at the beginning, three more in the first step, one at the end of each.
    assert_eq!(solver.statistics().evaluations, 1 + 3 + 20);
}

/// x' = 1, but infinite or a failure from some time on.
struct Cliff {
    failure: bool,
}

impl Problem for Cliff {
    type Error = &'static str;

    fn derivatives(&mut self, t: f64, _: &[f64], dx: &mut [f64]) -> Result<(), &'static str> {
        dx[0] = if t < 1.05 { 1.0 } else { f64::INFINITY };
        if self.failure && 1.05 <= t { Err("over the cliff") } else { Ok(()) }
    }
}

#[test]
fn a_step_that_fails_leaves_the_solver_where_it_was() {
    for method in METHODS {
        for (failure, expected) in
            [(false, Reason::NotFinite), (true, Reason::Model("over the cliff"))]
        {
            let mut solver = FixedStepSolver::new(method, 1, Some(0.25));
            solver.start(0.0, &[0.0]);
            let failed = loop {
                if let Err(failed) = solver.step(&mut Cliff { failure }, 2.0) {
                    break failed;
                }
            };
            assert_eq!((failed.t, failed.step, failed.reason), (1.0, 0.25, expected));
            assert_eq!(solver.state(), (1.0, [1.0].as_slice()), "{method:?}");
        }
    }
}

#[test]
fn a_step_too_short_for_time_to_advance_is_a_failure() {
    let mut solver = FixedStepSolver::new(Method::Euler, 1, Some(1e-6));
    solver.start(1e12, &[0.0]);
    let failed = solver.step(&mut Cliff { failure: false }, 1e12 + 1.0).expect_err("no step");
    assert_eq!(failed.reason, Reason::StepTooSmall);
}

/// One step, not past the next of the points at which the states would be reported.
fn step(solver: &mut FixedStepSolver, case: &mut Case) {
    let every = case.end / 2_000.0;
    let limit = ((solver.state().0 / every).floor() + 1.0) * every;
    let limit = if solver.state().0 < limit { limit } else { limit + every };
    solver.step(case, limit).expect("a harmless problem");
}

#[test]
fn every_method_continues_exactly_from_any_point_of_any_problem() {
    let seed = 20_261_117;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    for mut case in not_stiff() {
        for (method, length) in METHODS.into_iter().flat_map(|it| [(it, Some(9_000.0)), (it, None)])
        {
            let length = length.map(|steps| case.end / steps);
            let mut solver = started(method, &case, length);
            // Far enough for the orders and the limits, and not so far that Euler is lost.
            let all = std::iter::repeat_with(|| {
                step(&mut solver, &mut case);
                solver.clone()
            });
            let all: Vec<FixedStepSolver> = all.take(30).collect();
            for _ in 0..200 {
                let point = usize::try_from(prng.below(20)).expect("an index");
                let mut cloned = all[point].clone();
                let mut revived =
                    FixedStepSolver::from_bytes(&cloned.to_bytes()).expect("just written");
                for expected in &all[point + 1..point + 10] {
                    step(&mut cloned, &mut case);
                    step(&mut revived, &mut case);
                    assert_eq!(&cloned, expected, "{} {method:?} at {point}", case.name);
                    assert_eq!(&revived, expected, "{} {method:?} at {point}", case.name);
                }
            }
        }
    }
}

fn worked() -> FixedStepSolver {
    let mut case = logistic();
    let mut solver = started(Method::AdamsBashforth3(Start::RungeKutta4), &case, Some(0.0004));
    (0..7).for_each(|_| step(&mut solver, &mut case));
    solver
}

#[test]
fn bytes_that_no_solver_wrote_are_refused() {
    let bytes = worked().to_bytes();
    for length in 0..bytes.len() {
        let refused = FixedStepSolver::from_bytes(&bytes[..length]);
        assert!(matches!(refused, Err(BytesError::Length { .. })), "{length}: {refused:?}");
    }
    assert!(FixedStepSolver::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    let check = |at: usize, change: &[u8], expected: &str| {
        let mut bytes = bytes.clone();
        bytes[at..at + change.len()].copy_from_slice(change);
        let error = FixedStepSolver::from_bytes(&bytes).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    check(7, &[9], "invalid magic bytes");
    check(8, &[0], "invalid option");
    check(9, &(-1.0_f64).to_le_bytes(), "invalid length of a step");
    check(17, &[0], "invalid slope");
    check(18, &f64::NAN.to_le_bytes(), "invalid length of a step");
    check(42, &f64::INFINITY.to_le_bytes(), "invalid time");
    check(50, &u64::MAX.to_le_bytes(), "invalid statistics");
}

#[test]
fn it_allocates_when_it_is_made_only() {
    for method in METHODS {
        let mut case = logistic();
        let mut solver = started(method, &case, Some(0.0003));
        let counted = allocation_counter::measure(|| {
            (0..50).for_each(|_| step(&mut solver, &mut case));
            let mut x = [0.0];
            solver.interpolate(solver.state().0, &mut x);
            solver.restart(0.5, &x, Keep::StepSize);
        });
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}

#[test]
fn a_restart_keeps_what_it_may() {
    let mut case = logistic();
    let all = worked();
    let (t, x) = (all.state().0, all.state().1.to_vec());
    let mut kept = all.clone();
    kept.restart(t, &x, Keep::Everything);
    assert_eq!(kept, all);
    kept.restart(t, &x, Keep::StepSize);
    assert_ne!(kept, all);
    let mut anew =
        FixedStepSolver::new(Method::AdamsBashforth3(Start::RungeKutta4), 1, Some(0.0004));
    anew.start(t, &x);
    (0..5).for_each(|_| {
        step(&mut kept, &mut case);
        step(&mut anew, &mut case);
        assert_eq!(kept.state(), anew.state());
    });
}
