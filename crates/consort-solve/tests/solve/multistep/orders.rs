//! Each order, measured: steps held at one length by a limit, the order by another.

use consort_solve::{Family, Multistep, Options, Problem, Tolerances};
use std::convert::Infallible;

/// A point that is drawn to one on a circle, or just follows its velocity if nothing pulls. What errors
/// the start made do not change later or die out, and those of each step have the same size all around.
struct Drawn {
    pull: f64,
}

impl Problem for Drawn {
    type Error = Infallible;

    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        let (sine, cosine) = (libm::sin(t), libm::cos(t));
        let pull = self.pull * (1.0 + x[0] * x[0] + x[1] * x[1]) / 2.0;
        dx[0] = -sine - pull * (x[0] - cosine);
        dx[1] = cosine - pull * (x[1] - sine);
        Ok(())
    }
}

/// What is measured.
#[derive(Clone, Copy)]
struct Case {
    family: Family,
    order: u8,
    pull: f64,
}

/// By how much the error changes over half a turn, with steps of one length and order. The tolerance
/// lets such steps pass, and prefers the highest order.
fn error(case: Case, tolerance: f64, h: f64) -> f64 {
    let mut options = Options::new(Tolerances::uniform(1e-30, tolerance, 2));
    (options.order_max, options.step_max) = (Some(case.order), Some(h));
    let mut problem = Drawn { pull: case.pull };
    let mut solver = Multistep::new(case.family, 2, &options);
    solver.start(0.0, &[1.0, 0.0]);
    let mut before = None;
    loop {
        let step = solver.step(&mut problem, 1000.0).expect("a step is taken");
        if step.to < 30.0 {
            continue;
        }
        let (length, order) = (step.to - step.from, usize::from(case.order));
        let is_held = (length / h - 1.0).abs() < 1e-9 && solver.order() == order;
        assert!(is_held, "order {} with step {length} of {h}", solver.order());
        let x = solver.state().1;
        let error = [x[0] - libm::cos(step.to), x[1] - libm::sin(step.to)];
        let (t, first) = *before.get_or_insert((step.to, error));
        if std::f64::consts::PI < step.to - t {
            return libm::hypot(error[0] - first[0], error[1] - first[1]);
        }
    }
}

fn check(case: Case, tolerance: impl Fn(f64) -> f64, h: f64) {
    let shorter = h / 1.5;
    let (long, short) = (error(case, tolerance(h), h), error(case, tolerance(shorter), shorter));
    let measured = libm::log(long / short) / libm::log(1.5);
    let Case { family, order, pull } = case;
    println!("{family:?} {order}, pull {pull}: {measured:.3} (errors {long:.2e}, {short:.2e})");
    assert!((measured - f64::from(order)).abs() < 0.2, "{family:?} {order}: {measured}");
}

/// Such that steps a little longer would still pass, but not at a lower order.
fn tight(order: u8) -> impl Fn(f64) -> f64 {
    let degree = f64::from(order) + 1.0;
    move |h| 6.0 / degree * libm::pow(2.0 * h, degree)
}

#[test]
fn bdf_has_the_orders_one_to_five() {
    for order in 1..=5 {
        for h in [0.02, 0.04, 0.08] {
            check(Case { family: Family::Bdf, order, pull: 1.0 }, tight(order), h);
        }
    }
}

#[test]
fn adams_has_the_orders_one_to_twelve() {
    for family in [Family::Adams, Family::AdamsNewton] {
        for order in 1..=12 {
            let h = if order < 5 { 0.04 } else { 0.2 };
            let tolerance = [1e-2, 1e-3, 1e-4][usize::from(order / 4).min(2)];
            check(Case { family, order, pull: 0.0 }, |_h| tolerance, h);
        }
    }
}

#[test]
fn adams_has_its_orders_where_a_system_is_to_be_solved() {
    for order in 1..=7 {
        check(Case { family: Family::AdamsNewton, order, pull: 1.0 }, tight(order), 0.12);
    }
    for order in 1..=3 {
        check(Case { family: Family::Adams, order, pull: 1.0 }, tight(order), 0.02);
    }
}
