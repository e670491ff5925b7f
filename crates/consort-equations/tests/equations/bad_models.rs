//! Every mistake a model can have, and what is said about it.

use consort_core::Report;
use consort_equations::{compile, read};
use consort_testkit::render;
use std::fmt::Write as _;

/// Everything that is said about a model, and whether it would run.
fn findings(text: &str) -> String {
    let mut report = Report::default();
    let model = read("model.eq", text, &mut report);
    let runs = model.and_then(|model| compile(&model, &mut report)).is_some();
    render::assert_helpful(&report);
    for diagnostic in report.diagnostics() {
        assert!(diagnostic.primary.is_some(), "{}: no place", diagnostic.message);
    }
    assert_eq!(runs, !report.has_errors(), "nothing runs with an error, all else does: {text}");
    let verdict = if runs { "runs" } else { "does not run" };
    format!("{}({verdict})\n", render::report(&report))
}

/// Whole texts.
const WHOLE: &[(&str, &str)] = &[
    ("no text at all", ""),
    ("no model", "state x = 1\nend"),
    ("a model without a name", "model\nstate x = 1\nder(x) = 1\nend"),
    ("a model without an end", "model m\nstate x = 1\nder(x) = x"),
    ("text after the end", "model m\nend\nmodel n\nend"),
    ("XML", "<?xml version='1.0'?>\n<sbml level='2' version='4'/>"),
    ("a mark of its encoding that is not at the start", "model m\n\u{feff}state x = 1\nend"),
    ("a quote that is not closed", "model m \"a tank\nend"),
];

/// Put into `model m ... end`, with `parameter k`, `input u`, `state x` and its derivative.
const LINES: &[(&str, &str)] = &[
    ("an unknown character", "variable a = k @ 2"),
    ("an operator of other languages", "variable a = if k < 1 && k > 0 then 1 else 2"),
    ("square brackets", "variable a = x[1]"),
    ("a number with letters", "variable a = 2k"),
    ("a number too large", "variable a = 1e999"),
    ("an unknown statement", "paramter a = 1"),
    ("an unknown statement like nothing", "connect a"),
    ("a missing value", "variable a ="),
    ("a missing operand", "variable a = k *"),
    ("a bracket not closed", "variable a = (k + 1"),
    ("two statements on a line", "variable a = 1 variable b = 2"),
    ("two values side by side", "variable a = k x"),
    ("a reserved name", "state when = 1"),
    ("the name of a function", "parameter exp = 1"),
    ("the name of a constant", "parameter time = 1"),
    ("a name that is a number", "parameter 2a = 1"),
    ("an if without else", "variable a = if k < 1 then 2"),
    ("an if without then", "variable a = if k < 1 2 else 3"),
    ("an equal sign to compare", "variable a = if k = 1 then 2 else 3"),
    ("comparisons strung together", "variable a = if 0 < k < 1 then 2 else 3"),
    ("an unknown attribute", "state y = 1 \"m\" nomnal 2\nder(y) = 1"),
    ("an attribute without a number", "state y = 1 nominal big\nder(y) = 1"),
    ("an equality of a state", "when x == 1 then\n  x = 0\nend"),
    ("an equality of time", "discrete n = 0\nwhen time == 1 then\n  n = 1\nend"),
    ("an equality of a scaled time", "output y = if 2*time == k then 1 else 0"),
    ("an equality of whole numbers", "output y = if floor(x) == 1 then 1 else 0"),
    ("kilograms and meters", "parameter m = 1 \"kg\"\nparameter l = 1 \"m\"\nvariable a = m + l"),
    ("numbers and meters", "parameter l = 1 \"m\"\nvariable a = l + 1 - 2*l \"m\""),
    (
        "meters and kilometers",
        "parameter l = 1 \"m\"\nvariable a = l \"km\"\nvariable b = 0.001*l \"km\"",
    ),
    ("a derivative in a wrong unit", "parameter v = 1 \"m/s2\"\nstate s = 0 \"m\"\nder(s) = v"),
    ("the sine of a length", "parameter l = 1 \"m\"\nvariable a = sin(l) + exp(l/l)"),
    ("a root and a power", "parameter l = 4 \"m2\"\nvariable a = sqrt(l) + l^2 \"m\""),
    ("branches that differ", "parameter l = 1 \"m\"\nvariable a = if x < 1 then l else 2*l^2"),
    ("a comparison of different things", "parameter l = 1 \"m\"\nwhen l < time then\n  x = 0\nend"),
    ("what is unknown in a sum", "parameter l = 1 \"m\"\nvariable a = l + k \"kg\""),
    ("an event without then", "when x < 0\n  x = 1\nend"),
    ("an equal sign in an event", "when x = 0 then\n  x = 1\nend"),
    ("an event with a statement of another kind", "when x < 0 then\n  der(x) = 1\nend"),
    ("a function without brackets", "function f = 2"),
    ("a derivative of an expression", "der(2*x) = 1"),
    ("nesting without end", "variable a = {deep}"),
    ("an unknown name", "variable a = kk + 1"),
    ("an unknown name like nothing", "variable a = temperature"),
    ("two unknown names on a line", "variable a = xx*uu"),
    ("an unknown function", "variable a = sine(x)"),
    ("a value called like a function", "variable a = k(x + 1)"),
    ("a function used like a value", "function f(z) = z\nvariable a = f + 1"),
    ("an argument too few", "variable a = atan2(x)"),
    ("an argument too many", "function f(z) = z\nvariable a = f(x, k)"),
    ("a name declared twice", "parameter k = 2"),
    ("two arguments of one name", "function f(z, z) = z"),
    ("a function that reaches outside", "function f(z) = z*k"),
    ("functions in a circle", "function f(z) = g(z)\nfunction g(z) = f(z)\nvariable a = f(1)"),
    ("a state without derivative", "state y = 1"),
    ("a derivative twice", "der(x) = 2"),
    ("a derivative of a parameter", "der(k) = 2"),
    ("a derivative of nothing", "der(xx) = 2"),
    ("a derivative of an input used", "variable a = der(u)"),
    ("a variable without a value", "variable a"),
    ("a parameter without a value", "parameter a"),
    ("a variable defined twice", "variable a = 1\na = 2"),
    ("a state assigned", "x = 2"),
    ("an input assigned", "u = 2"),
    ("a parameter assigned", "k = 2"),
    ("a discrete assigned", "discrete d = 0\nd = 2"),
    ("an unknown variable assigned", "y = 2"),
    ("a circle", "variable a = b + 1\nvariable b = 2*c\nvariable c = a"),
    ("a variable that needs itself", "variable a = a + 1"),
    ("derivatives in a circle", "state y = 1\nder(y) = der(z)\nstate z = 1\nder(z) = der(y) + 1"),
    ("first values in a circle", "state y = z\nstate z = y\nder(y) = 1\nder(z) = 1"),
    ("a parameter that depends on a state", "parameter a = 2*x"),
    ("a parameter that depends on time", "parameter a = 2*time"),
    ("an input that is computed", "input w = 2*k"),
    ("a condition as a value", "variable a = x < 1"),
    ("a condition in a sum", "variable a = 1 + (x < 1)"),
    ("a number as a condition", "variable a = if x then 1 else 2"),
    ("branches of two kinds", "variable a = if x < 1 then true else 2"),
    ("a number in an event's condition", "when x then\n  x = 1\nend"),
    ("a condition that never changes", "when 1 < 2 then\n  x = 1\nend"),
    ("an event that changes a parameter", "when x < 0 then\n  k = 1\nend"),
    ("an event that changes nothing known", "when x < 0 then\n  xs = 1\nend"),
    ("an event that assigns twice", "when x < 0 then\n  x = 1\n  x = 2\nend"),
    ("pre outside an event", "variable a = pre(x)"),
    ("a delay into the future", "variable a = delay(x, -1)"),
    ("a delay in a function", "function f(z) = delay(z, 1)\nvariable a = f(x)"),
    ("a past that is never known", "variable a = delay(a, 1)"),
    ("a delay without a duration", "variable a = delay(x)"),
    ("a unit that is unknown", "parameter a = 1 \"furlong\""),
    ("a nominal value below zero", "state y = 1 nominal -2\nder(y) = 1"),
    ("bounds swapped", "parameter a = 1 min 2 max 1"),
    ("an experiment without parts", "experiment"),
    ("an experiment with an unknown part", "experiment stop 1 start 0"),
    ("an experiment without a number", "experiment stop soon"),
    ("an experiment that stops before it starts", "experiment stop -1"),
    ("an experiment of no length", "experiment stop 0"),
    ("an experiment with steps of no length", "experiment stop 1 step 0"),
    ("a tolerance that is no tolerance", "experiment tolerance 1"),
    ("a part of the experiment twice", "experiment stop 1 stop 2"),
    ("two experiments", "experiment stop 1\nexperiment step 0.1"),
    ("an experiment misspelled", "experimnt stop 1"),
    ("several mistakes", "variable a = 1 +\nvariable b = (2\nder(x) 3\noutput = 4"),
];

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, text) in WHOLE {
        let _ = writeln!(all, "## {name}\n{}", findings(text));
    }
    for (name, lines) in LINES {
        let lines = lines.replace("{deep}", &"(".repeat(200));
        let base = "parameter k = 1\ninput u = 0\nstate x = 1\nder(x) = k*u";
        let text = format!("model m\n{base}\n{lines}\nend");
        let _ = writeln!(all, "## {name}\n{}", findings(&text));
    }
    insta::assert_snapshot!("mistakes", all);
}
