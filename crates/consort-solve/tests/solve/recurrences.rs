//! Steps are the recurrences of the books, to the bit, and begin as documented.

use crate::pendulum;
use consort_solve::{FixedStep, Method, Start};

fn slope(t: f64, x: f64) -> f64 {
    t - x * x
}

/// `x` after each of 20 steps of length `h`, and what to expect from `f_n` and all before.
fn check(method: Method, mut expected: impl FnMut(f64, &[f64], f64) -> f64) {
    let h = 0.05;
    let (mut x, mut reference, mut slopes) = ([0.3], 0.3, Vec::new());
    let mut solver = FixedStep::new(method, 1);
    for n in 0..20 {
        let t = f64::from(n) * h;
        slopes.push(slope(t, reference));
        reference = expected(reference, &slopes, h);
        solver.step(&mut x, |t, x, dx| dx[0] = slope(t, x[0]), t, h);
        assert_eq!(x[0].to_bits(), reference.to_bits(), "{method:?}, step {n}");
    }
}

#[test]
fn euler_and_adams_bashforth_are_their_recurrences_to_the_bit() {
    let second = |x: f64, f: &[f64], h: f64| match f {
        [f0] => x + h * f0,
        [.., f1, f0] => x + h * (1.5 * f0 - 0.5 * f1),
        [] => unreachable!("a step has a slope"),
    };
    check(Method::Euler, |x, f, h| x + h * f[f.len() - 1]);
    check(Method::AdamsBashforth2(Start::LowerOrder), second);
    check(Method::AdamsBashforth3(Start::LowerOrder), |x, f, h| match f {
        [.., f2, f1, f0] => x + h * ((23.0 / 12.0 * f0 - 4.0 / 3.0 * f1) + 5.0 / 12.0 * f2),
        _ => second(x, f, h),
    });
}

/// Where `f` was asked in each of four steps, in quarters of a step.
fn asked(method: Method) -> Vec<Vec<f64>> {
    let mut solver = FixedStep::new(method, 2);
    let mut x = [0.5, 0.0];
    let mut step = |n: u32| {
        let mut times = Vec::new();
        let f = |t: f64, x: &[f64], dx: &mut [f64]| {
            times.push(t);
            pendulum(t, x, dx);
        };
        solver.step(&mut x, f, f64::from(n), 1.0);
        times
    };
    (0..4).map(&mut step).collect()
}

#[test]
fn derivatives_are_asked_on_the_grid_but_for_runge_kutta_steps() {
    let grid = |n: u32| vec![f64::from(n)];
    let stages = |n: u32| [0.0, 0.5, 0.5, 1.0].map(|part| f64::from(n) + part).to_vec();
    let on_grid: Vec<Vec<f64>> = (0..4).map(grid).collect();
    assert_eq!(asked(Method::Euler), on_grid);
    assert_eq!(asked(Method::AdamsBashforth2(Start::LowerOrder)), on_grid);
    assert_eq!(asked(Method::AdamsBashforth3(Start::LowerOrder)), on_grid);
    let second = [stages(0), grid(1), grid(2), grid(3)];
    assert_eq!(asked(Method::AdamsBashforth2(Start::RungeKutta4)), second);
    let third = [stages(0), stages(1), grid(2), grid(3)];
    assert_eq!(asked(Method::AdamsBashforth3(Start::RungeKutta4)), third);
    assert_eq!(asked(Method::RungeKutta4), [stages(0), stages(1), stages(2), stages(3)]);
}

#[test]
fn a_step_of_another_length_starts_anew() {
    for method in crate::METHODS {
        let mut used = FixedStep::new(method, 2);
        let mut x = [0.5, 0.0];
        for n in 0..5 {
            used.step(&mut x, pendulum, f64::from(n) * 0.1, 0.1);
        }
        let (mut fresh, mut y) = (FixedStep::new(method, 2), x);
        for n in 0..5 {
            let t = 0.5 + f64::from(n) * 0.05;
            used.step(&mut x, pendulum, t, 0.05);
            fresh.step(&mut y, pendulum, t, 0.05);
            assert_eq!(x.map(f64::to_bits), y.map(f64::to_bits), "{method:?}");
        }
        assert_eq!(used, fresh);
    }
}

#[test]
fn a_step_of_length_zero_changes_nothing() {
    for method in crate::METHODS {
        let (mut solver, mut x) = (FixedStep::new(method, 2), [0.5, 0.0]);
        for n in 0..3 {
            solver.step(&mut x, pendulum, f64::from(n) * 0.1, 0.1);
        }
        let (before, at) = (solver.clone(), x);
        solver.step(&mut x, pendulum, 0.3, 0.0);
        assert_eq!((solver, x.map(f64::to_bits)), (before, at.map(f64::to_bits)), "{method:?}");
    }
}

#[test]
fn a_restart_forgets_earlier_steps() {
    for method in crate::METHODS {
        let (mut solver, mut x) = (FixedStep::new(method, 2), [0.5, 0.0]);
        solver.step(&mut x, pendulum, 0.0, 0.1);
        solver.restart();
        assert_eq!(solver, FixedStep::new(method, 2), "{method:?}");
    }
}
