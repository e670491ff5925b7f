//! The modes of the flown airplane are those of its linearization.

use super::trim::trimmed;
use super::{Controls, State, airplane_in, slopes};

/// A complex number.
type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn by(a: Complex, b: Complex) -> Complex {
    let square = b.0 * b.0 + b.1 * b.1;
    ((a.0 * b.0 + a.1 * b.1) / square, (a.1 * b.0 - a.0 * b.1) / square)
}

type Matrix = [[f64; 4]; 4];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The part of the linearized airplane with these states.
fn linearized(states: [usize; 4]) -> Matrix {
    let (state, controls) = trimmed();
    let mut matrix = [[0.0; 4]; 4];
    for (column, &at) in states.iter().enumerate() {
        let small = if at < 3 { 1e-3 } else { 1e-5 };
        let (mut more, mut less) = (state, state);
        more[at] += small;
        less[at] -= small;
        let (more, less) = (slopes(&more, &controls), slopes(&less, &controls));
        for (row, &of) in states.iter().enumerate() {
            matrix[row][column] = (more[of] - less[of]) / (2.0 * small);
        }
    }
    matrix
}

/// The characteristic polynomial by the method of Faddeev and LeVerrier, its roots by that of Durand
/// and Kerner; sorted by how fast they are.
fn eigenvalues(matrix: &Matrix) -> [Complex; 4] {
    let mut coefficients = [1.0; 5];
    let mut power: Matrix = [[0.0; 4]; 4];
    for order in 1..5 {
        (0..4).for_each(|i| power[i][i] += coefficients[order - 1]);
        power = product(matrix, &power);
        let trace: f64 = (0..4).map(|i| power[i][i]).sum();
        coefficients[order] = -trace / order as f64;
    }
    let mut roots: [Complex; 4] = std::array::from_fn(|n| {
        let angle = 0.4 + std::f64::consts::TAU * n as f64 / 4.0;
        (5.0 * libm::cos(angle), 5.0 * libm::sin(angle))
    });
    for _ in 0..500 {
        for n in 0..4 {
            let value = coefficients
                .iter()
                .fold((0.0, 0.0), |sum, c| (times(sum, roots[n]).0 + c, times(sum, roots[n]).1));
            let others = (0..4).filter(|m| *m != n).fold((1.0, 0.0), |product, m| {
                times(product, (roots[n].0 - roots[m].0, roots[n].1 - roots[m].1))
            });
            let step = by(value, others);
            roots[n] = (roots[n].0 - step.0, roots[n].1 - step.1);
        }
    }
    roots.sort_by(|a, b| a.0.hypot(a.1).total_cmp(&b.0.hypot(b.1)));
    roots
}

/// Natural frequency and damping of two roots of which neither is alone.
fn frequency_and_damping(pair: [Complex; 2]) -> (f64, f64) {
    let frequency = times(pair[0], pair[1]).0.sqrt();
    (frequency, -(pair[0].0 + pair[1].0) / (2.0 * frequency))
}

/// A small disturbance without the modes `others`.
fn disturbance(matrix: &Matrix, others: [Complex; 2], size: f64) -> [f64; 4] {
    let (sum, product_of) = (others[0].0 + others[1].0, times(others[0], others[1]).0);
    let square = product(matrix, matrix);
    let seed = [1.0, 1.0, 0.05, 0.05];
    let vector: [f64; 4] = std::array::from_fn(|i| {
        let applied = |m: &Matrix| -> f64 { (0..4).map(|k| m[i][k] * seed[k]).sum() };
        applied(&square) - sum * applied(matrix) + product_of * seed[i]
    });
    let length = vector.iter().fold(0.0_f64, |length, part| length.max(part.abs()));
    vector.map(|part| size * part / length)
}

/// Flies with a disturbance; an output, without what it is in trim, every `every` steps.
fn flown(state: &State, controls: &Controls, output: &str, every: usize) -> Vec<f64> {
    let mut still = airplane_in(&trimmed().0, controls, "0.01");
    let mut bench = airplane_in(state, controls, "0.01");
    (0..40)
        .map(|_| {
            let value = bench.get(output) - still.get(output);
            (0..every).for_each(|_| {
                bench.step();
                still.step();
            });
            value
        })
        .collect()
}

/// Two exponentials obey `y[n+2] = s y[n+1] - p y[n]` (Prony): s and p by least squares, then
/// natural frequency and damping.
fn identified(samples: &[f64], interval: f64) -> (f64, f64) {
    let mut sums = [0.0; 5];
    for window in samples.windows(3) {
        let (y0, y1, y2) = (window[0], window[1], window[2]);
        for (sum, part) in sums.iter_mut().zip([y1 * y1, y1 * y0, y0 * y0, y1 * y2, y0 * y2]) {
            *sum += part;
        }
    }
    let [a, b, c, d, e] = sums;
    let determinant = a * c - b * b;
    let (s, p) = ((d * c - b * e) / determinant, -(a * e - b * d) / determinant);
    let root = s * s / 4.0 - p;
    let pair = if root < 0.0 {
        let (real, imaginary) = (libm::log(p) / 2.0, libm::atan2((-root).sqrt(), s / 2.0));
        [(real, imaginary), (real, -imaginary)]
    } else {
        [s / 2.0 + root.sqrt(), s / 2.0 - root.sqrt()].map(|z| (libm::log(z), 0.0))
    };
    frequency_and_damping(pair.map(|(real, imaginary)| (real / interval, imaginary / interval)))
}

/// Compares one pair of modes as linearized and as flown.
fn check(name: &str, states: [usize; 4], fast: bool, output: &str, every: usize) -> (f64, f64) {
    let (trim, controls) = trimmed();
    let matrix = linearized(states);
    let roots = eigenvalues(&matrix);
    let (slow, quick) = ([roots[0], roots[1]], [roots[2], roots[3]]);
    let (pair, others) = if fast { (quick, slow) } else { (slow, quick) };
    let mut state = trim;
    for (&at, part) in states.iter().zip(disturbance(&matrix, others, 1e-3)) {
        state[at] += part;
    }
    let (frequency, damping) = frequency_and_damping(pair);
    let (seen, seen_damping) =
        identified(&flown(&state, &controls, output, every), 0.01 * every as f64);
    println!(
        "{name}: {frequency:.4} rad/s, damping {damping:.4}; flown {seen:.4}, {seen_damping:.4}"
    );
    assert!((seen - frequency).abs() < 2e-3 * frequency, "{name}: {seen} and {frequency}");
    assert!((seen_damping - damping).abs() < 2e-3, "{name}: {seen_damping} and {damping}");
    (frequency, damping)
}

const LONGITUDINAL: [usize; 4] = [0, 2, 4, 7];
const LATERAL: [usize; 4] = [1, 3, 5, 6];

#[test]
fn short_period_and_phugoid_are_those_of_the_linearized_airplane() {
    check("short period", LONGITUDINAL, true, "pitch_rate", 4);
    let (frequency, damping) = check("phugoid", LONGITUDINAL, false, "airspeed", 100);
    assert!(frequency < 0.3 && damping.abs() < 0.3);
}

#[test]
fn the_dutch_roll_is_that_of_the_linearized_airplane() {
    let mut roots = eigenvalues(&linearized(LATERAL));
    println!("lateral roots: {roots:?}");
    roots.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    assert!(2.0 < roots[3].1.abs() && roots[3].0 < 0.0, "an oscillation that dies out");
    let (frequency, damping) = check("dutch roll", LATERAL, true, "sideslip", 10);
    assert!((2.0..4.0).contains(&frequency) && (0.05..0.3).contains(&damping));
}

#[test]
fn lateral_and_longitudinal_motion_are_not_coupled_in_level_flight() {
    let (state, controls) = trimmed();
    for at in LATERAL {
        let mut disturbed = state;
        disturbed[at] += 1e-6;
        let slopes = slopes(&disturbed, &controls);
        for of in LONGITUDINAL {
            assert!(slopes[of].abs() < 1e-9, "{of} by {at}: {}", slopes[of]);
        }
    }
}
