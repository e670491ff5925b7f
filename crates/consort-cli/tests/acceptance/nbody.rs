//! `examples/nbody` against an integration of the whole problem at once, which is our own here.

use crate::record::Record;
use crate::world::{World, copy};
use consort_testkit::fmus::example;

const NAMES: [&str; 4] = ["sun", "jupiter", "saturn", "uranus"];
const GRAVITATION: f64 = 2.95912208286e-4;
const MASSES: [f64; 4] = [1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546];

/// Places, then velocities.
type State = [[f64; 3]; 8];

const START: State = [
    [0.0, 0.0, 0.0],
    [-3.5023653, -3.8169847, -1.5507963],
    [9.0755314, -3.0458353, -1.6483708],
    [8.3101420, -16.2901086, -7.2521278],
    [0.0, 0.0, 0.0],
    [0.00565429, -0.00412490, -0.00190589],
    [0.00168318, 0.00483525, 0.00192462],
    [0.00354178, 0.00137102, 0.00055029],
];

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn derivative(state: &State) -> State {
    let mut derivative = [[0.0; 3]; 8];
    for body in 0..4 {
        derivative[body] = state[4 + body];
        for other in (0..4).filter(|&other| other != body) {
            let pull = GRAVITATION * MASSES[other] / distance(state[body], state[other]).powi(3);
            for axis in 0..3 {
                derivative[4 + body][axis] += pull * (state[other][axis] - state[body][axis]);
            }
        }
    }
    derivative
}

fn along(state: &State, derivative: &State, length: f64) -> State {
    std::array::from_fn(|index| {
        std::array::from_fn(|axis| state[index][axis] + length * derivative[index][axis])
    })
}

/// Runge and Kutta's step of fourth order.
fn step(state: &State, length: f64) -> State {
    let a = derivative(state);
    let b = derivative(&along(state, &a, length / 2.0));
    let c = derivative(&along(state, &b, length / 2.0));
    let d = derivative(&along(state, &c, length));
    std::array::from_fn(|index| {
        std::array::from_fn(|axis| {
            let sum = a[index][axis] + 2.0 * (b[index][axis] + c[index][axis]) + d[index][axis];
            state[index][axis] + length / 6.0 * sum
        })
    })
}

fn energy(state: &State) -> f64 {
    let origin = [0.0; 3];
    let moving = |body: usize| 0.5 * MASSES[body] * distance(state[4 + body], origin).powi(2);
    let falling =
        |(a, b): (usize, usize)| GRAVITATION * MASSES[a] * MASSES[b] / distance(state[a], state[b]);
    let pairs = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
    (0..4).map(moving).sum::<f64>() - pairs.map(falling).sum::<f64>()
}

/// The length of the angular momentum.
fn momentum(state: &State) -> f64 {
    let of_axis = |axis: usize| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let of_body = |body: usize| {
            let (place, velocity) = (state[body], state[4 + body]);
            MASSES[body] * (place[next] * velocity[last] - place[last] * velocity[next])
        };
        (0..4).map(of_body).sum()
    };
    distance(std::array::from_fn(of_axis), [0.0; 3])
}

/// All rows of a run whose steps are this part of the example's.
fn states(part: u32) -> Vec<State> {
    let world = World::new();
    copy(&example("nbody"), &world.path("s"));
    let text = world.read("s/system.toml");
    let lines = text.lines().map(|line| match line.strip_prefix("step = ") {
        Some(step) => format!("step = \"{step}/{part}\"\n"),
        None => format!("{line}\n"),
    });
    world.system(&lines.collect::<String>());
    world.done(&["run", "s", "--csv", "--out", "run"]);
    let record = Record::parse(&world.read("run/trace.csv"));
    let columns = |names: [&str; 3]| NAMES.map(|body| names.map(|name| format!("{body}.{name}")));
    let names = [columns(["x", "y", "z"]), columns(["vx", "vy", "vz"])].concat();
    let columns: Vec<[Vec<f64>; 3]> =
        names.iter().map(|names| names.each_ref().map(|name| record.floats(name))).collect();
    let row = |row: usize| {
        std::array::from_fn(|index| std::array::from_fn(|axis| columns[index][axis][row]))
    };
    (0..record.times().len()).map(row).collect()
}

/// How far each body is from where it should be at the end.
fn errors(end: &State) -> [f64; 4] {
    let exact = (0..4400).fold(START, |state, _| step(&state, 1.0));
    assert!((energy(&exact) / energy(&START) - 1.0).abs() < 1e-12, "the oracle keeps its energy");
    std::array::from_fn(|body| distance(exact[body], end[body]))
}

/// Bodies that receive the positions of the others of some days ago are off by that much: half as old, half
/// as far off.
#[test]
fn the_bodies_move_as_they_should_and_twice_as_well_with_half_the_steps() {
    let [whole, half] = [1, 2].map(states);
    assert_eq!(whole[0], START);
    let [coarse, fine] = [&whole, &half].map(|states| errors(states.last().unwrap()));
    println!("distances: {coarse:?}, with half the steps {fine:?}");
    for body in 0..4 {
        assert!(coarse[body] < 0.006, "{}: {coarse:?}", NAMES[body]);
        let ratio = coarse[body] / fine[body];
        assert!((1.8..2.2).contains(&ratio), "{}: {ratio}", NAMES[body]);
    }
}

#[test]
fn energy_and_angular_momentum_are_kept_as_well_as_the_steps_allow() {
    for (part, most) in [(1, 2.5e-4), (2, 1.25e-4)] {
        for state in states(part) {
            let drift = (energy(&state) / energy(&START) - 1.0).abs();
            assert!(drift < most, "energy: {drift}");
            let drift = (momentum(&state) / momentum(&START) - 1.0).abs();
            assert!(drift < most, "angular momentum: {drift}");
        }
    }
}
