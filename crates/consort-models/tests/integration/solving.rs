//! The ways to solve `native:state-space`.

use crate::harness::{Bench, METHODS};
use consort_core::Direction;
use consort_solve::{FixedStep, Method};

/// The error of the undamped oscillator x'' = -x + u, whose matrix exponential is a rotation.
fn oscillator_error(step: &str, extra: &str) -> f64 {
    let parameters = format!("A = [[0, 1], [-1, 0]]\nB = [[0], [1]]\nx0 = [1, 0]\n{extra}");
    let mut bench = Bench::started("state-space", &parameters, step);
    bench.set("u", 0.5);
    while bench.seconds() < 2.0 {
        bench.step();
    }
    let mut y = [0.0; 2];
    bench.get_list("y", &mut y);
    let time = bench.seconds();
    let exact = [0.5 + 0.5 * libm::cos(time), -0.5 * libm::sin(time)];
    (y[0] - exact[0]).hypot(y[1] - exact[1])
}

#[test]
fn runge_kutta_meets_the_matrix_exponential_with_order_four() {
    let (coarse, fine) = (oscillator_error("0.2", ""), oscillator_error("0.1", ""));
    let order = (coarse / fine).log2();
    assert!(coarse < 1e-4, "{coarse}");
    assert!((3.9..4.1).contains(&order), "order {order}");
}

#[test]
fn every_method_has_its_order() {
    for (method, expected) in METHODS.into_iter().zip([1.0, 2.0, 2.0, 2.0, 3.0]) {
        let (coarse, fine) = (oscillator_error("0.01", method), oscillator_error("0.005", method));
        let order = (coarse / fine).log2();
        println!("{method}: error {fine:.2e}, order {order:.3}");
        assert!((order - expected).abs() < 0.2, "{method}: {order}");
    }
}

#[test]
fn substeps_give_what_shorter_steps_give_for_a_held_input() {
    for method in [""].into_iter().chain(METHODS) {
        let substeps = oscillator_error("0.2", &format!("substep = 0.1\n{method}"));
        let steps = oscillator_error("0.1", method);
        assert!((substeps - steps).abs() < 1e-12, "{method}: {substeps} and {steps}");
    }
}

/// A plant of two states with feedthrough, and the input it gets at step `n`.
const PLANT: &str = "A = [[0.0, 1.0], [-2.0, -0.3]]\nB = [[0.1], [0.7]]\nC = [[1.0, 0.2]]\nD = [[0.4]]\n\
     x0 = [1.0, -0.5]";

fn input(n: u32) -> f64 {
    libm::sin(0.37 * f64::from(n))
}

/// x_{n+1} = x_n + h (A x_n + B u_n), y_n = C x_n + D u_n.
#[test]
fn euler_is_the_recurrence_to_the_bit() {
    let mut bench = Bench::started("state-space", &format!("{PLANT}\nmethod = \"euler\""), "0.01");
    let (mut x, h) = ([1.0, -0.5], 0.01);
    for n in 0..500 {
        let u = input(n);
        bench.set("u", u);
        assert_eq!(bench.get("y").to_bits(), ((1.0 * x[0] + 0.2 * x[1]) + 0.4 * u).to_bits());
        bench.step();
        x = [
            x[0] + h * ((0.0 * x[0] + 1.0 * x[1]) + 0.1 * u),
            x[1] + h * ((-2.0 * x[0] + -0.3 * x[1]) + 0.7 * u),
        ];
        let mut states = [0.0; 2];
        bench.get_list("x", &mut states);
        assert_eq!(states.map(f64::to_bits), x.map(f64::to_bits), "step {n}");
    }
}

/// The block sums the stages up as a Taylor series, the solver one after another.
#[test]
fn runge_kutta_is_that_of_the_solver_but_for_rounding() {
    let mut bench = Bench::started("state-space", PLANT, "0.01");
    let (mut x, mut solver) = ([1.0, -0.5], FixedStep::new(Method::RungeKutta4, 2));
    for n in 0..500 {
        let u = input(n);
        bench.set("u", u);
        bench.step();
        let f = |_: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[1] + 0.1 * u;
            dx[1] = -2.0 * x[0] - 0.3 * x[1] + 0.7 * u;
        };
        solver.step(&mut x, f, f64::from(n) * 0.01, 0.01);
        let mut states = [0.0; 2];
        bench.get_list("x", &mut states);
        let error = (states[0] - x[0]).abs().max((states[1] - x[1]).abs());
        assert!(error < 1e-13, "step {n}: {error}");
    }
}

/// Two integrators in a ring, each solved by its own block, against one block with both.
#[test]
fn blocks_that_exchange_at_every_point_solve_the_whole_system() {
    for method in ["method = \"euler\"", "method = \"ab2\"", "method = \"ab3\""] {
        let part = |x0: f64, b: f64| {
            let parameters = format!("A = [[-0.1]]\nB = [[{b:?}]]\nx0 = {x0:?}\n{method}");
            Bench::started("state-space", &parameters, "0.01")
        };
        let (mut one, mut other) = (part(1.0, 1.0), part(0.25, -1.5));
        let whole = format!("A = [[-0.1, 1.0], [-1.5, -0.1]]\nx0 = [1.0, 0.25]\n{method}");
        let mut whole = Bench::started("state-space", &whole, "0.01");
        for n in 0..500 {
            let (x, y) = (one.get("y"), other.get("y"));
            let mut both = [0.0; 2];
            whole.get_list("y", &mut both);
            let error = (both[0] - x).abs().max((both[1] - y).abs());
            assert!(error < 1e-12, "{method}, step {n}: {error}");
            one.set("u", y);
            other.set("u", x);
            [&mut one, &mut other, &mut whole].into_iter().for_each(Bench::step);
        }
    }
}

/// Two inputs, two states, three outputs.
const WIDE: &str = "A = [[0.0, 1.0], [-4.0, -0.3]]\nB = [[0.5, 0.0], [1.0, -2.0]]\n\
                    C = [[1.0, 0.0], [0.0, 1.0], [0.25, 0.5]]\n\
                    D = [[0.0, 0.0], [0.0, 3.0], [4.0, 5.0]]\nx0 = [1.0, 0.0]";

#[test]
fn scalar_ports_change_names_only() {
    for method in METHODS {
        let arrays = format!("{WIDE}\n{method}");
        let mut scalars =
            Bench::started("state-space", &format!("{arrays}\nports = \"scalars\""), "0.01");
        let mut arrays = Bench::started("state-space", &arrays, "0.01");
        for n in 0..20 {
            let u = [f64::from(n).sqrt(), 0.1 * f64::from(n)];
            arrays.set_list("u", &u);
            scalars.set("u1", u[0]);
            scalars.set("u2", u[1]);
            let mut y = [0.0; 3];
            arrays.get_list("y", &mut y);
            let scalar = ["y1", "y2", "y3"].map(|name| scalars.get(name));
            assert_eq!(y, scalar, "{method}, step {n}");
            arrays.step();
            scalars.step();
        }
    }
}

/// The derivative of all outputs in the direction of all inputs.
fn derivative(bench: &mut Bench, outputs: &[&str], inputs: &[&str], seed: &[f64]) -> [f64; 3] {
    let unknowns: Vec<_> = outputs.iter().map(|name| bench.reference(name)).collect();
    let knowns: Vec<_> = inputs.iter().map(|name| bench.reference(name)).collect();
    let mut sensitivity = [f64::NAN; 3];
    let place = &mut sensitivity;
    bench
        .instance
        .directional_derivative(Direction { unknowns: &unknowns, knowns: &knowns, seed }, place)
        .unwrap();
    sensitivity
}

#[test]
fn outputs_change_with_inputs_as_d_says() {
    let mut arrays = Bench::started("state-space", WIDE, "0.01");
    let mut scalars =
        Bench::started("state-space", &format!("{WIDE}\nports = \"scalars\""), "0.01");
    assert!(arrays.description.capabilities.directional_derivatives);
    for seed in [[1.0, 0.0], [0.0, 1.0], [2.0, -3.0]] {
        let expected = [0.0, 3.0 * seed[1], 4.0 * seed[0] + 5.0 * seed[1]];
        assert_eq!(derivative(&mut arrays, &["y"], &["u"], &seed), expected);
        assert_eq!(derivative(&mut scalars, &["y1", "y2", "y3"], &["u1", "u2"], &seed), expected);
    }
}

#[test]
fn derivatives_that_are_not_known_are_refused() {
    let mut bench = Bench::started("state-space", WIDE, "0.01");
    let (x, u, y) = (bench.reference("x"), bench.reference("u"), bench.reference("y"));
    let mut ask = |unknown, seed: &[f64], count| {
        let mut place = vec![0.0; count];
        bench
            .instance
            .directional_derivative(
                Direction { unknowns: &[unknown], knowns: &[u], seed },
                &mut place,
            )
            .is_ok()
    };
    assert!(ask(y, &[1.0, 1.0], 3));
    assert!(!ask(x, &[1.0, 1.0], 2), "of a state");
    assert!(!ask(y, &[1.0], 3), "a short seed");
    assert!(!ask(y, &[1.0, 1.0], 2), "a short answer");
    let gain = Bench::started("gain", "k = 2.0", "0.01");
    assert!(!gain.description.capabilities.directional_derivatives);
}
