//! How the error falls with the length of the step.

use consort_solve::{FixedStep, Method, Start};

/// An initial value problem from 0 to 2 whose solution is known.
struct Problem {
    name: &'static str,
    f: fn(f64, &[f64], &mut [f64]),
    solution: fn(f64) -> Vec<f64>,
}

const NONLINEAR: Problem = Problem {
    name: "x' = -2 t x^2",
    f: |t, x, dx| dx[0] = -2.0 * t * x[0] * x[0],
    solution: |t| vec![1.0 / (1.0 + t * t)],
};

const LOGISTIC: Problem = Problem {
    name: "x' = x (1 - x)",
    f: |_, x, dx| dx[0] = x[0] * (1.0 - x[0]),
    solution: |t| vec![1.0 / (1.0 + 3.0 * libm::exp(-t))],
};

const LINEAR: Problem = Problem {
    name: "x'' = -x",
    f: |_, x, dx| {
        dx[0] = x[1];
        dx[1] = -x[0];
    },
    solution: |t| vec![libm::cos(t), -libm::sin(t)],
};

/// The largest error at any point of a grid of so many steps.
fn error(problem: &Problem, method: Method, steps: u32) -> f64 {
    let h = 2.0 / f64::from(steps);
    let mut x = (problem.solution)(0.0);
    let mut solver = FixedStep::new(method, x.len());
    let mut worst = 0.0_f64;
    for n in 0..steps {
        solver.step(&mut x, problem.f, f64::from(n) * h, h);
        let exact = (problem.solution)(f64::from(n + 1) * h);
        let errors = x.iter().zip(&exact).map(|(x, exact)| (x - exact).abs());
        worst = errors.fold(worst, f64::max);
    }
    worst
}

fn check(method: Method, expected: f64) {
    for problem in [NONLINEAR, LOGISTIC, LINEAR] {
        let (coarse, fine) = (error(&problem, method, 320), error(&problem, method, 640));
        let order = (coarse / fine).log2();
        println!("{method:?}, {}: error {fine:.2e}, order {order:.3}", problem.name);
        assert!((order - expected).abs() < 0.2, "{method:?}, {}: {order}", problem.name);
    }
}

#[test]
fn errors_fall_with_the_order_of_the_method() {
    check(Method::Euler, 1.0);
    check(Method::AdamsBashforth2(Start::LowerOrder), 2.0);
    check(Method::AdamsBashforth2(Start::RungeKutta4), 2.0);
    check(Method::AdamsBashforth3(Start::RungeKutta4), 3.0);
    check(Method::RungeKutta4, 4.0);
}

#[test]
fn a_first_step_by_euler_costs_the_third_order() {
    check(Method::AdamsBashforth3(Start::LowerOrder), 2.0);
}
