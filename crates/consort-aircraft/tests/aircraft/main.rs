//! The airplane's blocks, and the airplane of `examples/aircraft` made of them.
#![expect(clippy::unwrap_used, reason = "a helper that cannot continue fails its test")]
#![expect(clippy::float_cmp, reason = "exact bits are what we promise")]
#![expect(clippy::print_stdout, reason = "numbers are worth a look")]

mod blocks;
mod documentation;
mod fmus;
#[path = "../../../consort-models/tests/integration/harness.rs"]
mod harness;
mod modes;
mod motion;
mod trim;
mod whole;

use crate::harness::Bench;
use std::fs;
use std::path::PathBuf;

pub(crate) fn example_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/aircraft")
}

/// A system file of the example, without comments.
fn system_file(name: &str) -> Vec<String> {
    let text = fs::read_to_string(example_folder().join(name)).unwrap();
    text.lines().map(|line| line.split('#').next().unwrap().trim().to_owned()).collect()
}

/// What `[components.NAME.parameters]` says, a line per parameter.
fn example_parameters(component: &str) -> String {
    let section = format!("[components.{component}.parameters]");
    let lines = system_file("system.toml");
    let lines = lines.iter().skip_while(|line| **line != section).skip(1);
    let lines: Vec<&str> =
        lines.take_while(|line| !line.starts_with('[')).map(String::as_str).collect();
    assert!(!lines.is_empty(), "{section}");
    lines.join("\n")
}

/// The value of a line `name = number`.
fn number(lines: &str, name: &str) -> f64 {
    let start = format!("{name} = ");
    let line = lines.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
    line.trim().parse().unwrap()
}

/// Density and speed of sound at an altitude.
fn air_at(altitude: f64) -> (f64, f64) {
    let mut bench = Bench::started("atmosphere", "", "0.01");
    bench.set("altitude", altitude);
    (bench.get("density"), bench.get("speed_of_sound"))
}

/// What the example's airplane has around and in it in level flight.
#[derive(Clone, Copy)]
struct Controls {
    elevator: f64,
    aileron: f64,
    rudder: f64,
    /// Left and right.
    thrust: [f64; 2],
}

impl Controls {
    fn apply(&self, bench: &mut Bench) {
        let (density, sound) = air_at(number(&example_parameters("flight"), "altitude0"));
        for (name, value) in [
            ("density", density),
            ("speed_of_sound", sound),
            ("elevator", self.elevator),
            ("aileron", self.aileron),
            ("rudder", self.rudder),
            ("thrust_left", self.thrust[0]),
            ("thrust_right", self.thrust[1]),
        ] {
            bench.set(name, value);
        }
    }
}

/// Velocity in body axes, rates, roll, pitch.
type State = [f64; 8];

/// The example's airplane, started in a state.
fn airplane_in(state: &State, controls: &Controls, step: &str) -> Bench {
    let mut bench = Bench::fresh("flight-dynamics", &example_parameters("flight"), step);
    let [u, v, w, p, q, r, roll, pitch] = *state;
    let speed = (u * u + v * v + w * w).sqrt();
    for (name, value) in [
        ("speed0", speed),
        ("angle_of_attack0", libm::atan2(w, u)),
        ("sideslip0", libm::asin(v / speed)),
        ("roll0", roll),
        ("pitch0", pitch),
    ] {
        bench.set(name, value);
    }
    bench.set_list("rates0", &[p, q, r]);
    controls.apply(&mut bench);
    bench.start();
    bench
}

/// How fast a state changes, from what the block puts out.
fn slopes(state: &State, controls: &Controls) -> State {
    let mut bench = airplane_in(state, controls, "0.01");
    let [u, v, w, p, q, r, roll, pitch] = *state;
    let gravity = 9.80665;
    let turning = [q * w - r * v, r * u - p * w, p * v - q * u];
    let weight = [
        -gravity * libm::sin(pitch),
        gravity * libm::cos(pitch) * libm::sin(roll),
        gravity * libm::cos(pitch) * libm::cos(roll),
    ];
    let force = ["acceleration_forward", "acceleration_right", "acceleration_down"];
    let force = force.map(|name| bench.get(name));
    let turns = ["roll_acceleration", "pitch_acceleration", "yaw_acceleration"];
    let [p_slope, q_slope, r_slope] = turns.map(|name| bench.get(name));
    let straight: [f64; 3] = std::array::from_fn(|axis| force[axis] + weight[axis] - turning[axis]);
    let tangent = libm::sin(pitch) / libm::cos(pitch);
    [
        straight[0],
        straight[1],
        straight[2],
        p_slope,
        q_slope,
        r_slope,
        p + tangent * (q * libm::sin(roll) + r * libm::cos(roll)),
        q * libm::cos(roll) - r * libm::sin(roll),
    ]
}
