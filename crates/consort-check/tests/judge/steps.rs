//! Reactive inputs, several rates, delays, loops and attempts.

use crate::support::{Example, check};
use consort_core::{ComponentId, ConnectionId, Time, VariableId};
use consort_system::{Operation, ResolvedVariableStep, Stage, Task};

const PAIR_INITIALIZATION: &str = "initialization
  work
    a: get y
    b: get y
  exchange
    a.y -> b.u
    b.y -> a.u
  work
    a: set u
    b: set u
present
  exchange
    a.y -> b.u
    b.y -> a.u
";

/// A plan for two components that feed each other.
fn pair(order: &str, advance: &str) -> String {
    format!("plan example order {order}\n{PAIR_INITIALIZATION}advance\n{advance}")
}

const PAIR: &str = "
    a in u out y() by-step
    b in u out y() by-step
    a.y -> b.u
    b.y -> a.u";

const ONE_AFTER_THE_OTHER: &str = "  work
    a: set u; step; get y
  exchange
    a.y -> b.u
  work
    b: set u; step; get y
";

const SIDE_BY_SIDE: &str = "  work
    a: set u; step; get y
    b: set u; step; get y
";

#[test]
fn a_reactive_input_needs_the_end_of_the_step() {
    let reactive = PAIR.replace("b in u out y() by-step", "b in u out y() by-step reactive u");
    check(&reactive, &pair("derived", ONE_AFTER_THE_OTHER), "");
    check(
        &reactive,
        &pair("derived", SIDE_BY_SIDE),
        "`advance`, stage 1, at the first tag: `set b.u` comes too early: it needs `a.y` at the tag \
         where the step ends, has the one of the present tag",
    );
    check(PAIR, &pair("derived", SIDE_BY_SIDE), "");
    check(
        PAIR,
        &pair("derived", ONE_AFTER_THE_OTHER),
        "`advance`, stage 3, at the first tag: `set b.u` comes too late: it needs `a.y` at the \
         present tag, has the one of the next tag",
    );
}

#[test]
fn in_gauss_seidel_order_the_stages_say_what_is_reactive() {
    check(PAIR, &pair("gauss-seidel", ONE_AFTER_THE_OTHER), "");
    check(PAIR, &pair("gauss-seidel", SIDE_BY_SIDE), "");
    let forgotten = ONE_AFTER_THE_OTHER.replace("  exchange\n    a.y -> b.u\n", "");
    check(
        PAIR,
        &pair("gauss-seidel", &forgotten),
        "`advance`, stage 2, at the first tag: `set b.u` comes too early: it needs `a.y` at the tag \
         where the step ends, has the one of the present tag",
    );
}

#[test]
fn a_feedthrough_on_the_way_to_a_reactive_input_is_passed_within_advance() {
    let system = "
        a out y() by-step
        b in u out y(u)
        c in u out y() by-step reactive u
        a.y -> b.u
        b.y -> c.u";
    let plan = "plan example order derived
initialization
  work
    a: get y
  exchange
    a.y -> b.u
  work
    b: set u; get y
  exchange
    b.y -> c.u
  work
    c: set u
present
  exchange
    a.y -> b.u
  work
    b: set u; get y
  exchange
    b.y -> c.u
advance
  work
    a: step; get y
    b: step
  exchange
    a.y -> b.u
  work
    b: set u; get y
  exchange
    b.y -> c.u
  work
    c: set u; step; get y
";
    check(system, plan, "");
    check(
        system,
        &plan.replace("    b: step\n  exchange\n    a.y -> b.u\n", "    b: step\n"),
        "`advance`, stage 2, at the first tag: `set b.u` comes too early: it needs `a.y` at the tag \
         where the step ends, has the one of the present tag",
    );
}

const RATES: &str = "
    fast in u out y(u)
    slow in u out y() every 3
    fast.y -> slow.u
    slow.y -> fast.u";

fn rates(present: &str, advance: &str) -> String {
    format!(
        "plan example order derived
initialization
  work
    slow: get y
  exchange
    slow.y -> fast.u
  work
    fast: set u; get y
  exchange
    fast.y -> slow.u
  work
    slow: set u
present
{present}advance
  work
    fast: step
    slow: set u; step; get y
{advance}"
    )
}

const RATES_PRESENT: &str = "  exchange
    slow.y -> fast.u
  work
    fast: set u; get y
  exchange
    fast.y -> slow.u
";

#[test]
fn rates_are_judged_at_tags_where_only_some_are_due() {
    check(RATES, &rates(RATES_PRESENT, ""), "");
    check(
        RATES,
        &rates(RATES_PRESENT, "  exchange\n    slow.y -> fast.u\n"),
        "`advance`, stage 2, at the first tag: the exchange `slow.y -> fast.u` is not allowed here: \
         within `advance` values move between components of one period only",
    );
    // A task of `slow` does nothing for `fast` where `slow` is not due.
    let system = "
        fast out y()
        slow in u out y() every 3
        other in u out y(u) every 2
        fast.y -> slow.u
        fast.y -> other.u";
    let plan = "plan example order derived
initialization
  work
    fast: get y
  exchange
    fast.y -> slow.u
    fast.y -> other.u
  work
    slow: set u
    other: set u
present
  exchange
    fast.y -> slow.u
    fast.y -> other.u
  work
    other: set u; get y
advance
  work
    fast: step; get y
    slow: set u; step; get y
    other: step
";
    check(system, plan, "");
    check(
        system,
        &plan.replace("present\n  exchange\n    fast.y -> slow.u\n", "present\n  exchange\n"),
        "at the end of `present`: the exchange `fast.y -> slow.u` never happens",
    );
}

#[test]
fn a_delayed_connection_breaks_a_loop_and_is_exchanged_at_tags_only() {
    let system = "
        a in u out y(u)
        b in u out y(u)
        a.y -> b.u
        b.y -> a.u delayed";
    let plan = "plan example order derived
initialization
  work
    a: get y
  exchange
    a.y -> b.u
  work
    b: set u
present
  exchange
    b.y -> a.u delayed
  work
    a: set u; get y
  exchange
    a.y -> b.u
  work
    b: set u; get y
advance
  work
    a: step
    b: step
";
    check(system, plan, "");
    check(
        system,
        &plan.replace(
            "    b: set u\npresent",
            "    b: set u; get y\n  exchange\n    b.y -> a.u\npresent",
        ),
        "`initialization`, stage 4: the exchange `b.y -> a.u` is not allowed here: delayed \
         connections are exchanged in `present` only",
    );
    check(
        system,
        &plan.replace("present\n  exchange\n    b.y -> a.u delayed\n", "present\n"),
        "`present`, stage 1: `set a.u` comes too early: it needs `b.y` at the tag before, has none",
    );
}

const LOOP: &str = "
    a in u out y(u)
    b in u out y(u)
    a.y -> b.u
    b.y -> a.u";

fn with_loop(body: &str) -> String {
    format!(
        "plan example order derived
initialization
{body}present
{body}advance
  work
    a: step
    b: step
"
    )
}

const LOOP_BODY: &str = "  iterate auto unknowns b.y -> a.u
    work
      a: set u; get y
    exchange
      a.y -> b.u
    work
      b: set u; get y
    exchange
      b.y -> a.u
";

#[test]
fn a_loop_is_right_if_it_is_cut_and_comes_back() {
    check(LOOP, &with_loop(LOOP_BODY), "");
    check(
        LOOP,
        &with_loop(&LOOP_BODY.replace("    exchange\n      b.y -> a.u\n", "")),
        "`initialization`, stage 1: `iterate` does not end with an exchange that brings \
         `b.y -> a.u` back",
    );
    check(
        LOOP,
        &with_loop(
            &LOOP_BODY
                .replace("iterate auto unknowns b.y -> a.u", "iterate auto unknowns a.y -> b.u"),
        ),
        "`initialization`, stage 1: `iterate` does not end with an exchange that brings \
         `a.y -> b.u` back",
    );
    check(
        LOOP,
        &with_loop(&LOOP_BODY.replace("b: set u; get y", "b: set u")),
        "`initialization`, stage 1: the exchange `b.y -> a.u` comes too early: it needs `b.y` at \
         the present tag, has none",
    );
}

const STEP_LOOP: &str = "  iterate broyden rollback a, b unknowns b.y -> a.u
    work
      a: set u; step; get y
    exchange
      a.y -> b.u
    work
      b: set u; step; get y
    exchange
      b.y -> a.u
";

#[test]
fn who_steps_in_a_loop_is_rolled_back() {
    let reactive = PAIR.replace(" by-step", " by-step reactive u");
    check(&reactive, &pair("derived", STEP_LOOP), "");
    check(
        &reactive,
        &pair("derived", &STEP_LOOP.replace("rollback a, b", "rollback a")),
        "`advance`, stage 1.3, at the first tag: the step of `b` may be taken back, but `iterate` \
         does not save the component",
    );
    check(
        &reactive.replace("b in u out y() by-step", "b in u out y() by-step cannot-save"),
        &pair("derived", STEP_LOOP),
        "`advance`, stage 1, at the first tag: saving `b` is needed, but its model cannot save \
         its state",
    );
    check(
        &reactive,
        &pair("derived", &STEP_LOOP.replace("b: set u; step; get y", "b: step; set u; get y")),
        "`advance`, stage 1.3, at the first tag: the step of `b` comes too early: it needs `b.u` \
         to be set with `a.y` at the tag where the step ends, has the one of the present tag",
    );
}

#[test]
fn with_steps_of_changing_size_all_steps_stand_in_one_attempt() {
    let mut example = Example::new(PAIR);
    let (tick, tolerances) = (Time::from_ticks(1), None);
    example.system.coupling.variable_step =
        Some(ResolvedVariableStep { initial: tick, min: tick, max: tick, tolerances });
    let attempt = "  attempt rollback a, b
    work
      a: set u; step; get y
      b: set u; step; get y
";
    assert_eq!(example.verdict(&pair("derived", attempt)), "");
    let two = "  attempt rollback a, b
    work
      a: set u; step; get y
  attempt rollback a, b
    work
      b: set u; step; get y
";
    let rule = "is not allowed here: with steps of changing size, all components step within one \
                `attempt`";
    assert_eq!(
        example.verdict(&pair("derived", two)),
        format!("`advance`, stage 2.1, at the first tag: the step of `b` {rule}")
    );
    assert_eq!(
        example.verdict(&pair("derived", SIDE_BY_SIDE)),
        format!("`advance`, stage 1, at the first tag: the step of `a` {rule}")
    );
    assert_eq!(
        example.verdict(&pair("derived", &attempt.replace("rollback a, b", "rollback a"))),
        "`advance`, stage 1.1, at the first tag: the step of `b` may be taken back, but `attempt` \
         does not save the component"
    );
}

#[test]
fn ids_that_are_not_there_are_violations_and_no_panics() {
    let example = Example::new(PAIR);
    let good = example.plan(&pair("derived", SIDE_BY_SIDE));
    let (a, far) = (ComponentId(0), 99);
    let bad = [
        Stage::Exchange(vec![ConnectionId(far)]),
        Stage::Work(vec![Task { component: ComponentId(far), operations: vec![Operation::Step] }]),
        Stage::Work(vec![Task {
            component: a,
            operations: vec![Operation::Get(vec![VariableId(far)])],
        }]),
        Stage::Work(vec![Task {
            component: a,
            operations: vec![Operation::Set(vec![VariableId(far)])],
        }]),
        Stage::Work(vec![Task {
            component: a,
            operations: vec![Operation::Tick(VariableId(far))],
        }]),
        Stage::Attempt { components: vec![ComponentId(far)], stages: Vec::new() },
    ];
    for stage in bad {
        let mut plan = good.clone();
        plan.advance.push(stage);
        let verdict = example.judge(&plan);
        assert!(verdict.ends_with("99, which is not there"), "{verdict}");
    }
}

#[test]
fn nesting_beyond_reason_is_a_violation() {
    let example = Example::new("a out y()");
    let mut plan = example.plan("plan example order derived\ninitialization\npresent\nadvance\n");
    let mut stage = Stage::Work(Vec::new());
    for _ in 0..=consort_check::NESTING_MAX {
        stage = Stage::Attempt { components: Vec::new(), stages: vec![stage] };
    }
    plan.advance = vec![stage];
    assert!(example.judge(&plan).ends_with("is nested deeper than 64 stages"));
}
