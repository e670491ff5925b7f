//! Blocks with a state: integrator, unit delay, PID.

use super::algebra::limits;
use super::behavior::{BlockBehavior, BlockMoment, check_limits, limit};
use super::draft::BlockDraft;
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Step};

/// The output is the state.
struct Integrator {
    x0: Slot,
    min: Slot,
    max: Slot,
    u: Slot,
    y: Slot,
}

pub(super) fn integrator(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let x0 = draft.parameter("x0", &shape, 0.0, "the value at the start").slot();
    let (min, max) = limits(draft, f64::NEG_INFINITY, f64::INFINITY);
    let u = draft.input("u", &shape, "the rate of change").slot();
    let y = draft.output("y", &shape, "the integral of u").slot();
    for known in [x0, min, max] {
        draft.depends(y, known, DependencyKind::Dependent);
    }
    Some(Box::new(Integrator { x0, min, max, u, y }))
}

impl BlockBehavior for Integrator {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        check_limits(store.scalar(self.min), store.scalar(self.max))
    }

    fn begin(&self, store: &mut Store) {
        let (min, max) = (store.scalar(self.min), store.scalar(self.max));
        store.map(self.x0, self.y, |x0| limit(x0, min, max));
    }

    fn outputs(&self, _now: &BlockMoment<'_>, _store: &mut Store) {}

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let (min, max) = (store.scalar(self.min), store.scalar(self.max));
        let [u, y] = store.disjoint_lists([self.u, self.y]);
        for (y, u) in y.iter_mut().zip(u.iter()) {
            *y = limit(*y + step.length * u, min, max); // exact for a held input
        }
        Ok(())
    }
}

/// The output is the state.
struct UnitDelay {
    y0: Slot,
    u: Slot,
    y: Slot,
}

pub(super) fn unit_delay(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let y0 = draft.parameter("y0", &shape, 0.0, "the value of the first step").slot();
    let u = draft.input("u", &shape, "what is delayed").slot();
    let y = draft.output("y", &shape, "u as it was a step ago").slot();
    draft.depends(y, y0, DependencyKind::Dependent);
    Some(Box::new(UnitDelay { y0, u, y }))
}

impl BlockBehavior for UnitDelay {
    fn begin(&self, store: &mut Store) {
        store.copy(self.y0, self.y);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, _store: &mut Store) {}

    fn advance(&self, _step: &Step, store: &mut Store) -> Result<(), String> {
        store.copy(self.u, self.y);
        Ok(())
    }
}

/// A parallel PID with a filtered derivative, sampled at its steps:
///
/// ```text
/// e = setpoint - measurement        u = limit(kp e + integral + kd (e - filtered) / tf)
/// integral' = ki e                  filtered' = (e - filtered) / tf
/// ```
///
/// Both states move as they do exactly for an error held over the step. The integral rests while
/// the output is limited and the error would push it further (anti-windup by clamping). The filter
/// starts at the error, so that a run begins without a kick.
struct Pid {
    kp: Slot,
    ki: Slot,
    kd: Slot,
    tf: Slot,
    integral0: Slot,
    min: Slot,
    max: Slot,
    setpoint: Slot,
    measurement: Slot,
    u: Slot,
    integral: Slot,
    filtered: Slot,
}

pub(super) fn pid(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let kp = draft.tunable("kp", 1.0, "the proportional gain").slot();
    let ki = draft.tunable("ki", 0.0, "the integral gain per second").slot();
    let kd = draft.tunable("kd", 0.0, "the derivative gain times a second").slot();
    let text = "the time constant of the derivative's filter";
    let tf = draft.tunable("tf", 0.01, text).unit("s").min(0.0).slot();
    if draft.start_of(kd) != 0.0 && draft.start_of(tf) <= 0.0 {
        let message = format!("{} is {NO_FILTER}", draft.path("tf"));
        let help = "the larger `tf` is, the smoother the derivative part";
        draft.wrong("model::parameter-range", draft.given("tf"), message, help);
    }
    let integral0 = draft.fixed("integral0", 0.0, "the integral part at the start").slot();
    let (min, max) = limits(draft, f64::NEG_INFINITY, f64::INFINITY);
    let setpoint = draft.input("setpoint", &[], "what is wanted").slot();
    let measurement = draft.input("measurement", &[], "what is").slot();
    let u = draft.output("u", &[], "what to do about it").slot();
    let integral = draft.local("integral", &[], "the integral part of u").slot();
    let filtered = draft.local("filtered", &[], "the filtered error").slot();
    for known in [setpoint, measurement, kp, kd, tf, integral0, min, max] {
        draft.depends(u, known, DependencyKind::Dependent);
    }
    draft.depends(integral, integral0, DependencyKind::Constant);
    for known in [setpoint, measurement] {
        draft.depends(filtered, known, DependencyKind::Constant);
    }
    Some(Box::new(Pid {
        kp,
        ki,
        kd,
        tf,
        integral0,
        min,
        max,
        setpoint,
        measurement,
        u,
        integral,
        filtered,
    }))
}

const NO_FILTER: &str = "0, but a derivative part needs a filter";

impl Pid {
    fn error(&self, store: &Store) -> f64 {
        store.scalar(self.setpoint) - store.scalar(self.measurement)
    }

    /// The output before it is limited.
    fn wish(&self, store: &Store) -> f64 {
        let error = self.error(store);
        let (kd, tf) = (store.scalar(self.kd), store.scalar(self.tf));
        // Without a derivative part the filter's time may be zero.
        let derivative =
            if kd == 0.0 { 0.0 } else { kd * (error - store.scalar(self.filtered)) / tf };
        store.scalar(self.kp) * error + store.scalar(self.integral) + derivative
    }

    fn is_winding_up(&self, store: &Store, growth: f64) -> bool {
        let wish = self.wish(store);
        store.scalar(self.max) < wish && 0.0 < growth
            || wish < store.scalar(self.min) && growth < 0.0
    }
}

impl BlockBehavior for Pid {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        if store.scalar(self.kd) != 0.0 && store.scalar(self.tf) <= 0.0 {
            return Err(format!("`tf` is {NO_FILTER}"));
        }
        check_limits(store.scalar(self.min), store.scalar(self.max))
    }

    fn begin(&self, store: &mut Store) {
        store.copy(self.integral0, self.integral);
        let error = self.error(store);
        store.set_scalar(self.filtered, error);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let u = limit(self.wish(store), store.scalar(self.min), store.scalar(self.max));
        store.set_scalar(self.u, u);
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let error = self.error(store);
        let growth = store.scalar(self.ki) * error * step.length;
        let rests = self.is_winding_up(store, growth);
        let (filtered, tf) = (store.scalar(self.filtered), store.scalar(self.tf));
        let followed = if tf <= 0.0 { 1.0 } else { -libm::expm1(-step.length / tf) };
        store.set_scalar(self.filtered, filtered + followed * (error - filtered));
        if !rests {
            store.set_scalar(self.integral, store.scalar(self.integral) + growth);
        }
        Ok(())
    }
}
