//! A flight controller: holds altitude, speed and bank, damps all axes, adds what the pilot does.

use crate::atmosphere::GRAVITY;
use crate::{OutputRow, Row, declare_inputs, declare_outputs, scalars, set_scalars};
use consort_core::Step;
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store, limit};

const INPUTS: [Row; 14] = [
    ("altitude_command", "m", "the altitude wanted"),
    ("airspeed_command", "m/s", "the airspeed wanted"),
    ("roll_command", "rad", "the roll wanted"),
    ("stick", "rad", "what the pilot adds to the elevator"),
    ("pedal", "rad", "what the pilot adds to the rudder"),
    ("altitude", "m", "the altitude measured"),
    ("airspeed", "m/s", "the airspeed measured"),
    ("roll", "rad", "the roll measured"),
    ("pitch", "rad", "the pitch measured"),
    ("roll_rate", "rad/s", "the roll rate measured"),
    ("pitch_rate", "rad/s", "the pitch rate measured"),
    ("yaw_rate", "rad/s", "the yaw rate measured"),
    ("acceleration_right", "m/s2", "the lateral acceleration measured"),
    ("climb_rate", "m/s", "the climb rate measured"),
];

const OUTPUTS: [OutputRow<'static>; 4] = [
    ("elevator", "rad", "the deflection asked for", &[0, 3, 5, 7, 8, 10, 11, 13]),
    ("aileron", "rad", "the deflection asked for", &[2, 7, 9]),
    ("rudder", "rad", "the deflection asked for", &[4, 6, 7, 8, 11, 12]),
    ("throttle", "", "0 closed, 1 open", &[1, 6]),
];

/// Name, default and text.
const GAINS: [(&str, f64, &str); 15] = [
    ("altitude_gain", 0.0, "pitch command per altitude error, in rad/m"),
    ("altitude_integral", 0.0, "integral gain of the altitude error, in rad/(m s)"),
    ("climb_gain", 0.0, "pitch command reduction per climb rate, in rad s/m"),
    ("pitch_trim", 0.0, "the pitch of steady flight, in rad"),
    ("pitch_max", 0.2, "largest deviation of the pitch command from `pitch_trim`, in rad"),
    ("pitch_gain", 0.0, "elevator per pitch error"),
    ("pitch_damping", 0.0, "elevator per rate of pitch, in s"),
    ("elevator_trim", 0.0, "the elevator of steady flight, in rad"),
    ("roll_gain", 0.0, "aileron per roll error"),
    ("roll_damping", 0.0, "aileron per roll rate, in s"),
    ("yaw_damping", 0.0, "rudder per yaw rate beyond that of a coordinated turn, in s"),
    ("coordination_gain", 0.0, "rudder per lateral acceleration, in rad s2/m"),
    ("speed_gain", 0.0, "throttle per airspeed error, in s/m"),
    ("speed_integral", 0.0, "integral gain of the airspeed error, in 1/m"),
    ("throttle_trim", 0.0, "the throttle of steady flight"),
];

/// ```text
/// pitch_command = pitch_trim + altitude part, limited; integral by clamping
/// elevator = elevator_trim + stick - pitch_gain (pitch_command - pitch) + pitch_damping pitch'
/// aileron  = roll_gain (roll_command - roll) - roll_damping p
/// rudder   = pedal + yaw_damping (r - turn) + coordination_gain acceleration_right
/// throttle = throttle_trim + speed part, limited to 0..1; integral by clamping
/// pitch' = q cos(roll) - r sin(roll)         turn = g sin(roll) cos(pitch) / airspeed
/// ```
///
/// All outputs follow commands and measurements at once; the integrals move between samples.
struct FlightController {
    gains: [Slot; GAINS.len()],
    inputs: [Slot; INPUTS.len()],
    outputs: [Slot; OUTPUTS.len()],
    /// Of altitude, in rad, and of speed.
    integrals: Slot,
}

pub(crate) fn flight_controller(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let gains = GAINS.map(|(name, default, text)| draft.tunable(name, default, text).slot());
    let inputs = declare_inputs(draft, &INPUTS);
    let outputs = declare_outputs(draft, &OUTPUTS, &inputs, &gains);
    let integrals = draft.hidden(2);
    Some(Box::new(FlightController { gains, inputs, outputs, integrals }))
}

/// A wish, what it becomes within its limits, and by how much its integral grows in a second.
struct Channel {
    wish: f64,
    given: f64,
    growth: f64,
}

impl Channel {
    fn new(wish: f64, limits: (f64, f64), growth: f64) -> Self {
        Channel { wish, given: limit(wish, limits.0, limits.1), growth }
    }

    /// The growth, unless it would push further what is limited already.
    fn growth(&self) -> f64 {
        let is_winding_up = self.given < self.wish && 0.0 < self.growth
            || self.wish < self.given && self.growth < 0.0;
        if is_winding_up { 0.0 } else { self.growth }
    }
}

impl FlightController {
    /// The pitch wanted, from the one of steady flight.
    fn climb(&self, store: &Store) -> Channel {
        let [by_altitude, by_integral, by_climb, _, pitch_max, ..] = scalars(store, &self.gains);
        let inputs = scalars(store, &self.inputs);
        let missing = inputs[0] - inputs[5];
        let wish = by_altitude * missing - by_climb * inputs[13] + store.list(self.integrals)[0];
        Channel::new(wish, (-pitch_max, pitch_max), by_integral * missing)
    }

    fn throttle(&self, store: &Store) -> Channel {
        let [.., by_speed, by_integral, trim] = scalars(store, &self.gains);
        let inputs = scalars(store, &self.inputs);
        let missing = inputs[1] - inputs[6];
        let wish = trim + by_speed * missing + store.list(self.integrals)[1];
        Channel::new(wish, (0.0, 1.0), by_integral * missing)
    }
}

impl BlockBehavior for FlightController {
    fn begin(&self, store: &mut Store) {
        store.list_mut(self.integrals).fill(0.0);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let [
            _,
            _,
            _,
            pitch_trim,
            _,
            pitch_gain,
            pitch_damping,
            elevator_trim,
            roll_gain,
            roll_damping,
            yaw_damping,
            coordination,
            ..,
        ] = scalars(store, &self.gains);
        let [_, _, roll_command, stick, pedal, _, airspeed, roll, pitch, p, q, r, right, _] =
            scalars(store, &self.inputs);
        let missing = pitch_trim + self.climb(store).given - pitch;
        let pitching = q * libm::cos(roll) - r * libm::sin(roll);
        let elevator = elevator_trim + stick - pitch_gain * missing + pitch_damping * pitching;
        let aileron = roll_gain * (roll_command - roll) - roll_damping * p;
        let turn = if 0.0 < airspeed {
            GRAVITY * libm::sin(roll) * libm::cos(pitch) / airspeed
        } else {
            0.0
        };
        let rudder = pedal + yaw_damping * (r - turn) + coordination * right;
        let throttle = self.throttle(store).given;
        set_scalars(store, &self.outputs, [elevator, aileron, rudder, throttle]);
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let growth = [self.climb(store).growth(), self.throttle(store).growth()];
        for (integral, growth) in store.list_mut(self.integrals).iter_mut().zip(growth) {
            *integral += step.length * growth;
        }
        Ok(())
    }
}
