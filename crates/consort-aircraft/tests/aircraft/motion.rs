//! What holds for every flight: symmetry, conservation, order of the solver.

use super::trim::trimmed;
use super::{Controls, airplane_in};
use crate::harness::Bench;

const EVEN: [&str; 13] = [
    "latitude",
    "altitude",
    "pitch",
    "pitch_rate",
    "ground_speed",
    "climb_rate",
    "airspeed",
    "angle_of_attack",
    "dynamic_pressure",
    "acceleration_forward",
    "acceleration_down",
    "load_factor",
    "pitch_acceleration",
];
const ODD: [&str; 9] = [
    "longitude",
    "roll",
    "heading",
    "roll_rate",
    "yaw_rate",
    "sideslip",
    "acceleration_right",
    "roll_acceleration",
    "yaw_acceleration",
];

/// An airplane and its mirror image are flown by mirrored controls, engines and wind.
#[test]
fn a_mirrored_flight_is_the_mirror_image_to_the_bit() {
    let (mut state, controls) = trimmed();
    state[1] = 2.0;
    let mut mirrored = state;
    mirrored[1] = -2.0;
    let (mut bench, mut image) =
        (flown_east(&state, &controls, -1.0), flown_east(&mirrored, &controls, 1.0));
    for n in 0..1000 {
        let wave = libm::sin(0.05 * f64::from(n));
        for (bench, side) in [(&mut bench, 1.0), (&mut image, -1.0)] {
            bench.set("aileron", side * 0.1 * wave);
            bench.set("rudder", side * (0.05 - 0.1 * wave));
            bench.set("elevator", 0.02 * wave);
            bench.set("wind_east", side * 4.0 * wave);
            bench.set("wind_down", wave);
            let (near, far) = if side < 0.0 { ("right", "left") } else { ("left", "right") };
            bench.set(&format!("thrust_{near}"), 1500.0);
            bench.set(&format!("thrust_{far}"), 900.0);
        }
        for name in EVEN {
            assert_eq!(bench.get(name), image.get(name), "{name}, step {n}");
        }
        for name in ODD {
            assert_eq!(bench.get(name), -image.get(name), "{name}, step {n}");
        }
        bench.step();
        image.step();
    }
    assert!(0.2 < bench.get("roll").abs(), "it was no flight straight on");
}

/// Longitudes are mirrored too.
fn flown_east(state: &super::State, controls: &Controls, longitude: f64) -> Bench {
    let parameters = super::example_parameters("flight");
    let mut bench = Bench::fresh("flight-dynamics", &parameters, "0.01");
    let [u, v, w, ..] = *state;
    let speed = (u * u + v * v + w * w).sqrt();
    bench.set("speed0", speed);
    bench.set("angle_of_attack0", libm::atan2(w, u));
    bench.set("sideslip0", libm::asin(v / speed));
    bench.set("longitude0", 0.5 * longitude);
    controls.apply(&mut bench);
    bench.start();
    bench
}

const TUMBLING: &str = "mass = 2\ninertia = [1.0, 2.0, 2.5]\ninertia_xz = 0.3\nspeed0 = 20\n\
                        pitch0 = 0.7\naltitude0 = 100\nrates0 = [1.0, 2.0, -0.5]";

/// Without air there is a parabola, which Runge-Kutta meets exactly but for rounding, if the body
/// does not turn.
#[test]
fn without_air_it_falls_on_a_parabola() {
    let parameters = TUMBLING.replace("[1.0, 2.0, -0.5]", "0.0");
    let mut bench = Bench::started("flight-dynamics", &parameters, "0.01");
    for _ in 0..300 {
        bench.step();
    }
    let time = bench.seconds();
    let altitude = 100.0 + 20.0 * libm::sin(0.7) * time - 0.5 * 9.80665 * time * time;
    assert!((bench.get("altitude") - altitude).abs() < 1e-10);
    assert!((bench.get("ground_speed") - 20.0 * libm::cos(0.7)).abs() < 1e-11);
    let north = 20.0 * libm::cos(0.7) * time / 6_371_000.0;
    assert!((bench.get("latitude") / north - 1.0).abs() < 1e-4);
    assert_eq!(bench.get("load_factor"), 0.0);
}

/// Rotational energy, energy of the fall, and angular momentum in local axes.
fn conserved(bench: &mut Bench) -> [f64; 5] {
    let [p, q, r] = ["roll_rate", "pitch_rate", "yaw_rate"].map(|name| bench.get(name));
    let momentum = [1.0 * p - 0.3 * r, 2.0 * q, 2.5 * r - 0.3 * p];
    let turning = 0.5 * (p * momentum[0] + q * momentum[1] + r * momentum[2]);
    let speed = bench.get("airspeed");
    let falling = 0.5 * speed * speed + 9.80665 * bench.get("altitude");
    let [roll, pitch, heading] = ["roll", "pitch", "heading"].map(|name| bench.get(name));
    let [x, y, z] = momentum;
    let (sr, cr) = (libm::sin(roll), libm::cos(roll));
    let (sp, cp) = (libm::sin(pitch), libm::cos(pitch));
    let (sh, ch) = (libm::sin(heading), libm::cos(heading));
    let (level, down) = (x * cp + sp * (y * sr + z * cr), -x * sp + cp * (y * sr + z * cr));
    let side = y * cr - z * sr;
    [turning, falling, level * ch - side * sh, level * sh + side * ch, down]
}

#[test]
fn without_air_energy_and_angular_momentum_stay() {
    let mut bench = Bench::started("flight-dynamics", TUMBLING, "0.001");
    let before = conserved(&mut bench);
    for n in 0..5000 {
        bench.step();
        if n % 100 == 0 {
            for (now, before) in conserved(&mut bench).into_iter().zip(before) {
                assert!((now - before).abs() < 1e-9 * before.abs().max(1.0), "{now} {before}");
            }
        }
    }
}

/// Where it is after 2 s of a hard pull with aileron and one strong engine.
fn pulled(step: &str, substeps: f64) -> Vec<f64> {
    let (state, mut controls) = trimmed();
    (controls.elevator, controls.aileron) = (-0.03, 0.05);
    controls.thrust = [3000.0, 0.0];
    let mut bench = airplane_in(&state, &controls, step);
    if substeps != 1.0 {
        let parameters = super::example_parameters("flight") + "\nsubsteps = 4";
        bench = Bench::fresh("flight-dynamics", &parameters, step);
        bench.set("angle_of_attack0", state[7]);
        bench.set("pitch0", state[7]);
        controls.apply(&mut bench);
        bench.start();
    }
    while bench.seconds() < 2.0 {
        bench.step();
    }
    let names = ["altitude", "airspeed", "roll", "pitch", "heading", "roll_rate", "sideslip"];
    names.iter().map(|name| bench.get(name)).collect()
}

#[test]
fn the_solver_has_order_four() {
    let error = |step: &str, exact: &[f64]| -> f64 {
        let parts = pulled(step, 1.0).into_iter().zip(exact);
        parts.map(|(value, exact)| (value - exact).abs()).fold(0.0, f64::max)
    };
    let exact = pulled("0.0025", 1.0);
    let (coarse, fine) = (error("0.04", &exact), error("0.02", &exact));
    let order = (coarse / fine).log2();
    println!("errors {coarse:.3e}, {fine:.3e}: order {order:.3}");
    assert!((3.8..4.3).contains(&order), "{order}");
    let substeps = pulled("0.01", 4.0);
    let near = substeps.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near, "{substeps:?} {exact:?}");
}
