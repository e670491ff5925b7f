//! Explicit methods of variable step: orders, published problems, limits, failures.

use crate::problems::{Case, arenstorf, brusselator, not_stiff, pleiades, van_der_pol};
use consort_solve::{
    Dense, Keep, Options, Pair, Problem, Reason, RungeKutta, SolverFailure, SolverStatistics,
    Tolerances,
};
use std::convert::Infallible;

pub(crate) const PAIRS: [Pair; 3] =
    [Pair::BogackiShampine32, Pair::DormandPrince54, Pair::DormandPrince853];

/// A problem as a function.
pub(crate) struct Function<F>(pub(crate) F);

impl<F: FnMut(f64, &[f64], &mut [f64])> Problem for Function<F> {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        (self.0)(t, x, dx);
        Ok(())
    }
}

pub(crate) fn options(tolerance: f64, len: usize) -> Options {
    Options::new(Tolerances::uniform(tolerance, tolerance, len))
}

/// A solver at the start of a case.
pub(crate) fn started(pair: Pair, case: &Case, tolerance: f64) -> RungeKutta {
    let mut solver = RungeKutta::new(pair, case.len(), &options(tolerance, case.len()));
    solver.start(0.0, &case.start);
    solver
}

/// Steps to a time.
pub(crate) fn run<P: Problem<Error = Infallible>>(
    solver: &mut RungeKutta,
    problem: &mut P,
    end: f64,
) {
    while solver.state().0 < end {
        solver.step(problem, end).expect("a harmless problem");
    }
}

/// Logistic growth and a driven oscillator, with the solution known.
fn smooth(t: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[0] * (1.0 - x[0]);
    dx[1] = x[2];
    dx[2] = -x[1] - 2.0 * libm::sin(t);
}

fn exact(t: f64) -> [f64; 3] {
    let (sin, cos) = (libm::sin(t), libm::cos(t));
    [1.0 / (1.0 + 3.0 * libm::exp(-t)), t * cos, cos - t * sin]
}

/// The largest error at the ends of, and within, steps of one size from 0 to 2.
fn errors(pair: Pair, steps: u32) -> (f64, f64) {
    let h = 2.0 / f64::from(steps);
    let loose = Options { first_step: Some(h), step_max: Some(h), ..options(0.9, 3) };
    let mut solver = RungeKutta::new(pair, 3, &loose);
    solver.start(0.0, &exact(0.0));
    let worst = |t: f64, x: &[f64]| {
        x.iter().zip(exact(t)).map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max)
    };
    let (mut at_ends, mut within) = (0.0_f64, 0.0_f64);
    for n in 1..=steps {
        let step = solver.step(&mut Function(smooth), f64::from(n) * h).expect("a smooth problem");
        assert_eq!(step.to.to_bits(), (f64::from(n) * h).to_bits(), "one step each");
        at_ends = at_ends.max(worst(step.to, solver.state().1));
        for part in [0.1, 0.3, 0.5, 0.7, 0.9] {
            let (t, mut x) = (step.from + part * h, [0.0; 3]);
            solver.interpolate(t, &mut x);
            within = within.max(worst(t, &x));
        }
    }
    (at_ends, within)
}

fn check_order(pair: Pair, steps: u32, dense_order: f64) {
    let (coarse, fine) = (errors(pair, steps), errors(pair, 2 * steps));
    let order = (coarse.0 / fine.0).log2();
    let dense = (coarse.1 / fine.1).log2();
    println!("{pair:?}: error {:.2e}, order {order:.3}; within {:.2e}, {dense:.3}", fine.0, fine.1);
    assert!((order - f64::from(pair.order())).abs() < 0.2, "{pair:?}: {order}");
    assert!((dense - dense_order).abs() < 0.2, "{pair:?} within: {dense}");
}

#[test]
fn errors_fall_with_the_order_of_the_pair_also_within_steps() {
    check_order(Pair::BogackiShampine32, 160, 3.0);
    // Dense output of order four makes an error of order five within a step, which does not add up.
    check_order(Pair::DormandPrince54, 40, 5.0);
    check_order(Pair::DormandPrince853, 6, 8.0);
}

/// A problem solved at a tolerance: at most so large an error, with exactly so many steps, those that
/// were repeated, and evaluations.
fn check(case: &mut Case, pair: Pair, tolerance: f64, expected: (f64, [u64; 3])) {
    let mut solver = started(pair, case, tolerance);
    solver.set_dense(Dense::OnDemand);
    run(&mut solver, case, case.end);
    let error = case.error(solver.state().1);
    let SolverStatistics { steps, evaluations, error_test_failures, .. } = solver.statistics();
    let counts = [steps, error_test_failures, evaluations];
    println!("{} {pair:?} {tolerance:e}: error {error:.2e}, {counts:?}", case.name);
    assert!(error <= expected.0, "{} {pair:?} {tolerance:e}: {error:e}", case.name);
    assert_eq!(counts, expected.1, "{} {pair:?} {tolerance:e}", case.name);
}

#[test]
fn published_problems_are_solved_with_so_many_steps() {
    let [bs, dp, dop] = PAIRS;
    let mut case = arenstorf();
    check(&mut case, bs, 1e-9, (6e-5, [8304, 76, 25142]));
    check(&mut case, dp, 1e-9, (2e-5, [521, 50, 3428]));
    check(&mut case, dp, 1e-12, (4e-8, [2037, 65, 12614]));
    check(&mut case, dop, 1e-9, (8e-6, [136, 53, 2217]));
    check(&mut case, dop, 1e-12, (3e-9, [299, 76, 4426]));
    let mut case = van_der_pol();
    check(&mut case, bs, 1e-6, (4e-6, [3174, 180, 10064]));
    check(&mut case, dp, 1e-6, (8e-5, [481, 142, 3740]));
    check(&mut case, dp, 1e-9, (3e-8, [1788, 201, 11936]));
    check(&mut case, dop, 1e-6, (4e-5, [206, 102, 3596]));
    check(&mut case, dop, 1e-9, (3e-9, [463, 124, 6922]));
    let mut case = brusselator();
    check(&mut case, bs, 1e-6, (2e-5, [596, 65, 1985]));
    check(&mut case, dp, 1e-9, (2e-9, [427, 38, 2792]));
    check(&mut case, dop, 1e-12, (2e-14, [241, 55, 3499]));
    let mut case = pleiades();
    check(&mut case, bs, 1e-6, (2e-3, [1062, 93, 3467]));
    check(&mut case, dp, 1e-9, (3e-7, [584, 78, 3974]));
    check(&mut case, dop, 1e-12, (2e-10, [387, 85, 5581]));
}

#[test]
fn no_evaluation_is_past_the_limit() {
    for pair in PAIRS {
        for limit in [1e-9, 0.01, 0.3, 2.0] {
            let mut latest = 0.0_f64;
            let mut problem = Function(|t: f64, x: &[f64], dx: &mut [f64]| {
                latest = latest.max(t);
                crate::pendulum(t, x, dx);
            });
            let mut solver = RungeKutta::new(pair, 2, &options(1e-3, 2));
            solver.start(0.0, &[1.0, 0.0]);
            run(&mut solver, &mut problem, limit);
            assert_eq!(solver.state().0.to_bits(), limit.to_bits(), "{pair:?}");
            assert!(latest <= limit, "{pair:?}: {latest} is past {limit}");
        }
    }
}

#[test]
fn a_step_of_no_length_changes_nothing() {
    for pair in PAIRS {
        let mut solver = started(pair, &van_der_pol(), 1e-6);
        run(&mut solver, &mut van_der_pol(), 1.0);
        let before = solver.clone();
        solver.step(&mut van_der_pol(), 1.0).expect("nothing to do");
        assert_eq!(solver, before, "{pair:?}");
    }
}

#[test]
fn steps_cut_by_limits_do_not_shorten_those_after() {
    for pair in PAIRS {
        let mut free = started(pair, &brusselator(), 1e-6);
        run(&mut free, &mut brusselator(), 10.0);
        let mut cut = started(pair, &brusselator(), 1e-6);
        for n in 1..=10 {
            run(&mut cut, &mut brusselator(), f64::from(n));
            run(&mut cut, &mut brusselator(), f64::from(n) + 1e-9);
        }
        let (free, cut) = (free.statistics().steps, cut.statistics().steps);
        assert!(cut < free + 32, "{pair:?}: {cut} steps instead of {free}");
    }
}

#[test]
fn no_step_is_longer_than_the_longest_or_the_first() {
    for pair in PAIRS {
        let bounds = Options { step_max: Some(0.05), first_step: Some(0.01), ..options(1e-3, 2) };
        let mut solver = RungeKutta::new(pair, 2, &bounds);
        solver.start(0.0, &[1.0, 0.0]);
        let first = solver.step(&mut Function(crate::pendulum), 1.0).expect("a harmless problem");
        assert!(first.to - first.from <= 0.01, "{pair:?}");
        while solver.state().0 < 1.0 {
            let step =
                solver.step(&mut Function(crate::pendulum), 1.0).expect("a harmless problem");
            // A limit that is nearly reached is reached at once.
            assert!(step.to - step.from <= 0.05 * 1.011, "{pair:?}");
        }
    }
}

#[test]
fn a_model_without_states_is_at_the_limit_soon() {
    for pair in PAIRS {
        let mut solver = RungeKutta::new(pair, 0, &options(1e-6, 0));
        solver.start(0.0, &[]);
        run(&mut solver, &mut Function(|_, _: &[f64], _: &mut [f64]| ()), 1e6);
        assert!(solver.statistics().steps < 20, "{pair:?}");
        solver.interpolate(0.5e6 + solver.state().0 / 2.0, &mut []);
    }
}

#[test]
fn dense_output_is_the_states_at_both_ends_of_a_step() {
    for pair in PAIRS {
        let mut solver = started(pair, &pleiades(), 1e-6);
        for _ in 0..30 {
            let before = solver.state().1.to_vec();
            let step = solver.step(&mut pleiades(), 3.0).expect("a harmless problem");
            let mut x = vec![0.0; 28];
            solver.interpolate(step.from, &mut x);
            assert_eq!(x, before, "{pair:?}");
            solver.interpolate(step.to, &mut x);
            assert_eq!(x, solver.state().1, "{pair:?}");
        }
    }
}

#[test]
fn dense_output_on_demand_is_that_of_always() {
    for pair in PAIRS {
        let mut always = started(pair, &arenstorf(), 1e-6);
        let mut demanded = always.clone();
        demanded.set_dense(Dense::OnDemand);
        for _ in 0..20 {
            let step = always.step(&mut arenstorf(), 17.0).expect("a harmless problem");
            assert_eq!(demanded.step(&mut arenstorf(), 17.0), Ok(step));
            demanded.prepare_dense(&mut arenstorf()).expect("a harmless problem");
            let (mut x, mut y) = ([0.0; 4], [0.0; 4]);
            let t = 0.3 * step.from + 0.7 * step.to;
            always.interpolate(t, &mut x);
            demanded.interpolate(t, &mut y);
            assert_eq!(x.map(f64::to_bits), y.map(f64::to_bits), "{pair:?}");
        }
    }
}

#[test]
fn only_stiff_problems_are_hinted_to_be_so() {
    for pair in [Pair::DormandPrince54, Pair::DormandPrince853] {
        for mut case in not_stiff() {
            let mut solver = started(pair, &case, 1e-6);
            let end = case.end;
            run(&mut solver, &mut case, end);
            assert_eq!(solver.statistics().stiffness_hints, 0, "{pair:?}, {}", case.name);
        }
        let mut relaxation = Function(|t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = -2000.0 * (x[0] - libm::cos(t));
        });
        let mut solver = RungeKutta::new(pair, 1, &options(1e-5, 1));
        solver.start(0.0, &[0.0]);
        run(&mut solver, &mut relaxation, 2.0);
        assert!(0 < solver.statistics().stiffness_hints, "{pair:?}");
    }
}

#[test]
fn a_restart_keeps_what_it_is_asked_to() {
    for pair in PAIRS {
        let mut solver = started(pair, &van_der_pol(), 1e-6);
        run(&mut solver, &mut van_der_pol(), 5.0);
        let (before, size) = (solver.clone(), solver.step_next());
        let x = solver.state().1.to_vec();
        solver.restart(5.0, &x, Keep::Everything);
        assert_eq!(solver, before, "{pair:?}");
        solver.restart(5.0, &[1.0, 0.0], Keep::Everything);
        assert_eq!(solver.step_next().to_bits(), size.to_bits(), "{pair:?}");
        assert_eq!(solver.state(), (5.0, [1.0, 0.0].as_slice()));
        solver.restart(4.9, &[1.0, 0.0], Keep::StepSize);
        assert_eq!(solver.step_next().to_bits(), size.to_bits(), "{pair:?}");
        solver.restart(5.0, &x, Keep::Nothing);
        assert_eq!(solver.step_next().to_bits(), 0, "{pair:?}");
    }
}

/// Runs until there is a failure.
fn failure<P: Problem>(
    pair: Pair,
    problem: &mut P,
    x: &[f64],
) -> (SolverFailure<P::Error>, RungeKutta) {
    let mut solver = RungeKutta::new(pair, x.len(), &options(1e-6, x.len()));
    solver.start(0.0, x);
    loop {
        if let Err(failure) = solver.step(problem, 10.0) {
            return (failure, solver);
        }
    }
}

#[test]
fn a_pole_is_a_failure_that_says_where() {
    for pair in PAIRS {
        let mut pole = Function(|_, x: &[f64], dx: &mut [f64]| {
            dx.copy_from_slice(&[1.0, x[1] * x[1], -x[2]]);
        });
        let (failure, solver) = failure(pair, &mut pole, &[1.0, 1.0, 1.0]);
        assert!((failure.t - 1.0).abs() < 1e-4, "{pair:?}: {failure:?}");
        assert_eq!(failure.worst, Some(1), "{pair:?}");
        assert!(matches!(failure.reason, Reason::StepTooSmall | Reason::NotFinite), "{pair:?}");
        assert_eq!(failure.t.to_bits(), solver.state().0.to_bits(), "{pair:?}");
        assert!(0.0 < failure.step && failure.step < 1e-10, "{pair:?}: {failure:?}");
    }
}

#[test]
fn a_slope_that_is_nowhere_finite_is_a_failure_that_says_which() {
    for pair in PAIRS {
        let mut bad = Function(|t: f64, _: &[f64], dx: &mut [f64]| {
            dx.copy_from_slice(&[1.0, if t <= 1.0 { 1.0 } else { f64::NAN }]);
        });
        let (failure, _) = failure(pair, &mut bad, &[0.0, 0.0]);
        assert_eq!(failure.reason, Reason::NotFinite, "{pair:?}");
        assert_eq!(failure.worst, Some(1), "{pair:?}");
        assert!((failure.t - 1.0).abs() < 1e-12, "{pair:?}: {failure:?}");
    }
}

/// Fails at the n-th evaluation.
struct Failing {
    left: u32,
}

impl Problem for Failing {
    type Error = &'static str;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(1).ok_or("no more")?;
        crate::pendulum(t, x, dx);
        Ok(())
    }
}

#[test]
fn after_a_models_failure_the_solver_is_where_it_was_and_can_continue() {
    for pair in PAIRS {
        for left in 1..60 {
            let (failure, mut solver) = failure(pair, &mut Failing { left }, &[1.0, 0.0]);
            assert_eq!(failure.reason, Reason::Model("no more"));
            assert_eq!(failure.t.to_bits(), solver.state().0.to_bits());
            let mut reference = RungeKutta::new(pair, 2, &options(1e-6, 2));
            reference.start(0.0, &[1.0, 0.0]);
            let mut fine = Failing { left: u32::MAX };
            while reference.state().0 < failure.t {
                reference.step(&mut fine, 10.0).expect("a harmless problem");
            }
            assert_eq!(solver.state(), reference.state(), "{pair:?}, {left}");
            solver.step(&mut fine, 10.0).expect("the model is well again");
            reference.step(&mut fine, 10.0).expect("a harmless problem");
            assert_eq!(solver.state(), reference.state(), "{pair:?}, {left}, after it");
        }
    }
}
