//! An airplane in blocks: the parts of a flight simulation after Chaudron et al. (2016), section 5.3.
//!
//! Every block says for each output which inputs it follows at once. So position comes first, then
//! the atmosphere at that position, then what depends on the air: no block waits for itself.
//! Units are SI throughout, angles are in radians, the body axes point forward, right and down.
//!
//! This is a model pack: [`BLOCKS`] are given to [`ModelKinds::with_packs`](consort_models::ModelKinds::with_packs), and
//! are then found as `native:NAME` like the blocks of `consort-models`.
//!
//! | `native:` | inputs | outputs | parameters | what it does |
//! |---|---|---|---|---|
//! | `actuator` | u | y, rate | frequency, damping, rate_max, min, max, y0 | u, followed with limits of position and rate |
//! | `aircraft-sensors` | mach, pressure, temperature, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate | pressure_altitude, calibrated_airspeed, true_airspeed, measured_roll, measured_pitch, measured_heading, measured_roll_rate, measured_pitch_rate, measured_yaw_rate, measured_acceleration_right, measured_climb_rate | pressure_bias, attitude_bias, rate_bias, acceleration_bias | air data and inertial measurements |
//! | `atmosphere` | altitude | temperature, pressure, density, speed_of_sound, wind_north, wind_east, wind_down | wind, gust, gust_start, gust_duration | the standard atmosphere of 1976, wind and a gust |
//! | `flight-controller` | altitude_command, airspeed_command, roll_command, stick, pedal, altitude, airspeed, roll, pitch, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate | elevator, aileron, rudder, throttle | altitude_gain, altitude_integral, climb_gain, pitch_trim, pitch_max, pitch_gain, pitch_damping, elevator_trim, roll_gain, roll_damping, yaw_damping, coordination_gain, speed_gain, speed_integral, throttle_trim | holds altitude, airspeed and roll, damps all axes |
//! | `flight-dynamics` | density, speed_of_sound, wind_north, wind_east, wind_down, elevator, aileron, rudder, thrust_left, thrust_right | latitude, longitude, altitude, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, ground_speed, climb_rate, airspeed, angle_of_attack, sideslip, mach, dynamic_pressure, acceleration_forward, acceleration_right, acceleration_down, load_factor, roll_acceleration, pitch_acceleration, yaw_acceleration | mass, inertia, inertia_xz, wing, lift, drag, side_force, roll_moment, pitch_moment, yaw_moment, engine, gravity, earth_radius, speed0, angle_of_attack0, sideslip0, roll0, pitch0, heading0, rates0, latitude0, longitude0, altitude0, substeps | an airplane with two engines, six degrees of freedom |
//! | `geocentric` | latitude, longitude, altitude, roll, pitch, heading | x, y, z, psi, theta, phi |  | position and attitude from the earth's center, for displays |
//! | `piston-engine` | throttle, density, airspeed | thrust, power | power_max, efficiency_max, design_speed, lag, opening0 | a piston engine with a propeller of constant speed |

mod actuator;
mod atmosphere;
mod controller;
mod engine;
mod equations;
mod flight_dynamics;
mod geocentric;
mod rotation;
mod sensors;

use consort_core::DependencyKind;
use consort_models::native::{Block, BlockDraft, BlockEquations, Slot, Store};

/// The blocks of an airplane.
pub const BLOCKS: &[Block] = &[
    Block {
        name: "actuator",
        summary: "u, followed with limits of position and rate",
        inputs: "u",
        outputs: "y, rate",
        parameters: "frequency, damping, rate_max, min, max, y0",
        make: actuator::actuator,
        equations: BlockEquations::Text(include_str!("actuator.eq")),
    },
    Block {
        name: "aircraft-sensors",
        summary: "air data and inertial measurements",
        inputs: "mach, pressure, temperature, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate",
        outputs: "pressure_altitude, calibrated_airspeed, true_airspeed, measured_roll, measured_pitch, measured_heading, measured_roll_rate, measured_pitch_rate, measured_yaw_rate, measured_acceleration_right, measured_climb_rate",
        parameters: "pressure_bias, attitude_bias, rate_bias, acceleration_bias",
        make: sensors::aircraft_sensors,
        equations: BlockEquations::Text(include_str!("sensors.eq")),
    },
    Block {
        name: "atmosphere",
        summary: "the standard atmosphere of 1976, wind and a gust",
        inputs: "altitude",
        outputs: "temperature, pressure, density, speed_of_sound, wind_north, wind_east, wind_down",
        parameters: "wind, gust, gust_start, gust_duration",
        make: atmosphere::atmosphere,
        equations: BlockEquations::Made(atmosphere::equations),
    },
    Block {
        name: "flight-controller",
        summary: "holds altitude, airspeed and roll, damps all axes",
        inputs: "altitude_command, airspeed_command, roll_command, stick, pedal, altitude, airspeed, roll, pitch, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate",
        outputs: "elevator, aileron, rudder, throttle",
        parameters: "altitude_gain, altitude_integral, climb_gain, pitch_trim, pitch_max, pitch_gain, pitch_damping, elevator_trim, roll_gain, roll_damping, yaw_damping, coordination_gain, speed_gain, speed_integral, throttle_trim",
        make: controller::flight_controller,
        equations: BlockEquations::Text(include_str!("controller.eq")),
    },
    Block {
        name: "flight-dynamics",
        summary: "an airplane with two engines, six degrees of freedom",
        inputs: "density, speed_of_sound, wind_north, wind_east, wind_down, elevator, aileron, rudder, thrust_left, thrust_right",
        outputs: "latitude, longitude, altitude, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, ground_speed, climb_rate, airspeed, angle_of_attack, sideslip, mach, dynamic_pressure, acceleration_forward, acceleration_right, acceleration_down, load_factor, roll_acceleration, pitch_acceleration, yaw_acceleration",
        parameters: "mass, inertia, inertia_xz, wing, lift, drag, side_force, roll_moment, pitch_moment, yaw_moment, engine, gravity, earth_radius, speed0, angle_of_attack0, sideslip0, roll0, pitch0, heading0, rates0, latitude0, longitude0, altitude0, substeps",
        make: flight_dynamics::flight_dynamics,
        equations: BlockEquations::Text(include_str!("flight_dynamics.eq")),
    },
    Block {
        name: "geocentric",
        summary: "position and attitude from the earth's center, for displays",
        inputs: "latitude, longitude, altitude, roll, pitch, heading",
        outputs: "x, y, z, psi, theta, phi",
        parameters: "",
        make: geocentric::geocentric,
        equations: BlockEquations::Text(include_str!("geocentric.eq")),
    },
    Block {
        name: "piston-engine",
        summary: "a piston engine with a propeller of constant speed",
        inputs: "throttle, density, airspeed",
        outputs: "thrust, power",
        parameters: "power_max, efficiency_max, design_speed, lag, opening0",
        make: engine::piston_engine,
        equations: BlockEquations::Text(include_str!("engine.eq")),
    },
];

/// Name, unit (none if empty) and text of a scalar.
type Row = (&'static str, &'static str, &'static str);

/// Name, unit and text of a scalar output, and the numbers of the inputs it follows at once.
type OutputRow<'a> = (&'static str, &'static str, &'static str, &'a [usize]);

/// Declares scalar inputs, in order.
fn declare_inputs<const N: usize>(draft: &mut BlockDraft<'_>, rows: &[Row; N]) -> [Slot; N] {
    rows.map(|(name, unit, text)| {
        let entry = draft.input(name, &[], text);
        if unit.is_empty() { entry.slot() } else { entry.unit(unit).slot() }
    })
}

/// Declares scalar outputs with what they follow at once; every one follows `parameters` in
/// initialization.
fn declare_outputs<const N: usize>(
    draft: &mut BlockDraft<'_>,
    rows: &[OutputRow<'_>; N],
    inputs: &[Slot],
    parameters: &[Slot],
) -> [Slot; N] {
    rows.map(|(name, unit, text, follows)| {
        let entry = draft.output(name, &[], text);
        let output = if unit.is_empty() { entry.slot() } else { entry.unit(unit).slot() };
        for &input in follows {
            draft.depends(output, inputs[input], DependencyKind::Dependent);
        }
        for &parameter in parameters {
            draft.depends(output, parameter, DependencyKind::Dependent);
        }
        output
    })
}

/// The values of several scalars.
fn scalars<const N: usize>(store: &Store, slots: &[Slot; N]) -> [f64; N] {
    slots.map(|slot| store.scalar(slot))
}

/// Gives several scalars their values.
fn set_scalars<const N: usize>(store: &mut Store, slots: &[Slot; N], values: [f64; N]) {
    for (slot, value) in slots.iter().zip(values) {
        store.set_scalar(*slot, value);
    }
}

/// The elements of a variable that has so many.
fn elements<const N: usize>(store: &Store, slot: Slot) -> [f64; N] {
    let list = store.list(slot);
    std::array::from_fn(|index| list[index])
}
