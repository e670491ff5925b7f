//! The solvers, seen from outside.
#![expect(clippy::print_stdout, reason = "random tests print their seed, orders what was measured")]

#[path = "solve/algebraic.rs"]
mod algebraic;
#[path = "solve/allocation.rs"]
mod allocation;
#[path = "solve/bytes.rs"]
mod bytes;
#[path = "solve/continuation.rs"]
mod continuation;
#[path = "solve/fixed_step_solver.rs"]
mod fixed_step_solver;
#[path = "solve/multistep.rs"]
mod multistep;
#[path = "solve/orders.rs"]
mod orders;
#[path = "solve/problems.rs"]
mod problems;
#[path = "solve/recurrences.rs"]
mod recurrences;
#[path = "solve/restarts.rs"]
mod restarts;
#[path = "solve/roots.rs"]
mod roots;
#[path = "solve/runge_kutta.rs"]
mod runge_kutta;
#[path = "solve/runge_kutta_state.rs"]
mod runge_kutta_state;

use consort_solve::{Method, Start};

const METHODS: [Method; 6] = [
    Method::Euler,
    Method::AdamsBashforth2(Start::LowerOrder),
    Method::AdamsBashforth2(Start::RungeKutta4),
    Method::AdamsBashforth3(Start::LowerOrder),
    Method::AdamsBashforth3(Start::RungeKutta4),
    Method::RungeKutta4,
];

/// A nonlinear system of two states in which time matters.
fn pendulum(t: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1];
    dx[1] = -9.81 * libm::sin(x[0]) - 0.1 * x[1] + libm::cos(3.0 * t);
}
