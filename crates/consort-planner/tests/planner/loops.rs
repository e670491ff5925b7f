//! Algebraic loops: refused by name, or solved.

use crate::support::{Sketch, These, Unsaid, flight, loop_of_two};
use consort_system::{Iteration, LoopPolicy, Plan, ResolvedLoopRule, Stage};
use insta::assert_snapshot;

#[test]
fn a_loop_is_refused_as_a_closed_chain_with_its_cures() {
    assert_snapshot!(loop_of_two(true, true).text());
}

#[test]
fn a_loop_is_solved_if_asked() {
    assert_snapshot!(loop_of_two(true, true).iterated().text());
}

#[test]
fn a_model_that_declares_nothing_is_named_as_the_reason() {
    let sketch = flight();
    let mut sketch = sketch.clone();
    sketch.models[1].structure.outputs.clear();
    assert_snapshot!(sketch.text());
}

#[test]
fn a_rule_counts_for_the_loop_it_names() {
    let mut sketch =
        loop_of_two(true, true).part("g", &["u"], &[("y", These(&["u"]))]).wire("g.y", "g.u");
    let solved = LoopPolicy::Iterate(Iteration { limit: 7, ..Iteration::default() });
    for (path, policy) in [("g.u", solved), ("f0.y", LoopPolicy::Error)] {
        let port = sketch.port(path);
        let (component, variable) = (port.component, port.variable);
        sketch.system.coupling.rules.push(ResolvedLoopRule { component, variable, policy });
    }
    assert_snapshot!(sketch.text());
}

fn loops_of(stages: &[Stage]) -> Vec<&consort_system::Loop> {
    let found = stages.iter().filter_map(|stage| match stage {
        Stage::Iterate(it) => Some(it),
        _ => None,
    });
    found.collect()
}

fn unknowns_at_the_tag(plan: &Plan) -> Vec<usize> {
    loops_of(&plan.present).iter().map(|it| it.unknowns.len()).collect()
}

#[test]
fn few_connections_are_cut() {
    // Three outputs of `a` go to three inputs of `b`, one comes back: one cut is enough.
    let wide = Sketch::new()
        .part("b", &["u1", "u2", "u3"], &[("y", Unsaid)])
        .part("a", &["u"], &[("y1", Unsaid), ("y2", Unsaid), ("y3", Unsaid)])
        .wire("a.y1", "b.u1")
        .wire("a.y2", "b.u2")
        .wire("a.y3", "b.u3")
        .wire("b.y", "a.u")
        .iterated();
    assert_eq!(unknowns_at_the_tag(&wide.plan().0.expect("a plan")), [1]);
    // A ring is cut once, wherever it starts.
    let mut ring = Sketch::new();
    for index in 0..20 {
        ring = ring.part(&format!("r{index}"), &["u"], &[("y", These(&["u"]))]);
    }
    for index in 0..20 {
        ring = ring.wire(&format!("r{index}.y"), &format!("r{}.u", (index + 1) % 20));
    }
    assert_eq!(unknowns_at_the_tag(&ring.iterated().plan().0.expect("a plan")), [1]);
    // Two loops that share a component and nothing else need two cuts.
    let two = Sketch::new()
        .part("hub", &["u", "v"], &[("y", Unsaid)])
        .part("a", &["u"], &[("y", These(&["u"]))])
        .part("b", &["u"], &[("y", These(&["u"]))])
        .wire("hub.y", "a.u")
        .wire("hub.y", "b.u")
        .wire("a.y", "hub.u")
        .wire("b.y", "hub.v")
        .iterated();
    assert_eq!(unknowns_at_the_tag(&two.plan().0.expect("a plan")), [2]);
}

#[test]
fn what_leads_into_and_out_of_a_loop_stays_outside() {
    let sketch = loop_of_two(true, true)
        .part("before", &["u"], &[("y", These(&["u"]))])
        .part("after", &["u"], &[("y", These(&["u"]))])
        .fed("before.u")
        .wire("f1.y", "after.u")
        .iterated();
    assert_snapshot!(sketch.text());
}

#[test]
fn initial_equations_that_loop_are_solved_and_reported() {
    // By step, nothing loops in the cycle.
    assert_snapshot!(loop_of_two(true, true).all_by_step().text());
}
