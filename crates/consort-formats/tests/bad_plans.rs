//! Every mistake the text of a plan can have, and what is said about it.

use consort_core::{ModelDescription, Report};
use consort_formats::fuzz::plan_system;
use consort_system::Plan;
use consort_testkit::render;
use std::fmt::Write as _;

/// Right as text (it is not judged here); the cases change one thing in it.
const GOOD: &str = "plan plans order derived
resolution 1/10 s
every 1 ticks tank
every 1 ticks \"the pid\"
every 2 ticks rod
initialization
  work
    tank: get level # what it starts with
  exchange
    tank.level -> \"the pid\".measurement times 100.0 plus 0.0
  iterate auto tolerance 1e-9 limit 100 relaxation 1.0 rollback tank, rod unknowns \"the pid\".u -> tank.valve
    work
      \"the pid\": set measurement; get u, state.integral
    exchange
      \"the pid\".u -> tank.valve
present
  exchange
    rod.temperature -> rod.mirror delayed
    \"the pid\".u -> rod.heat[2..2]
advance
  attempt rollback tank, \"the pid\", rod
    work
      tank: set valve; step; get level
      \"the pid\": set ; step; get u
";

const CHANGED: &[(&str, &str, &str)] = &[
    ("no header", "plan plans order derived\n", ""),
    ("a header without an order", " order derived", ""),
    ("an unknown order", "derived", "derivd"),
    ("a plan for another system", "plan plans", "plan tanks"),
    ("another resolution", "1/10 s", "1/20 s"),
    ("another period", "every 2 ticks rod", "every 3 ticks rod"),
    ("a period without ticks", "every 2 ticks rod", "every 2 rod"),
    ("an unknown program", "present\n", "presence\n"),
    (
        "a missing program",
        "present\n  exchange\n    rod.temperature -> rod.mirror delayed\n    \"the pid\".u -> rod.heat[2..2]\n",
        "",
    ),
    ("a program written twice", "present\n", "advance\n"),
    ("an unknown stage", "  attempt rollback", "  try rollback"),
    ("an unknown component", "      tank: set", "      tanc: set"),
    ("an unknown variable", "set valve; step", "set valfe; step"),
    ("an unknown operation", "step; get u\n", "advance; get u\n"),
    ("a task without a colon", "      tank: set", "      tank set"),
    ("an operation too many", "step; get u\n", "step; get u;\n"),
    ("a comma too many", "get u, state.integral", "get u, "),
    (
        "an unknown connection",
        "\"the pid\".u -> tank.valve\npresent",
        "tank.level -> tank.valve\npresent",
    ),
    ("another part of an array", "rod.heat[2..2]", "rod.heat[1..3]"),
    (
        "a connection without an arrow",
        "rod.temperature -> rod.mirror",
        "rod.temperature to rod.mirror",
    ),
    ("a port without a variable", "rod.temperature -> rod.mirror", "rod -> rod.mirror"),
    ("another conversion", "times 100.0 plus 0.0", "times 10.0 plus 0.0"),
    (
        "a delay that is none",
        "unknowns \"the pid\".u -> tank.valve\n",
        "unknowns \"the pid\".u -> tank.valve delayed\n",
    ),
    ("an unknown method", "iterate auto", "iterate newtom"),
    ("a tolerance that is no number", "tolerance 1e-9", "tolerance small"),
    ("a limit that is no number", "limit 100", "limit 1.5"),
    ("a loop without unknowns", " unknowns \"the pid\".u -> tank.valve", ""),
    ("an attempt without components", "attempt rollback tank, \"the pid\", rod", "attempt"),
    ("an unknown component that is rolled back", "rollback tank, rod", "rollback tank, rods"),
    ("a quote that is not closed", "      \"the pid\": set ;", "      \"the pid: set ;"),
    ("half a step of indentation", "    work\n      tank", "   work\n      tank"),
    ("too much indentation", "  exchange\n    rod", "      exchange\n    rod"),
    ("tabs", "  exchange\n    rod", "\texchange\n    rod"),
    ("text behind a stage", "present\n  exchange\n", "present\n  exchange now\n"),
];

fn findings(text: &str) -> String {
    let (system, models) = plan_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let mut report = Report::default();
    let plan = Plan::parse(text, &system, &models, &mut report);
    render::assert_helpful(&report);
    assert_eq!(plan.is_none(), report.has_errors(), "no plan without a reason: {text}");
    render::report(&report)
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_help() {
    let mut all = render::of_changes(GOOD, CHANGED, findings);
    let _ = writeln!(all, "## no text at all\n{}", findings("# nothing\n\n"));
    let mut deep = "plan plans order derived\ninitialization\npresent\nadvance\n".to_owned();
    for depth in 1..100 {
        let _ = writeln!(deep, "{}attempt rollback tank", "  ".repeat(depth));
    }
    let _ = writeln!(all, "## nesting without end\n{}", findings(&deep));
    insta::assert_snapshot!("plans", all);
}

#[test]
fn what_is_printed_is_read_as_the_same_plan() {
    let (system, models) = plan_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let read = |text: &str| Plan::parse(text, &system, &models, &mut Report::default());
    let plan = read(GOOD).expect("it is right");
    let printed = plan.to_text(&system, &models);
    assert_eq!(printed, GOOD.replace(" # what it starts with", ""));
    assert_eq!(read(&printed), Some(plan));
}

#[test]
fn lines_that_only_repeat_the_system_may_be_left_out() {
    let (system, models) = plan_system();
    let models: Vec<&ModelDescription> = models.iter().collect();
    let read = |text: &str| Plan::parse(text, &system, &models, &mut Report::default());
    let short = GOOD.lines().filter(|line| !line.starts_with("resolution"));
    let short = short.filter(|line| !line.starts_with("every")).collect::<Vec<_>>().join("\n");
    let short = short.replace(" times 100.0 plus 0.0", "").replace(" delayed", "");
    let short = short.replace("auto tolerance 1e-9 limit 100 relaxation 1.0 ", "");
    assert_eq!(read(&short), read(GOOD));
    assert!(read(&short).is_some());
}

#[test]
fn names_of_any_kind_are_printed_so_that_they_are_read_again() {
    let odd = [
        "a b",
        "der(x)",
        "x[1,2]",
        "x[0..2]",
        "a\"b\\c",
        "#1",
        "µ/x",
        "->",
        "a.b",
        "",
        "\n\t\u{1}",
        "x:",
        "a;b",
    ];
    for (index, name) in odd.into_iter().enumerate() {
        let (mut system, mut models) = plan_system();
        system.name = name.to_owned();
        system.components[0].name = odd[(index + 5) % odd.len()].to_owned();
        for (at, variable) in models[0].variables.iter_mut().enumerate() {
            variable.name = odd[(index + at) % odd.len()].to_owned();
        }
        let (plain_system, plain_models) = plan_system();
        let plain: Vec<&ModelDescription> = plain_models.iter().collect();
        let plan = Plan::parse(GOOD, &plain_system, &plain, &mut Report::default()).expect("right");
        let models: Vec<&ModelDescription> = models.iter().collect();
        let printed = plan.to_text(&system, &models);
        let mut report = Report::default();
        let again = Plan::parse(&printed, &system, &models, &mut report);
        assert_eq!(again, Some(plan), "{printed}\n{}", render::report(&report));
    }
}
