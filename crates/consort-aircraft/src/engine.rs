//! A piston engine with a propeller of constant speed.

use crate::{OutputRow, Row, declare_inputs, declare_outputs, scalars, set_scalars};
use consort_core::{DependencyKind, Step};
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store, limit};

/// Of the standard atmosphere, in kg/m3.
const SEA_LEVEL_DENSITY: f64 = 1.225;
/// How power falls with density without a supercharger: a rule of thumb known by the names of Gagg and
/// Farrar.
const BY_DENSITY: f64 = 1.132;

const INPUTS: [Row; 3] = [
    ("throttle", "", "0 closed, 1 open"),
    ("density", "kg/m3", "of the air around"),
    ("airspeed", "m/s", "through the air"),
];

const OUTPUTS: [OutputRow<'static>; 2] =
    [("thrust", "N", "of the propeller", &[1, 2]), ("power", "W", "of the shaft", &[1])];

/// ```text
/// opening' = (throttle - opening) / lag      power = power_max opening (1.132 s - 0.132)
/// thrust = power efficiency / airspeed       s = density by that at sea level
/// efficiency = efficiency_max (2 n - n^2)    n = airspeed / design_speed, at most 1
/// ```
///
/// Thrust follows density and airspeed at once, but the throttle only in time.
struct PistonEngine {
    power_max: Slot,
    efficiency_max: Slot,
    design_speed: Slot,
    lag: Slot,
    opening0: Slot,
    inputs: [Slot; INPUTS.len()],
    outputs: [Slot; OUTPUTS.len()],
    opening: Slot,
}

pub(crate) fn piston_engine(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let text = "of the shaft at sea level with an open throttle";
    let power_max = draft.tunable("power_max", 100_000.0, text).unit("W").slot();
    let text = "of the propeller, at its design speed and above";
    let efficiency_max = draft.tunable("efficiency_max", 0.8, text).slot();
    let text = "the airspeed from which on the propeller is at its best";
    let design_speed = draft.fixed("design_speed", 50.0, text).unit("m/s").slot();
    let text = "the time constant with which power follows the throttle";
    let lag = draft.fixed("lag", 0.5, text).unit("s").min(0.0).slot();
    let opening0 = draft.fixed("opening0", 0.0, "the opening at the start").slot();
    let inputs = declare_inputs(draft, &INPUTS);
    let parameters = [power_max, efficiency_max, design_speed, opening0];
    let outputs = declare_outputs(draft, &OUTPUTS, &inputs, &parameters);
    let opening = draft.local("opening", &[], "how far power has followed the throttle").slot();
    draft.depends(opening, opening0, DependencyKind::Constant);
    Some(Box::new(PistonEngine {
        power_max,
        efficiency_max,
        design_speed,
        lag,
        opening0,
        inputs,
        outputs,
        opening,
    }))
}

impl BlockBehavior for PistonEngine {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        let speed = store.scalar(self.design_speed);
        if speed.is_nan() || speed <= 0.0 {
            return Err(format!("`design_speed` = {speed:?} is not positive"));
        }
        Ok(())
    }

    fn begin(&self, store: &mut Store) {
        store.copy(self.opening0, self.opening);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let [_, density, airspeed] = scalars(store, &self.inputs);
        let part = BY_DENSITY * (density / SEA_LEVEL_DENSITY) - (BY_DENSITY - 1.0);
        let power = store.scalar(self.power_max) * store.scalar(self.opening) * part.max(0.0);
        let design_speed = store.scalar(self.design_speed);
        let speed = limit(airspeed, 0.0, f64::INFINITY);
        // Efficiency by airspeed: the form that has no pole at rest.
        let by_speed = if speed < design_speed {
            (2.0 - speed / design_speed) / design_speed
        } else {
            1.0 / speed
        };
        let thrust = power * store.scalar(self.efficiency_max) * by_speed;
        set_scalars(store, &self.outputs, [thrust, power]);
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let [throttle, ..] = scalars(store, &self.inputs);
        let (opening, lag) = (store.scalar(self.opening), store.scalar(self.lag));
        let followed = if lag <= 0.0 { 1.0 } else { -libm::expm1(-step.length / lag) };
        let gap = limit(throttle, 0.0, 1.0) - opening;
        store.set_scalar(self.opening, opening + followed * gap); // exact for a held throttle
        Ok(())
    }
}
