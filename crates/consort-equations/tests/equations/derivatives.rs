//! Symbolic derivatives against differences, for every function and for random expressions.

use crate::{Setting, compiled};
use consort_equations::{Equations, Program};
use proptest::prelude::*;

/// Compares the symbolic derivative of `der(x0)` by both states with central differences.
fn check(expression: &str, states: [f64; 2]) -> Result<(), String> {
    let text = format!(
        "model m\nparameter p = 0.7\nstate x = 1\nstate y = 1\nder(x) = {expression}\n\
         der(y) = 0\nend"
    );
    let equations = compiled(&text);
    let mut setting = Setting::start(&equations);
    setting.states = states.to_vec();
    let jacobian = &equations.programs.state_jacobian;
    let entries = setting.evaluate(&equations, &jacobian.program);
    for column in 0..2 {
        let mut direction = [0.0; 2];
        direction[column] = 1.0;
        let mut symbolic = [0.0; 2];
        jacobian.add_product(&entries, &direction, &mut symbolic);
        compare(&equations, &setting, column, symbolic[0])
            .map_err(|why| format!("{expression} at {states:?} by state {column}: {why}"))?;
    }
    Ok(())
}

fn compare(
    equations: &Equations,
    setting: &Setting,
    column: usize,
    symbolic: f64,
) -> Result<(), String> {
    let program = &equations.programs.derivatives;
    let value = value(equations, program, setting, column, 0.0);
    let [coarse, fine] = [1e-4, 5e-5].map(|step| {
        let at = |step: f64| self::value(equations, program, setting, column, step);
        (at(step) - at(-step)) / (2.0 * step)
    });
    // Where differences of two widths disagree, they say nothing.
    let scale = 1.0 + value.abs() + fine.abs();
    let is_smooth = (coarse - fine).abs() < 1e-6 * scale && scale < 1e6;
    let agrees = (symbolic - fine).abs() < 1e-4 * scale;
    if is_smooth && !agrees {
        return Err(format!("{symbolic} instead of {fine}"));
    }
    Ok(())
}

fn value(
    equations: &Equations,
    program: &Program,
    setting: &Setting,
    column: usize,
    step: f64,
) -> f64 {
    let mut moved = setting.clone();
    moved.states[column] += step;
    moved.evaluate(equations, program)[0]
}

#[test]
fn every_function_has_its_derivative() {
    let cases = [
        "x + y",
        "x - y",
        "x*y",
        "x/y",
        "-x",
        "x^y",
        "x^2",
        "x^3",
        "x^4",
        "x^2.5",
        "2^x",
        "x^-1",
        "exp(x)",
        "ln(x)",
        "log10(x)",
        "log(2, x)",
        "log(x, y)",
        "sqrt(x)",
        "root(3, x)",
        "root(5, x)",
        "abs(x)",
        "abs(-x)",
        "sign(x)",
        "floor(x)",
        "ceil(x)",
        "min(x, y)",
        "max(x, y)",
        "quotient(x, y)",
        "rem(y, x)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "sec(x)",
        "csc(x)",
        "cot(x)",
        "asin(x/2)",
        "acos(x/2)",
        "atan(x)",
        "asec(2*x)",
        "acsc(2*x)",
        "acot(x)",
        "atan2(x, y)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "sech(x)",
        "csch(x)",
        "coth(x)",
        "asinh(x)",
        "acosh(1 + x)",
        "atanh(x/2)",
        "asech(x/2)",
        "acsch(x)",
        "acoth(1 + x)",
        "if x < y then x*x else y",
        "if y < x then ln(-x) else x*y",
        "x*y - p*x",
        "(x + y)^2/x",
    ];
    for case in cases {
        check(case, [0.75, 1.6]).unwrap();
    }
}

/// Random expressions in `x`, `y` and `p`.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("p".to_owned()),
        (1..50_i32).prop_map(|n| format!("{}", f64::from(n) / 8.0)),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            (two.clone(), "[-+*/]").prop_map(|((a, b), op)| format!("({a} {op} {b})")),
            two.clone().prop_map(|(a, b)| format!("(1 + {a}^2)^({b}/8)")),
            two.prop_map(|(a, b)| format!("max({a}, min({b}, 3))")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            inner.clone().prop_map(|a| format!("exp(-({a})^2)")),
            inner.prop_map(|a| format!("ln(2 + cos({a}))")),
            three.prop_map(|(a, b, c)| format!("(if {a} < {b} then {c} else -({b}))")),
        ]
    })
}

proptest! {
    #[test]
    fn random_expressions_have_their_derivatives(
        text in expression(), x in 0.1..2.0_f64, y in 0.1..2.0_f64,
    ) {
        let result = check(&text, [x, y]);
        prop_assert!(result.is_ok(), "{result:?}");
    }
}
