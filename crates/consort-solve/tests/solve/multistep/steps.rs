//! Limits, dense output, restarts, and that nothing is allocated.

use super::problems::{Known, arenstorf, banded_heat, brusselator, robertson, sparse_heat};
use super::{solved, started};
use consort_solve::{Family, Keep, Structure};

const FAMILIES: [Family; 3] = [Family::Bdf, Family::Adams, Family::AdamsNewton];

#[test]
fn a_limit_is_reached_exactly_and_never_passed() {
    let known = brusselator();
    for family in FAMILIES {
        let mut problem = known.clone();
        let mut solver = started(family, &known, &known.options(1e-8, 1e-10));
        for n in 1..=200_u32 {
            let limit = f64::from(n) * 0.1;
            loop {
                let step = solver.step(&mut problem, limit).expect("a step is taken");
                assert!(step.from < step.to && step.to <= limit);
                assert_eq!(step.to.to_bits(), solver.state().0.to_bits());
                if limit <= step.to {
                    break;
                }
            }
            let nothing = solver.step(&mut problem, limit).expect("a step is taken");
            let ends = [nothing.from, nothing.to].map(f64::to_bits);
            assert_eq!(ends, [limit.to_bits(); 2]);
        }
        let error = known.error(solver.state().1);
        assert!(error < 1e-6, "{family:?}: {error:e}");
    }
}

#[test]
fn limits_close_to_each_other_do_not_cost_a_matrix_each() {
    let known = brusselator();
    let mut problem = known.clone();
    let mut solver = started(Family::Bdf, &known, &known.options(1e-6, 1e-8));
    for n in 1..=317_u32 {
        let limit = f64::from(n) / 317.0 * known.end;
        while solver.step(&mut problem, limit).expect("a step is taken").to < limit {}
    }
    assert_eq!(solver.statistics().factorizations, 83);
}

#[test]
fn steps_stay_within_their_longest_length() {
    let known = brusselator();
    for family in FAMILIES {
        let mut options = known.options(1e-4, 1e-6);
        options.step_max = Some(0.01);
        let steps = solved(family, &known, &options).statistics().steps;
        assert!((2000..2050).contains(&steps), "{family:?}: {steps}");
    }
}

#[test]
fn dense_output_is_as_good_as_the_steps() {
    let known = arenstorf();
    let mut problem = known.clone();
    let times: Vec<f64> = (1..=170).map(|n| f64::from(n) * 0.1).collect();
    let at_limits = |options: &consort_solve::Options| {
        let mut problem = known.clone();
        let mut solver = started(Family::Adams, &known, options);
        let mut all = Vec::new();
        for limit in &times {
            while solver.step(&mut problem, *limit).expect("a step is taken").to < *limit {}
            all.push(solver.state().1.to_vec());
        }
        all
    };
    let exact = at_limits(&known.options(1e-13, 1e-15));
    for family in FAMILIES {
        let mut solver = started(family, &known, &known.options(1e-10, 1e-12));
        let (mut worst, mut x) = (0.0_f64, [0.0; 4]);
        for (t, exact) in times.iter().zip(&exact) {
            while solver.state().0 < *t {
                solver.step(&mut problem, known.end).expect("a step is taken");
            }
            solver.interpolate(*t, &mut x);
            worst = x.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
        }
        println!("{family:?}: {worst:e}");
        assert!(worst < 2e-5, "{family:?}: {worst:e}");
    }
}

#[test]
fn dense_output_meets_both_ends_of_a_step() {
    let known = brusselator();
    for family in FAMILIES {
        let mut problem = known.clone();
        let mut solver = started(family, &known, &known.options(1e-8, 1e-10));
        let mut x = [0.0; 2];
        solver.interpolate(0.0, &mut x);
        assert_eq!(&x[..], solver.state().1);
        while solver.state().0 < known.end {
            let before = solver.state().1.to_vec();
            let step = solver.step(&mut problem, known.end).expect("a step is taken");
            solver.interpolate(step.to, &mut x);
            assert_eq!(&x[..], solver.state().1);
            solver.interpolate(step.from, &mut x);
            let gap = (x[0] - before[0]).abs().max((x[1] - before[1]).abs());
            assert!(gap < 1e-6, "{family:?} at {}: {gap:e}", step.from);
        }
    }
}

/// Solves with a restart after each half second, at which nothing changes; returns the error and the
/// evaluations.
fn restarted(family: Family, known: &Known, keep: Option<Keep>) -> (f64, u64) {
    let mut problem = known.clone();
    let mut solver = started(family, known, &known.options(1e-8, 1e-10));
    for n in 1..=40_u32 {
        let limit = f64::from(n) * 0.5;
        while solver.step(&mut problem, limit).expect("a step is taken").to < limit {}
        let x = solver.state().1.to_vec();
        if let Some(keep) = keep {
            solver.restart(limit, &x, keep);
        }
    }
    (known.error(solver.state().1), solver.statistics().evaluations)
}

#[test]
fn a_restart_keeps_what_it_may() {
    let known = brusselator();
    for family in FAMILIES {
        let [none, nothing, step_size, everything] =
            [None, Some(Keep::Nothing), Some(Keep::StepSize), Some(Keep::Everything)]
                .map(|keep| restarted(family, &known, keep));
        println!("{family:?}: {none:?}, {nothing:?}, {step_size:?}, {everything:?}");
        assert_eq!(none, everything, "{family:?}");
        assert!(everything.1 < step_size.1 && step_size.1 < nothing.1, "{family:?}");
        for (error, _) in [nothing, step_size] {
            assert!(error < 2e-6, "{family:?}: {error:e}");
        }
    }
}

#[test]
fn everything_is_kept_only_where_nothing_changed() {
    let known = brusselator();
    let mut problem = known.clone();
    let mut solver = started(Family::Bdf, &known, &known.options(1e-8, 1e-10));
    while solver.step(&mut problem, 10.0).expect("a step is taken").to < 10.0 {}
    let mut other = solver.clone();
    solver.restart(10.0, &[1.0, 2.0], Keep::Everything);
    other.restart(10.0, &[1.0, 2.0], Keep::StepSize);
    assert!(solver.to_bytes() == other.to_bytes());
    assert_eq!((solver.state(), solver.order()), ((10.0, &[1.0, 2.0][..]), 0));
}

#[test]
fn a_start_does_not_depend_on_what_was_before() {
    let known = robertson();
    let options = known.options(1e-6, 1e-10);
    let mut used = solved(Family::Bdf, &known, &options);
    let work = used.statistics().steps;
    used.start(0.0, &known.start);
    let mut problem = known.clone();
    while used.step(&mut problem, known.end).expect("a step is taken").to < known.end {}
    assert_eq!(used.statistics().steps, 2 * work);
    let new = solved(Family::Bdf, &known, &options);
    assert_eq!(used.state(), new.state());
}

#[test]
fn no_solver_allocates_in_a_step_an_output_a_restart_or_a_copy() {
    for known in [robertson(), brusselator(), banded_heat(), sparse_heat()] {
        let is_stiff = known.name != "brusselator";
        let families = if is_stiff { &FAMILIES[..1] } else { &FAMILIES };
        for family in families {
            let mut problem = known.clone();
            let mut solver = started(*family, &known, &known.options(1e-6, 1e-9));
            let mut other = started(*family, &known, &known.options(1e-6, 1e-9));
            let mut x = known.start.clone();
            let counted = allocation_counter::measure(|| {
                while solver.step(&mut problem, known.end).expect("a step is taken").to < known.end
                {
                }
                solver.interpolate(known.end * 0.999, &mut x);
                solver.restart(known.end, &x, Keep::StepSize);
                solver.start(0.0, &x);
                solver.step(&mut problem, known.end).expect("a step is taken");
                other.copy_from(&solver);
            });
            assert_eq!(counted.count_total, 0, "{} by {family:?}", known.name);
            // What the copy still has is made anew once: the Jacobian, factors, and pivots if there are any.
            let shared = allocation_counter::measure(|| {
                solver.start(0.0, &x);
                while solver.step(&mut problem, known.end).expect("a step is taken").to < known.end
                {
                }
            });
            let matrices = match (family, &solver.options().structure) {
                (Family::Adams, _) => 0,
                (_, Structure::Sparse(_)) => 2,
                _ => 3,
            };
            assert_eq!(shared.count_total, matrices, "{} by {family:?}", known.name);
        }
    }
}

#[test]
fn a_problem_without_states_is_solved_in_one_go() {
    let known = Known { start: vec![], expected: vec![], f: |_, _, _| (), ..brusselator() };
    for family in FAMILIES {
        let solver = solved(family, &known, &known.options(1e-6, 1e-9));
        assert!(solver.statistics().steps < 20, "{family:?}");
    }
}
