//! The equations of motion of a rigid airplane, as plain functions.
//!
//! Flat-earth dynamics with latitude and longitude on a sphere; aerodynamics by stability and
//! control derivatives, lift and drag in stability axes, moments in the body axes of the condition
//! the derivatives are for.

use crate::rotation::{
    Matrix, cross, matrix_of, normalized, quaternion_from_angles, quaternion_rate, to_body,
    to_local,
};

/// Velocity in body axes, rates, quaternion, latitude, longitude, altitude.
pub(crate) const STATES: usize = 13;

/// What an airplane is.
pub(crate) struct Airframe {
    pub(crate) mass: f64,
    /// Moments of inertia about the body axes.
    pub(crate) inertia: [f64; 3],
    /// The product of inertia in the plane of symmetry.
    pub(crate) inertia_xz: f64,
    /// Area, mean chord and span of the wing.
    pub(crate) wing: [f64; 3],
    /// At zero, by angle of attack, pitch rate, rate of the angle of attack, elevator.
    pub(crate) lift: [f64; 5],
    /// At zero lift, by the square of lift.
    pub(crate) drag: [f64; 2],
    /// By sideslip, roll rate, yaw rate, aileron, rudder.
    pub(crate) side_force: [f64; 5],
    /// As for side force.
    pub(crate) roll: [f64; 5],
    /// As for lift.
    pub(crate) pitch: [f64; 5],
    /// As for side force.
    pub(crate) yaw: [f64; 5],
    /// How far right (and left) and down of the center of gravity the engines are.
    pub(crate) engine: [f64; 2],
    pub(crate) gravity: f64,
    pub(crate) earth_radius: f64,
}

/// What acts on it.
pub(crate) struct Influences {
    pub(crate) density: f64,
    /// Where the air moves to: north, east, down.
    pub(crate) wind: [f64; 3],
    pub(crate) elevator: f64,
    pub(crate) aileron: f64,
    pub(crate) rudder: f64,
    /// Thrust of the left and of the right engine.
    pub(crate) thrust: [f64; 2],
}

/// Where and how it is, out of its states.
pub(crate) struct Motion {
    pub(crate) velocity: [f64; 3],
    pub(crate) rates: [f64; 3],
    quaternion: [f64; 4],
    pub(crate) matrix: Matrix,
    /// Latitude, longitude, altitude.
    pub(crate) position: [f64; 3],
}

/// The air as the airplane meets it.
pub(crate) struct Air {
    /// Of the airplane through the air, in body axes.
    velocity: [f64; 3],
    pub(crate) speed: f64,
    pub(crate) angle_of_attack: f64,
    pub(crate) sideslip: f64,
    pub(crate) dynamic_pressure: f64,
}

/// What the air and the engines do.
pub(crate) struct Accelerations {
    /// By all forces but gravity, in body axes: what accelerometers measure.
    pub(crate) linear: [f64; 3],
    pub(crate) angular: [f64; 3],
}

impl Motion {
    /// The states of a given motion: speed through still air, angle of attack, sideslip; roll,
    /// pitch, heading; rates; position.
    pub(crate) fn states(
        [speed, attack, sideslip]: [f64; 3],
        angles: [f64; 3],
        rates: [f64; 3],
        position: [f64; 3],
    ) -> [f64; STATES] {
        let (sine, cosine) = (libm::sin(sideslip), libm::cos(sideslip));
        let velocity =
            [speed * libm::cos(attack) * cosine, speed * sine, speed * libm::sin(attack) * cosine];
        let mut states = [0.0; STATES];
        states[..3].copy_from_slice(&velocity);
        states[3..6].copy_from_slice(&rates);
        states[6..10].copy_from_slice(&normalized(quaternion_from_angles(angles)));
        states[10..].copy_from_slice(&position);
        states
    }

    pub(crate) fn of(x: &[f64]) -> Self {
        let quaternion = [x[6], x[7], x[8], x[9]];
        Motion {
            velocity: [x[0], x[1], x[2]],
            rates: [x[3], x[4], x[5]],
            quaternion,
            matrix: matrix_of(normalized(quaternion)),
            position: [x[10], x[11], x[12]],
        }
    }

    /// Over ground: north, east, down.
    pub(crate) fn ground_velocity(&self) -> [f64; 3] {
        to_local(&self.matrix, self.velocity)
    }

    pub(crate) fn air(&self, density: f64, wind: [f64; 3]) -> Air {
        let wind = to_body(&self.matrix, wind);
        let velocity: [f64; 3] = std::array::from_fn(|axis| self.velocity[axis] - wind[axis]);
        let [u, v, w] = velocity;
        let square = u * u + v * v + w * w;
        let speed = square.sqrt();
        let sine = if speed == 0.0 { 0.0 } else { v / speed };
        Air {
            velocity,
            speed,
            angle_of_attack: libm::atan2(w, u),
            sideslip: libm::asin(sine.clamp(-1.0, 1.0)),
            dynamic_pressure: 0.5 * density * square,
        }
    }
}

/// What a derivative is multiplied with: angle of attack and sideslip, rates made dimensionless.
struct Dimensionless {
    roll_rate: f64,
    pitch_rate: f64,
    yaw_rate: f64,
    /// For the rate of the angle of attack: half a chord by the speed.
    chord_time: f64,
}

impl Airframe {
    /// The derivatives of all states.
    pub(crate) fn slopes(&self, x: &[f64], influences: &Influences, dx: &mut [f64]) {
        let motion = Motion::of(x);
        let accelerations = self.accelerations(&motion, influences);
        let weight = self.weight(&motion);
        let turning = cross(motion.rates, motion.velocity);
        for axis in 0..3 {
            dx[axis] = accelerations.linear[axis] + weight[axis] - turning[axis];
        }
        dx[3..6].copy_from_slice(&accelerations.angular);
        dx[6..10].copy_from_slice(&quaternion_rate(motion.quaternion, motion.rates));
        let [north, east, down] = motion.ground_velocity();
        let radius = self.earth_radius + motion.position[2];
        dx[10] = north / radius;
        dx[11] = east / (radius * libm::cos(motion.position[0]));
        dx[12] = -down;
    }

    pub(crate) fn accelerations(&self, motion: &Motion, by: &Influences) -> Accelerations {
        let air = motion.air(by.density, by.wind);
        let rates = self.dimensionless(&air, motion.rates);
        let force = self.steady_force(&air, &rates, by);
        let attack_rate = self.attack_rate(motion, &air, &rates, force);
        let lift =
            air.dynamic_pressure * self.wing[0] * self.lift[3] * rates.chord_time * attack_rate;
        let (sine, cosine) = (libm::sin(air.angle_of_attack), libm::cos(air.angle_of_attack));
        let force = [force[0] + lift * sine, force[1], force[2] - lift * cosine];
        let moment = self.moment(&air, &rates, attack_rate, by);
        Accelerations {
            linear: force.map(|force| force / self.mass),
            angular: self.angular(moment, motion.rates),
        }
    }

    /// Gravity in body axes.
    fn weight(&self, motion: &Motion) -> [f64; 3] {
        motion.matrix.map(|row| row[2] * self.gravity)
    }

    fn dimensionless(&self, air: &Air, [p, q, r]: [f64; 3]) -> Dimensionless {
        let [_, chord, span] = self.wing;
        let by_speed = if air.speed == 0.0 { 0.0 } else { 0.5 / air.speed };
        Dimensionless {
            roll_rate: p * span * by_speed,
            pitch_rate: q * chord * by_speed,
            yaw_rate: r * span * by_speed,
            chord_time: chord * by_speed,
        }
    }

    /// Air and engines, but for what follows the rate of the angle of attack.
    fn steady_force(&self, air: &Air, rates: &Dimensionless, by: &Influences) -> [f64; 3] {
        let [at_zero, by_attack, by_pitch_rate, _, by_elevator] = self.lift;
        let still = at_zero + by_attack * air.angle_of_attack + by_elevator * by.elevator;
        let pressed = air.dynamic_pressure * self.wing[0];
        let lift = pressed * (still + by_pitch_rate * rates.pitch_rate);
        let drag = pressed * (self.drag[0] + self.drag[1] * still * still);
        let side = pressed * lateral(&self.side_force, air, rates, by);
        let (sine, cosine) = (libm::sin(air.angle_of_attack), libm::cos(air.angle_of_attack));
        let thrust = by.thrust[0] + by.thrust[1];
        [thrust - drag * cosine + lift * sine, side, -drag * sine - lift * cosine]
    }

    /// Lift follows the rate of the angle of attack, and that rate follows lift: linear, so solved
    /// here for good. Wind is taken as steady.
    fn attack_rate(
        &self,
        motion: &Motion,
        air: &Air,
        rates: &Dimensionless,
        force: [f64; 3],
    ) -> f64 {
        let [u, _, w] = air.velocity;
        let square = u * u + w * w;
        if square == 0.0 {
            return 0.0;
        }
        let (weight, turning) = (self.weight(motion), cross(motion.rates, air.velocity));
        let along = |axis: usize| force[axis] / self.mass + weight[axis] - turning[axis];
        let without = (u * along(2) - w * along(0)) / square;
        let lift = air.dynamic_pressure * self.wing[0] * self.lift[3] * rates.chord_time;
        without / (1.0 + lift / (self.mass * square.sqrt()))
    }

    fn moment(
        &self,
        air: &Air,
        rates: &Dimensionless,
        attack_rate: f64,
        by: &Influences,
    ) -> [f64; 3] {
        let [area, chord, span] = self.wing;
        let pressed = air.dynamic_pressure * area;
        let [at_zero, by_attack, by_pitch_rate, by_attack_rate, by_elevator] = self.pitch;
        let pitch = at_zero
            + by_attack * air.angle_of_attack
            + by_pitch_rate * rates.pitch_rate
            + by_attack_rate * rates.chord_time * attack_rate
            + by_elevator * by.elevator;
        let [right, down] = self.engine;
        [
            pressed * span * lateral(&self.roll, air, rates, by),
            pressed * chord * pitch + down * (by.thrust[0] + by.thrust[1]),
            pressed * span * lateral(&self.yaw, air, rates, by)
                + right * (by.thrust[0] - by.thrust[1]),
        ]
    }

    /// Euler's equations for a body with a plane of symmetry.
    fn angular(&self, moment: [f64; 3], [p, q, r]: [f64; 3]) -> [f64; 3] {
        let ([x, y, z], xz) = (self.inertia, self.inertia_xz);
        let roll = moment[0] + xz * p * q - (z - y) * q * r;
        let yaw = moment[2] - (y - x) * p * q - xz * q * r;
        let determinant = x * z - xz * xz;
        [
            (z * roll + xz * yaw) / determinant,
            (moment[1] - (x - z) * p * r - xz * (p * p - r * r)) / y,
            (xz * roll + x * yaw) / determinant,
        ]
    }
}

/// A coefficient of the lateral motion.
fn lateral(derivatives: &[f64; 5], air: &Air, rates: &Dimensionless, by: &Influences) -> f64 {
    derivatives[0] * air.sideslip
        + derivatives[1] * rates.roll_rate
        + derivatives[2] * rates.yaw_rate
        + derivatives[3] * by.aileron
        + derivatives[4] * by.rudder
}
