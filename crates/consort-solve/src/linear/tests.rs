//! Every layout solves the same systems; what cannot be solved is noticed.

use super::*;
use crate::problem::{JacobianMut, Problem, SparsityPattern};

const LEN: usize = 30;
const STRUCTURE: Structure = Structure::Banded { lower: 2, upper: 3 };

/// A banded matrix without any regularity, whose diagonal is small enough for rows to be exchanged.
fn entry(row: usize, column: usize) -> f64 {
    let is_inside = row <= column + 2 && column <= row + 3;
    let mixed = (row * 31 + column * 17 + row * column * 7) % 97;
    let value = mixed as f64 / 10.0 - 4.0;
    if !is_inside { 0.0 } else { value }
}

fn structures() -> [Structure; 3] {
    let places = (0..LEN).flat_map(|row| (0..LEN).map(move |column| (row, column)));
    let places = places.filter(|(row, column)| *row <= column + 2 && *column <= row + 3);
    [Structure::Dense, STRUCTURE, Structure::Sparse(SparsityPattern::new(LEN, places))]
}

fn jacobian(structure: &Structure) -> Vec<f64> {
    let mut values = vec![0.0; JacobianMut::values_len(LEN, structure)];
    let mut matrix = JacobianMut::new(LEN, structure, &mut values);
    for row in 0..LEN {
        for column in row.saturating_sub(2)..LEN.min(row + 4) {
            matrix.put(row, column, entry(row, column));
        }
    }
    values
}

/// How far the solution with a right side of 1, 2, 3, ... is from solving the system.
fn residual(structure: &Structure, gamma: f64) -> f64 {
    let mut linear = Linear::new(LEN, structure);
    assert!(linear.factorize(&jacobian(structure), gamma));
    let mut x: Vec<f64> = (1..=LEN).map(|value| value as f64).collect();
    linear.solve(&mut x);
    let left = |row: usize| -> f64 {
        x[row] - gamma * (0..LEN).map(|column| entry(row, column) * x[column]).sum::<f64>()
    };
    (0..LEN).map(|row| (left(row) - (row + 1) as f64).abs()).fold(0.0, f64::max)
}

#[test]
fn all_layouts_solve_the_same_system() {
    for structure in structures() {
        for gamma in [1e-3, 0.1, 0.7, 40.0] {
            let is_sparse = matches!(structure, Structure::Sparse(_));
            let bound = if is_sparse { 1e-6 } else { 1e-10 };
            let residual = residual(&structure, gamma);
            assert!(residual < bound, "{structure:?} at {gamma}: {residual}");
        }
    }
}

#[test]
fn a_tridiagonal_matrix_is_solved_as_any_banded_one() {
    let structure = |upper| Structure::Banded { lower: 1, upper };
    let solution = |upper: usize, gamma: f64| {
        let structure = structure(upper);
        let mut values = vec![0.0; JacobianMut::values_len(LEN, &structure)];
        let mut matrix = JacobianMut::new(LEN, &structure, &mut values);
        for row in 0..LEN {
            for column in row.saturating_sub(1)..LEN.min(row + 2) {
                matrix.put(row, column, entry(row, column));
            }
        }
        let mut linear = Linear::new(LEN, &structure);
        assert!(linear.factorize(&values, gamma));
        let mut x: Vec<f64> = (1..=LEN).map(|value| value as f64).collect();
        linear.solve(&mut x);
        x
    };
    for gamma in [1e-3, 0.1, 0.7, 40.0] {
        let (special, general) = (solution(1, gamma), solution(2, gamma));
        assert_eq!(special, general, "at {gamma}");
    }
}

#[test]
fn a_singular_matrix_is_noticed_in_every_layout() {
    for structure in structures() {
        let mut values = vec![0.0; JacobianMut::values_len(LEN, &structure)];
        let mut matrix = JacobianMut::new(LEN, &structure, &mut values);
        matrix.put(4, 4, 2.0);
        assert!(!Linear::new(LEN, &structure).factorize(&values, 0.5), "{structure:?}");
        for none in [f64::NAN, f64::INFINITY] {
            values.fill(0.0);
            JacobianMut::new(LEN, &structure, &mut values).put(4, 4, none);
            assert!(!Linear::new(LEN, &structure).factorize(&values, 0.5), "{structure:?}");
        }
    }
}

#[test]
fn a_sparse_pivot_that_is_but_rounding_is_refused() {
    let pattern = SparsityPattern::new(2, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut linear = Linear::new(2, &Structure::Sparse(pattern));
    assert!(!linear.factorize(&[1.0 - 1e-15, 1.0, 1.0, 0.0], 1.0));
    assert!(linear.factorize(&[1.0 - 1e-15, 1.0, 1.0, 0.0], 0.5));
    // The second pivot is 1 - 3 * (1 / 3): nothing of its terms is left.
    assert!(!linear.factorize(&[0.0, 3.0, 1.0 / 3.0, 0.0], -1.0));
}

#[test]
fn units_do_not_make_a_sparse_pivot_small() {
    let pattern = SparsityPattern::new(2, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut linear = Linear::new(2, &Structure::Sparse(pattern));
    for unit in [1e-12, 1.0, 1e12] {
        assert!(linear.factorize(&[0.0, 5.0 * unit, -5.0 / unit, 0.0], 1.0));
        let mut x = [1.0, 2.0 * unit];
        linear.solve(&mut x);
        // a + 5 b = 1 and -5 a + b = 2, with b in these units.
        let expected = [-9.0 / 26.0, 7.0 / 26.0 * unit];
        let error = x.iter().zip(expected).map(|(x, e)| (x / e - 1.0).abs()).fold(0.0, f64::max);
        assert!(error < 1e-14, "{x:?} and not {expected:?}");
    }
}

struct Times;

impl Problem for Times {
    type Error = ();

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ()> {
        for (row, dx) in dx.iter_mut().enumerate() {
            *dx = (0..LEN).map(|column| entry(row, column) * x[column]).sum();
        }
        Ok(())
    }
}

#[test]
fn differences_find_the_entries_with_one_evaluation_for_each_group() {
    for (structure, evaluations) in structures().into_iter().zip([30, 6, 6]) {
        let differences = Differences::new(LEN, &structure);
        let (mut x, mut dx, weights) = (vec![1.0; LEN], vec![0.0; LEN], vec![1e6; LEN]);
        Times.derivatives(0.0, &x, &mut dx).unwrap();
        let mut point = Point { t: 0.0, x: &mut x, dx: &dx, weights: &weights, least: 0.0 };
        let exact = jacobian(&structure);
        let mut values = vec![0.0; exact.len()];
        let mut work = vec![0.0; 2 * LEN];
        let taken = differences.fill(&mut Times, &mut point, &structure, &mut work, &mut values);
        assert_eq!(taken, Ok(evaluations));
        let error = values.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-5, "{structure:?}: {error}");
        assert_eq!(x, vec![1.0; LEN]);
    }
}
