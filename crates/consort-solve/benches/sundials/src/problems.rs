//! The problems, with the same formulas, in the same order, as `c/right_hand_sides.c`.
//!
//! References: Hairer, Norsett and Wanner, "Solving Ordinary Differential Equations" I and II, and the
//! Test Set for IVP Solvers (Robertson, Van der Pol, Pleiades); Van der Pol with mu = 1 and the
//! Brusselator were computed with 25 digits (Taylor series, mpmath); the heat equation is exact.

use crate::cvode::RightHandSide;
use consort_solve::{Problem, Structure, Tolerances};
use std::convert::Infallible;
use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn robertson(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
    fn van_der_pol(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
    fn arenstorf(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
    fn brusselator(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
    fn pleiades(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
    fn heat(t: f64, x: *mut c_void, dx: *mut c_void, user: *mut c_void) -> c_int;
}

/// A problem from t = 0 on, with all that both sides need to know.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) name: &'static str,
    pub(crate) x0: Vec<f64>,
    pub(crate) t_end: f64,
    pub(crate) reference: Vec<f64>,
    pub(crate) tolerances: Tolerances,
    pub(crate) structure: Structure,
    pub(crate) right_hand_side: RightHandSide,
    /// The one number the equations can be given.
    pub(crate) parameter: f64,
}

impl Setup {
    fn dense(
        name: &'static str,
        f: RightHandSide,
        x0: &[f64],
        t_end: f64,
        reference: &[f64],
    ) -> Self {
        assert_eq!(x0.len(), reference.len(), "{name}");
        Setup {
            name,
            x0: x0.to_vec(),
            t_end,
            reference: reference.to_vec(),
            tolerances: Tolerances::uniform(1e-6, 1e-6, x0.len()),
            structure: Structure::Dense,
            right_hand_side: f,
            parameter: 0.0,
        }
    }

    /// With this relative tolerance; the absolute ones are its given multiples.
    pub(crate) fn with_tolerance(mut self, relative: f64, absolute_parts: &[f64]) -> Self {
        let parts = absolute_parts.iter().cycle().take(self.x0.len());
        let absolute = parts.map(|part| relative * part).collect();
        self.tolerances = Tolerances { relative, absolute };
        self
    }

    /// The largest error, in units of the tolerance; infinite if a state is no number.
    pub(crate) fn error(&self, x: &[f64]) -> f64 {
        let Tolerances { relative, absolute } = &self.tolerances;
        let states = x.iter().zip(&self.reference).zip(absolute);
        let errors = states.map(|((x, r), a)| (x - r).abs() / (relative * r.abs() + a));
        let errors = errors.map(|error| if error.is_nan() { f64::INFINITY } else { error });
        errors.fold(0.0, f64::max)
    }
}

/// Equations that know their own parameters.
pub(crate) trait Equations: Copy + 'static {
    fn setup(self) -> Setup;
    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]);
}

/// Equations as our solvers see them.
pub(crate) struct Plain<E>(pub(crate) E);

impl<E: Equations> Problem for Plain<E> {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        self.0.right_hand_side(x, dx);
        Ok(())
    }
}

/// A stiff chemical reaction.
#[derive(Clone, Copy)]
pub(crate) struct Robertson;

impl Equations for Robertson {
    fn setup(self) -> Setup {
        let reference = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505];
        Setup::dense("Robertson", robertson, &[1.0, 0.0, 0.0], 1e11, &reference)
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        let (&[a, b, c], dx) = fixed(x, dx);
        dx[0] = -0.04 * a + 1.0e4 * b * c;
        dx[2] = 3.0e7 * b * b;
        dx[1] = -dx[0] - dx[2];
    }
}

/// An oscillator that is smooth or stiff.
#[derive(Clone, Copy)]
pub(crate) struct VanDerPol {
    pub(crate) is_stiff: bool,
}

impl VanDerPol {
    fn mu(self) -> f64 {
        if self.is_stiff { 1000.0 } else { 1.0 }
    }
}

impl Equations for VanDerPol {
    fn setup(self) -> Setup {
        let (name, t_end, reference) = if self.is_stiff {
            ("Van der Pol 1000", 2000.0, [1.706167732170469, -0.8928097010248125e-3])
        } else {
            ("Van der Pol 1", 100.0, [2.004942010411002, -0.1141921753925726])
        };
        let setup = Setup::dense(name, van_der_pol, &[2.0, 0.0], t_end, &reference);
        Setup { parameter: self.mu(), ..setup }
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        let (&[a, b], dx) = fixed(x, dx);
        dx[0] = b;
        dx[1] = self.mu() * (1.0 - a * a) * b - a;
    }
}

/// A closed orbit around Earth and Moon.
#[derive(Clone, Copy)]
pub(crate) struct Arenstorf;

impl Equations for Arenstorf {
    fn setup(self) -> Setup {
        let x0 = [0.994, 0.0, 0.0, -2.0015851063790825];
        Setup::dense("Arenstorf", arenstorf, &x0, 17.065216560157963, &x0)
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        const MU: f64 = 0.012277471;
        const NU: f64 = 1.0 - 0.012277471;
        let (x, dx) = fixed(x, dx);
        let (a, b, y2) = (x[0] + MU, x[0] - NU, x[1] * x[1]);
        let (a2, b2) = (a * a + y2, b * b + y2);
        let (d1, d2) = (a2 * a2.sqrt(), b2 * b2.sqrt());
        *dx = [
            x[2],
            x[3],
            x[0] + 2.0 * x[3] - NU * a / d1 - MU * b / d2,
            x[1] - 2.0 * x[2] - NU * x[1] / d1 - MU * x[1] / d2,
        ];
    }
}

/// A chemical oscillator.
#[derive(Clone, Copy)]
pub(crate) struct Brusselator;

impl Equations for Brusselator {
    fn setup(self) -> Setup {
        let reference = [0.49863707126834785, 4.596780349452011];
        Setup::dense("Brusselator", brusselator, &[1.5, 3.0], 20.0, &reference)
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        let (&[a, b], dx) = fixed(x, dx);
        let reaction = a * a * b;
        dx[0] = 1.0 + reaction - 4.0 * a;
        dx[1] = 3.0 * a - reaction;
    }
}

/// Seven stars in a plane: places x and y, then speeds.
#[derive(Clone, Copy)]
pub(crate) struct Pleiades;

const BODIES: usize = 7;

#[rustfmt::skip]
pub(crate) const PLEIADES_START: [f64; 4 * BODIES] = [
    3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0,
    3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5,
    0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0,
];

#[rustfmt::skip]
const PLEIADES_END: [f64; 4 * BODIES] = [
    0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.659709145577531,
    0.3425581707156584, 1.562172101400631, -0.7003092922212495,
    -3.943437585517392, -3.27138097397255, 5.225081843456543, -2.59061243497747,
    1.198213693392275, -0.2429682344935824, 1.09144924042898,
    3.417003806314313, 1.354584501625501, -2.590065597810775, 2.025053734714242,
    -1.155815100160448, -0.8072988170223021, 0.595239635420871,
    -3.74124496123401, 0.377345968575063, 0.9386858869551073, 0.3667922227200571,
    -0.347404635380849, 2.344915448180937, -1.947020434263292,
];

impl Equations for Pleiades {
    fn setup(self) -> Setup {
        Setup::dense("Pleiades", pleiades, &PLEIADES_START, 3.0, &PLEIADES_END)
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        let (x, dx) = fixed::<{ 4 * BODIES }>(x, dx);
        for i in 0..2 * BODIES {
            dx[i] = x[2 * BODIES + i];
            dx[2 * BODIES + i] = 0.0;
        }
        let (u, v) = (2 * BODIES, 3 * BODIES);
        for i in 0..BODIES {
            for j in i + 1..BODIES {
                let (a, b) = (x[j] - x[i], x[BODIES + j] - x[BODIES + i]);
                let r2 = a * a + b * b;
                let pull = 1.0 / (r2 * r2.sqrt());
                let (pull_i, pull_j) = ((j + 1) as f64 * pull, (i + 1) as f64 * pull);
                dx[u + i] += pull_i * a;
                dx[v + i] += pull_i * b;
                dx[u + j] -= pull_j * a;
                dx[v + j] -= pull_j * b;
            }
        }
    }
}

/// A rod with cold ends, cut into many pieces; stiff, with a Jacobian of three diagonals.
#[derive(Clone, Copy)]
pub(crate) struct Heat;

const HEAT_STATES: usize = 1000;
const HEAT_T_END: f64 = 0.2;

impl Heat {
    /// The sum of some of the rod's modes, each of which decays by its own rate.
    fn at(t: f64) -> Vec<f64> {
        let pieces = (HEAT_STATES + 1) as f64;
        let place = |i: usize| {
            let modes = [1.0, 3.0, 9.0, 27.0, 81.0].map(|k| {
                let half = (k * std::f64::consts::PI / (2.0 * pieces)).sin();
                let rate = 4.0 * pieces * pieces * half * half;
                (k * std::f64::consts::PI * i as f64 / pieces).sin() * (-rate * t).exp() / k
            });
            modes.iter().sum()
        };
        (1..=HEAT_STATES).map(place).collect()
    }
}

impl Equations for Heat {
    fn setup(self) -> Setup {
        let (start, end) = (Heat::at(0.0), Heat::at(HEAT_T_END));
        let setup = Setup::dense("heat, 1000 states", heat, &start, HEAT_T_END, &end);
        Setup { structure: Structure::Banded { lower: 1, upper: 1 }, ..setup }
    }

    fn right_hand_side(&self, x: &[f64], dx: &mut [f64]) {
        let n = x.len();
        let c = ((n + 1) * (n + 1)) as f64;
        dx[0] = c * (x[1] - 2.0 * x[0]);
        for (dx, near) in dx[1..n - 1].iter_mut().zip(x.windows(3)) {
            *dx = c * (near[0] - 2.0 * near[1] + near[2]);
        }
        dx[n - 1] = c * (x[n - 2] - 2.0 * x[n - 1]);
    }
}

/// States and derivatives as arrays, so that each access is not checked again.
fn fixed<'a, const N: usize>(x: &'a [f64], dx: &'a mut [f64]) -> (&'a [f64; N], &'a mut [f64; N]) {
    let x = x.try_into().expect("the solver was made for this length");
    (x, dx.try_into().expect("the solver was made for this length"))
}
