//! What an airplane knows of itself: air data from pressures, motion from inertial sensors.

use crate::atmosphere::{
    GAS_CONSTANT, GRAVITY, HEAT_RATIO, LAPSE, SEA_LEVEL_PRESSURE, SEA_LEVEL_TEMPERATURE,
};
use crate::{OutputRow, Row, declare_inputs, declare_outputs, elements, scalars, set_scalars};
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store};

const INPUTS: [Row; 11] = [
    ("mach", "", "the true one"),
    ("pressure", "Pa", "of the air around"),
    ("temperature", "K", "of the air around"),
    ("roll", "rad", "the true one"),
    ("pitch", "rad", "the true one"),
    ("heading", "rad", "the true one"),
    ("roll_rate", "rad/s", "the true one"),
    ("pitch_rate", "rad/s", "the true one"),
    ("yaw_rate", "rad/s", "the true one"),
    ("acceleration_right", "m/s2", "the true one"),
    ("climb_rate", "m/s", "the true one"),
];

const OUTPUTS: [OutputRow<'static>; 11] = [
    ("pressure_altitude", "m", "where the standard has the pressure measured", &[1]),
    ("calibrated_airspeed", "m/s", "the speed at sea level with this impact pressure", &[0, 1]),
    ("true_airspeed", "m/s", "from Mach number and temperature", &[0, 2]),
    ("measured_roll", "rad", "with its bias", &[3]),
    ("measured_pitch", "rad", "with its bias", &[4]),
    ("measured_heading", "rad", "with its bias", &[5]),
    ("measured_roll_rate", "rad/s", "with its bias", &[6]),
    ("measured_pitch_rate", "rad/s", "with its bias", &[7]),
    ("measured_yaw_rate", "rad/s", "with its bias", &[8]),
    ("measured_acceleration_right", "m/s2", "with its bias", &[9]),
    ("measured_climb_rate", "m/s", "as it is", &[10]),
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
    let text = "what is measured too much";
    let pressure_bias = draft.tunable("pressure_bias", 0.0, text).unit("Pa").slot();
    let text = "what is measured too much of roll, pitch and heading";
    let attitude_bias = draft.parameter("attitude_bias", &[3], 0.0, text).unit("rad").slot();
    let text = "what is measured too much of the rates of roll, pitch and yaw";
    let rate_bias = draft.parameter("rate_bias", &[3], 0.0, text).unit("rad/s").slot();
    let text = "what is measured too much of the lateral acceleration";
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
