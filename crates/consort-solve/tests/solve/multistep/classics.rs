//! Classic problems with published ends (Mazzia and Magherini, Test Set for IVP Solvers), and some with
//! something that must not change.

use super::problems::Known;
use super::{solved, started};
use consort_solve::{Family, Structure};

fn known(
    name: &'static str,
    f: fn(f64, &[f64], &mut [f64]),
    start: &[f64],
    end: f64,
    expected: &[f64],
) -> Known {
    let (start, expected) = (start.to_vec(), expected.to_vec());
    let structure = Structure::Dense;
    Known { name, f, jacobian: None, start, end, expected, floor: 0.0, structure }
}

/// The high irradiance response of a plant.
fn hires() -> Known {
    let f = |_t: f64, x: &[f64], dx: &mut [f64]| {
        let bound = 280.0 * x[5] * x[7];
        dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
        dx[1] = 1.71 * x[0] - 8.75 * x[1];
        dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
        dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
        dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
        dx[5] = -bound + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
        dx[6] = bound - 1.81 * x[6];
        dx[7] = -dx[6];
    };
    let start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let expected = [
        0.7371312573325668e-3,
        0.1442485726316185e-3,
        0.5888729740967575e-4,
        0.1175651343283149e-2,
        0.2386356198831331e-2,
        0.6238968252742796e-2,
        0.2849998395185769e-2,
        0.2850001604814231e-2,
    ];
    known("HIRES", f, &start, 321.8122, &expected)
}

/// A reaction that oscillates, with jumps of six orders of magnitude.
fn oregonator() -> Known {
    let f = |_t: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
        dx[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
        dx[2] = 0.161 * (x[0] - x[2]);
    };
    let expected = [0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3];
    known("Oregonator", f, &[1.0, 2.0, 3.0], 360.0, &expected)
}

/// Van der Pol's oscillator with mu = 1e6, in time that is scaled by it.
fn relaxation() -> Known {
    let f = |_t: f64, x: &[f64], dx: &mut [f64]| {
        (dx[0], dx[1]) = (x[1], ((1.0 - x[0] * x[0]) * x[1] - x[0]) * 1e6);
    };
    let expected = [0.1706167732170483e1, -0.8928097010247975];
    known("Van der Pol 1e6", f, &[2.0, 0.0], 2.0, &expected)
}

#[test]
fn published_ends_are_reached() {
    for known in [hires(), oregonator(), relaxation()] {
        for relative in [1e-5, 1e-7, 1e-9] {
            let solver = solved(Family::Bdf, &known, &known.options(relative, 1e-6 * relative));
            let error = known.error(solver.state().1);
            println!("{} at {relative:e}: {error:.1e}", known.name);
            assert!(error < 1e3 * relative, "{} at {relative:e}: {error:e}", known.name);
        }
    }
}

#[test]
fn steps_that_fail_more_than_seven_times_come_through() {
    // At these tolerances CVODE gives up at one of the jumps.
    let known = oregonator();
    for relative in [1.1e-3, 0.8e-4, 0.9e-5, 1.2e-6] {
        solved(Family::Bdf, &known, &known.options(relative, 1e-2 * relative));
    }
}

/// The greatest change of something that keeps its value along a solution, relative to its start.
fn drift(family: Family, known: &Known, relative: f64, of: fn(&[f64]) -> f64) -> f64 {
    let mut problem = known.clone();
    let mut solver = started(family, known, &known.options(relative, 0.01 * relative));
    let mut worst = 0.0_f64;
    while solver.step(&mut problem, known.end).expect("a step is taken").to < known.end {
        worst = worst.max((of(solver.state().1) / of(&known.start) - 1.0).abs());
    }
    worst
}

#[test]
fn what_is_conserved_stays() {
    let kepler = |_t: f64, x: &[f64], dx: &mut [f64]| {
        let r2 = x[0] * x[0] + x[1] * x[1];
        let cube = r2 * r2.sqrt();
        (dx[0], dx[1], dx[2], dx[3]) = (x[2], x[3], -x[0] / cube, -x[1] / cube);
    };
    let energy =
        |x: &[f64]| (x[2] * x[2] + x[3] * x[3]) / 2.0 - 1.0 / (x[0] * x[0] + x[1] * x[1]).sqrt();
    let prey = |_t: f64, x: &[f64], dx: &mut [f64]| {
        (dx[0], dx[1]) = (x[0] * (1.0 - x[1]), x[1] * (x[0] - 1.0));
    };
    let balance = |x: &[f64]| x[0] + x[1] - libm::log(x[0]) - libm::log(x[1]);
    let body = |_t: f64, x: &[f64], dx: &mut [f64]| {
        (dx[0], dx[1], dx[2]) = (x[1] * x[2], -x[0] * x[2], -0.51 * x[0] * x[1]);
    };
    let momentum = |x: &[f64]| x[0] * x[0] + x[1] * x[1];
    let start = [0.5, 0.0, 0.0, 3.0_f64.sqrt()];
    type Case = (Known, fn(&[f64]) -> f64);
    let cases: [Case; 3] = [
        (known("Kepler", kepler, &start, 20.0, &start), energy),
        (known("Lotka-Volterra", prey, &[1.0, 2.0], 30.0, &[0.0, 0.0]), balance),
        (known("rigid body", body, &[0.0, 1.0, 1.0], 20.0, &[0.0; 3]), momentum),
    ];
    for (known, of) in cases {
        for family in [Family::Bdf, Family::Adams] {
            let drifts = [1e-5, 1e-9].map(|relative| drift(family, &known, relative, of));
            println!("{} by {family:?}: {drifts:?}", known.name);
            assert!(drifts[0] < 2e-2 && drifts[1] < 1e-5, "{}: {drifts:?}", known.name);
        }
    }
}
