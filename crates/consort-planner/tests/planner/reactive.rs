//! Inputs that a step waits for, written or made by Gauss-Seidel.

use crate::support::{Sketch, These, Unsaid, chain_of_four, flight, loop_of_two};
use consort_system::Order;
use insta::assert_snapshot;

/// Three components in a circle, by step.
fn circle() -> Sketch {
    Sketch::new()
        .part("a", &["u"], &[("y", Unsaid)])
        .part("b", &["u"], &[("y", Unsaid)])
        .part("c", &["u"], &[("y", Unsaid)])
        .wire("a.y", "b.u")
        .wire("b.y", "c.u")
        .wire("c.y", "a.u")
        .all_by_step()
}

#[test]
fn a_reactive_input_makes_its_source_step_first() {
    assert_snapshot!(chain_of_four(true).all_by_step().reactive("f2.u").reactive("f3.u").text());
}

#[test]
fn what_a_reactive_input_follows_at_once_is_done_in_advance() {
    let sketch = flight().part("sensor", &["a"], &[("y", These(&[]))]);
    let sketch = sketch.wire("dynamics.acceleration", "sensor.a").reactive("sensor.a");
    assert_snapshot!(sketch.text());
}

#[test]
fn reactive_inputs_in_a_circle_are_a_loop_with_steps() {
    let circle = circle().reactive("a.u").reactive("b.u").reactive("c.u");
    assert_snapshot!("refused", circle.text());
    assert_snapshot!("solved", circle.iterated().text());
}

#[test]
fn a_loop_with_steps_needs_a_way_back() {
    let circle = circle().one_way().reactive("a.u").reactive("b.u").reactive("c.u").iterated();
    assert_snapshot!(circle.text());
}

#[test]
fn reactive_inputs_of_other_rates_are_delayed_with_a_warning() {
    let sketch = Sketch::new()
        .part("slow", &[], &[("y", These(&[]))])
        .every(5)
        .part("gain", &["u"], &[("y", These(&["u"]))])
        .part("sink", &["u", "v", "w", "x"], &[])
        .wire("slow.y", "gain.u")
        .wire("slow.y", "sink.u")
        .wire("gain.y", "sink.v")
        .delayed_wire("gain.y", "sink.w")
        .fed("sink.x")
        .reactive("sink.u")
        .reactive("sink.v")
        .reactive("sink.w")
        .reactive("sink.x");
    assert_snapshot!(sketch.text());
}

#[test]
fn gauss_seidel_steps_along_the_connections() {
    assert_snapshot!(chain_of_four(true).all_by_step().order(Order::GaussSeidel).text());
}

#[test]
fn gauss_seidel_breaks_circles_where_the_system_begins() {
    assert_snapshot!(circle().order(Order::GaussSeidel).text());
}

#[test]
fn what_the_user_wrote_comes_before_the_order_of_the_list() {
    let sketch = circle().reactive("a.u").order(Order::GaussSeidel);
    let order = sketch.explain().step_order.concat();
    assert_eq!(order, ["b", "c", "a"]);
}

#[test]
fn the_jacobi_order_knows_no_reactive_inputs() {
    let sketch = circle().order(Order::Jacobi);
    let (plain, _) = sketch.plan();
    let (plan, report) = sketch.reactive("a.u").plan();
    assert_eq!(plan, plain);
    assert!(report.diagnostics().iter().any(|it| it.code == "plan::reactive-ignored"));
}

#[test]
fn gauss_seidel_leaves_algebraic_loops_at_the_tag() {
    assert_snapshot!(loop_of_two(true, true).order(Order::GaussSeidel).iterated().text());
}

#[test]
fn independent_components_share_a_stage() {
    let sketch = circle()
        .part("d", &["u"], &[("y", Unsaid)])
        .by_step()
        .wire("a.y", "d.u")
        .order(Order::GaussSeidel);
    assert_eq!(
        sketch.explain().step_order,
        [vec!["a".to_owned()], vec!["b".to_owned(), "d".to_owned()], vec!["c".to_owned()]]
    );
}
