//! Each block against its closed form or its published table.

use super::air_at;
use crate::harness::Bench;
use std::f64::consts::FRAC_PI_2;

fn assert_near(actual: f64, expected: f64, relative: f64) {
    let distance = (actual - expected).abs();
    assert!(distance <= relative * expected.abs().max(1e-12), "{actual:?}, not {expected:?}");
}

/// Geopotential altitude, temperature, pressure and density of the U.S. Standard Atmosphere 1976.
const STANDARD: [(f64, f64, f64, f64); 8] = [
    (0.0, 288.15, 101_325.0, 1.2250),
    (11_000.0, 216.65, 22_632.06, 0.363_918),
    (20_000.0, 216.65, 5_474.889, 0.088_034_9),
    (32_000.0, 228.65, 868.0187, 0.013_225_0),
    (47_000.0, 270.65, 110.9063, 0.001_427_53),
    (51_000.0, 270.65, 66.938_87, 0.000_861_605),
    (71_000.0, 214.65, 3.956_420, 0.000_064_211_0),
    (84_852.0, 186.946, 0.373_384, 0.000_006_957_88),
];

#[test]
fn the_atmosphere_is_the_standard_of_1976() {
    let mut bench = Bench::started("atmosphere", "", "0.01");
    for (geopotential, temperature, pressure, density) in STANDARD {
        bench.set("altitude", 6_356_766.0 * geopotential / (6_356_766.0 - geopotential));
        assert_near(bench.get("temperature"), temperature, 1e-9);
        assert_near(bench.get("pressure"), pressure, 2e-6);
        assert_near(bench.get("density"), density, 1e-5);
    }
    bench.set("altitude", 0.0);
    assert_near(bench.get("speed_of_sound"), 340.294, 1e-6);
    bench.set("altitude", -500.0);
    assert_near(bench.get("pressure"), 107_477.0, 1e-4);
}

#[test]
fn a_gust_grows_and_fades() {
    let parameters = "wind = [1, 2, 3]\ngust = [4, 0, -2]\ngust_start = 0.2\ngust_duration = 0.4";
    let mut bench = Bench::started("atmosphere", parameters, "0.1");
    let part = [0.0, 0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0];
    for part in part {
        assert!((bench.get("wind_north") - (1.0 + 4.0 * part)).abs() < 1e-14);
        assert_eq!(bench.get("wind_east"), 2.0);
        assert!((bench.get("wind_down") - (3.0 - 2.0 * part)).abs() < 1e-14);
        bench.step();
    }
}

#[test]
fn an_engine_follows_its_throttle_with_a_lag_and_the_air_at_once() {
    let parameters = "power_max = 1e5\nefficiency_max = 0.8\ndesign_speed = 50\nlag = 0.5";
    let mut bench = Bench::started("piston-engine", parameters, "0.1");
    bench.set("throttle", 2.0);
    bench.set("density", 1.225);
    for n in 0..20 {
        let opening = 1.0 - libm::exp(-0.1 * f64::from(n) / 0.5);
        assert!((bench.get("opening") - opening).abs() < 1e-14);
        bench.set("airspeed", 100.0);
        let thrust = 1e5 * opening * 0.8 / 100.0;
        assert!((bench.get("thrust") - thrust).abs() < 1e-9);
        bench.set("airspeed", 0.0);
        assert!((bench.get("thrust") - 1e5 * opening * 0.8 * 2.0 / 50.0).abs() < 1e-9);
        bench.step();
    }
    let full = bench.get("power");
    bench.set("density", 0.6125);
    assert_near(bench.get("power") / full, 1.132 * 0.5 - 0.132, 1e-12);
    bench.set("density", 0.01);
    assert_eq!(bench.get("power"), 0.0, "no engine runs without air");
}

#[test]
fn an_actuator_within_its_limits_is_a_damped_oscillator() {
    let mut bench = Bench::started("actuator", "frequency = 20\ndamping = 0.6", "0.01");
    bench.set("u", 0.3);
    let (w, d) = (20.0, 0.6_f64);
    let damped = w * (1.0 - d * d).sqrt();
    for n in 0..100 {
        let time = 0.01 * f64::from(n);
        let wave = libm::cos(damped * time) + d * w / damped * libm::sin(damped * time);
        let y = 0.3 * (1.0 - libm::exp(-d * w * time) * wave);
        assert!((bench.get("y") - y).abs() < 1e-6, "{}", bench.get("y") - y);
        bench.step();
    }
}

#[test]
fn an_actuator_keeps_its_limits() {
    let parameters = "frequency = 30\ndamping = 0.5\nrate_max = 0.4\nmin = -0.1\nmax = 0.2";
    let mut bench = Bench::started("actuator", parameters, "0.01");
    let mut last = 0.0;
    for n in 0..400 {
        bench.set("u", if n < 200 { 5.0 } else { -5.0 });
        bench.step();
        let y = bench.get("y");
        assert!((-0.1..=0.2).contains(&y) && (y - last).abs() <= 0.4 * 0.01 + 1e-15, "{y}");
        assert!(bench.get("rate").abs() <= 0.4);
        last = y;
        if n == 150 {
            assert_near(y, 0.2, 1e-6);
        }
    }
    assert_near(last, -0.1, 1e-6);
}

#[test]
fn sensors_find_altitude_and_speed_from_pressures() {
    let mut bench = Bench::started("aircraft-sensors", "rate_bias = [0.1, 0.2, 0.3]", "0.01");
    let mut air = Bench::started("atmosphere", "", "0.01");
    for geopotential in [0.0, 2438.4, 9000.0] {
        air.set("altitude", 6_356_766.0 * geopotential / (6_356_766.0 - geopotential));
        let (pressure, temperature) = (air.get("pressure"), air.get("temperature"));
        let (sound, density) = (air.get("speed_of_sound"), air.get("density"));
        bench.set("pressure", pressure);
        bench.set("temperature", temperature);
        bench.set("mach", 60.0 / sound);
        assert!((bench.get("pressure_altitude") - geopotential).abs() < 1e-8);
        assert_near(bench.get("true_airspeed"), 60.0, 1e-14);
        // Slow air is nearly incompressible.
        let equivalent = 60.0 * (density / 1.225).sqrt();
        assert_near(bench.get("calibrated_airspeed"), equivalent, 5e-3);
    }
    bench.set("yaw_rate", 1.0);
    assert_eq!(bench.get("measured_yaw_rate"), 1.3);
}

#[test]
fn places_on_the_ellipsoid_are_where_geodesy_has_them() {
    let mut bench = Bench::started("geocentric", "", "0.01");
    assert_near(bench.get("x"), 6_378_137.0, 1e-15);
    assert_near(bench.get("theta"), -FRAC_PI_2, 1e-9); // the nose points to the pole star
    bench.set("latitude", FRAC_PI_2);
    assert_near(bench.get("z"), 6_356_752.314_245, 1e-13);
    bench.set("latitude", 0.0);
    bench.set("longitude", FRAC_PI_2);
    bench.set("altitude", 1000.0);
    assert_near(bench.get("y"), 6_379_137.0, 1e-15);
    bench.set("heading", FRAC_PI_2); // east is where x is negative
    assert_near(bench.get("psi").abs(), std::f64::consts::PI, 1e-12);
    assert!(bench.get("theta").abs() < 1e-12);
    // The right wing points south, the belly to the earth's center.
    assert_near(bench.get("phi"), -FRAC_PI_2, 1e-12);
}

#[test]
fn a_controller_asks_for_what_its_laws_say() {
    let parameters = "altitude_gain = 0.01\naltitude_integral = 0.1\npitch_max = 0.2\n\
                      pitch_gain = 0.5\npitch_damping = 0.1\nelevator_trim = 0.02\n\
                      roll_gain = 0.7\nroll_damping = 0.2\nyaw_damping = 0.3\n\
                      coordination_gain = 0.01\nspeed_gain = 0.05\nspeed_integral = 0.1\n\
                      throttle_trim = 0.6";
    let mut bench = Bench::started("flight-controller", parameters, "0.1");
    assert_eq!([bench.get("elevator"), bench.get("throttle")], [0.02, 0.6]);
    bench.set("altitude_command", 10.0);
    assert_near(bench.get("elevator"), 0.02 - 0.5 * 0.1, 1e-14);
    bench.set("altitude_command", 1000.0);
    assert_near(bench.get("elevator"), 0.02 - 0.5 * 0.2, 1e-14);
    (0..50).for_each(|_| bench.step());
    bench.set("altitude_command", 0.0);
    assert_near(bench.get("elevator"), 0.02, 1e-14);
    bench.set("airspeed_command", 2.0);
    assert_near(bench.get("throttle"), 0.7, 1e-14);
    (0..10).for_each(|_| bench.step());
    assert_near(bench.get("throttle"), 0.9, 1e-14);
    bench.set("roll_command", 0.5);
    bench.set("roll", 0.2);
    bench.set("roll_rate", 0.1);
    assert_near(bench.get("aileron"), 0.7 * 0.3 - 0.02, 1e-14);
    // In a coordinated turn the rudder rests.
    bench.set("airspeed", 80.0);
    bench.set("yaw_rate", 9.80665 * libm::sin(0.2) / 80.0);
    assert_eq!(bench.get("rudder"), 0.0);
    bench.set("acceleration_right", -0.5);
    assert_near(bench.get("rudder"), -0.005, 1e-14);
}

#[test]
fn bodies_that_cannot_be_are_refused() {
    for (parameters, reason) in [
        ("mass = 0", "`mass` must be positive, and `inertia` positive definite"),
        ("inertia_xz = 2", "`mass` must be positive, and `inertia` positive definite"),
        ("substeps = 1.5", "`substeps` = 1.5 is no whole number up to a million"),
        ("earth_radius = 0", "`earth_radius` is not positive"),
    ] {
        let mut bench = Bench::fresh("flight-dynamics", parameters, "0.01");
        bench.instance.enter_initialization(&bench.setup()).unwrap();
        let error = bench.instance.exit_initialization().unwrap_err().to_string();
        assert_eq!(error, format!("exit initialization() was refused: {reason}"));
    }
    assert!(0.0 < air_at(0.0).0);
}
