//! The contract, rule by rule.

use crate::support::check;

/// Three components in a row; `b` and `c` hand their input on at once.
const CHAIN: &str = "
    a out y()
    b in u out y(u)
    c in u out y(u)
    a.y -> b.u
    b.y -> c.u";

const CHAIN_PLAN: &str = "plan example order derived
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
  work
    c: set u; get y
advance
  work
    a: step; get y
    b: step
    c: step
";

/// The chain's plan with `from` replaced once by `to`.
fn chain(from: &str, to: &str, expected: &str) {
    assert!(CHAIN_PLAN.contains(from), "{from}");
    check(CHAIN, &CHAIN_PLAN.replacen(from, to, 1), expected);
}

#[test]
fn a_chain_in_its_order_is_right() {
    check(CHAIN, CHAIN_PLAN, "");
}

#[test]
fn the_naive_order_is_right_as_jacobi_only() {
    let naive = "plan example order jacobi
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
    b.y -> c.u
advance
  work
    a: step; get y
    b: set u; step; get y
    c: set u; step; get y
";
    check(CHAIN, naive, "");
    check(
        CHAIN,
        &naive.replace("jacobi", "derived"),
        "`advance`, stage 1, at the first tag: `get b.y` comes too early: it needs `b.u` to be set \
         with `a.y` at the tag where the step ends, has the one of the present tag",
    );
}

#[test]
fn an_operation_that_comes_too_early_is_named_with_what_it_misses() {
    chain(
        "present\n  exchange\n    a.y -> b.u\n  work\n    b: set u; get y\n  exchange\n    b.y -> c.u\n",
        "present\n  exchange\n    a.y -> b.u\n    b.y -> c.u\n  work\n    b: set u; get y\n",
        "`present`, stage 3: `set c.u` comes too early: it needs `b.y` at the present tag, has the \
         one of the tag before",
    );
    chain(
        "present\n  exchange\n    a.y -> b.u\n  work\n    b: set u; get y\n",
        "present\n  exchange\n    a.y -> b.u\n  work\n    b: get y; set u\n",
        "`present`, stage 2: `get b.y` comes too early: it needs `b.u` to be set with `a.y` at the \
         present tag, has the one of the tag before",
    );
    chain(
        "  work\n    b: set u; get y\n  exchange\n    b.y -> c.u\n  work\n    c: set u\npresent",
        "  exchange\n    b.y -> c.u\n  work\n    b: set u; get y\n    c: set u\npresent",
        "`initialization`, stage 4: `set c.u` comes too early: it needs `b.y` at the present tag, \
         has none",
    );
}

#[test]
fn what_is_left_out_is_named() {
    chain("c: set u; get y", "c: set u", "at the end of `present`: `get c.y` never happens");
    chain(
        "a: step; get y",
        "a: step",
        "`present`, stage 2: `set b.u` comes too early: it needs `a.y` at the present tag, has the one of the tag before",
    );
    chain(
        "    c: step\n",
        "",
        "at the end of `advance`, at the first tag: the step of `c` never happens",
    );
    chain(
        "    c: set u\npresent",
        "    a: get y\npresent",
        "at the end of `initialization`: `set c.u` never happens",
    );
}

#[test]
fn what_is_done_twice_is_accepted_if_values_stay_right() {
    chain(
        "a: step; get y",
        "a: step; step; get y",
        "`advance`, stage 1, at the first tag: the step of `a` comes twice",
    );
    chain("a: step; get y", "a: step; get y; get y", "");
    chain("present\n", "present\n  exchange\n    a.y -> b.u\n", "");
    chain("c: set u; get y", "c: set u; get y; set y", "");
    chain(
        "    b: step\n",
        "    b: step\n    b: get y\n",
        "`advance`, stage 1, at the first tag: the task of `b` is not allowed here: a stage has one \
         task per component",
    );
}

#[test]
fn operations_in_the_wrong_program_are_refused() {
    chain(
        "c: set u; get y",
        "c: set u; get y; step",
        "`present`, stage 4, at the first tag: the step of `c` is not allowed here: components step \
         in `advance` only",
    );
    chain(
        "present\n",
        "present\n  attempt rollback a\n",
        "`present`, stage 1, at the first tag: `attempt` is not allowed here: `attempt` is allowed in \
         `advance` only",
    );
}

#[test]
fn without_dependencies_an_output_follows_all_inputs() {
    let system = "
        a out y()
        b in u v out y
        a.y -> b.u
        a.y -> b.v";
    let plan = |task: &str| {
        format!(
            "plan example order derived
initialization
  work
    a: get y
  exchange
    a.y -> b.u
    a.y -> b.v
  work
    b: set u, v
present
  exchange
    a.y -> b.u
    a.y -> b.v
  work
    b: {task}
advance
  work
    a: step; get y
    b: set v; step
"
        )
    };
    check(system, &plan("set u, v; get y"), "");
    check(
        system,
        &plan("set u; get y"),
        "`present`, stage 2: `get b.y` comes too early: it needs `b.v` to be set with `a.y` at the \
         present tag, has the one of the tag before",
    );
}

#[test]
fn a_component_that_answers_by_step_is_read_before_it_is_set() {
    let system = "
        a out y() by-step
        b in u out y(u) by-step
        a.y -> b.u";
    let plan = |present: &str, advance: &str| {
        format!(
            "plan example order derived
initialization
  work
    a: get y
  exchange
    a.y -> b.u
  work
    b: set u; get y
present
  exchange
    a.y -> b.u
{present}advance
  work
    a: step; get y
    b: {advance}
"
        )
    };
    check(system, &plan("", "set u; step; get y"), "");
    check(system, &plan("  work\n    b: set u\n", "step; get y"), "");
    let late = "comes too late: `b` was given inputs since its last step, and its outputs change by \
                steps only";
    check(
        system,
        &plan("  work\n    b: set u; get y\n", "step; get y"),
        &format!("`present`, stage 2, at the first tag: `get b.y` {late}"),
    );
    check(
        system,
        &plan("", "step; set u; get y"),
        "`advance`, stage 1, at the first tag: `set b.u` comes too early: it needs `a.y` at the tag \
         where the step ends, has the one of the present tag",
    );
    check(
        system,
        &plan("", "set u; step"),
        "at the end of `advance`, at the first tag: `get b.y` never happens",
    );
}
