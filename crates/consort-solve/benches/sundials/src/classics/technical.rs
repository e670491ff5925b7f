//! Circuits, machines and pipes: what is switched, and what has units of different size.

use super::{Classic, bounded_exp, sine};

/// The ring modulator: fifteen voltages and currents, four diodes.
pub(super) fn ring_modulator(t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    const C: f64 = 1.6e-8;
    const CS: f64 = 2e-12;
    const CP: f64 = 1e-8;
    const R: f64 = 25e3;
    const LH: f64 = 4.45;
    const LS1: f64 = 2e-3;
    const LS23: f64 = 5e-4;
    const RG23: f64 = 17.3;
    let diode = |voltage: f64| 40.67286402e-9 * (bounded_exp(17.7493332 * voltage) - 1.0);
    let (signal, carrier) = (0.5 * sine(1e3, t), 2.0 * sine(1e4, t));
    let q1 = diode(x[2] - x[4] - x[6] - carrier);
    let q2 = diode(-x[3] + x[5] - x[6] - carrier);
    let q3 = diode(x[3] + x[4] + x[6] + carrier);
    let q4 = diode(-x[2] - x[5] + x[6] + carrier);
    dx[0] = (x[7] - 0.5 * x[9] + 0.5 * x[10] + x[13] - x[0] / R) / C;
    dx[1] = (x[8] - 0.5 * x[11] + 0.5 * x[12] + x[14] - x[1] / R) / C;
    dx[2] = (x[9] - q1 + q4) / CS;
    dx[3] = (-x[10] + q2 - q3) / CS;
    dx[4] = (x[11] + q1 - q3) / CS;
    dx[5] = (-x[12] - q2 + q4) / CS;
    dx[6] = (-x[6] / 50.0 + q1 + q2 - q3 - q4) / CP;
    dx[7] = -x[0] / LH;
    dx[8] = -x[1] / LH;
    dx[9] = (0.5 * x[0] - x[2] - RG23 * x[9]) / LS23;
    dx[10] = (-0.5 * x[0] + x[3] - RG23 * x[10]) / LS23;
    dx[11] = (0.5 * x[1] - x[4] - RG23 * x[11]) / LS23;
    dx[12] = (-0.5 * x[1] + x[5] - RG23 * x[12]) / LS23;
    dx[13] = (-x[0] + signal - (50.0 + 36.3) * x[13]) / LS1;
    dx[14] = (-x[1] - (600.0 + 36.3) * x[14]) / LS1;
}

/// What people model every day, and where solvers were seen to fail.
pub(super) fn everyday() -> Vec<Classic> {
    let sampled = |n: u32| (f64::from(n + 1) * 0.01, 230.0 * sine(7.0, f64::from(n) * 0.01));
    let line = |name: &'static str, states: usize| {
        Classic::new(name, hydraulic_line, &vec![0.0; states], 0.02).parts(&[1e-4, 1e4]).banded(1)
    };
    vec![
        Classic::new("DC motor, switched on", motor, &[0.0, 0.0], 1.2)
            .inputs(vec![(1.0, 0.0), (1.2, 12.0)]),
        Classic::new("sine into a fast lag", lag, &[0.0, 0.0], 1.0)
            .inputs((0..100).map(sampled).collect()),
        Classic::new("two empty tanks", tanks, &[0.0, 0.0], 5.0),
        Classic::new("twenty empty tanks", tanks, &[0.0; 20], 30.0).banded(1),
        line("hydraulic line, 8 states", 8),
        line("hydraulic line, 50 states", 50),
        line("hydraulic line, 400 states", 400),
    ]
}

fn motor(_t: f64, u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = (u - x[0] - 0.05 * x[1]) / 1e-3;
    dx[1] = (0.05 * x[0] - 1e-4 * x[1]) / 1e-3;
}

fn lag(_t: f64, u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = 1e4 * (u - x[0]);
    dx[1] = x[0] - x[1];
}

/// Each flows into the next by the root of its level.
fn tanks(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let mut inflow = 1.0;
    for (x, dx) in x.iter().zip(dx) {
        let outflow = x.sqrt();
        *dx = inflow - outflow;
        inflow = outflow;
    }
}

/// Ten meters of pipe: flow in m3/s, pressure in Pa, flow, pressure, ...; a pump, and an end with a leak.
fn hydraulic_line(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let (area, length) = (3.14e-4, 20.0 / x.len() as f64);
    let (capacity, inertance) = (area * length / 1.6e9, 870.0 * length / area);
    let (resistance, leak) = (1e8 * length, 1e-10);
    let last = x.len() - 1;
    for i in 0..x.len() {
        let before = if i == 0 { 1e6 } else { x[i - 1] };
        dx[i] = if i % 2 == 0 {
            (before - x[i + 1] - resistance * x[i]) / inertance
        } else {
            (before - if i == last { leak * x[i] } else { x[i + 1] }) / capacity
        };
    }
}
