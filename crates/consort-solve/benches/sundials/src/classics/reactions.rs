//! Chemistry.

use std::f64::consts::PI;

pub(super) fn robertson(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = -0.04 * x[0] + 1.0e4 * x[1] * x[2];
    dx[2] = 3.0e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
}

pub(super) const HIRES_START: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];

pub(super) fn hires(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let bound = 280.0 * x[5] * x[7];
    dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    dx[1] = 1.71 * x[0] - 8.75 * x[1];
    dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    dx[5] = -bound + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    dx[6] = bound - 1.81 * x[6];
    dx[7] = -dx[6];
}

pub(super) fn oregonator(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    dx[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
    dx[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
    dx[2] = 0.161 * (x[0] - x[2]);
}

pub(super) fn e5(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    const A: f64 = 7.89e-10;
    const B: f64 = 1.1e7;
    const C: f64 = 1.13e3;
    const M: f64 = 1e6;
    let (first, second, third) = (A * x[0], B * x[0] * x[2], M * C * x[1] * x[2]);
    dx[0] = -first - second;
    dx[1] = first - third;
    dx[3] = second - C * x[3];
    dx[2] = dx[1] - dx[3];
}

pub(super) fn pollution_start() -> [f64; 20] {
    let mut x = [0.0; 20];
    for (state, value) in [(1, 0.2), (3, 0.04), (6, 0.1), (7, 0.3), (8, 0.01), (16, 0.007)] {
        x[state] = value;
    }
    x
}

/// Twenty-five reactions of twenty substances in air.
pub(super) fn pollution(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let r = [
        0.0,
        0.35 * x[0],
        26.6 * x[1] * x[3],
        1.23e4 * x[4] * x[1],
        8.6e-4 * x[6],
        8.2e-4 * x[6],
        1.5e4 * x[6] * x[5],
        1.3e-4 * x[8],
        2.4e4 * x[8] * x[5],
        1.65e4 * x[10] * x[1],
        9e3 * x[10] * x[0],
        0.022 * x[12],
        1.2e4 * x[9] * x[1],
        1.88 * x[13],
        1.63e4 * x[0] * x[5],
        4.8e6 * x[2],
        3.5e-4 * x[3],
        0.0175 * x[3],
        1e8 * x[15],
        4.44e11 * x[15],
        1.24e3 * x[16] * x[5],
        2.1 * x[18],
        5.78 * x[18],
        0.0474 * x[0] * x[3],
        1.78e3 * x[18] * x[0],
        3.12 * x[19],
    ];
    dx[0] =
        -r[1] - r[10] - r[14] - r[23] - r[24] + r[2] + r[3] + r[9] + r[11] + r[12] + r[22] + r[25];
    dx[1] = -r[2] - r[3] - r[9] - r[12] + r[1] + r[21];
    dx[2] = -r[15] + r[1] + r[17] + r[19] + r[22];
    dx[3] = -r[2] - r[16] - r[17] - r[23] + r[15];
    dx[4] = -r[3] + 2.0 * r[4] + r[6] + r[7] + r[13] + r[20];
    dx[5] = -r[6] - r[8] - r[14] - r[20] + r[3] + 2.0 * r[18];
    dx[6] = -r[4] - r[5] - r[6] + r[13];
    dx[7] = r[4] + r[5] + r[6] + r[7];
    dx[8] = -r[7] - r[8];
    dx[9] = -r[12] + r[7] + r[9];
    dx[10] = -r[9] - r[10] + r[8] + r[11];
    dx[11] = r[9];
    dx[12] = -r[11] + r[10];
    dx[13] = -r[13] + r[12];
    dx[14] = r[14];
    dx[15] = -r[18] - r[19] + r[16];
    dx[16] = -r[20];
    dx[17] = r[20];
    dx[18] = -r[21] - r[22] - r[24] + r[23] + r[25];
    dx[19] = -r[25] + r[24];
}

const AKZO_POINTS: usize = 100;

pub(super) fn akzo_start() -> Vec<f64> {
    [0.0, 1.0].into_iter().cycle().take(2 * AKZO_POINTS).collect()
}

/// A substance that wanders into tissue and is bound there; the input is how much there is outside.
pub(super) fn akzo(_t: f64, u: f64, x: &[f64], dx: &mut [f64]) {
    const RATE: f64 = 100.0;
    const SHAPE: f64 = 4.0;
    let width = 1.0 / AKZO_POINTS as f64;
    for j in 0..AKZO_POINTS {
        let here = x[2 * j];
        let before = if j == 0 { u } else { x[2 * j - 2] };
        let after = if j + 1 == AKZO_POINTS { here } else { x[2 * j + 2] };
        let place = (j + 1) as f64 * width - 1.0;
        let drift = 2.0 * place * place * place / (SHAPE * SHAPE);
        let spread = place * place * place * place / (SHAPE * SHAPE);
        let bound = RATE * here * x[2 * j + 1];
        dx[2 * j] = drift * (after - before) / (2.0 * width)
            + spread * (before - 2.0 * here + after) / (width * width)
            - bound;
        dx[2 * j + 1] = -bound;
    }
}

const LINE_POINTS: usize = 100;

pub(super) fn line_start() -> Vec<f64> {
    let place = |i: usize| (i + 1) as f64 / (LINE_POINTS + 1) as f64;
    (0..LINE_POINTS).flat_map(|i| [1.0 + (2.0 * PI * place(i)).sin(), 3.0]).collect()
}

/// The Brusselator with diffusion.
pub(super) fn line(_t: f64, _u: f64, x: &[f64], dx: &mut [f64]) {
    let pieces = (LINE_POINTS + 1) as f64;
    let spread = pieces * pieces / 50.0;
    for i in 0..LINE_POINTS {
        let (u, v) = (x[2 * i], x[2 * i + 1]);
        let near = |offset: usize, edge: f64| {
            let before = if i == 0 { edge } else { x[2 * (i - 1) + offset] };
            let after = if i + 1 == LINE_POINTS { edge } else { x[2 * (i + 1) + offset] };
            before + after
        };
        dx[2 * i] = 1.0 + u * u * v - 4.0 * u + spread * (near(0, 1.0) - 2.0 * u);
        dx[2 * i + 1] = 3.0 * u - u * u * v + spread * (near(1, 3.0) - 2.0 * v);
    }
}
