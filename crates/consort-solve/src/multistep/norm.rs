//! Weighted sizes of vectors, each sum in one order: four sums side by side, then those, then the rest.

/// The weights that make an error as large as its tolerance have size one.
pub(super) fn set_weights(weights: &mut [f64], x: &[f64], relative: f64, absolute: &[f64]) {
    for ((weight, x), absolute) in weights.iter_mut().zip(x).zip(absolute) {
        *weight = 1.0 / (relative * x.abs() + absolute);
    }
}

/// The root of the mean of squares, weighted.
#[inline]
pub(super) fn norm(vector: &[f64], weights: &[f64]) -> f64 {
    norm_of(vector, weights, |value, _| value)
}

/// The size of `a - factor * b`.
#[inline]
pub(super) fn norm_of_difference(a: &[f64], factor: f64, b: &[f64], weights: &[f64]) -> f64 {
    norm_of(a, weights, |value, i| value - factor * b[i])
}

#[inline]
fn norm_of(vector: &[f64], weights: &[f64], value: impl Fn(f64, usize) -> f64) -> f64 {
    let (vectors, vector_rest) = vector.as_chunks::<4>();
    let (weight_chunks, weight_rest) = weights[..vector.len()].as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (chunk, (vector, weights)) in vectors.iter().zip(weight_chunks).enumerate() {
        for lane in 0..4 {
            let scaled = value(vector[lane], 4 * chunk + lane) * weights[lane];
            sums[lane] += scaled * scaled;
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let first = 4 * vectors.len();
    for (i, (vector, weight)) in vector_rest.iter().zip(weight_rest).enumerate() {
        let scaled = value(*vector, first + i) * weight;
        sum += scaled * scaled;
    }
    (sum / vector.len().max(1) as f64).sqrt()
}

/// Which state's part of the size is greatest, or the first that is not a number.
pub(super) fn worst(vector: &[f64], weights: &[f64]) -> Option<usize> {
    let mut worst = None;
    let mut most = -1.0;
    for (i, (value, weight)) in vector.iter().zip(weights).enumerate() {
        let size = (value * weight).abs();
        if size.is_nan() {
            return Some(i);
        }
        if most < size {
            (worst, most) = (Some(i), size);
        }
    }
    worst
}
