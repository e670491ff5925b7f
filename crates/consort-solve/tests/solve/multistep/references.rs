//! Solutions against published ones, and the work they took, which is the same on every machine.

use super::problems::{
    Known, arenstorf, banded_heat, brusselator, heat, pleiades, robertson, sparse_heat,
    stiff_van_der_pol, van_der_pol,
};
use super::solved;
use consort_solve::{Family, SolverStatistics, SparsityPattern, Structure};

/// Solves with a relative and an absolute tolerance; the error must be at most `worst`, and the steps
/// and evaluations these.
fn check(family: Family, known: &Known, tolerances: (f64, f64), worst: f64, work: [u64; 2]) {
    let solver = solved(family, known, &known.options(tolerances.0, tolerances.1));
    let (error, statistics) = (known.error(solver.state().1), solver.statistics());
    let name = known.name;
    println!("{name} by {family:?} at {:e}: error {error:.1e}, {statistics:?}", tolerances.0);
    assert!(error <= worst, "{name} by {family:?}: {error:e}");
    assert_eq!([statistics.steps, statistics.evaluations], work, "{name} by {family:?}");
}

#[test]
fn robertson_is_solved() {
    check(Family::Bdf, &robertson(), (1e-6, 1e-12), 2.4e-4, [1059, 1436]);
    check(Family::Bdf, &robertson(), (1e-9, 1e-18), 2.4e-8, [3030, 3687]);
    let by_differences = Known { jacobian: None, ..robertson() };
    check(Family::Bdf, &by_differences, (1e-6, 1e-12), 1.2e-4, [1085, 1549]);
}

#[test]
fn van_der_pol_is_solved() {
    check(Family::Bdf, &van_der_pol(), (1e-6, 1e-9), 9.5e-5, [2852, 3780]);
    check(Family::Adams, &van_der_pol(), (1e-6, 1e-9), 9.9e-5, [2063, 3632]);
    check(Family::AdamsNewton, &van_der_pol(), (1e-6, 1e-9), 1.5e-4, [2094, 2896]);
    check(Family::Adams, &van_der_pol(), (1e-12, 1e-14), 1.1e-9, [8522, 13095]);
}

#[test]
fn stiff_van_der_pol_is_solved() {
    check(Family::Bdf, &stiff_van_der_pol(), (1e-6, 1e-9), 3.4e-5, [1465, 2229]);
    check(Family::Bdf, &stiff_van_der_pol(), (1e-9, 1e-12), 9.5e-8, [4324, 5775]);
}

#[test]
fn arenstorf_closes_its_orbit() {
    check(Family::Bdf, &arenstorf(), (1e-8, 1e-10), 1.6e-3, [1434, 1708]);
    check(Family::Adams, &arenstorf(), (1e-8, 1e-10), 1.8e-3, [856, 1390]);
    check(Family::Adams, &arenstorf(), (1e-11, 1e-13), 1.1e-6, [1621, 2562]);
}

#[test]
fn the_brusselator_is_solved() {
    check(Family::Bdf, &brusselator(), (1e-8, 1e-10), 4.3e-7, [881, 1058]);
    check(Family::Adams, &brusselator(), (1e-8, 1e-10), 1.3e-7, [699, 1074]);
    check(Family::AdamsNewton, &brusselator(), (1e-8, 1e-10), 7e-8, [598, 793]);
    check(Family::Adams, &brusselator(), (1e-12, 1e-14), 2.3e-11, [1423, 2270]);
}

#[test]
fn the_pleiades_are_solved() {
    check(Family::Bdf, &pleiades(), (1e-9, 1e-11), 3.2e-5, [2533, 4087]);
    check(Family::Adams, &pleiades(), (1e-9, 1e-11), 7.8e-6, [1396, 2097]);
    check(Family::Adams, &pleiades(), (1e-12, 1e-14), 7.9e-9, [2900, 4229]);
}

#[test]
fn heat_is_solved_with_a_banded_and_a_sparse_matrix_alike() {
    check(Family::Bdf, &banded_heat(), (1e-6, 1e-9), 1.1e-7, [73, 99]);
    check(Family::Bdf, &sparse_heat(), (1e-6, 1e-9), 1.1e-7, [73, 99]);
    let wide = heat(Structure::Banded { lower: 2, upper: 1 });
    check(Family::Bdf, &wide, (1e-6, 1e-9), 1.1e-7, [73, 101]);
}

/// Reaction and diffusion on a square of 12 by 12 points: eliminating it fills places that were empty.
fn square(structure: Structure) -> Known {
    const SIDE: usize = 12;
    let start = (0..SIDE * SIDE).map(|i| ((i * 37) % 11) as f64 / 11.0).collect();
    Known {
        name: "square",
        f: |_t, x, dx| {
            for (i, dx) in dx.iter_mut().enumerate() {
                let (row, column) = (i / SIDE, i % SIDE);
                let mut sum = -4.0 * x[i];
                sum += if 0 < row { x[i - SIDE] } else { 0.0 };
                sum += if 0 < column { x[i - 1] } else { 0.0 };
                sum += if column + 1 < SIDE { x[i + 1] } else { 0.0 };
                sum += if row + 1 < SIDE { x[i + SIDE] } else { 0.0 };
                *dx = 144.0 * sum + 50.0 * x[i] * (1.0 - x[i]);
            }
        },
        start,
        expected: vec![0.0; SIDE * SIDE],
        end: 0.2,
        jacobian: None,
        floor: 1.0,
        structure,
    }
}

#[test]
fn all_structures_agree_on_a_square() {
    let near = |i: usize| [i.checked_sub(12), i.checked_sub(1), Some(i), Some(i + 1), Some(i + 12)];
    let places = (0..144).flat_map(|i| near(i).into_iter().flatten().map(move |j| (i, j)));
    let pattern = SparsityPattern::new(144, places.filter(|(_, j)| *j < 144));
    let banded = Structure::Banded { lower: 12, upper: 12 };
    let found = [Structure::Dense, banded, Structure::Sparse(pattern)].map(|structure| {
        let known = square(structure);
        let solver = solved(Family::Bdf, &known, &known.options(1e-7, 1e-9));
        let SolverStatistics { steps, jacobians, evaluations, .. } = solver.statistics();
        println!("{steps} steps, {evaluations} evaluations");
        (solver.state().1.to_vec(), [steps, jacobians], evaluations)
    });
    let [dense, others @ ..] = found;
    for (x, work, evaluations) in others {
        let gap = x.iter().zip(&dense.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-7, "{gap:e}");
        assert_eq!(work, dense.1);
        assert!(evaluations < dense.2);
    }
}
