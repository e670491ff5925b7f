//! Where something is and how it is turned, as displays and other simulations want it.

use crate::rotation::{Matrix, angles_of, matrix_from_angles};
use crate::{OutputRow, Row, declare_inputs, declare_outputs, scalars, set_scalars};
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store};

/// The ellipsoid of WGS 84: equatorial radius in m, flattening.
const RADIUS: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;

const INPUTS: [Row; 6] = [
    ("latitude", "rad", "positive in the north"),
    ("longitude", "rad", "positive in the east"),
    ("altitude", "m", "above the ellipsoid"),
    ("roll", "rad", "positive for right wing down"),
    ("pitch", "rad", "positive for nose up"),
    ("heading", "rad", "zero in the north, positive to the east"),
];

const PLACE: &[usize] = &[0, 1, 2];

const OUTPUTS: [OutputRow<'static>; 6] = [
    ("x", "m", "from the earth's center to the equator at longitude zero", PLACE),
    ("y", "m", "from the earth's center to the equator at 90 degrees east", PLACE),
    ("z", "m", "from the earth's center to the north pole", &[0, 2]),
    ("psi", "rad", "first turn of the earth's axes into the body's, about z", &[0, 1, 4, 5]),
    ("theta", "rad", "second turn, about y", &[0, 4, 5]),
    ("phi", "rad", "third turn, about x", &[0, 3, 4, 5]),
];

/// Position on WGS 84 and angles from the geocentric axes, the form of the Distributed Interactive
/// Simulation standard (IEEE 1278.1) and of HLA's RPR-FOM.
struct Geocentric {
    inputs: [Slot; INPUTS.len()],
    outputs: [Slot; OUTPUTS.len()],
}

pub(crate) fn geocentric(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let inputs = declare_inputs(draft, &INPUTS);
    let outputs = declare_outputs(draft, &OUTPUTS, &inputs, &[]);
    Some(Box::new(Geocentric { inputs, outputs }))
}

/// Rows: north, east and down in geocentric axes.
fn local_axes(latitude: f64, longitude: f64) -> Matrix {
    let (sin_lat, cos_lat) = (libm::sin(latitude), libm::cos(latitude));
    let (sin_lon, cos_lon) = (libm::sin(longitude), libm::cos(longitude));
    [
        [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
        [-sin_lon, cos_lon, 0.0],
        [-cos_lat * cos_lon, -cos_lat * sin_lon, -sin_lat],
    ]
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| {
        std::array::from_fn(|column| {
            row[0] * b[0][column] + row[1] * b[1][column] + row[2] * b[2][column]
        })
    })
}

impl BlockBehavior for Geocentric {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let [latitude, longitude, altitude, roll, pitch, heading] = scalars(store, &self.inputs);
        let axes = local_axes(latitude, longitude);
        let square = FLATTENING * (2.0 - FLATTENING);
        let [out_x, out_y, out_z] = axes[2].map(|element| -element);
        let normal = RADIUS / (1.0 - square * out_z * out_z).sqrt();
        let body = matrix_from_angles([roll, pitch, heading]);
        let [phi, theta, psi] = angles_of(&product(&body, &axes));
        let (wide, high) = (normal + altitude, normal * (1.0 - square) + altitude);
        let values = [wide * out_x, wide * out_y, high * out_z, psi, theta, phi];
        set_scalars(store, &self.outputs, values);
    }
}
