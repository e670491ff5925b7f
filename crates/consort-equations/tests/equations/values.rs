//! What expressions are worth, against the same in Rust.

use crate::{Setting, compiled};
use consort_equations::History;

/// The value of an expression in `a = 1.25`, `b = -0.5` (parameters), `x = 2.75` (state), `u = 3`
/// (input) and `time = 0.5`.
fn value(expression: &str) -> f64 {
    let text = format!(
        "model m\nparameter a = 1.25\nparameter b = -0.5\ninput u = 3\nstate x = 2.75\n\
         function square(x) = x*x\nfunction hill(s, k, n) = s^n/(k^n + s^n)\nder(x) = a*x\n\
         output y = {expression}\nend"
    );
    let equations = compiled(&text);
    let mut setting = Setting::start(&equations);
    setting.time = 0.5;
    setting.evaluate(&equations, &equations.programs.outputs)[0]
}

/// The value equals, to the bit, what Rust and `libm` make of it.
fn check(expression: &str, expected: f64) {
    let found = value(expression);
    assert_eq!(found.to_bits(), expected.to_bits(), "{expression}: {found} instead of {expected}");
}

const A: f64 = 1.25;
const B: f64 = -0.5;
const X: f64 = 2.75;
const U: f64 = 3.0;

#[test]
fn operators_bind_as_in_mathematics() {
    check("a + b*x", A + B * X);
    check("(a + b)*x", (A + B) * X);
    check("a - b - x", A - B - X);
    check("a - (b - x)", A - (B - X));
    check("a/b/x", A / B / X);
    check("a/b*x", A / B * X);
    check("-x^2", -(X * X));
    check("2^3^2", 512.0);
    check("2^-1", 0.5);
    check("x^-2", libm::pow(X, -2.0));
    check("-x*a", -X * A);
    check("+x - -a", X + A);
    check("a*b + x*u", A * B + X * U);
    check("x - a*u", X - A * U);
    check("a*u - x", A * U - X);
    check("if not x < a and a < x or false then 1 else 2", 1.0);
    check("if true or false and false then 1 else 2", 1.0);
    check("if false implies false then 1 else 2", 1.0);
    check("if true xor true then 1 else 2", 2.0);
}

#[test]
fn a_line_continues_inside_an_expression() {
    check("a +\n  b", A + B);
    check("(a\n + b)", A + B);
}

#[test]
fn numbers_are_read_exactly() {
    check("0.1", 0.1);
    check("1e-3", 1e-3);
    check(".5E+2", 50.0);
    check("5.", 5.0);
    check("2.2250738585072014e-308", f64::MIN_POSITIVE);
    check("infinity", f64::INFINITY);
    check("pi", std::f64::consts::PI);
    check("time", 0.5);
}

#[test]
fn functions_are_those_of_the_pinned_libm() {
    check("exp(x)", libm::exp(X));
    check("ln(x)", libm::log(X));
    check("log10(x)", libm::log10(X));
    check("log(2, x)", libm::log(X) / libm::log(2.0));
    check("log(10, x)", libm::log10(X));
    check("sqrt(x)", X.sqrt());
    check("root(2, x)", X.sqrt());
    check("root(3, -x)", libm::cbrt(-X));
    check("root(5, x)", libm::pow(X, 1.0 / 5.0));
    check("power(x, a)", libm::pow(X, A));
    check("abs(b)", 0.5);
    check("sign(b)", -1.0);
    check("floor(b)", -1.0);
    check("ceil(a)", 2.0);
    check("factorial(5)", 120.0);
    check("factorial(u)", 6.0);
    check("factorial(a)", libm::tgamma(2.25));
    check("min(a, b, x)", B);
    check("max(a, b, x)", X);
    check("quotient(-7, 2)", -3.0);
    check("rem(-7, 2)", -1.0);
    check("rem(x, a)", libm::fmod(X, A));
    check("atan2(a, b)", libm::atan2(A, B));
}

#[test]
fn trigonometric_functions_have_all_their_relatives() {
    check("sin(x)", libm::sin(X));
    check("cos(x)", libm::cos(X));
    check("tan(x)", libm::tan(X));
    check("sec(x)", 1.0 / libm::cos(X));
    check("csc(x)", 1.0 / libm::sin(X));
    check("cot(x)", 1.0 / libm::tan(X));
    check("asin(b)", libm::asin(B));
    check("acos(b)", libm::acos(B));
    check("atan(x)", libm::atan(X));
    check("asec(x)", libm::acos(1.0 / X));
    check("acsc(x)", libm::asin(1.0 / X));
    check("acot(x)", libm::atan(1.0 / X));
    check("sinh(x)", libm::sinh(X));
    check("cosh(x)", libm::cosh(X));
    check("tanh(x)", libm::tanh(X));
    check("sech(x)", 1.0 / libm::cosh(X));
    check("csch(x)", 1.0 / libm::sinh(X));
    check("coth(x)", 1.0 / libm::tanh(X));
    check("asinh(x)", libm::asinh(X));
    check("acosh(x)", libm::acosh(X));
    check("atanh(b)", libm::atanh(B));
    check("asech(1/x)", libm::acosh(1.0 / (1.0 / X)));
    check("acsch(x)", libm::asinh(1.0 / X));
    check("acoth(x)", libm::atanh(1.0 / X));
}

#[test]
fn conditions_choose() {
    check("if x < a then 1 elseif x < u then 2 else 3", 2.0);
    check("if x >= 2.75 then 1 else 0", 1.0);
    check("if x > 2.75 then 1 else 0", 0.0);
    check("if x == 2.75 and x != a then 1 else 0", 1.0);
    check("if (x < a) == (u < a) then 1 else 0", 1.0);
    check("if b < 0 then 0 else ln(b)", 0.0);
}

#[test]
fn functions_of_the_model_and_derivatives_can_be_used() {
    check("square(square(b))", 0.0625);
    check("hill(x, a, 2)", X * X / (A * A + X * X));
    check("der(x)", A * X);
}

#[test]
fn first_values_may_need_each_other_and_what_is_computed_from_them() {
    let equations = compiled(
        "model m\nparameter p = 2\nparameter q = 3*p\nstate x = 2*y\nstate y = q + 1\n\
         discrete d = total + der(x)\nvariable total = x + y\nder(x) = y\nder(y) = 0\nend",
    );
    let setting = Setting::start(&equations);
    assert_eq!((setting.states, setting.discretes), (vec![14.0, 7.0], vec![28.0]));
    assert_eq!(equations.parameters.len(), 1, "a computed parameter cannot be set");
    assert_eq!(equations.locals[0].name, "q");
}

#[test]
fn declarations_carry_units_descriptions_and_bounds() {
    let equations = compiled(
        "model m \"a tank\" # with a comment\nstate h = 1 \"m\" \"level\" nominal 2 min 0 max 5\n\
         input q = 0.5 \"m/s\"\nder(h) = q\nend",
    );
    let h = &equations.states[0];
    assert_eq!((equations.name.as_str(), equations.description.as_str()), ("m", "a tank"));
    assert_eq!((h.start, h.nominal, h.min, h.max), (1.0, Some(2.0), Some(0.0), Some(5.0)));
    assert_eq!((h.unit.as_ref().unwrap().name.as_str(), h.description.as_str()), ("m", "level"));
    assert_eq!(equations.inputs[0].start.to_bits(), 0.5_f64.to_bits());
}

/// At three seconds, remembers `100 * buffer + time`.
struct Line;

impl History for Line {
    fn ago(&mut self, buffer: usize, seconds: f64) -> f64 {
        100.0 * buffer as f64 + 3.0 - seconds
    }
}

#[test]
fn delays_ask_their_buffer_for_the_right_time() {
    let equations = compiled(
        "model m\nparameter tau = 0.25\nstate x = 7\nvariable y = delay(x, 1)\n\
         output now = delay(x, 0)\noutput past = y + 2*delay(x*x, tau)\nder(x) = y\nend",
    );
    assert_eq!(equations.delays.len(), 2);
    assert_eq!(equations.delays[0].duration, Some(1.0));
    assert_eq!(equations.delays[1].duration, None);
    let mut setting = Setting::start(&equations);
    setting.time = 3.0;
    let past = setting.evaluate_with(&equations, &equations.programs.outputs, &mut Line);
    assert_eq!(past, [7.0, 2.0 + 2.0 * 102.75]);
    let now = setting.evaluate_with(&equations, &equations.programs.remembered, &mut Line);
    assert_eq!(now, [7.0, 49.0]);
}

#[test]
fn an_experiment_is_kept_as_written() {
    let text = "model m\nexperiment stop 2.50 tolerance 1e-5\noutput y = time\nend";
    let experiment = compiled(text).experiment;
    assert_eq!(experiment.stop.as_deref(), Some("2.50"));
    assert_eq!(experiment.step, None);
    assert_eq!(experiment.tolerance.as_deref(), Some("1e-5"));
}

#[test]
fn experiment_is_a_name_like_others_too() {
    let text = "model m\nvariable experiment\nexperiment = 2\noutput y = experiment + 1\nend";
    let equations = compiled(text);
    let setting = Setting::start(&equations);
    assert_eq!(setting.evaluate(&equations, &equations.programs.outputs), [3.0]);
}

#[test]
fn what_can_be_set_is_known_from_what_was_written() {
    let text = "model m\nparameter a = 1\nparameter b = 2*a\ninput u = 0\nstate x = 3 - 1\n\
                state y = a\ndiscrete n = 4\ndiscrete k = u\nvariable v = x\noutput o = v\n\
                der(x) = 1\nder(y) = 1\nend";
    let equations = compiled(text);
    let fixed = |list: &[consort_equations::Quantity]| -> Vec<(f64, bool)> {
        list.iter().map(|it| (it.start, it.is_start_fixed)).collect()
    };
    assert_eq!(fixed(&equations.parameters), [(1.0, true)]);
    assert_eq!(fixed(&equations.states), [(2.0, true), (0.0, false)]);
    assert_eq!(fixed(&equations.discretes), [(4.0, true), (0.0, false)]);
    assert_eq!(fixed(&equations.outputs), [(0.0, false)]);
    let parameters: Vec<bool> = equations.locals.iter().map(|it| it.is_parameter).collect();
    assert_eq!(parameters, [true, false], "b is computed from parameters, v from states");
    let inputs: Vec<&[usize]> =
        equations.initial_dependence.iter().map(|it| &it.inputs[..]).collect();
    assert_eq!(inputs, [&[][..], &[], &[], &[0]]);
}

#[test]
fn how_long_a_delay_looks_back_is_known_if_parameters_settle_it() {
    let text = "model m\nparameter tau = 2\nstate x = 1\n\
                der(x) = delay(x, 1) + delay(x, tau/4) + delay(x, x)\nend";
    let equations = compiled(text);
    let known: Vec<_> = equations.delays.iter().map(|it| (it.duration, it.is_fixed)).collect();
    assert_eq!(known, [(Some(1.0), true), (None, true), (None, false)]);
    let setting = Setting::start(&equations);
    let durations = setting.evaluate(&equations, &equations.programs.durations);
    assert_eq!(durations, [1.0, 0.5, 1.0]);
}
