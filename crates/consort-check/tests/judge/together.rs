//! Components that are integrated as one.

use crate::support::Example;

/// `b` hands on, at once, what it gets from `a`; `c` is another component.
const SYSTEM: &str = "
    a in u out y() equations
    b in u out y(u) equations
    c in u out y() by-step
    a.y -> b.u
    b.y -> a.u
    b.y -> c.u";

/// The right plan, but for `advance`.
const START: &str = "plan example order derived
initialization
  work
    a: get y
    c: get y
  exchange
    a.y -> b.u
  work
    b: set u; get y
  exchange
    b.y -> a.u
    b.y -> c.u
  work
    a: set u
    c: set u
present
  exchange
    a.y -> b.u
  work
    b: set u; get y
  exchange
    b.y -> a.u
    b.y -> c.u
advance
";

const BEFORE: &str = "  work
    a: set u
    c: set u; step; get y
";

/// One right evaluation.
const EVALUATION: &str = "    work
      a: get y
    exchange
      a.y -> b.u
    work
      b: set u; get y
    exchange
      b.y -> a.u
    work
      a: set u
";

const AFTER: &str = "  work
    a: get y
";

/// All of it shows at the first tag, or at the end.
fn check(system: &str, plan: &str, expected: &str) {
    let found = Example::new(system).verdict(plan).replace(", at the first tag", "");
    assert_eq!(found, expected, "{plan}");
}

fn verdict(advance: &str, expected: &str) {
    check(SYSTEM, &format!("{START}{advance}"), expected);
}

fn integrate(components: &str, evaluation: &str) -> String {
    format!("{BEFORE}  integrate {components}\n{evaluation}{AFTER}")
}

#[test]
fn a_plan_that_moves_every_value_before_it_is_used_is_right() {
    verdict(&integrate("a, b", EVALUATION), "");
    verdict(&integrate("b, a", EVALUATION), "");
}

#[test]
fn apart_is_right_as_well() {
    verdict("  work\n    a: set u; step; get y\n    b: step\n    c: set u; step; get y\n", "");
}

#[test]
fn a_connection_may_not_be_left_out_of_the_evaluation() {
    let without = "    exchange
      b.y -> a.u
    work
      a: set u
";
    verdict(
        &integrate("a, b", &EVALUATION.replace(without, "")),
        "`advance`, stage 2: the exchange `b.y -> a.u` is left out of the evaluation",
    );
    verdict(
        &integrate("a, b", &EVALUATION.replace("    work\n      a: set u\n", "")),
        "`advance`, stage 2: `set a.u` is left out of the evaluation",
    );
}

#[test]
fn values_are_not_used_before_they_are_known_in_the_same_evaluation() {
    verdict(
        &integrate("a, b", &EVALUATION.replacen("    work\n      a: get y\n", "", 1)),
        "`advance`, stage 2.1: the exchange `a.y -> b.u` comes too early: `a.y` is not known yet in \
         this evaluation",
    );
    verdict(
        &integrate("a, b", &EVALUATION.replace("b: set u; get y", "b: get y; set u")),
        "`advance`, stage 2.3: `get b.y` comes too early: `b.u` is not known yet in this evaluation",
    );
    verdict(
        &integrate("a, b", &EVALUATION.replacen("a: get y", "a: set u; get y", 1)),
        "`advance`, stage 2.1: `set a.u` comes too early: `b.y` is not known yet in this evaluation",
    );
}

#[test]
fn nothing_else_stands_in_an_evaluation() {
    let rule = "is not allowed here: an evaluation reads and sets, and moves values, between the \
                components of its `integrate` only";
    let with = |line: &str| format!("{EVALUATION}    {line}\n");
    for (evaluation, place) in [
        (with("exchange\n      b.y -> c.u"), "the exchange `b.y -> c.u`"),
        (with("work\n      c: get y"), "the task of `c`"),
        (with("work\n      a: step"), "the step of `a`"),
        (with("attempt rollback a\n      work\n        a: get y"), "`attempt`"),
        (with("integrate a\n      work\n        a: get y"), "`integrate`"),
    ] {
        let expected = format!("`advance`, stage 2.6: {place} {rule}");
        verdict(&integrate("a, b", &evaluation), &expected);
    }
}

#[test]
fn inputs_from_elsewhere_hold_over_the_step() {
    let system = "
        a in u v out y() equations
        b in u out y() equations
        c out y() by-step
        a.y -> b.u
        b.y -> a.u
        c.y -> a.v";
    let plan = "plan example order derived
initialization
  work
    a: get y
    b: get y
    c: get y
  exchange
    a.y -> b.u
    b.y -> a.u
    c.y -> a.v
  work
    a: set u, v
    b: set u
present
  exchange
    a.y -> b.u
    b.y -> a.u
    c.y -> a.v
advance
  work
    a: set u, v
    b: set u
    c: step; get y
  integrate a, b
    work
      a: get y
      b: get y
    exchange
      a.y -> b.u
      b.y -> a.u
    work
      a: set u
      b: set u
  work
    a: get y
    b: get y
";
    check(system, plan, "");
    let early = plan.replace("advance\n  work\n    a: set u, v", "advance\n  work\n    a: set u");
    check(
        system,
        &early,
        "`advance`, stage 2: the step of `a` comes too early: it needs `a.v` to be \
         set with `c.y` at the present tag, has the one of the tag before",
    );
    let inside = plan.replace("      a: set u\n      b", "      a: set u, v\n      b");
    check(
        system,
        &inside,
        "`advance`, stage 2.3: `set a.v` is not allowed here: an evaluation reads \
         and sets, and moves values, between the components of its `integrate` only",
    );
}

#[test]
fn each_steps_once_and_by_the_group_only() {
    verdict(&integrate("a, b, a", EVALUATION), "`advance`, stage 2: the step of `a` comes twice");
    let twice = integrate("a, b", EVALUATION)
        .replace("  work\n    a: get y\n", "  work\n    a: step; get y\n");
    verdict(&twice, "`advance`, stage 3: the step of `a` comes twice");
    verdict(
        &format!("{BEFORE}  integrate a\n{AFTER}"),
        "at the end of `advance`: the step of `b` never happens",
    );
}

#[test]
fn only_what_has_equations_and_one_rate_is_integrated() {
    verdict(
        &integrate("a, b, c", EVALUATION),
        "`advance`, stage 2: the step of `c` cannot be part of `integrate`: its model gives away no \
         equations",
    );
    let system = "a out y() equations\nb out y() equations every 2";
    let plan = "plan example order derived
initialization
present
advance
  integrate a, b
  work
    a: get y
    b: get y
";
    check(
        system,
        plan,
        "`advance`, stage 1: the step of `b` is not allowed here: what is integrated \
         as one steps at one rate",
    );
    let present = "plan example order derived
initialization
present
  integrate a
advance
";
    check(
        "a out y() equations",
        present,
        "`present`, stage 1: `integrate` is not allowed here: `integrate` is allowed in \
         `advance` only",
    );
}

#[test]
fn what_an_evaluation_read_is_nothing_for_others_to_take() {
    let moved = format!("{BEFORE}  integrate a, b\n{EVALUATION}")
        .replace("    c: set u; step; get y\n", "");
    let after =
        "  exchange\n    b.y -> c.u\n  work\n    c: set u; step; get y\n  work\n    a: get y\n";
    verdict(
        &format!("{moved}{after}"),
        "`advance`, stage 4: `set c.u` comes too early: it needs `b.y` at the present \
         tag, has none",
    );
}

#[test]
fn loops_are_evaluated_from_nothing_but_their_unknowns() {
    let system = "
        a in u out y(u) equations
        b in u out y(u) equations
        a.y -> b.u
        b.y -> a.u";
    let body = "  iterate auto unknowns b.y -> a.u
    work
      a: set u; get y
    exchange
      a.y -> b.u
    work
      b: set u; get y
    exchange
      b.y -> a.u
";
    let inner = body.replace("\n  ", "\n    ").replacen("  iterate", "    iterate", 1);
    let inner = inner.trim_end_matches(' ');
    let plan = |inner: &str| {
        format!(
            "plan example order derived\ninitialization\n{body}present\n{body}advance\n  integrate a, b\n{inner}"
        )
    };
    check(system, &plan(inner), "");
    let early = inner.replace("a: set u; get y", "a: get y; set u");
    check(
        system,
        &plan(&early),
        "`advance`, stage 1.1.1: `get a.y` comes too early: `a.u` is not known yet \
         in this evaluation",
    );
    let rollback = inner.replace("iterate auto unknowns", "iterate auto rollback a unknowns");
    check(
        system,
        &plan(&rollback),
        "`advance`, stage 1.1: `iterate` is not allowed here: an evaluation reads and \
         sets, and moves values, between the components of its `integrate` only",
    );
}
