//! Every mistake a scenario file can have, and what is said about it.

use consort_core::{Report, Severity};
use consort_formats::read_scenario;
use consort_testkit::render;
use std::fmt::Write as _;

/// Right as it is; most cases change one thing in it.
const GOOD: &str = "name = pair
scenario = {
  fmus = {
    a = { inputs = { u = {reactivity=delayed} }, outputs = { y = {dependencies-init=[u], dependencies=[]} } }
    b = { inputs = { u = {reactivity=reactive} }, outputs = { y = {dependencies-init=[], dependencies=[]} } }
  }
  connections = [ a.y -> b.u, b.y -> a.u ]
  max-possible-step-size = 2
}
initialization = [ {get: b.y}, {set: a.u}, {get: a.y}, {set: b.u} ]
cosim-step = [ {step: a}, {get: a.y}, {set: b.u}, {step: b}, {get: b.y}, {set: a.u} ]
";

const CHANGED: &[(&str, &str, &str)] = &[
    ("an unknown key at the top", "initialization", "initialisation"),
    ("an unknown key of an FMU", "a = { inputs", "a = { can-reject-steps = true, inputs"),
    ("clocks of FMI 3", "a = { inputs", "a = { input-clocks = { r = {} }, inputs"),
    ("no FMUs", "  fmus = {", "  units = {"),
    ("an unknown reactivity", "reactivity=delayed", "reactivity=delay"),
    ("no reactivity", "u = {reactivity=delayed}", "u = {}"),
    ("an unknown input in dependencies", "dependencies-init=[u]", "dependencies-init=[v]"),
    ("no dependencies", ", dependencies=[]} } }\n    b", "} } }\n    b"),
    (
        "an input that is an output too",
        "outputs = { y = {dependencies-init=[u]",
        "outputs = { u = {dependencies-init=[u]",
    ),
    ("a dot in the name of an FMU", "    a = {", "    \"a.b\" = {"),
    ("a boolean that is none", "a = { inputs", "a = { can-reject-step = perhaps, inputs"),
    ("a step size that is no number", "size = 2", "size = fast"),
    ("a step size of nothing", "size = 2", "size = 0"),
    (
        "a list that is an object",
        "connections = [ a.y -> b.u, b.y -> a.u ]",
        "connections = { a = b }",
    ),
    ("an object that is a list", "inputs = { u = {reactivity=delayed} }", "inputs = [u]"),
    ("a text that is a list", "name = pair", "name = [pair]"),
    ("a connection without an arrow", "a.y -> b.u", "a.y to b.u"),
    ("a connection from an input", "a.y -> b.u", "a.u -> b.u"),
    ("a connection to an unknown FMU", "a.y -> b.u", "a.y -> c.u"),
    ("a connection to an unknown port", "a.y -> b.u", "a.y -> b.uu"),
    ("an input with two sources", "b.y -> a.u", "b.y -> b.u"),
    ("a port without an FMU", "{get: b.y}", "{get: y}"),
    ("reading an input", "{get: b.y}", "{get: b.u}"),
    ("setting an output", "{set: a.u}", "{set: a.y}"),
    (
        "a step in the initialization",
        "initialization = [ {get: b.y}",
        "initialization = [ {step: a}",
    ),
    ("an unknown FMU that steps", "{step: b}", "{step: d}"),
    ("an instruction that does nothing", "{step: b}", "{}"),
    ("an instruction that does two things", "{step: b}", "{step: b, get: b.y}"),
    ("an instruction that is a word", "{step: b}", "step"),
    ("two sizes for one step", "{step: b}", "{step: b, by: 1, by-same-as: a}"),
    ("a step longer than the longest", "{step: b}", "{step: b, by: 3}"),
    ("a tentative read outside of loops", "{get: b.y}, {set: a.u} ]\n", "{get-tentative: b.y} ]\n"),
    ("a loop without an end", "{step: b}", "{loop: {iterate: [{step: b}]}}"),
    (
        "a loop with two ends",
        "{step: b}",
        "{loop: {until-converged: [b.y], until-step-accept: [b], iterate: [{step: b}]}}",
    ),
    ("a loop that does nothing", "{step: b}", "{loop: {until-step-accept: [b]}}"),
    (
        "a configuration of an unknown step",
        "  max-possible",
        "  configuration = {configurations = {c = {cosim-step = fast}}}\n  max-possible",
    ),
    (
        "an input that is not configurable",
        "  max-possible",
        "  configuration = {configurations = {c = {inputs = {u = {reactivity=delayed}}, cosim-step = \"\"}}}\n  max-possible",
    ),
    ("a brace that is not closed", "fmus = {", "fmus = {{"),
    ("a bracket that is not closed", "{set: a.u} ]\n", "{set: a.u}\n"),
    ("a quote that is not closed", "name = pair", "name = \"pair"),
    ("a file that is included", "name = pair", "include \"other.conf\""),
    ("a substitution", "name = pair", "name = ${title}"),
    ("a list that is added to", "initialization = [", "initialization += ["),
    ("a key without a value", "name = pair", "name"),
    ("a key with an empty value", "name = pair", "name ="),
    ("two values on one line", "{step: a}, {get: a.y}", "{step: a} {get: a.y}"),
    ("text behind the last brace", "name = pair", "{ name = pair }"),
];

fn findings(text: &str) -> String {
    let mut report = Report::default();
    let scenario = read_scenario("test.conf", text, &mut report);
    for diagnostic in report.diagnostics() {
        assert!(diagnostic.help.is_some(), "{}: {}", diagnostic.code, diagnostic.message);
        assert_eq!(diagnostic.severity, Severity::Error);
    }
    assert_eq!(scenario.is_none(), report.has_errors(), "no scenario without a reason: {text}");
    render::report(&report)
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = render::of_changes(GOOD, CHANGED, findings);
    let deep = "[".repeat(10_000);
    let _ = writeln!(all, "## nesting without end\n{}", findings(&format!("name = {deep}")));
    let _ = writeln!(all, "## no text at all\n{}", findings(""));
    insta::assert_snapshot!("scenarios", all);
}
