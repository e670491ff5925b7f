//! The classic problems and some everyday ones, each as one function that both sides call.
//!
//! Written from the equations of: Hairer, Norsett and Wanner, "Solving Ordinary Differential Equations" I and
//! II; the Test Set for IVP Solvers (Mazzia and Magherini); Enright, Hull and Lindberg (1975) for DETEST.

mod reactions;
mod technical;

use consort_solve::{SparsityPattern, Structure};
use std::f64::consts::PI;

/// f(t, u, x, dx): the derivatives at a time, with an input that is held.
pub(crate) type Formula = fn(f64, f64, &[f64], &mut [f64]);

/// A problem from t = 0 on.
pub(crate) struct Classic {
    pub(crate) name: &'static str,
    pub(crate) f: Formula,
    pub(crate) x0: Vec<f64>,
    /// Until when each value of the input holds; solvers start again where it changes.
    pub(crate) inputs: Vec<(f64, f64)>,
    /// Absolute tolerances as parts of the relative one, repeated for all states.
    pub(crate) parts: Vec<f64>,
    pub(crate) is_stiff: bool,
    /// How many diagonals beside the main one; all, if none is said.
    pub(crate) band: Option<usize>,
}

impl Classic {
    fn new(name: &'static str, f: Formula, x0: &[f64], t_end: f64) -> Self {
        Classic {
            name,
            f,
            x0: x0.to_vec(),
            inputs: vec![(t_end, 0.0)],
            parts: vec![1e-2],
            is_stiff: true,
            band: None,
        }
    }

    fn smooth(self) -> Self {
        Classic { is_stiff: false, ..self }
    }

    fn parts(self, parts: &[f64]) -> Self {
        Classic { parts: parts.to_vec(), ..self }
    }

    fn banded(self, width: usize) -> Self {
        Classic { band: Some(width), ..self }
    }

    fn inputs(self, inputs: Vec<(f64, f64)>) -> Self {
        Classic { inputs, ..self }
    }

    /// What the rival solves: a band where there is one.
    pub(crate) fn band_structure(&self) -> Structure {
        match self.band {
            Some(width) => Structure::Banded { lower: width, upper: width },
            None => Structure::Dense,
        }
    }

    /// What ours solves: as models have it, sparse from 16 states on.
    pub(crate) fn sparse_structure(&self) -> Structure {
        let len = self.x0.len();
        match self.band {
            Some(width) if 16 <= len => {
                let near = |row: usize| row.saturating_sub(width)..len.min(row + width + 1);
                let places = (0..len).flat_map(|row| near(row).map(move |column| (row, column)));
                Structure::Sparse(SparsityPattern::new(len, places))
            }
            _ => Structure::Dense,
        }
    }
}

/// All of them.
pub(crate) fn classics() -> Vec<Classic> {
    let mut all = vec![
        Classic::new("Robertson", reactions::robertson, &[1.0, 0.0, 0.0], 1e11)
            .parts(&[1e-4, 1e-10, 1e-2]),
        Classic::new("HIRES", reactions::hires, &reactions::HIRES_START, 321.8122).parts(&[1e-4]),
        Classic::new("Oregonator", reactions::oregonator, &[1.0, 2.0, 3.0], 360.0),
        Classic::new("Pollution", reactions::pollution, &reactions::pollution_start(), 60.0)
            .parts(&[1e-4]),
        Classic::new("E5", reactions::e5, &[1.76e-3, 0.0, 0.0, 0.0], 1e11).parts(&[1e-18]),
        Classic::new("Van der Pol 1e6", van_der_pol_scaled, &[2.0, -0.66], 2.0),
        Classic::new("Van der Pol 1000", van_der_pol, &[2.0, 0.0], 2000.0),
        Classic::new("ring modulator", technical::ring_modulator, &[0.0; 15], 1e-3).parts(&[1.0]),
        Classic::new("medical Akzo", reactions::akzo, &reactions::akzo_start(), 20.0)
            .inputs(vec![(5.0, 2.0), (20.0, 0.0)])
            .parts(&[1e-4])
            .banded(2),
        Classic::new("Brusselator on a line", reactions::line, &reactions::line_start(), 10.0)
            .banded(2),
        Classic::new("DETEST B5", detest_b5, &[1.0; 6], 20.0).parts(&[1e-4]),
        Classic::new("Prothero-Robinson", prothero_robinson, &[0.0], 10.0),
        Classic::new("flame", |_, _, x, dx| dx[0] = x[0] * x[0] * (1.0 - x[0]), &[1e-4], 2e4),
    ];
    all.extend(smooth_ones());
    all.extend(technical::everyday());
    all
}

fn smooth_ones() -> Vec<Classic> {
    let orbit = [0.994, 0.0, 0.0, -2.0015851063790825];
    let kepler_start = |e: f64| [1.0 - e, 0.0, 0.0, ((1.0 + e) / (1.0 - e)).sqrt()];
    let bodies = &crate::problems::PLEIADES_START;
    let all = vec![
        Classic::new("Pleiades", pleiades, bodies, 3.0),
        Classic::new("Arenstorf", arenstorf, &orbit, 17.065216560157963),
        Classic::new("Brusselator", brusselator, &[1.5, 3.0], 20.0),
        Classic::new("Lorenz", lorenz, &[1.0, 1.0, 1.0], 5.0),
        Classic::new("Kepler 0.5", kepler, &kepler_start(0.5), 20.0),
        Classic::new("Kepler 0.9", kepler, &kepler_start(0.9), 20.0),
        Classic::new("Van der Pol 1", |_, _, x, dx| van_der_pol_of(1.0, x, dx), &[2.0, 0.0], 20.0),
        Classic::new("rigid body", rigid_body, &[0.0, 1.0, 1.0], 20.0),
        Classic::new("Lotka-Volterra", lotka_volterra, &[1.0, 2.0], 30.0),
        Classic::new("pendulum", pendulum, &[1.0, 0.0], 20.0),
    ];
    all.into_iter().map(Classic::smooth).collect()
}

fn van_der_pol_of(mu: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1];
    dx[1] = mu * (1.0 - x[0] * x[0]) * x[1] - x[0];
}

fn van_der_pol(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    van_der_pol_of(1000.0, x, dx);
}

/// With time counted so that the oscillation takes about two units.
fn van_der_pol_scaled(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1];
    dx[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) * 1e6;
}

/// Eigenvalues -10 +- 100i, -4, -1, -0.5, -0.1.
fn detest_b5(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = -10.0 * x[0] + 100.0 * x[1];
    dx[1] = -100.0 * x[0] - 10.0 * x[1];
    for (i, rate) in [4.0, 1.0, 0.5, 0.1].iter().enumerate() {
        dx[i + 2] = -rate * x[i + 2];
    }
}

/// A very stiff pull to sin t.
fn prothero_robinson(t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = -1e6 * (x[0] - t.sin()) + t.cos();
}

fn pleiades(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    use crate::problems::{Equations, Pleiades};
    Pleiades.right_hand_side(x, dx);
}

fn arenstorf(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    use crate::problems::{Arenstorf, Equations};
    Arenstorf.right_hand_side(x, dx);
}

fn brusselator(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let reaction = x[0] * x[0] * x[1];
    dx[0] = 1.0 + reaction - 4.0 * x[0];
    dx[1] = 3.0 * x[0] - reaction;
}

fn lorenz(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = 10.0 * (x[1] - x[0]);
    dx[1] = x[0] * (28.0 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
}

fn kepler(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let r2 = x[0] * x[0] + x[1] * x[1];
    let cube = r2 * r2.sqrt();
    (dx[0], dx[1]) = (x[2], x[3]);
    (dx[2], dx[3]) = (-x[0] / cube, -x[1] / cube);
}

fn rigid_body(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1] * x[2];
    dx[1] = -x[0] * x[2];
    dx[2] = -0.51 * x[0] * x[1];
}

fn lotka_volterra(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[0] * (1.0 - x[1]);
    dx[1] = x[1] * (x[0] - 1.0);
}

fn pendulum(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = x[1];
    dx[1] = -9.81 * x[0].sin() - 0.1 * x[1];
}

/// The greatest exponent whose power is still a number both sides can add.
fn bounded_exp(x: f64) -> f64 {
    x.min(172.0).exp()
}

/// sin(2 pi n t).
fn sine(n: f64, t: f64) -> f64 {
    (2.0 * PI * n * t).sin()
}
