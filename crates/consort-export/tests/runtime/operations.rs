//! Every operation in C and in Rust, on values at the edges of what numbers can be.

use crate::bench::{Bench, Form, compiled};
use consort_core::{Reference, ValuesMut, ValuesRef};
use consort_equations::{ModelPart, NoHistory};
use consort_export::FmiVersion;

/// Those whose results are defined to the bit.
const EXACT: &[&str] = &[
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a*b + c",
    "a*b - c",
    "c - a*b",
    "(a + b)*c",
    "-a",
    "a^2",
    "a^3",
    "min(a, b)",
    "max(a, b)",
    "rem(a, b)",
    "quotient(a, b)",
    "sqrt(a)",
    "abs(a)",
    "sign(a)",
    "floor(a)",
    "ceil(a)",
    "if a < b then 1 else 2",
    "if a <= b then 1 else 2",
    "if a > b then 1 else 2",
    "if a >= b then 1 else 2",
    "if a == b then 1 else 2",
    "if a != b then 1 else 2",
    "if a < b and b < c then a else c",
    "if a < b or b < c then a else c",
    "if a < b xor b < c then a else c",
    "if not (a < b) then a else c",
    "if a < b implies b < c then a else c",
    "factorial(floor(abs(rem(a, 171))))",
];

/// Those that come from a library.
const NEAR: &[&str] = &[
    "a^b",
    "factorial(rem(a, 20))",
    "atan2(a, b)",
    "exp(a)",
    "ln(a)",
    "log10(a)",
    "root(3, a)",
    "sin(a)",
    "cos(a)",
    "tan(a)",
    "asin(a)",
    "acos(a)",
    "atan(a)",
    "sinh(a)",
    "cosh(a)",
    "tanh(a)",
    "asinh(a)",
    "acosh(a)",
    "atanh(a)",
];

/// So many representable numbers may lie between two results of libraries.
const UNITS_MAX: u64 = 4;

const EDGES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    3.0,
    -3.0,
    5.0,
    7.25,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    0.1,
    -0.3,
    1e-8,
    -1e-300,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    170.0,
    -170.5,
    709.5,
    -745.5,
    1e16,
    -1e16,
    4_503_599_627_370_497.5,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn text() -> String {
    let mut text = "model operations\n  input a = 1\n  input b = 1\n  input c = 1\n".to_owned();
    for (number, expression) in EXACT.iter().chain(NEAR).enumerate() {
        text += &format!("  output y{number} = {expression}\n");
    }
    text + "end"
}

/// How many representable numbers there are from one to the other.
fn units(a: f64, b: f64) -> u64 {
    let place = |value: f64| {
        let bits = value.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    place(a).abs_diff(place(b))
}

#[track_caller]
fn check(found: &[f64], expected: &[f64], point: [f64; 3]) {
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        let units_max = if number < EXACT.len() { 0 } else { UNITS_MAX };
        let is_same = found.is_nan() && expected.is_nan();
        let is_near =
            !found.is_nan() && !expected.is_nan() && units(*found, *expected) <= units_max;
        let what = EXACT.iter().chain(NEAR).nth(number).unwrap();
        assert!(is_same || is_near, "`{what}` at {point:?}: {found:e} for {expected:e}");
    }
}

#[test]
fn every_operation_gives_what_it_gives_in_rust() {
    let equations = compiled(&text());
    let form = Form::CoSimulation(FmiVersion::V3);
    let mut bench = Bench::new(&equations, form, 1_000_000, 1e-6);
    let reference = |part| Reference(equations.number(part) as u32);
    let inputs = [0, 1, 2].map(|at| reference(ModelPart::Input(at)));
    let outputs: Vec<Reference> =
        (0..equations.outputs.len()).map(|at| reference(ModelPart::Output(at))).collect();
    let program = &equations.programs.outputs;
    let mut registers = program.registers();
    let (mut found, mut expected) = (vec![0.0; outputs.len()], vec![0.0; outputs.len()]);
    for (number, a) in EDGES.iter().enumerate() {
        for (other, b) in EDGES.iter().enumerate() {
            let point = [*a, *b, EDGES[(7 * number + other) % EDGES.len()]];
            bench.instance.set(&inputs, ValuesRef::Float64(&point)).unwrap();
            bench.instance.get(&outputs, ValuesMut::Float64(&mut found)).unwrap();
            let at = equations.point(0.0, [&[], &point, &[], &[]]);
            program.evaluate(&at, &mut NoHistory, &mut registers, &mut expected);
            check(&found, &expected, point);
        }
    }
}
