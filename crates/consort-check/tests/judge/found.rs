//! What random systems and spoiled plans have found (`random_plans` in consort-testkit).

use crate::support::check;

#[test]
fn what_was_moved_ahead_of_time_disturbs_no_tag_between() {
    let system = "
        a out y() every 2
        b in u out y() every 2 reactive u
        c out y()
        a.y -> b.u";
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
    a.y -> b.u
advance
  work
    a: step; get y
    c: step; get y
  exchange
    a.y -> b.u
  work
    b: set u; step; get y
";
    check(system, plan, "");
}

/// Two components that feed each other; the step of `b` waits for `a`.
const REACTIVE_PAIR: &str = "
    a in u out y()
    b in u out y() reactive u
    a.y -> b.u
    b.y -> a.u";

#[test]
fn what_a_rejected_attempt_brought_is_forgotten() {
    let plan = "plan example order derived
initialization
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
advance
  attempt rollback a, b
    work
      a: set u; step; get y
    exchange
      a.y -> b.u
      b.y -> a.u
    work
      b: set u; step; get y
";
    let missing = "at the end of `present`: the exchange `b.y -> a.u` never happens";
    check(REACTIVE_PAIR, plan, missing);
}

/// Two components whose steps wait for each other, and one that looks at them.
const WATCHED_PAIR: &str = "
    a in u out y() reactive u
    b in u out y() reactive u
    c in u out y() reactive u
    a.y -> b.u
    b.y -> a.u
    b.y -> c.u";

fn watched(inside: &str, after: &str) -> String {
    format!(
        "plan example order derived
initialization
  work
    a: get y
    b: get y
  exchange
    a.y -> b.u
    b.y -> a.u
    b.y -> c.u
  work
    a: set u
    b: set u
    c: set u
present
  exchange
    a.y -> b.u
    b.y -> a.u
    b.y -> c.u
advance
  iterate auto tolerance 1e-9 limit 100 relaxation 1.0 rollback a, b unknowns b.y -> a.u
    work
      a: set u; step; get y
    exchange
      a.y -> b.u
{inside}    work
      b: set u; step; get y
    exchange
      b.y -> a.u
{after}  work
    c: set u; step; get y
"
    )
}

#[test]
fn an_evaluation_of_a_loop_uses_nothing_of_the_one_before() {
    check(WATCHED_PAIR, &watched("", "  exchange\n    b.y -> c.u\n"), "");
    check(
        WATCHED_PAIR,
        &watched("      b.y -> c.u\n", ""),
        "`advance`, stage 2, at the first tag: `set c.u` comes too early: it needs `b.y` at the tag \
         where the step ends, has none",
    );
}

#[test]
fn gauss_seidel_makes_no_input_reactive_that_waits_for_its_own_step() {
    // `a` steps first, but what it shows at the next tag follows `b`.
    let system = "
        a in u out y(u)
        b in u out y()
        a.y -> b.u
        b.y -> a.u";
    let plan = "plan example order gauss-seidel
initialization
  work
    b: get y
  exchange
    b.y -> a.u
  work
    a: set u; get y
  exchange
    a.y -> b.u
  work
    b: set u
present
  exchange
    b.y -> a.u
  work
    a: set u; get y
  exchange
    a.y -> b.u
advance
  work
    a: step
  work
    b: set u; step; get y
";
    check(system, plan, "");
}

/// Two components whose steps wait for each other by `u`; `b.v` is delayed.
const DELAYED_BESIDE: &str = "
    a in u out y() reactive u
    b in u v out y() reactive u
    a.y -> b.u
    b.y -> a.u
    a.y -> b.v";

fn delayed_beside(order: &str, inside: &str) -> String {
    format!(
        "plan example order {order}
initialization
  work
    a: get y
    b: get y
  exchange
    a.y -> b.u
    b.y -> a.u
    a.y -> b.v
  work
    a: set u
    b: set u, v
present
  exchange
    a.y -> b.u
    b.y -> a.u
    a.y -> b.v
advance
  iterate auto tolerance 1e-9 limit 100 relaxation 1.0 rollback a, b unknowns b.y -> a.u
{inside}    work
      a: set u; step; get y
    exchange
      a.y -> b.u
    work
      b: set u, v; step; get y
    exchange
      b.y -> a.u
"
    )
}

#[test]
fn gauss_seidel_takes_the_members_of_a_loop_to_step_at_once() {
    // The user made `u` reactive on both sides; `v` stays delayed wherever the loop is cut.
    check(DELAYED_BESIDE, &delayed_beside("gauss-seidel", ""), "");
}

#[test]
fn a_delayed_input_is_not_given_what_an_earlier_evaluation_left() {
    // The loop exchanges `b.v` before `a` is read.
    check(
        DELAYED_BESIDE,
        &delayed_beside("derived", "    exchange\n      a.y -> b.v\n"),
        "`advance`, stage 1.4, at the first tag: `set b.v` comes too early: it needs `a.y` at the \
         present tag, has none",
    );
}
