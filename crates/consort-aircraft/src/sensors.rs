//! What an airplane knows of itself: air data from pressures, motion from inertial sensors.

use crate::atmosphere::{
    GAS_CONSTANT, GRAVITY, HEAT_RATIO, LAPSE, SEA_LEVEL_PRESSURE, SEA_LEVEL_TEMPERATURE,
};
use crate::{OutputRow, Row, declare_inputs, declare_outputs, elements, scalars, set_scalars};
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store};

const INPUTS: [Row; 11] = [
    ("mach", "", "true value"),
    ("pressure", "Pa", "of the air around"),
    ("temperature", "K", "of the air around"),
    ("roll", "rad", "true value"),
    ("pitch", "rad", "true value"),
    ("heading", "rad", "true value"),
    ("roll_rate", "rad/s", "true value"),
    ("pitch_rate", "rad/s", "true value"),
    ("yaw_rate", "rad/s", "true value"),
    ("acceleration_right", "m/s2", "true value"),
    ("climb_rate", "m/s", "true value"),
];

const OUTPUTS: [OutputRow<'static>; 11] = [
    (
        "pressure_altitude",
        "m",
        "altitude of the measured pressure in the standard atmosphere",
        &[1],
    ),
    ("calibrated_airspeed", "m/s", "the speed at sea level with this impact pressure", &[0, 1]),
    ("true_airspeed", "m/s", "from Mach number and temperature", &[0, 2]),
    ("measured_roll", "rad", "true value plus bias", &[3]),
    ("measured_pitch", "rad", "true value plus bias", &[4]),
    ("measured_heading", "rad", "true value plus bias", &[5]),
    ("measured_roll_rate", "rad/s", "true value plus bias", &[6]),
    ("measured_pitch_rate", "rad/s", "true value plus bias", &[7]),
    ("measured_yaw_rate", "rad/s", "true value plus bias", &[8]),
    ("measured_acceleration_right", "m/s2", "true value plus bias", &[9]),
    ("measured_climb_rate", "m/s", "true value", &[10]),
];

/// Everything follows at once; errors are biases.
struct AircraftSensors {
    pressure_bias: Slot,
    attitude_bias: Slot,
    rate_bias: Slot,
    acceleration_bias: Slot,
    inputs: [Slot; INPUTS.len()],
    outputs: [Slot; OUTPUTS.len()],
}

pub(crate) fn aircraft_sensors(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let text = "measurement bias of the static pressure";
    let pressure_bias = draft.tunable("pressure_bias", 0.0, text).unit("Pa").slot();
    let text = "measurement bias of roll, pitch and heading";
    let attitude_bias = draft.parameter("attitude_bias", &[3], 0.0, text).unit("rad").slot();
    let text = "measurement bias of the rates of roll, pitch and yaw";
    let rate_bias = draft.parameter("rate_bias", &[3], 0.0, text).unit("rad/s").slot();
    let text = "measurement bias of the lateral acceleration";
    let acceleration_bias = draft.tunable("acceleration_bias", 0.0, text).unit("m/s2").slot();
    let inputs = declare_inputs(draft, &INPUTS);
    let parameters = [pressure_bias, attitude_bias, rate_bias, acceleration_bias];
    let outputs = declare_outputs(draft, &OUTPUTS, &inputs, &parameters);
    Some(Box::new(AircraftSensors {
        pressure_bias,
        attitude_bias,
        rate_bias,
        acceleration_bias,
        inputs,
        outputs,
    }))
}

/// The altitude at which the lowest layer of the standard atmosphere has a pressure.
fn pressure_altitude(pressure: f64) -> f64 {
    let exponent = GAS_CONSTANT * LAPSE / GRAVITY;
    let ratio = libm::pow(pressure / SEA_LEVEL_PRESSURE, exponent);
    SEA_LEVEL_TEMPERATURE / LAPSE * (1.0 - ratio)
}

/// From the pressure that a Pitot tube has above that around it, below the speed of sound.
fn calibrated_airspeed(mach: f64, pressure: f64) -> f64 {
    let impact = pressure * (libm::pow(1.0 + 0.2 * mach * mach, 3.5) - 1.0);
    let ratio = libm::pow(impact / SEA_LEVEL_PRESSURE + 1.0, 1.0 / 3.5);
    let sound = HEAT_RATIO * GAS_CONSTANT * SEA_LEVEL_TEMPERATURE;
    (sound * 5.0 * (ratio - 1.0)).sqrt()
}

impl BlockBehavior for AircraftSensors {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let [mach, pressure, temperature, roll, pitch, heading, p, q, r, right, climb] =
            scalars(store, &self.inputs);
        let [roll_bias, pitch_bias, heading_bias]: [f64; 3] = elements(store, self.attitude_bias);
        let [p_bias, q_bias, r_bias]: [f64; 3] = elements(store, self.rate_bias);
        let pressure = (pressure + store.scalar(self.pressure_bias)).max(0.0);
        let sound = (HEAT_RATIO * GAS_CONSTANT * temperature.max(0.0)).sqrt();
        let values = [
            pressure_altitude(pressure),
            calibrated_airspeed(mach, pressure),
            mach * sound,
            roll + roll_bias,
            pitch + pitch_bias,
            heading + heading_bias,
            p + p_bias,
            q + q_bias,
            r + r_bias,
            right + store.scalar(self.acceleration_bias),
            climb,
        ];
        set_scalars(store, &self.outputs, values);
    }
}
