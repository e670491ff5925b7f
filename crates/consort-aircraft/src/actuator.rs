//! A second-order actuator with limits of position and rate.

use consort_core::{DependencyKind, Step};
use consort_models::native::{
    BlockBehavior, BlockDraft, BlockMoment, Slot, Store, check_limits, limit, limits,
};
use consort_solve::{FixedStep, Method};

/// The longest substep, in parts of the time of one radian.
const SUBSTEP_MAX: f64 = 0.1;
/// The most substeps in one step.
const SUBSTEPS_MAX: f64 = 1e6;

/// `y'' = w^2 (u - y) - 2 d w y'`, with u and y between min and max and |y'| at most `rate_max`.
/// The output is a state: what feeds back through an actuator is no algebraic loop.
struct Actuator {
    frequency: Slot,
    damping: Slot,
    rate_max: Slot,
    min: Slot,
    max: Slot,
    y0: Slot,
    u: Slot,
    y: Slot,
    rate: Slot,
    x: Slot,
}

pub(crate) fn actuator(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let text = "how fast it answers, undamped";
    let frequency = draft.fixed("frequency", 20.0, text).unit("rad/s").min(0.0).slot();
    let damping = draft.fixed("damping", 0.7, "1: no overshoot").min(0.0).slot();
    let text = "how fast it moves at most";
    let rate_max = draft.fixed("rate_max", f64::INFINITY, text).min(0.0).slot();
    let (min, max) = limits(draft, f64::NEG_INFINITY, f64::INFINITY);
    let y0 = draft.fixed("y0", 0.0, "the position at the start").slot();
    let u = draft.input("u", &[], "the position asked for").slot();
    let y = draft.output("y", &[], "the position").slot();
    let rate = draft.output("rate", &[], "how fast the position changes").slot();
    for known in [y0, min, max] {
        draft.depends(y, known, DependencyKind::Dependent);
    }
    draft.solver(FixedStep::new(Method::RungeKutta4, 2));
    let x = draft.hidden(2);
    Some(Box::new(Actuator { frequency, damping, rate_max, min, max, y0, u, y, rate, x }))
}

impl BlockBehavior for Actuator {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        check_limits(store.scalar(self.min), store.scalar(self.max))
    }

    fn begin(&self, store: &mut Store) {
        let (min, max) = (store.scalar(self.min), store.scalar(self.max));
        let y = limit(store.scalar(self.y0), min, max);
        store.list_mut(self.x).copy_from_slice(&[y, 0.0]);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let &[y, rate] = store.list(self.x) else { unreachable!("made with two states") };
        store.set_scalar(self.y, y);
        store.set_scalar(self.rate, rate);
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let (w, damping) = (store.scalar(self.frequency), store.scalar(self.damping));
        let (min, max) = (store.scalar(self.min), store.scalar(self.max));
        let (rate_max, u) = (store.scalar(self.rate_max), store.scalar(self.u));
        let goal = limit(u, min, max);
        let count = (step.length * w / SUBSTEP_MAX).ceil().max(1.0);
        if count.is_nan() || SUBSTEPS_MAX < count {
            return Err(format!("`frequency` = {w:?} takes more than a million substeps"));
        }
        let h = step.length / count;
        let (solver, [x]) = store.solver_and_lists([self.x]);
        for _ in 0..count as u32 {
            let f = |_: f64, x: &[f64], dx: &mut [f64]| {
                dx[0] = limit(x[1], -rate_max, rate_max);
                dx[1] = w * w * (goal - x[0]) - 2.0 * damping * w * x[1];
            };
            solver.step(x, f, step.start, h); // nothing depends on time
            x[1] = limit(x[1], -rate_max, rate_max);
            let stop = limit(x[0], min, max);
            if stop < x[0] || x[0] < stop {
                (x[0], x[1]) = (stop, 0.0);
            }
        }
        Ok(())
    }
}
