//! Trimmed flight: Newton's method finds it, the example starts in it.

use super::{Controls, State, air_at, example_parameters, number, slopes, system_file};
use crate::harness::Bench;

/// The state and the controls of level flight at the example's altitude and speed.
pub(super) fn trimmed() -> (State, Controls) {
    let speed = number(&example_parameters("flight"), "speed0");
    // Angle of attack, elevator, thrust of each engine by 10 kN.
    let mut unknowns = [0.0, 0.0, 0.1];
    for _ in 0..20 {
        let residual = residuals(speed, unknowns);
        if residual.iter().all(|part| part.abs() < 1e-12) {
            break;
        }
        let columns: [[f64; 3]; 3] = std::array::from_fn(|column| {
            let (mut more, mut less) = (unknowns, unknowns);
            more[column] += 1e-5;
            less[column] -= 1e-5;
            let (more, less) = (residuals(speed, more), residuals(speed, less));
            std::array::from_fn(|row| (more[row] - less[row]) / 2e-5)
        });
        let correction = solve(columns, residual);
        unknowns.iter_mut().zip(correction).for_each(|(unknown, part)| *unknown -= part);
    }
    at(speed, unknowns)
}

fn at(speed: f64, [attack, elevator, thrust]: [f64; 3]) -> (State, Controls) {
    let (u, w) = (speed * libm::cos(attack), speed * libm::sin(attack));
    let thrust = [1e4 * thrust; 2];
    let controls = Controls { elevator, aileron: 0.0, rudder: 0.0, thrust };
    ([u, 0.0, w, 0.0, 0.0, 0.0, 0.0, attack], controls)
}

fn residuals(speed: f64, unknowns: [f64; 3]) -> [f64; 3] {
    let (state, controls) = at(speed, unknowns);
    let slopes = slopes(&state, &controls);
    [slopes[0], slopes[2], slopes[4]]
}

/// Cramer's rule for the columns of a matrix.
fn solve(columns: [[f64; 3]; 3], right: [f64; 3]) -> [f64; 3] {
    let whole = determinant(columns);
    std::array::from_fn(|column| {
        let mut replaced = columns;
        replaced[column] = right;
        determinant(replaced) / whole
    })
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// `y0 = 0.1` out of a line `parameters = { ... }` of a component.
fn inline(component: &str, name: &str) -> f64 {
    let lines = system_file("system.toml");
    let section = format!("[components.{component}]");
    let lines = lines.iter().skip_while(|line| **line != section);
    let line = lines.skip(1).find(|line| line.starts_with("parameters")).unwrap();
    let start = line.find(&format!("{name} = ")).unwrap() + name.len() + 3;
    let end = line[start..].find([',', ' ']).unwrap() + start;
    line[start..end].parse().unwrap()
}

#[test]
fn the_example_starts_in_trim() {
    let (state, controls) = trimmed();
    let parameters = example_parameters("flight");
    let opening = opening_for(controls.thrust[0]);
    println!("angle_of_attack0 = pitch0 = pitch_trim = {:?}", state[7]);
    println!("elevator y0 = elevator_trim = {:?}", controls.elevator);
    println!("opening0 = throttle_trim = {opening:?}, thrust {:?}", controls.thrust[0]);
    let controller = example_parameters("controller");
    for (written, found) in [
        (number(&parameters, "angle_of_attack0"), state[7]),
        (number(&parameters, "pitch0"), state[7]),
        (number(&controller, "pitch_trim"), state[7]),
        (number(&controller, "elevator_trim"), controls.elevator),
        (inline("elevator", "y0"), controls.elevator),
        (number(&controller, "throttle_trim"), opening),
        (inline("left", "opening0"), opening),
        (inline("right", "opening0"), opening),
    ] {
        assert!((written - found).abs() < 5e-11, "{written:?} is not {found:?}");
    }
}

/// The opening at which an engine of the example has a thrust at the start.
fn opening_for(thrust: f64) -> f64 {
    let mut bench = Bench::fresh(
        "piston-engine",
        "power_max = 193880\nefficiency_max = 0.85\ndesign_speed = 60\nopening0 = 1",
        "0.01",
    );
    for name in ["power_max", "efficiency_max", "design_speed"] {
        bench.set(name, inline("left", name));
    }
    let parameters = example_parameters("flight");
    bench.set("density", air_at(number(&parameters, "altitude0")).0);
    bench.set("airspeed", number(&parameters, "speed0"));
    bench.start();
    thrust / bench.get("thrust")
}

#[test]
fn level_flight_is_a_fixed_point() {
    let (state, controls) = trimmed();
    for (index, slope) in slopes(&state, &controls).into_iter().enumerate() {
        assert!(slope.abs() < 1e-9, "state {index} changes by {slope:e} in a second");
    }
}
