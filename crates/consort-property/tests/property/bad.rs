//! Every mistake a property can have, and what is said about it.

use consort_core::Report;
use consort_property::Property;
use consort_testkit::render;
use std::fmt::Write as _;

const BAD: &[(&str, &str)] = &[
    ("no text at all", ""),
    ("only a comment", "# always true"),
    ("an unknown character", "always[0:1] (tank.level < 2) @"),
    ("a single equal sign", "tank.level = 2"),
    ("braces", "always{0:1} (tank.level < 2)"),
    ("a semicolon", "always (tank.level < 2);"),
    ("a name not closed", "\"tank level < 2"),
    ("a number too large", "tank.level < 1e999"),
    ("a bracket not closed", "always[0:10] (tank.level < 2"),
    ("a bracket too many", "always[0:10] (tank.level < 2))"),
    ("a missing operand", "tank.level <"),
    ("a missing right side", "always[0:10]"),
    ("two formulas side by side", "tank.level < 2 tank.level > 1"),
    ("comparisons strung together", "0 < tank.level < 2"),
    ("a number as a condition", "always[0:10] (tank.level - 2)"),
    ("a condition as a number", "(tank.level < 2) + 1 < 3"),
    ("conditions compared", "(tank.level < 2) == (tank.level > 1)"),
    ("an interval with one time", "always[10] (tank.level < 2)"),
    ("an interval not closed", "always[0:10 (tank.level < 2)"),
    ("an interval without a start", "always[:10] (tank.level < 2)"),
    ("an interval backwards", "eventually[5:2] (tank.level < 2)"),
    ("an interval of mixed units backwards", "eventually[1s:500ms] (tank.level < 2)"),
    ("a negative interval", "always[-1:2] (tank.level < 2)"),
    ("an interval that starts never", "always[inf:inf] (tank.level < 2)"),
    ("an unknown unit", "always[0:10sec] (tank.level < 2)"),
    ("an unknown unit like nothing", "always[0:10 fortnights] (tank.level < 2)"),
    ("a time with too many digits", "always[0:0.123456789012345678901] (tank.level < 2)"),
    ("a time divided by zero", "always[0:1/0] (tank.level < 2)"),
    ("an interval before its operator", "[0:10] always (tank.level < 2)"),
    ("an interval of a signal", "tank.level[0:10] < 2"),
    ("a misspelled operator", "allways(tank.level < 2)"),
    ("an unknown function", "frobnicate(tank.level) < 2"),
    ("a function with too few arguments", "min(tank.level) < 2"),
    ("a function with too many arguments", "pow(tank.level, 2, 3) < 2"),
    ("until in front", "until[0:1] (tank.level < 2)"),
    ("until twice", "a.x until b.x until c.x"),
    ("always without brackets before implies", "always[0:9] a.x < 1 implies b.x < 1"),
    ("until without brackets beside and", "a.on and b.on until[0:1] c.on"),
    ("next", "always (next (tank.level < 2))"),
    ("an event of a formula", "event(tank.level < 2)"),
    ("a keyword as a value", "tank.level < and"),
    ("several mistakes at once", "(a.x < ) and always[3:1] (b.x + ) and event(1) and foo(2)"),
];

fn findings(text: &str) -> String {
    let mut report = Report::default();
    let property = Property::parse("property", text, &mut report);
    render::assert_helpful(&report);
    assert!(property.is_none(), "it is wrong: {text}");
    assert!(report.has_errors(), "nothing is refused without a reason: {text}");
    for diagnostic in report.diagnostics() {
        assert!(diagnostic.primary.is_some(), "{}: no place", diagnostic.message);
    }
    render::report(&report)
}

#[test]
fn every_mistake_is_explained() {
    let mut all = String::new();
    for (name, text) in BAD {
        writeln!(all, "--- {name}: {text}\n{}", findings(text)).unwrap();
    }
    insta::assert_snapshot!("mistakes", all);
}

#[test]
fn unknown_signals_are_explained_all_at_once() {
    let mut report = Report::default();
    let text = "(always (tank.levle < 2 and level < 3 and pump.on)) until zzz.q";
    let property = Property::parse("property", text, &mut report).unwrap();
    let known = ["tank.level", "pump.on", "pump.flow"];
    property.check_signals(known, &mut report);
    render::assert_helpful(&report);
    insta::assert_snapshot!("unknown", render::report(&report));
}

#[test]
fn too_long_and_too_deep_are_refused() {
    let code = |text: &str| {
        let mut report = Report::default();
        assert!(Property::parse("property", text, &mut report).is_none());
        report.diagnostics()[0].code
    };
    assert_eq!(code(&" ".repeat(1 << 17)), "property::too-long");
    assert_eq!(
        code(&format!("{}a.x < 1{}", "(".repeat(500), ")".repeat(500))),
        "property::too-deep"
    );
    assert_eq!(code(&format!("{}a.x", "not ".repeat(200))), "property::too-deep");
    assert_eq!(code(&format!("a.x{}", " and a.x".repeat(500))), "property::syntax");
    assert_eq!(code(&format!("a.x < 1{}", " + 1".repeat(500))), "property::syntax");
}
