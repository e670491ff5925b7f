//! Integrators for x' = f(x, u, t) whose whole state is a plain value, and solvers of algebraic loops.
//!
//! - [`FixedStep`] takes steps of a given length by one [`Method`]: forward Euler, Adams-Bashforth of
//!   order 2 and 3, or the classical Runge-Kutta method of order 4.
//! - [`Multistep`] integrates a [`Problem`] with steps and orders of its own choice: BDF for stiff problems
//!   (dense, banded or sparse, as its [`Structure`] says), Adams-Moulton for others.
//! - [`RungeKutta`] integrates one that is not stiff by an explicit [`Pair`] of methods; [`Roots`] finds the
//!   events within the steps of any of them.
//! - [`FixedStepSolver`] integrates a [`Problem`] by steps of fixed length, cut at given times.
//! - [`integrate::Integrator`] drives any of these last three over a live model, events included.
//! - A solver is one struct without anything hidden: a clone of it, or its bytes
//!   ([`FixedStep::to_bytes`]), continue exactly as it would have.
//! - [`algebraic::AlgebraicSolver`] finds z with F(z) = z: fixed point, Newton, Broyden.
//! - Copies share their matrices until one of them computes new ones; `clone_from` reuses what is allocated.
//! - All of them allocate when they are made, and in a step only what they share or have not yet: a
//!   copy its room for work, a solver of which there are copies its next matrices.
//! - Every sum has one order, written in the code.
//!
//! ```
//! use consort_solve::{FixedStep, Method};
//!
//! let mut solver = FixedStep::new(Method::RungeKutta4, 1);
//! let mut x = [1.0];
//! for n in 0..100 {
//!     solver.step(&mut x, |_t, x, dx| dx[0] = -x[0], f64::from(n) * 0.01, 0.01);
//! }
//! assert!((x[0] - (-1.0_f64).exp()).abs() < 1e-10);
//! ```

pub mod algebraic;
mod bytes;
mod fixed_step;
mod fixed_step_solver;
pub mod integrate;
mod linear;
mod method;
mod multistep;
mod problem;
mod roots;
mod runge_kutta;

pub use bytes::BytesError;
pub use fixed_step::FixedStep;
pub use fixed_step_solver::FixedStepSolver;
pub use method::{Method, Start};
pub use multistep::{Family, Multistep};
pub use problem::{
    Advanced, JacobianMut, Keep, Options, Problem, Reason, SolverFailure, SolverStatistics,
    SparsityPattern, Structure, Tolerances,
};
pub use roots::{CrossingDirection, Leaving, Roots};
pub use runge_kutta::{Dense, Pair, RungeKutta};
