//! Every block with parameters, those of the aircraft pack included.

use crate::harness::Bench;
use consort_core::{Dimension, Values, Variable};
use std::path::Path;

/// A damped oscillator with feedthrough; three substeps in a step of 0.01 s.
const OSCILLATOR: &str = "A = [[0.0, 1.0], [-4.0, -0.3]]\nB = [[0.0], [1.0]]\nC = [[1.0, 0.0]]\n\
                          D = [[0.5]]\nx0 = [1.0, 0.0]\nsubstep = 0.004";

/// Every gain does something.
const CONTROLLER: &str = "altitude_gain = 0.01\naltitude_integral = 0.02\nclimb_gain = 0.03\n\
                          pitch_gain = 0.6\npitch_damping = 0.1\nroll_gain = 0.7\n\
                          roll_damping = 0.2\nyaw_damping = 0.3\ncoordination_gain = 0.04\n\
                          speed_gain = 0.05\nspeed_integral = 0.1\nthrottle_trim = 0.5\n\
                          roll = 0.2\npitch_rate = 0.1\nyaw_rate = -0.1";

/// Every derivative does something.
const AIRPLANE: &str = "mass = 900\ninertia = [1200, 1500, 2500]\ninertia_xz = 80\n\
                        wing = [15, 1.5, 10]\nlift = [0.3, 4.5, 8, 4, 0.6]\ndrag = [0.03, 0.06]\n\
                        side_force = [-0.6, -0.1, 0.3, 0.02, 0.2]\n\
                        roll_moment = [-0.1, -0.5, 0.1, 0.17, 0.02]\n\
                        pitch_moment = [0.05, -0.4, -20, -9, -1.5]\n\
                        yaw_moment = [0.1, -0.03, -0.15, -0.02, -0.1]\nengine = [2, -0.2]\n\
                        speed0 = 60\naltitude0 = 1000\npitch0 = 0.02\nangle_of_attack0 = 0.05\n\
                        rates0 = [0.1, 0.2, -0.1]\nsideslip0 = 0.1";

/// The ways to solve `native:state-space` but the default.
pub(crate) const METHODS: [&str; 5] = [
    "method = \"euler\"",
    "method = \"ab2\"",
    "method = \"ab2\"\nstarter = \"rk4\"",
    "method = \"ab3\"",
    "method = \"ab3\"\nstarter = \"rk4\"",
];

/// The [`samples`], and one more for every way to solve.
pub(crate) fn all_samples() -> Vec<(&'static str, String)> {
    let solved = METHODS.map(|method| ("state-space", format!("{OSCILLATOR}\n{method}")));
    samples().into_iter().chain(solved).collect()
}

/// One set of parameters for every block, good for a long run.
pub(crate) fn samples() -> Vec<(&'static str, String)> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/flow.csv");
    let table = format!("file = \"{}\"", table.display());
    vec![
        ("actuator", "y0 = 0.1\nrate_max = 0.5\nmin = -0.4\nmax = 0.4".to_owned()),
        (
            "aircraft-sensors",
            "mach = 0.3\npressure = 8e4\ntemperature = 280\nrate_bias = 0.01".to_owned(),
        ),
        ("atmosphere", "gust = [1.0, 2.0, -3.0]\ngust_duration = 0.3".to_owned()),
        ("constant", "value = [1.5, -2.5]".to_owned()),
        ("flight-controller", CONTROLLER.to_owned()),
        ("flight-dynamics", AIRPLANE.to_owned()),
        ("gain", "size = 3\nk = -0.3".to_owned()),
        ("geocentric", "longitude = 0.5\npitch = 0.1\nheading = 0.2".to_owned()),
        ("integrator", "x0 = 0.25\nmax = 0.6\nmin = -0.4".to_owned()),
        ("noise", "deviation = 2.0\nperiod = 0.02".to_owned()),
        ("pid", "kp = 2.0\nki = 0.7\nkd = 0.05\nmin = -1.5\nmax = 1.5".to_owned()),
        ("piston-engine", "opening0 = 0.7".to_owned()),
        ("pulse", "period = 0.07\nduty = 0.3".to_owned()),
        ("ramp", "start = 0.1\nduration = 0.5".to_owned()),
        ("round", "method = \"up\"\ntype = \"Int16\"".to_owned()),
        ("saturation", "min = -0.2\nmax = 0.4".to_owned()),
        ("sine", "frequency = 3.0\nphase = 0.1".to_owned()),
        ("state-space", OSCILLATOR.to_owned()),
        ("step", "time = 0.3".to_owned()),
        ("sum", "signs = \"+-+\"".to_owned()),
        ("table", table),
        ("threshold", "threshold = 0.2".to_owned()),
        ("unit-delay", "y0 = 0.5".to_owned()),
    ]
}

impl Bench {
    /// Every variable, to the bit.
    pub(crate) fn all_values(&mut self) -> Vec<Values> {
        let variables = self.description.variables.clone();
        variables
            .iter()
            .map(|variable| {
                let mut values = Values::zeros(variable.value_type, count(variable));
                let length = values.len();
                let place = values.slice_mut(0, length);
                self.instance.get(&[variable.reference], place).unwrap();
                values
            })
            .collect()
    }
}

pub(crate) fn count(variable: &Variable) -> usize {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).unwrap(),
        Dimension::Structural(_) => panic!("blocks have fixed shapes"),
    };
    variable.dimensions.iter().map(extent).product()
}
