//! Native blocks: `native:NAME` in a system file, so that systems can be written without any FMU.
//!
//! A block declares its variables line by line on a `Draft` and implements `Behavior`; references,
//! values, states and the life cycle are shared by all. Its outputs follow its inputs at once
//! ([`Refresh::AtOnce`](consort_core::Refresh)).
//!
//! The parameters that shape a block (`size`, `signs`, `file`, `type`, `A`, ...) are read when it is
//! made. They are ordinary fixed parameters in its description, so that whoever checks or sets a
//! component's parameters needs no special case, but they can only be set to what they are.

mod aircraft;
mod algebra;
mod behavior;
mod conversions;
mod draft;
mod dynamics;
mod equations;
mod instance;
mod noise;
mod sources;
mod state;
mod state_space;
pub(crate) mod store;
mod table;

use crate::loaded::LoadedModel;
use crate::request::ModelRequest;
use behavior::Behavior;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report};
use draft::Draft;

pub use equations::equations;

/// A kind of native block, for lists and help.
pub struct Block {
    /// What follows `native:`.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Its inputs.
    pub inputs: &'static str,
    /// Its outputs.
    pub outputs: &'static str,
    /// Its parameters.
    pub parameters: &'static str,
    make: fn(&mut Draft<'_>) -> Option<Box<dyn Behavior>>,
}

macro_rules! blocks {
    ($($name:literal ($make:path): $summary:literal, $inputs:literal -> $outputs:literal, $parameters:literal;)*) => {
        /// Every native block, by name.
        pub const BLOCKS: &[Block] = &[$(Block {
            name: $name,
            summary: $summary,
            inputs: $inputs,
            outputs: $outputs,
            parameters: $parameters,
            make: $make,
        },)*];
    };
}

blocks! {
    "actuator" (aircraft::actuator::actuator): "u, followed with limits of position and rate",
        "u" -> "y, rate", "frequency, damping, rate_max, min, max, y0";
    "aircraft-sensors" (aircraft::sensors::aircraft_sensors): "air data and inertial measurements",
        "mach, pressure, temperature, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate"
            -> "pressure_altitude, calibrated_airspeed, true_airspeed, measured_roll, measured_pitch, measured_heading, measured_roll_rate, measured_pitch_rate, measured_yaw_rate, measured_acceleration_right, measured_climb_rate",
        "pressure_bias, attitude_bias, rate_bias, acceleration_bias";
    "atmosphere" (aircraft::atmosphere::atmosphere): "the standard atmosphere of 1976, wind and a gust",
        "altitude" -> "temperature, pressure, density, speed_of_sound, wind_north, wind_east, wind_down",
        "wind, gust, gust_start, gust_duration";
    "constant" (sources::constant): "a value of any type and shape",
        "" -> "y", "value, type";
    "flight-controller" (aircraft::controller::flight_controller): "holds altitude, airspeed and roll, damps all axes",
        "altitude_command, airspeed_command, roll_command, stick, pedal, altitude, airspeed, roll, pitch, roll_rate, pitch_rate, yaw_rate, acceleration_right, climb_rate"
            -> "elevator, aileron, rudder, throttle",
        "altitude_gain, altitude_integral, climb_gain, pitch_trim, pitch_max, pitch_gain, pitch_damping, elevator_trim, roll_gain, roll_damping, yaw_damping, coordination_gain, speed_gain, speed_integral, throttle_trim";
    "flight-dynamics" (aircraft::flight_dynamics::flight_dynamics): "an airplane with two engines, six degrees of freedom",
        "density, speed_of_sound, wind_north, wind_east, wind_down, elevator, aileron, rudder, thrust_left, thrust_right"
            -> "latitude, longitude, altitude, roll, pitch, heading, roll_rate, pitch_rate, yaw_rate, ground_speed, climb_rate, airspeed, angle_of_attack, sideslip, mach, dynamic_pressure, acceleration_forward, acceleration_right, acceleration_down, load_factor, roll_acceleration, pitch_acceleration, yaw_acceleration",
        "mass, inertia, inertia_xz, wing, lift, drag, side_force, roll_moment, pitch_moment, yaw_moment, engine, gravity, earth_radius, speed0, angle_of_attack0, sideslip0, roll0, pitch0, heading0, rates0, latitude0, longitude0, altitude0, substeps";
    "gain" (algebra::gain): "y = k u",
        "u" -> "y", "k, size";
    "geocentric" (aircraft::geocentric::geocentric): "position and attitude from the earth's center, for displays",
        "latitude, longitude, altitude, roll, pitch, heading" -> "x, y, z, psi, theta, phi", "";
    "integrator" (dynamics::integrator): "the integral of u, between min and max",
        "u" -> "y", "x0, min, max, size";
    "noise" (noise::noise): "random values of the experiment's seed",
        "" -> "y", "distribution, mean, deviation, period";
    "pid" (dynamics::pid): "a PID controller with limits and anti-windup",
        "setpoint, measurement" -> "u", "kp, ki, kd, tf, integral0, min, max";
    "piston-engine" (aircraft::engine::piston_engine): "a piston engine with a propeller of constant speed",
        "throttle, density, airspeed" -> "thrust, power",
        "power_max, efficiency_max, design_speed, lag, opening0";
    "pulse" (sources::pulse): "high for a part of each period",
        "" -> "y", "period, duty, delay, low, high";
    "ramp" (sources::ramp): "straight from one value to another",
        "" -> "y", "start, duration, from, to";
    "round" (conversions::round): "u as a whole number",
        "u" -> "y", "method, type, size";
    "saturation" (algebra::saturation): "u, between min and max",
        "u" -> "y", "min, max, size";
    "sine" (sources::sine): "y = offset + amplitude sin(2 pi frequency t + phase)",
        "" -> "y", "amplitude, frequency, phase, offset";
    "state-space" (state_space::state_space): "x' = A x + B u, y = C x + D u",
        "u" -> "y", "A, B, C, D, x0, substep, method, starter, ports";
    "step" (sources::step): "one value, then another",
        "" -> "y", "time, before, after";
    "sum" (algebra::sum): "the sum of inputs with signs",
        "u1 ... un" -> "y", "signs";
    "table" (table::table): "columns of a CSV file over time",
        "" -> "one per column", "file, interpolation";
    "threshold" (conversions::threshold): "whether u has reached a threshold, as a Boolean",
        "u" -> "y", "threshold, size";
    "unit-delay" (dynamics::unit_delay): "u as it was a step ago",
        "u" -> "y", "y0, size";
}

/// Makes the block `name` with the request's parameters; `None` if something is wrong with them.
pub fn load(name: &str, request: &ModelRequest<'_>, report: &mut Report) -> Option<LoadedModel> {
    let Some(block) = BLOCKS.iter().find(|block| block.name == name) else {
        report.push(unknown_block(name, request));
        return None;
    };
    let before = report.error_count();
    let mut draft = Draft::new(request, report);
    let behavior = (block.make)(&mut draft)?;
    if draft.report.error_count() != before {
        return None;
    }
    let inputs = std::mem::take(&mut draft.files);
    let model = draft.finish(block.name, block.summary, behavior);
    Some(LoadedModel { model, inputs, assumed: Vec::new(), saved_by: None })
}

fn unknown_block(name: &str, request: &ModelRequest<'_>) -> Diagnostic {
    let names = || BLOCKS.iter().map(|block| block.name);
    let list: Vec<&str> = names().collect();
    let message = match request.component {
        "" => format!("there is no block `native:{name}`"),
        component => format!("`{component}` asks for the unknown block `native:{name}`"),
    };
    let diagnostic = Diagnostic::error("model::unknown-block", message)
        .maybe_at(request.span, "no such block")
        .with_note(format!("the blocks are {}", list.join(", ")));
    match nearest_name(name, names()) {
        Some(nearest) => diagnostic.help(format!("did you mean `native:{nearest}`?")),
        None => diagnostic.help("take one of these, or the path of an FMU"),
    }
}
