//! Attitude: quaternions, rotation matrices, angles.
//!
//! A quaternion turns the local axes (north, east, down) into those of the body.

/// Rows of a matrix that turns local vectors into body vectors.
pub(crate) type Matrix = [[f64; 3]; 3];

/// The quaternion of roll, pitch and heading.
pub(crate) fn quaternion_from_angles([roll, pitch, heading]: [f64; 3]) -> [f64; 4] {
    let half = |angle: f64| (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
    let ((sr, cr), (sp, cp), (sh, ch)) = (half(roll), half(pitch), half(heading));
    [
        cr * cp * ch + sr * sp * sh,
        sr * cp * ch - cr * sp * sh,
        cr * sp * ch + sr * cp * sh,
        cr * cp * sh - sr * sp * ch,
    ]
}

/// The matrix of a quaternion of length one.
pub(crate) fn matrix_of([a, b, c, d]: [f64; 4]) -> Matrix {
    [
        [a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d), 2.0 * (b * d - a * c)],
        [2.0 * (b * c - a * d), a * a - b * b + c * c - d * d, 2.0 * (c * d + a * b)],
        [2.0 * (b * d + a * c), 2.0 * (c * d - a * b), a * a - b * b - c * c + d * d],
    ]
}

/// The matrix of roll, pitch and heading; its first row does not know the roll.
pub(crate) fn matrix_from_angles([roll, pitch, heading]: [f64; 3]) -> Matrix {
    let (sr, cr) = (libm::sin(roll), libm::cos(roll));
    let (sp, cp) = (libm::sin(pitch), libm::cos(pitch));
    let (sh, ch) = (libm::sin(heading), libm::cos(heading));
    [
        [cp * ch, cp * sh, -sp],
        [sr * sp * ch - cr * sh, sr * sp * sh + cr * ch, sr * cp],
        [cr * sp * ch + sr * sh, cr * sp * sh - sr * ch, cr * cp],
    ]
}

/// Roll, pitch and heading of a matrix.
pub(crate) fn angles_of(matrix: &Matrix) -> [f64; 3] {
    let sine = -matrix[0][2];
    [
        libm::atan2(matrix[1][2], matrix[2][2]),
        libm::asin(sine.clamp(-1.0, 1.0)),
        libm::atan2(matrix[0][1], matrix[0][0]),
    ]
}

/// How a quaternion changes while the body turns at the rates `[p, q, r]` about its own axes.
pub(crate) fn quaternion_rate([a, b, c, d]: [f64; 4], [p, q, r]: [f64; 3]) -> [f64; 4] {
    [
        -0.5 * (b * p + d * r + c * q),
        0.5 * (a * p + c * r - d * q),
        0.5 * (a * q + d * p - b * r),
        0.5 * (a * r + b * q - c * p),
    ]
}

/// The quaternion of length one in the same direction.
pub(crate) fn normalized(quaternion: [f64; 4]) -> [f64; 4] {
    let [a, b, c, d] = quaternion;
    let length = (a * a + b * b + c * c + d * d).sqrt();
    quaternion.map(|element| element / length)
}

/// A local vector in body axes.
pub(crate) fn to_body(matrix: &Matrix, local: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = local;
    matrix.map(|row| row[0] * x + row[1] * y + row[2] * z)
}

/// A body vector in local axes.
pub(crate) fn to_local(matrix: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|row| matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z)
}

/// The cross product.
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
