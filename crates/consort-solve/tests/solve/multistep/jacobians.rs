//! Jacobians that have no value where the model has one: differences stand in.

use consort_solve::{
    Family, JacobianMut, Multistep, Options, Problem, Reason, SparsityPattern, Structure,
    Tolerances,
};
use std::convert::Infallible;

/// What a model gives for its Jacobian.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Given {
    Nothing,
    Exact,
    NaN,
}

/// Tanks that start empty: the first is filled, each flows into the next by the root of its level.
struct Tanks {
    given: Given,
    /// Levels below zero have no root, or that of zero.
    is_clamped: bool,
}

impl Tanks {
    fn root(&self, level: f64) -> f64 {
        if self.is_clamped { level.max(0.0).sqrt() } else { level.sqrt() }
    }
}

impl Problem for Tanks {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        let mut inflow = 1.0;
        for (x, dx) in x.iter().zip(dx) {
            let outflow = self.root(*x);
            *dx = inflow - outflow;
            inflow = outflow;
        }
        Ok(())
    }

    fn jacobian(
        &mut self,
        _t: f64,
        x: &[f64],
        _dx: &[f64],
        matrix: &mut JacobianMut<'_>,
    ) -> Result<bool, Infallible> {
        for (i, level) in x.iter().enumerate() {
            let slope = if self.given == Given::NaN { f64::NAN } else { 0.5 / self.root(*level) };
            matrix.put(i, i, -slope);
            if i + 1 < x.len() {
                matrix.put(i + 1, i, slope);
            }
        }
        Ok(self.given != Given::Nothing)
    }
}

/// By these formulas, or by what chooses them.
fn solver(tanks: usize, family: Option<Family>, tolerance: f64) -> Multistep {
    let places = (0..tanks).flat_map(|i| [(i, i), (i, i.saturating_sub(1))]);
    let structure = match tanks {
        0..16 => Structure::Dense,
        _ => Structure::Sparse(SparsityPattern::new(tanks, places)),
    };
    let tolerances = Tolerances::from_nominals(tolerance, &vec![1.0; tanks]);
    let options = Options { structure, ..Options::new(tolerances) };
    let mut solver = match family {
        Some(family) => Multistep::new(family, tanks, &options),
        None => Multistep::automatic(tanks, &options),
    };
    solver.start(0.0, &vec![0.0; tanks]);
    solver
}

#[test]
fn tanks_that_start_empty_are_filled() {
    for tanks in [2, 20] {
        for given in [Given::Nothing, Given::Exact, Given::NaN] {
            for is_clamped in [true, false] {
                let mut solver = solver(tanks, Some(Family::Bdf), 1e-6);
                let mut problem = Tanks { given, is_clamped };
                let what = format!("{tanks} tanks, {given:?}, clamped: {is_clamped}");
                while solver.state().0 < 500.0 {
                    let step = solver.step(&mut problem, 500.0);
                    step.unwrap_or_else(|failure| panic!("{what}: {failure}"));
                }
                let worst = solver.state().1.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
                println!("{what}: {worst:e}, {:?}", solver.statistics());
                assert!(worst < 1e-4, "{what}: {worst:e}");
            }
        }
    }
}

/// A step that ended at a level below zero was the last one: CVODE fails at half of these tolerances.
#[test]
fn no_step_ends_where_a_tank_has_no_root() {
    for family in [Some(Family::Bdf), Some(Family::Adams), None] {
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
            for shake in [0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.25] {
                let mut solver = solver(20, family, tolerance * shake);
                let mut problem = Tanks { given: Given::Nothing, is_clamped: false };
                while solver.state().0 < 30.0 {
                    let step = solver.step(&mut problem, 30.0);
                    step.unwrap_or_else(|it| panic!("{family:?} {tolerance} {shake}: {it}"));
                }
            }
        }
    }
}

/// x' = 1 + sqrt(-x) from zero on: nothing is known above zero, and there it must go.
struct Wall;

impl Problem for Wall {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        dx[0] = 1.0 + (-x[0]).sqrt();
        Ok(())
    }
}

#[test]
fn a_model_that_has_no_value_ahead_is_said_to_have_none() {
    let mut solver = solver(1, Some(Family::Bdf), 1e-6);
    let failure = solver.step(&mut Wall, 1.0).expect_err("there is nothing ahead");
    assert_eq!((failure.t, failure.reason), (0.0, Reason::NotFinite));
}

/// Too stiff for a Jacobian that is declared to be zero.
struct Denied;

impl Problem for Denied {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        dx[0] = -1e30 * (x[0] - libm::sin(t));
        Ok(())
    }

    fn jacobian(
        &mut self,
        _t: f64,
        _x: &[f64],
        _dx: &[f64],
        _matrix: &mut JacobianMut<'_>,
    ) -> Result<bool, Infallible> {
        Ok(true)
    }
}

#[test]
fn equations_that_are_not_solved_are_said_to_be_so() {
    let mut solver = solver(1, Some(Family::Bdf), 1e-6);
    let failure = loop {
        match solver.step(&mut Denied, 10.0) {
            Ok(step) => assert!(step.to < 10.0, "the problem was solved"),
            Err(failure) => break failure,
        }
    };
    let said = failure.to_string();
    assert_eq!(failure.reason, Reason::DoesNotConverge, "{said}");
    assert!(said.contains("does a derivative jump here") && !said.contains("Jacobian"), "{said}");
}
