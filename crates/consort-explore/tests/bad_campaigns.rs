//! Every mistake a campaign can have, and what is said about it.

use consort_core::Report;
use consort_explore::campaign::{Questions, resolve};
use consort_formats::fuzz::{descriptions, models};
use consort_formats::{read_campaign, read_system};
use consort_testkit::render;
use std::fmt::Write as _;

/// What the campaigns explore.
const SYSTEM: &str = r#"[experiment]
stop = 60
step = 0.1
[components.tank]
model = "tank"
parameters = { inflow = 0.5 }
[components.pid]
model = "pid"
[components.typed]
model = "typed"
[components.rod]
model = "rod"
parameters = { B = 0 }
[[connections]]
from = "tank.level"
to = "pid.measurement"
[[connections]]
from = "pid.u"
to = "tank.valve"
"#;

/// Right as it is.
const HEAD: &str = "system = \"system.toml\"\nperiod = 1\nhorizon = 10\n";
const DISTURBANCE: &str = "[[disturbances]]\ninput = \"tank.inflow\"\nvalues = [0, 1]\n";
const PROPERTY: &str = "[[properties]]\nname = \"low\"\nformula = \"always (tank.level < 2)\"\n";

/// Everything that is said about a campaign.
fn findings(text: &str) -> String {
    let mut report = Report::default();
    let models = models();
    let system = read_system("system.toml", SYSTEM, &mut report).expect("it is right");
    let found = descriptions(&system, &models);
    let system = consort_system::resolve(&system, &found, &mut report).expect("it fits");
    let found: Vec<_> = found.into_iter().flatten().collect();
    let resolved = read_campaign("campaign.toml", text, &mut report).and_then(|campaign| {
        let questions = Questions::of(&campaign, &mut report);
        resolve(&campaign, questions, &system, &found, &mut report)
    });
    render::assert_helpful(&report);
    assert_eq!(resolved.is_some(), !report.has_errors(), "{text}");
    let verdict = match resolved {
        Some(resolved) => format!("{} scenarios", resolved.space.count()),
        None => "not explored".to_owned(),
    };
    format!("{}({verdict})\n", render::report(&report))
}

/// The base with other text in place of a part, or after it.
fn changed(change: &Change) -> String {
    let base = [HEAD, DISTURBANCE, PROPERTY].map(str::to_owned);
    let [mut head, mut disturbance, mut property] = base;
    let mut tail = "";
    match change {
        Change::All(text) => return (*text).to_owned(),
        Change::Head(text) => head = (*text).to_owned(),
        Change::MoreHead(text) => head.push_str(text),
        Change::Disturbance(text) => disturbance = format!("[[disturbances]]\n{text}\n"),
        Change::Property(text) => property = format!("[[properties]]\n{text}\n"),
        Change::Tail(text) => tail = text,
    }
    format!("{head}{disturbance}{property}{tail}")
}

enum Change {
    All(&'static str),
    Head(&'static str),
    MoreHead(&'static str),
    Disturbance(&'static str),
    Property(&'static str),
    Tail(&'static str),
}

use Change::{All, Disturbance, Head, MoreHead, Property, Tail};

const CASES: &[(&str, Change)] = &[
    ("an empty file", All("")),
    ("no TOML", All("PK\u{3}\u{4}\n<xml/>\n")),
    ("a syntax error", MoreHead("seed = = 7\n")),
    ("unknown keys", MoreHead("perod = 2\nsteps = 4\nchanges_max = 3\n")),
    ("a period that is text", Head("system = \"s\"\nperiod = \"soon\"\nhorizon = 10\n")),
    ("a period of nothing", Head("system = \"s\"\nperiod = 0\nhorizon = 10\n")),
    ("a horizon between periods", Head("system = \"s\"\nperiod = 3\nhorizon = 10\n")),
    ("a horizon before the start", Head("system = \"s\"\nperiod = 1\nhorizon = -1\n")),
    ("far too many periods", Head("system = \"s\"\nperiod = 1e-6\nhorizon = 1000\n")),
    ("a period between steps", Head("system = \"s\"\nperiod = 0.25\nhorizon = 10\n")),
    ("more scenarios than can be counted", Head("system = \"s\"\nperiod = 0.1\nhorizon = 50\n")),
    ("a memory of elephants", MoreHead("memory = \"256 elephants\"\n")),
    ("a memory of less than nothing", MoreHead("memory = -1\n")),
    ("no workers", MoreHead("workers = 0\n")),
    ("a negative seed", MoreHead("seed = -7\n")),
    ("a watchdog that never sleeps", MoreHead("watchdog = 0\n")),
    ("a constraint that is no formula", MoreHead("constraints = [\"not (tank.inflow ==\"]\n")),
    ("a constraint on something else", MoreHead("constraints = [\"tank.inflw == 1\"]\n")),
    ("a constraint over time", MoreHead("constraints = [\"always[0:1] (tank.inflow == 1)\"]\n")),
    ("a constraint that nothing meets", MoreHead("constraints = [\"tank.inflow > 5\"]\n")),
    ("a disturbance without anything", Disturbance("")),
    ("an input that is not there", Disturbance("input = \"tank.inflw\"\nvalues = [0, 1]")),
    ("an output", Disturbance("input = \"tank.level\"\nvalues = [0, 1]")),
    ("a fixed parameter", Disturbance("input = \"tank.area\"\nvalues = [1, 2]")),
    ("an input that is connected", Disturbance("input = \"tank.valve\"\nvalues = [0, 1]")),
    ("an array", Disturbance("input = \"rod.heat\"\nvalues = [0, 1]")),
    ("values of another kind", Disturbance("input = \"typed.on\"\nvalues = [0, \"open\", true]")),
    ("values that do not fit", Disturbance("input = \"typed.count\"\nvalues = [0, 1e300, 1.5]")),
    ("no values", Disturbance("input = \"tank.inflow\"\nvalues = []")),
    ("one value instead of a list", Disturbance("input = \"tank.inflow\"\nvalues = 1")),
    ("a value twice", Disturbance("input = \"tank.inflow\"\nvalues = [0, 1, 0]")),
    ("a date for a value", Disturbance("input = \"tank.inflow\"\nvalues = [2026-01-01]")),
    ("an input twice", Tail("[[disturbances]]\ninput = \"tank.inflow\"\nvalues = [2, 3]\n")),
    (
        "less than no changes",
        Disturbance("input = \"tank.inflow\"\nvalues = [0]\nchanges-max = -1"),
    ),
    ("a property without a formula", Property("name = \"low\"")),
    ("a property that is no formula", Property("name = \"low\"\nformula = \"always (\"")),
    ("an unknown signal", Property("name = \"low\"\nformula = \"always (tank.levle < 1)\"")),
    ("a signal of text", Property("name = \"low\"\nformula = \"always (typed.title < 1)\"")),
    ("a signal that is an array", Property("name = \"low\"\nformula = \"rod.temperature < 1\"")),
    (
        "an unknown reading",
        Property("name = \"a\"\nformula = \"tank.level < 1\"\nreading = \"dens\""),
    ),
    ("a scale of zero", Property("name = \"a\"\nformula = \"tank.level < 1\"\nscale = 0")),
    ("a name twice", Tail("[[properties]]\nname = \"low\"\nformula = \"tank.level < 1\"\n")),
    ("a strategy without a kind", Tail("[strategy]\nwidth = 3\n")),
    ("an unknown strategy", Tail("[strategy]\nkind = \"exhaustiv\"\n")),
    ("a setting of another strategy", Tail("[strategy]\nkind = \"exhaustive\"\nwidth = 3\n")),
    (
        "probabilities that are none",
        Tail("[strategy]\nkind = \"monte-carlo\"\nepsilon = 0\ndelta = 2\n"),
    ),
    ("two tests at once", Tail("[strategy]\nkind = \"monte-carlo\"\nepsilon = 0.1\np0 = 0.1\n")),
    (
        "a test the wrong way round",
        Tail("[strategy]\nkind = \"monte-carlo\"\np0 = 0.2\np1 = 0.1\n"),
    ),
    (
        "a test by a coin",
        Tail("[strategy]\nkind = \"monte-carlo\"\np0 = 0.1\np1 = 0.2\nalpha = 0.6\nbeta = 0.6\n"),
    ),
    ("a limit of nothing", Tail("[limit]\nscenarios = 0\n")),
    ("unknown limits", Tail("[limit]\nscenarios = \"many\"\nhours = 3\ntime = -1\n")),
    ("a validation that is not tighter", Tail("[tighter]\nstep = 2\ntolerance = 0\n")),
    ("options of the wrong kind", Tail("[options]\nsolver = \"bfd\"\nstep = true\nstop = 3\n")),
    (
        "tables in place of values",
        All(
            "system = {}\nperiod = []\nhorizon = {}\ndisturbances = 3\nproperties = {}\nstrategy = 1\nlimit = 2\noptions = 3\ntighter = 4\n",
        ),
    ),
];

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = String::new();
    for (name, change) in CASES {
        let _ = writeln!(all, "## {name}\n{}", findings(&changed(change)));
    }
    insta::assert_snapshot!("campaigns", all);
}

#[test]
fn the_base_of_the_cases_is_right() {
    assert_eq!(findings(&changed(&Tail(""))), "(1024 scenarios)\n");
}

#[test]
fn no_case_is_right_and_none_is_there_twice() {
    for (name, change) in CASES {
        assert!(findings(&changed(change)).ends_with("(not explored)\n"), "{name}");
    }
    let names: std::collections::BTreeSet<&str> = CASES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), CASES.len());
    assert!(40 <= names.len());
}

#[test]
fn changes_and_constraints_leave_fewer_scenarios() {
    let two = "[[disturbances]]\ninput = \"pid.setpoint\"\nvalues = [0, 1]\n";
    for (head, tail, count) in [
        ("", two, 1 << 20),
        ("constraints = [\"not (tank.inflow == 1 and pid.setpoint == 1)\"]\n", two, 3u64.pow(10)),
        ("changes-max = 0\n", two, 1),
        ("changes-max = 1\n", "", 11),
    ] {
        let text = format!("{HEAD}{head}{DISTURBANCE}{PROPERTY}{tail}");
        assert_eq!(findings(&text), format!("({count} scenarios)\n"), "{head}{tail}");
    }
}
