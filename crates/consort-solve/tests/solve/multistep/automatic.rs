//! The automatic choice: which formulas it uses, what they cost, and what survives a restart.

use super::problems::{
    Known, arenstorf, brusselator, pleiades, robertson, stiff_van_der_pol, van_der_pol,
};
use super::{solved, started};
use consort_solve::{Family, Keep, Multistep, Structure};

/// What a solver did, in evaluations and factorizations.
fn cost(solver: &Multistep) -> f64 {
    let done = solver.statistics();
    (done.evaluations + done.factorizations) as f64
}

/// It errs and costs about as little as the method that suits the problem.
fn check(known: &Known, better: Family) {
    let options = known.options(1e-6, 1e-10);
    let (chosen, best) = (solved(None, known, &options), solved(better, known, &options));
    let ratio = cost(&chosen) / cost(&best);
    println!("{}: {ratio:.2}, {} switches", known.name, chosen.statistics().switches);
    assert!(ratio < 1.3, "{}: {ratio:.2} times the cost of {better:?}", known.name);
    let [error, allowed] = [&chosen, &best].map(|solver| known.error(solver.state().1));
    assert!(error < (10.0 * allowed).max(1e-4), "{}: {error:e}, {allowed:e}", known.name);
}

#[test]
fn it_costs_about_what_the_better_method_does() {
    for known in [robertson(), stiff_van_der_pol()] {
        check(&known, Family::Bdf);
    }
    for known in [van_der_pol(), arenstorf(), brusselator(), pleiades()] {
        check(&known, Family::Adams);
    }
}

/// A fast pull to a cosine from t = 1 to t = 2; a slow one before and after.
fn late_stiffness() -> Known {
    let f = |t: f64, x: &[f64], dx: &mut [f64]| {
        let rate = if 1.0 < t && t <= 2.0 { 1e6 } else { 1.0 };
        dx[0] = rate * (t.cos() - x[0]) - t.sin();
    };
    Known {
        name: "late stiffness",
        f,
        jacobian: None,
        start: vec![1.0],
        end: 3.0,
        expected: vec![3.0_f64.cos()],
        floor: 0.0,
        structure: Structure::Dense,
    }
}

#[test]
fn it_follows_a_problem_that_becomes_stiff_and_smooth_again() {
    let mut known = late_stiffness();
    let mut solver = started(None, &known, &known.options(1e-8, 1e-10));
    let mut families = vec![solver.family()];
    for limit in [1.0, 2.0, 20.0] {
        while solver.step(&mut known, limit).expect("a step is taken").to < limit {}
        families.push(solver.family());
        let (t, x) = (solver.state().0, solver.state().1.to_vec());
        solver.restart(t, &x, Keep::StepSize);
        assert_eq!(families.last(), Some(&solver.family()), "a restart keeps the formulas");
    }
    assert_eq!(families, [Family::Adams, Family::Adams, Family::Bdf, Family::Adams]);
    assert!((solver.state().1[0] - 20.0_f64.cos()).abs() < 1e-5);
    assert!(2 <= solver.statistics().switches);
}

#[test]
fn a_start_begins_by_adams_formulas() {
    let known = robertson();
    let mut solver = solved(None, &known, &known.options(1e-5, 1e-9));
    assert_eq!((solver.is_automatic(), solver.family()), (true, Family::Bdf));
    solver.start(0.0, &known.start);
    assert_eq!(solver.family(), Family::Adams);
}

#[test]
fn a_failure_reports_what_either_method_would() {
    let mut known = Known { f: |_, x, dx| dx[0] = -1.0 / x[0], ..late_stiffness() };
    let mut solver = started(None, &known, &known.options(1e-6, 1e-9));
    let failure = loop {
        if let Err(failure) = solver.step(&mut known, 3.0) {
            break failure;
        }
    };
    assert!(0.49 < failure.t && failure.t <= 0.5001, "{failure}");
}
