//! A hydraulic line: pressures in Pa beside flows in m3/s. What the units are must not matter.

use consort_solve::{Family, Multistep, Options, Problem, SparsityPattern, Structure, Tolerances};
use std::convert::Infallible;

/// A line cut into pieces: pressure, flow, pressure, flow, ...; a pump at its start, open at its end.
#[derive(Clone)]
struct Line {
    /// Of a piece: capacity in m3/Pa, inertance in Pa s2/m3, resistance in Pa s/m3.
    capacity: f64,
    inertance: f64,
    resistance: f64,
    pump: f64,
}

impl Line {
    /// Ten meters of a pipe of 2 cm in SI units, or with pressures in units of `pa` and flows of `flow`.
    fn new(pieces: usize, pa: f64, flow: f64) -> Self {
        let (area, length) = (3.14e-4, 10.0 / pieces as f64);
        Line {
            capacity: area * length / 1.6e9 * pa / flow,
            inertance: 870.0 * length / area * flow / pa,
            resistance: 1e7 * length * flow / pa,
            pump: 1e6 / pa,
        }
    }
}

impl Problem for Line {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        let last = x.len() - 1;
        for i in 0..x.len() {
            let before = if i == 0 { self.pump } else { x[i - 1] };
            let after = if i == last { 0.0 } else { x[i + 1] };
            dx[i] = if i % 2 == 1 {
                (before - after) / self.capacity
            } else {
                (before - after - self.resistance * x[i]) / self.inertance
            };
        }
        Ok(())
    }
}

/// Steps, evaluations, Jacobians and failures to solve, and the pressures and flows at the end in SI units.
fn solved(states: usize, (pa, flow): (f64, f64), is_sparse: bool) -> ([u64; 4], Vec<f64>) {
    let mut line = Line::new(states / 2, pa, flow);
    let units = [flow, pa];
    let places = (0..states).flat_map(|row| {
        (row.saturating_sub(1)..states.min(row + 2)).map(move |column| (row, column))
    });
    let structure = match is_sparse {
        true => Structure::Sparse(SparsityPattern::new(states, places)),
        false => Structure::Dense,
    };
    let absolute = |i: usize| [1e-9, 1e-1][i % 2] / units[i % 2];
    let tolerances = Tolerances { relative: 1e-5, absolute: (0..states).map(absolute).collect() };
    let options = Options { structure, ..Options::new(tolerances) };
    let mut solver = Multistep::new(Family::Bdf, states, &options);
    solver.start(0.0, &vec![0.0; states]);
    while solver.step(&mut line, 0.02).expect("a step is taken").to < 0.02 {}
    let count = solver.statistics();
    let counts = [count.steps, count.evaluations, count.jacobians, count.convergence_failures];
    let x = solver.state().1;
    (counts, (0..states).map(|i| x[i] * units[i % 2]).collect())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let sizes = [1e-3, 1e6];
    let parts = a.iter().zip(b).enumerate().map(|(i, (a, b))| (a - b).abs() / sizes[i % 2]);
    parts.fold(0.0, f64::max)
}

#[test]
fn a_hydraulic_line_costs_the_same_in_any_units() {
    for states in [8, 16, 50, 400] {
        let (scaled, expected) = solved(states, (1e6, 1e-3), true);
        for units in [(1.0, 1.0), (1.0, 1e3), (1e5, 1e-6), (1e-6, 1e6)] {
            let (found, x) = solved(states, units, true);
            println!("{states} states in units of {units:?}: {found:?}, scaled {scaled:?}");
            for (found, scaled) in found.iter().zip(scaled) {
                assert!(*found <= scaled + scaled / 10 + 2, "{states} states in units {units:?}");
            }
            assert!(distance(&x, &expected) < 1e-4, "{states} states in units {units:?}");
        }
        if states <= 50 {
            let (dense, x) = solved(states, (1.0, 1.0), false);
            assert!(dense[0].abs_diff(scaled[0]) <= 2 + scaled[0] / 10, "{dense:?}, {scaled:?}");
            assert!(distance(&x, &expected) < 1e-4, "{states} states, dense");
        }
    }
}

/// A ring of reactions that keeps the sum of its states, so that J is singular; some are fast by any factor.
struct Ring(f64);

impl Problem for Ring {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        let len = x.len();
        for (i, dx) in dx.iter_mut().enumerate() {
            let rate = |i: usize| if i.is_multiple_of(2) { self.0 } else { 1.0 };
            let before = (i + len - 1) % len;
            *dx = rate(before) * x[before] - rate(i) * x[i];
        }
        Ok(())
    }
}

#[test]
fn what_keeps_a_sum_is_solved_sparse_as_it_is_dense() {
    const LEN: usize = 20;
    let places = (0..LEN).flat_map(|row| [(row, row), (row, (row + LEN - 1) % LEN)]);
    let sparse = Structure::Sparse(SparsityPattern::new(LEN, places));
    for rate in [1e3, 1e6, 1e12] {
        let steps = [Structure::Dense, sparse.clone()].map(|structure| {
            let tolerances = Tolerances::uniform(1e-6, 1e-9, LEN);
            let options = Options { structure, ..Options::new(tolerances) };
            let mut solver = Multistep::new(Family::Bdf, LEN, &options);
            let mut start = [0.0; LEN];
            start[0] = 1.0;
            solver.start(0.0, &start);
            while solver.step(&mut Ring(rate), 1e6).expect("a step is taken").to < 1e6 {}
            let sum: f64 = solver.state().1.iter().sum();
            assert!((sum - 1.0).abs() < 1e-6, "at {rate:e}: {sum}");
            solver.statistics().steps
        });
        println!("a rate of {rate:e}: {steps:?} steps");
        assert!(steps[0].abs_diff(steps[1]) <= 2 + steps[0] / 10, "at {rate:e}: {steps:?}");
    }
}
