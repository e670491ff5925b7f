//! Problems with known solutions: the stiff ones, and those that all solvers share.

use crate::problems::Case;
use consort_solve::{JacobianMut, Options, Problem, SparsityPattern, Structure, Tolerances};
use std::convert::Infallible;

/// A problem given by its right side, its start and what it must reach.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) f: fn(f64, &[f64], &mut [f64]),
    pub(crate) jacobian: Option<fn(&[f64], &mut JacobianMut<'_>)>,
    pub(crate) start: Vec<f64>,
    pub(crate) end: f64,
    pub(crate) expected: Vec<f64>,
    /// Errors are relative to the expected value, but at least to this.
    pub(crate) floor: f64,
    pub(crate) structure: Structure,
}

impl Problem for Known {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        (self.f)(t, x, dx);
        Ok(())
    }

    fn jacobian(
        &mut self,
        _t: f64,
        x: &[f64],
        _dx: &[f64],
        matrix: &mut JacobianMut<'_>,
    ) -> Result<bool, Infallible> {
        if let Some(jacobian) = self.jacobian {
            jacobian(x, matrix);
        }
        Ok(self.jacobian.is_some())
    }
}

impl Known {
    /// The greatest error of the states at the end.
    pub(crate) fn error(&self, x: &[f64]) -> f64 {
        let part = |(x, e): (&f64, &f64)| (x - e).abs() / e.abs().max(self.floor);
        x.iter().zip(&self.expected).map(part).fold(0.0, f64::max)
    }

    pub(crate) fn options(&self, relative: f64, absolute: f64) -> Options {
        let tolerances = Tolerances::uniform(relative, absolute, self.start.len());
        Options { structure: self.structure.clone(), ..Options::new(tolerances) }
    }
}

/// Robertson's reaction (Mazzia and Magherini, Test Set for IVP Solvers: ROBER).
pub(crate) fn robertson() -> Known {
    Known {
        name: "Robertson",
        f: |_t, x, dx| {
            let (slow, fast) = (0.04 * x[0], 1e4 * x[1] * x[2]);
            let last = 3e7 * x[1] * x[1];
            (dx[0], dx[1], dx[2]) = (fast - slow, slow - fast - last, last);
        },
        jacobian: Some(|x, matrix| {
            let columns = [
                [-0.04, 0.04, 0.0],
                [1e4 * x[2], -1e4 * x[2] - 6e7 * x[1], 6e7 * x[1]],
                [1e4 * x[1], -1e4 * x[1], 0.0],
            ];
            matrix.values_mut().copy_from_slice(columns.as_flattened());
        }),
        start: vec![1.0, 0.0, 0.0],
        end: 1e11,
        expected: vec![0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505],
        floor: 0.0,
        structure: Structure::Dense,
    }
}

/// Van der Pol's oscillator, not stiff; the reference is by Taylor series of order 30 in 50 digits.
pub(crate) fn van_der_pol() -> Known {
    Known {
        name: "Van der Pol 1",
        f: |_t, x, dx| (dx[0], dx[1]) = (x[1], (1.0 - x[0] * x[0]) * x[1] - x[0]),
        jacobian: None,
        start: vec![2.0, 0.0],
        end: 100.0,
        expected: vec![2.004_942_010_411_001_8, -0.114_192_175_392_572_56],
        floor: 0.0,
        structure: Structure::Dense,
    }
}

/// Van der Pol's oscillator with mu = 1000 (Test Set for IVP Solvers: VDPOL, in the time of mu).
pub(crate) fn stiff_van_der_pol() -> Known {
    Known {
        name: "Van der Pol 1000",
        f: |_t, x, dx| (dx[0], dx[1]) = (x[1], 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0]),
        jacobian: None,
        start: vec![2.0, 0.0],
        end: 2000.0,
        expected: vec![1.706_167_732_170_483, -0.892_809_701_024_797_5e-3],
        floor: 0.0,
        structure: Structure::Dense,
    }
}

/// A problem of all solvers; errors are relative to values above one.
fn shared(case: Case) -> Known {
    let Case { name, start, end, solution, f } = case;
    let structure = Structure::Dense;
    Known { name, f, jacobian: None, start, end, expected: solution, floor: 1.0, structure }
}

pub(crate) fn arenstorf() -> Known {
    shared(crate::problems::arenstorf())
}

pub(crate) fn brusselator() -> Known {
    shared(crate::problems::brusselator())
}

pub(crate) fn pleiades() -> Known {
    shared(crate::problems::pleiades())
}

/// Heat in a rod of 1,000 points with cold ends, from two waves: each decays by itself.
pub(crate) fn heat(structure: Structure) -> Known {
    const POINTS: usize = 1000;
    const END: f64 = 0.1;
    let gap = 1.0 / (POINTS + 1) as f64;
    let wave = |k: f64, i: usize| libm::sin(std::f64::consts::PI * k * (i + 1) as f64 * gap);
    let decay = |k: f64| {
        let sine = libm::sin(std::f64::consts::FRAC_PI_2 * k * gap);
        libm::exp(-4.0 * sine * sine / (gap * gap) * END)
    };
    let state = |a: f64, b: f64| (0..POINTS).map(|i| a * wave(1.0, i) + b * wave(3.0, i)).collect();
    Known {
        name: "heat",
        f: |_t, x, dx| {
            let scale = ((POINTS + 1) * (POINTS + 1)) as f64;
            dx[0] = scale * (x[1] - 2.0 * x[0]);
            for (dx, x) in dx[1..].iter_mut().zip(x.windows(3)) {
                *dx = scale * (x[0] - 2.0 * x[1] + x[2]);
            }
            dx[POINTS - 1] = scale * (x[POINTS - 2] - 2.0 * x[POINTS - 1]);
        },
        jacobian: None,
        start: state(1.0, 0.5),
        end: END,
        expected: state(decay(1.0), 0.5 * decay(3.0)),
        floor: 1.0,
        structure,
    }
}

pub(crate) fn banded_heat() -> Known {
    heat(Structure::Banded { lower: 1, upper: 1 })
}

pub(crate) fn sparse_heat() -> Known {
    let places = (0..1000_usize).flat_map(|column| {
        (column.saturating_sub(1)..1000.min(column + 2)).map(move |row| (row, column))
    });
    heat(Structure::Sparse(SparsityPattern::new(1000, places)))
}
