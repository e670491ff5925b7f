//! A solver allocates when it is made only.

use crate::{METHODS, pendulum};
use consort_solve::FixedStep;

#[test]
fn no_method_allocates_in_a_step_a_restart_or_a_copy() {
    for method in METHODS {
        let (mut solver, mut x) = (FixedStep::new(method, 2), [1.0, 0.0]);
        let mut other = solver.clone();
        let counted = allocation_counter::measure(|| {
            for n in 0..100 {
                solver.step(&mut x, pendulum, f64::from(n) * 0.01, 0.01);
            }
            other.copy_from(&solver);
            solver.restart();
        });
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}
