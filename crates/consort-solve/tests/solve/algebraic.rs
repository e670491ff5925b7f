//! Algebraic loops: found where there is one solution, refused where there is not.

use consort_solve::algebraic::{
    AlgebraicEquations, AlgebraicFailure, AlgebraicMethod, AlgebraicOptions, AlgebraicSolver,
    Solved,
};

struct Linear {
    matrix: Vec<Vec<f64>>,
    offset: Vec<f64>,
    derivatives: bool,
}

impl AlgebraicEquations for Linear {
    type Error = ();

    fn evaluate(&mut self, at: &[f64], result: &mut [f64]) -> Result<(), ()> {
        for (row, value) in result.iter_mut().enumerate() {
            let product: f64 = self.matrix[row].iter().zip(at).map(|(a, z)| a * z).sum();
            *value = product + self.offset[row];
        }
        Ok(())
    }

    fn jacobian(&mut self, _at: &[f64], matrix: &mut [f64]) -> Result<bool, ()> {
        if self.derivatives {
            matrix.copy_from_slice(&self.matrix.concat());
        }
        Ok(self.derivatives)
    }
}

struct Nonlinear<F: FnMut(f64) -> f64>(F);

impl<F: FnMut(f64) -> f64> AlgebraicEquations for Nonlinear<F> {
    type Error = ();

    fn evaluate(&mut self, at: &[f64], result: &mut [f64]) -> Result<(), ()> {
        result[0] = (self.0)(at[0]);
        Ok(())
    }
}

fn options(method: AlgebraicMethod) -> AlgebraicOptions {
    AlgebraicOptions { method, tolerance: 1e-10, limit: 100, relaxation: 1.0, costly: false }
}

fn linear(gain: f64, derivatives: bool) -> Linear {
    let matrix = vec![vec![0.0, gain], vec![1.0, 0.0]];
    Linear { matrix, offset: vec![1.0, 2.0], derivatives }
}

fn solve(
    equations: &mut Linear,
    options: &AlgebraicOptions,
) -> (Result<Solved, AlgebraicFailure<()>>, Vec<f64>) {
    let mut z = vec![0.0; equations.offset.len()];
    let solved = AlgebraicSolver::new(z.len()).solve(&mut z, options, equations);
    (solved, z)
}

#[test]
fn every_method_finds_the_solution_of_a_weak_loop() {
    for method in [
        AlgebraicMethod::Auto,
        AlgebraicMethod::FixedPoint,
        AlgebraicMethod::Newton,
        AlgebraicMethod::Broyden,
    ] {
        for derivatives in [false, true] {
            let (solved, z) = solve(&mut linear(0.25, derivatives), &options(method));
            assert!(solved.is_ok(), "{method:?}: {solved:?}");
            // z0 = 0.25 z1 + 1 and z1 = z0 + 2, so z0 = 2.
            assert!((z[0] - 2.0).abs() < 1e-9 && (z[1] - 4.0).abs() < 1e-9, "{method:?}: {z:?}");
        }
    }
}

#[test]
fn a_loop_that_does_not_contract_is_left_to_newton_or_broyden() {
    for costly in [false, true] {
        let options = AlgebraicOptions { costly, ..options(AlgebraicMethod::Auto) };
        let (solved, z) = solve(&mut linear(-7.0, false), &options);
        assert!(solved.expect("a solution").evaluations < 20);
        assert!((z[0] + 13.0 / 8.0).abs() < 1e-9, "{z:?}");
    }
    let (solved, _) = solve(&mut linear(-7.0, false), &options(AlgebraicMethod::FixedPoint));
    assert_eq!(solved, Err(AlgebraicFailure::Limit));
}

#[test]
fn relaxation_makes_an_overshooting_fixed_point_contract() {
    let halved = AlgebraicOptions { relaxation: 0.5, ..options(AlgebraicMethod::FixedPoint) };
    let mut z = [0.0];
    let solved = AlgebraicSolver::new(1).solve(&mut z, &halved, &mut Nonlinear(|z| 3.0 - 2.0 * z));
    assert!(solved.is_ok(), "{solved:?}");
    assert!((z[0] - 1.0).abs() < 1e-9);
}

#[test]
fn a_singular_loop_is_called_so() {
    for derivatives in [false, true] {
        for method in [AlgebraicMethod::Auto, AlgebraicMethod::Newton, AlgebraicMethod::Broyden] {
            let (solved, _) = solve(&mut linear(1.0, derivatives), &options(method));
            assert_eq!(solved, Err(AlgebraicFailure::Singular), "{method:?}");
        }
    }
}

#[test]
fn nonlinear_loops_converge_and_the_last_evaluation_is_at_the_solution() {
    for method in [AlgebraicMethod::Auto, AlgebraicMethod::Newton, AlgebraicMethod::Broyden] {
        let mut last = f64::NAN;
        let mut z = [1.0];
        let mut equations = Nonlinear(|z: f64| {
            last = z;
            4.0 * libm::cos(z)
        });
        let solved = AlgebraicSolver::new(1).solve(&mut z, &options(method), &mut equations);
        assert!(solved.is_ok(), "{method:?}: {solved:?}");
        assert!((4.0 * libm::cos(z[0]) - z[0]).abs() < 1e-9, "{method:?}");
        assert_eq!(last.to_bits(), z[0].to_bits());
    }
}

#[test]
fn what_is_not_finite_is_refused() {
    let mut z = [1.0];
    let solved = AlgebraicSolver::new(1).solve(
        &mut z,
        &options(AlgebraicMethod::Auto),
        &mut Nonlinear(|_| f64::NAN),
    );
    assert_eq!(solved, Err(AlgebraicFailure::NotFinite));
}

#[test]
fn a_larger_loop_costs_few_evaluations_and_no_allocation() {
    let len = 20;
    let entry = |row: usize, column: usize| ((row * 7 + column * 3) % 11) as f64 - 5.0;
    let matrix = (0..len).map(|row| (0..len).map(|column| entry(row, column)).collect()).collect();
    let mut equations = Linear { matrix, offset: vec![1.0; len], derivatives: false };
    let mut solver = AlgebraicSolver::new(len);
    let mut z = vec![0.0; len];
    let mut solved = None;
    let counted = allocation_counter::measure(|| {
        solved = Some(solver.solve(&mut z, &options(AlgebraicMethod::Auto), &mut equations));
    });
    assert_eq!(counted.count_total, 0);
    assert!(solved.expect("measured").expect("a solution").evaluations < 60);
    assert!(solver.residuals().iter().all(|residual| residual.abs() < 1e-8));
}
