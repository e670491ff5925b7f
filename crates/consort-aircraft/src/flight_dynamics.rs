//! An airplane with two engines in flight, with six degrees of freedom.

use crate::equations::{Airframe, Influences, Motion, STATES};
use crate::rotation::{angles_of, normalized};
use crate::{OutputRow, Row, declare_inputs, declare_outputs, elements, scalars, set_scalars};
use consort_core::Step;
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store};
use consort_solve::{FixedStep, Method};

const INPUTS: [Row; 10] = [
    ("density", "kg/m3", "of the air around"),
    ("speed_of_sound", "m/s", "of the air around"),
    ("wind_north", "m/s", "how fast the air moves to the north"),
    ("wind_east", "m/s", "how fast the air moves to the east"),
    ("wind_down", "m/s", "how fast the air sinks"),
    ("elevator", "rad", "deflection, positive for nose down"),
    ("aileron", "rad", "deflection, positive for right wing down"),
    ("rudder", "rad", "deflection, positive for nose left"),
    ("thrust_left", "N", "of the left engine"),
    ("thrust_right", "N", "of the right engine"),
];

const WIND: &[usize] = &[2, 3, 4];
const WIND_AND_DENSITY: &[usize] = &[0, 2, 3, 4];
const WIND_AND_SOUND: &[usize] = &[1, 2, 3, 4];
/// What acts in the plane of symmetry.
const IN_PLANE: &[usize] = &[0, 2, 3, 4, 5, 8, 9];
const SIDEWAYS: &[usize] = &[0, 2, 3, 4, 6, 7];
const TURNING: &[usize] = &[0, 2, 3, 4, 6, 7, 8, 9];

const OUTPUTS: [OutputRow<'static>; 23] = [
    ("latitude", "rad", "where it is, positive in the north", &[]),
    ("longitude", "rad", "where it is, positive in the east", &[]),
    ("altitude", "m", "where it is, above the sphere", &[]),
    ("roll", "rad", "positive for right wing down", &[]),
    ("pitch", "rad", "positive for nose up", &[]),
    ("heading", "rad", "of the nose, zero in the north, positive to the east", &[]),
    ("roll_rate", "rad/s", "about the body's forward axis", &[]),
    ("pitch_rate", "rad/s", "about the body's right axis", &[]),
    ("yaw_rate", "rad/s", "about the body's down axis", &[]),
    ("ground_speed", "m/s", "along the ground", &[]),
    ("climb_rate", "m/s", "how fast the altitude grows", &[]),
    ("airspeed", "m/s", "through the air", WIND),
    ("angle_of_attack", "rad", "of the air from below", WIND),
    ("sideslip", "rad", "of the air from the right", WIND),
    ("mach", "", "airspeed by the speed of sound", WIND_AND_SOUND),
    ("dynamic_pressure", "Pa", "density airspeed^2 / 2", WIND_AND_DENSITY),
    ("acceleration_forward", "m/s2", "without gravity, as accelerometers have it", IN_PLANE),
    ("acceleration_right", "m/s2", "without gravity, as accelerometers have it", SIDEWAYS),
    ("acceleration_down", "m/s2", "without gravity, as accelerometers have it", IN_PLANE),
    ("load_factor", "", "how many times its weight it feels", IN_PLANE),
    ("roll_acceleration", "rad/s2", "how fast the roll rate grows", TURNING),
    ("pitch_acceleration", "rad/s2", "how fast the pitch rate grows", IN_PLANE),
    ("yaw_acceleration", "rad/s2", "how fast the yaw rate grows", TURNING),
];

const LONGITUDINAL: &str = "at zero, by angle of attack, pitch rate, its rate, elevator";
const LATERAL: &str = "by sideslip, roll rate, yaw rate, aileron, rudder";

/// The most substeps in one step.
const SUBSTEPS_MAX: f64 = 1e6;

/// Solved by the classical Runge-Kutta method of order 4 with inputs held over a step.
struct FlightDynamics {
    airframe: AirframeSlots,
    start: StartSlots,
    substeps: Slot,
    inputs: [Slot; INPUTS.len()],
    outputs: [Slot; OUTPUTS.len()],
    x: Slot,
}

struct AirframeSlots {
    mass: Slot,
    inertia: Slot,
    inertia_xz: Slot,
    wing: Slot,
    lift: Slot,
    drag: Slot,
    side_force: Slot,
    roll: Slot,
    pitch: Slot,
    yaw: Slot,
    engine: Slot,
    gravity: Slot,
    earth_radius: Slot,
}

struct StartSlots {
    /// Speed, angle of attack, sideslip.
    air: [Slot; 3],
    angles: [Slot; 3],
    rates: Slot,
    position: [Slot; 3],
}

pub(crate) fn flight_dynamics(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let airframe = AirframeSlots::declare(draft);
    let start = StartSlots::declare(draft);
    let text = "Runge-Kutta steps in a step";
    let substeps = draft.fixed("substeps", 1.0, text).min(1.0).slot();
    let inputs = declare_inputs(draft, &INPUTS);
    let parameters = [&airframe.all()[..], &start.all()].concat();
    let outputs = declare_outputs(draft, &OUTPUTS, &inputs, &parameters);
    draft.solver(FixedStep::new(Method::RungeKutta4, STATES));
    let x = draft.hidden(STATES);
    Some(Box::new(FlightDynamics { airframe, start, substeps, inputs, outputs, x }))
}

impl AirframeSlots {
    fn declare(draft: &mut BlockDraft<'_>) -> Self {
        let mut list = |name: &str, count: usize, default: f64, text: &str| {
            draft.parameter(name, &[count], default, text).slot()
        };
        let inertia = list("inertia", 3, 1.0, "moments about the body axes in kg m2");
        let wing = list("wing", 3, 1.0, "area in m2, mean chord and span in m");
        let lift = list("lift", 5, 0.0, LONGITUDINAL);
        let drag = list("drag", 2, 0.0, "at zero lift, by the square of lift");
        let side_force = list("side_force", 5, 0.0, LATERAL);
        let roll = list("roll_moment", 5, 0.0, LATERAL);
        let pitch = list("pitch_moment", 5, 0.0, LONGITUDINAL);
        let yaw = list("yaw_moment", 5, 0.0, LATERAL);
        let engine =
            list("engine", 2, 0.0, "how far right (and left) and down of the center of gravity");
        let mass = draft.fixed("mass", 1.0, "of the airplane").unit("kg").slot();
        let text = "product of inertia in the plane of symmetry";
        let inertia_xz = draft.fixed("inertia_xz", 0.0, text).unit("kg.m2").slot();
        let gravity = draft.fixed("gravity", 9.80665, "how fast things fall").unit("m/s2").slot();
        let text = "of the sphere that latitude and longitude are on";
        let earth_radius = draft.fixed("earth_radius", 6_371_000.0, text).unit("m").slot();
        AirframeSlots {
            mass,
            inertia,
            inertia_xz,
            wing,
            lift,
            drag,
            side_force,
            roll,
            pitch,
            yaw,
            engine,
            gravity,
            earth_radius,
        }
    }

    fn all(&self) -> [Slot; 13] {
        let forces = [self.lift, self.drag, self.side_force, self.roll, self.pitch, self.yaw];
        let [lift, drag, side_force, roll, pitch, yaw] = forces;
        let (mass, inertia, inertia_xz) = (self.mass, self.inertia, self.inertia_xz);
        let (wing, engine) = (self.wing, self.engine);
        let (gravity, radius) = (self.gravity, self.earth_radius);
        [
            mass, inertia, inertia_xz, wing, lift, drag, side_force, roll, pitch, yaw, engine,
            gravity, radius,
        ]
    }

    fn read(&self, store: &Store) -> Airframe {
        Airframe {
            mass: store.scalar(self.mass),
            inertia: elements(store, self.inertia),
            inertia_xz: store.scalar(self.inertia_xz),
            wing: elements(store, self.wing),
            lift: elements(store, self.lift),
            drag: elements(store, self.drag),
            side_force: elements(store, self.side_force),
            roll: elements(store, self.roll),
            pitch: elements(store, self.pitch),
            yaw: elements(store, self.yaw),
            engine: elements(store, self.engine),
            gravity: store.scalar(self.gravity),
            earth_radius: store.scalar(self.earth_radius),
        }
    }
}

impl StartSlots {
    fn declare(draft: &mut BlockDraft<'_>) -> Self {
        let mut angle = |name: &str, text: &str| draft.fixed(name, 0.0, text).unit("rad").slot();
        let attack = angle("angle_of_attack0", "the angle of attack at the start, without wind");
        let sideslip = angle("sideslip0", "the sideslip at the start, without wind");
        let angles = [
            angle("roll0", "the roll at the start"),
            angle("pitch0", "the pitch at the start"),
            angle("heading0", "the heading at the start"),
        ];
        let latitude = angle("latitude0", "the latitude at the start");
        let longitude = angle("longitude0", "the longitude at the start");
        let altitude = draft.fixed("altitude0", 0.0, "the altitude at the start").unit("m").slot();
        let text = "the speed at the start, without wind";
        let speed = draft.fixed("speed0", 0.0, text).unit("m/s").min(0.0).slot();
        let text = "the rates of roll, pitch and yaw at the start";
        let rates = draft.parameter("rates0", &[3], 0.0, text).unit("rad/s").slot();
        let air = [speed, attack, sideslip];
        StartSlots { air, angles, rates, position: [latitude, longitude, altitude] }
    }

    fn all(&self) -> [Slot; 10] {
        let [speed, attack, sideslip] = self.air;
        let [roll, pitch, heading] = self.angles;
        let [latitude, longitude, altitude] = self.position;
        let rates = self.rates;
        [speed, attack, sideslip, roll, pitch, heading, latitude, longitude, altitude, rates]
    }

    fn read(&self, store: &Store) -> [f64; STATES] {
        Motion::states(
            scalars(store, &self.air),
            scalars(store, &self.angles),
            elements(store, self.rates),
            scalars(store, &self.position),
        )
    }
}

impl FlightDynamics {
    /// The influences, and the speed of sound.
    fn influences(&self, store: &Store) -> (Influences, f64) {
        let [density, sound, north, east, down, elevator, aileron, rudder, left, right] =
            scalars(store, &self.inputs);
        let (wind, thrust) = ([north, east, down], [left, right]);
        (Influences { density, wind, elevator, aileron, rudder, thrust }, sound)
    }
}

impl BlockBehavior for FlightDynamics {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        let airframe = self.airframe.read(store);
        let ([x, y, z], xz) = (airframe.inertia, airframe.inertia_xz);
        let is_body = [airframe.mass, x, y, z, x * z - xz * xz].iter().all(|part| 0.0 < *part);
        if !is_body {
            return Err("`mass` must be positive, and `inertia` positive definite".to_owned());
        }
        let radius = airframe.earth_radius;
        if radius.is_nan() || radius <= 0.0 {
            return Err("`earth_radius` is not positive".to_owned());
        }
        let substeps = store.scalar(self.substeps);
        if !(1.0..=SUBSTEPS_MAX).contains(&substeps) || substeps.fract() != 0.0 {
            return Err(format!("`substeps` = {substeps:?} is no whole number up to a million"));
        }
        Ok(())
    }

    fn begin(&self, store: &mut Store) {
        let states = self.start.read(store);
        store.list_mut(self.x).copy_from_slice(&states);
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let airframe = self.airframe.read(store);
        let (influences, speed_of_sound) = self.influences(store);
        let motion = Motion::of(store.list(self.x));
        let air = motion.air(influences.density, influences.wind);
        let accelerations = airframe.accelerations(&motion, &influences);
        let [latitude, longitude, altitude] = motion.position;
        let [roll, pitch, heading] = angles_of(&motion.matrix);
        let [p, q, r] = motion.rates;
        let [north, east, down] = motion.ground_velocity();
        let [forward, right, below] = accelerations.linear;
        let [roll_grows, pitch_grows, yaw_grows] = accelerations.angular;
        let values = [
            latitude,
            longitude,
            altitude,
            roll,
            pitch,
            heading,
            p,
            q,
            r,
            (north * north + east * east).sqrt(),
            -down,
            air.speed,
            air.angle_of_attack,
            air.sideslip,
            air.speed / speed_of_sound,
            air.dynamic_pressure,
            forward,
            right,
            below,
            -below / airframe.gravity,
            roll_grows,
            pitch_grows,
            yaw_grows,
        ];
        set_scalars(store, &self.outputs, values);
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let airframe = self.airframe.read(store);
        let (influences, _) = self.influences(store);
        let count = store.scalar(self.substeps);
        let h = step.length / count;
        let (solver, [x]) = store.solver_and_lists([self.x]);
        for _ in 0..count as u32 {
            let f = |_: f64, x: &[f64], dx: &mut [f64]| airframe.slopes(x, &influences, dx);
            solver.step(x, f, step.start, h); // nothing depends on time
            let unit = normalized([x[6], x[7], x[8], x[9]]);
            x[6..10].copy_from_slice(&unit);
        }
        Ok(())
    }
}
